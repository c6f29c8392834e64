"""A plan as a versioned JSON document (R1): what survives a restart, and travels.

The schema of the document is published as `record.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from .failures import ToolError
from .protection import Protected
from .values import is_object

FORMAT: Final = 1
"""Raised when a reader of the old format would misread a document."""

Id: TypeAlias = Annotated[str, Meta(min_length=1)]


class Part(
    Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    rename="camel",
):
    """Part of a record."""


class Owner(Part, frozen=True, kw_only=True):
    """Where the tool came from."""

    middleware_id: str
    slot: str


class Question(Part, frozen=True, kw_only=True):
    """What a person is asked."""

    id: str
    kind: Literal["approval", "response"]
    prompt: str
    metadata: dict[str, Any] | None = None
    name: str = ""
    """Of the declared interaction; "" for one that no contract declares, and for gates."""
    choices: Protected | None = None
    """A list of the values that may be answered; None if any valid one may."""
    expires_at: float | None = None


How: TypeAlias = Literal["approved", "refused", "answered", "expired", "cancelled", "settled"]


class Resolution(Part, frozen=True, kw_only=True):
    """How a question ended."""

    interaction_id: Id
    kind: Literal["approval", "response"]
    gate: bool
    how: How
    at: float
    by: str | None = None
    reason: str | None = None
    value: Protected | None = None
    """The response."""


class Invocation(Part, frozen=True, kw_only=True):
    """A call that was sealed: what every attempt of it has in common."""

    id: str
    owner: Owner
    wire_digest: str
    args: Protected
    edited: bool = False
    """Whether a person changed the arguments."""
    resolutions: tuple[Resolution, ...] = ()
    """Of all its questions, in their order."""


class CompletedResult(Part, tag_field="kind", tag="completed", frozen=True, kw_only=True):
    """The tool did its work."""

    output: Protected


class DeniedResult(Part, tag_field="kind", tag="denied", frozen=True, kw_only=True):
    """The tool was not allowed to do its work."""

    reason: str


class FailedResult(Part, tag_field="kind", tag="failed", frozen=True, kw_only=True):
    """The tool could not do its work."""

    code: str
    message: str
    details: Protected | None = None


Result: TypeAlias = CompletedResult | DeniedResult | FailedResult


class Entry(Part, tag_field="status", frozen=True, kw_only=True):
    """One call of the plan."""

    call_id: str
    tool_name: str
    requested_id: str | None = None


class Settled(Entry, tag="settled", frozen=True, kw_only=True):
    """The call has its result."""

    result: Result
    invocation: Invocation | None = None
    """None if the call was settled at sealing."""


class Gated(Entry, tag="gated", frozen=True, kw_only=True):
    """Nothing of the call has run: it waits for an approval."""

    invocation: Invocation
    question: Question


class Ready(Entry, tag="ready", frozen=True, kw_only=True):
    """Nothing of the call has run: it waits for the gates of others."""

    invocation: Invocation


class Started(Entry, tag="started", frozen=True, kw_only=True):
    """A worker is at it, or has died."""

    invocation: Invocation
    claim: Id
    """Whose lease tells which of the two."""


class Asking(Entry, tag="asking", frozen=True, kw_only=True):
    """The handler asked, and will run again with the answer."""

    invocation: Invocation
    question: Question
    token: Protected | None = None


class Deferred(Entry, tag="deferred", frozen=True, kw_only=True):
    """The host settles the call later."""

    invocation: Invocation
    token: Protected | None = None
    expires_at: float | None = None


Call: TypeAlias = Settled | Gated | Ready | Started | Asking | Deferred
Open: TypeAlias = Gated | Ready | Started | Asking | Deferred
"""A call without a result."""


class Record(Part, frozen=True, kw_only=True):
    """A plan: one batch of model calls."""

    version: int
    id: Id
    revision: int
    """Counts the steps that were written."""
    session_id: str
    turn_id: str
    step_id: str
    calls: tuple[Call, ...]
    """In the order in which the model made them."""


class _Head(Struct):
    version: int


_record: Final = msgspec.json.Decoder(Record)
_head: Final = msgspec.json.Decoder(_Head)
_encode: Final = msgspec.json.Encoder().encode


def dump(record: Record) -> bytes:
    """The document of *record*."""
    return _encode(record)


def load(document: bytes) -> Record:
    """The record of *document*.

    Raises ToolError `record.newer` for a format to come, and `record.invalid` for everything that
    no executor of this one has written.
    """
    try:
        version = _head.decode(document).version
        if version > FORMAT:
            raise ToolError("record.newer", f"The record has the newer format {version}.")
        record = _record.decode(document)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        # The decoder's own words may quote the document.
        raise invalid("it does not have the form of one") from None
    for problem in _contradictions(record):
        raise invalid(problem)
    return record


def invalid(why: str) -> ToolError:
    """The refusal of a document; *why* holds nothing from it."""
    return ToolError("record.invalid", f"The record is not valid: {why}.")


def is_open(call: Call) -> bool:
    """Whether *call* has no result."""
    return not isinstance(call, Settled)


def question(call: Call) -> Question | None:
    """What *call* waits for an answer to."""
    return call.question if isinstance(call, Gated | Asking) else None


def deadline(call: Call) -> float | None:
    """When *call* expires, in seconds since the epoch."""
    if isinstance(call, Deferred):
        return call.expires_at
    asked = question(call)
    return None if asked is None else asked.expires_at


def _contradictions(record: Record) -> Iterator[str]:
    calls = record.calls
    invocations = [call.invocation for call in calls if call.invocation is not None]
    questions = [asked for call in calls if (asked := question(call)) is not None]
    if record.version != FORMAT or record.revision < 1:
        yield "its version or revision is none"
    for what, ids in (
        ("plan", [record.id]),
        ("call", [call.call_id for call in calls]),
        ("invocation", [invocation.id for invocation in invocations]),
        ("question", [asked.id for asked in questions]),
    ):
        if not all(ids) or len(set(ids)) < len(ids):
            yield f"the id of a {what} is empty or used twice"
    gated = any(isinstance(call, Gated) for call in calls)
    if gated and any(isinstance(call, Started | Asking | Deferred) for call in calls):
        yield "a call has run before a gate was answered"
    for call in calls:
        yield from _in_call(call)
    for invocation in invocations:
        yield from _in_invocation(invocation)


def _in_call(call: Call) -> Iterator[str]:
    asked, until = question(call), deadline(call)
    if until is not None and not isfinite(until):
        yield "a deadline is no time"
    if isinstance(call, Gated) and call.question.kind != "approval":
        yield "a gate is no approval"
    if asked is not None and asked.choices is not None and asked.kind != "response":
        yield "an approval has choices"
    if isinstance(call, Started) and not call.claim:
        yield "a call was started by nobody"
    if isinstance(call, Gated | Ready) and any(not s.gate for s in call.invocation.resolutions):
        yield "a call that has not run has asked"


def _in_invocation(invocation: Invocation) -> Iterator[str]:
    if not is_object(invocation.args.shown):
        yield "arguments are no object"
    for said in invocation.resolutions:
        if not isfinite(said.at):
            yield "a reply came at no time"
        if (said.how == "answered") != (said.value is not None):
            yield "an answer is missing, or is none"
        if said.value is not None and said.kind != "response":
            yield "an approval was answered with a value"
        if said.gate and said.kind != "approval":
            yield "a gate was no approval"
    if invocation.edited and not any(said.gate for said in invocation.resolutions):
        yield "arguments were changed where nobody was asked"
