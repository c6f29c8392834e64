from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field

from toolkiln_runtime import (
    Capability,
    Catalog,
    Completed,
    Executor,
    ToolCall,
    ToolDefinition,
    ToolError,
    ToolOwner,
    ToolSlot,
    define,
    tool,
)

from .kit import IDS, NUMBER, OPEN, contract, declared, echo, once, outcome, plain, run


def code_of(make: Any) -> str:
    with pytest.raises(ToolError) as caught:
        make()
    return caught.value.code


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "string"},
        {},
        {"type": "strin"},
        {"type": "object", "properties": {"a": {"pattern": "["}}},
        {"type": "object", "$schema": "https://example.com/mine"},
        {"type": "object", "properties": {"a": {"$schema": "https://example.com/mine"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/absent"}}},
        {"type": "object", "default": {1, 2}},
        {"type": "object", "minimum": float("nan")},
    ],
)
def test_D1_a_bad_schema_fails_at_the_definition(parameters: dict[str, Any]) -> None:
    assert code_of(lambda: plain(parameters=parameters)) == "tool.invalid-schema"


def test_D1_a_schema_that_needs_the_network_is_refused_without_asking_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import socket

    def closed(*_args: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", closed)
    for reference in ("http://127.0.0.1:9/x", "file:///etc/hostname"):
        parameters = {"type": "object", "properties": {"a": {"$ref": reference}}}
        assert code_of(lambda p=parameters: plain(parameters=p)) == "tool.invalid-schema"


def test_D1_an_empty_name_and_a_handler_that_cannot_be_called_are_refused() -> None:
    assert code_of(lambda: plain(name="")) == "tool.invalid-name"
    assert code_of(lambda: plain(execute=None)) == "tool.invalid"  # type: ignore[arg-type]
    assert code_of(lambda: define(contract(), None)) == "tool.invalid"  # type: ignore[arg-type]


def test_D1_a_contract_of_a_newer_protocol_is_refused() -> None:
    from msgspec.structs import replace

    newer = replace(contract(), protocol=99)
    assert code_of(lambda: define(newer, echo)) == "tool.invalid"


def test_D1_preparing_twice_gives_the_same_object() -> None:
    definition = ToolDefinition(name="t", parameters=OPEN, execute=echo)
    assert tool(definition) is definition
    assert tool(tool(definition)) is definition


async def test_D1_a_definition_does_not_change_afterwards() -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    definition = plain(parameters=parameters)
    parameters["properties"]["a"]["type"] = "integer"
    assert (await once(definition, '{"a": "x"}')).kind == "completed"
    with pytest.raises(AttributeError):
        definition.name = "other"  # type: ignore[misc]


async def test_D1_a_generated_definition_compiles_nothing_before_its_first_call() -> None:
    asked = []

    class Args(BaseModel):
        n: int

    def model() -> type[Args]:
        asked.append(1)
        return Args

    async def handler(args: Args, _context: object) -> Completed[int]:
        return Completed(args.n)

    definition = define(contract(parameters=NUMBER), handler, model=model)
    catalog = Catalog([ToolSlot("ns", [definition])])
    assert not asked
    executor = Executor(catalog)
    for _ in range(2):
        progress = await executor.run([ToolCall("c", "t", '{"n": 3}')], **IDS)
        assert outcome(progress.results[0]) == {"kind": "completed", "output": 3}
    assert asked == [1]


async def test_D1_a_contract_that_does_not_compile_fails_the_call_and_not_the_host() -> None:
    result = await once(declared(parameters={"type": "nonsense"}))
    assert outcome(result)["code"] == "tool.internal"


async def test_D1_a_pydantic_model_is_a_schema_and_what_the_handler_gets() -> None:
    class Args(BaseModel):
        name: str = Field(alias="userName")
        times: int = 1

    seen = []

    async def handler(args: Args, _context: object) -> Completed[str]:
        seen.append(args)
        return Completed(args.name * args.times)

    definition = tool(name="t", parameters=Args, execute=handler, output=str)
    assert outcome(await once(definition, '{"userName": "a"}')) == {
        "kind": "completed",
        "output": "a",
    }
    assert outcome(await once(definition, '{"name": "a"}'))["code"] == "tool.invalid-arguments"
    assert isinstance(seen[0], Args)


async def test_D1_what_only_the_model_refuses_is_an_invalid_argument() -> None:
    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError(f"{value} is even")
        return value

    class Args(BaseModel):
        n: Annotated[int, AfterValidator(odd)]

    result = outcome(await once(plain(parameters=Args), '{"n": 4242}'))
    assert result["code"] == "tool.invalid-arguments"
    assert result["details"][0]["path"] == "n"
    assert "4242" not in str(result)


SHOWN = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.com/args",
    "$comment": "ours",
    "x-internal": True,
    "type": "object",
    "properties": {
        "x-real": {"type": "string", "x-hidden": 1, "const": {"x-data": 1}},
        "money": {"$ref": "https://example.com/money#/$defs/cents"},
        "same": {"$ref": "#money"},
    },
    "$defs": {
        "Money": {
            "$id": "money",
            "$defs": {"cents": {"type": "integer"}},
            "properties": {"cents": {"$ref": "#/$defs/cents"}},
        },
        "Anchored": {"$anchor": "money", "type": "string"},
    },
}


def test_D2_the_model_sees_name_description_and_a_clean_schema() -> None:
    (shown,) = Catalog([ToolSlot("ns", [plain(parameters=SHOWN, description="Does it.")])]).shown()
    assert shown == {
        "name": "t",
        "description": "Does it.",
        "parameters": {
            "type": "object",
            "properties": {
                "x-real": {"type": "string", "const": {"x-data": 1}},
                "money": {"$ref": "#/$defs/Money/$defs/cents"},
                "same": {"$ref": "#/$defs/Anchored"},
            },
            "$defs": {
                "Money": {
                    "$defs": {"cents": {"type": "integer"}},
                    "properties": {"cents": {"$ref": "#/$defs/Money/$defs/cents"}},
                },
                "Anchored": {"type": "string"},
            },
        },
    }


def test_D2_an_empty_description_is_absent() -> None:
    (shown,) = Catalog([ToolSlot("ns", [plain()])]).shown()
    assert set(shown) == {"name", "parameters"}


def test_D3_binding_adds_the_owner_and_a_read_only_schema() -> None:
    slot = ToolSlot("ns", [plain(parameters=NUMBER)], slot="extra")
    bound = Catalog([slot]).tools["t"]
    assert bound.owner == ToolOwner("ns", "extra")
    assert str(bound.owner) == "ns/extra"
    assert bound.execute is echo
    assert bound.parameters.validate({"n": 1}) == []
    assert [str(p) for p in bound.parameters.validate({"n": -1})] == ["n: must be at least 0"]
    assert bound.parameters.validate({"n": {1, 2}})[0].keyword == "json"
    bound.parameters.json_schema["properties"].clear()
    assert bound.parameters.validate({"n": -1})
    with pytest.raises(AttributeError):
        bound.owner = ToolOwner("a", "b")  # type: ignore[misc]


def test_D3_the_default_slot_is_the_middleware_id_and_a_capability_names_it() -> None:
    assert ToolSlot("ns", []).owner == ToolOwner("ns", "ns")
    capability = Capability("database", lambda _session: None)
    assert ToolSlot("ns", [], capability=capability).owner == ToolOwner("database", "database")


def names(catalog: Catalog) -> list[str]:
    return list(catalog.tools)


def test_D3_tools_are_ordered_by_slot_order_registration_and_place() -> None:
    catalog = Catalog(
        [
            ToolSlot("late", [plain(name="z"), plain(name="y")], order=1),
            ToolSlot("b", [plain(name="d"), plain(name="c")]),
            ToolSlot("a", [plain(name="b")]),
            ToolSlot("first", [plain(name="x")], order=-1),
        ]
    )
    assert names(catalog) == ["x", "d", "c", "b", "z", "y"]


def test_D3_setting_a_slot_again_replaces_it_at_its_place() -> None:
    catalog = Catalog([ToolSlot("a", [plain(name="old")]), ToolSlot("b", [plain(name="b")])])
    changed = catalog.including(ToolSlot("a", [plain(name="new")]))
    assert names(changed) == ["new", "b"]
    assert names(catalog) == ["old", "b"]


async def test_D3_a_slot_may_carry_a_name_prefix() -> None:
    slot = ToolSlot("ns", [declared(formerly=("was",))]).placed(prefix="billing_")
    executor = Executor(Catalog([slot]))
    calls = [ToolCall("a", "billing_t", "{}"), ToolCall("b", "t", "{}")]
    progress = await executor.run([*calls, ToolCall("c", "billing_was", "{}")], **IDS)
    kinds = [outcome(result).get("code", result.kind) for result in progress.results]
    assert kinds == ["completed", "tool.unknown", "tool.unknown"]
    assert "billing_t" in outcome(progress.results[2])["message"]


def test_D4_two_tools_of_one_name_name_both_owners() -> None:
    with pytest.raises(ToolError, match=r"left.*right") as caught:
        Catalog([ToolSlot("left", [plain()]), ToolSlot("right", [plain()])])
    assert caught.value.code == "configuration.duplicate-tool-name"


def test_D4_two_capabilities_of_one_id_are_refused() -> None:
    slots = [
        ToolSlot(name, [], slot=name, capability=Capability("same", lambda _session: None))
        for name in ("a", "b")
    ]
    assert code_of(lambda: Catalog(slots)) == "configuration.duplicate-capability"


async def test_a_method_can_be_a_handler() -> None:
    class Service:
        factor = 3

        async def run(self, args: dict[str, Any], _context: object) -> Completed[int]:
            return Completed(args["n"] * self.factor)

        async def __call__(self, args: dict[str, Any], _context: object) -> Completed[int]:
            return Completed(args["n"])

    progress = await run(
        (plain(Service().run, "a"), plain(Service(), "b")),
        ToolCall("1", "a", {"n": 2}),
        ToolCall("2", "b", {"n": 2}),
    )
    assert [outcome(result)["output"] for result in progress.results] == [6, 2]
