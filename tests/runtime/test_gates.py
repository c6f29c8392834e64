from __future__ import annotations

from typing import Any

import pytest

from toolkiln_runtime import Completed, Denied, Interaction, Progress, ToolCall
from toolkiln_runtime.contract import Approval
from toolkiln_runtime.contract import Test as Check

from .kit import NUMBER, declared, outcome, plain, run, schema

AMOUNT = {
    "type": "object",
    "properties": {
        "amount": {"type": "object", "properties": {"cents": {"type": "integer"}}},
        "reason": {"enum": ["request", "fraud"], "default": "request"},
        "note": {"type": "string", "x-sensitive": True},
        "to": {"type": "array", "items": {"properties": {"pin": {"x-sensitive": True}}}},
    },
}


class Tool:
    """A tool with a gate that writes down when it is entered."""

    def __init__(self, **approval: Any) -> None:
        self.entered: list[Any] = []
        approval.setdefault("prompt", ("Run?",))
        self.definition = declared(
            self.execute, name="t", parameters=AMOUNT, approval=Approval(**approval)
        )

    async def execute(self, args: Any, _context: object) -> Completed[None]:
        self.entered.append(args)
        return Completed(None)

    async def run(self, arguments: Any, **settings: Any) -> Progress:
        return await run(self.definition, ToolCall("c", "t", arguments), **settings)

    async def asks(self, arguments: Any, **settings: Any) -> bool:
        progress = await self.run(arguments, **settings)
        assert bool(progress.pending) is not bool(self.entered)
        return bool(progress.pending)


def when(*tests: tuple[str, str]) -> tuple[Check, ...]:
    return tuple(Check(tuple(path.split(".")), source) for path, source in tests)


async def test_E1_a_call_with_an_open_gate_is_pending_and_never_runs() -> None:
    tool = Tool()
    progress = await tool.run({"amount": {"cents": 1}})
    assert progress.status == "interaction-required"
    assert progress.results == ()
    (pending,) = progress.pending
    assert pending.gate
    assert pending.interaction.kind == "approval"
    assert pending.interaction.prompt == "Run?"
    assert len(pending.interaction.id) == len("int_") + 32
    assert pending.call.args == {"amount": {"cents": 1}}
    assert pending.invocation_id.startswith("inv_")
    assert tool.entered == []


async def test_E1_no_call_of_the_batch_starts_while_a_gate_is_open() -> None:
    gated, entered = Tool(), []

    async def free(_args: Any, _context: object) -> Completed[None]:
        entered.append(1)
        return Completed(None)

    progress = await run(
        (gated.definition, plain(free, "free"), plain(name="strict", parameters=NUMBER)),
        ToolCall("1", "free", "{}"),
        ToolCall("2", "t", "{}"),
        ToolCall("3", "strict", "{}"),
        ToolCall("4", "t", "{}"),
    )
    assert [pending.call.call_id for pending in progress.pending] == ["2", "4"]
    assert [result.call_id for result in progress.results] == ["3"]
    assert not entered


@pytest.mark.parametrize(
    ("cents", "asks"), [(99_999, False), (100_000, True), (None, True), ({}, False)]
)
async def test_S4_a_condition_sees_the_arguments(cents: Any, asks: bool) -> None:
    tool = Tool(conditions=(when(("amount.cents", '{"minimum": 100000, "type": "integer"}')),))
    arguments = {"amount": {} if cents is None else {"cents": cents}}
    if cents == {}:
        arguments = {"amount": {"cents": 5}}
    assert await tool.asks(arguments) is asks


@pytest.mark.parametrize(("arguments", "asks"), [({}, False), ({"reason": "fraud"}, True)])
async def test_S4_a_condition_sees_declared_defaults(arguments: Any, asks: bool) -> None:
    assert await Tool(conditions=(when(("reason", '{"const": "fraud"}')),)).asks(arguments) is asks


async def test_S4_what_is_absent_without_a_default_asks() -> None:
    for arguments in ({}, {"amount": {}}):
        assert await Tool(conditions=(when(("amount.cents", '{"const": 1}')),)).asks(arguments)
    assert await Tool(conditions=(when(("note.deep", '{"const": 1}')),)).asks({"note": "x"})


async def test_S4_all_tests_of_one_condition_have_to_hold() -> None:
    high = ("amount.cents", '{"minimum": 10}')
    fraud = ("reason", '{"const": "fraud"}')
    both, either = (when(high, fraud),), (when(high), when(fraud))
    arguments = {"amount": {"cents": 10}, "reason": "request"}
    assert not await Tool(conditions=both).asks(arguments)
    assert await Tool(conditions=either).asks(arguments)


@pytest.mark.parametrize(
    "source",
    ['{"type": "nonsense"}', "not json", '{"pattern": "(?=a)"}', '{"$ref": "https://x.test/"}'],
)
async def test_S4_a_condition_that_cannot_be_evaluated_asks(source: str) -> None:
    assert await Tool(conditions=(when(("note", source)),)).asks({"note": "x"})


async def test_S4_a_policy_sees_the_call_its_tool_and_the_defaults() -> None:
    seen = []
    tool = Tool(conditions=(when(("reason", "false")),))
    assert not await tool.asks({"note": "x"}, policy=seen.append)
    (request,) = seen
    assert request.args == {"note": "x", "reason": "request"}
    assert request.call.args == {"note": "x"}
    assert request.tool.contract.approval is not None
    assert (request.session_id, request.turn_id, request.step_id) == ("ses", "turn", "step")


async def policy_that_fails(_request: object) -> None:
    raise ValueError("x")


@pytest.mark.parametrize(
    "policy",
    [
        policy_that_fails,
        lambda _request: True,
        lambda _request: "deny",
        lambda _request: Denied(None),  # type: ignore[arg-type]
        lambda _request: Interaction(kind="response", prompt="?"),
        lambda _request: Interaction(kind="approval", prompt=3),  # type: ignore[arg-type]
        lambda _request: Interaction(kind="approval", id=""),
        lambda _request: Interaction(kind="approval", metadata={1}),
        lambda _request: 1 / 0,
    ],
)
async def test_S4_a_policy_that_fails_or_gives_no_verdict_asks(policy: Any) -> None:
    progress = await run(plain(), ToolCall("c", "t", "{}"), policy=policy)
    (pending,) = progress.pending
    assert pending.interaction.prompt == "Run t?"


async def test_S1_a_policy_may_ask_and_may_be_a_coroutine_function() -> None:
    async def policy(_request: object) -> Interaction:
        return Interaction(kind="approval", prompt="Sure?", metadata={"team": "a"}, id="mine")

    progress = await run(plain(), ToolCall("c", "t", "{}"), policy=policy)
    assert progress.pending[0].interaction.as_json() == {
        "id": "mine",
        "kind": "approval",
        "prompt": "Sure?",
        "metadata": {"team": "a"},
    }


async def test_S1_a_call_has_one_gate_the_contract_s_before_the_first_policy_s() -> None:
    def asks(prompt: str) -> Any:
        return lambda _request: Interaction(kind="approval", prompt=prompt)

    tool = Tool()
    progress = await tool.run({}, policy=[asks("first"), asks("second")])
    assert [pending.interaction.prompt for pending in progress.pending] == ["Run?"]
    progress = await run(plain(), ToolCall("c", "t", "{}"), policy=[asks("first"), asks("second")])
    assert [pending.interaction.prompt for pending in progress.pending] == ["first"]


async def test_S1_nothing_lifts_a_contract_s_gate() -> None:
    assert await Tool().asks({}, policy=lambda _request: None)


async def test_S1_a_denial_comes_before_the_contract_s_gate() -> None:
    progress = await Tool().run({}, policy=lambda _request: Denied("no"))
    assert outcome(progress.results[0]) == {"kind": "denied", "reason": "no"}
    assert not progress.pending


async def test_P1_an_id_that_is_in_use_is_invalid() -> None:
    progress = await run(
        plain(),
        ToolCall("a", "t", "{}"),
        ToolCall("b", "t", "{}"),
        policy=lambda _request: Interaction(kind="approval", id="same"),
    )
    assert [pending.interaction.id for pending in progress.pending] == ["same"]
    assert outcome(progress.results[0])["code"] == "interaction.invalid"


PROMPT = (
    "Refund ",
    ("amount", "cents"),
    " (",
    ("reason",),
    ") note ",
    ("note",),
    " to ",
    ("to",),
    "?",
)


async def test_P1_a_gate_s_prompt_and_metadata_come_from_the_contract() -> None:
    tool = Tool(prompt=PROMPT, extensions={"x-approvers": "finance"})
    arguments = {"amount": {"cents": 5}, "note": "SENTINEL", "to": [{"pin": "SENTINEL", "a": 1}]}
    progress = await tool.run(arguments)
    (pending,) = progress.pending
    assert pending.interaction.prompt == ('Refund 5 (request) note *** to [{"pin":"***","a":1}]?')
    assert pending.interaction.metadata == {
        "x-approvers": "finance",
        "name": "approval",
        "values": {"amount.cents": 5, "reason": "request", "to": [{"pin": "***", "a": 1}]},
    }
    assert "SENTINEL" not in progress.to_json().decode() + repr(progress)
    assert progress.as_json()["pending"][0]["args"]["note"] == {"$sensitive": True}
    assert pending.call.args == arguments


async def test_P1_values_go_by_paths_that_no_two_share() -> None:
    paths = [("a", "b"), ("a.b",), ("metadata", "x"), ("odd name", 'q"')]
    arguments = {"a": {"b": 1}, "a.b": 2, "metadata": {"x": 3}, "odd name": {'q"': 4}}
    definition = declared(approval=Approval(prompt=tuple(paths)))
    progress = await run(definition, ToolCall("c", "t", arguments))
    metadata = progress.pending[0].interaction.metadata
    assert metadata["values"] == {
        "a.b": 1,
        '["a.b"]': 2,
        '["metadata"].x': 3,
        '["odd name"]["q\\""]': 4,
    }


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("in_7", "in_7"),
        ("a b", '"a b"'),
        ("", '""'),
        ('a"b', '"a\\"b"'),
        ("a\nb", '"a\\nb"'),
        ("a\u2028b", '"a\\u2028b"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("a\u200bb", '"a\\u200bb"'),
        ("a\x7fb", '"a\\u007fb"'),
        ("é", '"é"'),
        (1.5, "1.5"),
        (True, "true"),
        (None, "null"),
        ({"a": [1, "x"]}, '{"a":[1,"x"]}'),
        ("x" * 300, "x" * 197 + "..."),
    ],
)
async def test_P1_values_in_prompts_cannot_be_read_as_our_words(value: Any, written: str) -> None:
    definition = declared(approval=Approval(prompt=("<", ("v",), "|", ("absent",), ">")))
    progress = await run(definition, ToolCall("c", "t", {"v": value}))
    assert progress.pending[0].interaction.prompt == f"<{written}|(none)>"


@pytest.mark.parametrize(
    "parameters",
    [
        {"properties": {"p": {"anyOf": [{"x-sensitive": True}, {"type": "integer"}]}}},
        {"properties": {"p": {"allOf": [{"$ref": "#/$defs/S"}]}}},
        {"anyOf": [{"properties": {"p": {"$ref": "#/$defs/S"}}}, {"required": ["q"]}]},
        {"if": {"required": ["q"]}, "else": {"properties": {"p": {"x-sensitive": True}}}},
        {"patternProperties": {"^q": {"x-sensitive": True}}},
        {"additionalProperties": {"x-sensitive": True}},
        {"dependentSchemas": {"p": {"properties": {"p": {"x-sensitive": True}}}}},
        {"x-sensitive": True},
    ],
)
async def test_R1_what_may_be_sensitive_is_sensitive(parameters: dict[str, Any]) -> None:
    document = {"type": "object", "$defs": {"S": {"x-sensitive": True}}, **parameters}
    approval = Approval(prompt=("<", ("p",), ">"))
    definition = declared(parameters=document, approval=approval)
    progress = await run(definition, ToolCall("c", "t", {"p": "SENTINEL"}))
    assert progress.pending[0].interaction.prompt == "<***>"
    assert "SENTINEL" not in progress.to_json().decode()


def test_a_schema_helper_makes_json_text() -> None:
    assert schema({"a": 1}).source == '{"a": 1}'
