"""The root of a tool's arguments: an object that says whether it is open."""

from __future__ import annotations

from typing import Final

from toolkiln.value import Json, JsonObject

from .keywords import DRAFT_2020, dialect, subschemas, words
from .loss import CONVERTED, LEFT_OUT, Place, shown
from .references import target, tokens
from .schema import convert

_COMPOSED: Final = words("$ref allOf anyOf oneOf if dependentSchemas $dynamicRef")
_RESOURCE: Final = words("$schema $id $defs definitions")
_OPENNESS: Final = ("additionalProperties", "unevaluatedProperties")
_NO_ARGUMENTS: Final[tuple[JsonObject, ...]] = ({}, {"properties": {}})


def parameters(schema: Json, place: Place) -> Json:
    """*schema* as the value of `parameters`; None, as in no such key, for a tool without arguments.

    JSON Schema leaves an object open unless it says otherwise, and a spec closes it: openness is
    written down, and what a spec understands without words is not.
    """
    if schema is None or schema is True:
        place.lost(CONVERTED, "the tool says nothing of its arguments: any are allowed")
        return {"additionalProperties": True}
    converted = convert(_object(schema, place), place)
    if place.hopeless or not isinstance(converted, dict):
        if converted is False:
            place.lost(LEFT_OUT, "the schema refuses every call")
        return converted
    converted = _standalone(converted)
    if converted.get("type", "object") not in ("object", ["object"]):
        message = f"arguments are an object, and the schema wants {shown(converted['type'])}"
        place.below("type").lost(LEFT_OUT, message)
    if _COMPOSED.isdisjoint(converted):
        return _plain(converted)
    return _said(converted, place)


def _object(schema: Json, place: Place) -> Json:
    """*schema* with an object root: arguments are never anything else."""
    if not isinstance(schema, dict):
        return schema
    declared = schema.get("type", "object")
    words = declared if isinstance(declared, list) else [declared]
    names = [word.casefold() if isinstance(word, str) else word for word in words]
    if "object" in names and len(names) > 1:
        place.below("type").lost(CONVERTED, f"arguments are an object: {shown(declared)}")
        return schema | {"type": "object"}
    return schema


def _standalone(schema: dict[str, Json]) -> dict[str, Json]:
    """*schema* without a reference at its root, where its draft ignores all that stands beside."""
    declared = schema.get("$schema")
    modern = not isinstance(declared, str) or dialect(declared) is DRAFT_2020
    kept = {key: content for key, content in schema.items() if key in _RESOURCE}
    seen: set[str] = set()
    while not modern and isinstance(reference := schema.get("$ref"), str) and reference not in seen:
        seen.add(reference)
        keys = tokens(reference)
        found = None if keys is None else target(kept, keys)
        if not isinstance(found, dict):
            return schema
        schema = kept | found
    return schema


def _plain(schema: dict[str, Json]) -> Json:
    """*schema*, which no other schema completes, as people write it."""
    if not any(keyword in schema for keyword in _OPENNESS):
        schema = schema | {"additionalProperties": True}
    elif schema.get("additionalProperties") is False:
        schema = {key: value for key, value in schema.items() if key != "additionalProperties"}
    if schema.get("type") in ("object", ["object"]):
        schema = {keyword: content for keyword, content in schema.items() if keyword != "type"}
    return None if schema in _NO_ARGUMENTS else schema


def _said(schema: dict[str, Json], place: Place) -> Json:
    """*schema*, to which others belong, with its openness in words."""
    if any(keyword in schema for keyword in _OPENNESS) or _target_says(schema):
        return schema
    # Where the root is applied inside itself, "all further properties are allowed" would be news
    # to an `unevaluatedProperties` around it.
    inner = (part for pointer, part in subschemas(schema) if pointer)
    watched = any(part.get("unevaluatedProperties", True) is not True for part in inner)
    if watched and any(part.get("$ref") == "#" for _, part in subschemas(schema)):
        place.lost(
            LEFT_OUT, "the schema contains itself and counts properties: it cannot be opened"
        )
    return schema | {"additionalProperties": True}


def _target_says(schema: dict[str, Json]) -> bool:
    reference = schema.get("$ref")
    keys = tokens(reference) if isinstance(reference, str) else None
    found = None if keys is None else target(schema, keys)
    return isinstance(found, dict) and any(keyword in found for keyword in _OPENNESS)
