"""What `#` and `$schema` mean once a schema stands inside a spec file."""

from __future__ import annotations

from typing import Final

from toolkiln.value import Json, JsonObject

from .keywords import ANNOTATIONS, DRAFT_2020, Dialect, subschemas, words

_OWN: Final = frozenset({"$id", "$defs", "definitions"})
# Keywords that validators read differently, or not at all, in another draft than their own.
_DRIFTING: Final = words(
    "$id id $recursiveRef $recursiveAnchor additionalItems dependencies contentEncoding "
    "contentMediaType contentSchema"
)
_BESIDE: Final = frozenset({*ANNOTATIONS, "default", "examples", "$defs", "definitions"})


def scoped(schema: dict[str, Json], dialect: Dialect) -> dict[str, Json]:
    """*schema* with `$schema` where the dialect must be said, or where `#` would mean the file."""
    own = not _OWN.isdisjoint(schema)
    if dialect is DRAFT_2020 and (own or not _refers(schema)):
        return schema
    return {"$schema": dialect.uri, **schema}


def portable(schema: dict[str, Json]) -> bool:
    """Whether *schema*, of an earlier draft, means exactly the same under 2020-12."""
    return not any(_differs(part) for _, part in subschemas(schema))


def _differs(schema: JsonObject) -> bool:
    keywords = {keyword for keyword in schema if not keyword.startswith("x-")}
    # Before 2019-09 a reference replaces everything beside it.
    shadowed = "$ref" in keywords and not keywords <= {"$ref", *_BESIDE}
    tuples = isinstance(schema.get("items"), list)
    return shadowed or tuples or not keywords.isdisjoint(_DRIFTING)


def _refers(schema: Json) -> bool:
    return any(
        keyword in part
        for _, part in subschemas(schema)
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef")
    )
