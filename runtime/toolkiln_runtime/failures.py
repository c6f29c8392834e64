"""Exceptions with a stable code (N3): texts may change, codes do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import Progress, ToolResult


class ToolFailure(Exception):  # noqa: N818 - the name is part of the public interface
    """Raised by a handler: the call ends as `Failed` with this code (E3)."""

    def __init__(self, code: str, message: str = "", details: Any = None) -> None:
        """*details* is a model or strict JSON; what does not fit its schema is dropped."""
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class ToolError(Exception):
    """Raised by the runtime when it refuses a definition, a catalog, a reply or a request."""

    progress: Progress | None = None
    """How far the plan is, where a reply came too late."""
    result: ToolResult | None = None
    """What is recorded for the call, where it had been settled before."""

    def __init__(self, code: str, message: str) -> None:
        """*code* has a dot; *message* never holds a value that came from a model."""
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"
