"""What is wrong inside of schemas, found once for each slot and definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

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
        """The first schema in error among that of *place* and all that it refers to."""
        seen: dict[Place, None] = {}
        waiting = [self._sources.unit(place)]
        while waiting:
            unit = waiting.pop()
            if unit in seen:
                continue
            seen[unit] = None
            if any(finding.level is Level.ERROR for finding in self._check(unit)):
                return unit
            waiting.extend(
                self._sources.unit(reference.target)
                for reference in self._sources.references(unit)
                if isinstance(reference.target, Place)
            )
        return None

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
