"""The keywords of each JSON Schema draft, and where in a schema other schemas stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolkiln.value import Json

from .loss import LEFT_OUT, Place, Pointer, shown


def words(text: str) -> frozenset[str]:
    """The words of *text*."""
    return frozenset(text.split())


# `$defs`, `definitions` and `deprecated` are listed for every draft: real schemas mix them,
# references find their targets whatever the container is called, and a remark is always welcome.
_DRAFT_04: Final = words(
    "$schema $ref $defs definitions deprecated id title description default type enum properties "
    "patternProperties additionalProperties required dependencies minProperties maxProperties "
    "items additionalItems minItems maxItems uniqueItems minLength maxLength pattern format "
    "multipleOf minimum maximum exclusiveMinimum exclusiveMaximum allOf anyOf oneOf not"
)
_DRAFT_06: Final = (_DRAFT_04 - {"id"}) | {"$id", "const", "contains", "propertyNames", "examples"}
_DRAFT_07: Final = _DRAFT_06 | words(
    "$comment if then else readOnly writeOnly contentEncoding contentMediaType"
)
_DRAFT_2019: Final = (_DRAFT_07 - {"dependencies"}) | words(
    "$anchor $recursiveRef $recursiveAnchor $vocabulary dependentRequired dependentSchemas "
    "unevaluatedItems unevaluatedProperties minContains maxContains "
    "contentSchema"
)
_DRAFT_2020: Final = (_DRAFT_2019 - {"additionalItems", "$recursiveRef", "$recursiveAnchor"}) | {
    "prefixItems",
    "$dynamicRef",
    "$dynamicAnchor",
}

MAPS: Final = words("properties patternProperties $defs definitions dependentSchemas dependencies")
"""Keywords that map names to schemas; `dependencies` may hold lists of names too."""
LISTS: Final = words("allOf anyOf oneOf prefixItems items")
"""Keywords that may hold a list of schemas; `items` does so before 2020-12."""
SINGLES: Final = words(
    "not if then else items contains additionalItems additionalProperties propertyNames "
    "unevaluatedItems unevaluatedProperties contentSchema"
)
"""Keywords that hold one schema."""
ANNOTATIONS: Final[Mapping[str, type]] = {
    "title": str,
    "description": str,
    "$comment": str,
    "format": str,
    "deprecated": bool,
    "readOnly": bool,
    "writeOnly": bool,
    "contentEncoding": str,
    "contentMediaType": str,
}
"""Keywords that refuse nothing here, and what their values are."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A draft of JSON Schema."""

    title: str
    uri: str
    """Of its meta-schema."""
    keywords: frozenset[str]


DRAFT_04: Final = Dialect("draft-04", "http://json-schema.org/draft-04/schema#", _DRAFT_04)
DRAFT_06: Final = Dialect("draft-06", "http://json-schema.org/draft-06/schema#", _DRAFT_06)
DRAFT_07: Final = Dialect("draft-07", "http://json-schema.org/draft-07/schema#", _DRAFT_07)
DRAFT_2019: Final = Dialect("2019-09", "https://json-schema.org/draft/2019-09/schema", _DRAFT_2019)
DRAFT_2020: Final = Dialect("2020-12", "https://json-schema.org/draft/2020-12/schema", _DRAFT_2020)
_DIALECTS: Final = {
    dialect.uri.removesuffix("#").removeprefix("https:").removeprefix("http:"): dialect
    for dialect in (DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019, DRAFT_2020)
} | {
    # Both are other names for what 2020-12 says: "the newest", and OpenAPI 3.1 with annotations.
    "//json-schema.org/schema": DRAFT_2020,
    "//spec.openapis.org/oas/3.1/dialect/base": DRAFT_2020,
}


def dialect(uri: str) -> Dialect | None:
    """The draft that *uri* means, with or without `#`, over http or https."""
    return _DIALECTS.get(uri.removesuffix("#").removeprefix("https:").removeprefix("http:"))


def children(schema: Mapping[str, Json]) -> Iterator[tuple[Pointer, Json]]:
    """The schemas directly inside *schema*, each with its place there."""
    for keyword, content in schema.items():
        if keyword in MAPS and isinstance(content, dict):
            for name, child in content.items():
                if isinstance(child, (dict, bool)):
                    yield (keyword, name), child
        elif keyword in LISTS and isinstance(content, list):
            for index, child in enumerate(content):
                yield (keyword, index), child
        elif keyword in SINGLES:
            yield (keyword,), content


def subschemas(schema: Json, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Mapping[str, Json]]]:
    """*schema* and all schemas in it that are objects, each with its place below *pointer*."""
    if isinstance(schema, dict):
        yield pointer, schema
        for below, child in children(schema):
            yield from subschemas(child, (*pointer, *below))


def dialect_of(schema: Mapping[str, Json], place: Place) -> Dialect | None:
    """The draft that *schema* declares, 2020-12 if none; None, and the tool is lost, if unknown."""
    declared = schema.get("$schema")
    if declared is None:
        return DRAFT_2020
    found = dialect(declared) if isinstance(declared, str) else None
    if found is None:
        place.below("$schema").lost(LEFT_OUT, f"{shown(declared)} is no dialect that is known here")
    return found
