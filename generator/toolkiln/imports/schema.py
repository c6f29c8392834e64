"""A published JSON Schema, rewritten as a slot of a spec with the same verdicts."""

from __future__ import annotations

from toolkiln.value import Json, JsonObject

from .aside import set_aside
from .engine import compiles, problem
from .keywords import (
    DRAFT_04,
    DRAFT_06,
    DRAFT_07,
    DRAFT_2020,
    LISTS,
    MAPS,
    SINGLES,
    Dialect,
    dialect_of,
)
from .loss import CONVERTED, DROPPED, LEFT_OUT, Place, shown
from .references import dangling, endless
from .repairs import REPAIRS
from .scope import portable, scoped


def convert(schema: Json, place: Place) -> Json:
    """*schema* as the value of a slot, in which `#` means what it meant before.

    What was changed on the way is reported at *place*; if the tool cannot be kept at all, a loss
    says so, and the value is of no use.
    """
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            place.lost(LEFT_OUT, f"{shown(schema)} is no JSON Schema")
        return schema
    dialect = dialect_of(schema, place)
    if dialect is None:
        return schema
    converted = _walk({k: v for k, v in schema.items() if k != "$schema"}, place, dialect)
    if place.hopeless:
        return converted
    slot = scoped(converted, _written(converted, place, dialect))
    _check(slot, schema, place)
    return slot


def _walk(schema: JsonObject, place: Place, dialect: Dialect) -> dict[str, Json]:
    """*schema*, an object, with the repairs made in it and in all schemas inside."""
    repaired = dict(schema)
    for repair in REPAIRS:
        repaired = repair(repaired, place, dialect)
    repaired = _patterns(_one_dialect(repaired, place, dialect), place)
    repaired = set_aside(repaired, place, dialect)
    if dialect is DRAFT_04 and "id" in repaired:
        repaired["$id"] = repaired.pop("id")
    return {
        keyword: _inside(keyword, content, place.below(keyword), dialect)
        for keyword, content in repaired.items()
    }


def _inside(keyword: str, content: Json, place: Place, dialect: Dialect) -> Json:
    """*content* of *keyword* with the schemas in it repaired."""
    if keyword in MAPS and isinstance(content, dict):
        return {name: _child(item, place.below(name), dialect) for name, item in content.items()}
    if keyword in LISTS and isinstance(content, list):
        return [_child(item, place.below(index), dialect) for index, item in enumerate(content)]
    return _child(content, place, dialect) if keyword in SINGLES else content


def _child(schema: Json, place: Place, dialect: Dialect) -> Json:
    return _walk(schema, place, dialect) if isinstance(schema, dict) else schema


def _one_dialect(schema: dict[str, Json], place: Place, dialect: Dialect) -> dict[str, Json]:
    """Without `$schema`, which says something only at the root, and there `scoped` writes it."""
    if "$schema" not in schema:
        return schema
    same = dialect_of(schema, place) in (dialect, None)
    if not same and "$id" in schema:
        below = place.below("$schema")
        below.lost(LEFT_OUT, "a schema inside another declares a dialect of its own")
    elif not same:
        place.below("$schema").lost(DROPPED, "`$schema` inside a schema says nothing")
    return {keyword: content for keyword, content in schema.items() if keyword != "$schema"}


def _patterns(schema: dict[str, Json], place: Place) -> dict[str, Json]:
    """Without a pattern that is no regular expression: it can refuse nothing."""
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not compiles(pattern):
        place.below("pattern").lost(DROPPED, f"{shown(pattern)} is no regular expression")
        schema = {keyword: content for keyword, content in schema.items() if keyword != "pattern"}
    names = schema.get("patternProperties")
    for name in names if isinstance(names, dict) else ():
        if not compiles(name):
            # Without it, `additionalProperties` would judge what the pattern was meant for.
            below = place.below("patternProperties", name)
            below.lost(LEFT_OUT, f"{shown(name)} is no regular expression")
    return schema


def _written(schema: dict[str, Json], place: Place, dialect: Dialect) -> Dialect:
    """The dialect in which *schema* is written down: 2020-12 where that makes no difference."""
    written = DRAFT_2020 if dialect is DRAFT_2020 or portable(schema) else dialect
    if written in (DRAFT_04, DRAFT_06):
        written = DRAFT_07
    if dialect is DRAFT_04:
        message = f"draft-04 is written as {written.title}, to which 1.0 is an integer"
        place.below("$schema").lost(CONVERTED, message)
    return written


def _check(slot: Json, source: Json, place: Place) -> None:
    """Reports references that lead nowhere and whatever else the validator refuses in *slot*."""
    lost = False
    for pointer, message in (*dangling(slot, source), *endless(slot)):
        place.below(*pointer).lost(LEFT_OUT, message)
        lost = True
    if not lost and (found := problem(slot)) is not None:
        pointer, message = found
        place.below(*pointer).lost(LEFT_OUT, message)
