"""One self-contained JSON Schema from a slot and everything that it refers to.

A schema that is a resource of its own stays as it is written. What shares the scope of a file is
copied under `$defs`, with references rewritten; a target that cannot be taken apart (anchors,
identifiers, another dialect) is embedded whole, under an `$id`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from toolkiln.lower.definitions import stem
from toolkiln.lower.dialects import DRAFT_2020, Dialect, Holds
from toolkiln.lower.places import Place, child, walk
from toolkiln.lower.pointers import Pointer, fragment
from toolkiln.lower.sources import Reference, Sources
from toolkiln.value import Json

_NAMING: Final = ("$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef")
_DEFINITIONS: Final = ("$defs", "definitions")
_ROOT_ID: Final = "toolkiln:bundle"


class UnbundledError(ValueError):
    """Schemas that cannot stand in one document; the message says why."""


def bundle(sources: Sources, slot: Place) -> Json:
    """The schema of *slot*, which must not be in error, with all its targets inside.

    Raises `UnbundledError` if two of them call themselves the same.
    """
    if not isinstance(slot.value, dict):
        return slot.value
    return _Bundle(sources, slot).made()


def bundled_part(sources: Sources, place: Place) -> Json:
    """The same for a schema anywhere inside of a slot."""
    unit = sources.unit(place)
    if not unit.resource.own or not _is_named(unit):
        return bundle(sources, place)
    # What goes by names means something only together with the rest of its resource.
    whole = bundle(sources, unit)
    identifier = unit.resource.base or "toolkiln:whole"
    inner = place.pointer[len(unit.pointer) :]
    return {
        "$schema": unit.resource.dialect.uri,
        "allOf": [{"$ref": identifier + fragment(inner)}],
        unit.resource.dialect.definitions: {
            "whole": {**(whole if isinstance(whole, dict) else {}), "$id": identifier}
        },
    }


@dataclass(slots=True)
class _Bundle:
    sources: Sources
    root: Place
    names: dict[Place, str] = field(default_factory=dict[Place, str])
    """Of everything that goes under `$defs`."""
    needs_id: bool = False
    """Whether an embedded resource refers to something outside of itself."""

    @property
    def dialect(self) -> Dialect:
        return self.root.resource.dialect

    def made(self) -> Json:
        self._name(self._closure())
        resource = self.root.resource
        whole = resource.own and resource.root == self.root.pointer
        made = dict(self._object(self.root, whole=self.root if whole else None))
        if self.root.spec.plain:
            made.pop("x-tool", None)
        made.pop("$schema", None)
        if self.dialect is not DRAFT_2020:
            made = {"$schema": self.dialect.uri, **made}
        added = {name: self._definition(place) for place, name in self.names.items()}
        if self.needs_id:
            made = {"$id": made.get("$id", _ROOT_ID), **made}
        kept = made.pop(self.dialect.definitions, {})
        definitions = {**(kept if isinstance(kept, dict) else {}), **added}
        return {**made, self.dialect.definitions: definitions} if definitions else made

    def _closure(self) -> list[Place]:
        """Every target outside of the root, in the order in which references lead there."""
        found: dict[Place, None] = {}
        waiting = [self.root]
        while waiting:
            place = waiting.pop(0)
            for reference in self.sources.references(place):
                target = self._outside(reference)
                if target is None:
                    continue
                whole = self._whole(target)
                if (whole or target) not in found and (whole or target) != self.root:
                    found[whole or target] = None
                    waiting.append(whole or target)
        return list(found)

    def _outside(self, reference: Reference) -> Place | None:
        """The target of *reference*, unless the two are in one piece that is copied whole."""
        target = reference.target
        if not isinstance(target, Place):
            return None
        whole = self._whole(reference.holder)
        return None if whole and target.inside(whole) else target

    def _whole(self, place: Place) -> Place | None:
        """The resource around *place* that is copied as it is; None if it is taken apart."""
        unit = self.sources.unit(place)
        if unit == self.root:
            return unit if unit.resource.own else self._embedded(place, unit)
        if unit.resource.own:
            apart = unit.resource.dialect is self.dialect and not _is_named(unit)
            return None if apart else unit
        return self._embedded(place, unit)

    def _embedded(self, place: Place, unit: Place) -> Place | None:
        """The outermost `$id` around *place* in a slot that is no resource itself."""
        if not place.resource.own:
            return None
        for length in range(len(unit.pointer), len(place.pointer) + 1):
            around = self.sources.place(place.spec, place.pointer[:length])
            if around and around.resource.own:
                return around
        return None

    def _name(self, places: list[Place]) -> None:
        groups: dict[str, list[Place]] = {}
        for place in places:
            groups.setdefault(_readable(place), []).append(place)
        taken = _keys(self.root.keywords.get(self.dialect.definitions), self.root)
        for place in places:
            name = _readable(place)
            own = [other for other in groups[name] if other.file == self.root.file]
            first = groups[name] == [place] or own == [place]
            self.names[place] = (
                name
                if first and name not in taken
                else _told_apart(name, place, {*taken, *groups, *self.names.values()})
            )
        self._refuse_clashes()

    def _refuse_clashes(self) -> None:
        resources = {whole for place in self.names if (whole := self._whole(place))}
        resources |= {self.root} if self.root.resource.own else set()
        known: dict[str, Place] = {}
        for place in sorted(resources, key=lambda place: (place.file, str(place.pointer))):
            name = place.resource.base
            if name and known.setdefault(name, place) != place:
                raise UnbundledError(f"two schemas have the `$id` `{name}`")

    def _definition(self, place: Place) -> Json:
        whole = self._whole(place)
        if not isinstance(place.value, dict):
            return place.value
        if whole is None:
            return self._object(place, whole=None)
        made = {"$id": self._identifier(whole), **self._object(place, whole=whole)}
        if whole.resource.dialect is not self.dialect:
            made = {"$schema": whole.resource.dialect.uri, **made}
        return made

    def _identifier(self, whole: Place) -> str:
        written = whole.resource.base
        return written or f"toolkiln:{self.names[whole]}"

    def _object(self, place: Place, *, whole: Place | None) -> dict[str, Json]:
        """*place* copied; *whole* is the resource that is being copied as it is, if one is."""
        if whole is None:
            whole = self._starts(place)
        made: dict[str, Json] = {}
        for word, value in place.keywords.items():
            if word in place.references:
                reference = Reference(place, word, self.sources.target(place, word))
                made[word] = self._reference(reference, whole)
            elif whole is None and word in {*_DEFINITIONS, "$id", "$schema", "$anchor"}:
                continue
            else:
                made[word] = self._value(place, word, value, whole)
        return made

    def _starts(self, place: Place) -> Place | None:
        own = place.resource.own and place.resource.root == place.pointer
        return place if own and self._whole(place) == place else None

    def _value(self, place: Place, word: str, value: Json, whole: Place | None) -> Json:
        holds = place.resource.dialect.holds.get(word)
        if holds is None or (place.overridden and word not in _DEFINITIONS):
            return value
        if isinstance(value, dict) and holds in {Holds.NAMED, Holds.MIXED}:
            return {name: self._copy(place, (word, name), whole) for name in value}
        if isinstance(value, list) and holds in {Holds.SCHEMAS, Holds.EITHER}:
            return [self._copy(place, (word, index), whole) for index in range(len(value))]
        return self._copy(place, (word,), whole)

    def _copy(self, place: Place, steps: Pointer, whole: Place | None) -> Json:
        inner = child(place, *steps)
        return self._object(inner, whole=whole) if isinstance(inner.value, dict) else inner.value

    def _reference(self, reference: Reference, whole: Place | None) -> str:
        target = reference.target
        if not isinstance(target, Place) or (whole and target.inside(whole)):
            return reference.text
        around = self._whole(target)
        if around and around != self.root:
            inner = target.pointer[len(around.pointer) :]
            return self._identifier(around) + (fragment(inner) if inner else "")
        if target in self.names:
            found = fragment((self.dialect.definitions, self.names[target]))
        else:
            found = fragment(target.pointer[len(self.root.pointer) :])
        at_root = whole is None or reference.holder.resource.root == self.root.pointer
        if at_root and whole in {None, self.root}:
            return found
        self.needs_id = True
        identifier = self.root.keywords.get("$id")
        return (identifier if isinstance(identifier, str) else _ROOT_ID) + found.removesuffix("#")


def _is_named(unit: Place) -> bool:
    """Whether parts of *unit* go by names that pointers into a copy would lose."""
    return any(
        word in place.keywords
        for place in walk(unit)
        for word in _NAMING
        if place != unit or word != "$id"
    )


def _keys(value: Json, root: Place) -> frozenset[str]:
    return frozenset(value) if root.resource.own and isinstance(value, Mapping) else frozenset()


def _readable(place: Place) -> str:
    """A name for a definition: that which it has, or the words that lead to it."""
    words = [str(step) for step in place.pointer]
    if len(words) > 1 and words[-2] in _DEFINITIONS:
        return words[-1]
    dull = {"tools", "failures", "interactions", "properties", "items", *_DEFINITIONS}
    return "_".join(word for word in words if word not in dull) or stem(place.file)


def _told_apart(name: str, place: Place, taken: set[str]) -> str:
    digits = sha256(f"{place.file}{fragment(place.pointer)}".encode()).hexdigest()
    found = (f"{name}_{digits[:length]}" for length in range(4, len(digits) + 1))
    return next(candidate for candidate in found if candidate not in taken)
