"""One attempt of one call: enter the handler, and settle what comes out of it."""

from __future__ import annotations

from asyncio import CancelledError, Future
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from msgspec import Struct, to_builtins

from .context import Progressed, Scope, ToolExecutionContext
from .driving import Driver, Stray
from .events import Event, EventType, Observer, publish
from .plan import Batch
from .results import Progress, ToolResult
from .sealing import Sealed
from .settlement import Attempted, cancelled, internal, raised, settle
from .state import States
from .threads import threaded

THREADS: Final = 64
"""Synchronous handlers that run at once where no limit is set."""


class Settings(Struct, frozen=True, eq=False, kw_only=True):
    """What the attempts of one executor have in common."""

    limit: int | None
    timeout: float | None
    expose_errors: bool
    observers: Sequence[Observer]


def _nothing(_thread: Future[Any]) -> None:
    """Nobody needs to know about a thread where places are not counted."""


class Attempts:
    """Makes attempts under the settings of one executor."""

    def __init__(self, settings: Settings) -> None:
        self.states = States()
        self._settings = settings
        self._observers = settings.observers
        self._scopes: dict[str, Scope] = {}
        self._threads: ThreadPoolExecutor | None = None

    async def make(
        self,
        sealed: Sealed,
        batch: Batch,
        started: Callable[[Future[Any]], object] = _nothing,
    ) -> Attempted:
        """One attempt; *started* is told of the thread that a synchronous handler runs in."""
        if batch.signal.cancelled:
            return cancelled(sealed)
        try:
            args = sealed.typed()
        except Exception as error:  # noqa: BLE001 - the validator had accepted it (E8)
            return internal(sealed, error)
        context = self._context(sealed, batch)
        if self._observers:
            self._tell("tool.started", context, {})
        try:
            compiled = sealed.compiled
            handler: Coroutine[Any, Any, Any] = (
                self._thread(partial(compiled.execute, args, context), started)
                if compiled.threaded
                else compiled.execute(args, context)
            )
            try:
                waiting = handler.send(None)
            except StopIteration as done:
                outcome = done.value
            except CancelledError as error:
                raise Stray from error
            else:
                outcome = await self._driver(handler, sealed, batch).drive(waiting)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a tool's fault is a result
            attempt: Attempted = raised(sealed, error, expose=self._settings.expose_errors)
        else:
            attempt = settle(sealed, outcome)
        if self._observers:
            self._tell_end(context, attempt)
        return attempt

    def tell_pending(self, batch: Batch, progress: Progress) -> None:
        """Tell the observers which questions wait for an answer."""
        for pending in progress.pending:
            event = Event(
                type="interaction.required",
                session_id=batch.session_id,
                turn_id=batch.turn_id,
                step_id=batch.step_id,
                call_id=pending.call.call_id,
                tool_name=pending.call.tool_name,
                invocation_id=pending.invocation_id,
                data=pending.interaction.as_json(),
            )
            publish(self._observers, event)

    def close(self) -> None:
        """Start no more threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None

    def _thread(
        self, call: Callable[[], Any], started: Callable[[Future[Any]], object]
    ) -> Coroutine[Any, Any, Any]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(
                self._settings.limit or THREADS, thread_name_prefix="toolkiln"
            )
        return threaded(self._threads, call, started)

    def _driver(self, handler: Coroutine[Any, Any, Any], sealed: Sealed, batch: Batch) -> Driver:
        compiled = sealed.compiled
        driver = Driver(handler, batch.signal, patient=not compiled.threaded)
        if seconds := compiled.timeout or self._settings.timeout:
            driver.expire_after(seconds)
        if batch.linked:
            driver.watch()
        return driver

    def _context(self, sealed: Sealed, batch: Batch) -> ToolExecutionContext[Any, Any]:
        name = sealed.tool.name
        return ToolExecutionContext(
            batch.session_id,
            batch.turn_id,
            batch.step_id,
            sealed.call_id,
            sealed.invocation_id,
            batch.signal,
            None,
            None,
            self._scopes.get(name) or self._scope(sealed),
        )

    def _scope(self, sealed: Sealed) -> Scope:
        name = sealed.tool.name
        scope = Scope(name, sealed.tool.capability, self.states, self._progressed)
        self._scopes[name] = scope
        return scope

    def _progressed(self, context: ToolExecutionContext[Any, Any], progressed: Progressed) -> None:
        self._tell("tool.progress", context, to_builtins(progressed))

    def _tell_end(self, context: ToolExecutionContext[Any, Any], attempt: Attempted) -> None:
        if isinstance(attempt, ToolResult):
            code = getattr(attempt.outcome, "code", None)
            data = {"kind": attempt.kind} if code is None else {"kind": attempt.kind, "code": code}
            self._tell("tool.completed", context, data)

    def _tell(
        self, type_: EventType, context: ToolExecutionContext[Any, Any], data: dict[str, Any]
    ) -> None:
        event = Event(
            type=type_,
            session_id=context.session_id,
            turn_id=context.turn_id,
            step_id=context.step_id,
            call_id=context.call_id,
            tool_name=context.scope.tool_name,
            invocation_id=context.invocation_id,
            data=data,
        )
        publish(self._observers, event)
