"""Runs one handler inside the task that asks for it: with a deadline, without a task of its own.

A task for each call, or a timeout context around it, costs more than everything else that is done
for a call. So the handler's coroutine is stepped by hand, and nothing is armed before it waits
for the first time.
"""

from __future__ import annotations

from asyncio import (
    CancelledError,
    Task,
    TimerHandle,
    current_task,
)
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any, Final, cast

from .logs import log
from .signals import Signal

GRACE: Final = 5.0
"""Seconds that a handler has to clean up after it was interrupted (E9)."""


class Expired(Exception):  # noqa: N818 - a finding; handlers raise TimeoutError on their own
    """The attempt took too long."""


class Interrupted(Exception):  # noqa: N818 - a finding
    """The signal fired, and the handler ended without a result."""


class Stray(Exception):  # noqa: N818 - a finding
    """The handler raised a CancelledError that nobody had asked for (E9)."""


class Driver:
    """Drives a handler that has suspended for the first time."""

    _deadline: TimerHandle | None = None
    _grace: TimerHandle | None = None
    _own = 0
    """Cancellations of the task that came from here and have not arrived yet."""
    _expired = _interrupted = _left = _ended = _watching = False

    def __init__(self, handler: Coroutine[Any, Any, Any], signal: Signal, *, patient: bool) -> None:
        """Without patience the handler is left as soon as its time is over."""
        self._handler = handler
        self._signal = signal
        self._patient = patient
        self._task = cast("Task[Any]", current_task())
        self._cancelled_before = self._task.cancelling()

    def expire_after(self, seconds: float) -> None:
        """Interrupt the handler then."""
        self._deadline = self._task.get_loop().call_later(seconds, self._expire)

    def watch(self) -> None:
        """Interrupt the handler when the signal fires."""
        self._watching = True
        self._signal.watch(self._fired)

    @coroutine
    def drive(self, waiting: Any) -> Generator[Any, Any, Any]:
        """What the handler returns, which now waits for *waiting*.

        Raises Expired, Interrupted, Stray, or CancelledError where the host's task was cancelled.
        """
        try:
            value = yield from self._steps(waiting)
        except BaseException as error:
            self._raise_reason()
            if self._interrupted:
                raise Interrupted from None
            if isinstance(error, CancelledError):
                raise Stray from error
            raise
        finally:
            self._end()
        self._raise_reason()
        return value

    def _end(self) -> None:
        self._ended = True
        if self._watching:
            self._signal.unwatch(self._fired)
        if self._deadline is not None:
            self._deadline.cancel()
        if self._grace is not None:
            self._grace.cancel()

    def _steps(self, waiting: Any) -> Generator[Any, Any, Any]:
        handler = self._handler
        try:
            while True:
                try:
                    sent = yield waiting
                except CancelledError as error:
                    self._arrived()
                    if self._left:
                        self._leave()
                        return None
                    waiting = handler.throw(error)
                except BaseException as error:  # noqa: BLE001 - it belongs to the handler
                    waiting = handler.throw(error)
                else:
                    waiting = handler.send(sent)
        except StopIteration as done:
            return done.value

    def _host_cancelled(self) -> bool:
        return self._task.cancelling() > self._cancelled_before + self._own

    def _arrived(self) -> None:
        """Take note of a cancellation, and of whose it is."""
        for _ in range(self._own):
            self._task.uncancel()
        self._own = 0
        if self._host_cancelled():
            self._signal.unwatch(self._fired)
            self._signal.cancel()
        elif not (self._expired or self._interrupted):
            return
        if self._expired and not self._patient:
            self._left = True
        elif self._grace is None:
            self._grace = self._task.get_loop().call_later(GRACE, self._give_up)

    def _cancel(self) -> None:
        self._own += 1
        self._task.cancel()

    def _expire(self) -> None:
        self._expired = True
        self._cancel()

    def _fired(self) -> None:
        self._task.get_loop().call_soon_threadsafe(self._interrupt)

    def _interrupt(self) -> None:
        if not (self._ended or self._expired or self._left):
            self._interrupted = True
            self._cancel()

    def _give_up(self) -> None:
        self._left = True
        self._cancel()

    def _leave(self) -> None:
        try:
            self._handler.close()
        except RuntimeError:
            log.warning("a handler did not end when it was told to")

    def _raise_reason(self) -> None:
        if self._host_cancelled():
            raise CancelledError
        if self._expired:
            raise Expired
        if self._interrupted and self._left:
            raise Interrupted
