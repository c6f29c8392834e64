"""Keywords that mean nothing where they stand, with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolkiln.diagnostics import Diagnostic, Level, Rule
from toolkiln.lower.dialects import DIALECTS, Dialect
from toolkiln.lower.places import Place
from toolkiln.lower.sources import Sources
from toolkiln.spelling import did_you_mean
from toolkiln.value import Json

KEYWORD_UNKNOWN = Rule("keyword-unknown", Level.ERROR, "A keyword is none of the dialect's.")
KEYWORD_IGNORED = Rule(
    "keyword-ignored", Level.WARNING, "A plain JSON Schema has a keyword that means nothing."
)

_HINTS: Final[Mapping[str, str]] = {
    "nullable": "OpenAPI's. Write type: [string, 'null']",
    "example": "OpenAPI's. Write examples: [...]",
    "discriminator": "OpenAPI's, and it decides nothing. A `const` in each variant tells them "
    "apart; to keep the hint call it `x-discriminator`",
    "xml": "OpenAPI's. To keep it call it `x-xml`",
    "externalDocs": "OpenAPI's. To keep it call it `x-externalDocs`",
    "id": "Since draft-06 it is called `$id`",
    "optional": "A property is optional unless `required` of its object lists it",
    "divisibleBy": "Called `multipleOf` here",
    "dependencies": "Since 2019-09 there are `dependentRequired` and `dependentSchemas`",
    "additionalItems": "In 2020-12 `items` says what follows after `prefixItems`",
    "$recursiveRef": "In 2020-12 there are `$dynamicRef` and `$dynamicAnchor`",
    "$recursiveAnchor": "In 2020-12 there are `$dynamicRef` and `$dynamicAnchor`",
}
_COMMA: Final = 'A comma ends a value inside { }. Quote the text: "Now, for a fee"'


def unknown(sources: Sources, unit: Place) -> Iterator[Diagnostic]:
    """Keywords that the dialect does not have."""
    rule = KEYWORD_IGNORED if unit.spec.plain else KEYWORD_UNKNOWN
    for place in sources.within(unit):
        dialect = place.resource.dialect
        for word, value in place.keywords.items():
            if word in dialect.known or word.startswith("x-"):
                continue
            yield rule.at(
                place.spec.document.span(*place.pointer, word, key=True),
                f"`{word}` is no keyword of JSON Schema {dialect.name}.",
                hint=_hint(word, value, dialect),
            )


def _hint(word: str, value: Json, dialect: Dialect) -> str:
    if word in _HINTS:
        return f"{_HINTS[word]}."
    if value is None:
        return _COMMA
    homes = [other.name for other in DIALECTS if word in other.known]
    if homes:
        return f"It is one of {' and '.join(homes)}; `$schema` says which dialect this is."
    return did_you_mean(word, dialect.known) or "To keep it as a note, call it `x-...`."
