"""Whatever a model sends and whatever a handler returns, each call gets one result, in order."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolkiln_runtime import (
    Choice,
    Completed,
    Deferred,
    Denied,
    Failed,
    Interaction,
    InteractionRequired,
    ToolCall,
    ToolFailure,
)

from .kit import IDS, NUMBER, executor, plain

RUNNER = executor(plain(name="any"), plain(name="number", parameters=NUMBER))

THINGS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.dates()
    | st.decimals(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner)
        | st.sets(st.integers())
    ),
    max_leaves=8,
)
IDENTIFIERS = st.sampled_from(["", None, "a", "b", "c"]) | st.text() | st.integers()
ARGUMENTS = (
    st.text()
    | st.binary()
    | THINGS
    | THINGS.map(lambda value: json.dumps(value, default=str, skipkeys=True))
    | st.sampled_from(["{}", '{"n": 1}', '{"n": -1}'])
)
NAMES = st.sampled_from(["any", "number", "nubmer", ""]) | st.text() | THINGS
CALLS = st.lists(st.builds(ToolCall, IDENTIFIERS, NAMES, ARGUMENTS), max_size=12)


@settings(max_examples=300, deadline=None)
@given(CALLS)
def test_S1_each_call_gets_exactly_one_result_in_order(calls: list[Any]) -> None:
    progress = asyncio.run(RUNNER.run(calls, **IDS))
    assert progress.status == "completed"
    assert len(progress.results) == len(calls)
    assert len({result.call_id for result in progress.results}) == len(calls)
    counted = Counter(call.id for call in calls if isinstance(call.id, str))
    for call, result in zip(calls, progress.results, strict=True):
        code = getattr(result.outcome, "code", None)
        if not isinstance(call.id, str) or not call.id:
            assert code == "tool.invalid-call-id"
        elif code != "tool.invalid-call-id" and counted[call.id] > 1:
            assert code == "tool.duplicate-call-id"
            assert result.requested_id == call.id
        elif result.requested_id is None:
            assert result.call_id == call.id
    assert len(json.loads(progress.to_json())["results"]) == len(calls)


OUTCOMES = (
    st.builds(Completed, THINGS)
    | st.builds(Denied, THINGS)
    | st.builds(Failed, THINGS, THINGS, THINGS)
    | st.builds(Deferred, THINGS)
    | st.builds(
        InteractionRequired,
        st.builds(
            Interaction,
            kind=st.sampled_from(["approval", "response"]) | THINGS,
            prompt=THINGS,
            metadata=THINGS,
            id=THINGS,
            name=THINGS,
            choices=THINGS | st.lists(st.builds(Choice, THINGS, THINGS)),
        )
        | THINGS,
        THINGS,
    )
    | THINGS
)
RAISED = st.builds(ToolFailure, THINGS, THINGS, THINGS)


@settings(max_examples=400, deadline=None)
@given(st.lists(OUTCOMES | RAISED, min_size=1, max_size=4))
def test_E3_whatever_a_handler_does_becomes_a_report(outcomes: list[Any]) -> None:
    waiting = iter(outcomes)

    async def handler(_args: Any, _context: object) -> Any:
        value = next(waiting)
        if isinstance(value, Exception):
            raise value
        return value

    calls = [ToolCall(f"c{index}", "t", "{}") for index in range(len(outcomes))]
    progress = asyncio.run(executor(plain(handler)).run(calls, **IDS))
    reported = [
        *(result.call_id for result in progress.results),
        *(pending.call.call_id for pending in progress.pending),
        *(deferred.call.call_id for deferred in progress.deferred),
    ]
    assert sorted(reported) == [call.id for call in calls]
    assert json.loads(progress.to_json())["status"] == progress.status
    assert not any("tool.internal" in str(result.as_json()) for result in progress.results)
