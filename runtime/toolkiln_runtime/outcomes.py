"""What a handler returns and what a caller gets: distinct classes, told apart by class (E6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeAlias

from msgspec import Struct
from typing_extensions import TypeVar

Output_co = TypeVar("Output_co", covariant=True, default=Any)
Code_co = TypeVar("Code_co", bound=str, covariant=True, default=str)
Name_co = TypeVar("Name_co", bound=str, covariant=True, default=str)
Token_co = TypeVar("Token_co", covariant=True, default=Any)


RuntimeCode: TypeAlias = Literal[
    "capability.state.create-failed",
    "capability.state.undeclared",
    "interaction.expired",
    "interaction.invalid",
    "record.no-key",
    "tool.cancelled",
    "tool.duplicate-call-id",
    "tool.execution-failed",
    "tool.internal",
    "tool.invalid-arguments",
    "tool.invalid-call-id",
    "tool.invalid-output",
    "tool.invalid-token",
    "tool.invalid-tool-result",
    "tool.timeout",
    "tool.undeclared-deferral",
    "tool.undeclared-failure",
    "tool.undeclared-interaction",
    "tool.unknown",
]
"""The codes with which the runtime itself ends a call."""


class Completed(Struct, Generic[Output_co], frozen=True):
    """The tool did its work."""

    output: Output_co
    """A generated model, or strict JSON."""


class Denied(Struct, frozen=True):
    """The tool was not allowed to do its work."""

    reason: str


class Failed(Struct, Generic[Code_co], frozen=True):
    """The tool could not do its work."""

    code: Code_co
    message: str
    details: Any = None


class Choice(Struct, Generic[Output_co], frozen=True):
    """One of the answers that a question offers."""

    value: Output_co
    label: str


class Interaction(Struct, Generic[Name_co], frozen=True, kw_only=True):
    """A question to a person."""

    kind: Literal["approval", "response"]
    prompt: str = ""
    """Empty for a declared interaction: its contract has the prompt."""
    metadata: Any = None
    """A generated model or a JSON object."""
    id: str | None = None
    name: Name_co = ""  # type: ignore[assignment]
    """Of the declared interaction; "" for one that no contract declares."""
    choices: Sequence[Choice[Any]] = ()


class InteractionRequired(Struct, Generic[Name_co], frozen=True):
    """The tool cannot go on without an answer."""

    interaction: Interaction[Name_co]
    token: Any = None
    """What the handler gets back when it runs again: a generated model or strict JSON."""

    def __repr__(self) -> str:
        # Tokens stay out of logs, and of tracebacks that show values.
        return f"InteractionRequired({self.interaction.kind!r}, name={self.interaction.name!r})"


class Deferred(Struct, Generic[Token_co], frozen=True):
    """The tool will finish later; the host settles it."""

    token: Token_co = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Deferred()"


DeferredOutcome: TypeAlias = Deferred
ToolOutcome: TypeAlias = Completed | Denied | Failed | InteractionRequired | Deferred
