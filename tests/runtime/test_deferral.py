"""What a handler defers, and the host settles (F1, F2)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolkiln_runtime import (
    Completed,
    Deferred,
    Denied,
    Failed,
    Interaction,
    InteractionRequired,
    ToolError,
    ToolModel,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure

from .kit import declared, executor, outcome, plain, schema
from .test_replies import Tool, ids, kinds, rejected, start

JOB = {"type": "object", "required": ["job"], "properties": {"job": {"type": "string"}}}
FACTS: dict[str, Any] = {
    "output": schema({"type": "object", "properties": {"n": {"type": "integer"}}}),
    "failures": {"gone": Failure("It is gone.", details=schema(JOB))},
    "deferred": Deferral(token=schema(JOB)),
}


class Job(ToolModel):
    job: str


def deferring(count: int = 1) -> tuple[Tool, Any]:
    tool = Tool(*[Deferred(Job(job=f"j{number}")) for number in range(count)])
    return tool, declared(tool, **FACTS)


async def test_F1_a_deferral_leaves_the_token_with_the_host() -> None:
    tool, definition = deferring()
    progress = await start(executor(definition), "t")
    (deferred,) = progress.deferred
    assert progress.status == "deferred"
    assert (deferred.token, deferred.call.call_id) == ({"job": "j0"}, "c0")
    assert deferred.invocation_id == tool.contexts[0].invocation_id
    assert "j0" not in progress.to_json().decode() + repr(progress)


async def test_F2_settling_completes_one_call_and_runs_none() -> None:
    tool, definition = deferring(6)
    runner = executor(definition)
    progress = await start(runner, *["t"] * 6)
    names = [deferred.invocation_id for deferred in progress.deferred]
    progress = await runner.settle(names[2], Completed({"n": 2}))
    assert (progress.status, kinds(progress)) == ("deferred", ["c2 completed"])
    for number in (0, 5, 1, 4, 3):
        progress = await runner.settle(names[number], Completed({"n": number}))
    assert progress.status == "completed"
    assert [outcome(result)["output"]["n"] for result in progress.results] == list(range(6))
    assert len(tool.args) == 6


@pytest.mark.parametrize(
    ("settled", "form"),
    [
        (Completed({"n": 1}), {"kind": "completed", "output": {"n": 1}}),
        (Denied("no"), {"kind": "denied", "reason": "no"}),
        (Failed("gone", ""), {"kind": "failed", "code": "gone", "message": "It is gone."}),
        (
            Failed("gone", "x", Job(job="j")),
            {"kind": "failed", "code": "gone", "message": "x", "details": {"job": "j"}},
        ),
    ],
)
async def test_F2_a_call_is_settled_with_any_end(settled: Any, form: dict[str, Any]) -> None:
    runner = executor(deferring()[1])
    progress = await start(runner, "t")
    progress = await runner.settle(progress.deferred[0].invocation_id, settled)
    assert outcome(progress.results[0]) == form


@pytest.mark.parametrize(
    "settled",
    [
        Completed({"n": "SENTINEL"}),
        Completed({"n": float("nan")}),
        Completed(object()),
        Failed("SENTINEL", "x"),
        Failed("tool.cancelled", "x"),
        Failed("", "x"),
        Failed("gone", 3),  # type: ignore[arg-type]
        Denied(None),  # type: ignore[arg-type]
        Deferred(),
        InteractionRequired(Interaction(kind="approval", prompt="?")),
        None,
        {"kind": "completed", "output": {"n": 1}},
    ],
)
async def test_F2_what_is_no_valid_end_is_rejected_and_the_call_stays_deferred(
    settled: Any,
) -> None:
    runner = executor(deferring()[1])
    progress = await start(runner, "t")
    name = progress.deferred[0].invocation_id
    error = await rejected(runner.settle(name, settled))
    assert error.code == "invocation.invalid-outcome"
    assert "SENTINEL" not in str(error)
    after = await runner.progress(progress.plan_id or "")
    assert after.as_json() == progress.as_json()
    assert (await runner.settle(name, Completed({"n": 1}))).status == "completed"


async def test_F2_settling_twice_is_rejected_with_the_recorded_result() -> None:
    runner = executor(deferring()[1])
    name = (await start(runner, "t")).deferred[0].invocation_id
    await runner.settle(name, Completed({"n": 1}))
    error = await rejected(runner.settle(name, Completed({"n": 2})))
    assert error.code == "invocation.settled"
    assert error.result is not None
    assert outcome(error.result)["output"] == {"n": 1}
    assert error.progress is not None


async def test_F2_of_many_that_settle_one_wins() -> None:
    runner = executor(deferring()[1])
    name = (await start(runner, "t")).deferred[0].invocation_id
    ends = await asyncio.gather(
        *[runner.settle(name, Completed({"n": n})) for n in range(20)], return_exceptions=True
    )
    errors = [end for end in ends if isinstance(end, ToolError)]
    assert len(errors) == 19
    results = {outcome(error.result)["output"]["n"] for error in errors if error.result}
    assert len(results) == 1


async def test_F2_only_what_is_deferred_is_settled() -> None:
    runner = executor(declared(Tool(), approval=Approval(prompt=("?",))))
    progress = await start(runner, "t")
    name = progress.pending[0].invocation_id
    assert (await rejected(runner.settle(name, Completed(1)))).code == "invocation.open"
    assert (await rejected(runner.settle("inv_none", Completed(1)))).code == "invocation.unknown"
    await runner.approve(*ids(progress), approved=True)
    assert (await rejected(runner.settle(name, Completed(1)))).code == "invocation.settled"


async def test_F2_a_call_without_a_declared_contract_may_end_with_any_code() -> None:
    runner = executor(plain(Tool(Deferred({"any": 1}))))
    name = (await start(runner, "t")).deferred[0].invocation_id
    progress = await runner.settle(name, Failed("whatever", "x", [1]))
    assert outcome(progress.results[0])["details"] == [1]
