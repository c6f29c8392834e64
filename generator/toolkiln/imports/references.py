"""Where the references of a schema lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import unquote

from toolkiln.contract import Json

from .keywords import children, subschemas
from .loss import Pointer, shown

_INDEX: Final = re.compile("0|[1-9][0-9]{0,8}")


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
