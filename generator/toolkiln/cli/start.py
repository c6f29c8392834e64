"""`toolkiln init` and `toolkiln new`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from .. import config, output, source
from ..config.project import Project
from ..output import disk
from ..target import File
from ..value import Json, JsonObject
from ..write import spec as spectext
from ..write.insert import insert
from .console import Exit, failed, open_project, project_option, show
from .editor import offer_schema

_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")

_TOOL: Final[Mapping[str, Json]] = {
    "description": "What it does and when to call it, in words for the model.",
    "effects": {"read_only": False, "destructive": True, "open_world": True},
    "parameters": {
        "required": ["id"],
        "properties": {"id": {"type": "string", "description": "What it means."}},
    },
    "output": {"type": "object"},
    "failures": {"not_found": "There is nothing with this id."},
}


@click.command
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
@click.option("--package", default="app.tools", show_default=True, help="The package to generate.")
def init(folder: Path, *, package: str) -> Exit:
    """Start a project in FOLDER, with one example tool to generate from.

    Nothing that exists is changed.
    """
    if (folder / config.FILE).exists():
        raise click.UsageError(f"{folder / config.FILE} exists: this is a project already.")
    from ..render import render

    parent = package.rpartition(".")[0]
    handlers = f"{parent}.handlers" if parent else "handlers"
    values = {
        "package": package,
        "run": f"{handlers}:executor",
        "handlers": handlers.replace(".", "/"),
    }
    text = render("scaffold/project.toml.jinja", values)
    project, found = config.parse(text, folder.absolute() / config.FILE)
    if project is None:
        raise click.BadParameter(found[0].message, param_hint="--package")
    files = [
        File(config.FILE, text, scaffold=True),
        File("specs/weather.yaml", render("scaffold/spec.yaml.jinja", {}), scaffold=True),
    ]
    plan = output.scaffold(files, folder.absolute())
    output.apply(plan)
    offer_schema(folder.absolute())
    for entry in plan.entries:
        click.echo(f"wrote {(folder / entry.path).as_posix()}")
    click.echo(
        "Next: `toolkiln generate`. This line in .gitattributes keeps merges clean:\n"
        f"  {project.targets[0].out}/** linguist-generated=true -merge"
    )
    return Exit.CLEAN


@click.command
@click.argument("tool")
@click.option(
    "--in",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The spec to add it to; written if it does not exist. Needed if there are several.",
)
@project_option
def new(tool: str, file: Path | None, location: Path | None) -> Exit:
    """Add TOOL, with everything left to fill in, to a spec. Comments and layout are kept."""
    if not _TOOL_NAME.fullmatch(tool):
        raise click.BadParameter(
            "letters, digits, `_`, `.` and `-`, at most 128.", param_hint="TOOL"
        )
    project = open_project(location)
    if project is None:
        return Exit.UNREADABLE
    path = (file or _only_spec(project)).resolve()
    if not path.is_relative_to(project.root):
        raise click.BadParameter(f"{file} is outside the project.", param_hint="--in")
    name = path.relative_to(project.root).as_posix()
    text = _added(path, name, tool) if path.exists() else _started(path, tool)
    if text is None:
        return Exit.UNREADABLE
    disk.change({project.root: [(name, text.encode())]})
    read, _ = source.parse(text, name)
    line = read.span("tools", tool, key=True).line if read else 1
    click.echo(f"{name}:{line}: added {tool}")
    if path not in config.spec_files(project)[0]:
        click.echo(f"No pattern under `specs` in {project.file} matches {name}: add one.")
    return Exit.CLEAN


def _only_spec(project: Project) -> Path:
    files, _ = config.spec_files(project)
    if len(files) == 1:
        return files[0]
    names = ", ".join(file.relative_to(project.root).as_posix() for file in files[:6])
    raise click.UsageError(f"Say where: `--in FILE`. There are {names or 'no specs yet'}.")


def _added(path: Path, name: str, tool: str) -> str | None:
    """The text of the spec at *path* with the tool in it; None once it has been said why not."""
    document, found = source.parse(path.read_bytes(), name)
    if document is None or failed(found):
        show(found, {name: path.read_text(encoding="utf-8-sig", errors="replace")})
        return None
    spec = document.value if isinstance(document.value, dict) else {}
    tools = spec.get("tools")
    if isinstance(tools, dict) and tool in tools:
        line = document.span("tools", tool, key=True).line
        raise click.UsageError(f"`{tool}` is there already: {name}:{line}.")
    if "namespace" not in spec:
        raise click.UsageError(f"{name} has no `namespace`, and so takes no tools.")
    text = insert(document, tool, _TOOL)
    if text is None:
        raise click.UsageError(f"No place was found in {name}: add `{tool}` by hand.")
    return text


def _started(path: Path, tool: str) -> str:
    namespace = re.sub("[^a-z0-9]+", "_", path.stem.lower()).strip("_")
    if not namespace[:1].isalpha():
        namespace = f"tools_{namespace}".rstrip("_")
    spec: JsonObject = {"toolkiln": 1, "namespace": namespace, "tools": {tool: _TOOL}}
    text = spectext.write(spec)
    return json.dumps(spec, indent=2) + "\n" if path.suffix == ".json" else text
