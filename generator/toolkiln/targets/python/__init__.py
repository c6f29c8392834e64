"""The Python target: models, contracts, handler types and registration for each namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolkiln.contract import Contract
from toolkiln.render import render
from toolkiln.target import File
from toolkiln.value import Json, JsonObject

from .hints import hints
from .layout import laid_out
from .modules import Build, header, namespace_files
from .naming import names
from .options import SCHEMA, Options, chosen
from .places import cyclic
from .scaffold import scaffold_files


class Python:
    """The target that the project file calls `python`."""

    name: Final = "python"
    options: Final[JsonObject] = SCHEMA

    def files(self, contract: Contract, options: Mapping[str, Json]) -> list[File]:
        """The generated package, and scaffolds of handlers if a folder is named for them.

        Raises TargetError if a template of the project is at fault.
        """
        build = _build(contract, chosen(options))
        files = [*_package_files(contract, build)]
        for namespace in contract.namespaces:
            files += namespace_files(build, namespace)
        files += scaffold_files(build, contract.namespaces)
        return laid_out(files, build.options.package)


def _build(contract: Contract, options: Options) -> Build:
    called = names(contract)
    definitions = {each.key: each for n in contract.namespaces for each in n.definitions}
    return Build(called, options, hints(contract, definitions), cyclic(contract, called))


def _package_files(contract: Contract, build: Build) -> Iterator[File]:
    """What the package has besides its namespaces."""
    own = set(build.names.packages.values())
    parents = {(), *(path[:length] for path in own for length in range(len(path)))} - own
    listed = ", ".join(f"`{namespace.name}`" for namespace in contract.namespaces)
    for parent in sorted(parents):
        doc = f"Generated from tool contracts: {listed}." if not parent else "Tools, by namespace."
        values = {"header": header(()), "doc": doc, "exports": ()}
        yield File("/".join([*parent, "__init__.py"]), build.text("package.py", values))
    yield File("py.typed", "")
    style = render("python/ruff.toml.jinja", {"header": header(())}, build.options.templates)
    yield File("ruff.toml", style)
