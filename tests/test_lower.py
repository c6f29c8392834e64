"""The parts of lowering that cases do not show: paths, prompts, digests, namespaces, recovery."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lowering import errors, lowered, only_tool, shapes_of, tool_spec
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln.lower.digest import canonical, without_texts
from toolkiln.lower.paths import Malformed, path, pieces, spelled
from toolkiln.lower.places import join
from toolkiln.lower.pointers import fragment, parsed
from toolkiln.shape import Choice, Ref


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("a", ("a",)),
        ("amount.cents", ("amount", "cents")),
        ('["odd name"]', ("odd name",)),
        ('a["b.c"].d', ("a", "b.c", "d")),
        ('["a"]["b"]', ("a", "b")),
        ('["\\u00e9\\""]', ('é"',)),
        ("attachments.0", ("attachments", "0")),
    ],
)
def test_a_path_is_read_as_written(written: str, names: tuple[str, ...]) -> None:
    assert path(written).names == names


@pytest.mark.parametrize("written", ["a..b", ".a", "a.", "a b", "[a]", '["a', "a[0]", "a{"])
def test_what_is_no_path_is_refused(written: str) -> None:
    with pytest.raises(Malformed):
        path(written)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3).map(tuple))
def test_a_path_survives_being_spelled(names: tuple[str, ...]) -> None:
    assert path(spelled(names)).names == names


def test_a_prompt_is_text_and_paths() -> None:
    found = [str(piece) for piece in pieces('{{Pay}} {a.b} to {["x}y"]}!')]
    assert found == ["{Pay} ", "a.b", " to ", '["x}y"]', "!"]


@given(st.text())
def test_any_prompt_is_read_or_refused(written: str) -> None:
    try:
        found = pieces(written)
    except Malformed:
        return
    assert "".join(each for each in found if isinstance(each, str)).count("{") <= len(written)


@given(st.lists(st.text() | st.integers(0, 99), max_size=4).map(tuple))
def test_a_pointer_survives_being_a_fragment(pointer: tuple[str | int, ...]) -> None:
    text = fragment(pointer)
    value: Any = None
    for step in reversed(pointer):
        value = [None] * step + [value] if isinstance(step, int) else {step: value}
    assert parsed(text.removeprefix("#"), value) == pointer


def test_a_reference_is_joined_to_a_base_of_any_kind() -> None:
    assert join("", "item.json") == "item.json"
    assert join("https://x.example/a/b", "c") == "https://x.example/a/c"
    assert join("urn:x", "urn:y") == "urn:y"


# --- digests


def test_the_canonical_text_knows_no_order_no_space_and_no_integral_floats() -> None:
    assert canonical({"b": 1.0, "a": [1.5, "é", None]}) == '{"a":[1.5,"é",null],"b":1}'.encode()


def test_texts_are_taken_from_schemas_and_not_from_data() -> None:
    schema = {
        "title": "t",
        "x-note": 1,
        "default": {"title": "kept"},
        "properties": {"title": {"description": "gone", "const": {"description": "kept"}}},
        "anyOf": [{"$comment": "gone", "type": "string"}],
    }
    assert without_texts(schema) == {
        "default": {"title": "kept"},
        "properties": {"title": {"const": {"description": "kept"}}},
        "anyOf": [{"type": "string"}],
    }


def test_the_digest_is_that_of_the_wire() -> None:
    spec = tool_spec(
        {
            "description": "d",
            "parameters": {"required": ["a"], "properties": {"a": {"description": "x"}}},
            "failures": {"gone": "It is gone."},
            "deferred": True,
        }
    )
    tool, _ = only_tool({"a.yaml": spec})
    wire = {
        "name": "t",
        "parameters": {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {}},
            "additionalProperties": False,
        },
        "output": None,
        "failures": {"gone": None},
        "interactions": {},
        "deferred": {"token": None},
    }
    text = json.dumps(wire, sort_keys=True, separators=(",", ":"))
    assert tool.digest == hashlib.sha256(text.encode()).hexdigest()


def test_texts_do_not_change_the_digest_and_defaults_do() -> None:
    def digest(extra: dict[str, Any], description: str = "d") -> str:
        parameters = {"properties": {"a": {"type": "string", **extra}}}
        spec = tool_spec({"description": description, "parameters": parameters})
        return only_tool({"a.yaml": spec})[0].digest

    assert digest({}) == digest({"title": "A", "x-y": 1, "examples": ["b"]}, "other")
    assert digest({}) != digest({"default": "b"})


# --- the contract


def test_a_type_name_is_the_definition_itself() -> None:
    spec = tool_spec(
        {"description": "d", "output": "Refund", "deferred": {"token": {"$ref": "#/$defs/Refund"}}},
        **{"$defs": {"Refund": {"type": "object", "properties": {"id": {"type": "string"}}}}},
    )
    tool, contract = only_tool({"a.yaml": spec})
    assert tool.output
    assert tool.output.type == Ref("n#/$defs/Refund")
    assert tool.deferred
    assert tool.deferred.token
    assert tool.deferred.token.type == Ref("n#/$defs/Refund")
    (definition,) = [each for each in shapes_of(contract) if each.key == "n#/$defs/Refund"]
    assert definition.words == ("Refund",)


def test_definitions_are_declared_once_by_their_own_namespace() -> None:
    common = {"toolkiln": 1, "$defs": {"Money": {"type": "object", "properties": {"c": {}}}}}
    output = {"$ref": "common.yaml#/$defs/Money"}
    one = tool_spec({"description": "d", "output": output})
    two = {**one, "namespace": "m"}
    contract, found = lowered({"common.yaml": common, "one.yaml": one, "two.yaml": two})
    assert not errors(found)
    homes = {each.key: each.home for each in shapes_of(contract)}
    assert [key for key in homes if "Money" in key] == ["common.yaml.json#/$defs/Money"]
    libraries = [namespace.name for namespace in contract.namespaces if namespace.library]
    assert libraries == ["common.yaml.json"]


def test_choices_keep_integers_and_booleans_apart() -> None:
    spec = tool_spec({"description": "d", "output": {"enum": [1, True, 1.0, "1"]}})
    tool, _ = only_tool({"a.yaml": spec})
    assert tool.output
    assert tool.output.type == Choice((1, True, "1"))


def test_one_broken_tool_does_not_take_the_others_along() -> None:
    spec = tool_spec({"description": "d", "output": {"type": "dict"}})
    spec["tools"]["good"] = {"description": "d"}
    contract, found = lowered({"a.yaml": spec})
    assert [tool.name for tool in contract.tools] == ["good"]
    assert [finding.tool for finding in errors(found)] == ["n.t"]


def test_a_thousand_records_in_a_row_are_not_too_deep() -> None:
    chain = {
        f"R{number}": {
            "type": "object",
            "properties": {"next": {"$ref": f"#/$defs/R{number + 1}"}},
        }
        for number in range(1000)
    }
    chain["R1000"] = {"type": "string"}
    spec = tool_spec({"description": "d", "output": "R0"}, **{"$defs": chain})
    _, contract = only_tool({"a.yaml": spec})
    assert len(shapes_of(contract)) == 1001


def test_a_chain_of_aliases_without_end_is_an_error_and_no_crash() -> None:
    chain: dict[str, Any] = {
        f"A{number}": {"type": "array", "items": {"$ref": f"#/$defs/A{number + 1}"}}
        for number in range(1000)
    }
    chain["A1000"] = {"type": "string"}
    spec = tool_spec({"description": "d", "output": "A0"}, **{"$defs": chain})
    spec["tools"]["good"] = {"description": "d"}
    contract, found = lowered({"a.yaml": spec})
    assert "good" in [tool.name for tool in contract.tools]
    assert len(contract.tools) == 2 or [each.rule for each in errors(found)] == ["schema-too-deep"]


def test_the_trial_specs_have_exactly_two_errors(shared: Any) -> None:
    folder = shared / "reference" / "spec-trials"
    found = []
    for file in sorted(folder.glob("*.yaml")):
        specs, findings = load(folder, [file], packages=lambda name: [folder / "pkg" / name])
        assert not errors(findings), findings
        found += errors(lower(specs)[1])
    assert [(finding.rule, finding.tool) for finding in found] == [
        ("example-invalid", "calendar.create_event"),
        ("keyword-unknown", "payouts.start_payout"),
    ]
    assert found[1].hint == 'A comma ends a value inside { }. Quote the text: "Now, for a fee"'


def test_schemas_as_deep_as_files_may_be_are_lowered() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(95):
        schema = {"type": "object", "properties": {"a": schema}}
    tool, contract = only_tool({"a.yaml": tool_spec({"description": "d", "output": schema})})
    assert tool.output
    assert len(shapes_of(contract)) == 96


def test_a_name_that_looks_like_a_digest_is_not_overwritten() -> None:
    money = {"toolkiln": 1, "$defs": {"Money": {"type": "integer"}}}
    reference = {"$ref": "b.yaml#/$defs/Money"}

    def bundle(own: dict[str, Any]) -> Any:
        output = {"properties": {"a": reference, "b": {"$ref": "#/$defs/Money"}}, "$defs": own}
        spec = tool_spec({"description": "d", "output": output})
        return only_tool({"a.yaml": spec, "b.yaml": money})[0].output

    first = bundle({"Money": {"type": "string"}})
    (added,) = first.source["$defs"].keys() - {"Money"}
    second = bundle({"Money": {"type": "string"}, added: {"type": "null"}})
    assert second.source["$defs"][added] == {"type": "null"}
    assert len(second.source["$defs"]) == 3
