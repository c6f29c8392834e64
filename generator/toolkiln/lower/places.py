"""Places where schemas stand, and walking from one to the next.

A place knows the resource that it belongs to, which decides what `#` and relative references
mean there. Only the keywords of the dialect lead to further places: whatever stands in `const`,
`default` or an unknown keyword is data, however much it looks like a schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from toolkiln.lower.dialects import DRAFT_2020, Dialect, Holds, dialect_of
from toolkiln.lower.pointers import Pointer, step
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec


@dataclass(frozen=True, slots=True)
class Resource:
    """A schema with a scope of its own: a slot that says so, an `$id`, or else a whole file."""

    root: Pointer
    """Where `#` leads."""
    base: str
    """What relative references are joined to; empty without `$id`."""
    dialect: Dialect = DRAFT_2020
    own: bool = False
    """False for the scope of a file."""


FILE_SCOPE = Resource((), "")


@dataclass(frozen=True, slots=True)
class Place:
    """A schema in a file; equal to another one at the same pointer of the same file."""

    file: str
    pointer: Pointer
    spec: Spec = field(compare=False, repr=False)
    value: Json = field(compare=False, repr=False)
    resource: Resource = field(compare=False, repr=False)

    @property
    def keywords(self) -> Mapping[str, Json]:
        """The schema's keywords, none for a boolean (or for what is no schema at all)."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def references(self) -> tuple[str, ...]:
        """The keywords here that are references and count in this dialect."""
        keywords = self.keywords
        return tuple(
            word
            for word in ("$ref", "$dynamicRef", "$recursiveRef")
            if word in keywords
            and word in self.resource.dialect.known
            and isinstance(keywords[word], str)
        )

    @property
    def overridden(self) -> bool:
        """Whether a `$ref` makes this dialect ignore everything beside it."""
        return not self.resource.dialect.siblings and isinstance(self.keywords.get("$ref"), str)

    def inside(self, root: Place) -> bool:
        """Whether this place is *root* or below it."""
        return self.file == root.file and self.pointer[: len(root.pointer)] == root.pointer


def child(place: Place, *steps: str | int) -> Place:
    """The schema at *steps* below *place*, which are a keyword and perhaps a name or an index."""
    value = place.value
    for name in steps:
        value = step(value, name)
    pointer = (*place.pointer, *steps)
    resource = _nested(place.resource, pointer, value)
    return Place(place.file, pointer, place.spec, value, resource)


def _nested(outer: Resource, pointer: Pointer, value: Json) -> Resource:
    identifier = value.get("$id") if isinstance(value, dict) else None
    if not isinstance(identifier, str) or not isinstance(value, dict):
        return outer
    # In draft-07 a fragment alone is what later drafts call `$anchor`, and `$ref` hides siblings.
    if not outer.dialect.siblings and (identifier.startswith("#") or "$ref" in value):
        return outer
    named = value.get("$schema")
    dialect = (dialect_of(named) if isinstance(named, str) else None) or outer.dialect
    return Resource(pointer, join(outer.base, identifier.removesuffix("#")), dialect, own=True)


def children(place: Place) -> Iterator[Place]:
    """All schemas directly below *place*, in the order in which they are written."""
    keywords = place.keywords
    for word in keywords:
        if word in place.resource.dialect.holds:
            yield from below(place, word)


def below(place: Place, word: str) -> Iterator[Place]:
    """The schemas that keyword *word* of *place* holds; none if its value is malformed."""
    value = place.keywords.get(word)
    if value is None or (place.overridden and word not in {"definitions", "$defs"}):
        return
    holds = place.resource.dialect.holds.get(word)
    if holds is Holds.NAMED or holds is Holds.MIXED:
        for name, schema in value.items() if isinstance(value, dict) else ():
            if is_schema(schema):
                yield child(place, word, name)
    elif isinstance(value, list) and (holds is Holds.SCHEMAS or holds is Holds.EITHER):
        for index, schema in enumerate(value):
            if is_schema(schema):
                yield child(place, word, index)
    elif (holds is Holds.SCHEMA or holds is Holds.EITHER) and is_schema(value):
        yield child(place, word)


def is_schema(value: Json) -> bool:
    """Whether *value* can be a schema at all."""
    return isinstance(value, bool | dict)


def walk(place: Place) -> Iterator[Place]:
    """*place* and all places below it, outer ones first."""
    waiting = [place]
    while waiting:
        place = waiting.pop()
        yield place
        waiting.extend(reversed(tuple(children(place))))


def descend(place: Place, steps: Pointer) -> Place | None:
    """The place at *steps* below *place*; None if nothing is there."""
    while steps:
        word = steps[0]
        count = _width(place, word)
        if count == 0 or count > len(steps):
            return _data(place, steps)
        try:
            place = child(place, *steps[:count])
        except LookupError:
            return None
        steps = steps[count:]
    return place


def _width(place: Place, word: str | int) -> int:
    """How many steps lead from *place* to the next schema by way of *word*; 0 if none do."""
    if not isinstance(word, str):
        return 0
    holds = place.resource.dialect.holds.get(word)
    if holds is Holds.EITHER:
        return 2 if isinstance(place.keywords.get(word), list) else 1
    if holds is None:
        return 0
    return 1 if holds is Holds.SCHEMA else 2


def _data(place: Place, steps: Pointer) -> Place | None:
    value = place.value
    for name in steps:
        try:
            value = step(value, name)
        except LookupError:
            return None
    return Place(place.file, (*place.pointer, *steps), place.spec, value, place.resource)


def join(base: str, reference: str) -> str:
    """*reference* seen from *base*; unlike `urljoin`, knows that an empty base changes nothing."""
    return urljoin(base, reference) if base else reference
