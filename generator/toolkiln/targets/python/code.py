"""Pieces of Python that know what they import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from toolkiln.text import Code


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """`from module import name as alias`."""

    module: str
    name: str
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """An expression, and what has to be imported for it."""

    code: Code
    imports: frozenset[Import] = field(default_factory=frozenset[Import])


@dataclass(frozen=True, slots=True)
class Block:
    """The import statements of one module."""

    module: Code
    names: tuple[Code, ...]


def name(module: str, name: str, alias: str = "") -> Piece:
    """A name that is imported from *module*."""
    return Piece(Code(alias or name), frozenset({Import(module, name, alias)}))


def attribute(owner: Piece, attribute: str) -> Piece:
    """`owner.attribute`."""
    return Piece(Code(f"{owner.code}.{attribute}"), owner.imports)


def subscript(generic: Piece, arguments: Iterable[Piece]) -> Piece:
    """`generic[argument, ...]`."""
    return _around(f"{generic.code}[", ", ", "]", (*arguments,), generic.imports)


def alternatives(pieces: Iterable[Piece]) -> Piece:
    """`piece | ...`, each once, in this order."""
    return _around("", " | ", "", tuple(dict.fromkeys(pieces)))


def call(
    function: Piece, positional: Iterable[Piece] = (), keywords: Mapping[str, Piece] | None = None
) -> Piece:
    """`function(positional, ..., keyword=..., ...)`."""
    named = [
        Piece(Code(f"{keyword}={piece.code}"), piece.imports)
        for keyword, piece in (keywords or {}).items()
    ]
    return _around(f"{function.code}(", ", ", ")", (*positional, *named), function.imports)


def several(pieces: Iterable[Piece]) -> Piece:
    """`(piece, ...)`."""
    inner = tuple(pieces)
    return _around("(", ", ", ",)" if len(inner) == 1 else ")", inner)


def mapping(pieces: Mapping[Code, Piece]) -> Piece:
    """`{key: piece, ...}`."""
    pairs = tuple(
        Piece(Code(f"{key}: {piece.code}"), piece.imports) for key, piece in pieces.items()
    )
    return _around("{", ", ", "}", pairs)


def blocks(imports: Iterable[Import]) -> tuple[Block, ...]:
    """Import statements, a module each; `layout` puts them into the usual order."""
    modules: dict[str, list[Code]] = {}
    for found in sorted(set(imports)):
        alias = f" as {found.alias}" if found.alias else ""
        modules.setdefault(found.module, []).append(Code(f"{found.name}{alias}"))
    return tuple(Block(Code(module), tuple(names)) for module, names in modules.items())


def together(pieces: Iterable[Piece]) -> frozenset[Import]:
    """All that the pieces import."""
    return frozenset(found for piece in pieces for found in piece.imports)


def _around(
    opened: str,
    separator: str,
    closed: str,
    pieces: tuple[Piece, ...],
    imports: frozenset[Import] = frozenset(),
) -> Piece:
    code = separator.join(piece.code for piece in pieces)
    return Piece(Code(f"{opened}{code}{closed}"), imports | together(pieces))
