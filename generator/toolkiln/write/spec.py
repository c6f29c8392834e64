"""A spec as the text of its file: keys in the order in which people write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ..value import Json, JsonObject
from . import yaml as yamltext

_SPACED: Final = ("failures", "interactions", "tools", "$defs")

_FILE: Final = (
    "toolkiln $schema namespace version description formats defaults failures interactions "
    "tools $defs suppress"
)
_TOOL: Final = (
    "title description effects parameters output failures approval interactions deferred timeout "
    "scopes tags stability deprecated formerly examples suppress"
)
_FAILURE: Final = "$ref description retryable details"
_INTERACTION: Final = "$ref kind prompt response choices metadata token expires"
# What a reader looks for comes first, and what opens a block comes last, so that the description
# of a large object does not stand below all of its properties.
_SCHEMA: Final = (
    "$schema $id $anchor $dynamicAnchor $ref $dynamicRef title type format const enum default "
    "x-sensitive"
)
_SCHEMA_LAST: Final = (
    "description $comment deprecated readOnly writeOnly examples additionalProperties required "
    "properties patternProperties items prefixItems anyOf oneOf allOf $defs definitions"
)
_OPAQUE: Final = frozenset({"const", "enum", "default", "examples"})
_NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)


def write(spec: JsonObject) -> str:
    """*spec* as YAML, with an empty line before each tool."""
    return yamltext.write(ordered(spec), spaced=_SPACED)


def ordered(spec: JsonObject) -> dict[str, Json]:
    """*spec* with its keys in the order of the format's tables; names keep their authors' order."""
    parts: Mapping[str, Callable[[Json], Json]] = {
        "tools": _tool,
        "failures": _failure,
        "interactions": _interaction,
        "$defs": _schema,
    }
    return _sorted(spec, _FILE, parts={key: _each(part) for key, part in parts.items()})


def _tool(tool: Json) -> Json:
    parts = {
        "parameters": _schema,
        "output": _schema,
        "failures": _each(_failure),
        "interactions": _each(_interaction),
    }
    return _sorted(tool, _TOOL, parts=parts) if isinstance(tool, dict) else tool


def _failure(failure: Json) -> Json:
    if not isinstance(failure, dict):
        return failure
    return _sorted(failure, _FAILURE, parts={"details": _schema})


def _interaction(question: Json) -> Json:
    if not isinstance(question, dict):
        return question
    slots = {"response": _schema, "metadata": _schema, "token": _schema}
    return _sorted(question, _INTERACTION, parts=slots)


def _schema(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    slots = {key: _part(key) for key in schema if not (key in _OPAQUE or key.startswith("x-"))}
    return _sorted(schema, _SCHEMA, _SCHEMA_LAST, parts=slots)


def _part(keyword: str) -> Callable[[Json], Json]:
    """How the value of a schema's *keyword* is put in order."""
    return _each(_schema) if keyword in _NAMED else _schemas


def _schemas(value: Json) -> Json:
    """One schema, or a list of them; anything else has no order to speak of."""
    return [_schema(item) for item in value] if isinstance(value, list) else _schema(value)


def _each(part: Callable[[Json], Json]) -> Callable[[Json], Json]:
    """*part* for each entry of a map from names, which keep their order."""

    def entries(value: Json) -> Json:
        if not isinstance(value, dict):
            return value
        return {name: part(item) for name, item in value.items()}

    return entries


def _sorted(
    value: JsonObject, first: str, last: str = "", *, parts: Mapping[str, Callable[[Json], Json]]
) -> dict[str, Json]:
    """*value* with the keys of *first* in front, those of *last* behind, and *parts* in order."""
    front, back = first.split(), last.split()
    middle = [key for key in value if key not in front and key not in back]
    keys = [*front, *middle, *back]
    return {key: parts.get(key, _same)(value[key]) for key in keys if key in value}


def _same(value: Json) -> Json:
    return value
