"""What the dialects of JSON Schema say about their keywords: tables, no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Holds(Enum):
    """Where in a keyword's value schemas stand."""

    SCHEMA = "a schema"
    SCHEMAS = "a list of schemas"
    NAMED = "a map of schemas"
    EITHER = "a schema or a list of schemas"
    MIXED = "a map of schemas or lists of names"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A version of JSON Schema."""

    name: str
    uri: str
    """Of its meta-schema, as `$schema` spells it."""
    holds: Mapping[str, Holds]
    """The keywords whose values hold schemas."""
    known: frozenset[str]
    """All its keywords."""
    definitions: str
    """The keyword under which definitions are kept."""
    siblings: bool
    """Whether keywords beside `$ref` count."""


_APPLICATORS: Final[Mapping[str, Holds]] = {
    "definitions": Holds.NAMED,
    "$defs": Holds.NAMED,
    "properties": Holds.NAMED,
    "patternProperties": Holds.NAMED,
    "additionalProperties": Holds.SCHEMA,
    "propertyNames": Holds.SCHEMA,
    "contains": Holds.SCHEMA,
    "allOf": Holds.SCHEMAS,
    "anyOf": Holds.SCHEMAS,
    "oneOf": Holds.SCHEMAS,
    "not": Holds.SCHEMA,
    "if": Holds.SCHEMA,
    "then": Holds.SCHEMA,
    "else": Holds.SCHEMA,
}
_LIST_ITEMS: Final[Mapping[str, Holds]] = {
    "items": Holds.EITHER,
    "additionalItems": Holds.SCHEMA,
}
_SINCE_2019: Final[Mapping[str, Holds]] = {
    "dependentSchemas": Holds.NAMED,
    "unevaluatedItems": Holds.SCHEMA,
    "unevaluatedProperties": Holds.SCHEMA,
    "contentSchema": Holds.SCHEMA,
}
_ASSERTIONS: Final = frozenset(
    [
        "$schema",
        "$id",
        "$ref",
        "$comment",
        "title",
        "description",
        "default",
        "readOnly",
        "writeOnly",
        "examples",
        "type",
        "enum",
        "const",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "format",
        "contentEncoding",
        "contentMediaType",
        "deprecated",
    ]
)
_ASSERTIONS_2019: Final = _ASSERTIONS | {
    "$anchor",
    "$vocabulary",
    "dependentRequired",
    "maxContains",
    "minContains",
}

DRAFT_7: Final = Dialect(
    name="draft-07",
    uri="http://json-schema.org/draft-07/schema#",
    holds={**_APPLICATORS, **_LIST_ITEMS, "dependencies": Holds.MIXED},
    known=_ASSERTIONS | {*_APPLICATORS, *_LIST_ITEMS, "dependencies"},
    definitions="definitions",
    siblings=False,
)
DRAFT_2019: Final = Dialect(
    name="2019-09",
    uri="https://json-schema.org/draft/2019-09/schema",
    holds={**_APPLICATORS, **_LIST_ITEMS, **_SINCE_2019},
    known=_ASSERTIONS_2019
    | {*_APPLICATORS, *_LIST_ITEMS, *_SINCE_2019, "$recursiveRef", "$recursiveAnchor"},
    definitions="$defs",
    siblings=True,
)
DRAFT_2020: Final = Dialect(
    name="2020-12",
    uri="https://json-schema.org/draft/2020-12/schema",
    holds={
        **_APPLICATORS,
        **_SINCE_2019,
        "items": Holds.SCHEMA,
        "prefixItems": Holds.SCHEMAS,
    },
    known=_ASSERTIONS_2019
    | {*_APPLICATORS, *_SINCE_2019}
    | {"items", "prefixItems", "$dynamicRef", "$dynamicAnchor"},
    definitions="$defs",
    siblings=True,
)
DIALECTS: Final = (DRAFT_2020, DRAFT_2019, DRAFT_7)

IN_PLACE: Final = frozenset(
    {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
)
"""Keywords whose schemas apply to the value itself, not to a part of it."""

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

TYPE_WORDS: Final = ("object", "array", "string", "integer", "number", "boolean", "null")

_BY_URI: Final = {dialect.uri.rstrip("#"): dialect for dialect in DIALECTS}


def dialect_of(uri: str) -> Dialect | None:
    """The dialect that a `$schema` names, with or without its empty fragment."""
    return _BY_URI.get(uri.removesuffix("#"))


def is_meta_schema(uri: str) -> bool:
    """Whether *uri* is a meta-schema that every validator knows without fetching it."""
    return uri.startswith(("https://json-schema.org/draft/20", "http://json-schema.org/draft-0"))
