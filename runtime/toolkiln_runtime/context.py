"""What a handler gets to know about its call (C1)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Generic, Literal

from msgspec import Struct
from typing_extensions import TypeVar

from .signals import Signal
from .state import Capability, States

State_co = TypeVar("State_co", covariant=True, default=Any)
Resume_co = TypeVar("Resume_co", covariant=True, default=Any)
Value_co = TypeVar("Value_co", covariant=True, default=Any)
Token_co = TypeVar("Token_co", covariant=True, default=Any)

_log = logging.getLogger("toolkiln_runtime.tools")


class ToolExecutionResume(Struct, Generic[Value_co, Token_co], frozen=True, kw_only=True):
    """The answer to a question that the handler asked."""

    interaction_id: str
    kind: Literal["approval", "response"]
    approved: bool | None = None
    """True for an approval; a refused one does not come back to the handler."""
    value: Value_co = None  # type: ignore[assignment]
    """The response."""
    token: Token_co = None  # type: ignore[assignment]
    """What the handler left behind when it asked."""

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}(interaction_id={self.interaction_id!r}, kind={self.kind!r})"


class Scope(Struct, frozen=True, eq=False):
    """What is the same for every call of a tool in one batch."""

    tool_name: str
    capability: Capability[Any] | None
    states: States
    report: Callable[[ToolExecutionContext[Any, Any], Progressed], None]


class Progressed(Struct, frozen=True):
    """How far a handler says it is."""

    done: float
    total: float | None
    message: str | None


class ToolExecutionContext(Struct, Generic[State_co, Resume_co], frozen=True, eq=False):
    """One attempt of one call."""

    session_id: str
    turn_id: str
    step_id: str
    call_id: str
    invocation_id: str
    """The same for every attempt of the call: the key for idempotent effects."""
    signal: Signal
    """Fires when the host's call is cancelled."""
    resume: Resume_co
    """The answer, when the call runs again after a question of the handler; else None."""
    gate: ToolExecutionResume[None, None] | None
    """The approval that let the call start, where one was needed."""
    scope: Scope

    @property
    def state(self) -> Awaitable[State_co]:
        """The session's state, made when it is first awaited."""
        return self.scope.states.get(self.session_id, self.scope.capability)

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger whose records carry the ids of the call."""
        return _CallLogger(
            _log,
            {
                "tool_name": self.scope.tool_name,
                "session_id": self.session_id,
                "turn_id": self.turn_id,
                "step_id": self.step_id,
                "call_id": self.call_id,
                "invocation_id": self.invocation_id,
            },
        )

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the observers how far the work is."""
        self.scope.report(self, Progressed(done, total, message))

    def __repr__(self) -> str:
        return (
            f"ToolExecutionContext(tool={self.scope.tool_name!r}, call_id={self.call_id!r}, "
            f"invocation_id={self.invocation_id!r})"
        )


class _CallLogger(logging.LoggerAdapter[logging.Logger]):
    """Adds the ids to what the caller's own `extra` says."""

    def process(
        self, msg: object, kwargs: MutableMapping[str, Any]
    ) -> tuple[object, MutableMapping[str, Any]]:
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs
