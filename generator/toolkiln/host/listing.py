"""What the store knows of calls that wait, and of those that do not any more."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

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

    how: How
    at: float
    """In seconds since the epoch."""
    by: str | None
    outcome: str | None
    """`completed`, `denied` or `failed`; None while the call has no result."""


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
    """How the question, or else the last one of the invocation, of this *name* ended."""
    for call in record.calls:
        invocation = call.invocation
        if invocation is None:
            continue
        said = [
            each for each in invocation.resolutions if name in {each.interaction_id, invocation.id}
        ]
        if said:
            result = call.result if isinstance(call, records.Settled) else None
            last = max(said, key=lambda each: each.at)
            return Reply(last.how, last.at, last.by, _kind(result))
    return None


def _kind(result: records.Result | None) -> str | None:
    match result:
        case None:
            return None
        case records.CompletedResult():
            return "completed"
        case records.DeniedResult():
            return "denied"
        case records.FailedResult():
            return "failed"
