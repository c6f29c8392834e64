"""What references mean: from a place and the text of a reference to the place it leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolkiln.circles import Circles
from toolkiln.lower.dialects import IN_PLACE, is_meta_schema
from toolkiln.lower.places import (
    FILE_SCOPE,
    Place,
    Resource,
    below,
    descend,
    is_schema,
    join,
    walk,
)
from toolkiln.lower.pointers import Pointer, parsed, typed
from toolkiln.lower.slots import slot_length, slot_place
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec, Specs


class Known(Enum):
    """Targets that are nowhere in the files and yet no mistake."""

    META = "a meta-schema"


Target: TypeAlias = Place | Literal[Known.META] | None
"""Where a reference leads; None if nowhere."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a schema."""

    holder: Place
    word: str
    target: Target

    @property
    def text(self) -> str:
        """As written."""
        return str(self.holder.keywords[self.word])


@dataclass(slots=True)
class _Names:
    """The identifiers and anchors that are declared in one tree of schemas."""

    ids: dict[str, Place] = field(default_factory=dict[str, Place])
    anchors: dict[tuple[Pointer, str], Place] = field(
        default_factory=dict[tuple[Pointer, str], Place]
    )

    def collect(self, root: Place) -> None:
        for place in walk(root):
            keywords, resource = place.keywords, place.resource
            if resource.own and resource.root == place.pointer and not place.overridden:
                self.ids.setdefault(resource.base, place)
            anchors = [keywords.get("$anchor"), keywords.get("$dynamicAnchor")]
            if not resource.dialect.siblings and str(keywords.get("$id", "")).startswith("#"):
                anchors = [str(keywords["$id"]).removeprefix("#")]
            for anchor in anchors:
                if isinstance(anchor, str):
                    self.anchors.setdefault((resource.root, anchor), place)


class Sources:
    """All schemas of the specs, found by pointer or by reference; remembers what it found."""

    def __init__(self, specs: Specs) -> None:
        self.specs = specs
        self._slots: dict[tuple[str, Pointer], Place | None] = {}
        self._targets: dict[tuple[str, Pointer, str], Target] = {}
        self._names: dict[tuple[str, Pointer], _Names] = {}
        self._references: dict[Place, tuple[Reference, ...]] = {}
        self._within: dict[Place, tuple[Place, ...]] = {}
        self._circles = Circles(self._applied)

    def slot(self, spec: Spec, pointer: Pointer) -> Place | None:
        """The schema of the slot or definition at *pointer*; None if nothing is written there."""
        key = (spec.document.file, pointer)
        if key not in self._slots:
            found = descend(_whole(spec), pointer)
            self._slots[key] = found and slot_place(spec, pointer, found.value)
        return self._slots[key]

    def place(self, spec: Spec, pointer: Pointer) -> Place | None:
        """The place at *pointer* of a file, whatever stands there."""
        length = slot_length(pointer, plain=spec.plain)
        if length is None:
            return descend(_whole(spec), pointer)
        slot = self.slot(spec, pointer[:length])
        return slot and descend(slot, pointer[length:])

    def unit(self, place: Place) -> Place:
        """The slot or definition that *place* is a part of; itself if it stands elsewhere."""
        length = slot_length(place.pointer, plain=place.spec.plain)
        slot = None if length is None else self.slot(place.spec, place.pointer[:length])
        return slot or place

    def within(self, root: Place) -> tuple[Place, ...]:
        """*root* and all schemas below it, outer ones first."""
        if root not in self._within:
            self._within[root] = tuple(walk(root))
        return self._within[root]

    def references(self, root: Place) -> tuple[Reference, ...]:
        """All references at and below *root*."""
        if root not in self._references:
            self._references[root] = tuple(
                Reference(place, word, self.target(place, word))
                for place in self.within(root)
                for word in place.references
            )
        return self._references[root]

    def returns(self, reference: Reference) -> bool:
        """Whether *reference* comes back to its place without looking at any part of the value."""
        target = reference.target
        return isinstance(target, Place) and (
            self._circles.number(target) == self._circles.number(reference.holder)
        )

    def _applied(self, place: Place) -> Iterator[Place]:
        """The schemas that are asked about the same value as *place*, by one step."""
        for word in place.references:
            target = self.target(place, word)
            if isinstance(target, Place):
                yield target
        for word in IN_PLACE & place.keywords.keys():
            yield from below(place, word)

    def target(self, place: Place, word: str = "$ref") -> Target:
        """Where the reference under keyword *word* of *place* leads."""
        key = (place.file, place.pointer, word)
        if key not in self._targets:
            try:
                found = self._resolve(place, str(place.keywords[word]))
            except ValueError:  # urllib refuses some texts as addresses
                found = None
            good = not isinstance(found, Place) or self._usable(found)
            self._targets[key] = found if good else None
        return self._targets[key]

    def _usable(self, place: Place) -> bool:
        return is_schema(place.value) and (bool(place.pointer) or place.spec.plain)

    def _resolve(self, place: Place, text: str) -> Target:
        uri, _, fragment = text.partition("#")
        root = self._resource(place, uri)
        if isinstance(root, Place):
            return self._inside(root, fragment)
        if root is None:
            elsewhere = self.specs.resolve(place.spec, text)
            return elsewhere and self._elsewhere(*elsewhere)
        return root

    def _elsewhere(self, spec: Spec, names: tuple[str, ...]) -> Place | None:
        return self.place(spec, typed(names, spec.document.value))

    def _resource(self, place: Place, uri: str) -> Target:
        if not uri:
            return self.root(place)
        full = join(place.resource.base, uri)
        for names in (self._tree(place), self._definitions(place.spec)):
            if full in names.ids:
                return names.ids[full]
        return Known.META if is_meta_schema(full) else None

    def root(self, place: Place) -> Place | None:
        """What `#` means at *place*; the whole file where it has no narrower scope."""
        if place.resource == FILE_SCOPE:
            return _whole(place.spec)
        return self.place(place.spec, place.resource.root)

    def _inside(self, root: Place, fragment: str) -> Target:
        if fragment == "":
            return root
        if not fragment.startswith("/"):
            return self._tree(root).anchors.get((root.resource.root, fragment))
        steps = parsed(fragment, root.value)
        if root.resource == FILE_SCOPE:
            return self.place(root.spec, steps)
        return descend(root, steps)

    def _tree(self, place: Place) -> _Names:
        """The names that are in reach of *place*: those of its own slot, or of its file."""
        unit = self.unit(place)
        own = unit.resource.own
        key = (place.file, unit.pointer if own else ())
        if key not in self._names:
            names = self._names[key] = _Names()
            for root in [unit] if own else self._shared(place.spec):
                names.collect(root)
        return self._names[key]

    def _definitions(self, spec: Spec) -> _Names:
        key = (spec.document.file, ("$defs",))
        if key not in self._names:
            names = self._names[key] = _Names()
            for root in self.definitions(spec):
                names.collect(root)
        return self._names[key]

    def definitions(self, spec: Spec) -> list[Place]:
        """The types that a file shares, in the order in which they are written."""
        value = spec.document.value
        shared = value.get("$defs") if isinstance(value, dict) and not spec.plain else None
        names = list(shared) if isinstance(shared, dict) else []
        return [place for name in names if (place := self.slot(spec, ("$defs", name)))]

    def _shared(self, spec: Spec) -> list[Place]:
        """All slots and definitions of a file that are not resources of their own."""
        return [
            place
            for pointer in slots_of(spec.document.value)
            if (place := self.slot(spec, pointer)) and not place.resource.own
        ]


def slots_of(value: Json) -> list[Pointer]:
    """The pointers of all slots and definitions in a spec file."""
    found: list[Pointer] = []
    waiting: list[tuple[Pointer, Json]] = [((), value)]
    while waiting:
        pointer, inner = waiting.pop()
        if slot_length(pointer, plain=False) == len(pointer):
            found.append(pointer)
        elif isinstance(inner, dict) and len(pointer) < 5:  # noqa: PLR2004 - the deepest slot
            waiting.extend(((*pointer, key), below) for key, below in inner.items())
    return found


def _whole(spec: Spec) -> Place:
    value = spec.document.value
    if spec.plain:
        return slot_place(spec, (), value)
    return Place(spec.document.file, (), spec, value, Resource((), ""))
