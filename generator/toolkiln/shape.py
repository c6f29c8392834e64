"""Lowered shapes: what typed code prints. They never decide what is valid.

All values are frozen, compare by content and ignore positions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .diagnostics import Span
from .value import MISSING, Json, Missing


@dataclass(frozen=True, slots=True)
class Scalar:
    """Any value of one JSON type; `number` includes integers."""

    kind: Literal["string", "integer", "number", "boolean", "null"]


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly these strings, integers, booleans or null."""

    values: tuple[str | int | bool | None, ...]

    def __eq__(self, other: object) -> bool:
        """Equal if the values and their types are: 1 and true are different choices."""
        return isinstance(other, Choice) and self._typed() == other._typed()

    def __hash__(self) -> int:
        return hash(self._typed())

    def _typed(self) -> tuple[tuple[type, object], ...]:
        return tuple((type(value), value) for value in self.values)


@dataclass(frozen=True, slots=True)
class List:
    """An array: of *items* throughout, or, if *prefix* is set, of exactly these in this order."""

    items: Type
    prefix: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class Map:
    """An object whose property names nobody declared."""

    values: Type


@dataclass(frozen=True, slots=True)
class Field:
    """A declared property of a record."""

    wire: str
    """The name in JSON; identifiers are derived by targets."""
    type: Type
    required: bool
    default: Json | Missing = MISSING
    """Only a default that fits the type; others stay in the source schema."""
    description: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """An object with declared properties. It stands only as the body of a `Definition`."""

    fields: tuple[Field, ...]
    closed: bool
    """Whether other properties are refused."""


@dataclass(frozen=True, slots=True)
class Union:
    """One of the members; null is a member like any other. At least two, none a union."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A use of a `Definition`, and the only way to recursion."""

    key: str
    """`Definition.key`."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value, or a shape too loose to print."""


Type: TypeAlias = Scalar | Choice | List | Map | Record | Union | Ref | Anything


@dataclass(frozen=True, slots=True)
class Definition:
    """A named shape. It is printed once, where it is declared, and imported elsewhere."""

    key: str
    """Unique in the contract and stable when other tools come and go:
    `billing#/$defs/Money`, `billing#/tools/refund_invoice/parameters`."""
    home: str
    """`Namespace.name` of the namespace or library that declares it."""
    words: tuple[str, ...]
    """What a target makes its name of: `("refund_invoice", "args")`, `("Money",)`."""
    body: Type
    description: str = ""
    span: Span | None = field(default=None, compare=False)
