"""Where the references of a schema lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

from toolkiln.value import Json

from .keywords import children, subschemas, words
from .loss import Pointer, shown

_INDEX: Final = re.compile("0|[1-9][0-9]{0,8}")

_SAME_VALUE: Final = words("allOf anyOf oneOf not if then else dependentSchemas dependencies")


def dangling(schema: Json, source: Json) -> Iterator[tuple[Pointer, str]]:
    """References in *schema* that lead to no schema in it, each with its place and what is wrong.

    *source* is the schema before its conversion: some references led to what it has lost. Anchors
    and absolute references are left to the validator, which knows the identifiers.
    """
    parts = dict(subschemas(schema))
    known = {_key(pointer) for pointer in (*parts, *_booleans(parts))}
    if any("$id" in part for part in parts.values()):
        return
    for pointer, part in parts.items():
        reference = part.get("$ref")
        if not isinstance(reference, str):
            continue
        keys = tokens(reference)
        if keys is None:
            if not reference.startswith("#"):
                yield (*pointer, "$ref"), f"{shown(reference)} is outside of the schema"
        elif keys not in known:
            where = (
                "to no keyword that holds schemas"
                if target(source, keys) is not None
                else "nowhere"
            )
            yield (*pointer, "$ref"), f"{shown(reference)} leads {where}"


def endless(schema: Json) -> Iterator[tuple[Pointer, str]]:
    """References that lead back to themselves before any part of a value has been looked at."""
    parts = {_key(pointer): part for pointer, part in subschemas(schema)}
    done: set[tuple[str, ...]] = set()
    for start in parts:
        # Depth first, without recursion: a chain of references may be as long as the schema.
        path: dict[tuple[str, ...], Iterator[tuple[str, ...]]] = {}
        following = iter([start])
        while True:
            here = next(following, None)
            if here is None:
                if not path:
                    break
                done.add(path.popitem()[0])
                following = next(reversed(path.values()), iter(()))
            elif here in path:
                yield here, "the schema applies itself to the same value, without end"
                return
            elif here in parts and here not in done:
                path[here] = following = _in_place(here, parts[here])


def _in_place(pointer: tuple[str, ...], part: Mapping[str, Json]) -> Iterator[tuple[str, ...]]:
    """Where schemas stand that judge the same value as *part*, which stands at *pointer*."""
    reference = part.get("$ref")
    keys = tokens(reference) if isinstance(reference, str) else None
    if keys is not None:
        yield keys
    for below, _ in children(part):
        if below[0] in _SAME_VALUE:
            yield (*pointer, *_key(below))


def tokens(reference: str) -> tuple[str, ...] | None:
    """The keys that a reference within a document names; None if it is none, or an anchor."""
    if not reference.startswith("#/") and reference != "#":
        return None
    keys = unquote(reference[1:]).split("/")[1:]
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in keys)


def target(schema: Json, keys: tuple[str, ...]) -> Json:
    """The value at *keys*; None if there is nothing."""
    for key in keys:
        if isinstance(schema, dict):
            schema = schema.get(key)
        elif isinstance(schema, list) and _INDEX.fullmatch(key) and int(key) < len(schema):
            schema = schema[int(key)]
        else:
            return None
    return schema


def _key(pointer: Pointer) -> tuple[str, ...]:
    return tuple(map(str, pointer))


def _booleans(parts: Mapping[Pointer, Mapping[str, Json]]) -> list[Pointer]:
    return [
        (*pointer, *below)
        for pointer, part in parts.items()
        for below, child in children(part)
        if isinstance(child, bool)
    ]
