"""Answers in classes of their own, results with types, and handlers that follow a script."""

from __future__ import annotations

from typing import Any

import pytest

from toolkiln_runtime import (
    Answer,
    Completed,
    Denied,
    Failed,
    ToolExecutionResume,
    ToolModel,
    ToolResult,
    define,
)
from toolkiln_runtime.contract import Question
from toolkiln_runtime.testing import Script, Scripted, Unscripted

from .kit import contract, executor, outcome, returns, schema
from .test_replies import Tool, asks, ids, start


class Draft(ToolModel):
    n: int


class Pick(ToolExecutionResume[list[Draft], Draft | None], frozen=True):
    pass


class Amount(ToolExecutionResume[list[float], dict[str, int]], frozen=True):
    pass


async def resumed(answer: Answer, value: Any, token: Any) -> Any:
    """What a handler gets back for an answer that is described so."""
    anything = schema(True)
    question = Question(kind="response", prompt=("?",), response=anything, token=anything)
    tool = Tool(asks("pick", kind="response", token=token))
    facts = contract(interactions={"pick": question})
    runner = executor(define(facts, tool, answers={"pick": answer}))
    (name,) = ids(await start(runner, "t"))
    await runner.respond(name, value)
    return tool.contexts[1].resume


async def test_P5_the_class_of_an_answer_says_what_its_value_and_token_are() -> None:
    resume = await resumed(Answer(resume=lambda: Pick), [{"n": 1}], {"n": 2})
    assert type(resume) is Pick
    assert (resume.value, resume.token) == ([Draft(n=1)], Draft(n=2))
    assert repr(resume).startswith("Pick(")


async def test_P5_what_is_json_by_its_type_keeps_its_digits() -> None:
    resume = await resumed(Answer(resume=lambda: Amount), [9007199254740993, 0.5], {"a": 1})
    assert (type(resume), resume.value, resume.token) == (Amount, [9007199254740993, 0.5], {"a": 1})


async def test_P5_a_plain_answer_stays_json_in_its_class() -> None:
    resume = await resumed(Answer(resume=lambda: Pick, plain=True), [{"n": 1}], {"n": 2})
    assert (type(resume), resume.value, resume.token) == (Pick, [{"n": 1}], {"n": 2})


async def test_P5_a_type_that_is_named_beside_the_class_wins() -> None:
    answer = Answer(resume=lambda: Pick, response=lambda: Any)
    resume = await resumed(answer, [{"n": 1}], {"n": 2})
    assert (resume.value, resume.token) == ([{"n": 1}], Draft(n=2))


@pytest.mark.parametrize("name", ["pay", "eu_pay", "pay_out", "eu_pay_out"])
def test_a_result_is_typed_by_its_tool_under_any_of_its_names(name: str) -> None:
    facts = contract("pay", formerly=("pay_out",))
    typed = ToolResult("c", name, Completed({"n": 1})).typed(facts, Draft)
    assert typed == Completed(Draft(n=1))
    assert ToolResult("c", name, Completed({"n": 1})).typed(facts) == Completed({"n": 1})
    assert ToolResult("c", name, Denied("no")).typed(facts, Draft) == Denied("no")


def test_the_result_of_another_tool_is_refused() -> None:
    with pytest.raises(ValueError, match="no result of pay, but of refund"):
        ToolResult("c", "refund", Denied("no")).typed(contract("pay"))


async def kinds(script: Script[Any, Any], times: int) -> list[str]:
    facts = contract(output=schema({"const": 7}))
    runner = executor(define(facts, Scripted(facts, script)))
    results = [(await start(runner, "t")).results[0] for _ in range(times)]
    return [outcome(each).get("code", each.kind) for each in results]


async def test_a_script_stands_for_every_attempt_or_lists_them() -> None:
    assert await kinds(None, 2) == ["completed", "completed"]
    assert await kinds(Denied("no"), 2) == ["denied", "denied"]
    assert await kinds(ValueError("x"), 1) == ["tool.execution-failed"]
    assert await kinds(returns(Completed(7)), 1) == ["completed"]
    script: list[Any] = [Failed("x", ""), None, TimeoutError()]
    assert await kinds(script, 3) == [
        "tool.undeclared-failure",
        "completed",
        "tool.execution-failed",
    ]
    with pytest.raises(Unscripted, match="at an end"):
        await kinds([], 1)
