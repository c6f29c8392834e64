"""What goes into a batch and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec import Struct

from .contract import Contract
from .interactions import RequiredInteraction
from .outcomes import Completed, Denied, Failed
from .values import encode, fresh

T = TypeVar("T")
Settled: TypeAlias = Completed[Any] | Denied | Failed[str]
Status: TypeAlias = Literal["completed", "interaction-required", "deferred"]


class ToolCall(Struct, frozen=True):
    """A call as the model made it; nothing about it is taken for granted."""

    id: str | None
    name: str
    arguments: str | bytes | Mapping[str, Any]
    """JSON text, or what a provider's library has parsed."""

    def __repr__(self) -> str:
        return f"ToolCall(id={self.id!r}, name={self.name!r})"


class SealedToolCall(Struct, frozen=True):
    """A valid call. What it shows is what runs: each look at `args` gives a copy of its own."""

    call_id: str
    tool_name: str
    text: bytes
    """The arguments as sent: strict JSON."""

    @property
    def args(self) -> dict[str, Any]:
        """The arguments as sent, without defaults."""
        return cast("dict[str, Any]", fresh(self.text))

    def as_json(self) -> dict[str, Any]:
        """Its JSON form, sensitive arguments included."""
        return {"callId": self.call_id, "toolName": self.tool_name, "args": self.args}

    def __repr__(self) -> str:
        return f"SealedToolCall(call_id={self.call_id!r}, tool_name={self.tool_name!r})"


class ToolResult(Struct, frozen=True):
    """The end of one call."""

    call_id: str
    tool_name: str
    outcome: Settled
    requested_id: str | None = None
    """The id that the provider knows, where the call got another one (S1)."""
    edited_args: dict[str, Any] | None = None
    """The arguments that ran, without sensitive values, if a person changed them (P6)."""

    @property
    def kind(self) -> Literal["completed", "denied", "failed"]:
        """Which outcome it is."""
        return _KINDS[type(self.outcome)]

    def parse(self, output: type[T]) -> Completed[T] | Denied | Failed[str]:
        """The outcome with its output as an *output*: a generated model, or any other type.

        Raises pydantic's ValidationError if the output is something else.
        """
        outcome = self.outcome
        if not isinstance(outcome, Completed):
            return outcome
        read = _reader(cast("Any", output))
        return Completed(cast("T", read(outcome.output, by_alias=True, by_name=False)))

    def typed(
        self, contract: Contract, output: Any = None
    ) -> Completed[Any] | Denied | Failed[Any]:
        """The outcome of a call of the tool of *contract*, for the function that gives it its type.

        *output* is the type of outputs, None where they stay JSON. Raises ValueError if the result
        is one of another tool.
        """
        if not self.tool_name.endswith((contract.name, *contract.formerly)):
            raise ValueError(f"This is no result of {contract.name}, but of {self.tool_name}.")
        return self.outcome if output is None else self.parse(output)

    def as_json(self) -> dict[str, Any]:
        """Its JSON form: camel case, with the outcome's `kind` and fields beside the ids."""
        outcome = self.outcome
        form: dict[str, Any] = {"callId": self.call_id, "toolName": self.tool_name}
        if self.requested_id is not None:
            form["requestedId"] = self.requested_id
        if self.edited_args is not None:
            form["editedArgs"] = self.edited_args
        if isinstance(outcome, Completed):
            form["kind"] = "completed"
            form["output"] = outcome.output
        elif isinstance(outcome, Denied):
            form["kind"] = "denied"
            form["reason"] = outcome.reason
        else:
            form["kind"] = "failed"
            form["code"] = outcome.code
            form["message"] = outcome.message
            if outcome.details is not None:
                form["details"] = outcome.details
        return form

    def to_json(self) -> bytes:
        """Compact JSON text of the result."""
        return encode(self.as_json())

    def __repr__(self) -> str:
        code = f", code={self.outcome.code!r}" if isinstance(self.outcome, Failed) else ""
        return f"ToolResult(call_id={self.call_id!r}, kind={self.kind!r}{code})"


_KINDS: dict[type, Literal["completed", "denied", "failed"]] = {
    Completed: "completed",
    Denied: "denied",
    Failed: "failed",
}


@cache
def _reader(output: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(output).validate_python


class PendingInteraction(Struct, frozen=True, eq=False):
    """A call that waits for a person."""

    call: SealedToolCall
    invocation_id: str
    interaction: RequiredInteraction
    gate: bool
    """Whether nothing of the call has run yet."""
    masked: dict[str, Any]
    """The arguments without sensitive values."""
    plan_id: str = ""
    session_id: str = ""
    expires_at: float | None = None
    """In seconds since the epoch: from then on no answer is taken."""
    blocked: str | None = None
    """The code with which every reply is rejected (R2); `settle` and `cancel` end the call."""

    def as_json(self) -> dict[str, Any]:
        """Its JSON form, without sensitive values."""
        return {
            "callId": self.call.call_id,
            "toolName": self.call.tool_name,
            "args": self.masked,
            "invocationId": self.invocation_id,
            "gate": self.gate,
            "interaction": self.interaction.as_json(),
            "planId": self.plan_id,
            "sessionId": self.session_id,
            **({} if self.expires_at is None else {"expiresAt": self.expires_at}),
            **({} if self.blocked is None else {"blocked": self.blocked}),
        }

    def __repr__(self) -> str:
        return f"PendingInteraction({self.call!r}, id={self.interaction.id!r})"


class DeferredCall(Struct, frozen=True, eq=False):
    """A call that the host settles later."""

    call: SealedToolCall
    invocation_id: str
    token: Any
    """What the handler left for the host; in no JSON form, and in no log."""

    def as_json(self) -> dict[str, Any]:
        """Its JSON form, without the token."""
        return {
            "callId": self.call.call_id,
            "toolName": self.call.tool_name,
            "invocationId": self.invocation_id,
        }

    def __repr__(self) -> str:
        return f"DeferredCall({self.call!r}, invocation_id={self.invocation_id!r})"


class UnfinishedCall(Struct, frozen=True, eq=False):
    """A call that has neither a result nor a question, and is not deferred."""

    call: SealedToolCall
    invocation_id: str
    state: Literal["waiting", "running", "uncertain", "blocked"]
    """`waiting` for the gates of other calls; `running` in some process; `uncertain`: its worker
    died, and what it has done is not known (R3); `blocked`: its tool is gone or has changed (R2).
    The latter two end by `settle` or `cancel` only."""

    def as_json(self) -> dict[str, Any]:
        """Its JSON form."""
        return {
            "callId": self.call.call_id,
            "toolName": self.call.tool_name,
            "invocationId": self.invocation_id,
            "state": self.state,
        }

    def __repr__(self) -> str:
        return f"UnfinishedCall({self.call!r}, state={self.state!r})"


class Progress(Struct, frozen=True, eq=False):
    """How far a batch is; everything stands in the order of the calls."""

    status: Status
    """`deferred` also while nothing is asked and a call is unfinished."""
    results: tuple[ToolResult, ...]
    pending: tuple[PendingInteraction, ...] = ()
    deferred: tuple[DeferredCall, ...] = ()
    unfinished: tuple[UnfinishedCall, ...] = ()
    plan_id: str | None = None
    """Of the record; None if none was needed, or if this is about several plans."""

    def as_json(self) -> dict[str, Any]:
        """Its JSON form."""
        return {
            "status": self.status,
            "results": [result.as_json() for result in self.results],
            "pending": [pending.as_json() for pending in self.pending],
            "deferred": [deferred.as_json() for deferred in self.deferred],
            "unfinished": [unfinished.as_json() for unfinished in self.unfinished],
            "planId": self.plan_id,
        }

    def to_json(self) -> bytes:
        """Compact JSON text of it."""
        return encode(self.as_json())
