"""What the store knows of calls that wait, and of those that do not any more."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from toolkiln_runtime import records
from toolkiln_runtime.records import How, Record
from toolkiln_runtime.results import Progress


@dataclass(frozen=True, slots=True)
class Plan:
    """A call that was made at the terminal."""

    progress: Progress
    called_at: float
    """In seconds since the epoch; 0 if it is not known."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question, and of its call."""

    outcome: str | None
    """`completed`, `denied` or `failed`; None while the call has no result."""
    how: How | None = None
    """None for what is no question."""
    at: float = 0.0
    """In seconds since the epoch."""
    by: str | None = None


def turn_id(now: float) -> str:
    """The turn of a call made now: at the terminal each call is one, and its time is its name."""
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds")


def called_at(turn: str) -> float:
    """When the call of this turn was made; 0 if that cannot be read from it."""
    with suppress(ValueError):
        return datetime.fromisoformat(turn).timestamp()
    return 0.0


def ended(record: Record) -> bool:
    """Whether every call of the plan has its result."""
    return not any(map(records.is_open, record.calls))


def reply(record: Record, name: str) -> Reply | None:
    """How the question, or the invocation, of this *name* ended."""
    for call in record.calls:
        invocation = call.invocation
        if invocation is None:
            continue
        outcome = _KINDS[type(call.result)] if isinstance(call, records.Settled) else None
        if invocation.id == name:
            return Reply(outcome)
        # An id that a policy has chosen may come back: the last answer is the one that counts.
        for said in reversed(invocation.resolutions):
            if said.interaction_id == name:
                return Reply(outcome, said.how, said.at, said.by)
    return None


_KINDS: Final[Mapping[type[records.Result], str]] = {
    records.CompletedResult: "completed",
    records.DeniedResult: "denied",
    records.FailedResult: "failed",
}
