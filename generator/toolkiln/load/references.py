"""The files that a file refers to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from ..contract import Json
from ..diagnostics import Diagnostic, Level, Rule
from ..source import Document
from .schemas import Node, Pointer, entries, nodes, slots
from .uris import split

REF_EMPTY = Rule("ref-empty", Level.ERROR, "A reference is no text, or empty.")

_KEYWORDS = ("$ref", "$dynamicRef")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to another file."""

    pointer: Pointer
    """Where it is written, `$ref` included."""
    file: str
    """As written, without the fragment."""


def references(document: Document, *, plain: bool) -> Iterator[Reference | Diagnostic]:
    """References to other files in *document*, and findings for those that are none at all."""
    for pointer, entry in entries(document.value, plain=plain):
        yield from _of(document, (pointer, entry), {})
    for pointer, schema in slots(document.value, plain=plain):
        inside = list(nodes(pointer, schema))
        bases: Mapping[Pointer, str] | None = None
        for node in inside:
            if "$ref" not in node[1] and "$dynamicRef" not in node[1]:
                continue
            if bases is None:
                bases = _bases(inside)
            yield from _of(document, node, bases)


def _of(
    document: Document, node: Node, bases: Mapping[Pointer, str]
) -> Iterator[Reference | Diagnostic]:
    pointer, schema = node
    for keyword in _KEYWORDS:
        if keyword not in schema:
            continue
        place, ref = (*pointer, keyword), schema[keyword]
        if not isinstance(ref, str) or not ref:
            yield _empty(document, place, ref)
            continue
        file, _ = split(ref)
        if file and not _internal(pointer, file, bases):
            yield Reference(place, file)


def _bases(inside: list[Node]) -> Mapping[Pointer, str]:
    """The URI of each schema that has an `$id`; outer ones come before those inside them."""
    bases: dict[Pointer, str] = {}
    for pointer, schema in inside:
        identity = schema.get("$id")
        if isinstance(identity, str) and split(identity)[0]:
            bases[pointer] = _joined(_base(pointer, bases), split(identity)[0])
    return bases


def _base(pointer: Pointer, bases: Mapping[Pointer, str]) -> str:
    around = (pointer[:length] for length in range(len(pointer), -1, -1))
    return next((bases[place] for place in around if place in bases), "")


def _internal(pointer: Pointer, file: str, bases: Mapping[Pointer, str]) -> bool:
    return bool(bases) and _joined(_base(pointer, bases), file) in bases.values()


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _empty(document: Document, place: Pointer, ref: Json) -> Diagnostic:
    span = document.span(*place, key=True)
    if ref is None:
        message = "`$ref` is empty: ` #` starts a comment in YAML."
        return REF_EMPTY.at(span, message, hint='Write $ref: "#/$defs/Money"')
    return REF_EMPTY.at(span, "`$ref` takes text.", hint='For example $ref: "#/$defs/Money"')
