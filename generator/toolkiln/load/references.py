"""The files that a file refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from .schemas import Node, Pointer
from .uris import split

KEYWORDS: Final = ("$ref", "$dynamicRef")

# Every validator knows the meta-schemas without fetching them.
_META_SCHEMAS: Final = ("https://json-schema.org/draft/20", "http://json-schema.org/draft-0")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to another file."""

    pointer: Pointer
    """Where it is written, `$ref` included."""
    file: str
    """As written, without the fragment."""


def references(entries: Iterable[Node], trees: Iterable[Sequence[Node]]) -> Iterator[Reference]:
    """References to other files in the *entries* and the *trees* of schemas of a file.

    One that leads to an `$id` in the same slot is none: it stays where it is.
    """
    for entry in entries:
        yield from _of(entry, {})
    for tree in trees:
        leading = [node for node in tree if "$ref" in node[1] or "$dynamicRef" in node[1]]
        # Few schemas refer to others, and only for those the identifiers matter.
        if leading:
            bases = _bases(tree)
            for node in leading:
                yield from _of(node, bases)


def _of(node: Node, bases: Mapping[Pointer, str]) -> Iterator[Reference]:
    pointer, schema = node
    for keyword in KEYWORDS:
        ref = schema.get(keyword)
        if not isinstance(ref, str) or ref.startswith(("#", *_META_SCHEMAS)):
            continue
        file, _ = split(ref)
        if file and not (bases and _joined(_base(pointer, bases), file) in bases.values()):
            yield Reference((*pointer, keyword), file)


def _bases(tree: Sequence[Node]) -> Mapping[Pointer, str]:
    """The URI of each schema that has an `$id`; outer ones come before those inside them."""
    bases: dict[Pointer, str] = {}
    for pointer, schema in tree:
        identity = schema.get("$id")
        if isinstance(identity, str) and split(identity)[0]:
            bases[pointer] = _joined(_base(pointer, bases), split(identity)[0])
    return bases


def _base(pointer: Pointer, bases: Mapping[Pointer, str]) -> str:
    around = (pointer[:length] for length in range(len(pointer), -1, -1))
    return next((bases[place] for place in around if place in bases), "")


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference
