"""Asks the person at the terminal what a call needs to know."""

from __future__ import annotations

import getpass
import json
import sys
import time
from typing import TYPE_CHECKING, Any, Final, cast

import click

from ..report import visible
from . import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..host import Asked, Calls, PendingInteraction, Progress

_STAYS: Final = frozenset(("interaction.invalid-response", "interaction.invalid-edit"))
"""Refusals after which the question is still open."""


class Left(Exception):  # noqa: N818 - a decision
    """The person has ended the input, and leaves the question open."""


def answered(calls: Calls, progress: Progress) -> Progress:
    """How far the call is when the person has answered all that it asks, or has left."""
    try:
        while progress.pending:
            progress = _answer(calls, progress.pending[0])
    except (Left, KeyboardInterrupt):
        click.echo("\nNobody has answered, and the call waits.", err=True)
    return progress


def _answer(calls: Calls, pending: PendingInteraction) -> Progress:
    from ..host import ToolError

    _say(f"{visible(pending.call.tool_name)} needs {words.wants(pending)}:")
    _say(f"  {visible(pending.interaction.prompt)}")
    asked = calls.asked(pending)
    reply = _respond if pending.interaction.kind == "response" else _approve
    while True:
        try:
            return reply(calls, pending, asked)
        except ToolError as error:
            first = calls.reply(pending.interaction.id)
            _say(words.refusal(error, first, time.time()))
            if error.code not in _STAYS:
                if error.progress is None:
                    raise
                return error.progress


def _approve(calls: Calls, pending: PendingInteraction, asked: Asked) -> Progress:
    edited: Mapping[str, Any] | None = None
    name = pending.interaction.id
    while True:
        _say(f"  {words.inline(pending.masked if edited is None else edited)}")
        match _line("Approve? [y/n/e to edit] " if asked.editable else "Approve? [y/n] ").lower():
            case "y" | "yes":
                return calls.approve(name, edited=edited)
            case "n" | "no":
                return calls.deny(name, _line("Reason, if you like: ") or None)
            case "e" | "edit" if asked.editable:
                edited = _edited(pending.masked if edited is None else edited) or edited
            case _:
                _say("Type y or n. Ctrl-D leaves the question open.")


def _edited(args: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The arguments as the person's editor leaves them; None if nothing was changed."""
    try:
        text = click.edit(json.dumps(args, indent=2) + "\n", extension=".json")
        if text is None:
            return None
        value: object = json.loads(text)
    except click.ClickException as error:
        _say(visible(error.message))
        return None
    except (ValueError, RecursionError) as error:
        _say(f"That is no JSON: {error}.")
        return None
    if not isinstance(value, dict):
        _say("Arguments are an object.")
        return None
    return cast("Mapping[str, Any]", value)


def _respond(calls: Calls, pending: PendingInteraction, asked: Asked) -> Progress:
    from ..host import NotJsonError

    for number, (value, label) in enumerate(asked.choices, start=1):
        _say(f"  {number}  {visible(label)}  {words.inline(value)}")
    while True:
        if asked.choices:
            written = _line(f"Which? [1-{len(asked.choices)}] ")
            chosen = int(written) if written.isdecimal() and len(written) < _DIGITS else 0
            if 0 < chosen <= len(asked.choices):
                return calls.respond(pending.interaction.id, asked.choices[chosen - 1][0])
            _say("Type the number of a choice. Ctrl-D leaves the question open.")
            continue
        written = _line("Answer: " if asked.text else "Answer, as JSON: ", secret=asked.secret)
        try:
            value = asked.value(written)
        except NotJsonError as error:
            _say(f'{visible(str(error))}. A text needs quotes: "..."')
        else:
            return calls.respond(pending.interaction.id, value)


_DIGITS: Final = 9
"""Longer numbers are no choices, and reading very long ones is refused by Python."""


def _line(prompt: str, *, secret: bool = False) -> str:
    """What the person types; raises Left."""
    if secret:
        try:
            return getpass.getpass(prompt, sys.stderr)
        except EOFError:
            raise Left from None
    # Neither `input` nor click's prompt: part of theirs goes to stdout, which is for the result.
    click.echo(prompt, nl=False, err=True)
    line = sys.stdin.buffer.readline()
    if not line:
        raise Left
    return line.decode("utf-8", "replace").strip()


def _say(text: str) -> None:
    click.echo(text, err=True)
