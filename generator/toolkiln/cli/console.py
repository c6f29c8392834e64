"""What the commands share: exit codes, common options, and how findings are shown."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final

import click

from .. import config, report
from ..config.project import Project
from ..diagnostics import Diagnostic, Level, ordered


class Exit(IntEnum):
    """What a run came to."""

    CLEAN = 0
    FOUND = 1
    """An error, drift or a break."""
    USAGE = 2
    UNREADABLE = 3
    """Input could not be loaded, which outranks `FOUND`."""
    INTERNAL = 70
    INTERRUPTED = 130


project_option: Final = click.option(
    "-p",
    "--project",
    "location",
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="The project file or its folder. Otherwise found from here upwards.",
)

format_option: Final = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How findings are printed.",
)


def project_file(location: Path | None) -> Path:
    """The file that describes the project at *location*, or around the current folder."""
    if location and location.is_file():
        return location
    found = config.find((location or Path.cwd()).absolute())
    if found is None or (location and found.parent != location.absolute()):
        where = f"in {location}" if location else "here or in any folder above"
        raise click.UsageError(
            f"There is no {config.FILE} {where}.\n"
            "`toolkiln init` starts a project; `--project PATH` names another one."
        )
    return found


def open_project(location: Path | None, form: str = "text") -> Project | None:
    """The project at *location*; None once it has been said what is wrong with its file."""
    path = project_file(location)
    project, found = config.read(path)
    if found:
        show(found, texts(path.parent, found), form)
        total(found, form)
    return project


def texts(root: Path, found: Sequence[Diagnostic]) -> Mapping[str, str]:
    """The texts of the project's files that *found* points at."""
    files = {item.span.file for item in found if item.span}
    return {
        file: path.read_text(encoding="utf-8-sig", errors="replace")
        for file in files
        if not file.startswith("pkg:") and (path := root / file).is_file()
    }


def show(found: Sequence[Diagnostic], sources: Mapping[str, str], form: str = "text") -> None:
    """Print findings in order; as text only if there are any."""
    findings = ordered(list(found))
    if form == "json":
        click.echo(report.json_text(findings), nl=False)
    elif findings:
        shown = report.text(findings, sources, color=_color())
        click.echo(shown, nl=False, color=True)


def total(found: Sequence[Diagnostic], form: str, outcome: str = "") -> None:
    """Print how many findings there were, and what came of it."""
    if form == "text":
        counted = report.summary(found)
        click.echo(" ".join(part for part in (counted and f"{counted}.", outcome) if part))


def failed(found: Sequence[Diagnostic]) -> bool:
    """Whether an error is among *found*."""
    return any(item.level is Level.ERROR for item in found)


def _color() -> bool:
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
