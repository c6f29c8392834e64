"""Observers that follow attempts (V2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard

from msgspec import Struct

from .asking import Asking
from .events import Event, Observer
from .logs import fault
from .outcomes import Completed
from .results import ToolResult
from .sealing import Sealed
from .settlement import Attempted
from .validators import mask
from .values import fresh


class Beginning(Struct, frozen=True, eq=False):
    """An attempt whose handler is about to be entered."""

    event: Event
    description: str
    """Of the tool, as the model sees it."""
    args: Callable[[], Any]
    """Gives the arguments without sensitive values."""


class End(Struct, frozen=True, eq=False):
    """How an attempt ended."""

    kind: str
    """Of the outcome; `cancelled` where the host's task was."""
    code: str | None = None
    """Of a failure."""
    output: Callable[[], Any] | None = None
    """Gives the output of a completed call without sensitive values."""


class Tracer(Protocol):
    """An observer that also follows attempts, in the context in which their handlers run."""

    def __call__(self, event: Event, /) -> object:
        """As every observer."""
        ...

    def attempt(self, beginning: Beginning, /) -> Callable[[End], object]:
        """Called before the handler is entered; gives what is called when the attempt ends."""
        ...


_Ending: TypeAlias = Callable[[Attempted | None], None]


def tracers(observers: Sequence[Observer]) -> list[Tracer]:
    """Those of *observers* that follow attempts."""
    return [observer for observer in observers if is_tracer(observer)]


def is_tracer(observer: object) -> TypeGuard[Tracer]:
    """Whether it follows attempts."""
    return hasattr(observer, "attempt")


def begun(
    following: Sequence[Tracer], event: Event, sealed: Sealed
) -> Callable[[Attempted | None], None]:
    """Tell those *following* that an attempt begins; call what this gives at its end."""
    beginning = Beginning(
        event,
        sealed.tool.description,
        lambda: sealed.compiled.mask(fresh(sealed.text)),
    )
    endings: list[_Ending] = []
    for tracer in following:
        try:
            ending = tracer.attempt(beginning)
        except Exception as error:  # noqa: BLE001 - observers are strangers
            fault(error, "an observer failed")
        else:
            endings.insert(0, _guarded(ending, sealed))

    def end(attempt: Attempted | None) -> None:
        for ending in endings:
            ending(attempt)

    return end


def _guarded(end: Callable[[End], object], sealed: Sealed) -> _Ending:
    def ending(attempt: Attempted | None) -> None:
        try:
            end(_end(attempt, sealed))
        except Exception as error:  # noqa: BLE001 - observers are strangers
            fault(error, "an observer failed")

    return ending


def _end(attempt: Attempted | None, sealed: Sealed) -> End:
    if attempt is None:
        return End("cancelled")
    if not isinstance(attempt, ToolResult):
        return End("interaction-required" if isinstance(attempt, Asking) else "deferred")
    outcome = attempt.outcome
    if isinstance(outcome, Completed):
        secrets = mask(sealed.tool.contract.output)
        return End("completed", output=lambda: secrets(outcome.output))
    return End(attempt.kind, getattr(outcome, "code", None))
