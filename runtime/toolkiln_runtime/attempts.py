"""One attempt of one call: enter the handler, and settle what comes out of it."""

from __future__ import annotations

from asyncio import CancelledError, Future
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from msgspec import Struct, to_builtins

from .compiled import is_async
from .context import Progressed, Scope, ToolExecutionContext, ToolExecutionResume
from .driving import Driver, Stray
from .events import Event, Observer, event, publish
from .logs import fault
from .plan import Batch
from .sealing import Sealed
from .settlement import Attempted, cancelled, internal, raised, settle
from .state import States
from .threads import threaded
from .tracing import Tracer, begun, tracers

THREADS: Final = 64
"""Synchronous handlers that run at once where no limit is set."""

Started = Callable[[Future[Any]], object]


class Settings(Struct, frozen=True, eq=False, kw_only=True):
    """What the attempts of one executor have in common."""

    limit: int | None
    timeout: float | None
    expose_errors: bool
    observers: Sequence[Observer]


def _nothing(_thread: Future[Any]) -> None:
    """Nobody needs to know about a thread where places are not counted."""


def _unobserved(_attempt: Attempted | None) -> None:
    """Nobody cares how an attempt ends."""


class Attempts:
    """Makes attempts under the settings of one executor."""

    def __init__(self, settings: Settings) -> None:
        self.states = States()
        self._settings = settings
        self._observers = settings.observers
        self._tracers: Sequence[Tracer] = tracers(settings.observers)
        self._scopes: dict[str, Scope] = {}
        self._threads: ThreadPoolExecutor | None = None

    async def make(self, sealed: Sealed, batch: Batch, started: Started = _nothing) -> Attempted:
        """One attempt; *started* is told of the thread that a synchronous handler runs in."""
        if batch.signal.cancelled:
            return cancelled(sealed)
        try:
            args = sealed.typed()
            resume = None if sealed.resume is None else sealed.resumed()
        except Exception as error:  # noqa: BLE001 - the validator had accepted it (E8)
            return internal(sealed, error)
        context = self._context(sealed, batch, resume)
        end = self._begun(sealed, batch) if self._observers else _unobserved
        execute = sealed.compiled.execute
        if sealed.compiled.threaded:
            execute = partial(self._thread, execute, started)
        try:
            handler: Coroutine[Any, Any, Any] = execute(args, context)
            # Not a coroutine of its own, as in `_awaited`: that would cost a tenth of a call.
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
        except BaseException:
            end(None)
            raise
        else:
            attempt = settle(sealed, outcome)
        end(attempt)
        return attempt

    async def release(self, sealed: Sealed, batch: Batch) -> None:
        """Have what the token of a refused question stands for released (P4)."""
        refused = sealed.tool.core.refused
        if refused is None:
            return
        try:
            resume = sealed.resumed()
            context = self._context(sealed, batch, resume)
            call = refused if is_async(refused) else partial(self._thread, refused, _nothing)
            handler = call(context, None if resume is None else resume.token)
            await self._awaited(handler, sealed, batch)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the call stays denied
            fault(error, "what handles refusals of tool %s failed", sealed.tool.name)

    def tell(self, events: Iterable[Event]) -> None:
        """Tell the observers."""
        for told in events:
            publish(self._observers, told)

    def close(self) -> None:
        """Start no more threads."""
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None

    async def _awaited(
        self, handler: Coroutine[Any, Any, Any], sealed: Sealed, batch: Batch
    ) -> None:
        try:
            waiting = handler.send(None)
        except StopIteration:
            return
        except CancelledError as error:
            raise Stray from error
        await self._driver(handler, sealed, batch).drive(waiting)

    def _driver(self, handler: Coroutine[Any, Any, Any], sealed: Sealed, batch: Batch) -> Driver:
        compiled = sealed.compiled
        driver = Driver(handler, batch.signal, patient=not compiled.threaded)
        if seconds := compiled.timeout or self._settings.timeout:
            driver.expire_after(seconds)
        if batch.linked:
            driver.watch()
        return driver

    def _begun(self, sealed: Sealed, batch: Batch) -> Callable[[Attempted | None], None]:
        """Tell that an attempt begins; gives what is called at its end."""
        call = sealed.call_id, sealed.tool.name, sealed.invocation_id
        told = event("tool.started", batch, call, {})
        publish(self._observers, told)
        return begun(self._tracers, told, sealed) if self._tracers else _unobserved

    def _thread(
        self, execute: Callable[..., Any], started: Started, *args: Any
    ) -> Coroutine[Any, Any, Any]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(
                self._settings.limit or THREADS, thread_name_prefix="toolkiln"
            )
        return threaded(self._threads, partial(execute, *args), started)

    def _context(
        self, sealed: Sealed, batch: Batch, resume: ToolExecutionResume[Any, Any] | None
    ) -> ToolExecutionContext[Any, Any]:
        return ToolExecutionContext(
            batch.session_id,
            batch.turn_id,
            batch.step_id,
            sealed.call_id,
            sealed.invocation_id,
            batch.signal,
            resume,
            sealed.granted,
            self._scopes.get(sealed.tool.name) or self._scope(sealed),
        )

    def _scope(self, sealed: Sealed) -> Scope:
        name = sealed.tool.name
        scope = Scope(name, sealed.tool.capability, self.states, self._progressed)
        self._scopes[name] = scope
        return scope

    def _progressed(self, context: ToolExecutionContext[Any, Any], progressed: Progressed) -> None:
        call = context.call_id, context.scope.tool_name, context.invocation_id
        publish(self._observers, event("tool.progress", context, call, to_builtins(progressed)))
