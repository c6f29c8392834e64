from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from toolkiln_runtime import (
    Capability,
    Catalog,
    Completed,
    Event,
    Executor,
    Interaction,
    InteractionRequired,
    Session,
    ToolCall,
    ToolError,
    ToolExecutionContext,
    ToolSlot,
)

from .kit import IDS, declared, executor, once, outcome, plain, raises, returns, run


async def test_C1_a_context_carries_the_ids_of_its_call() -> None:
    seen: list[ToolExecutionContext] = []

    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
        seen.append(context)
        return Completed(None)

    await run(plain(handler), ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}"))
    first, second = seen
    assert (first.session_id, first.turn_id, first.step_id) == ("ses", "turn", "step")
    assert (first.call_id, second.call_id) == ("a", "b")
    assert first.invocation_id != second.invocation_id
    assert first.resume is None
    assert first.gate is None
    with pytest.raises(AttributeError):
        first.call_id = "x"  # type: ignore[misc]
    assert "call_id='a'" in repr(first)


async def test_C1_the_logger_carries_the_ids(caplog: pytest.LogCaptureFixture) -> None:
    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
        context.logger.warning("careful", extra={"mine": 1})
        return Completed(None)

    await once(plain(handler))
    (record,) = caplog.records
    assert record.__dict__["call_id"] == "c1"
    assert record.__dict__["tool_name"] == "t"
    assert record.__dict__["mine"] == 1


async def test_C1_progress_is_an_event_and_no_result() -> None:
    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
        await context.progress(1, 2, "half")
        return Completed(None)

    events: list[Event] = []
    result = await once(plain(handler), observers=[events.append])
    assert outcome(result) == {"kind": "completed", "output": None}
    assert [event.type for event in events] == [
        "tool.sealed",
        "tool.started",
        "tool.progress",
        "tool.completed",
    ]
    assert events[2].data == {"done": 1, "total": 2, "message": "half"}
    assert {event.call_id for event in events} == {"c1"}
    await once(plain(handler))


async def test_V1_events_tell_outcomes_and_questions_but_no_arguments() -> None:
    events: list[Event] = []
    tools = (
        plain(raises(ValueError("SENTINEL")), "bad"),
        plain(returns(InteractionRequired(Interaction(kind="approval", prompt="?"))), "ask"),
    )
    calls = [ToolCall(name, name, {"a": "SENTINEL"}) for name in ("bad", "ask")]
    await run(tools, *calls, observers=[events.append])
    assert "SENTINEL" not in repr(events)
    told = {(event.type, event.call_id) for event in events}
    assert ("tool.completed", "bad") in told
    assert ("interaction.required", "ask") in told
    assert ("tool.completed", "ask") not in told


async def test_V1_a_failing_observer_harms_nothing() -> None:
    def observer(_event: Event) -> None:
        raise ValueError

    events: list[Event] = []
    result = await once(plain(), observers=[observer, events.append])
    assert result.kind == "completed"
    assert len(events) == 3


class Database:
    def __init__(self) -> None:
        self.log: list[str] = []
        self.error: Exception | None = None

    async def create(self, session: Session) -> str:
        self.log.append(f"create {session.id}")
        await asyncio.sleep(0.01)
        if self.error:
            raise self.error
        return f"state of {session.id}"

    def dispose(self, state: str) -> None:
        self.log.append(f"dispose {state}")


async def reads(_args: Any, context: ToolExecutionContext[str]) -> Completed[str]:
    return Completed(await context.state)


def with_state(database: Database) -> Executor:
    capability = Capability("db", database.create, database.dispose)
    return Executor(Catalog([ToolSlot("ns", [plain(reads)], capability=capability)]))


CALLS = [ToolCall(f"c{i}", "t", "{}") for i in range(5)]


async def test_C2_state_is_made_once_a_session_and_shared_by_concurrent_calls() -> None:
    database = Database()
    runner = with_state(database)
    for _ in range(2):
        progress = await runner.run(CALLS, **IDS)
        assert {outcome(result)["output"] for result in progress.results} == {"state of ses"}
    await runner.run(CALLS, **{**IDS, "session_id": "other"})
    assert database.log == ["create ses", "create other"]
    await runner.end_session("ses")
    await runner.end_session("ses")
    assert database.log[2:] == ["dispose state of ses"]
    await runner.close()
    assert database.log[3:] == ["dispose state of other"]


async def test_C2_state_that_nobody_awaits_is_never_made() -> None:
    database = Database()
    capability = Capability("db", database.create, database.dispose)
    runner = Executor(Catalog([ToolSlot("ns", [plain()], capability=capability)]))
    await runner.run(CALLS, **IDS)
    await runner.close()
    assert database.log == []


async def test_C2_states_are_disposed_in_reverse_order_even_if_one_fails() -> None:
    log: list[str] = []

    def dispose(state: str) -> None:
        log.append(state)
        if state == "b":
            raise ValueError

    slots = [
        ToolSlot(
            name,
            [plain(reads, name)],
            capability=Capability(name, lambda _session, name=name: name, dispose),
        )
        for name in ("a", "b", "c")
    ]
    runner = Executor(Catalog(slots))
    for name in ("a", "b", "c"):
        await runner.run([ToolCall("c", name, "{}")], **IDS)
    await runner.end_session("ses")
    assert log == ["c", "b", "a"]


async def test_C2_a_failing_factory_fails_the_calls_with_its_code() -> None:
    database = Database()
    database.error = ValueError("SENTINEL")
    runner = with_state(database)
    for _ in range(2):
        progress = await runner.run(CALLS, **IDS)
        codes = {outcome(result)["code"] for result in progress.results}
        assert codes == {"capability.state.create-failed"}
        assert "SENTINEL" not in progress.to_json().decode()
    assert database.log == ["create ses"]
    await runner.close()
    assert database.log == ["create ses"]


async def test_C2_state_that_is_not_declared_fails_with_its_code() -> None:
    for definition in (plain(reads), declared(reads)):
        assert outcome(await once(definition))["code"] == "capability.state.undeclared"


async def test_C2_a_cancelled_call_does_not_take_the_state_from_others() -> None:
    database = Database()
    runner = with_state(database)
    first = asyncio.create_task(runner.run(CALLS[:1], **IDS))
    await asyncio.sleep(0)
    second = asyncio.create_task(runner.run(CALLS[:1], **IDS))
    await asyncio.sleep(0)
    first.cancel()
    assert outcome((await second).results[0])["output"] == "state of ses"
    with pytest.raises(asyncio.CancelledError):
        await first
    assert database.log == ["create ses"]


async def test_a_runtime_code_cannot_be_borrowed_from_inside_a_handler() -> None:
    assert outcome(await once(plain(raises(ToolError("mine", "x")))))["code"] == (
        "tool.execution-failed"
    )


async def test_the_repr_of_an_executor_s_parts_is_short(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    runner = executor(plain())
    assert repr(runner.catalog) == "Catalog(1 tools)"
    assert repr(runner.catalog.tools["t"]) == "BoundToolDefinition(name='t', owner='ns')"
