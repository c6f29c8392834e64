"""An approval cannot be switched off by anything that a model sends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkiln_runtime import ToolCall
from toolkiln_runtime.contract import Approval
from toolkiln_runtime.contract import Test as Check

from .kit import IDS, declared, executor
from .test_replies import Tool, ids, rejected, start

BOUND = 100_000
PARAMETERS = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "amount": {"type": "object", "properties": {"cents": {}}},
        "list": {"type": "array"},
        "kind": {"default": "plain"},
    },
}


def condition(path: str, test: Any) -> tuple[Check, ...]:
    return (Check(tuple(path.split(".")), json.dumps(test)),)


async def runs(tool: Tool, arguments: Any, *conditions: tuple[Check, ...], **facts: Any) -> bool:
    """Whether the handler is entered without a question, or at all."""
    approval = Approval(prompt=("?",), conditions=conditions)
    facts.setdefault("parameters", PARAMETERS)
    runner = executor(declared(tool, approval=approval, **facts))
    await runner.run([ToolCall("c", "t", arguments)], **IDS)
    return bool(tool.args)


PADDING = ("", " ", "a" * 50_000, "\0", "\u200b" * 1_000, "é" * 9_999)
PATTERNS = ("refund", "^refund$", "[^a]refund", "(.*)(.*)(.*)refund")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("padding", PADDING)
async def test_padding_does_not_hide_what_a_pattern_looks_for(pattern: str, padding: str) -> None:
    found = {"^refund$": not padding, "[^a]refund": bool(padding) and padding[0] != "a"}
    test = condition("text", {"pattern": pattern})
    entered = await runs(Tool(), {"text": f"{padding}refund{padding}"}, test)
    assert entered is not found.get(pattern, True)


@pytest.mark.parametrize("length", [10, 1_000, BOUND])
async def test_a_pattern_that_would_backtrack_for_ever_still_finds_its_text(length: int) -> None:
    text = "a" * length + "b"
    assert not await runs(Tool(), {"text": text}, condition("text", {"pattern": "(a+)+b$"}))


@pytest.mark.parametrize("look", ["(?=a)", "(?!b)a", "(a)\\1", "(?<=a)b", "(?"])
async def test_a_pattern_that_is_not_linear_asks_always(look: str) -> None:
    assert not await runs(Tool(), {"text": "zzz"}, condition("text", {"pattern": look}))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"amount": {}},
        {"amount": {"cents": None}},
        {"amount": {"Cents": 5}},
        {"amount": {"cents ": 5}},
        {"amount": {"cents": "100000"}},
        {"amount": {"cents": 10**30}},
        {"amount": {"cents": 1e300}},
        {"amount": {"cents": 99_999.5}},
        {"amount": {"cents": True}},
        {"amount": {"cents": [5]}},
        {"amount": {"cents": {"cents": 5}}},
        {"amounts": {"cents": 5}},
        {"AMOUNT": {"cents": 5}},
        {"amount.cents": 5},
    ],
)
async def test_values_that_are_absent_or_of_another_kind_do_not_pass_a_limit(
    arguments: dict[str, Any],
) -> None:
    # Asks unless it is a number below the limit.
    test = {"not": {"type": "integer", "maximum": 99_999}}
    assert not await runs(Tool(), arguments, condition("amount.cents", test))


async def test_repeated_keys_are_tested_as_they_are_run() -> None:
    test = condition("kind", {"const": "fraud"})
    for text, asked in (
        ('{"kind": "plain", "kind": "fraud"}', True),
        ('{"kind": "fraud", "kind": "plain"}', False),
        ('{"kind": "fraud", "\\u006bind": "plain"}', False),
        ('{"kind": "plain", "\\u006bind": "fraud"}', True),
    ):
        tool = Tool()
        entered = await runs(tool, text, test)
        assert entered is not asked
        if entered:
            assert tool.args == [{"kind": "plain"}]


@pytest.mark.parametrize("levels", [10, 150, 190, 199, 200, 1_000, 50_000])
async def test_deep_values_are_refused_or_tested(levels: int) -> None:
    deep: str = "[" * levels + "7" + "]" * levels
    text = f'{{"list": {deep}, "kind": "fraud"}}'
    assert not await runs(Tool(), text, condition("kind", {"const": "fraud"}))


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[]", '{"kind": NaN}', '{"subject": "refu', '"{}"', "\ud800", "{}{}"]
)
async def test_what_cannot_be_read_never_runs(text: str) -> None:
    assert not await runs(Tool(), text, condition("kind", {"const": "fraud"}))


async def test_a_default_that_the_model_leaves_out_is_tested() -> None:
    test = condition("kind", {"const": "plain"})
    assert not await runs(Tool(), {}, test)
    assert not await runs(Tool(), {"kind": "plain"}, test)
    assert await runs(Tool(), {"kind": "other"}, test)


EDITABLE = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "pin": {"x-sensitive": True}},
}


@pytest.mark.parametrize("changed", [{"n": 10}, {"n": -1}, {"n": 5, "extra": 1}])
async def test_a_person_who_edits_is_asked_once_and_the_policy_again(changed: Any) -> None:
    seen: list[Any] = []
    tool = Tool()
    gate = Approval(prompt=("?",), allow_edit=True, conditions=(condition("n", {"minimum": 5}),))
    runner = executor(declared(tool, parameters=EDITABLE, approval=gate), policy=seen.append)
    progress = await start(runner, "t", arguments={"n": 5})
    await runner.approve(*ids(progress), approved=True, edited_args=changed)
    assert [request.args for request in seen] == [{"n": 5}, changed]
    assert tool.args == [changed]


async def test_what_runs_after_an_approval_is_what_was_shown() -> None:
    tool, given = Tool(), {"n": 1, "list": [1]}
    runner = executor(declared(tool, approval=Approval(prompt=("Run ", ("n",), "?"))))
    progress = await start(runner, "t", arguments=given)
    given["n"] = 2
    given["list"].append(2)  # type: ignore[attr-defined]
    shown = progress.pending[0]
    shown.call.args["n"] = 3
    shown.masked["n"] = 4
    assert shown.interaction.prompt == "Run 1?"
    await runner.approve(shown.interaction.id, approved=True)
    assert tool.args == [{"n": 1, "list": [1]}]


async def test_a_question_s_id_is_no_way_around_another_gate() -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=Approval(prompt=("?",))))
    one, two = ids(await start(runner, "t", "t", arguments={"id": "x"}))
    await runner.approve(one, approved=True)
    assert not tool.args
    for name in (one, one.upper(), f"{two} ", "", "*"):
        error = await rejected(runner.approve(name, approved=True))
        assert error.code in {"interaction.unknown", "interaction.answered"}
    assert not tool.args


leaves = st.sampled_from(
    [None, True, False, 0, -0.0, 7, 7.0, 10**20, 1e20, "", "fraud", "plain", "Fraud", "fraud ", "7"]
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "cents", "amount", "n"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(arguments=st.dictionaries(st.sampled_from(list(PARAMETERS["properties"])), values))  # type: ignore[call-overload]
async def test_no_arguments_run_that_the_condition_means(arguments: dict[str, Any]) -> None:
    tool = Tool()
    entered = await runs(
        tool,
        json.dumps(arguments),
        condition("kind", {"const": "fraud"}),
        condition("amount.cents", {"not": {"type": "integer", "maximum": 5}}),
    )
    amount = arguments.get("amount")
    cents = amount.get("cents") if isinstance(amount, dict) else None
    small = isinstance(cents, int | float) and not isinstance(cents, bool) and cents <= 5
    if arguments.get("kind", "plain") == "fraud" or not small:
        assert not entered
    elif entered:
        assert tool.args == [{"kind": "plain", **arguments}]
