"""One step of a plan: what changes in its record, and what is told about it.

Steps are made in memory and written at once, so that a rejected or lost one changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from . import records
from .events import Event, EventType, ended, event
from .interactions import RequiredInteraction
from .protection import Protected
from .recording import settled
from .records import Asking, Call, Deferred, Gated, How, Invocation, Open, Record, Resolution
from .stores import Change, Lease

EXPIRED: Final = records.FailedResult(
    code="interaction.expired",
    message="No answer came in time. Make the call again if it is still wanted.",
)
CANCELLED: Final = records.FailedResult(code="tool.cancelled", message="The call was cancelled.")


class Reply(Struct, frozen=True, kw_only=True):
    """What is kept of an answer."""

    how: How
    by: str | None = None
    reason: str | None = None
    value: Protected | None = None


_EXPIRY: Final = Reply(how="expired")


class Step:
    """The next revision of a record."""

    def __init__(self, before: Record, now: float) -> None:
        """What has expired by *now* is settled in it from the start (P7)."""
        self.before = before
        self.now = now
        self.calls: list[Call] = list(before.calls)
        self.lease: Lease | None = None
        self.released: tuple[str, ...] = ()
        self._events: list[tuple[EventType, Call, dict[str, Any]]] = []
        for index, call in enumerate(before.calls):
            until = records.deadline(call)
            if until is not None and until <= now:
                self.settle(index, EXPIRED, _EXPIRY)

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return self.before.revision == 0 or any(
            new is not old for new, old in zip(self.calls, self.before.calls, strict=True)
        )

    @property
    def record(self) -> Record:
        """The record after the step."""
        return replace(self.before, revision=self.before.revision + 1, calls=tuple(self.calls))

    def change(self) -> Change:
        """The step as a store takes it."""
        record = self.record
        was = () if self.before.revision == 0 else _questions(self.before.calls)
        now = self.questions()
        invocations = (call.invocation for call in self.calls if call.invocation is not None)
        deadlines = map(records.deadline, self.calls)
        return Change(
            plan_id=record.id,
            revision=record.revision,
            document=records.dump(record),
            session_id=record.session_id,
            invocations=tuple(i.id for i in invocations) if record.revision == 1 else (),
            opened=tuple(name for name in now if name not in was),
            closed=tuple(name for name in was if name not in now),
            due=min((until for until in deadlines if until is not None), default=None),
            ended=None if any(map(records.is_open, self.calls)) else self.now,
            lease=self.lease,
            released=self.released,
        )

    def questions(self) -> list[str]:
        """The ids of all that is asked."""
        return _questions(self.calls)

    def events(self) -> list[Event]:
        """What observers are told once the step is written."""
        return [event(type_, self.before, names(call), data) for type_, call, data in self._events]

    def put(self, index: int, call: Call) -> None:
        """Replace a call by what it has become."""
        self.calls[index] = call
        if isinstance(call, records.Settled):
            self._tell("tool.completed", call, _end(call.result))
        elif isinstance(call, Deferred):
            self._tell("tool.deferred", call, {})
        elif isinstance(call, Gated | Asking):
            self._tell("interaction.required", call, required(call.question).as_json())

    def settle(self, index: int, result: records.Result, reply: Reply | None = None) -> None:
        """End a call; *reply* is what became of a question that it waits for."""
        call = self.open(index)
        if reply is not None and isinstance(call, Gated | Asking):
            call = self.answered(call, reply)
        self.put(index, settled(call, result))

    def answered(self, call: Gated | Asking, reply: Reply) -> Open:
        """*call* with the answer among what is known of it."""
        asked = call.question
        resolution = Resolution(
            interaction_id=asked.id,
            kind=asked.kind,
            gate=isinstance(call, Gated),
            how=reply.how,
            at=self.now,
            by=reply.by,
            reason=reply.reason,
            value=reply.value,
        )
        data: dict[str, Any] = {"id": asked.id, "kind": asked.kind, "how": reply.how}
        if reply.by is not None:
            data["by"] = reply.by
        self._tell("interaction.resolved", call, data)
        invocation = call.invocation
        resolutions = (*invocation.resolutions, resolution)
        return replace(call, invocation=replace(invocation, resolutions=resolutions))

    def open(self, index: int) -> Open:
        """The call there, which must have no result."""
        call = self.calls[index]
        if isinstance(call, records.Settled):
            raise TypeError("a settled call does not change")
        return call

    def tell_sealed(self) -> None:
        """Have observers told about every call, before anything else."""
        told: list[tuple[EventType, Call, dict[str, Any]]] = [
            ("tool.sealed", call, _sealed(call)) for call in self.calls
        ]
        self._events[:0] = told

    def _tell(self, type_: EventType, call: Call, data: dict[str, Any]) -> None:
        self._events.append((type_, call, data))


def required(question: records.Question) -> RequiredInteraction:
    """A recorded question as people see it."""
    return RequiredInteraction(
        id=question.id, kind=question.kind, prompt=question.prompt, metadata=question.metadata
    )


def names(call: Call) -> tuple[str, str, str]:
    """The ids of a call, for events."""
    invocation: Invocation | None = call.invocation
    return call.call_id, call.tool_name, "" if invocation is None else invocation.id


def _questions(calls: Sequence[Call]) -> list[str]:
    return [asked.id for call in calls if (asked := records.question(call)) is not None]


def _sealed(call: Call) -> dict[str, Any]:
    return _end(call.result) if isinstance(call, records.Settled) else {"kind": "executable"}


def _end(result: records.Result) -> dict[str, Any]:
    match result:
        case records.CompletedResult():
            return ended("completed", None)
        case records.DeniedResult():
            return ended("denied", None)
        case records.FailedResult(code=code):
            return ended("failed", code)
