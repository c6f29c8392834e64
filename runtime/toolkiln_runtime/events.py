"""What observers are told once it is a fact (V1); no event carries arguments or tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .logs import fault

EventType: TypeAlias = Literal[
    "tool.started",
    "tool.progress",
    "tool.completed",
    "interaction.required",
]


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened to one call."""

    type: EventType
    session_id: str
    turn_id: str
    step_id: str
    call_id: str
    tool_name: str
    invocation_id: str
    data: dict[str, Any]
    """JSON: the outcome's kind and code, the interaction, or how far the work is."""


Observer: TypeAlias = Callable[[Event], object]


def publish(observers: Sequence[Observer], event: Event) -> None:
    """Tell all *observers*; one that fails harms nobody."""
    for observer in observers:
        try:
            observer(event)
        except Exception as error:  # noqa: BLE001 - observers are strangers
            fault(error, "an observer failed")
