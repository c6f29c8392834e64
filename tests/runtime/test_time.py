from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from toolkiln_runtime import (
    Catalog,
    Completed,
    Executor,
    Signal,
    ToolCall,
    ToolExecutionContext,
    ToolSlot,
    driving,
)

from .kit import IDS, declared, executor, once, outcome, plain, returns, run


async def sleeps(args: dict[str, Any], _context: object) -> Completed[str]:
    await asyncio.sleep(args.get("seconds", 30))
    return Completed("slept")


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "GRACE", 0.05)


def calls(count: int, arguments: Any = "{}") -> list[ToolCall]:
    return [ToolCall(f"c{i}", "t", arguments) for i in range(count)]


@pytest.mark.parametrize("count", [1, 3])
async def test_E3_a_timeout_is_a_result(count: int) -> None:
    start = time.monotonic()
    progress = await run(declared(sleeps, timeout=0.02), *calls(count))
    assert {outcome(result)["code"] for result in progress.results} == {"tool.timeout"}
    assert time.monotonic() - start < 5


async def test_E3_the_executor_has_a_timeout_for_tools_that_set_none() -> None:
    assert outcome(await once(plain(sleeps), timeout=0.02))["code"] == "tool.timeout"
    quick = declared(sleeps, timeout=5.0)
    assert (await once(quick, {"seconds": 0.05}, timeout=0.01)).kind == "completed"


async def test_E3_a_timeout_that_the_handler_raises_itself_is_its_own() -> None:
    async def handler(_args: Any, _context: object) -> None:
        raise TimeoutError

    assert outcome(await once(declared(handler, timeout=5.0)))["code"] == "tool.execution-failed"


async def test_E3_a_handler_may_clean_up_after_its_timeout() -> None:
    cleaned = []

    async def handler(_args: Any, _context: object) -> Completed[None]:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(1)
        return Completed(None)

    assert outcome(await once(declared(handler, timeout=0.02)))["code"] == "tool.timeout"
    assert cleaned == [1]


async def stubborn(_args: Any, _context: object) -> Completed[None]:
    while True:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.usefixtures("short_grace")
async def test_E9_a_handler_that_will_not_end_is_left_after_the_grace(count: int) -> None:
    start = time.monotonic()
    progress = await run(declared(stubborn, timeout=0.02), *calls(count))
    assert {outcome(result)["code"] for result in progress.results} == {"tool.timeout"}
    assert time.monotonic() - start < 5
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_task_that_was_timed_out_works_on() -> None:
    await once(declared(sleeps, timeout=0.01))
    await asyncio.sleep(0.01)
    assert (await once(declared(sleeps, timeout=5.0), {"seconds": 0.01})).kind == "completed"


async def test_a_timeout_of_the_host_around_run_is_the_host_s() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await run(declared(sleeps, timeout=5.0), *calls(1))


async def test_a_handler_may_use_timeouts_and_tasks_of_its_own() -> None:
    async def handler(_args: Any, _context: object) -> Completed[int]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(30)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(asyncio.sleep(0.01, 3))
        return Completed(task.result())

    for definition in (plain(handler), declared(handler, timeout=5.0)):
        assert outcome(await once(definition))["output"] == 3


# --- sync handlers


async def test_E7_sync_handlers_run_in_a_worker_thread() -> None:
    threads = []

    def handler(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        threads.append(threading.current_thread())
        return Completed(context.call_id)

    progress = await run(plain(handler), *calls(3))
    assert [outcome(result)["output"] for result in progress.results] == ["c0", "c1", "c2"]
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration(), SystemExit(1)])
async def test_E7_a_sync_handler_that_raises_fails(error: BaseException) -> None:
    def handler(_args: Any, _context: object) -> None:
        raise error

    assert outcome(await once(plain(handler)))["code"] == "tool.execution-failed"


async def test_E7_a_sync_handler_may_return_an_awaitable() -> None:
    async def later() -> Completed[int]:
        await asyncio.sleep(0)
        return Completed(3)

    assert outcome(await once(plain(lambda _args, _context: later())))["output"] == 3


async def test_E7_a_timeout_ends_the_call_and_the_place_stays_taken() -> None:
    release = threading.Event()
    entered = []

    def handler(args: dict[str, Any], _context: object) -> Completed[None]:
        entered.append(args["n"])
        if args["n"] == 0:
            release.wait(10)
        return Completed(None)

    runner = executor(declared(handler, timeout=0.05), limit=1)
    try:
        first = await runner.run([ToolCall("a", "t", {"n": 0})], **IDS)
        assert outcome(first.results[0])["code"] == "tool.timeout"
        second = asyncio.create_task(runner.run([ToolCall("b", "t", {"n": 1})], **IDS))
        await asyncio.sleep(0.1)
        assert entered == [0]
    finally:
        release.set()
    assert (await second).results[0].kind == "completed"
    assert entered == [0, 1]
    await runner.close()


async def test_E7_a_late_result_is_dropped_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    release = threading.Event()

    def handler(_args: Any, _context: object) -> Completed[None]:
        release.wait(10)
        return Completed(None)

    result = await once(declared(handler, timeout=0.02))
    release.set()
    await asyncio.sleep(0.1)
    assert outcome(result)["code"] == "tool.timeout"
    assert "too late" in caplog.text


# --- limit


@pytest.mark.parametrize("kind", ["async", "sync"])
async def test_E2_a_thousand_calls_keep_to_a_limit_of_eight(kind: str) -> None:
    lock = threading.Lock()
    running = most = 0

    def enter(step: int) -> None:
        nonlocal running, most
        with lock:
            running += step
            most = max(most, running)

    async def asynchronous(args: dict[str, Any], _context: object) -> Completed[int]:
        enter(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        enter(-1)
        return Completed(args["n"])

    def synchronous(args: dict[str, Any], _context: object) -> Completed[int]:
        enter(1)
        time.sleep(0.0001)
        enter(-1)
        return Completed(args["n"])

    runner = executor(plain(asynchronous if kind == "async" else synchronous), limit=8)
    batch = [ToolCall(f"c{n}", "t", {"n": n}) for n in range(1_000)]
    progress = await runner.run(batch, **IDS)
    assert [outcome(result)["output"] for result in progress.results] == list(range(1_000))
    assert 2 <= most <= 8
    await runner.close()


def test_an_executor_works_in_one_event_loop_after_another() -> None:
    runner = executor(plain(sleeps), limit=1)

    async def main() -> int:
        return len((await runner.run(calls(3, {"seconds": 0}), **IDS)).results)

    assert [asyncio.run(main()), asyncio.run(main())] == [3, 3]


# --- cancellation


async def cancelled_run(
    make: Callable[[list[str]], Any], count: int, **facts: Any
) -> tuple[list[str], float]:
    """Start calls, cancel the host's task, and give what the handlers wrote down."""
    written: list[str] = []
    task = asyncio.create_task(run(declared(make(written), **facts), *calls(count)))
    await asyncio.sleep(0.03)
    start = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return written, time.monotonic() - start


@pytest.mark.parametrize("seconds", [None, 30.0])
@pytest.mark.parametrize("count", [1, 3])
async def test_E9_cancelling_sets_the_signal_and_waits_for_handlers(
    count: int, seconds: float | None
) -> None:
    def make(written: list[str]) -> Any:
        async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                written.append(f"signal {context.signal.cancelled}")
                await asyncio.sleep(0.02)
                written.append("cleaned")
                raise
            return Completed(None)

        return handler

    written, _ = await cancelled_run(make, count, timeout=seconds)
    assert sorted(written) == ["cleaned"] * count + ["signal True"] * count


@pytest.mark.parametrize("count", [1, 3])
async def test_E9_a_handler_that_swallows_the_cancellation_does_not_undo_it(count: int) -> None:
    def make(_written: list[str]) -> Any:
        async def handler(_args: Any, _context: object) -> Completed[None]:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(30)
            return Completed(None)

        return handler

    _, seconds = await cancelled_run(make, count)
    assert seconds < 30


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.usefixtures("short_grace")
async def test_E9_the_grace_bounds_how_long_a_cancellation_takes(count: int) -> None:
    _, seconds = await cancelled_run(lambda _written: stubborn, count)
    assert seconds < 5


async def test_E9_a_sync_handler_is_waited_for_and_can_poll_the_signal() -> None:
    def make(written: list[str]) -> Any:
        def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
            while not context.signal.cancelled:
                time.sleep(0.001)
            written.append("saw it")
            return Completed(None)

        return handler

    written, _ = await cancelled_run(make, 1)
    assert written == ["saw it"]


@pytest.mark.parametrize("count", [1, 3])
async def test_E9_a_cancelled_error_that_nobody_asked_for_is_a_failure(count: int) -> None:
    async def at_once(_args: Any, _context: object) -> None:
        raise asyncio.CancelledError

    async def inside(_args: Any, _context: object) -> None:
        task = asyncio.ensure_future(asyncio.sleep(30))
        asyncio.get_running_loop().call_later(0.01, task.cancel)
        await task

    for handler in (at_once, inside):
        for facts in ({}, {"timeout": 30.0}):
            progress = await run(declared(handler, **facts), *calls(count))
            codes = {outcome(result)["code"] for result in progress.results}
            assert codes == {"tool.execution-failed"}


async def test_E9_calls_that_wait_for_a_place_are_cancelled_too() -> None:
    runner = executor(plain(sleeps), limit=1)
    task = asyncio.create_task(runner.run(calls(5), **IDS))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    progress = await runner.run(calls(2, {"seconds": 0}), **IDS)
    assert [result.kind for result in progress.results] == ["completed", "completed"]


@pytest.mark.parametrize("count", [1, 2])
async def test_C3_the_host_s_signal_ends_what_still_runs(count: int) -> None:
    signal = Signal()
    finished = []

    async def handler(args: dict[str, Any], context: ToolExecutionContext) -> Completed[str]:
        if args["n"] == 1:
            await context.signal.wait()
            finished.append(1)
            return Completed("noticed")
        await asyncio.sleep(30)
        return Completed("slept")

    batch = [ToolCall("a", "t", {"n": 0}), ToolCall("b", "t", {"n": 1})][:count]
    asyncio.get_running_loop().call_later(0.02, signal.cancel)
    progress = await executor(plain(handler)).run(batch, **IDS, signal=signal)
    assert outcome(progress.results[0])["code"] == "tool.cancelled"


async def test_C3_a_result_that_was_reached_although_the_signal_fired_is_kept() -> None:
    signal = Signal()

    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            assert context.signal.cancelled
        return Completed("done anyway")

    asyncio.get_running_loop().call_later(0.02, signal.cancel)
    progress = await executor(plain(handler)).run(calls(1), **IDS, signal=signal)
    assert outcome(progress.results[0]) == {"kind": "completed", "output": "done anyway"}


async def test_C3_nothing_starts_after_the_signal() -> None:
    signal = Signal()
    signal.cancel()
    progress = await executor(plain(returns(Completed(1)))).run(calls(2), **IDS, signal=signal)
    assert {outcome(result)["code"] for result in progress.results} == {"tool.cancelled"}


async def test_C3_a_signal_can_be_fired_from_a_thread_and_awaited() -> None:
    signal = Signal()
    threading.Timer(0.02, signal.cancel).start()
    await asyncio.wait_for(signal.wait(), 5)
    await asyncio.wait_for(signal.wait(), 5)
    assert signal.cancelled


async def test_C3_runs_leave_nothing_behind_on_the_host_s_signal() -> None:
    signal = Signal()
    runner = Executor(Catalog([ToolSlot("ns", [plain()])]))
    for _ in range(3):
        await runner.run(calls(2), **IDS, signal=signal)
    assert not signal._watchers
