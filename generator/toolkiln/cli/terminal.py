"""What all commands share that run handlers: how a project's calls are opened and shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from traceback import format_exception, walk_tb
from typing import TYPE_CHECKING, Any, Final

import click

from .. import config
from ..config.project import Project
from ..diagnostics import Level, Rule, Span
from ..report import visible
from . import words
from .console import Exit, open_project, show, texts

if TYPE_CHECKING:
    # With it comes the runtime, and `--help` can do without.
    from ..host import Calls, Progress

RUN_UNUSABLE = Rule(
    "run-unusable", Level.ERROR, "What `run` names cannot be imported, or is no executor."
)

verbose_option: Final = click.option(
    "-v", "--verbose", is_flag=True, help="Show the log, with tracebacks of handlers."
)


def with_calls(
    location: Path | None, work: Callable[[Calls], Exit], *, verbose: bool = False
) -> Exit:
    """Do *work* with the calls of the project at *location*."""
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
    from .. import host

    try:
        with host.opened(project, _tell_key) as calls:
            return work(calls)
    except host.UnusableError as error:
        return _unusable(project, error, verbose=verbose)
    except host.StoreError as error:
        click.echo(f"error: .toolkiln/calls.sqlite3: {visible(str(error))}.", err=True)
    except host.ToolError as error:
        click.echo(words.refusal(error, None, time.time()), err=True)
    return Exit.UNREADABLE


def reply(
    location: Path | None,
    name: str,
    make: Callable[[Calls], Progress],
    *,
    verbose: bool = False,
    ends: bool = False,
) -> Exit:
    """Reply to the question or the call of this *name*, and print what comes of it.

    *ends* tells that the reply is there to end the call, so that no result is a failure.
    """

    def work(calls: Calls) -> Exit:
        from .. import host

        try:
            found = print_progress(make(calls), verbose=verbose or ends)
        except host.ToolError as error:
            click.echo(words.refusal(error, calls.reply(name), time.time()), err=True)
            return Exit.FOUND
        return Exit.CLEAN if ends else found

    return with_calls(location, work, verbose=verbose)


def print_progress(progress: Progress, *, verbose: bool) -> Exit:
    """The one result on stdout; what an open call waits for in words on stderr."""
    for result in progress.results:
        form = result.as_json()
        _print_json(form)
        if form.get("code") == "tool.execution-failed" and not verbose:
            click.echo("hint: `--verbose` shows the traceback.", err=True)
        return Exit.CLEAN if result.kind == "completed" else Exit.FOUND
    for pending in progress.pending:
        _print_json({"kind": "interaction-required", **pending.as_json()})
        click.echo(
            f"waiting for {words.wants(pending)}: {visible(pending.interaction.prompt)}", err=True
        )
        for way in words.ways(pending):
            click.echo(f"  {way}", err=True)
    for deferred in progress.deferred:
        _print_json({"kind": "deferred", **deferred.as_json()})
        click.echo("deferred: the result comes later", err=True)
        name = words.word(deferred.invocation_id)
        click.echo(f"  toolkiln settle {name} --output JSON", err=True)
    for call in progress.unfinished:
        _print_json({"kind": "unfinished", **call.as_json()})
        click.echo(f"the call {words.state(call.state)}", err=True)
    return Exit.CLEAN


def is_person() -> bool:
    """Whether somebody can be asked: a gate is never answered by what a pipe holds."""
    # Either stream is None where the process was started without it.
    with suppress(AttributeError):
        return sys.stdin.isatty() and sys.stderr.isatty()
    return False


def _print_json(value: dict[str, Any]) -> None:
    click.echo(words.block(value))


def _tell_key(file: Path) -> None:
    click.echo(
        f"A KEY WAS MADE: {file.parent.name}/{file.name} seals what is secret in calls that wait.\n"
        "  Only you may read it, and git ignores it. Without it those calls cannot be answered.\n"
        "  Keys in TOOLKILN_KEYS take its place.",
        err=True,
    )


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
