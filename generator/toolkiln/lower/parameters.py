"""The root of a tool's arguments (spec-format section 3)."""

from __future__ import annotations

from typing import Final

from toolkiln.contract import Schema
from toolkiln.diagnostics import Level, Rule
from toolkiln.lower.facts import OBJECT, declared
from toolkiln.lower.places import Place
from toolkiln.lower.pointers import Pointer
from toolkiln.lower.run import Draft
from toolkiln.lower.slots import COMPOSED, slot_place

PARAMETERS_NO_OBJECT = Rule(
    "parameters-no-object", Level.ERROR, "The root of `parameters` is not an object."
)
PARAMETERS_OPENNESS = Rule(
    "parameters-openness",
    Level.ERROR,
    "Composed parameters do not say whether other properties are allowed.",
)
PARAMETERS_OPTIONAL = Rule(
    "parameters-optional", Level.NOTE, "Every parameter of a tool is optional."
)
_OPENNESS: Final = frozenset({"additionalProperties", "unevaluatedProperties"})


def parameters(draft: Draft) -> Schema | None:
    """The schema of the arguments; None if it is in error."""
    pointer: Pointer = () if draft.spec.plain else (*draft.pointer, "parameters")
    place = draft.run.sources.slot(draft.spec, pointer)
    if place is None:
        place = slot_place(draft.spec, pointer, {})
    draft.parameters = place
    if draft.run.units.broken(place):
        return draft.schema_at(place)
    _check(draft, place)
    return None if draft.failed else draft.schema_at(place)


def _check(draft: Draft, place: Place) -> None:
    facts = draft.run.shapes.facts
    written = place.keywords.get("type", "object")
    if facts.types(place) != OBJECT or written not in ("object", ["object"]):
        draft.report(
            PARAMETERS_NO_OBJECT,
            place.pointer,
            "The arguments of a tool are an object.",
            hint="Write `type: object`, and put the value under one of its `properties`.",
        )
        return
    parts = facts.conjunction(place)
    composed = any(word in place.keywords for word in COMPOSED)
    if (
        composed
        and not draft.spec.plain
        and not any(_OPENNESS & part.keywords.keys() for part in parts)
    ):
        draft.report(
            PARAMETERS_OPENNESS,
            place.pointer,
            "These parameters do not say whether they allow other properties.",
            hint="Add `unevaluatedProperties: false` here (or `true`), or "
            "`additionalProperties` where the properties are declared.",
        )
    if any(map(declared, parts)) and not any("required" in part.keywords for part in parts):
        draft.report(
            PARAMETERS_OPTIONAL,
            place.pointer,
            "Every parameter is optional.",
            hint="Meant? Else add `required: [...]`.",
        )
