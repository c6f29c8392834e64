"""What the schema of the format cannot say about a file: mistakes in keys inside of schemas.

Only keys of our own are looked at there; the keywords of JSON Schema are for `lower`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..diagnostics import Diagnostic, Level, Rule
from ..source import Document
from ..value import Json
from .references import KEYWORDS
from .rules import REF_EMPTY, VALUE_TYPE
from .schemas import Node, Pointer, extensible
from .texts import cut
from .values import empty_reference

SENSITIVE: Final = "x-sensitive"

SENSITIVE_MISSPELT = Rule(
    "sensitive-misspelt", Level.ERROR, "A key is nearly `x-sensitive`, and would hide nothing."
)
PARAMETERS_UNWRAPPED = Rule(
    "parameters-unwrapped", Level.ERROR, "`parameters` lists properties instead of a schema."
)

_TYPE_WORDS: Final = frozenset(
    {"array", "boolean", "integer", "null", "number", "object", "string"}
)
_KEYWORDS: Final = frozenset(
    {
        *("$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$ref"),
        *("$schema", "$vocabulary", "additionalProperties", "allOf", "anyOf", "const"),
        *("contentEncoding", "contentMediaType", "default", "definitions", "dependencies"),
        *("dependentRequired", "dependentSchemas", "deprecated", "description", "else", "enum"),
        *("examples", "format", "if", "items", "maxProperties", "minProperties", "not", "oneOf"),
        *("patternProperties", "properties", "propertyNames", "readOnly", "required", "then"),
        *("title", "type", "unevaluatedProperties", "writeOnly"),
    }
)
"""What may stand at the root of `parameters`, as far as it can be told from a property."""


def check(
    document: Document, trees: Sequence[Sequence[Node]], *, plain: bool
) -> Iterator[Diagnostic]:
    """Mistakes in the schemas *trees* of *document*, and in the keys around them."""
    for pointer, node in extensible(document.value, plain=plain):
        yield from _misspelt(document, pointer, node)
    for tree in trees:
        for pointer, node in tree:
            yield from _schema(document, pointer, node)
        # The root of a plain file is one, too, but cannot be mistaken for a list of properties.
        if tree and tree[0][0][-1:] == ("parameters",):
            yield from _unwrapped(document, *tree[0])


def _schema(document: Document, pointer: Pointer, node: Mapping[str, Json]) -> Iterator[Diagnostic]:
    yield from _misspelt(document, pointer, node)
    for keyword in KEYWORDS:
        ref = node.get(keyword, "#")
        if ref is None:
            yield empty_reference(document, (*pointer, keyword)).placed(document)
        elif not isinstance(ref, str):
            span = document.span(*pointer, keyword)
            hint = 'For example $ref: "#/$defs/Money"'
            yield REF_EMPTY.at(span, f"`{keyword}` takes text.", hint=hint)
    if not isinstance(node.get(SENSITIVE, True), bool):
        span = document.span(*pointer, SENSITIVE)
        yield VALUE_TYPE.at(span, f"`{SENSITIVE}` takes true or false.")


def _misspelt(
    document: Document, pointer: Pointer, node: Mapping[str, Json]
) -> Iterator[Diagnostic]:
    for key in node:
        if key[:2] == "x-" and key != SENSITIVE and within(key, SENSITIVE, 2):
            message = f"`{cut(key)}` means nothing: the value would not be kept secret."
            hint = f"Write `{SENSITIVE}`, or use a name that is less like it."
            span = document.span(*pointer, key, key=True)
            yield SENSITIVE_MISSPELT.at(span, message, hint=hint)


def within(word: str, other: str, edits: int) -> bool:
    """Whether at most *edits* letters added, removed or replaced turn *word* into *other*."""
    if abs(len(word) - len(other)) > edits:
        return False
    above = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, expected in enumerate(other, 1):
            changed = above[column - 1] + (letter != expected)
            line.append(min(above[column] + 1, line[-1] + 1, changed))
        above = line
    return above[-1] <= edits


def _unwrapped(
    document: Document, pointer: Pointer, node: Mapping[str, Json]
) -> Iterator[Diagnostic]:
    if "properties" in node:
        return
    for key, value in node.items():
        if key in _KEYWORDS or key.startswith("x-") or within(key, "properties", 2):
            continue
        if _like_schema(value):
            message = "`parameters` is a JSON Schema: put these under `properties:`."
            yield PARAMETERS_UNWRAPPED.at(document.span(*pointer, key, key=True), message)
            # The other properties beside it are the same mistake.
            return


def _like_schema(value: Json) -> bool:
    if isinstance(value, Mapping):
        return not value or not _KEYWORDS.isdisjoint(value)
    return isinstance(value, str) and value in _TYPE_WORDS
