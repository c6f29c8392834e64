"""Where schemas stand in a file, whatever else is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from ..value import Json

Pointer: TypeAlias = tuple[str | int, ...]
Place: TypeAlias = tuple[Pointer, Json]
Node: TypeAlias = tuple[Pointer, Mapping[str, Json]]

ONE: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is a schema."""
LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas; `items` is one in older drafts."""
MAP: Final = frozenset(
    {
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    }
)
"""Keywords whose value maps names to schemas."""


def slots(value: Json, *, plain: bool) -> Iterator[Place]:
    """The schemas of a file that stand in no other schema."""
    if plain:
        yield (), value
        if isinstance(value, Mapping):
            yield from _tool(("x-tool",), value.get("x-tool"))
        return
    if not isinstance(value, Mapping):
        return
    yield from _entries(("$defs",), value.get("$defs"))
    yield from _failures(("failures",), value.get("failures"))
    yield from _interactions(("interactions",), value.get("interactions"))
    for pointer, tool in _entries(("tools",), value.get("tools")):
        yield from _tool(pointer, tool)


def trees(value: Json, *, plain: bool) -> list[list[Node]]:
    """For each slot the schemas in it, outer ones first."""
    return [nodes(pointer, schema) for pointer, schema in slots(value, plain=plain)]


def homes(value: Json, *, plain: bool) -> Iterator[Node]:
    """The maps of a file that hold failures and interactions: the file itself and its tools."""
    if not isinstance(value, Mapping):
        return
    if plain:
        tools: Iterator[Place] = iter([(("x-tool",), value.get("x-tool"))])
    else:
        yield (), value
        tools = _entries(("tools",), value.get("tools"))
    for pointer, tool in tools:
        if isinstance(tool, Mapping):
            yield pointer, tool


def entries(value: Json, *, plain: bool) -> Iterator[Node]:
    """The failures and interactions of a file, where a reference may stand alone."""
    for pointer, home in homes(value, plain=plain):
        for kind in ("failures", "interactions"):
            for place, entry in _entries((*pointer, kind), home.get(kind)):
                if isinstance(entry, Mapping):
                    yield place, entry


def extensible(value: Json, *, plain: bool) -> Iterator[Node]:
    """The maps outside of schemas that may hold `x-` keys."""
    yield from entries(value, plain=plain)
    for pointer, home in homes(value, plain=plain):
        yield pointer, home
        for place, part in _at(pointer, home, "approval", "deferred"):
            if isinstance(part, Mapping):
                yield place, part


def nodes(pointer: Pointer, schema: Json) -> list[Node]:
    """*schema* and all schemas in it, outer ones first, unless they are booleans.

    Data, such as the value of `const`, is no schema, however much it looks like one.
    """
    found: list[Node] = []
    pending: list[Place] = [(pointer, schema)]
    for place, node in pending:
        if not isinstance(node, Mapping):
            continue
        found.append((place, node))
        # The list grows while it is read, so what lies deeper comes later.
        for key, value in node.items():
            if isinstance(value, Mapping):
                if key in ONE:
                    pending.append(((*place, key), value))
                elif key in MAP:
                    pending.extend(((*place, key, name), sub) for name, sub in value.items())
            elif key in LIST and isinstance(value, list):
                pending.extend(((*place, key, i), sub) for i, sub in enumerate(value))
    return found


def _entries(pointer: Pointer, value: Json) -> Iterator[Place]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield (*pointer, name), entry


def _at(pointer: Pointer, value: Json, *keys: str) -> Iterator[Place]:
    if isinstance(value, Mapping):
        for key in keys:
            if key in value:
                yield (*pointer, key), value[key]


def _tool(pointer: Pointer, tool: Json) -> Iterator[Place]:
    if not isinstance(tool, Mapping):
        return
    yield from _at(pointer, tool, "parameters", "output")
    yield from _failures((*pointer, "failures"), tool.get("failures"))
    yield from _interactions((*pointer, "interactions"), tool.get("interactions"))
    yield from _at((*pointer, "deferred"), tool.get("deferred"), "token")
    yield from _conditions((*pointer, "approval"), tool.get("approval"))


def _failures(pointer: Pointer, value: Json) -> Iterator[Place]:
    for place, failure in _entries(pointer, value):
        yield from _at(place, failure, "details")


def _interactions(pointer: Pointer, value: Json) -> Iterator[Place]:
    for place, interaction in _entries(pointer, value):
        yield from _at(place, interaction, "response", "metadata", "token")


def _conditions(pointer: Pointer, value: Json) -> Iterator[Place]:
    # Tests that are scalars are passed on as well: they are no maps, so nothing is in them.
    for place, when in _at(pointer, value, "when"):
        if isinstance(when, list):
            for number, condition in enumerate(when):
                yield from _entries((*place, number), condition)
        yield from _entries(place, when)
