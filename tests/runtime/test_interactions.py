from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from toolkiln_runtime import (
    Choice,
    Completed,
    Deferred,
    Failed,
    Interaction,
    InteractionRequired,
    Progress,
    ToolCall,
    ToolExecutionResume,
)
from toolkiln_runtime.contract import Deferral, Question

from .kit import declared, outcome, plain, returns, run, schema

ACCOUNT = {"type": "string", "pattern": "^acc_"}
PERIOD = {
    "type": "object",
    "required": ["period"],
    "properties": {"period": {"type": "string"}, "pin": {"x-sensitive": True}},
}
QUESTIONS = {
    "confirm": Question(
        kind="approval",
        prompt=("Period ", ("", "period"), " of ", ("who",), " ", ("", "pin"), "?"),
        metadata=schema(PERIOD),
        token=schema({"type": "object"}),
        extensions={"x-team": "books"},
    ),
    "pick": Question(kind="response", prompt=("Which?",), response=schema(ACCOUNT), choices=True),
    "free": Question(kind="response", prompt=("What?",), response=schema(ACCOUNT)),
}


class Period(BaseModel):
    period: str
    pin: int | None = None


def ask(**fields: Any) -> InteractionRequired[str]:
    token = fields.pop("token", None)
    return InteractionRequired(Interaction(**fields), token)


async def asked(value: Any, **facts: Any) -> Progress:
    definition = declared(returns(value), interactions=QUESTIONS, **facts)
    return await run(definition, ToolCall("c", "t", {"who": "me"}))


async def code(value: Any) -> str:
    progress = await asked(value)
    return str(outcome(progress.results[0])["code"])


async def test_P1_a_declared_question_is_filled_from_its_contract() -> None:
    metadata = Period(period="2024-01", pin=4242)
    value = ask(kind="approval", name="confirm", metadata=metadata, token={})
    progress = await asked(value)
    assert progress.status == "interaction-required"
    (pending,) = progress.pending
    assert not pending.gate
    assert pending.interaction.prompt == "Period 2024-01 of me ***?"
    assert pending.interaction.metadata == {
        "x-team": "books",
        "name": "confirm",
        "metadata": {"period": "2024-01", "pin": {"$sensitive": True}},
        "values": {"metadata.period": "2024-01", "who": "me"},
    }
    assert "4242" not in progress.to_json().decode()


async def test_P1_offered_choices_travel_in_the_metadata() -> None:
    choices = [Choice("acc_1", "Main"), Choice("acc_2", "Other")]
    progress = await asked(ask(kind="response", name="pick", choices=choices))
    metadata = progress.pending[0].interaction.metadata
    assert metadata is not None
    assert metadata["choices"] == [
        {"value": "acc_1", "label": "Main"},
        {"value": "acc_2", "label": "Other"},
    ]


async def test_P1_a_question_that_no_contract_declares_is_taken_as_it_is() -> None:
    value = ask(kind="response", prompt="Which?", metadata={"a": 1}, id="mine", token={"t": 1})
    progress = await run(plain(returns(value)), ToolCall("c", "t", "{}"))
    assert progress.pending[0].interaction.as_json() == {
        "id": "mine",
        "kind": "response",
        "prompt": "Which?",
        "metadata": {"a": 1},
    }


async def test_P1_assigned_ids_are_hard_to_guess_and_given_ones_are_used_once() -> None:
    tools = plain(returns(ask(kind="approval", prompt="?")))
    progress = await run(tools, ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}"))
    first, second = (pending.interaction.id for pending in progress.pending)
    assert first != second
    assert len(first) == len("int_") + 32
    tools = plain(returns(ask(kind="approval", prompt="?", id="same")))
    progress = await run(tools, ToolCall("a", "t", "{}"), ToolCall("b", "t", "{}"))
    assert [pending.call.call_id for pending in progress.pending] == ["a"]
    assert outcome(progress.results[0])["code"] == "interaction.invalid"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "approval", "name": "free"},
        {"kind": "response", "name": "confirm", "metadata": {"period": "x"}},
        {"kind": "other", "name": "free"},
        {"kind": "response", "name": "free", "prompt": 3},
        {"kind": "response", "name": "free", "id": ""},
        {"kind": "response", "name": "free", "id": 7},
        {"kind": "response", "name": "free", "metadata": {"a": 1}},
        {"kind": "response", "name": "free", "choices": [Choice("acc_1", "x")]},
        {"kind": "response", "name": "pick"},
        {"kind": "response", "name": "pick", "choices": []},
        {"kind": "response", "name": "pick", "choices": [Choice("wrong", "x")]},
        {"kind": "response", "name": "pick", "choices": [Choice("acc_1", 3)]},
        {"kind": "response", "name": "pick", "choices": ["acc_1"]},
        {"kind": "response", "name": "pick", "choices": 7},
        {"kind": "approval", "name": "confirm"},
        {"kind": "approval", "name": "confirm", "metadata": {"period": 3}},
        {"kind": "approval", "name": "confirm", "metadata": {"period": {1}}},
        {"kind": "approval", "name": "confirm", "metadata": [1]},
    ],
)
async def test_E3_a_malformed_interaction_is_invalid(fields: dict[str, Any]) -> None:
    assert await code(ask(**fields)) == "interaction.invalid"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "other", "prompt": "?"},
        {"kind": "response", "prompt": None},
        {"kind": "response", "metadata": [1]},
        {"kind": "response", "metadata": {1: 2}},
        {"kind": "approval", "choices": [Choice(1, "x")]},
        {"kind": "response", "choices": [Choice({1}, "x")]},
    ],
)
async def test_E3_a_malformed_interaction_is_invalid_without_a_contract_too(
    fields: dict[str, Any],
) -> None:
    progress = await run(plain(returns(ask(**fields))), ToolCall("c", "t", "{}"))
    assert outcome(progress.results[0])["code"] == "interaction.invalid"


async def test_E3_something_else_in_the_place_of_an_interaction_is_invalid() -> None:
    for inner in (None, {"kind": "approval", "prompt": "?"}, "approval"):
        value = InteractionRequired(inner)  # type: ignore[arg-type]
        assert await code(value) == "interaction.invalid"


async def test_E3_a_question_that_is_not_declared_has_its_code() -> None:
    assert await code(ask(kind="approval", prompt="?")) == "tool.undeclared-interaction"
    assert await code(ask(kind="approval", name="nope")) == "tool.undeclared-interaction"


async def test_E3_the_token_of_a_question_must_fit() -> None:
    fields = {"kind": "approval", "name": "confirm", "metadata": {"period": "x"}}
    assert await code(ask(**fields, token=[1])) == "tool.invalid-token"
    assert await code(ask(kind="response", name="free", token=1)) == "tool.invalid-token"


async def test_a_token_is_never_shown() -> None:
    value = ask(kind="approval", name="confirm", metadata={"period": "x"}, token={"t": "SENTINEL"})
    progress = await asked(value)
    assert progress.pending
    shown = progress.to_json().decode() + repr(progress) + repr(value) + repr(Deferred("SENTINEL"))
    answer = {"value": "SENTINEL", "token": "SENTINEL"}
    resume = ToolExecutionResume[Any](interaction_id="i", kind="response", **answer)
    assert "SENTINEL" not in shown + repr(resume)


async def test_F1_questions_come_before_deferrals_in_the_status() -> None:
    tools = (
        plain(returns(ask(kind="approval", prompt="?")), "ask"),
        plain(returns(Deferred({"job": 1})), "defer"),
        plain(returns(Completed(1)), "done"),
        plain(returns(Failed("x", "y")), "fail"),
    )
    names = ["done", "defer", "ask", "fail", "defer"]
    calls = [ToolCall(str(index), name, "{}") for index, name in enumerate(names)]
    progress = await run(tools, *calls)
    assert progress.status == "interaction-required"
    assert [result.call_id for result in progress.results] == ["0", "3"]
    assert [deferred.call.call_id for deferred in progress.deferred] == ["1", "4"]
    assert [pending.call.call_id for pending in progress.pending] == ["2"]
    progress = await run(tools, calls[1])
    assert progress.status == "deferred"


async def test_F1_a_declared_deferral_may_have_no_token() -> None:
    definition = declared(returns(Deferred()), deferred=Deferral())
    progress = await run(definition, ToolCall("c", "t", "{}"))
    assert progress.deferred[0].token is None
