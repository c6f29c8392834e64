"""Synchronous handlers, run in worker threads (E7)."""

from __future__ import annotations

import inspect
from asyncio import CancelledError, Future, get_running_loop, shield
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, cast

from .logs import log


async def threaded(
    pool: ThreadPoolExecutor,
    call: Callable[[], Any],
    started: Callable[[Future[Any]], object],
) -> Any:
    """What *call* returns, or what the awaitable gives that it returns.

    *started* is told the future of the thread, which outlives an attempt that is left.
    """
    work = partial(cast("Any", copy_context().run), _guarded, call)
    future: Future[Any] = get_running_loop().run_in_executor(pool, work)
    started(future)
    try:
        value = await shield(future)
    except CancelledError:
        if future.done():
            raise
        # A thread cannot be stopped: whoever cancelled waits for it, for as long as he likes.
        value = await shield(future)
    except GeneratorExit:
        future.add_done_callback(_late)
        raise
    return await value if inspect.isawaitable(value) else value


def _guarded(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except StopIteration as error:
        # No future can hold this one: its waiter would wait for ever.
        raise RuntimeError("the handler raised StopIteration") from error


def _late(future: Future[Any]) -> None:
    if not future.cancelled():
        log.warning("the result of a synchronous handler came too late and is dropped")
        log.debug("it had failed", exc_info=future.exception())
