"""`toolkiln pending`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..report import visible
from . import words
from .console import Exit, project_option
from .terminal import with_calls

if TYPE_CHECKING:
    from ..host import Calls, PendingInteraction, Plan

JSON_VERSION: Final = 1
"""Of the list as JSON; raised when a reader of the old one would break."""


@click.command
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How the calls are printed.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only the ids of open questions.")
@project_option
def pending(location: Path | None, *, form: str, quiet: bool) -> Exit:
    """List the calls that wait: for an answer, for their result, or for a decision.

    A call whose process died is uncertain: it may have done its work, and never runs again by
    itself. `settle` or `cancel` ends it.
    """

    def work(calls: Calls) -> Exit:
        for result in calls.expire().results:
            if quiet or form == "json":
                break
            click.echo(f"expired: {visible(result.tool_name)}", err=True)
        plans = calls.open()
        if quiet:
            for name in (p.interaction.id for plan in plans for p in plan.progress.pending):
                click.echo(visible(name))
        elif form == "json":
            entries = [entry for plan in plans for entry in _entries(plan)]
            click.echo(words.block({"version": JSON_VERSION, "calls": entries}))
        else:
            click.echo("\n".join(_lines(plans, calls)))
        return Exit.CLEAN

    return with_calls(location, work)


def _entries(plan: Plan) -> Iterator[dict[str, Any]]:
    progress = plan.progress
    for kind, calls in (
        ("interaction-required", progress.pending),
        ("deferred", progress.deferred),
        ("unfinished", progress.unfinished),
    ):
        for call in calls:
            yield {"kind": kind, **call.as_json(), "calledAt": plan.called_at}


def _lines(plans: Sequence[Plan], calls: Calls) -> Iterator[str]:
    now = time.time()
    for plan in plans:
        called = f"called {words.age(now - plan.called_at)}"
        for asked in plan.progress.pending:
            yield from _question(asked, calls, called, now)
        for deferred in plan.progress.deferred:
            name = words.word(deferred.invocation_id)
            yield f"{name}  {visible(deferred.call.tool_name)}"
            yield f"  is deferred: its result comes later; {called}"
        for call in plan.progress.unfinished:
            yield f"{words.word(call.invocation_id)}  {visible(call.call.tool_name)}"
            yield f"  {words.state(call.state)}; {called}"
    if not any(True for plan in plans for _ in _entries(plan)):
        yield "Nothing waits."


def _question(pending: PendingInteraction, calls: Calls, called: str, now: float) -> Iterator[str]:
    name = words.word(pending.interaction.id)
    yield f"{name}  {visible(pending.call.tool_name)}  {words.inline(pending.masked)}"
    yield f"  needs {words.wants(pending)}: {visible(pending.interaction.prompt)}"
    for value, label in calls.asked(pending).choices:
        yield f"    {words.inline(value)}  {visible(label)}"
    when = called
    if pending.expires_at is not None:
        when += f", expires in {words.amount(pending.expires_at - now)}"
    yield f"  {when}"
    if pending.blocked:
        yield f"  {words.blocked(pending.blocked)}"
