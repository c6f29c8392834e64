"""`toolkiln call`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from traceback import format_exception, walk_tb
from typing import TYPE_CHECKING, Any

import click

from .. import config
from ..config.project import Project
from ..diagnostics import Level, Rule, Span
from ..report import visible
from .console import Exit, open_project, project_option, show, texts

if TYPE_CHECKING:
    # With it comes the runtime, and `--help` can do without.
    from ..host import Progress

RUN_UNUSABLE = Rule(
    "run-unusable", Level.ERROR, "What `run` names cannot be imported, or is no executor."
)


@click.command
@click.argument("tool")
@click.option(
    "--args", "arguments", metavar="JSON", default="{}", help="The arguments; `-` reads them."
)
@click.option("-v", "--verbose", is_flag=True, help="Show the log, with tracebacks of handlers.")
@project_option
def call(tool: str, arguments: str, location: Path | None, *, verbose: bool) -> Exit:
    """Run TOOL once, with the handlers of this project, and print the normalised result.

    `run` in the project file names the executor. Exits 1 if the call was denied or has failed.
    """
    project = open_project(location)
    if project is None:
        return Exit.UNREADABLE
    if not project.run:
        raise click.UsageError(
            f"{project.file} does not say what to run.\n"
            'Add the executor that your application uses: run = "app.main:executor"'
        )
    if verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG)
    if arguments == "-":
        arguments = sys.stdin.read()
    from .. import host

    try:
        executor = host.executor(project)
    except host.UnusableError as error:
        return _unusable(project, error, verbose=verbose)
    return _print(host.call(executor, tool, arguments), verbose=verbose)


def _print(progress: Progress, *, verbose: bool) -> Exit:
    """The one result on stdout; what an open call waits for in words on stderr."""
    for result in progress.results:
        form = result.as_json()
        _print_json(form)
        if form.get("code") == "tool.execution-failed" and not verbose:
            click.echo("hint: `--verbose` shows the traceback.", err=True)
        return Exit.CLEAN if result.kind == "completed" else Exit.FOUND
    for pending in progress.pending:
        _print_json({"kind": "interaction-required", **pending.as_json()})
        asked = pending.interaction
        needs = "an approval" if asked.kind == "approval" else "an answer"
        ran = ", and nothing has run" if pending.gate else ""
        click.echo(f"waiting for {needs}{ran}: {visible(asked.prompt)}", err=True)
    for deferred in progress.deferred:
        _print_json({"kind": "deferred", **deferred.as_json()})
        click.echo("deferred: the result comes later", err=True)
    return Exit.CLEAN


def _print_json(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # Strangers write values, and a terminal obeys what is printed; as JSON an escape is the same.
    click.echo("".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text))


def _unusable(project: Project, error: Exception, *, verbose: bool) -> Exit:
    if verbose:
        click.echo("".join(format_exception(error.__cause__ or error)), err=True, nl=False)
    hint = "" if verbose or not error.__cause__ else "`--verbose` shows the traceback."
    span = _culprit(project, error.__cause__) or config.place(project, "run")
    found = [RUN_UNUSABLE.at(span, f"{error}.", hint=hint)]
    show(found, texts(project.root, found))
    return Exit.UNREADABLE


def _culprit(project: Project, cause: BaseException | None) -> Span | None:
    """The last line of the project's own code that ran before *cause*, or that is no Python."""
    frames = walk_tb(cause.__traceback__ if cause else None)
    places = [(frame.f_code.co_filename, line) for frame, line in frames]
    if isinstance(cause, SyntaxError):
        places.append((cause.filename or "", cause.lineno or 1))
    for file, line in reversed(places):
        path = Path(file)
        if path.is_relative_to(project.root) and "site-packages" not in path.parts:
            return Span(path.relative_to(project.root).as_posix(), line, 1)
    return None
