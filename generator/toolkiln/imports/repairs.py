"""One function for each way in which published schemas miss their dialect.

Each takes one schema object and gives it back repaired, or unchanged; it never looks into the
schemas inside, except for what those say about it. What a repair changes, it reports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from toolkiln.value import Json

from .keywords import ANNOTATIONS, DRAFT_2019, DRAFT_2020, Dialect
from .loss import CONVERTED, DROPPED, LEFT_OUT, Place, shown
from .pseudotypes import JSON_TYPES, PSEUDO_TYPES

Object: TypeAlias = dict[str, Json]
Repair: TypeAlias = Callable[[Object, Place, Dialect], Object]

# Where null is a value like any other.
_NULLABLE_KEYWORDS: Final = frozenset({"const", "default", "examples"})


def _nulls(schema: Object, place: Place, dialect: Dialect) -> Object:
    """Serializers write absent lists and texts as null, which no keyword takes."""
    kept = dict(schema)
    for keyword, content in schema.items():
        if content is None and keyword in dialect.keywords - _NULLABLE_KEYWORDS:
            del kept[keyword]
            place.below(keyword).lost(CONVERTED, f"`{keyword}` is null, which is read as absent")
    return kept


def _types(schema: Object, place: Place, _dialect: Dialect) -> Object:
    """Names of types from programming languages, and JSON's own in other letters."""
    declared = schema.get("type")
    words = declared if isinstance(declared, list) else [declared]
    if not all(isinstance(word, str) for word in words):
        return schema
    types: list[Json] = []
    for word in words:
        known = word in JSON_TYPES
        mapped = word if known else PSEUDO_TYPES.get(str(word).casefold(), word)
        if mapped not in types:
            types.append(mapped)
    place = place.below("type")
    for name in types:
        if name not in PSEUDO_TYPES:
            place.lost(LEFT_OUT, f"{shown(name)} is no type of JSON")
    if types == words and "any" not in types:
        return schema
    kept = {keyword: content for keyword, content in schema.items() if keyword != "type"}
    if "any" in types:
        place.lost(CONVERTED, f"type {shown(declared)} is written as no type, which allows any")
        return kept
    said: Json = types if isinstance(declared, list) else types[0]
    place.lost(CONVERTED, f"type {shown(declared)} is written as {shown(said)}")
    return {"type": said, **kept}


def _nullable(schema: Object, place: Place, _dialect: Dialect) -> Object:
    """OpenAPI 3.0 says `nullable: true` where JSON Schema lists the type null.

    Its clarification gives the word a meaning only beside `type`, and lets `enum` decide as ever.
    """
    flag, declared = schema.get("nullable"), schema.get("type")
    if not isinstance(flag, bool) or (flag and not isinstance(declared, (str, list))):
        return schema
    kept = {keyword: content for keyword, content in schema.items() if keyword != "nullable"}
    types = declared if isinstance(declared, list) else [declared]
    place = place.below("nullable")
    if not flag:
        place.lost(CONVERTED, "`nullable: false` is what JSON Schema means without it")
    elif "null" in types:
        place.lost(CONVERTED, "`nullable: true` repeats the type null")
    else:
        kept["type"] = [*types, "null"]
        values = schema.get("enum")
        still = isinstance(values, list) and None not in values
        note = "; null stays refused, because `enum` does not list it" if still else ""
        place.lost(CONVERTED, f"`nullable: true` is written as the type null{note}")
    return kept


def _bounds(schema: Object, place: Place, _dialect: Dialect) -> Object:
    """Before draft-06 `exclusiveMinimum` was a flag that modified `minimum`."""
    kept = dict(schema)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        flag = kept.get(exclusive)
        if not isinstance(flag, bool):
            continue
        del kept[exclusive]
        if flag and bound in kept:
            kept[exclusive] = kept.pop(bound)
            message = f"the flag is written as `{exclusive}: {shown(kept[exclusive])}`"
        else:
            message = f"`{exclusive}: {shown(flag)}` changes nothing here and is not kept"
        place.below(exclusive).lost(CONVERTED, message)
    return kept


def _required(schema: Object, place: Place, _dialect: Dialect) -> Object:
    """Draft-03 flagged the property; later drafts list it at the object. Names are listed once."""
    listed, properties = schema.get("required", []), schema.get("properties")
    if isinstance(listed, bool):
        place.below("required").lost(DROPPED, "`required` is a flag, but this is no property")
        schema = {keyword: content for keyword, content in schema.items() if keyword != "required"}
        listed = []
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        return schema
    names = list(dict.fromkeys(listed))
    if len(names) < len(listed):
        place.below("required").lost(CONVERTED, "a name that is listed twice is listed once")
        schema = schema | {"required": names}
    if not isinstance(properties, dict):
        return schema
    flags = {name: flag for name, child in properties.items() if (flag := _flag(child)) is not None}
    if not flags:
        return schema
    for name, flag in flags.items():
        said = "listed in `required`" if flag else "not kept, as it is the default"
        below = place.below("properties", name, "required")
        below.lost(CONVERTED, f"`required: {shown(flag)}` at the property is {said}")
    names += [name for name, flag in flags.items() if flag and name not in names]
    bare: Object = {name: _unflagged(child) for name, child in properties.items()}
    return schema | {"properties": bare} | ({"required": names} if names else {})


def _flag(child: Json) -> bool | None:
    flag = child.get("required") if isinstance(child, dict) else None
    return flag if isinstance(flag, bool) else None


def _unflagged(schema: Json) -> Json:
    if _flag(schema) is None or not isinstance(schema, dict):
        return schema
    return {keyword: content for keyword, content in schema.items() if keyword != "required"}


def _tuples(schema: Object, place: Place, dialect: Dialect) -> Object:
    """A list in `items` is the older way to write `prefixItems`."""
    if dialect is not DRAFT_2020 or not isinstance(schema.get("items"), list):
        return schema
    kept = {keyword: content for keyword, content in schema.items() if keyword != "items"}
    rest = kept.pop("additionalItems", None)
    kept["prefixItems"] = schema["items"]
    if rest is not None:
        kept["items"] = rest
    place.below("items").lost(CONVERTED, "a list in `items` is written as `prefixItems`")
    return kept


def _dependencies(schema: Object, place: Place, dialect: Dialect) -> Object:
    """`dependencies` became two keywords: one for names, one for schemas."""
    entries = schema.get("dependencies")
    later = dialect in (DRAFT_2019, DRAFT_2020)
    if not (later and isinstance(entries, dict)):
        return schema
    kept = {keyword: content for keyword, content in schema.items() if keyword != "dependencies"}
    names = {name: entry for name, entry in entries.items() if isinstance(entry, list)}
    schemas = {name: entry for name, entry in entries.items() if name not in names}
    for keyword, part in (("dependentRequired", names), ("dependentSchemas", schemas)):
        if part:
            kept[keyword] = part | _object(kept.get(keyword))
    place.below("dependencies").lost(
        CONVERTED, "`dependencies` is written as `dependentRequired` and `dependentSchemas`"
    )
    return kept


def _object(value: Json) -> Object:
    return dict(value) if isinstance(value, dict) else {}


def _examples(schema: Object, place: Place, dialect: Dialect) -> Object:
    """OpenAPI's `example` is one of JSON Schema's `examples`, which is a list."""
    kept = dict(schema)
    single = "examples" in kept and not isinstance(kept["examples"], (list, dict))
    if single and "examples" in dialect.keywords:
        kept["examples"] = [kept["examples"]]
        place.below("examples").lost(CONVERTED, "the one value of `examples` is written as a list")
    if "example" in kept and "examples" not in kept and "examples" in dialect.keywords:
        kept["examples"] = [kept.pop("example")]
        place.below("example").lost(CONVERTED, "`example` is written as `examples`")
    return kept


def _annotations(schema: Object, place: Place, dialect: Dialect) -> Object:
    """An annotation of the wrong kind says nothing, and nothing depends on it."""
    kept = dict(schema)
    for keyword, kind in ANNOTATIONS.items():
        known = keyword in kept and keyword in dialect.keywords
        if known and not isinstance(kept[keyword], kind):
            place.below(keyword).lost(DROPPED, f"`{keyword}` is {shown(kept.pop(keyword))}")
    return kept


REPAIRS: Final[tuple[Repair, ...]] = (
    _nulls,
    _types,
    _nullable,
    _bounds,
    _required,
    _tuples,
    _dependencies,
    _examples,
    _annotations,
)
"""In the order in which they build on each other."""
