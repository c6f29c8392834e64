"""What surely holds for every value that a schema accepts; never more than that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from toolkiln.circles import Circles
from toolkiln.lower.dialects import TYPE_WORDS
from toolkiln.lower.places import Place, below, child
from toolkiln.lower.sources import Sources
from toolkiln.value import MISSING, Json, Missing

ALL_TYPES: Final = frozenset(TYPE_WORDS)
NO_TYPES: Final[frozenset[str]] = frozenset()
OBJECT: Final = frozenset({"object"})
UNIONS: Final = ("anyOf", "oneOf")
_BRANCHES: Final = (*UNIONS, "then", "else", "dependentSchemas", "dependencies")


class Facts:
    """Answers about places, remembered."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._conjunctions: dict[Place, dict[Place, None]] = {}
        self._types: dict[Place, frozenset[str]] = {}
        self._circles = Circles(self._needed)
        self._decided = 0
        """Circles about which all is remembered."""

    def conjunction(self, place: Place) -> Collection[Place]:
        """All schemas that apply wherever *place* does: itself, by `$ref` and by `allOf`."""
        self._decide(place)
        return self._conjunctions[place]

    def types(self, place: Place) -> frozenset[str]:
        """The JSON types that *place* may accept; `number` never stands without `integer`."""
        self._decide(place)
        return self._types[place]

    def _decide(self, place: Place) -> None:
        if place in self._types:
            return
        number = self._circles.number(place)
        # What a circle needs stands before it, however long the chain of references.
        for members in self._circles.members[self._decided : number + 1]:
            self._decided += 1
            # A schema that asks about itself again gets the answer that excludes nothing.
            self._types.update(dict.fromkeys(members, ALL_TYPES))
            for member in members:
                self._conjunctions[member] = self._conjoined(member)
                self._types[member] = self._combined(member)

    def _needed(self, place: Place) -> Iterator[Place]:
        yield from self._applied(place)
        for word in UNIONS:
            yield from below(place, word)

    def _applied(self, place: Place) -> Iterator[Place]:
        for word in place.references:
            target = self.sources.target(place, word)
            if isinstance(target, Place) and not is_dynamic(target, word):
                yield target
        yield from below(place, "allOf")

    def _conjoined(self, place: Place) -> dict[Place, None]:
        found: dict[Place, None] = {} if place.overridden else {place: None}
        waiting, seen = [*self._applied(place)][::-1], {place}
        while waiting:
            part = waiting.pop()
            if part in self._conjunctions:
                found.update(self._conjunctions[part])
            elif part not in seen:
                # Only in a circle is a part not known yet.
                seen.add(part)
                found.update({} if part.overridden else {part: None})
                waiting.extend(reversed([*self._applied(part)]))
        return found

    def _combined(self, place: Place) -> frozenset[str]:
        types = ALL_TYPES if place.overridden else self._own_types(place)
        for part in self._applied(place):
            types &= self._types[part]
        return types

    def _own_types(self, place: Place) -> frozenset[str]:
        if place.value is False:
            return NO_TYPES
        keywords = place.keywords
        types = _written_types(keywords.get("type"))
        if "const" in keywords:
            types &= _types_of(keywords["const"])
        values = keywords.get("enum")
        if isinstance(values, list):
            types &= NO_TYPES.union(*map(_types_of, values))
        for word in UNIONS:
            branches = [self._types[branch] for branch in below(place, word)]
            if branches:
                types &= NO_TYPES.union(*branches)
        return types

    def values(self, place: Place) -> list[Json] | None:
        """All values that *place* may accept, if `const` or `enum` say so."""
        found: list[Json] | None = None
        for part in self.conjunction(place):
            for values in _listed(part):
                found = values if found is None else [v for v in found if member(v, values)]
        if found is None:
            return None
        types = self.types(place)
        return [value for value in found if _types_of(value) & types]

    def properties(self, place: Place, name: str) -> list[Place]:
        """The schemas for property *name* that apply whenever *place* does."""
        return [
            child(part, "properties", name)
            for part in self.conjunction(place)
            if name in declared(part)
        ]

    def branches(self, place: Place) -> list[Place]:
        """The schemas that may apply too, depending on the value."""
        return [
            branch
            for part in self.conjunction(place)
            for word in _BRANCHES
            for branch in below(part, word)
        ]

    def everything(self, place: Place) -> list[Place]:
        """All schemas that apply, or may apply, to a value of *place* itself."""
        found: dict[Place, None] = {}
        seen: set[Place] = set()
        waiting = [place]
        while waiting:
            branch = waiting.pop(0)
            if branch not in seen:
                seen.add(branch)
                found.update(dict.fromkeys(self.conjunction(branch)))
                waiting.extend(self.branches(branch))
        return list(found)

    def default(self, place: Place) -> Json | Missing:
        """The default that is declared for *place*, by itself or by what it refers to."""
        for part in self.conjunction(place):
            if "default" in part.keywords:
                return part.keywords["default"]
        return MISSING


def is_dynamic(target: Place, word: str) -> bool:
    """Whether the reference that led to *target* may lead elsewhere when a value is validated."""
    if word == "$dynamicRef":
        return "$dynamicAnchor" in target.keywords
    return word == "$recursiveRef" and target.keywords.get("$recursiveAnchor") is True


def declared(place: Place) -> Sequence[str]:
    """The names under `properties` of *place* alone."""
    properties = place.keywords.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def is_closed(place: Place) -> bool:
    """Whether *place* by itself refuses all properties but those under its `properties`."""
    keywords = place.keywords
    return keywords.get("additionalProperties") is False and not keywords.get("patternProperties")


def same(one: Json, other: Json) -> bool:
    """Equality of JSON values: 1 is 1.0, and neither is true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def member(value: Json, values: Sequence[Json]) -> bool:
    """Whether *value* is one of *values*."""
    return any(same(value, other) for other in values)


def _listed(place: Place) -> Iterator[list[Json]]:
    if "const" in place.keywords:
        yield [place.keywords["const"]]
    values = place.keywords.get("enum")
    if isinstance(values, list):
        yield values


def _written_types(written: Json) -> frozenset[str]:
    if written is None:
        return ALL_TYPES
    words = written if isinstance(written, list) else [written]
    types = {word for word in words if isinstance(word, str)}
    return frozenset(types | {"integer"} if "number" in types else types)


def _types_of(value: Json) -> frozenset[str]:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return frozenset({"integer", "number"})
    if isinstance(value, str):
        return frozenset({"string"})
    return frozenset({"array" if isinstance(value, list) else "object"})
