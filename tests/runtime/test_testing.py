"""The kit for tests of hosts, and made-up values."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from toolkiln_runtime import (
    Capability,
    Catalog,
    Completed,
    Deferred,
    Denied,
    Failed,
    Interaction,
    InteractionRequired,
    ToolFailure,
    ToolModel,
    ToolSlot,
)
from toolkiln_runtime.contract import Approval, Contract, Deferral, Failure, Question
from toolkiln_runtime.testing import FAKE, REAL, ManualClock, NoSample, Rehearsal, Unscripted, fake

from .kit import declared, outcome, plain, schema
from .test_digests import GOLDEN, contracts

OUTPUT = {
    "type": "object",
    "required": ["id", "cents"],
    "properties": {
        "id": {"type": "string", "pattern": "^in_[a-z0-9]{3,}$"},
        "cents": {"type": "integer", "minimum": 1, "multipleOf": 5},
    },
}
FACTS: dict[str, Any] = {
    "output": schema(OUTPUT),
    "failures": {"gone": Failure("It is gone.")},
    "interactions": {"pick": Question(kind="response", prompt=("?",), response=schema(True))},
    "deferred": Deferral(),
}


class Args(ToolModel):
    n: int = 0


async def real(_args: Any, _context: object) -> Completed[Any]:
    return Completed({"id": "in_real", "cents": 5})


def rehearsal(**settings: Any) -> Rehearsal:
    slot = ToolSlot("ns", [declared(real, model=Args, **FACTS)], prefix="shop_")
    return Rehearsal(Catalog([slot]), **settings)


async def test_a_handler_without_a_script_raises() -> None:
    test = rehearsal()
    for calls in ([("shop_t", {})], [("shop_t", {})] * 2):
        with pytest.raises(Unscripted, match="shop_t"):
            await test.run(*calls)
    test.script("shop_t", Denied("no"))
    await test.call("shop_t")
    with pytest.raises(Unscripted):
        await test.call("shop_t")


async def test_every_outcome_can_be_scripted() -> None:
    test = rehearsal()
    pick = InteractionRequired(Interaction(kind="response", name="pick"), None)
    test.script(
        "shop_t",
        FAKE,
        Denied("no"),
        Failed("gone", ""),
        ToolFailure("gone"),
        ValueError("SENTINEL"),
        lambda args, _context: Completed({"id": "in_abc", "cents": args.n}),
        REAL,
        pick,
        lambda _args, context: Completed({"id": "in_abc", "cents": context.resume.value}),
        Deferred(),
    )
    codes: list[Any] = []
    for _ in range(7):
        (result,) = (await test.call("shop_t", {"n": 5})).results
        codes.append(outcome(result).get("code", result.kind))
    assert codes == [
        "completed",
        "denied",
        "gone",
        "gone",
        "tool.execution-failed",
        "completed",
        "completed",
    ]
    progress = await test.respond(await test.call("shop_t"), 10)
    assert outcome(progress.results[0])["output"]["cents"] == 10
    progress = await test.settle(await test.call("shop_t"), Failed("gone", "x"))
    assert outcome(progress.results[0])["code"] == "gone"
    assert test.entered[0] == ("shop_t", Args(n=5))
    with pytest.raises(LookupError):
        test.script("t", FAKE)


async def test_a_gate_is_answered_in_one_line_and_time_passes_when_told() -> None:
    gate = Approval(prompt=("?",), expires=60.0)
    slot = ToolSlot("ns", [declared(real, approval=gate)], capability=Capability("cap", str))
    test = Rehearsal(Catalog([slot]))
    test.script("t", FAKE)
    progress = await test.approve(await test.call("t"))
    assert outcome(progress.results[0])["output"] is None
    progress = await test.refuse(await test.call("t"), reason="no")
    assert progress.results[0].kind == "denied"
    both = await test.run(("t", {}), ("t", {}))
    with pytest.raises(LookupError, match="2 calls"):
        await test.approve(both)
    await test.refuse(both, both.pending[0].call.call_id)
    test.clock.advance(60)
    progress = await test.executor.expire()
    assert {outcome(result)["code"] for result in progress.results[1:]} == {"interaction.expired"}


def test_a_manual_clock_stands_still() -> None:
    clock = ManualClock(5)
    assert (clock(), clock()) == (5, 5)
    clock.advance(2.5)
    assert clock() == 7.5


TREE = {
    "type": "object",
    "required": ["v"],
    "additionalProperties": False,
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Tree"}},
}
THREE = [
    {"required": ["a"], "properties": {"a": {"minimum": 3}}},
    {"properties": {"a": {"maximum": 3}}},
]
OLD = "http://json-schema.org/draft-07/schema#"
DOCUMENTS: list[Any] = [
    True,
    {},
    {"const": {"a": 1}},
    {"enum": [None, False]},
    {"type": ["null", "integer"], "maximum": -3},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25},
    {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3},
    {"type": "number", "minimum": 1.25, "maximum": 1.25, "multipleOf": 0.25},
    {"type": "string", "minLength": 30, "maxLength": 31},
    {"type": "string", "pattern": r"^(a|bc)+\d{2}[^x-z]?\w\s$"},
    {"pattern": "^[A-Z]{3}-[0-9]+$"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "uuid"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
    {"type": "array", "prefixItems": [{"const": 1}, {"type": "string"}], "minItems": 2},
    {"type": "array", "contains": {"const": 7}, "minContains": 2, "items": {"type": "integer"}},
    {"type": "object", "minProperties": 2, "additionalProperties": {"type": "boolean"}},
    {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}},
    {
        "allOf": [
            {"required": ["a"], "properties": {"a": {"minimum": 3}}},
            {"properties": {"a": {"maximum": 3}}},
        ]
    },
    {"anyOf": [{"type": "string"}, {"type": "integer"}], "enum": ["a", 1, None]},
    {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object"},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "type": "object"},
    {
        "$ref": "#/$defs/Tree",
        "$defs": {
            "Tree": {
                "type": "object",
                "required": ["v"],
                "additionalProperties": False,
                "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Tree"}},
            }
        },
    },
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"enum": [3]}},
        "$ref": "#/definitions/a",
    },
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_made_up_values_are_valid_and_depend_on_the_seed_alone(document: Any) -> None:
    for seed in range(10):
        value = fake(document, seed=seed)
        jsonschema.validate(value, document)
        assert json.dumps(fake(document, seed=seed)) == json.dumps(value)


@pytest.mark.parametrize("document", [False, {"not": {}}, {"type": "integer", "enum": ["a"]}])
def test_what_has_no_valid_value_is_said(document: Any) -> None:
    with pytest.raises(NoSample):
        fake(document)


def slots(contract: Contract) -> Any:
    questions = contract.interactions.values()
    yield from (contract.parameters, contract.output)
    yield from (failure.details for failure in contract.failures.values())
    for question in questions:
        yield from (question.response, question.metadata, question.token)
    if contract.deferred:
        yield contract.deferred.token


@pytest.mark.parametrize("case", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_every_slot_of_golden_contracts_has_made_up_values(case: str) -> None:
    for contract in contracts(GOLDEN / case):
        for slot in filter(None, slots(contract)):
            for seed in range(3):
                assert fake(slot, seed=seed) is not Ellipsis


async def test_a_plain_tool_without_an_output_schema_is_made_up_too() -> None:
    test = Rehearsal(Catalog([ToolSlot("ns", [plain()])]))
    test.script("t", FAKE)
    assert (await test.call("t")).results[0].kind == "completed"
