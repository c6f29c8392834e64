"""Runs batches of calls (N2)."""

from __future__ import annotations

from asyncio import (
    AbstractEventLoop,
    CancelledError,
    Future,
    Semaphore,
    Task,
    current_task,
    get_running_loop,
    wait,
)
from collections.abc import Iterable, Sequence
from typing import Any, cast

from .attempts import Attempts, Settings
from .catalog import Catalog
from .events import Observer
from .gates import Policy
from .plan import Batch, gated, has_gates, report, waiting
from .results import Progress, ToolCall, ToolResult
from .sealing import Entry, Sealed, seal
from .settlement import Attempted, raised
from .signals import Signal


class Executor:
    """Runs the calls of a catalog's tools.

    *policy* refuses calls or asks for approvals; several are asked in their order. *limit* bounds
    the calls that run at once, *timeout* (seconds) the attempts of tools that set none.
    *expose_errors* puts the text of exceptions into results. *observers* are told events.
    """

    def __init__(  # noqa: PLR0913 - the settings of a host, all of them optional
        self,
        catalog: Catalog,
        *,
        policy: Policy | Sequence[Policy] = (),
        limit: int | None = None,
        timeout: float | None = None,
        expose_errors: bool = False,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.catalog = catalog
        self._policies: tuple[Policy, ...] = (policy,) if callable(policy) else tuple(policy)
        self._limit = limit
        self._observers = bool(observers)
        self._attempts = Attempts(
            Settings(
                limit=limit,
                timeout=timeout,
                expose_errors=expose_errors,
                observers=tuple(observers),
            )
        )
        self._places: tuple[AbstractEventLoop, Semaphore] | None = None
        self._perform = self._attempts.make if limit is None else self._placed

    async def run(
        self,
        calls: Iterable[ToolCall],
        *,
        session_id: str,
        turn_id: str,
        step_id: str,
        signal: Signal | None = None,
    ) -> Progress:
        """Seal the batch and run it; every call gets exactly one result, in the calls' order.

        Nothing of it runs while a gate is open. Raises nothing but CancelledError, where the
        caller's task is cancelled; *signal* ends what still runs as `tool.cancelled`.
        """
        batch = Batch(session_id, turn_id, step_id, Signal(), signal is not None)
        entries = seal(self.catalog, list(calls))
        if self._policies or has_gates(entries):
            entries = await gated(entries, self._policies, batch)
            if (blocked := waiting(entries)) is not None:
                self._attempts.tell_pending(batch, blocked)
                return blocked
        if signal is not None:
            signal.watch(batch.signal.cancel)
        try:
            attempts = await self._attempted(entries, batch)
        finally:
            if signal is not None:
                signal.unwatch(batch.signal.cancel)
        progress = report(attempts)
        if self._observers:
            self._attempts.tell_pending(batch, progress)
        return progress

    async def end_session(self, session_id: str) -> None:
        """Dispose the states of a session."""
        await self._attempts.states.end(session_id)

    async def close(self) -> None:
        """Dispose all states, and start no more threads."""
        await self._attempts.states.end_all()
        self._attempts.close()

    async def _attempted(self, entries: list[Entry], batch: Batch) -> list[Attempted]:
        executable = [entry for entry in entries if type(entry) is Sealed]
        if len(executable) == 1:
            # In place: a task would cost more than the call.
            attempts = [await self._perform(executable[0], batch)]
        else:
            attempts = await self._together(executable, batch)
        if len(attempts) == len(entries):
            return attempts
        following = iter(attempts)
        return [entry if isinstance(entry, ToolResult) else next(following) for entry in entries]

    async def _together(self, executable: list[Sealed], batch: Batch) -> list[Attempted]:
        loop, me = get_running_loop(), cast("Task[Any]", current_task())
        before = me.cancelling()
        tasks = [loop.create_task(self._perform(sealed, batch)) for sealed in executable]
        attempts: list[Attempted] = []
        for sealed, task in zip(executable, tasks, strict=True):
            try:
                attempts.append(await task)
            except CancelledError as error:
                if me.cancelling() > before:
                    batch.signal.cancel()
                    for other in tasks:
                        other.cancel()
                    # Each task ends within the grace that its handler is given.
                    await wait(tasks)
                    raise
                attempts.append(raised(sealed, error, expose=False))
        return attempts

    async def _placed(self, sealed: Sealed, batch: Batch) -> Attempted:
        """An attempt that waits until one of the limited places is free."""
        places = self._semaphore()
        await places.acquire()
        thread: list[Future[Any]] = []
        try:
            return await self._attempts.make(sealed, batch, thread.append)
        finally:
            if thread and not thread[0].done():
                thread[0].add_done_callback(lambda _future: places.release())
            else:
                places.release()

    def _semaphore(self) -> Semaphore:
        loop = get_running_loop()
        if self._places is None or self._places[0] is not loop:
            self._places = loop, Semaphore(cast("int", self._limit))
        return self._places[1]
