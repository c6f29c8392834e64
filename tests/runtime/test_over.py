"""An executor over another store: what it takes along, and what it does not."""

from __future__ import annotations

import pytest

from toolkiln_runtime import (
    Catalog,
    Completed,
    Denied,
    Event,
    Executor,
    MemoryStore,
    PolicyRequest,
    ToolCall,
    ToolError,
    ToolSlot,
    tool,
)
from toolkiln_runtime.testing import ManualClock


def no_gold(request: PolicyRequest) -> Denied | None:
    return Denied("No gold.") if request.call.args["what"] == "gold" else None


async def buy(args: dict[str, str], _context: object) -> Completed[str]:
    return Completed(args["what"])


def slot() -> ToolSlot:
    return ToolSlot("shop", [tool(name="buy", parameters={"type": "object"}, execute=buy)])


async def test_tools_policies_observers_and_clock_come_along() -> None:
    seen: list[Event] = []
    clock = ManualClock(1_000.0)
    executor = Executor(Catalog([slot()]), policy=no_gold, observers=[seen.append], clock=clock)
    store = MemoryStore()
    other = executor.over(store)
    calls = [ToolCall("a", "buy", {"what": "gold"}), ToolCall("b", "buy", {"what": "bread"})]
    made = await other.run(calls, session_id="s", turn_id="t", step_id="p")
    assert [result.outcome for result in made.results] == [Denied("No gold."), Completed("bread")]
    assert other.catalog is executor.catalog
    assert "tool.completed" in [event.type for event in seen]
    # The store remembers when the plan has ended by the clock that came along.
    assert await store.forget(1_000.0) == 0
    assert await store.forget(1_000.5) == 1


async def test_plans_stay_where_they_are() -> None:
    executor = Executor(Catalog([slot()]), store=MemoryStore())
    other = executor.over(MemoryStore())
    call = [ToolCall("b", "buy", {"what": "bread"})]
    made = await other.run(call, session_id="s", turn_id="t", step_id="p")
    assert made.plan_id is not None
    assert await other.progress(made.plan_id)
    with pytest.raises(ToolError, match=r"record\.unknown"):
        await executor.progress(made.plan_id)
