"""Schemas that other generators got wrong: their verdicts survive bundling and lowering."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lowering import admits, errors, lowered, only_tool, tool_spec, validity
from tests.support import SHARED, require

HARD = SHARED / "corpus" / "hard"


def corpus() -> Iterator[Any]:
    for folder in sorted(HARD.glob("*/")) if HARD.is_dir() else ():
        yield pytest.param(folder, id=folder.name)


def spec_with(schema: Any) -> dict[str, Any]:
    """A tool that returns what *schema* describes; in a plain file unknown keywords are fine."""
    return {
        "s.schema.json": schema,
        "spec.yaml": tool_spec({"description": "d", "output": {"$ref": "s.schema.json"}}),
    }


def test_the_corpus_of_hard_schemas_is_there() -> None:
    require("shared")
    assert len(list(corpus())) == 58


@pytest.mark.parametrize("folder", list(corpus()))
def test_a_hard_schema_keeps_its_verdicts(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text())
    schema = json.loads((folder / case["main"]).read_text())
    files = spec_with(schema)
    if case["schema_must_be_refused"]:
        contract, found = lowered(files)
        assert errors(found)
        assert all(finding.message and finding.span for finding in errors(found))
        assert not contract.tools
        return
    tool, contract = only_tool(files)
    assert tool.output
    for value in case["accept"]:
        assert validity(tool.output, value), value
        assert admits(contract, tool.output.type, value), value
    for value in case["reject"]:
        assert not validity(tool.output, value), value


OWN = {
    "a reference into an unknown place": (
        {"$ref": "#/components/T", "components": {"T": {"type": "boolean"}}},
        [True],
        ["x"],
    ),
    "references that are data": (
        {"enum": [{"$ref": "#/nowhere"}], "default": {"$ref": "#/nowhere"}},
        [{"$ref": "#/nowhere"}],
        [{}],
    ),
    "recursion through the root": (
        {
            "type": "object",
            "properties": {"up": {"$ref": "#"}},
            "additionalProperties": False,
        },
        [{}, {"up": {"up": {}}}],
        [{"up": {"x": 1}}],
    ),
    "recursion between any JSON values": (
        {
            "$ref": "#/$defs/Value",
            "$defs": {
                "Value": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/List"}]},
                "List": {"type": "array", "items": {"$ref": "#/$defs/Value"}},
            },
        },
        ["a", [[], ["b"]]],
        [1, [[1]]],
    ),
    "dynamic recursion": (
        {
            "$id": "https://example.com/strict",
            "$dynamicAnchor": "node",
            "$ref": "tree",
            "unevaluatedProperties": False,
            "$defs": {
                "tree": {
                    "$id": "tree",
                    "$dynamicAnchor": "node",
                    "type": "object",
                    "properties": {
                        "data": True,
                        "kids": {"type": "array", "items": {"$dynamicRef": "#node"}},
                    },
                }
            },
        },
        [{"kids": [{"data": 1}]}],
        [{"kids": [{"daat": 1}]}, {"daat": 1}],
    ),
    "older recursion": (
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$id": "https://example.com/tree",
            "$recursiveAnchor": True,
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$recursiveRef": "#"}}},
        },
        [{"kids": [{}]}],
        [{"kids": [1]}],
    ),
    "anchors and identifiers": (
        {
            "$id": "https://example.com/root",
            "properties": {"a": {"$ref": "#here"}, "b": {"$ref": "other#/$defs/x"}},
            "$defs": {
                "A": {"$anchor": "here", "type": "integer"},
                "B": {"$id": "other", "$defs": {"x": {"type": "string"}}},
            },
        },
        [{"a": 1, "b": "x"}],
        [{"a": "x"}, {"b": 1}],
    ),
    "what stands beside a reference in draft-07": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"$ref": "#/definitions/A", "maxLength": 1}},
            "definitions": {"A": {"type": "string"}},
        },
        [{"a": "long"}],
        [{"a": 1}],
    ),
    "lists of schemas in draft-07": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "items": [{"type": "string"}, {"type": "integer"}],
            "additionalItems": False,
        },
        [["a", 1], ["a"], []],
        [[1], ["a", 1, 2]],
    ),
    "names that need escapes": (
        {
            "$ref": "#/$defs/a~1b~0c%25",
            "$defs": {"a/b~c%": {"type": "null"}},
        },
        [None],
        [0],
    ),
    "a pointer through properties": (
        {
            "type": "object",
            "properties": {
                "a": {"type": "array", "prefixItems": [{"type": "integer"}]},
                "b": {"$ref": "#/properties/a/prefixItems/0"},
            },
        },
        [{"a": [1, "x"], "b": 2}],
        [{"b": "x"}],
    ),
    "contradictions": (
        {"properties": {"x": {"allOf": [{"type": "string"}, {"type": "integer"}]}, "y": False}},
        [{}, {"z": 1}],
        [{"x": 1}, {"y": 1}],
    ),
    "large integers": (
        {"enum": [9007199254740993, 2**70]},
        [9007199254740993, 2**70],
        [9007199254740992],
    ),
}


@pytest.mark.parametrize("name", list(OWN))
def test_a_schema_of_our_own_keeps_its_verdicts(name: str) -> None:
    schema, accepted, rejected = OWN[name]
    for files in (
        spec_with(schema),
        {"spec.yaml": tool_spec({"description": "d", "output": {"$defs": {}, **schema}})},
    ):
        if "components" in schema and len(files) == 1:
            continue  # only a plain file may have a keyword that is none
        tool, contract = only_tool(files)
        assert tool.output
        for value in accepted:
            assert validity(tool.output, value), value
            assert admits(contract, tool.output.type, value), value
        for value in rejected:
            assert not validity(tool.output, value), value
