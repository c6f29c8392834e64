"""Keywords that mean nothing where they stand, with what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolkiln.contract import Json
from toolkiln.diagnostics import Diagnostic, Level, Rule
from toolkiln.lower.dialects import DIALECTS, Dialect
from toolkiln.lower.places import Place, walk
from toolkiln.lower.sources import Sources
from toolkiln.spelling import did_you_mean

KEYWORD_UNKNOWN = Rule("keyword-unknown", Level.ERROR, "A keyword is none of the dialect's.")
KEYWORD_IGNORED = Rule(
    "keyword-ignored", Level.WARNING, "A plain JSON Schema has a keyword that means nothing."
)
PROPERTIES_ABSENT = Rule(
    "properties-absent", Level.ERROR, "Properties stand where keywords are expected."
)
SENSITIVE_MISSPELT = Rule(
    "sensitive-misspelt", Level.ERROR, "A key is almost, but not quite, a true `x-sensitive`."
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
_SENSITIVE: Final = "x-sensitive"


def unknown(_: Sources, unit: Place) -> Iterator[Diagnostic]:
    """Keywords that the dialect does not have."""
    missing = _looks_like_properties(unit)
    if missing:
        yield PROPERTIES_ABSENT.at(
            unit.spec.document.span(*unit.pointer, missing[0], key=True),
            f"`{missing[0]}` looks like a property.",
            hint="`parameters` is a JSON Schema: put these under `properties:`",
        )
    rule = KEYWORD_IGNORED if unit.spec.plain else KEYWORD_UNKNOWN
    for place in walk(unit):
        dialect = place.resource.dialect
        for word, value in place.keywords.items():
            if word in dialect.known or word.startswith("x-"):
                continue
            if place == unit and word in missing:
                continue
            yield rule.at(
                place.spec.document.span(*place.pointer, word, key=True),
                f"`{word}` is no keyword of JSON Schema {dialect.name}.",
                hint=_hint(word, value, dialect),
            )


def _looks_like_properties(unit: Place) -> list[str]:
    known = unit.resource.dialect.known
    if unit.pointer[-1:] != ("parameters",) or {"properties", "$ref"} & unit.keywords.keys():
        return []
    return [
        word
        for word, value in unit.keywords.items()
        if isinstance(value, dict) and word not in known and not word.startswith("x-")
    ]


def _hint(word: str, value: Json, dialect: Dialect) -> str:
    if word in _HINTS:
        return f"{_HINTS[word]}."
    if value is None:
        return _COMMA
    homes = [other.name for other in DIALECTS if word in other.known]
    if homes:
        return f"It is one of {' and '.join(homes)}; `$schema` says which dialect this is."
    return did_you_mean(word, dialect.known) or "To keep it as a note, call it `x-...`."


def sensitive(_: Sources, unit: Place) -> Iterator[Diagnostic]:
    """Keys within two edits of `x-sensitive`, which would hide nothing."""
    for place in walk(unit):
        for word, value in place.keywords.items():
            if not word.casefold().startswith("x"):
                continue
            good = word == _SENSITIVE and isinstance(value, bool)
            if not good and _distance(word.casefold(), _SENSITIVE) <= 2:  # noqa: PLR2004
                yield SENSITIVE_MISSPELT.at(
                    place.spec.document.span(*place.pointer, word, key=True),
                    f"`{word}` hides nothing.",
                    hint="Write x-sensitive: true",
                )


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed to get from *one* to *other*."""
    if abs(len(one) - len(other)) > 2:  # noqa: PLR2004 - more than anybody asks for
        return 3
    row = list(range(len(other) + 1))
    for count, letter in enumerate(one, 1):
        before, row[0] = row[0], count
        for index, wanted in enumerate(other, 1):
            changed = before + (letter != wanted)
            before = row[index]
            row[index] = min(changed, row[index] + 1, row[index - 1] + 1)
    return row[-1]
