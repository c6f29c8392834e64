"""Whether a person is asked before a call runs (S1.6, S4). What cannot be decided asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

from .contract import Approval, Path
from .definition import BoundToolDefinition
from .logs import log
from .outcomes import Denied, Interaction
from .results import SealedToolCall
from .validators import InvalidSchema, linear
from .values import fresh, is_object


class PolicyRequest(Struct, frozen=True, eq=False):
    """What a host's policy decides about."""

    call: SealedToolCall
    tool: BoundToolDefinition
    args: dict[str, Any]
    """A copy of the arguments with the declared defaults filled in."""
    session_id: str
    turn_id: str
    step_id: str

    def __repr__(self) -> str:
        return f"PolicyRequest({self.call!r})"


Verdict: TypeAlias = Denied | Interaction[str] | None
"""Refuse, ask for an approval, or let it go."""
Policy: TypeAlias = Callable[[PolicyRequest], Verdict | Awaitable[Verdict]]

Test: TypeAlias = tuple[Path, Callable[[Any], bool]]


class Gate(Struct, frozen=True, eq=False):
    """A contract's approval, ready to be tested."""

    approval: Approval
    conditions: tuple[tuple[Test, ...], ...]

    def asks(self, args: Any) -> bool:
        """Whether calls with these arguments, defaults filled in, need an approval."""
        if not self.conditions:
            return True
        try:
            return any(
                all(_holds(test, path, args) for path, test in condition)
                for condition in self.conditions
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody may run the tool for it
            log.debug("a condition could not be evaluated", exc_info=error)
            return True


def gate(approval: Approval) -> Gate:
    """Compile the conditions of *approval*."""
    return Gate(
        approval,
        tuple(
            tuple((test.path, _test(test.schema)) for test in condition)
            for condition in approval.conditions
        ),
    )


def _test(source: str) -> Callable[[Any], bool]:
    try:
        return linear(fresh(source.encode()))
    except (InvalidSchema, ValueError) as error:
        log.debug("a condition could not be compiled", exc_info=error)
        return _always


def _always(_value: Any) -> bool:
    return True


def _holds(test: Callable[[Any], bool], path: Path, value: Any) -> bool:
    for key in path:
        if not is_object(value) or key not in value:
            return True
        value = value[key]
    return test(value)
