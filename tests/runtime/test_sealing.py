from __future__ import annotations

import os
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from toolkiln_runtime import (
    Completed,
    Denied,
    Interaction,
    PolicyRequest,
    SealedToolCall,
    ToolCall,
    ToolExecutionContext,
    define,
)
from toolkiln_runtime.contract import Schema
from toolkiln_runtime.ids import invocation_id

from .kit import NUMBER, contract, declared, echo, once, outcome, plain, run


async def codes(*calls: ToolCall, **settings: Any) -> list[str]:
    progress = await run(plain(parameters=NUMBER), *calls, **settings)
    assert len(progress.results) == len(calls)
    return [outcome(result).get("code", result.kind) for result in progress.results]


@pytest.mark.parametrize("identifier", ["", None, 7, ["a"], "\ud800"])
async def test_S1_a_call_without_an_id_gets_one(identifier: Any) -> None:
    progress = await run(plain(), ToolCall(identifier, "t", "{}"), ToolCall("ok", "t", "{}"))
    first, second = progress.results
    assert outcome(first)["code"] == "tool.invalid-call-id"
    assert first.call_id.startswith("call_")
    assert first.requested_id is not None
    assert second.kind == "completed"
    assert progress.to_json()


async def test_S1_each_of_two_equal_ids_fails_and_keeps_what_the_provider_knows() -> None:
    entered = []

    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
        entered.append(context.call_id)
        return Completed(None)

    progress = await run(
        plain(handler),
        ToolCall("a", "t", "{}"),
        ToolCall("b", "t", "{}"),
        ToolCall("a", "t", "{}"),
    )
    results = progress.results
    kinds = [outcome(result).get("code", result.kind) for result in results]
    assert kinds == ["tool.duplicate-call-id", "completed", "tool.duplicate-call-id"]
    assert [result.requested_id for result in results] == ["a", None, "a"]
    assert results[0].as_json()["requestedId"] == "a"
    assert len({result.call_id for result in results}) == 3
    assert entered == ["b"]


async def test_S1_an_unknown_name_fails_next_to_a_valid_sibling() -> None:
    assert await codes(ToolCall("a", "nope", "{}"), ToolCall("b", "t", '{"n": 1}')) == [
        "tool.unknown",
        "completed",
    ]


@pytest.mark.parametrize("name", [None, 3, "", "\ud800", "x" * 1_000_000])
async def test_S1_any_name_can_be_asked_for(name: Any) -> None:
    progress = await run(plain(), ToolCall("a", name, "{}"))
    assert outcome(progress.results[0])["code"] == "tool.unknown"
    assert progress.to_json()


async def test_S1_an_unknown_name_is_answered_with_the_new_or_the_nearest_one() -> None:
    tools = (declared(name="refund_invoice", formerly=("give_back",)), plain(name="other"))
    progress = await run(
        tools,
        ToolCall("a", "give_back", "{}"),
        ToolCall("b", "refund_invoce", "{}"),
        ToolCall("c", "zzzzzz", "{}"),
    )
    messages = [outcome(result)["message"] for result in progress.results]
    assert "called refund_invoice now" in messages[0]
    assert "Did you mean refund_invoice?" in messages[1]
    assert "?" not in messages[2]


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "null",
        "[]",
        "3",
        "{",
        '{"n": NaN}',
        '{"n": 1e999}',
        '{"n": "\\ud800"}',
        '{"n": "\ud800"}',
        b'{"n": "\xff"}',
        '{"n": ' + "[" * 300 + "]" * 300 + "}",
        "[" * 100_000,
        {"n": float("nan")},
        {"n": {1}},
        {1: 2},
        None,
        17,
        ["n"],
    ],
)
async def test_S1_arguments_that_are_no_json_object_are_invalid(arguments: Any) -> None:
    assert await codes(ToolCall("a", "t", arguments)) == ["tool.invalid-arguments"]


@pytest.mark.parametrize("arguments", [b'{"n": 1}', {"n": 1}, MappingProxyType({"n": 1})])
async def test_S1_arguments_may_be_bytes_or_a_mapping(arguments: Any) -> None:
    assert await codes(ToolCall("a", "t", arguments)) == ["completed"]


async def test_S1_arguments_over_the_size_limit_are_invalid() -> None:
    text = '{"n": "' + "x" * (4 * 1024 * 1024) + '"}'
    assert await codes(ToolCall("a", "t", text)) == ["tool.invalid-arguments"]


async def test_S1_arguments_against_the_schema_are_told_by_path_and_keyword() -> None:
    result = outcome(await once(plain(parameters=NUMBER), '{"n": -1, "m": 2}'))
    assert result == {
        "kind": "failed",
        "code": "tool.invalid-arguments",
        "message": "n: must be at least 0; m: is not a known property",
        "details": [
            {"path": "n", "keyword": "minimum", "message": "must be at least 0"},
            {
                "path": "m",
                "keyword": "additionalProperties",
                "message": "is not a known property",
            },
        ],
    }


VALUES: list[tuple[dict[str, Any], Any]] = [
    ({"type": "integer"}, "SENTINEL"),
    ({"enum": ["a", "b"]}, "SENTINEL"),
    ({"const": {"a": 1}}, "SENTINEL"),
    ({"pattern": "^a$"}, "SENTINEL"),
    ({"pattern": "^(?=a)a$"}, "SENTINEL"),
    ({"minLength": 20}, "SENTINEL"),
    ({"maxLength": 2}, "SENTINEL"),
    ({"not": {"type": "string"}}, "SENTINEL"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "SENTINEL"),
    ({"oneOf": [{"type": "string"}, {"minLength": 1}]}, "SENTINEL"),
    ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, "SENTINEL"),
    (False, "SENTINEL"),  # type: ignore[list-item]
    ({"items": {"type": "integer"}, "type": "array"}, ["SENTINEL"]),
    ({"uniqueItems": True}, ["SENTINEL", "SENTINEL"]),
    ({"contains": {"type": "integer"}}, ["SENTINEL"]),
    ({"maxItems": 0}, ["SENTINEL"]),
    ({"prefixItems": [True], "unevaluatedItems": False}, [1, "SENTINEL"]),
    ({"type": "string"}, {"a": "SENTINEL"}),
    ({"properties": {"a": {"type": "integer"}}}, {"a": "SENTINEL"}),
    ({"if": True, "then": {"type": "integer"}}, "SENTINEL"),
    ({"dependentSchemas": {"a": False}}, {"a": "SENTINEL"}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": "SENTINEL"}),
    ({"maxProperties": 0}, {"a": "SENTINEL"}),
    ({"multipleOf": 7}, 5_353_535),
    ({"maximum": 7}, 5_353_535),
]


@pytest.mark.parametrize(("schema", "value"), VALUES)
async def test_S1_no_message_holds_a_value_of_the_arguments(schema: Any, value: Any) -> None:
    parameters = {"type": "object", "properties": {"p": schema}}
    result = await once(plain(parameters=parameters), {"p": value})
    text = result.to_json().decode() + repr(result)
    assert outcome(result)["code"] == "tool.invalid-arguments"
    assert "SENTINEL" not in text
    assert "5353535" not in text


async def test_S1_a_message_names_at_most_20_problems_and_counts_the_rest() -> None:
    parameters = {"type": "object", "additionalProperties": {"type": "string"}}
    result = outcome(await once(plain(parameters=parameters), {f"k{i}": i for i in range(50)}))
    assert result["message"].endswith("; and 30 more")
    assert len(result["details"]) == 20


async def test_S1_a_message_has_at_most_4000_characters() -> None:
    parameters = {
        "type": "object",
        "additionalProperties": {"enum": ["y" * 180, *("z" * 10 for _ in range(40))]},
    }
    arguments = {f"{'k' * 60}{i}": i for i in range(50)}
    result = outcome(await once(plain(parameters=parameters), arguments))
    assert 3_000 < len(result["message"]) <= 4_020
    assert "more" in result["message"]


async def test_S1_large_wrong_arguments_are_refused_quickly() -> None:
    parameters = {"type": "object", "properties": {"p": {"items": {"type": "string"}}}}
    result = outcome(await once(plain(parameters=parameters), {"p": [1] * 500_000}))
    assert result["details"] == [{"path": "p[0]", "keyword": "type", "message": "must be string"}]


async def test_S1_formats_refuse_only_where_the_contract_asserts_them() -> None:
    for name, wrong, asserted in [("email", "no", True), ("iri", "no iri", False)]:
        text = f'{{"type": "object", "properties": {{"p": {{"format": "{name}"}}}}}}'
        for formats in (True, False):
            facts = replace(contract(), parameters=Schema(text, formats=formats))
            result = await once(define(facts, echo), {"p": wrong})
            assert (result.kind == "failed") is (formats and asserted)


async def test_S1_a_hostile_pattern_ends_quickly() -> None:
    for pattern in ("^(a+)+$", "^(?=(a+)+$)(a+)+$"):
        parameters = {"type": "object", "properties": {"p": {"pattern": pattern}}}
        result = await once(plain(parameters=parameters), {"p": "a" * 40 + "!"})
        assert outcome(result)["code"] == "tool.invalid-arguments"


async def test_S1_the_schema_of_older_dialects_is_understood() -> None:
    parameters = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": {"P": {"type": "integer"}},
        "properties": {"p": {"items": [{"$ref": "#/definitions/P"}]}},
    }
    assert (await once(plain(parameters=parameters), {"p": [1]})).kind == "completed"
    assert (await once(plain(parameters=parameters), {"p": ["a"]})).kind == "failed"


async def test_S1_invalid_arguments_come_before_a_denial() -> None:
    result = await once(plain(parameters=NUMBER), "{}", policy=lambda _request: Denied("no"))
    assert outcome(result)["code"] == "tool.invalid-arguments"


async def test_S1_a_denial_with_an_empty_reason_is_a_denial() -> None:
    entered = []

    async def handler(_args: Any, _context: object) -> Completed[None]:
        entered.append(1)
        return Completed(None)

    result = await once(plain(handler), "{}", policy=lambda _request: Denied(""))
    assert outcome(result) == {"kind": "denied", "reason": ""}
    assert not entered


async def test_S1_any_denial_beats_any_question() -> None:
    def asks(_request: PolicyRequest) -> Interaction:
        return Interaction(kind="approval", prompt="?")

    for policy in ([asks, lambda _r: Denied("no")], [lambda _r: Denied("no"), asks]):
        assert outcome(await once(plain(), policy=policy)) == {"kind": "denied", "reason": "no"}


async def test_S2_a_sealed_call_cannot_be_changed() -> None:
    calls: list[SealedToolCall] = []

    def spoil(request: PolicyRequest) -> None:
        calls.append(request.call)
        request.call.args["list"].append("SPOILED")
        request.args["list"].append("SPOILED")

    async def handler(args: dict[str, Any], _context: object) -> Completed[Any]:
        return Completed(args["list"])

    arguments = {"list": [1]}
    result = await once(plain(handler), arguments, policy=[spoil, spoil])
    arguments["list"].append(2)
    assert outcome(result)["output"] == [1]
    assert calls[0].args == {"list": [1]}
    with pytest.raises(AttributeError):
        calls[0].call_id = "x"  # type: ignore[misc]
    assert calls[0].as_json() == {"callId": "c1", "toolName": "t", "args": {"list": [1]}}


async def test_S2_what_is_parsed_is_what_is_shown_and_run() -> None:
    shown = []
    result = await once(
        plain(), '{"n": 1, "n": 2}', policy=lambda request: shown.append(request.call.args)
    )
    assert shown == [{"n": 2}]
    assert outcome(result)["output"] == {"n": 2}


async def test_S3_invocation_ids_are_unique_and_part_of_the_context() -> None:
    seen = []

    async def handler(_args: Any, context: ToolExecutionContext) -> Completed[None]:
        seen.append(context.invocation_id)
        return Completed(None)

    await run(plain(handler), *(ToolCall(str(i), "t", "{}") for i in range(100)))
    assert len(set(seen)) == 100
    assert all(identifier.startswith("inv_") for identifier in seen)
    assert len({identifier.rpartition("_")[0] for identifier in seen}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_S3_a_forked_process_has_a_prefix_of_its_own() -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, invocation_id().encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    theirs = os.read(read, 200).decode()
    os.close(read)
    assert theirs.rpartition("_")[0] != invocation_id().rpartition("_")[0]
