"""What a schema says about values beyond their shape, in a few words for a docstring.

Only what stands next to a property, or where one `$ref` leads from there: these are hints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from toolkiln.contract import Contract, Schema, Tool
from toolkiln.shape import Definition, List, Map, Record, Ref, Type, Union
from toolkiln.value import Json, JsonObject

_WORDS: Final = {
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
}

Hints: TypeAlias = dict[tuple[str, str], str]
"""By the key of a definition and the wire name of a field."""


def hints(contract: Contract, definitions: Mapping[str, Definition]) -> Hints:
    """The hints for all fields that a slot of *contract* leads to."""
    found: Hints = {}
    for tool in contract.tools:
        for schema in _slots(tool):
            _walk(schema, definitions, found)
    return found


def _slots(tool: Tool) -> Iterator[Schema]:
    slots = [tool.parameters, tool.output, tool.deferred and tool.deferred.token]
    slots += [failure.details for failure in tool.failures]
    for interaction in tool.interactions:
        slots += [interaction.response, interaction.metadata, interaction.token]
    yield from (slot for slot in slots if slot)


_Work: TypeAlias = tuple[Type, Json, tuple[str, str] | None]
"""A shape, its schema, and the field that it is the type of."""


def _walk(schema: Schema, definitions: Mapping[str, Definition], found: Hints) -> None:
    waiting: list[_Work] = [(schema.type, schema.source, None)]
    # A list of its own, not recursion: a chain of records may be long.
    while waiting:
        shape, source, named = waiting.pop()
        if named is not None:
            if named in found:
                continue
            found[named] = hint(_resolved(source, schema.source))
        inner = _inside(shape, _resolved(source, schema.source), definitions)
        waiting.extend(reversed([*inner]))


def _inside(
    shape: Type, source: JsonObject, definitions: Mapping[str, Definition]
) -> Iterator[_Work]:
    match shape:
        case Ref(key):
            body, properties = definitions[key].body, source.get("properties")
            if isinstance(body, Record) and isinstance(properties, Mapping):
                for field in body.fields:
                    inner = properties.get(field.wire)
                    if inner is not None:
                        yield field.type, inner, (key, field.wire)
        case List(items):
            yield items, source.get("items"), None
        case Map(values):
            yield values, source.get("additionalProperties"), None
        case Union(members):
            arms = source.get("anyOf", source.get("oneOf"))
            if isinstance(arms, (list, tuple)) and len(arms) == len(members):
                for member, arm in zip(members, arms, strict=True):
                    yield member, arm, None
        case _:
            pass


def _resolved(schema: Json, root: Json) -> JsonObject:
    """*schema* with the keywords of what its `$ref` leads to; empty if that is none of ours."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    target: Json = root
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        target = target.get(name) if isinstance(target, Mapping) else None
    return {**target, **schema} if isinstance(target, Mapping) else schema


def hint(schema: JsonObject) -> str:
    """A sentence or two, or nothing."""
    parts = [
        *_bounds(schema, ("minimum", "maximum"), ""),
        *_limits(schema),
        *_bounds(schema, ("minLength", "maxLength"), " character"),
        *_bounds(schema, ("minItems", "maxItems"), " item"),
        *(["no item twice"] if schema.get("uniqueItems") is True else []),
        *_texts(schema, "format", "format `{}`"),
        *_texts(schema, "pattern", "matches `{}`"),
    ]
    text = ", ".join(parts)
    sensitive = "Sensitive: it is kept out of logs." if schema.get("x-sensitive") is True else ""
    sentence = f"{text[:1].upper()}{text[1:]}." if text else ""
    return f"{sentence} {sensitive}".strip()


def _limits(schema: JsonObject) -> Iterator[str]:
    for key, words in _WORDS.items():
        if _is_number(schema, key):
            yield f"{words} {schema[key]}"


def _is_number(schema: JsonObject, key: str) -> bool:
    value = schema.get(key)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _bounds(schema: JsonObject, keys: tuple[str, str], unit: str) -> Iterator[str]:
    low, high = (schema[key] if _is_number(schema, key) else None for key in keys)
    if low == 0 and unit:
        low = None
    last = low if high is None else high
    units = f"{unit}s" if unit and last != 1 else unit
    if low is not None and high is not None:
        yield f"{low}{units}" if low == high else f"{low} to {high}{units}"
    elif low is not None:
        yield f"at least {low}{units}"
    elif high is not None:
        yield f"at most {high}{units}"


def _texts(schema: JsonObject, key: str, words: str) -> Iterator[str]:
    value = schema.get(key)
    if isinstance(value, str) and value:
        yield words.format(value)
