"""What the other tests leave open of the statements in `statements.py`."""

from __future__ import annotations

import asyncio
from typing import Any

from toolkiln_runtime import (
    Capability,
    Catalog,
    Completed,
    Deferred,
    Denied,
    Event,
    Executor,
    Failed,
    ToolCall,
    ToolExecutionContext,
    ToolSlot,
)

from .kit import IDS, executor, plain, returns
from .test_replies import asking, asks, kinds, start


async def test_mixed_outcomes_stand_in_order_beside_what_is_deferred() -> None:
    tools = [
        plain(returns(end), name)
        for name, end in (
            ("done", Completed(1)),
            ("denied", Completed(1)),
            ("failed", Failed("own", "x")),
            ("later", Deferred({"job": 1})),
        )
    ]

    def policy(request: Any) -> Denied | None:
        return Denied("no") if request.tool.name == "denied" else None

    progress = await start(executor(*tools, policy=policy), "later", "failed", "done", "denied")
    assert kinds(progress) == ["c1 failed", "c2 completed", "c3 denied"]
    assert [(item.call.call_id, item.token) for item in progress.deferred] == [("c0", {"job": 1})]


async def test_V1_started_comes_before_completed_which_tells_kind_and_code() -> None:
    events: list[Event] = []
    runner = executor(plain(returns(Failed("own", "x"))), observers=[events.append])
    await start(runner, "t")
    assert [(event.type, event.data) for event in events] == [
        ("tool.sealed", {"kind": "executable"}),
        ("tool.started", {}),
        ("tool.completed", {"kind": "failed", "code": "own"}),
    ]


async def test_V1_what_is_settled_at_sealing_is_told_once() -> None:
    events: list[Event] = []
    runner = executor(plain(), observers=[events.append])
    await start(runner, "none")
    assert [(event.type, event.data, event.invocation_id) for event in events] == [
        ("tool.sealed", {"kind": "failed", "code": "tool.unknown"}, "")
    ]


async def test_V1_the_event_of_a_question_has_its_call_and_its_prompt() -> None:
    events: list[Event] = []
    _, definition = asking(asks())
    await start(executor(definition, observers=[events.append]), "t")
    event = events[-1]
    assert (event.type, event.call_id, event.tool_name) == ("interaction.required", "c0", "t")
    assert (event.data["prompt"], event.data["kind"]) == ("Go on?", "approval")


async def reads(_args: Any, context: ToolExecutionContext) -> Completed[Any]:
    return Completed(await context.state)


class States:
    """A capability that makes numbers, when it is let."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.asked = asyncio.Event()
        self.log: list[str] = []

    async def create(self, _session: object) -> int:
        self.asked.set()
        await self.let.wait()
        self.log.append("create")
        return len(self.log)

    def dispose(self, state: int) -> None:
        self.log.append(f"dispose {state}")

    def open(self) -> Executor:
        capability = Capability("cap", self.create, self.dispose)
        return Executor(Catalog([ToolSlot("ns", [plain(reads)], capability=capability)]))


async def test_C2_a_state_that_is_being_made_is_awaited_and_disposed_at_the_end() -> None:
    states = States()
    runner = states.open()
    call = asyncio.create_task(runner.run([ToolCall("c", "t", "{}")], **IDS))
    await states.asked.wait()
    end = asyncio.create_task(runner.end_session("ses"))
    await asyncio.sleep(0)
    states.let.set()
    await end
    await call
    assert states.log == ["create", "dispose 1"]


async def test_C2_a_session_that_begins_again_gets_a_new_state() -> None:
    states = States()
    states.let.set()
    runner = states.open()
    for _ in range(2):
        await runner.run([ToolCall("c", "t", "{}")], **IDS)
        await runner.end_session("ses")
    assert states.log == ["create", "dispose 1", "create", "dispose 3"]


async def test_N2_replies_give_the_progress_of_the_whole_plan() -> None:
    _, definition = asking(asks(), Completed("other"))
    runner = executor(definition)
    progress = await start(runner, "t", "t")
    name = progress.pending[0].interaction.id
    progress = await runner.approve(name, approved=True)
    assert kinds(progress) == ["c0 completed", "c1 completed"]
    assert (await runner.progress(progress.plan_id or "")).as_json() == progress.as_json()
