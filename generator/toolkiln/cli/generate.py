"""`toolkiln generate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import click

from .. import output
from ..config.project import Project, TargetSettings
from ..contract import Contract
from ..diagnostics import Diagnostic, Level
from ..output import Action, Plan
from ..target import Target
from . import pipeline, registry
from .console import Exit, failed, format_option, open_project, project_option, show, texts, total
from .editor import offer_schema

_DONE: Final = {
    "created": (Action.CREATE, Action.SCAFFOLD),
    "updated": (Action.UPDATE, Action.EDITED),
    "removed": (Action.STALE,),
    "unchanged": (Action.UNCHANGED,),
}
_NAMED: Final = 3
"""Files that are listed by name; a project may have hundreds."""
_Targets: TypeAlias = Sequence[tuple[TargetSettings, Target]]


@click.command
@project_option
@click.option("--force", is_flag=True, help="Overwrite generated files that were changed by hand.")
@click.option(
    "--keep-going", is_flag=True, help="Leave out the tools in error instead of stopping; exits 1."
)
@format_option
def generate(location: Path | None, *, force: bool, keep_going: bool, form: str) -> Exit:
    """Write the code of all tools; files that need no change are not touched.

    With any error nothing is written. What toolkiln did not write is never overwritten.
    """
    project = open_project(location, form)
    if project is None:
        return Exit.UNREADABLE
    targets, found = registry.resolve(project)
    if failed(found):
        return _stopped(found, texts(project.root, found), form, Exit.UNREADABLE)
    reading = pipeline.read(project)
    if reading.contract is None:
        return _stopped(reading.found, reading.sources, form, Exit.UNREADABLE)
    broken = failed(reading.found)
    if broken and not keep_going:
        return _stopped(reading.found, reading.sources, form)
    plans, refused = _write(project, reading.contract, targets, force=force)
    found = [*reading.found, *refused]
    sources = {**texts(project.root, refused), **reading.sources}
    if refused:
        return _stopped(found, sources, form)
    offer_schema(project.root)
    show(found, sources, form)
    total(found, form, _outcome(reading.contract, found, plans))
    return Exit.FOUND if broken else Exit.CLEAN


def _write(
    project: Project, contract: Contract, targets: _Targets, *, force: bool
) -> tuple[list[Plan], list[Diagnostic]]:
    """What was done, or why nothing was."""
    folders, found = pipeline.render(project, contract, targets)
    planned, unreadable = pipeline.plans(project, folders)
    found += unreadable
    for out, plan in planned:
        found += output.refusals(plan, out, force=force)
    plans = [plan for _, plan in planned]
    if not found:
        try:
            output.apply(*plans, force=force)
        except OSError as error:
            found.append(pipeline.unwritable(project, error))
    return plans, found


def _stopped(
    found: Sequence[Diagnostic],
    sources: Mapping[str, str],
    form: str,
    code: Exit = Exit.FOUND,
) -> Exit:
    show(found, sources, form)
    total(found, form, "Nothing was written.")
    return code


def _outcome(contract: Contract, found: Sequence[Diagnostic], plans: Sequence[Plan]) -> str:
    counts = {word: sum(plan.count(*of) for plan in plans) for word, of in _DONE.items()}
    done = [f"{_many(count, 'file')} {word}" for word, count in counts.items() if count]
    parts = [f"{_many(len(contract.tools), 'tool')}: {', '.join(done) or 'no files'}."]
    left_out = {item.tool for item in found if item.level is Level.ERROR and item.tool}
    if left_out:
        parts.append(f"Left out: {', '.join(sorted(left_out))}.")
    scaffolds = [
        entry.path
        for plan in plans
        for entry in plan.entries
        if entry.action is Action.SCAFFOLD and not entry.path.endswith("__init__.py")
    ]
    if scaffolds:
        more = f" and {len(scaffolds) - _NAMED} more" if len(scaffolds) > _NAMED else ""
        parts.append(f"Fill in {', '.join(scaffolds[:_NAMED])}{more}.")
    return " ".join(parts)


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
