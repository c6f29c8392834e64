"""`toolkiln approve`, `deny`, `respond`, `settle` and `cancel`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from .console import Exit, project_option
from .terminal import is_person, reply, verbose_option

if TYPE_CHECKING:
    from ..host import Calls, Outcome, Progress


@click.command
@click.argument("name", metavar="ID")
@click.option("--edit", metavar="JSON", help="Run it with these arguments, where that is allowed.")
@verbose_option
@project_option
def approve(name: str, edit: str | None, location: Path | None, *, verbose: bool) -> Exit:
    """Approve what a call asks, and run it. ID is that of the question, as `pending` lists it.

    Exits 1 if the approval is not taken, or if the call has failed.
    """
    edited = None if edit is None else _json(edit, "--edit")
    if edit is not None and not isinstance(edited, dict):
        raise click.BadParameter("arguments are a JSON object.", param_hint="--edit")
    args = cast("Mapping[str, Any] | None", edited)
    return reply(location, name, lambda calls: calls.approve(name, edited=args), verbose=verbose)


@click.command
@click.argument("name", metavar="ID")
@click.option("--reason", metavar="TEXT", help="What the model is told.")
@verbose_option
@project_option
def deny(name: str, reason: str | None, location: Path | None, *, verbose: bool) -> Exit:
    """Refuse what a call asks: it ends as denied. ID is that of the question."""
    return reply(location, name, lambda calls: calls.deny(name, reason), verbose=verbose, ends=True)


# -5 is an answer, and no option.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", metavar="ID")
@click.argument("value", required=False)
@verbose_option
@project_option
def respond(name: str, value: str | None, location: Path | None, *, verbose: bool) -> Exit:
    """Answer the question ID, and run its call again.

    VALUE is JSON, or a text as it is where the question takes only texts. On a terminal it may be
    left out, and is asked for: what is secret belongs into no history of commands.
    """
    if value is None and not is_person():
        raise click.UsageError("Without a terminal the answer has to be given as VALUE.")
    return reply(location, name, lambda calls: _respond(calls, name, value), verbose=verbose)


def _respond(calls: Calls, name: str, value: str | None) -> Progress:
    from ..host import NotJsonError

    pending = calls.question(name)
    if pending.interaction.kind == "approval":
        # The runtime has the words for it.
        return calls.respond(name, value)
    if value is None:
        from .asking import answered

        return answered(calls, calls.progress(pending.plan_id))
    try:
        return calls.respond(name, calls.asked(pending).value(value))
    except NotJsonError as error:
        raise click.BadParameter(
            f"""{error}. A text needs quotes: '"..."'""", param_hint="VALUE"
        ) from None


@click.command
@click.argument("invocation")
@click.argument("outcome", required=False)
@click.option("--output", metavar="JSON", help="It has completed with this output.")
@click.option("--denied", metavar="REASON", help="It was not allowed.")
@click.option("--failed", metavar="CODE", help="It has failed with this code.")
@click.option("--message", metavar="TEXT", help="What to say of the failure.")
@click.option("--details", metavar="JSON", help="The details of the failure.")
@project_option
def settle(invocation: str, location: Path | None, **said: str | None) -> Exit:
    """End the call INVOCATION, which is deferred, uncertain or blocked.

    OUTCOME is its result as JSON, as `call` prints it: {"kind": "completed", "output": ...}. The
    options say the same.
    """
    settled = _outcome(said)
    return reply(location, invocation, lambda calls: calls.settle(invocation, settled), ends=True)


@click.command
@click.argument("name", metavar="ID")
@project_option
def cancel(name: str, location: Path | None) -> Exit:
    """End a call without its result. ID is that of its invocation, or of its question.

    If a process is at it, the process is told, and interrupts the handler.
    """
    return reply(location, name, lambda calls: calls.cancel(name), ends=True)


def _outcome(said: Mapping[str, str | None]) -> Outcome:
    """The one outcome that the options of `settle` say."""
    from ..host import InvalidOutcomeError, outcome_of

    given = [key for key in ("outcome", "output", "denied", "failed") if said[key] is not None]
    if len(given) != 1:
        raise click.UsageError("Give one of OUTCOME, --output, --denied and --failed.")
    if "failed" not in given and (said["message"] or said["details"]):
        raise click.UsageError("--message and --details belong to --failed.")
    text = said[given[0]] or ""
    form: Any
    match given[0]:
        case "outcome":
            form = _json(text, "OUTCOME")
        case "output":
            form = {"kind": "completed", "output": _json(text, "--output")}
        case "denied":
            form = {"kind": "denied", "reason": text}
        case _:
            form = {"kind": "failed", "code": text, "message": said["message"] or ""}
            form["details"] = _json(said["details"] or "null", "--details")
    try:
        return outcome_of(form)
    except InvalidOutcomeError as error:
        raise click.BadParameter(f"{error}.", param_hint="OUTCOME") from None


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is no JSON: {error}.", param_hint=where) from None
