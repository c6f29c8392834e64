"""From schemas to the types that typed code prints.

A shape accepts everything that its schema accepts, and often more: what is valid is decided by
the schema alone. So nothing here needs to be exact, but nothing may be too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, cast

from toolkiln.lower.definitions import Names, home, words
from toolkiln.lower.dialects import DRAFT_2020
from toolkiln.lower.facts import ALL_TYPES, OBJECT, UNIONS, Facts, declared
from toolkiln.lower.places import Place, below, child
from toolkiln.lower.records import Records
from toolkiln.lower.sources import Sources
from toolkiln.lower.unions import choice, larger, union
from toolkiln.shape import Anything, Definition, List, Map, Record, Ref, Scalar, Type

_SCALARS: Final = ("string", "integer", "number", "boolean", "null")
_STRUCTURE: Final = frozenset(
    [
        "properties",
        "patternProperties",
        "additionalProperties",
        "items",
        "prefixItems",
        "additionalItems",
    ]
)
_NARROWING: Final = _STRUCTURE | frozenset(
    [
        "type",
        "const",
        "enum",
        "required",
        "allOf",
        "anyOf",
        "oneOf",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "dependencies",
        "$dynamicRef",
        "$recursiveRef",
    ]
)
"""Keywords beside a `$ref` that make the shape another one than its target's."""
_LARGEST: Final = 200
"""Parts of a shape without a name."""
_DEEPEST: Final = 30
"""References that are followed one within the other; what lies deeper is anything."""


class Shapes:
    """Shapes of places; collects the definitions that they refer to."""

    def __init__(self, sources: Sources, names: Names) -> None:
        self.facts = Facts(sources)
        self.definitions: dict[str, Definition] = {}
        self._names = names
        self._records = Records(self.facts, self.type)
        self._named: dict[Place, Type] = {}
        self._ends: dict[Place, Place] = {}
        """By a place that only refers to others: the last of them."""
        self._open: dict[Place, bool] = {}
        """Targets whose shape is being found, and whether it came to need itself."""
        self._waiting: dict[str, Place] = {}
        """Records without a body, by key."""

    def slot(self, place: Place) -> Type:
        """The shape of a slot."""
        found = self.type(place)
        self._finish()
        return found

    def arguments(self, place: Place) -> Type:
        """The shape of a tool's parameters: one record, even where there are variants."""
        found = self.type(place)
        if not (isinstance(found, Ref) and self._is_record(found.key)):
            only_objects = self.facts.types(place) == OBJECT
            found = self._record(place) if only_objects else Anything()
        self._finish()
        return found

    def forget(self) -> None:
        """Drop what was begun and cannot be finished."""
        self._waiting.clear()
        self._open.clear()

    def _is_record(self, key: str) -> bool:
        known = self.definitions.get(key)
        return key in self._waiting or (known is not None and isinstance(known.body, Record))

    def type(self, place: Place, within: frozenset[str] = ALL_TYPES) -> Type:
        """The shape of *place*, for values of the types *within*."""
        target = self._meant(place)
        # Recursion goes through references, so what is made of them is remembered.
        if target is not place or len(self.facts.conjunction(place)) > 1:
            return self._by_name(target)
        return self._shape(place, within)

    def _meant(self, place: Place) -> Place:
        """What *place* stands for, however long the chain of references that leads there."""
        way: list[Place] = []
        while place not in self._ends and (inner := self._only(place)):
            way.append(place)
            place = inner
        end = self._ends.get(place, place)
        self._ends.update(dict.fromkeys(way, end))
        return end

    def _only(self, place: Place) -> Place | None:
        """What *place* stands for, if it does nothing but refer to it."""
        keywords = place.keywords
        if place.references == ("$ref",):
            target = self.facts.sources.target(place)
            known = isinstance(target, Place) and not self._narrows(place, target)
            return target if known and isinstance(target, Place) else None
        parts = list(below(place, "allOf"))
        if len(parts) == 1 and not (_NARROWING - {"allOf"}) & keywords.keys():
            return parts[0] if "$ref" in parts[0].keywords else None
        return None

    def _narrows(self, place: Place, target: Place) -> bool:
        """Whether keywords beside a `$ref` say more than *target* does."""
        if place.overridden:
            return False
        beside = _NARROWING & place.keywords.keys()
        if not beside:
            return False
        return bool(beside - {"type"}) or self.facts.types(target) != self.facts.types(place)

    def _by_name(self, target: Place) -> Type:
        if target in self._named:
            return self._named[target]
        key = self._names.key(target)
        if target in self._open:
            self._open[target] = True
            return Ref(key)
        if len(self._open) > _DEEPEST:
            return Anything()
        self._open[target] = False
        found = self._shape(target, ALL_TYPES)
        # What stands in many places would grow with each level that repeats it.
        if self._open.pop(target) or larger(found, _LARGEST):
            self.definitions[key] = self._definition(key, target, found)
            found = Ref(key)
        self._named[target] = found
        return found

    def _shape(self, place: Place, within: frozenset[str]) -> Type:
        types = self.facts.types(place) & within
        values = self.facts.values(place)
        if values is not None:
            return choice(values)
        parts = self.facts.conjunction(place)
        groups = [(part, word) for part in parts for word in UNIONS if part.keywords.get(word)]
        if not types or (types == ALL_TYPES and not groups):
            return Anything()
        if len(groups) == 1 and not any(_STRUCTURE & part.keywords.keys() for part in parts):
            found = self._variants(list(below(*groups[0])), types)
            if not isinstance(found, Anything):
                return found
        return self._by_type(place, types)

    def _variants(self, branches: Sequence[Place], types: frozenset[str]) -> Type:
        return union(
            [self.type(branch, types) for branch in branches if self.facts.types(branch) & types]
        )

    def _by_type(self, place: Place, types: frozenset[str]) -> Type:
        if types == ALL_TYPES:
            return Anything()
        members: list[Type] = []
        if "object" in types:
            members.append(self._object(place))
        if "array" in types:
            members.append(self._array(place))
        members.extend(_scalar(kind) for kind in _SCALARS if kind in types)
        return union(members)

    def _object(self, place: Place) -> Type:
        parts = self.facts.conjunction(place)
        variants = [
            part for branch in self.facts.branches(place) for part in self.facts.conjunction(branch)
        ]
        if any(map(declared, (*parts, *variants))):
            return self._record(place)
        for part in parts:
            values = self._map_values(part)
            if not isinstance(values, Anything):
                return Map(values)
        return Map(Anything())

    def _map_values(self, place: Place) -> Type:
        patterns = [self.type(inner) for inner in below(place, "patternProperties")]
        rest = place.keywords.get("additionalProperties", True)
        if rest is True:
            return Anything()
        others = [] if rest is False else [self.type(child(place, "additionalProperties"))]
        return union([*patterns, *others])

    def _array(self, place: Place) -> Type:
        for part in self.facts.conjunction(place):
            found = self._items(part)
            if found.prefix or not isinstance(found.items, Anything):
                return found
        return List(Anything())

    def _items(self, place: Place) -> List:
        prefix, rest = _item_words(place)
        first = [self.type(inner) for inner in below(place, prefix)] if prefix else []
        keywords = place.keywords
        others = list(below(place, rest))
        if not first:
            items = Anything() if not others or others[0].value is False else self.type(others[0])
            return List(items)
        count = len(first)
        most, least = keywords.get("maxItems"), keywords.get("minItems", 0)
        full = keywords.get(rest) is False or (isinstance(most, int | float) and most <= count)
        if full and isinstance(least, int | float) and least >= count:
            # Said twice, tuples in tuples would be twice as large with each level.
            return List(Anything(), tuple(first))
        after: list[Type] = [] if full else [self.type(others[0]) if others else Anything()]
        return List(union([*first, *after]))

    def _record(self, place: Place) -> Ref:
        key = self._names.key(place)
        if key not in self.definitions:
            self._waiting.setdefault(key, place)
        return Ref(key)

    def _finish(self) -> None:
        """Lower the bodies of records one after the other, so that no chain of them is too deep."""
        while self._waiting:
            key, place = next(iter(self._waiting.items()))
            self.definitions[key] = self._definition(key, place, self._records.body(place))
            del self._waiting[key]

    def _definition(self, key: str, place: Place, body: Type) -> Definition:
        text = place.keywords.get("description")
        return Definition(
            key=key,
            home=home(place.spec),
            words=words(place),
            body=body,
            description=text if isinstance(text, str) else "",
            span=place.spec.document.span(*place.pointer),
        )


def _item_words(place: Place) -> tuple[str, str]:
    """The keywords for the first items and for the others; dialects disagree."""
    if place.resource.dialect is DRAFT_2020:
        return "prefixItems", "items"
    if isinstance(place.keywords.get("items"), list):
        return "items", "additionalItems"
    return "", "items"


def _scalar(kind: str) -> Scalar:
    return Scalar(cast("Literal['string', 'integer', 'number', 'boolean', 'null']", kind))
