"""Identity of named shapes: their key, the namespace that declares them, words for their name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolkiln.lower.dialects import Holds
from toolkiln.lower.places import Place
from toolkiln.lower.pointers import Pointer, fragment
from toolkiln.lower.pointers import found as at
from toolkiln.lower.slots import slot_length
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec, Specs


class Names:
    """Keys of places, unique in all specs."""

    def __init__(self, specs: Specs) -> None:
        self._owners: dict[tuple[str, Pointer], str] = {}
        for spec in sorted(specs.documents.values(), key=lambda spec: spec.document.file):
            for pointer in _sections(spec):
                self._owners.setdefault((home(spec), pointer), spec.document.file)

    def key(self, place: Place) -> str:
        """`billing#/$defs/Money`.

        Where several files of a namespace declare one name, only the first file's goes by it.
        """
        where = home(place.spec)
        owner = self._owners.get((where, place.pointer[:2]), place.file)
        return (where if owner == place.file else place.file) + fragment(place.pointer)


def home(spec: Spec) -> str:
    """`Namespace.name` of what *spec* declares: its namespace, or for a library its file."""
    return spec.namespace or spec.document.file


def _sections(spec: Spec) -> list[Pointer]:
    value = spec.document.value
    if not isinstance(value, dict):
        return []
    return [
        (section, name)
        for section, inner in value.items()
        if isinstance(inner, dict)
        for name in inner
    ]


def words(place: Place) -> tuple[str, ...]:
    """What names of *place* are made of: where it stands, in the author's words."""
    length = slot_length(place.pointer, plain=place.spec.plain)
    if length is None:
        return (str(place.pointer[-1]),)
    base, root = _slot_words(place, place.pointer[:length])
    below = place.pointer[length:]
    return _inner_words(place, base, below) if below else root


def _slot_words(place: Place, slot: Pointer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words for what stands inside of a slot, and those for the slot itself."""
    named = [str(step) for step in slot]
    if place.spec.plain:
        return _plain_words(place.spec, named)
    if named[0] == "$defs":
        return (named[1],), (named[1],)
    rest = named[1:]
    if rest[-1] == "parameters":
        return (rest[0],), (rest[0], "args")
    kept = tuple(word for word in rest if word not in {"failures", "interactions", "deferred"})
    return kept, kept


def _plain_words(spec: Spec, slot: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    value = spec.document.value
    facts: Json = value.get("x-tool") if isinstance(value, dict) else None
    name = facts.get("name") if isinstance(facts, dict) else None
    base = (name,) if isinstance(name, str) else (stem(spec.document.file),)
    if not slot:
        return base, ((*base, "args") if isinstance(name, str) else base)
    kept = tuple(word for word in slot[1:] if word not in {"failures", "interactions", "deferred"})
    return (*base, *kept), (*base, *kept)


def _inner_words(place: Place, base: tuple[str, ...], steps: Pointer) -> tuple[str, ...]:
    named = base
    above = place.pointer[: len(place.pointer) - len(steps)]
    value = at(place.spec.document.value, above)
    position = 0
    while position < len(steps):
        word = str(steps[position])
        wide = _is_wide(place, word, value)
        name = steps[position + 1] if wide and position + 1 < len(steps) else ""
        value = at(value, (steps[position], name) if wide else (steps[position],))
        named = _extended(named, base, (word, name), value)
        position += 2 if wide else 1
    return named


def _is_wide(place: Place, word: str, value: Json) -> bool:
    holds = place.resource.dialect.holds.get(word)
    if holds is Holds.EITHER:
        return isinstance(value, dict) and isinstance(value.get(word), list)
    return holds in {Holds.NAMED, Holds.MIXED, Holds.SCHEMAS}


def _extended(
    named: tuple[str, ...], base: tuple[str, ...], step: tuple[str, str | int], schema: Json
) -> tuple[str, ...]:
    word, name = step
    match word:
        case "properties":
            return (*named, str(name))
        case "$defs" | "definitions":
            return (*base, str(name))
        case "anyOf" | "oneOf":
            return (*named, _label(schema) or f"option{int(name) + 1}")
        case "items" if name == "":
            return (*named[:-1], singular(named[-1]))
        case "items" | "prefixItems":
            return (*named, f"item{int(name) + 1}")
        case "additionalProperties" | "patternProperties":
            return (*named, "value")
        case _:
            return named


def _label(schema: Json) -> str:
    """What an author called one of several variants: its title, or the value of its tag."""
    if not isinstance(schema, dict):
        return ""
    title = schema.get("title")
    if isinstance(title, str) and re.search(r"\w", title):
        return title
    properties = schema.get("properties")
    for inner in properties.values() if isinstance(properties, dict) else ():
        tag = inner.get("const") if isinstance(inner, dict) else None
        if isinstance(tag, str) and re.search(r"\w", tag):
            return tag
    return ""


def stem(file: str) -> str:
    """The name of *file* without its folder and its suffixes."""
    return file.rpartition("/")[2].partition(".")[0]


def singular(word: str) -> str:
    """One of what *word* names many of, as far as spelling tells."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 1:
        return word[:-1]
    return f"{word}_item"
