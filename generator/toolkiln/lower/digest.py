"""The wire digest: what a caller can notice of a tool, in one number (semantics R2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from toolkiln.contract import Interaction, Schema, Tool
from toolkiln.value import Json

_TEXTS: Final = frozenset({"title", "description", "$comment", "examples", "deprecated"})
_ONE: Final = frozenset(
    [
        "additionalProperties",
        "additionalItems",
        "propertyNames",
        "contains",
        "not",
        "if",
        "then",
        "else",
        "items",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    ]
)
_MANY: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_NAMED: Final = frozenset(
    ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas", "dependencies"]
)


def digest(tool: Tool) -> str:
    """The wire digest of *tool*, hexadecimal."""
    wire: Mapping[str, Json] = {
        "name": tool.name,
        "parameters": _bare(tool.parameters),
        "output": _bare(tool.output),
        "failures": {failure.code: _bare(failure.details) for failure in tool.failures},
        "interactions": {question.name: _question(question) for question in tool.interactions},
        "deferred": {"token": _bare(tool.deferred.token)} if tool.deferred else None,
    }
    return sha256(canonical(wire)).hexdigest()


def _question(question: Interaction) -> Mapping[str, Json]:
    return {
        "kind": question.kind,
        "response": _bare(question.response),
        "choices": question.choices,
        "metadata": _bare(question.metadata),
        "token": _bare(question.token),
    }


def _bare(schema: Schema | None) -> Json:
    return None if schema is None else without_texts(schema.source)


def without_texts(schema: Json) -> Json:
    """*schema* without what only people read, wherever schemas stand in it.

    The keywords of all dialects are looked into alike, so that nobody needs to know which it is.
    """
    if not isinstance(schema, dict):
        return schema
    return {
        word: _below(word, value)
        for word, value in schema.items()
        if word not in _TEXTS and not word.startswith("x-")
    }


def _below(word: str, value: Json) -> Json:
    if isinstance(value, dict):
        if word in _NAMED:
            return {name: without_texts(inner) for name, inner in value.items()}
        return without_texts(value) if word in _ONE else value
    if isinstance(value, list) and word in _MANY:
        return [without_texts(inner) for inner in value]
    return value


def canonical(value: Json) -> bytes:
    """The one text of a JSON value: sorted keys, no white space, integral floats as integers."""
    text = json.dumps(_integral(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def _integral(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _integral(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_integral(inner) for inner in value]
    return value
