"""What observers are told once it is a fact (V1); no event carries arguments or tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from .logs import fault

EventType: TypeAlias = Literal[
    "tool.sealed",
    "tool.started",
    "tool.progress",
    "tool.completed",
    "tool.deferred",
    "interaction.required",
    "interaction.resolved",
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


class Where(Protocol):
    """Whatever has the ids of a batch."""

    @property
    def session_id(self) -> str: ...
    @property
    def turn_id(self) -> str: ...
    @property
    def step_id(self) -> str: ...


def event(
    type_: EventType, where: Where, call: tuple[str, str, str], data: dict[str, Any]
) -> Event:
    """What happened to the *call*, given by its id, its tool's name and its invocation id."""
    call_id, tool_name, invocation_id = call
    return Event(
        type=type_,
        session_id=where.session_id,
        turn_id=where.turn_id,
        step_id=where.step_id,
        call_id=call_id,
        tool_name=tool_name,
        invocation_id=invocation_id,
        data=data,
    )


def ended(kind: str, code: str | None) -> dict[str, Any]:
    """What an event says about the end of a call or of an attempt."""
    return {"kind": kind} if code is None else {"kind": kind, "code": code}


Observer: TypeAlias = Callable[[Event], object]


def publish(observers: Sequence[Observer], event: Event) -> None:
    """Tell all *observers*; one that fails harms nobody."""
    for observer in observers:
        try:
            observer(event)
        except Exception as error:  # noqa: BLE001 - observers are strangers
            fault(error, "an observer failed")
