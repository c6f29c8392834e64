"""With a store: what is written when, and what is left of a process that died (R3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolkiln_runtime import (
    Completed,
    Deferred,
    Event,
    Progress,
    ToolCall,
    ToolExecutionContext,
    records,
)
from toolkiln_runtime.contract import Approval, Deferral, Question
from toolkiln_runtime.stores import Change, Stale

from .durable import Crash, Hosts
from .kit import IDS, declared, outcome, plain, schema
from .test_replies import Tool, asking, asks, ids, kinds, rejected, start

GATE = Approval(prompt=("?",))


def statuses(change: Change) -> list[str]:
    return [type(call).__name__.lower() for call in records.load(change.document).calls]


async def test_R3_a_call_is_started_in_the_record_before_its_handler_is_entered() -> None:
    hosts, seen = Hosts(), []

    async def handler(_args: Any, _context: object) -> Completed[None]:
        seen.append([statuses(change) for change in hosts.store.written])
        return Completed(None)

    progress = await start(hosts.open(plain(handler)), "t")
    assert progress.status == "completed"
    assert seen == [[["started"]]]
    assert [statuses(change) for change in hosts.store.written] == [["started"], ["settled"]]
    assert [change.revision for change in hosts.store.written] == [1, 2]
    assert hosts.store.written[0].lease is not None
    assert hosts.store.written[1].released == (hosts.store.written[0].lease.claim,)
    assert hosts.store.written[1].ended == hosts.clock()


async def test_R3_nothing_runs_that_could_not_be_written_down() -> None:
    hosts, tool = Hosts(), Tool()

    def fails(_change: Change) -> None:
        raise OSError("disk full")

    hosts.store.before = fails
    with pytest.raises(OSError, match="disk full"):
        await start(hosts.open(plain(tool)), "t")
    assert not tool.args


async def test_R3_ids_are_handed_out_after_their_record() -> None:
    hosts, events = Hosts(), []
    known: list[Any] = []

    def note(event: Event) -> None:
        events.append(event)
        known.append(hosts.store.texts().count(str(event.data.get("id"))))

    _, definition = asking(asks(), approval=GATE)
    runner = hosts.open(definition, observers=[note])
    progress = await start(runner, "t")
    await runner.approve(*ids(progress), approved=True)
    told = [count for count, event in zip(known, events, strict=True) if "id" in event.data]
    assert len(told) == 3
    assert all(told)


async def test_R3_the_reply_that_closes_the_last_gate_starts_the_batch_in_that_step() -> None:
    hosts = Hosts()
    runner = hosts.open(declared(Tool(), approval=GATE), plain(Tool(), "free"))
    progress = await start(runner, "t", "free", "t")
    for name in ids(progress):
        await runner.approve(name, approved=True)
    assert [statuses(change) for change in hosts.store.written[:3]] == [
        ["gated", "ready", "gated"],
        ["ready", "ready", "gated"],
        ["started", "started", "started"],
    ]
    assert hosts.store.written[2].lease is not None


async def test_R3_of_many_replies_in_many_processes_one_claims() -> None:
    hosts, tools = Hosts(), []

    def process() -> Any:
        tool, definition = asking()
        tools.append(tool)
        return hosts.open(definition)

    _, definition = asking(asks())
    (name,) = ids(await start(hosts.open(definition), "t"))
    replies = [process().approve(name, approved=True) for _ in range(20)]
    ends = await asyncio.gather(*replies, return_exceptions=True)
    errors = [end for end in ends if isinstance(end, BaseException)]
    assert {getattr(error, "code", error) for error in errors} == {"interaction.answered"}
    assert len(errors) == 19
    assert sum(len(tool.args) for tool in tools) == 1


async def test_R3_a_recorded_result_is_returned_after_a_crash() -> None:
    hosts = Hosts()
    tool, definition = asking(asks(), Completed("done"))
    runner = hosts.open(definition)
    progress = await start(runner, "t")
    (name,) = ids(progress)

    def dies(change: Change) -> None:
        if statuses(change) == ["settled"]:
            raise Crash

    hosts.store.after = dies
    with pytest.raises(Crash):
        await runner.approve(name, approved=True)
    hosts.store.after = lambda _change: None
    other, definition = asking()
    restarted = hosts.open(definition)
    error = await rejected(restarted.approve(name, approved=True))
    assert error.code == "interaction.answered"
    assert error.progress is not None
    assert outcome(error.progress.results[0])["output"] == "done"
    assert (await restarted.progress(progress.plan_id or "")).status == "completed"
    assert (len(tool.args), len(other.args)) == (2, 0)


async def died(hosts: Hosts, *names: str) -> tuple[Progress, Any, Tool]:
    """What a process leaves behind that died while it ran calls; a fresh one, and its tool."""
    entered, never = asyncio.Event(), asyncio.Event()

    async def handler(_args: Any, _context: object) -> Completed[None]:
        entered.set()
        await never.wait()
        return Completed(None)

    runner = hosts.open(declared(handler, deferred=Deferral()))
    task = asyncio.create_task(start(runner, *names))
    await entered.wait()

    def gone(_change: Change) -> None:
        raise Crash

    # The task is thrown away, and can write nothing any more.
    hosts.store.before = gone
    task.cancel()
    await asyncio.wait([task])
    assert isinstance(task.exception(), Crash)
    hosts.store.before = lambda _change: None
    tool = Tool()
    restarted = hosts.open(declared(tool, deferred=Deferral()))
    (progress,) = await restarted.unended("ses")
    return progress, restarted, tool


async def test_R3_what_a_dead_worker_had_started_is_uncertain_when_its_lease_has_run_out() -> None:
    hosts = Hosts()
    progress, runner, tool = await died(hosts, "t")
    assert [call.state for call in progress.unfinished] == ["running"]
    name = progress.unfinished[0].invocation_id
    error = await rejected(runner.settle(name, Completed(1)))
    assert error.code == "invocation.running"
    assert (await rejected(runner.cancel(invocation_id=name))).code == "invocation.running"
    hosts.clock.advance(59.9)
    assert [p.unfinished[0].state for p in await runner.unended()] == ["running"]
    hosts.clock.advance(0.1)
    assert [p.unfinished[0].state for p in await runner.unended()] == ["uncertain"]
    assert (await runner.expire()).status == "completed"
    assert [p.unfinished[0].state for p in await runner.unended()] == ["uncertain"]
    progress = await runner.settle(name, Completed(1))
    assert kinds(progress) == ["c0 completed"]
    assert not tool.args


@pytest.mark.parametrize("alone", [True, False])
async def test_R3_what_is_uncertain_ends_by_cancel_too(alone: bool) -> None:
    hosts = Hosts()
    progress, runner, tool = await died(hosts, "t", "t")
    hosts.clock.advance(60)
    if alone:
        for call in progress.unfinished:
            progress = await runner.cancel(invocation_id=call.invocation_id)
    else:
        progress = await runner.cancel(plan_id=progress.plan_id)
    assert {outcome(result)["code"] for result in progress.results} == {"tool.cancelled"}
    assert not tool.args


async def test_R3_siblings_end_before_a_store_that_failed_is_told_of() -> None:
    hosts, ended = Hosts(), []
    release = asyncio.Event()

    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        if context.call_id == "c1":
            await release.wait()
        ended.append(context.call_id)
        return Completed(context.invocation_id)

    def fails(change: Change) -> None:
        if change.revision > 1:
            release.set()
            raise OSError("gone")

    hosts.store.before = fails
    with pytest.raises(OSError, match="gone"):
        await start(hosts.open(plain(handler)), "t", "t")
    assert ended == ["c0", "c1"]


async def test_R3_a_store_that_fails_once_loses_nothing() -> None:
    hosts, failures = Hosts(), [OSError("gone")]

    def fails(change: Change) -> None:
        if change.revision > 1 and failures:
            raise failures.pop()

    hosts.store.before = fails
    progress = await start(hosts.open(plain()), "t")
    assert progress.status == "completed"
    assert hosts.store.last().revision == 2


async def test_R3_a_commit_that_was_made_although_it_failed_changes_nothing() -> None:
    hosts, failures = Hosts(), [OSError("connection lost")]

    def fails(change: Change) -> None:
        if change.revision > 1 and failures:
            raise failures.pop()

    hosts.store.after = fails
    tool = Tool()
    progress = await start(hosts.open(plain(tool)), "t")
    assert kinds(progress) == ["c0 completed"]
    assert len(tool.args) == 1


async def test_R3_results_that_come_together_share_a_step() -> None:
    hosts = Hosts()
    progress = await start(hosts.open(plain(limitless())), *["t"] * 100)
    assert len(progress.results) == 100
    assert len(hosts.store.written) < 10
    assert [outcome(result)["output"] for result in progress.results] == [
        f"c{number}" for number in range(100)
    ]


def limitless() -> Any:
    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        await asyncio.sleep(0)
        return Completed(context.call_id)

    return handler


async def test_R3_a_lease_is_renewed_while_a_handler_works() -> None:
    hosts, renewed = Hosts(lease=0.003), asyncio.Event()
    renew = hosts.store.renew
    count = 0

    async def counted(*lease: Any) -> bool:
        nonlocal count
        count += 1
        if count == 1:
            raise OSError("gone")
        if count == 4:
            renewed.set()
        return await renew(*lease)

    hosts.store.renew = counted  # type: ignore[method-assign]

    async def handler(_args: Any, _context: object) -> Completed[None]:
        await renewed.wait()
        return Completed(None)

    assert (await start(hosts.open(plain(handler)), "t")).status == "completed"
    stored = await hosts.store.load(hosts.store.written[0].plan_id)
    assert stored is not None
    assert stored.leases == {}


async def test_P8_a_call_that_is_cancelled_elsewhere_is_interrupted_when_its_lease_is_renewed() -> (
    None
):
    hosts, entered, left = Hosts(lease=0.003), asyncio.Event(), []

    async def handler(_args: Any, _context: object) -> Completed[None]:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.append(1)
        return Completed(None)

    task = asyncio.create_task(start(hosts.open(plain(handler)), "t"))
    await entered.wait()
    other = hosts.open(plain())
    (progress,) = await other.unended()
    await other.cancel(plan_id=progress.plan_id)
    assert kinds(await task) == ["c0 failed"]
    assert left == [1]


async def test_R3_a_result_that_comes_after_the_call_was_settled_is_dropped_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hosts, entered, release = Hosts(), asyncio.Event(), asyncio.Event()

    async def handler(_args: Any, _context: object) -> Completed[str]:
        entered.set()
        await release.wait()
        return Completed("late")

    task = asyncio.create_task(start(hosts.open(plain(handler)), "t"))
    await entered.wait()
    hosts.clock.advance(60)
    other = hosts.open(plain())
    (progress,) = await other.unended()
    await other.settle(progress.unfinished[0].invocation_id, Completed("settled"))
    release.set()
    assert outcome((await task).results[0])["output"] == "settled"
    assert "too late" in caplog.text


async def test_E9_a_cancelled_run_is_recorded_as_cancelled_with_what_had_ended() -> None:
    hosts, entered = Hosts(), asyncio.Event()

    async def handler(_args: Any, context: ToolExecutionContext) -> Any:
        if context.call_id == "c0":
            return Completed("done")
        if context.call_id == "c1":
            return asks()
        entered.set()
        await asyncio.Event().wait()
        return None

    question = {"ask": Question(kind="approval", prompt=("?",))}
    runner = hosts.open(declared(handler, interactions=question))
    task = asyncio.create_task(start(runner, "t", "t", "t"))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    progress = await runner.progress(hosts.store.written[0].plan_id)
    assert [outcome(result).get("code", "done") for result in progress.results] == [
        "done",
        "tool.cancelled",
        "tool.cancelled",
    ]


async def test_R3_a_call_that_waits_in_another_process_is_reported_as_running() -> None:
    hosts, entered, release = Hosts(), asyncio.Event(), asyncio.Event()

    async def handler(_args: Any, context: ToolExecutionContext) -> Any:
        if context.resume is None:
            return asks()
        entered.set()
        await release.wait()
        return Completed(None)

    question = {"ask": Question(kind="approval", prompt=("?",))}
    definition = declared(handler, interactions=question)
    runner = hosts.open(definition)
    one, two = ids(await start(runner, "t", "t"))
    first = asyncio.create_task(runner.approve(one, approved=True))
    await entered.wait()
    other = hosts.open(definition)
    progress = await other.approve(two, approved=False)
    assert progress.status == "deferred"
    assert [call.state for call in progress.unfinished] == ["running"]
    release.set()
    assert (await first).status == "completed"


async def test_R3_a_step_that_another_has_overtaken_is_made_anew() -> None:
    hosts, tool = Hosts(), Tool()
    runner = hosts.open(declared(tool, approval=GATE))
    progress = await start(runner, "t", "t")
    one, two = ids(progress)
    overtaken = []

    def overtakes(change: Change) -> None:
        if change.revision == 2 and not overtaken:
            overtaken.append(change)
            raise Stale

    hosts.store.before = overtakes
    await runner.approve(one, approved=True)
    progress = await runner.approve(two, approved=True)
    assert progress.status == "completed"
    assert len(tool.args) == 2


async def test_R1_secrets_stand_in_records_only_where_they_are_sealed() -> None:
    hosts = Hosts()
    secret = {"x-sensitive": True}
    properties = {"type": "object", "properties": {"p": secret, "q": {}}}
    question = Question(kind="response", prompt=("?",), response=schema(secret), token=schema(True))
    tool = Tool(asks("ask", {"t": "SENTINEL"}, kind="response"), Completed({"p": "SENTINEL"}))
    runner = hosts.open(
        declared(
            tool,
            parameters=properties,
            output=schema(properties),
            interactions={"ask": question},
            approval=Approval(prompt=("?", ("p",)), allow_edit=True),
        )
    )
    given = {"p": "SENTINEL", "q": 1}
    progress = await start(runner, "t", arguments=given)
    changed = {**progress.pending[0].masked, "q": 2}
    progress = await runner.approve(*ids(progress), approved=True, edited_args=changed)
    progress = await runner.respond(*ids(progress), "SENTINEL")
    assert outcome(progress.results[0])["output"] == {"p": "SENTINEL"}
    assert tool.args == [{"p": "SENTINEL", "q": 2}] * 2
    assert tool.contexts[1].resume.token == {"t": "SENTINEL"}
    texts = hosts.store.texts()
    assert "SENTINEL" not in texts
    assert '"p":{"$sensitive":true}' in texts


@pytest.mark.parametrize(
    "facts",
    [
        {"output": schema({"x-sensitive": True})},
        {"deferred": Deferral(token=schema(True))},
        {"interactions": {"ask": Question(kind="approval", prompt=("?",), token=schema(True))}},
        {"parameters": {"type": "object", "properties": {"p": {"x-sensitive": True}}}},
    ],
)
async def test_R1_a_call_with_secrets_needs_a_key_where_the_store_outlives_the_process(
    facts: dict[str, Any],
) -> None:
    hosts, tool = Hosts(keys=None), Tool()
    progress = await start(hosts.open(declared(tool, **facts)), "t", arguments={"p": "SENTINEL"})
    assert outcome(progress.results[0])["code"] == "record.no-key"
    assert not tool.args
    assert "SENTINEL" not in hosts.store.texts()


async def test_R1_a_call_without_secrets_needs_no_key() -> None:
    hosts, tool = Hosts(keys=None), Tool()
    parameters = {"type": "object", "properties": {"p": {"x-sensitive": True}}}
    runner = hosts.open(declared(tool, parameters=parameters), plain(Tool(Deferred(1)), "token"))
    progress = await start(runner, "t", "token", arguments={"q": 1})
    assert [outcome(result).get("code") for result in progress.results] == [None, "record.no-key"]


async def test_S3_ids_are_unique_over_all_plans() -> None:
    hosts = Hosts()
    runner = hosts.open(declared(Tool(), approval=GATE))
    plans = [await start(runner, "t", "t") for _ in range(10)]
    names = [pending.invocation_id for plan in plans for pending in plan.pending]
    asked = [name for plan in plans for name in ids(plan)]
    assert len(set(names)) == len(set(asked)) == 20
    assert len({plan.plan_id for plan in plans}) == 10


async def test_a_store_in_memory_forgets_the_oldest_plans_that_ended() -> None:
    from toolkiln_runtime import MemoryStore
    from toolkiln_runtime.protection import HELD

    store, hosts = MemoryStore(retained=2), Hosts()
    tool = declared(Tool(*[Deferred("SENTINEL")] * 5), deferred=Deferral(token=schema(True)))
    runner = hosts.open(tool, store=store, keys=None)
    names = []
    for _ in range(5):
        progress = await start(runner, "t")
        names.append(progress.deferred[0].invocation_id)
        await runner.settle(names[-1], Completed(None))
    assert len([name for name in names if name in HELD._held]) == 2
    assert (await rejected(runner.settle(names[0], Completed(1)))).code == "invocation.unknown"
    assert (await rejected(runner.settle(names[4], Completed(1)))).code == "invocation.settled"


async def test_one_run_of_the_plain_path_writes_no_record_and_makes_no_task() -> None:
    from toolkiln_runtime import Catalog, Executor, ToolSlot

    runner = Executor(Catalog([ToolSlot("ns", [plain()])]))
    before = asyncio.all_tasks()
    progress = await runner.run([ToolCall("c", "t", "{}")], **IDS)
    assert asyncio.all_tasks() == before
    assert progress.plan_id is None
    assert repr(runner._store) == "MemoryStore(0 plans)"
