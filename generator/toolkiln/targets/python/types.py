"""Types as Python expressions, as handlers and constructors mention them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from toolkiln.shape import Anything, Choice, List, Map, Record, Ref, Scalar, Type, Union
from toolkiln.text import Code, literal

from .code import Piece, alternatives, name, subscript

Lookup: TypeAlias = Callable[[str], Piece]
"""From the key of a definition to the name by which it is known here."""

DEEPEST: Final = 40
"""Levels of lists in lists that are printed; the interpreter knows no more than 200 brackets."""

ANY: Final = name("typing", "Any")
NONE: Final = Piece(Code("None"))
LITERAL: Final = name("typing", "Literal")
_SCALARS: Final = {
    "string": Piece(Code("str")),
    "integer": Piece(Code("int")),
    # In an annotation, float takes every integer too.
    "number": Piece(Code("float")),
    "boolean": Piece(Code("bool")),
    "null": NONE,
}


def printed(shape: Type, lookup: Lookup, depth: int = 0) -> Piece:
    """The annotation for values of *shape*; of any, where it goes too deep for Python."""
    if depth > DEEPEST:
        return ANY
    deeper = depth + 1
    match shape:
        case Scalar(kind):
            return _SCALARS[kind]
        case Choice(values):
            return _choice(values)
        case List(items, prefix):
            if prefix:
                members = [printed(member, lookup, deeper) for member in prefix]
                return subscript(Piece(Code("tuple")), members)
            return subscript(Piece(Code("list")), [printed(items, lookup, deeper)])
        case Map(values):
            key = _SCALARS["string"]
            return subscript(Piece(Code("dict")), [key, printed(values, lookup, deeper)])
        case Union(members):
            return alternatives(printed(member, lookup, deeper) for member in members)
        case Ref(key):
            return lookup(key)
        case Record() | Anything():
            return ANY


def literals(values: tuple[str, ...]) -> Piece:
    """`Literal["a", "b"]`."""
    return subscript(LITERAL, [Piece(literal(value)) for value in values])


def _choice(values: tuple[str | int | bool | None, ...]) -> Piece:
    some = [Piece(literal(value)) for value in values if value is not None]
    pieces = [subscript(LITERAL, some)] if some else []
    return alternatives([*pieces, NONE] if None in values or not some else pieces)
