"""Which definitions the tools of a contract use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolkiln.contract import Schema, Tool
from toolkiln.shape import Definition, List, Map, Record, Ref, Type, Union


def used(tools: Iterable[Tool], known: Mapping[str, Definition]) -> list[Definition]:
    """The definitions that *tools* need, in order of first use."""
    found: dict[str, Definition] = {}
    for tool in tools:
        waiting = [key for schema in schemas(tool) for key in _keys(schema.type)]
        while waiting:
            key = waiting.pop(0)
            if key not in found and key in known:
                found[key] = known[key]
                waiting = [*_keys(known[key].body), *waiting]
    return list(found.values())


def schemas(tool: Tool) -> Iterator[Schema]:
    """All schemas of *tool*."""
    yield tool.parameters
    others = [tool.output, *(failure.details for failure in tool.failures)]
    for question in tool.interactions:
        others += [question.response, question.metadata, question.token]
    others += [tool.deferred.token] if tool.deferred else []
    yield from (schema for schema in others if schema is not None)


def _keys(shape: Type) -> Iterator[str]:
    match shape:
        case Ref(key):
            yield key
        case List(items, prefix):
            for inner in (items, *prefix):
                yield from _keys(inner)
        case Map(values):
            yield from _keys(values)
        case Union(members):
            for inner in members:
                yield from _keys(inner)
        case Record(fields):
            for field in fields:
                yield from _keys(field.type)
        case _:
            pass
