"""Cancellation of the host's call, as handlers see it (C3)."""

from __future__ import annotations

from asyncio import Future, get_running_loop
from collections.abc import Callable


class Signal:
    """Fires once. It can be polled from any thread, awaited, and handed on."""

    cancelled = False
    # Most signals are never watched, and one is made for every batch: so it starts without any.
    _watchers: dict[Callable[[], None], None] | None = None

    def cancel(self) -> None:
        """Fire; from any thread, any number of times."""
        self.cancelled = True
        while self._watchers:
            self._watchers.popitem()[0]()

    def watch(self, call: Callable[[], None]) -> None:
        """Have *call* made when the signal fires, in the thread that fires it."""
        if self._watchers is None:
            self._watchers = {}
        self._watchers[call] = None
        if self.cancelled:
            self.cancel()

    def unwatch(self, call: Callable[[], None]) -> None:
        """Undo a `watch`."""
        if self._watchers is not None:
            self._watchers.pop(call, None)

    async def wait(self) -> None:
        """Return when the signal fires."""
        loop = get_running_loop()
        fired: Future[None] = loop.create_future()

        def wake() -> None:
            loop.call_soon_threadsafe(_finish, fired)

        self.watch(wake)
        try:
            await fired
        finally:
            self.unwatch(wake)


def _finish(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
