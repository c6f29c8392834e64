"""Where schemas stand in a file, whatever else is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from ..contract import Json

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


def entries(value: Json, *, plain: bool) -> Iterator[Node]:
    """The failures and interactions of a file, where a reference may stand alone."""
    if not isinstance(value, Mapping):
        return
    homes = [(("x-tool",), value.get("x-tool"))] if plain else [((), value)]
    if not plain:
        homes += _entries(("tools",), value.get("tools"))
    for pointer, home in homes:
        if isinstance(home, Mapping):
            for kind in ("failures", "interactions"):
                for place, entry in _entries((*pointer, kind), home.get(kind)):
                    if isinstance(entry, Mapping):
                        yield place, entry


def nodes(pointer: Pointer, schema: Json) -> Iterator[Node]:
    """*schema* and all schemas in it, unless they are booleans. Data, such as `const`, is none."""
    pending: list[Place] = [(pointer, schema)]
    while pending:
        place, node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        yield place, node
        for key, value in node.items():
            if isinstance(value, Mapping):
                if key in ONE:
                    pending.append(((*place, key), value))
                elif key in MAP:
                    pending.extend(((*place, key, name), sub) for name, sub in value.items())
            elif key in LIST and isinstance(value, list):
                pending.extend(((*place, key, i), sub) for i, sub in enumerate(value))


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
    for place, when in _at(pointer, value, "when"):
        if isinstance(when, list):
            for number, condition in enumerate(when):
                yield from _entries((*place, number), condition)
        yield from _entries(place, when)
