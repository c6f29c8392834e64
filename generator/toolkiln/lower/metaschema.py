"""Schemas that are no JSON Schemas, with what their authors probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from toolkiln.diagnostics import Diagnostic, Level, Rule, Span
from toolkiln.lower.dialects import DIALECTS, TYPE_WORDS, dialect_of
from toolkiln.lower.places import Place, is_schema
from toolkiln.lower.pointers import Pointer, found
from toolkiln.lower.sources import Sources
from toolkiln.lower.validators import Problem, is_valid_schema, schema_problems, shortened, trouble
from toolkiln.spelling import did_you_mean
from toolkiln.value import Json

SCHEMA_INVALID = Rule("schema-invalid", Level.ERROR, "A schema violates JSON Schema itself.")
TYPE_UNKNOWN = Rule("type-unknown", Level.ERROR, "A type is none of JSON's seven.")
PATTERN_INVALID = Rule("pattern-invalid", Level.ERROR, "A pattern is no regular expression.")
DIALECT_UNKNOWN = Rule("dialect-unknown", Level.ERROR, "A `$schema` names a dialect not read.")

_PSEUDO_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("dict", "map", "record", "struct", "hash", "json", "mapping"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "sequence", "vector", "slice"), "array"),
    **dict.fromkeys(("str", "text", "char", "varchar", "date", "datetime", "uuid"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64", "uint", "short", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "real", "numeric"), "number"),
    **dict.fromkeys(("bool", "bit"), "boolean"),
    **dict.fromkeys(("none", "nil", "undefined", "void"), "null"),
}


def dialect(sources: Sources, unit: Place) -> Iterator[Diagnostic]:
    """A `$schema` that names something else than the three dialects."""
    for place in sources.within(unit):
        named = place.keywords.get("$schema")
        if not isinstance(named, str) or dialect_of(named):
            continue
        names = ", ".join(f"`{dialect.uri}`" for dialect in DIALECTS)
        yield DIALECT_UNKNOWN.at(
            place.spec.document.span(*place.pointer, "$schema"),
            f"`{named}` is no dialect that is read here.",
            hint=f"There are {names}; without `$schema` it is the first.",
        )


def violations(_: Sources, unit: Place) -> Iterator[Diagnostic]:
    """What the meta-schema refuses."""
    if not is_schema(unit.value):
        yield _finding(unit, Problem((), "A schema is an object, `true` or `false`."))
        return
    uri = unit.resource.dialect.uri
    if is_valid_schema(unit.value, uri):
        return
    seen: set[Pointer] = set()
    for problem in schema_problems(unit.value, uri):
        if problem.path not in seen:
            seen.add(problem.path)
            yield _finding(unit, problem)


def _finding(unit: Place, problem: Problem) -> Diagnostic:
    span = unit.spec.document.span(*unit.pointer, *problem.path)
    words = [step for step in problem.path if isinstance(step, str)]
    word = words[-1] if words else ""
    value = found(unit.value, problem.path)
    if word == "type":
        return _about_type(value, span)
    message = f"`{word}`: {problem.message}." if word else problem.message
    return SCHEMA_INVALID.at(span, message, hint=_hint(word, value))


def _hint(word: str, value: Json) -> str:
    if word == "required" and isinstance(value, bool):
        return "List the names beside `properties`: required: [name, ...]"
    if word in {"exclusiveMinimum", "exclusiveMaximum"} and isinstance(value, bool):
        bound = "minimum" if word == "exclusiveMinimum" else "maximum"
        return f"Since draft-06 it is the bound itself: `{word}: 0` instead of `{bound}: 0`."
    if word == "enum" and not isinstance(value, list):
        return "Write a list: enum: [a, b]. For one value write `const`."
    if word == "items" and isinstance(value, list):
        return "Since 2020-12 a list of schemas, one an item, is called `prefixItems`."
    if value is None:
        return "null is YAML's empty value."
    return ""


def _about_type(value: Json, span: Span) -> Diagnostic:
    words = value if isinstance(value, list) else [value]
    if None in words:
        hint = 'For JSON null write "null".'
        return TYPE_UNKNOWN.at(span, "`type: null`: null is YAML's empty value.", hint=hint)
    wrong = next((word for word in words if word not in TYPE_WORDS), None)
    if not isinstance(wrong, str):
        message = "`type` is one of JSON's type words, or a list of different ones."
        return SCHEMA_INVALID.at(span, message)
    return TYPE_UNKNOWN.at(span, f"`{wrong}` is no JSON type.", hint=_type_hint(wrong))


def _type_hint(word: str) -> str:
    if word.casefold() in {"any", "object?", "unknown", "mixed", "*"}:
        return "For any value leave `type` out."
    known = _PSEUDO_TYPES.get(word.casefold())
    if known:
        extra = {"date": "`format: date`", "datetime": "`format: date-time`"}.get(word.casefold())
        return f"Write `{known}`" + (f", with {extra}." if extra else ".")
    return did_you_mean(word, TYPE_WORDS) or f"There are {', '.join(TYPE_WORDS)}."


def patterns(sources: Sources, unit: Place) -> Iterator[Diagnostic]:
    """Patterns that the validator cannot compile."""
    for place in sources.within(unit):
        span = place.spec.document.span
        pattern = place.keywords.get("pattern")
        if isinstance(pattern, str) and not _is_pattern(pattern):
            yield _about_pattern(pattern, span(*place.pointer, "pattern"))
        named = place.keywords.get("patternProperties")
        for key in named if isinstance(named, dict) else ():
            if not _is_pattern(key):
                where = span(*place.pointer, "patternProperties", key, key=True)
                yield _about_pattern(key, where)


def _about_pattern(pattern: str, span: Span) -> Diagnostic:
    hint = ""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        hint = f"{str(error).capitalize()}."
    return PATTERN_INVALID.at(span, f"`{shortened(pattern)}` is no regular expression.", hint=hint)


@cache
def _is_pattern(pattern: str) -> bool:
    return not trouble({"pattern": pattern})
