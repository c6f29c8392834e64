"""Handlers to fill in: written once, the user's from then on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from toolkiln.contract import Namespace, Tool
from toolkiln.render import render
from toolkiln.target import File
from toolkiln.text import Code

from .code import Import, Piece, attribute, blocks, name, together
from .handlers import arguments
from .modules import Build
from .registration import registering


@dataclass(frozen=True, slots=True)
class Stub:
    """A handler to fill in."""

    keyword: Code
    """What registration calls it."""
    function: Code
    arguments: Code
    stem: Code
    doc: str


def scaffold_files(build: Build, namespaces: Iterable[Namespace]) -> Iterator[File]:
    """A module of handlers a namespace, and a package that runs them."""
    folder = build.options.handlers
    modules: dict[str, Namespace] = {}
    for namespace in namespaces:
        if namespace.tools:
            modules["_".join(build.names.packages[namespace.name])] = namespace
    if not folder or not modules:
        return
    for module, namespace in modules.items():
        yield File(f"{folder}/{module}.py", _module(build, namespace), scaffold=True)
    values = {
        "modules": [Code(module) for module in modules],
        "slots": [Code(f"{module}.tools") for module in modules],
    }
    text = render("scaffold/executor.py.jinja", values, build.options.templates)
    yield File(f"{folder}/__init__.py", text, scaffold=True)


def _module(build: Build, namespace: Namespace) -> str:
    package = _package(build, namespace.name)
    taken = {"tools", *(_package(build, each).code for each in build.names.packages)}
    stubs: list[Stub] = []
    imports = set(package.imports)
    for tool in namespace.tools:
        stub, needed = _stub(build, tool, taken)
        stubs.append(stub)
        imports |= needed
    values = {
        "doc": f"Handlers of the tools of `{namespace.name}`.",
        "imports": blocks(imports),
        "package": package.code,
        "registering": registering(namespace),
        "tools": stubs,
    }
    return render("scaffold/handlers.py.jinja", values, build.options.templates)


def _stub(build: Build, tool: Tool, taken: Collection[str]) -> tuple[Stub, frozenset[Import]]:
    called = build.names.tools[tool.namespace, tool.name]
    args = arguments(tool, lambda key: _type(build, key))
    function = f"{called.function}_" if called.function in taken else called.function
    doc = tool.description or tool.title
    return Stub(called.function, Code(function), args.code, called.stem, doc), together([args])


def _type(build: Build, key: str) -> Piece:
    return attribute(_package(build, build.names.homes[key]), build.names.classes[key])


def _package(build: Build, namespace: str) -> Piece:
    """A generated package, as a handler's author imports it."""
    *parents, last = build.names.packages[namespace]
    alias = "_".join([*parents, last])
    module = ".".join([build.options.package, *parents])
    return name(module, last, alias if parents else "")
