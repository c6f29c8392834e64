"""The document that datamodel-code-generator prints: shapes only, and every name is ours.

No text and no key of an author's schema reaches it: descriptions, defaults that it prints badly
and references to other modules are put in afterwards, by `models`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from toolkiln.shape import (
    Anything,
    Choice,
    Definition,
    Field,
    List,
    Map,
    Record,
    Ref,
    Scalar,
    Type,
    Union,
)
from toolkiln.value import Json, JsonObject, Missing

from .types import DEEPEST

FOREIGN: Final = "toolkiln_elsewhere"
"""The module from which all foreign types seem to come."""

Reference: TypeAlias = Callable[[str], JsonObject]
"""From the key of a definition to the schema that mentions it."""

_NUMBER: Final[JsonObject] = {"type": ["integer", "number"]}


def document(
    definitions: Mapping[str, Definition], reference: Reference, *, dicts: bool
) -> JsonObject:
    """The schema that declares *definitions* under their class names.

    For typed dictionaries (*dicts*) nothing is completed later, and none is closed: what a
    closed one means to type checkers is not settled.
    """
    body = _dictionary if dicts else _model
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            name: body(each.body, reference)
            if isinstance(each.body, Record)
            else _schema(each.body, reference)
            for name, each in definitions.items()
        },
    }


def local(name: str) -> JsonObject:
    """A mention of a type of the same module."""
    return {"$ref": f"#/$defs/{name}"}


def foreign(name: str) -> JsonObject:
    """A mention of a type that the module imports."""
    return {"customTypePath": f"{FOREIGN}.{name}"}


def is_plain(field: Field) -> bool:
    """Whether the field's default, or its lack of one, can be printed as it stands.

    Lists and objects would be shared class attributes and have types of their own, and of a field
    that is null anyway the printer makes something odd.
    """
    if field.type in {Scalar("null"), Choice((None,))}:
        return field.required
    return not isinstance(field.default, (Mapping, list, tuple))


def _model(record: Record, reference: Reference) -> JsonObject:
    # What `models` completes is required here: it stands there without a default of its own.
    required = [each.wire for each in record.fields if each.required or not is_plain(each)]
    properties = {each.wire: _property(each, reference) for each in record.fields}
    closed: JsonObject = {"additionalProperties": False} if record.closed else {}
    return {**_object(properties, required), **closed}


def _dictionary(record: Record, reference: Reference) -> JsonObject:
    required = [each.wire for each in record.fields if each.required]
    return _object({each.wire: _schema(each.type, reference) for each in record.fields}, required)


def _object(properties: JsonObject, required: list[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required}


def _property(field: Field, reference: Reference) -> JsonObject:
    schema = _schema(field.type, reference)
    if isinstance(field.default, Missing) or field.required or not is_plain(field):
        return schema
    return {**schema, "default": field.default}


def _schema(shape: Type, reference: Reference, depth: int = 0) -> JsonObject:
    deeper = depth + 1
    match shape:
        case _ if depth > DEEPEST:
            return {}
        case Scalar(kind):
            return _NUMBER if kind == "number" else {"type": kind}
        case Choice(values):
            return _choice(values)
        case List(items, prefix) if not prefix:
            return {"type": "array", "items": _schema(items, reference, deeper)}
        case List(prefix=prefix):
            return _tuple([_schema(member, reference, deeper) for member in prefix])
        case Map(values):
            return {"type": "object", "additionalProperties": _schema(values, reference, deeper)}
        case Union(members):
            return {"anyOf": [_schema(member, reference, deeper) for member in members]}
        case Ref(key):
            return reference(key)
        case Record() | Anything():
            return {}


def _choice(values: tuple[str | int | bool | None, ...]) -> JsonObject:
    some: list[Json] = [value for value in values if value is not None]
    if not some:
        return {"type": "null"}
    schema: JsonObject = {"enum": some} if len(some) > 1 else {"const": some[0]}
    return schema if len(some) == len(values) else {"anyOf": [schema, {"type": "null"}]}


def _tuple(members: list[Json]) -> JsonObject:
    exactly = len(members)
    items: JsonObject = {"prefixItems": members, "items": False}
    return {"type": "array", **items, "minItems": exactly, "maxItems": exactly}
