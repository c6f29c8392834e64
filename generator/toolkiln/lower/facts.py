"""What surely holds for every value that a schema accepts; never more than that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

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
        self._conjunctions: dict[Place, tuple[Place, ...]] = {}
        self._types: dict[Place, frozenset[str]] = {}

    def conjunction(self, place: Place) -> tuple[Place, ...]:
        """All schemas that apply wherever *place* does: itself, by `$ref` and by `allOf`."""
        if place not in self._conjunctions:
            found: dict[Place, None] = {}
            waiting = [place]
            while waiting:
                part = waiting.pop()
                if part in found:
                    continue
                found[part] = None
                waiting.extend(reversed((*self._targets(part), *below(part, "allOf"))))
            self._conjunctions[place] = tuple(part for part in found if not part.overridden)
        return self._conjunctions[place]

    def _targets(self, place: Place) -> Iterator[Place]:
        for word in place.references:
            target = self.sources.target(place, word)
            if isinstance(target, Place) and not is_dynamic(target, word):
                yield target

    def types(self, place: Place) -> frozenset[str]:
        """The JSON types that *place* may accept; `number` never stands without `integer`."""
        if place not in self._types:
            # A schema that asks about itself again gets the answer that excludes nothing.
            self._types[place] = ALL_TYPES
            types = ALL_TYPES
            for part in self.conjunction(place):
                types &= self._own_types(part)
            self._types[place] = types
        return self._types[place]

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
            branches = [self.types(branch) for branch in below(place, word)]
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
