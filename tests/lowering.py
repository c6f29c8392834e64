"""Lowering specs that stand in memory, and a checker of values against lowered types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from toolkiln.contract import Contract, Schema, Tool
from toolkiln.diagnostics import Diagnostic, Level
from toolkiln.load import Spec, Specs
from toolkiln.lower import lower
from toolkiln.shape import Anything, Choice, Definition, List, Map, Record, Ref, Scalar, Type, Union
from toolkiln.source import parse
from toolkiln.value import MISSING

JsonAny = Any


def specs(files: Mapping[str, JsonAny]) -> Specs:
    """Specs of *files*, values by path; a path that starts with `pkg:` is in a package."""
    found: dict[str, Spec] = {}
    for path, value in files.items():
        document, findings = parse(json.dumps(value), f"{path}.json")
        assert document, findings
        uri = path if path.startswith("pkg:") else f"project:/{path}"
        plain = path.endswith(".schema.json")
        home = value.get("x-tool", {}) if plain else value
        found[uri] = Spec(uri, document, home.get("namespace"), plain)
    listed = tuple(spec for uri, spec in found.items() if not uri.startswith("pkg:"))
    return Specs(listed, found)


def lowered(files: Mapping[str, JsonAny]) -> tuple[Contract, list[Diagnostic]]:
    return lower(specs(files))


def tool_spec(tool: JsonAny, **more: JsonAny) -> dict[str, JsonAny]:
    """A file with one tool, called `t`."""
    return {"toolkiln": 1, "namespace": "n", "tools": {"t": tool}, **more}


def only_tool(files: Mapping[str, JsonAny]) -> tuple[Tool, Contract]:
    """The one tool of *files*, which must be free of errors."""
    contract, found = lowered(files)
    assert not errors(found), found
    (tool,) = contract.tools
    return tool, contract


def errors(found: list[Diagnostic]) -> list[Diagnostic]:
    return [finding for finding in found if finding.level is Level.ERROR]


def shown(found: list[Diagnostic]) -> str:
    """Findings as text, one after the other."""
    lines: list[str] = []
    for finding in found:
        place = f"{finding.span.line}:{finding.span.column}" if finding.span else "-"
        blame = f" [{finding.tool}]" if finding.tool else ""
        lines.append(f"{place} {finding.level} {finding.rule}{blame}\n    {finding.message}")
        if finding.hint:
            lines.append(f"    {finding.hint}")
    return "\n".join(lines) + "\n" if lines else ""


def admits(contract: Contract, shape: Type, value: JsonAny) -> bool:
    """Whether *shape* has room for *value*."""
    known = {
        definition.key: definition
        for namespace in contract.namespaces
        for definition in namespace.definitions
    }
    return _admits(known, shape, value)


def _admits(known: Mapping[str, Definition], shape: Type, value: JsonAny) -> bool:
    match shape:
        case Anything():
            return True
        case Ref(key):
            return _admits(known, known[key].body, value)
        case Union(members):
            return any(_admits(known, member, value) for member in members)
        case Scalar(kind):
            return _is(kind, value)
        case Choice(values):
            return any(
                isinstance(value, bool) is isinstance(other, bool) and value == other
                for other in values
            )
        case List():
            return isinstance(value, list) and _fits(known, shape, value)
        case Map(values):
            return isinstance(value, dict) and all(
                _admits(known, values, item) for item in value.values()
            )
        case Record():
            return isinstance(value, dict) and _fills(known, shape, value)


def _fits(known: Mapping[str, Definition], shape: List, value: list[JsonAny]) -> bool:
    inner = shape.prefix or (shape.items,) * len(value)
    return len(value) == len(inner) and all(
        _admits(known, each, item) for each, item in zip(inner, value, strict=True)
    )


def _fills(known: Mapping[str, Definition], record: Record, value: Mapping[str, JsonAny]) -> bool:
    fields = {field.wire: field for field in record.fields}
    if record.closed and not value.keys() <= fields.keys():
        return False
    return all(
        _admits(known, field.type, value[wire]) if wire in value else not field.required
        for wire, field in fields.items()
    )


def _is(kind: str, value: JsonAny) -> bool:
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    if isinstance(value, str):
        return kind == "string"
    if isinstance(value, int):
        return kind in {"integer", "number"}
    if isinstance(value, float):
        return kind == "number" or (kind == "integer" and value.is_integer())
    return False


def shapes_of(contract: Contract) -> list[Definition]:
    return [each for namespace in contract.namespaces for each in namespace.definitions]


def refs(shape: Type) -> list[str]:
    """The keys that *shape* refers to."""
    match shape:
        case Ref(key):
            return [key]
        case Union(members):
            return [key for member in members for key in refs(member)]
        case List(items, prefix):
            return [key for inner in (items, *prefix) for key in refs(inner)]
        case Map(values):
            return refs(values)
        case Record(fields):
            return [key for field in fields for key in refs(field.type)]
        case _:
            return []


def validity(schema: Schema, value: JsonAny) -> bool:
    from toolkiln.lower.validators import compiled

    return compiled(schema.source, formats=schema.formats).is_valid(value)


def printed(shape: Type) -> str:
    """A type in one line, as Python would write it."""
    match shape:
        case Anything():
            return "Any"
        case Ref(key):
            return f"<{key}>"
        case Scalar(kind):
            return kind
        case Choice(values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case List(items, prefix):
            if prefix:
                return f"tuple[{', '.join(map(printed, prefix))}]"
            return f"list[{printed(items)}]"
        case Map(values):
            return f"dict[str, {printed(values)}]"
        case Union(members):
            return " | ".join(map(printed, members))
        case Record():
            return "record"


def described(contract: Contract) -> dict[str, JsonAny]:
    """A contract for people to read."""
    return {
        namespace.name: {
            "library": namespace.library,
            "version": namespace.version,
            "tools": {tool.name: _plain(tool) for tool in namespace.tools},
            "definitions": {
                definition.key: {
                    "words": list(definition.words),
                    "body": _body(definition.body),
                }
                for definition in namespace.definitions
            },
        }
        for namespace in contract.namespaces
    }


def _body(shape: Type) -> JsonAny:
    if not isinstance(shape, Record):
        return printed(shape)
    fields = {
        f"{field.wire}{'' if field.required else '?'}": printed(field.type)
        + ("" if field.default is MISSING else f" = {json.dumps(field.default)}")
        + (f"  # {field.description}" if field.description else "")
        for field in shape.fields
    }
    return {**fields, "...": "closed" if shape.closed else "open"}


def _plain(value: JsonAny) -> JsonAny:
    """Dataclasses as objects, without what is absent, positions and digests."""
    if isinstance(value, Schema):
        return {"source": value.source, "type": printed(value.type)}
    if is_dataclass(value):
        return {
            field.name: _plain(inner)
            for field in fields(value)
            if field.compare and field.name not in {"digest", "name", "namespace"}
            for inner in (getattr(value, field.name),)
            if inner is not MISSING and inner not in (None, (), {}, "")
        }
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return value
