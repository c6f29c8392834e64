"""What holds for any schema: nothing raises, verdicts stay however it is split, types fit."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.lowering import admits, errors, lowered, refs, shapes_of, tool_spec, validity
from tests.random_schemas import DEFINITIONS, documents, instances, reference, values

relaxed = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def relocated(value: Any, prefix: dict[str, str]) -> Any:
    """*value* with its references turned to where the definitions have gone."""
    if isinstance(value, list):
        return [relocated(inner, prefix) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        key: prefix.get(inner, inner)
        if key == "$ref" and isinstance(inner, str)
        else relocated(inner, prefix)
        for key, inner in value.items()
    }


def in_slot(document: dict[str, Any]) -> dict[str, Any]:
    return {"a.yaml": tool_spec({"description": "d", "output": document})}


def in_file(document: dict[str, Any]) -> dict[str, Any]:
    rest = {word: value for word, value in document.items() if word != "$defs"}
    spec = tool_spec({"description": "d", "output": rest}, **{"$defs": document["$defs"]})
    return {"a.yaml": spec}


def in_plain_file(document: dict[str, Any]) -> dict[str, Any]:
    output = {"$ref": "s.schema.json"}
    return {"s.schema.json": document, "a.yaml": tool_spec({"description": "d", "output": output})}


def in_files(document: dict[str, Any]) -> dict[str, Any]:
    """Each definition in a file of its own, one of them in a package."""
    homes = dict(zip(DEFINITIONS, ("b.yaml", "c.yaml", "pkg:acme/d.yaml"), strict=True))
    files: dict[str, Any] = {}
    for name, home in homes.items():
        # A package cannot refer to the project, so that one keeps copies of what it needs.
        inner = document["$defs"] if home.startswith("pkg:") else {name: document["$defs"][name]}
        files[home] = {"toolkiln": 1, "$defs": copy.deepcopy(inner)}
    for home in (*homes.values(), ""):
        prefix = {
            reference(name): f"{other}{reference(name)}"
            for name, other in homes.items()
            if other != home and not home.startswith("pkg:")
        }
        if home:
            files[home] = relocated(files[home], prefix)
        else:
            rest = {word: value for word, value in document.items() if word != "$defs"}
            output = relocated(rest, prefix)
            files["a.yaml"] = tool_spec({"description": "d", "output": output})
    return files


LAYOUTS = {
    "a slot of its own": in_slot,
    "the definitions in the file": in_file,
    "a plain schema file": in_plain_file,
    "the definitions in other files": in_files,
}


def looping(found: Any) -> bool:
    return any(finding.rule == "reference-loop" for finding in errors(found))


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
@relaxed
@given(data=st.data())
def test_a_schema_means_the_same_wherever_it_stands(layout: Any, data: st.DataObject) -> None:
    document = data.draw(documents())
    contract, found = lowered(layout(document))
    assume(not looping(found))
    assert not errors(found), found
    (tool,) = contract.tools
    assert tool.output
    alone = jsonschema_rs.validator_for(document, offline=True)
    for _ in range(4):
        value = data.draw(instances(document))
        verdict = alone.is_valid(value)
        assert validity(tool.output, value) == verdict, (tool.output.source, value)
        assert not verdict or admits(contract, tool.output.type, value), (tool.output.type, value)


@relaxed
@given(data=st.data())
def test_bundles_mean_what_an_independent_validator_says(data: st.DataObject) -> None:
    document = data.draw(documents())
    contract, found = lowered(in_file(document))
    assume(not looping(found))
    (tool,) = contract.tools
    assert tool.output
    oracle = jsonschema.Draft202012Validator(document)
    value = data.draw(instances(document))
    assert validity(tool.output, value) == oracle.is_valid(value)


@relaxed
@given(documents())
def test_every_reference_of_a_shape_is_defined(document: dict[str, Any]) -> None:
    contract, _ = lowered(in_file(document))
    known = {definition.key: definition for definition in shapes_of(contract)}
    for tool in contract.tools:
        assert set(refs(tool.parameters.type)) <= known.keys()
        assert tool.output is None or set(refs(tool.output.type)) <= known.keys()
    for definition in known.values():
        assert set(refs(definition.body)) <= known.keys()


@relaxed
@given(documents(), documents())
def test_a_shape_does_not_depend_on_other_tools(
    document: dict[str, Any], other: dict[str, Any]
) -> None:
    spec = in_file(document)["a.yaml"]
    alone, found = lowered({"a.yaml": spec})
    assume(not looping(found))
    rest = {word: value for word, value in other.items() if word != "$defs"}
    tools = {"0": {"description": "d", "output": rest}, **spec["tools"]}
    both, _ = lowered({"a.yaml": {**spec, "tools": tools}})
    same = [tool for tool in both.tools if tool.name == "t"]
    assert list(alone.tools) == same
    known = {definition.key: definition for definition in shapes_of(both)}
    assert all(known[each.key] == each for each in shapes_of(alone))


FULL = tool_spec(
    {
        "title": "T",
        "description": "d",
        "effects": {"destructive": False},
        "parameters": {
            "required": ["a"],
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"enum": ["x", "y"], "default": "x"}},
        },
        "output": "A",
        "failures": ["gone"],
        "approval": {"when": [{"a.n": {"minimum": 3}}, {"b": "y"}], "prompt": "Do {a.n} of {b}?"},
        "interactions": {
            "ask": {
                "prompt": "{metadata.m}?",
                "response": "string",
                "metadata": {"type": "object", "properties": {"m": {}}},
            }
        },
        "deferred": {"token": "A", "expires": "3d"},
        "timeout": "2m",
        "examples": {
            "one": {"args": {"a": {"n": 1}}, "output": {"n": 2}},
            "two": {"args": {"a": {"n": 3}}, "asks": "approval"},
            "bad": {"args": {}, "rejects": "a"},
        },
    },
    failures={"gone": {"description": "g", "details": {"type": "object"}}},
    defaults={"expires": "1h", "tags": ["x"]},
    **{"$defs": {"A": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else (enumerate(value) if isinstance(value, list) else ())
    )
    return [path, *[found for key, each in inner for found in places(each, (*path, key))]]


def test_the_spec_that_is_mutated_below_is_free_of_errors() -> None:
    contract, found = lowered({"a.yaml": FULL})
    assert not errors(found), found
    assert len(contract.tools) == 1


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_nothing_that_is_written_raises(data: st.DataObject) -> None:
    spec = copy.deepcopy(FULL)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([path for path in places(spec) if len(path) > 1]))
        above = spec
        for step in path[:-1]:
            above = above[step]
        above[path[-1]] = data.draw(
            values
            | st.sampled_from(["#", "#/$defs/A", "{", "a..b", "[", "{a}", "never", "30s"])
            | st.builds(
                lambda value: {"$ref": value},
                st.sampled_from(
                    [
                        "#",
                        "#/tools/t/parameters",
                        "#/tools/t/examples",
                        "x.yaml#/y",
                        "http://[",
                        "#x",
                    ]
                ),
            )
        )
    contract, found = lowered({"a.yaml": json.loads(json.dumps(spec))})
    for tool in contract.tools:
        assert jsonschema_rs.validator_for(tool.parameters.source, offline=True)
    assert contract.tools or errors(found)
