"""The fields of objects with declared properties."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from toolkiln.lower.facts import UNIONS, Facts, declared, is_closed, member
from toolkiln.lower.places import Place, below, child
from toolkiln.lower.unions import union
from toolkiln.shape import Anything, Choice, Field, List, Map, Record, Scalar, Type, Union
from toolkiln.value import MISSING, Json, Missing


@dataclass(slots=True)
class _Declared:
    """What is said about the properties of one object, wherever it is said."""

    always: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    """By name: the schemas that apply to every value of the object."""
    sometimes: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    required: dict[str, None] = field(default_factory=dict[str, None])
    order: dict[str, None] = field(default_factory=dict[str, None])
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """Bodies of records."""

    facts: Facts
    type: Callable[[Place], Type]

    def body(self, place: Place) -> Record:
        """All properties that any schema for *place* declares."""
        said = _Declared()
        self._always(place, said)
        self._sometimes(place, said)
        fields = (self._field(place, name, said) for name in said.order)
        return Record(tuple(found for found in fields if found), said.closed)

    def _always(self, place: Place, said: _Declared) -> None:
        for part in self.facts.conjunction(place):
            for name in declared(part):
                said.order[name] = None
                said.always.setdefault(name, []).append(child(part, "properties", name))
            required = part.keywords.get("required")
            for name in required if isinstance(required, list) else ():
                if isinstance(name, str):
                    said.required[name] = None
            said.closed = said.closed or is_closed(part)
        for name in said.required:
            said.order.setdefault(name)

    def _sometimes(self, place: Place, said: _Declared) -> None:
        seen: set[Place] = set()
        waiting = self.facts.branches(place)[::-1]
        while waiting:
            branch = waiting.pop()
            if branch in seen:
                continue
            seen.add(branch)
            for part in self.facts.conjunction(branch):
                for name in declared(part):
                    said.order.setdefault(name)
                    said.sometimes.setdefault(name, []).append(child(part, "properties", name))
            waiting.extend(reversed(self.facts.branches(branch)))

    def _field(self, place: Place, name: str, said: _Declared) -> Field | None:
        always = said.always.get(name, [])
        sometimes = said.sometimes.get(name, [])
        arms = always or self._evaluated(place, name) or self._arms(place, name)
        if any(part.value is False for part in always) or arms == []:
            return None  # such a property can never be present
        found = self._narrowest(always) if always else self._any_of(arms)
        required = name in said.required
        default = MISSING if required else self._default(always or sometimes, found)
        first = (always or sometimes or [place])[0]
        return Field(
            wire=name,
            type=found,
            required=required,
            default=default,
            description=_description([*always, *sometimes]),
            span=first.spec.document.span(*first.pointer),
        )

    def _narrowest(self, places: list[Place]) -> Type:
        """The most telling of shapes that all hold: a choice, else the first that says anything."""
        found = [self.type(place) for place in places]
        choices = [shape for shape in found if isinstance(shape, Choice)]
        telling = [shape for shape in found if not isinstance(shape, Anything)]
        return (choices or telling or [Anything()])[0]

    def _any_of(self, places: list[Place] | None) -> Type:
        if places is None:
            return Anything()
        return union([self.type(place) for place in places])

    def _evaluated(self, place: Place, name: str) -> list[Place] | None:
        """All schemas for *name*, where `unevaluatedProperties` refuses what none has looked at."""
        if not any(
            part.keywords.get("unevaluatedProperties") is False
            for part in self.facts.conjunction(place)
        ):
            return None
        parts = self.facts.everything(place)
        if any(map(_looks_at_others, parts)):
            return None
        found = [child(part, "properties", name) for part in parts if name in declared(part)]
        return [each for each in found if each.value is not False]

    def _arms(self, place: Place, name: str) -> list[Place] | None:
        """Schemas of which a property *name* satisfies at least one; None if it may be anything."""
        parts = self.facts.conjunction(place)
        here = [child(part, "properties", name) for part in parts if name in declared(part)]
        if here:
            return [part for part in here[:1] if part.value is not False]
        if any(map(is_closed, parts)):
            return []
        for part in parts:
            for word in UNIONS:
                arms = [self._arms(branch, name) for branch in below(part, word)]
                if arms and None not in arms:
                    return [found for arm in arms for found in arm or ()]
        return None

    def _default(self, places: list[Place], shape: Type) -> Json | Missing:
        for place in places:
            default = self.facts.default(place)
            if not isinstance(default, Missing):
                return default if fits(default, shape) else MISSING
        return MISSING


def _looks_at_others(place: Place) -> bool:
    """Whether *place* may evaluate properties that it does not declare by name."""
    keywords = place.keywords
    return (
        bool({"if", "patternProperties", "$dynamicRef", "$recursiveRef"} & keywords.keys())
        or keywords.get("additionalProperties", False) is not False
        or keywords.get("unevaluatedProperties", False) is not False
    )


def _description(places: list[Place]) -> str:
    for place in places:
        text = place.keywords.get("description")
        if isinstance(text, str) and text:
            return text
    return ""


def fits(value: Json, shape: Type) -> bool:
    """Whether typed code can write *value* where *shape* is expected."""
    match shape:
        case Anything():
            return True
        case Choice(values):
            return type(value) is not float and member(value, list(values))
        case Scalar(kind):
            return _fits_scalar(value, kind)
        case List(items, prefix):
            return isinstance(value, list) and not prefix and all(fits(v, items) for v in value)
        case Map(values):
            return isinstance(value, dict) and all(fits(v, values) for v in value.values())
        case Union(members):
            return any(fits(value, member) for member in members)
        case _:
            return False


def _fits_scalar(value: Json, kind: str) -> bool:
    if isinstance(value, bool) or value is None:
        return kind == ("null" if value is None else "boolean")
    if isinstance(value, str):
        return kind == "string"
    if isinstance(value, int):
        return kind in {"integer", "number"}
    return kind == "number" and isinstance(value, float) and math.isfinite(value)
