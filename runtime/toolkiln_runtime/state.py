"""State of a session that the tools of one capability share (C2)."""

from __future__ import annotations

import inspect
from asyncio import CancelledError, Future, get_running_loop, shield
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, overload

from msgspec import Struct
from typing_extensions import TypeVar

from .failures import ToolError
from .logs import fault, log

S = TypeVar("S", default=Any)


class Session(Struct, frozen=True):
    """The session that a state is made for."""

    id: str


class Capability(Struct, Generic[S], frozen=True, eq=False):
    """What makes the state of a session, and what ends it; both may be coroutine functions."""

    id: str
    create: Callable[[Session], S | Awaitable[S]]
    dispose: Callable[[S], object] | None = None

    if TYPE_CHECKING:
        # Of one signature for both, type checkers would take the coroutine itself for the state.
        @overload
        def __init__(
            self,
            id: str,
            create: Callable[[Session], Awaitable[S]],
            dispose: Callable[[S], object] | None = None,
        ) -> None: ...
        @overload
        def __init__(
            self,
            id: str,
            create: Callable[[Session], S],
            dispose: Callable[[S], object] | None = None,
        ) -> None: ...
        def __init__(
            self,
            id: str,  # noqa: A002 - the name of the field
            create: Any,
            dispose: Callable[[S], object] | None = None,
        ) -> None: ...


Key: TypeAlias = tuple[str, str]


class States:
    """The states of all sessions: each made at most once, when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[Key, tuple[Capability[Any], Future[Any]]] = {}

    async def get(self, session_id: str, capability: Capability[Any] | None) -> Any:
        """The state; raises ToolError where none is declared or its factory failed."""
        if capability is None:
            raise ToolError("capability.state.undeclared", "This tool has no state.")
        key = (session_id, capability.id)
        found = self._made.get(key)
        if found is None:
            task = get_running_loop().create_task(_create(capability, Session(session_id)))
            found = self._made[key] = (capability, task)
        # One caller's cancellation must not take the state from the others.
        return await shield(found[1])

    async def end(self, session_id: str) -> None:
        """Dispose what was made for the session, the latest first."""
        mine = [key for key in self._made if key[0] == session_id]
        for key in reversed(mine):
            capability, task = self._made.pop(key)
            await _dispose(capability, task)

    async def end_all(self) -> None:
        """End every session."""
        for session_id in dict.fromkeys(key[0] for key in reversed(self._made)):
            await self.end(session_id)


async def _create(capability: Capability[Any], session: Session) -> Any:
    try:
        state = capability.create(session)
        return await state if inspect.isawaitable(state) else state
    except Exception as error:  # noqa: BLE001 - a factory may raise anything
        log.debug("capability %s could not make its state", capability.id, exc_info=error)
        raise ToolError(
            "capability.state.create-failed", f"The state of {capability.id} could not be made."
        ) from None


async def _dispose(capability: Capability[Any], task: Future[Any]) -> None:
    try:
        state = await task
    except (ToolError, CancelledError):
        return
    if capability.dispose is None:
        return
    try:
        done = capability.dispose(state)
        if inspect.isawaitable(done):
            await done
    except Exception as error:  # noqa: BLE001 - the other states must be disposed all the same
        fault(error, "capability %s could not dispose its state", capability.id)
