"""What is wrong inside of schemas, found once for each slot and definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from toolkiln.circles import Circles
from toolkiln.diagnostics import Diagnostic, Level
from toolkiln.lower import keywords, metaschema, references
from toolkiln.lower.places import Place
from toolkiln.lower.sources import Sources, slots_of
from toolkiln.lower.written import mapping, text
from toolkiln.value import Json

Check: TypeAlias = Callable[[Sources, Place], Iterator[Diagnostic]]

CHECKS: Final[Sequence[Check]] = (
    metaschema.dialect,
    metaschema.violations,
    metaschema.patterns,
    keywords.unknown,
    references.dangling,
    references.loops,
)


class Units:
    """Slots and definitions, and which of them are in error, or use one that is."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._findings: dict[Place, tuple[Diagnostic, ...]] = {}
        self._circles = Circles(self._following)
        self._broken: list[Place | None] = []
        """By the number of the circle: a schema in error, if it leads to one."""

    def findings(self) -> list[Diagnostic]:
        """All that was found so far."""
        return [
            replace(finding, tool=self.tool_of(unit))
            for unit, found in self._findings.items()
            for finding in found
        ]

    def check_all(self) -> None:
        """Look at everything that the project itself declares, used or not."""
        for spec in self._sources.specs.files:
            pointers = [()] if spec.plain else slots_of(spec.document.value)
            for pointer in pointers:
                place = self._sources.slot(spec, pointer)
                if place:
                    self.broken(place)

    def broken(self, place: Place) -> Place | None:
        """A schema in error among that of *place* and all that it refers to."""
        number = self._circles.number(self._sources.unit(place))
        # What a circle leads to stands before it, so one look at each is enough.
        for members in self._circles.members[len(self._broken) :]:
            self._broken.append(self._first_broken(members))
        return self._broken[number]

    def _first_broken(self, members: Sequence[Place]) -> Place | None:
        own = (unit for unit in members if self._in_error(unit))
        others = (
            self._broken[number]
            for unit in members
            for target in self._following(unit)
            if (number := self._circles.number(target)) < len(self._broken)
        )
        return next(own, None) or next(filter(None, others), None)

    def _in_error(self, unit: Place) -> bool:
        return any(finding.level is Level.ERROR for finding in self._check(unit))

    def _following(self, unit: Place) -> Iterator[Place]:
        """The units that *unit* refers to; what is in error itself is not followed."""
        if not self._in_error(unit):
            for reference in self._sources.references(unit):
                if isinstance(reference.target, Place):
                    yield self._sources.unit(reference.target)

    def _check(self, unit: Place) -> tuple[Diagnostic, ...]:
        if unit not in self._findings:
            self._findings[unit] = tuple(
                finding for check in CHECKS for finding in check(self._sources, unit)
            )
        return self._findings[unit]

    def tool_of(self, place: Place) -> str | None:
        """`namespace.name` of the tool in which *place* stands, if it stands in one."""
        if place.spec.namespace is None:
            return None
        if place.spec.plain:
            facts: Json = mapping(place.spec.document.value).get("x-tool")
            return f"{place.spec.namespace}.{text(mapping(facts).get('name'))}"
        if place.pointer[:1] != ("tools",):
            return None
        return f"{place.spec.namespace}.{place.pointer[1]}"
