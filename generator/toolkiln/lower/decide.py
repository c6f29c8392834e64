"""Whether a test can tell valid values of a parameter apart at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from toolkiln.lower.bundle import bundled_part
from toolkiln.lower.facts import ALL_TYPES, Facts
from toolkiln.lower.places import Place
from toolkiln.lower.run import Run
from toolkiln.lower.validators import compiled
from toolkiln.lower.written import mapping
from toolkiln.value import Json


class Verdict(Enum):
    """What is known about a test."""

    NEVER = "no valid value passes"
    ALWAYS = "every valid value passes"
    OPEN = "it depends, or cannot be told"


_RANGES: Final[Mapping[str, tuple[str, str]]] = {
    "length": ("minLength", "maxLength"),
    "items": ("minItems", "maxItems"),
    "properties": ("minProperties", "maxProperties"),
}
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "number": frozenset({"integer", "number"}),
    "length": frozenset({"string"}),
    "items": frozenset({"array"}),
    "properties": frozenset({"object"}),
}
_BOUNDS: Final = frozenset(
    [
        "type",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ]
)


@dataclass(frozen=True, slots=True)
class _Range:
    """Numbers from *low* to *high*; an open end excludes its bound."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def apart(self, other: _Range) -> bool:
        """Whether no number is in both."""
        return self._before(other) or other._before(self)

    def _before(self, other: _Range) -> bool:
        touching = self.high == other.low and (self.open_high or other.open_low)
        return self.high < other.low or touching

    def covers(self, other: _Range) -> bool:
        """Whether all of *other* is in this range."""
        low = self.low < other.low or (
            self.low == other.low and (not self.open_low or other.open_low)
        )
        high = self.high > other.high or (
            self.high == other.high and (not self.open_high or other.open_high)
        )
        return low and high


def verdict(run: Run, places: Sequence[Place], test: Json) -> Verdict:
    """Whether *test* can hold, or fail, for values valid under one of *places*."""
    found = {_single(run, place, test) for place in places}
    return found.pop() if len(found) == 1 else Verdict.OPEN


def _single(run: Run, place: Place, test: Json) -> Verdict:
    facts = run.shapes.facts
    values = facts.values(place)
    if values:
        holding = sum(compiled(test).is_valid(value) for value in values)
        if holding == 0:
            return Verdict.NEVER
        return Verdict.ALWAYS if holding == len(values) else Verdict.OPEN
    if test in (True, {}):
        return Verdict.ALWAYS
    if test is False or _values_refused(run, place, mapping(test)):
        return Verdict.NEVER
    return _by_range(facts, place, mapping(test))


def _values_refused(run: Run, place: Place, test: Mapping[str, Json]) -> bool:
    """Whether the test admits only certain values, none of which the parameter admits."""
    values = [test["const"]] if "const" in test else test.get("enum")
    if not isinstance(values, list):
        return False
    parameter = compiled(bundled_part(run.sources, place))
    return not any(parameter.is_valid(value) for value in values)


def _by_range(facts: Facts, place: Place, test: Mapping[str, Json]) -> Verdict:
    admitted = facts.types(place)
    tested = _types(test)
    if not admitted & tested:
        return Verdict.NEVER
    both = admitted & tested
    written = [part.keywords for part in facts.conjunction(place)]
    always = tested >= admitted and test.keys() <= _BOUNDS
    for name, kinds in _KINDS.items():
        wanted = _range(name, [test])
        given = _range(name, written)
        if both and both <= kinds and wanted.apart(given):
            return Verdict.NEVER
        if admitted & kinds and not wanted.covers(given):
            always = False
    return Verdict.ALWAYS if always else Verdict.OPEN


def _types(test: Mapping[str, Json]) -> frozenset[str]:
    written = test.get("type")
    if written is None:
        return ALL_TYPES
    words = written if isinstance(written, list) else [written]
    types = {word for word in words if isinstance(word, str)}
    return frozenset(types | {"integer"} if "number" in types else types)


def _range(name: str, written: Sequence[Mapping[str, Json]]) -> _Range:
    if name == "number":
        low, open_low = _tightest(written, "minimum", "exclusiveMinimum", lower=True)
        high, open_high = _tightest(written, "maximum", "exclusiveMaximum", lower=False)
        return _Range(low, high, open_low, open_high)
    least, most = _RANGES[name]
    low, _ = _tightest(written, least, "", lower=True)
    high, _ = _tightest(written, most, "", lower=False)
    return _Range(max(low, 0), high)


def _tightest(
    written: Sequence[Mapping[str, Json]], closed: str, exclusive: str, *, lower: bool
) -> tuple[float, bool]:
    sign = 1 if lower else -1
    best, is_open = -math.inf, False
    for keywords in written:
        for word in (closed, exclusive):
            bound = keywords.get(word)
            if isinstance(bound, bool) or not isinstance(bound, int | float):
                continue
            best, is_open = max((best, is_open), (sign * bound, word == exclusive))
    return sign * best, is_open
