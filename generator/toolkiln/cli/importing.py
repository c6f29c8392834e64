"""`toolkiln import`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import cast

import click

from .. import output
from ..config.project import Project
from ..diagnostics import Diagnostic
from ..target import File
from ..value import JsonObject
from ..write import spec as spectext
from .console import Exit, failed, format_option, open_project, project_option, show, total


@click.group("import")
def import_() -> None:
    """Turn existing tool definitions into specs; what cannot be kept is listed."""


@import_.command
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the specs. Otherwise the project's.",
)
@project_option
@format_option
def mcp(files: Sequence[Path], out: Path | None, location: Path | None, form: str) -> Exit:
    """Import what MCP servers answer to `tools/list`, saved as JSON: each FILE becomes a spec.

    A tool that cannot be written as a spec is left out, which exits 1. No file is overwritten.
    """
    from functools import partial

    from .. import imports, proof
    from ..imports.mcp import convert

    folder = out or _spec_folder(location, form)
    if folder is None:
        return Exit.UNREADABLE
    found: list[Diagnostic] = []
    texts: dict[str, str] = {}
    specs: dict[Path, JsonObject] = {}
    for file in files:
        data = file.read_bytes()
        texts[file.as_posix()] = data.decode("utf-8-sig", errors="replace")
        name = file.name.partition(".")[0]
        conversion = partial(convert, refusals=proof.refusals)
        spec, lost = imports.read(data, file.as_posix(), name, conversion)
        found += lost
        if spec is not None:
            specs[_path(folder, spec, specs)] = spec
    plan = output.scaffold(
        [File(path.name, spectext.write(spec), scaffold=True) for path, spec in specs.items()],
        folder.absolute(),
    )
    output.apply(plan)
    show(found, texts, form)
    total(found, form, _outcome(specs))
    if len(specs) < len(files):
        return Exit.UNREADABLE
    return Exit.FOUND if failed(found) else Exit.CLEAN


def _spec_folder(location: Path | None, form: str) -> Path | None:
    """The folder that the project's first pattern looks into; None if the project is in error."""
    project = open_project(location, form)
    return project.root / _fixed(project) if project else None


def _fixed(project: Project) -> PurePosixPath:
    parts = PurePosixPath(project.specs[0]).parts[:-1]
    wild = next((n for n, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return PurePosixPath(*parts[:wild])


def _path(folder: Path, spec: JsonObject, taken: dict[Path, JsonObject]) -> Path:
    path = folder / f"{spec['namespace']}.yaml"
    if path.exists() or path in taken:
        raise click.UsageError(f"{_shown(path)} exists: move it, or give another `--out`.")
    return path


def _shown(path: Path) -> str:
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _outcome(specs: Mapping[Path, JsonObject]) -> str:
    if not specs:
        return "Nothing was written."
    tools = sum(len(cast("JsonObject", spec["tools"])) for spec in specs.values())
    return f"{tools} {'tool' if tools == 1 else 'tools'} in {', '.join(map(_shown, specs))}."
