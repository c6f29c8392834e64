"""Attempts side by side (E2)."""

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
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeAlias, cast

from .attempts import Attempts
from .plan import Batch
from .sealing import Sealed
from .settlement import Attempted, raised

Done: TypeAlias = Callable[[Sealed, Attempted], Awaitable[None]]
"""Called in the task of each attempt when that has ended."""


class Runner:
    """Runs the calls of batches, at most *limit* of all of them at once."""

    def __init__(self, attempts: Attempts, limit: int | None) -> None:
        self._attempts = attempts
        self._limit = limit
        self._places: tuple[AbstractEventLoop, Semaphore] | None = None
        self.perform: Callable[[Sealed, Batch], Coroutine[Any, Any, Attempted]] = (
            attempts.make if limit is None else self._placed
        )
        """Makes one attempt, when there is a place for it."""

    async def run(
        self, calls: Sequence[Sealed], batch: Batch, done: Done | None = None
    ) -> list[Attempted]:
        """One attempt of each call; all are awaited, whatever becomes of the others.

        Raises CancelledError where the host's task is cancelled, and what *done* raises.
        """
        if len(calls) == 1:
            # In place: a task would cost more than the call.
            if done is None:
                return [await self.perform(calls[0], batch)]
            return [await self._finished(calls[0], batch, done)]
        loop, me = get_running_loop(), cast("Task[Any]", current_task())
        before = me.cancelling()
        tasks = [
            loop.create_task(
                self.perform(sealed, batch) if done is None else self._finished(sealed, batch, done)
            )
            for sealed in calls
        ]
        attempts: list[Attempted] = []
        failure: Exception | None = None
        for sealed, task in zip(calls, tasks, strict=True):
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
            except Exception as error:  # noqa: BLE001 - raised again when all have ended
                failure = failure or error
        if failure is not None:
            raise failure
        return attempts

    async def _finished(self, sealed: Sealed, batch: Batch, done: Done) -> Attempted:
        attempt = await self.perform(sealed, batch)
        await done(sealed, attempt)
        return attempt

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
