"""Identifiers from wire names: pure functions that know no language's words by themselves.

An identifier depends on its wire name alone, unless two of one scope would get the same: then the
name that is an identifier already keeps it, and the others are told apart by digits of their own
digest. So no name depends on an order, or on names that collide with others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias, TypeVar

Case: TypeAlias = Callable[[Iterable[str]], str]
Key = TypeVar("Key", bound=Hashable)

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGITS = 4


def words(text: str) -> list[str]:
    """The words of *text*, in NFKC, split at case changes and at all that no identifier may hold.

    Words are as they were written; numbers stay with the letters beside them.
    """
    normal = unicodedata.normalize("NFKC", text)
    spaced = "".join(char if _is_part(char) else " " for char in normal)
    return [word for part in spaced.split() for word in _HUMP.split(part) if word]


def _is_part(char: str) -> bool:
    return char != "_" and f"a{char}".isidentifier()


def snake(parts: Iterable[str]) -> str:
    """`depart_date`."""
    return _normal("_".join(part.lower() for part in parts))


def camel(parts: Iterable[str]) -> str:
    """`DepartDate`; capitals inside of a word stay."""
    return _normal("".join(part[:1].upper() + part[1:] for part in parts))


def lower_camel(parts: Iterable[str]) -> str:
    """`departDate`."""
    whole = camel(parts)
    return whole[:1].lower() + whole[1:]


def constant(parts: Iterable[str]) -> str:
    """`DEPART_DATE`."""
    return _normal("_".join(part.upper() for part in parts))


def _normal(text: str) -> str:
    # Changing case can denormalise, and can leave marks that no identifier may hold.
    normal = unicodedata.normalize("NFKC", text)
    return "".join(char for char in normal if f"a{char}".isidentifier())


@dataclass(frozen=True, slots=True)
class Style:
    """How a language spells one kind of identifier."""

    case: Case
    reserved: Collection[str] = frozenset()
    """Spellings that mean something else there; they get a `_` at the end."""
    prefix: str = "n"
    """What goes before a digit at the start."""
    fallback: str = "field"
    """For names without a single letter or digit; their digest always follows."""

    def of(self, parts: Iterable[str]) -> str:
        """The identifier for a name that is made of *parts*, alone in its scope."""
        spelled = self.case(word for part in parts for word in words(part))
        if spelled and not spelled.isidentifier():
            # A mark at the start composes with the letter that is put before it.
            spelled = _normal(self.prefix + spelled)
        if not spelled.isidentifier():
            return ""
        while spelled in self.reserved:
            spelled += "_"
        return spelled


@dataclass(frozen=True, slots=True)
class Claim:
    """A name that wants an identifier in a scope."""

    parts: tuple[str, ...]
    """What the identifier is made of."""
    identity: str
    """What tells it apart from others of the same parts: its digest is part of a loser's name."""
    rank: int = 0
    """The lowest of a group keeps the identifier."""
    wire: str | None = None
    """A spelling that only this claim may get: the exact wire name wins its group, and no other
    identifier is ever spelled like it."""


def fields(wires: Iterable[str], style: Style) -> dict[str, str]:
    """An identifier for each of the wire names of one object."""
    names = dict.fromkeys(wires)
    return allocate({wire: Claim((wire,), wire, wire=wire) for wire in names}, style)


def allocate(claims: Mapping[Key, Claim], style: Style) -> dict[Key, str]:
    """An identifier for each claim of one scope, all different and none reserved."""
    groups: dict[str, list[Key]] = {}
    for key, claim in claims.items():
        groups.setdefault(style.of(claim.parts), []).append(key)
    wires = {claim.wire for claim in claims.values() if claim.wire is not None}
    found = {
        winner: spelled
        for spelled, group in groups.items()
        if (winner := _winner(claims, group, spelled, wires)) is not None
    }
    taken = {*found.values(), *wires, *style.reserved}
    for spelled, group in groups.items():
        for key in sorted(group, key=lambda key: claims[key].identity):
            if key not in found:
                found[key] = _told_apart(spelled or style.fallback, claims[key].identity, taken)
                taken.add(found[key])
    return {key: found[key] for key in claims}


def _winner(
    claims: Mapping[Key, Claim], group: list[Key], spelled: str, wires: Collection[str]
) -> Key | None:
    """The claim of *group* that gets the bare identifier, if one has a better right to it."""
    if not spelled:
        return None
    exact = [key for key in group if claims[key].wire == spelled]
    if exact or spelled in wires:
        return exact[0] if exact else None
    best = min(claims[key].rank for key in group)
    first = [key for key in group if claims[key].rank == best]
    named = [key for key in first if claims[key].parts == (spelled,)]
    return (named or first)[0] if len(named) == 1 or len(first) == 1 else None


def _told_apart(spelled: str, identity: str, taken: Collection[str]) -> str:
    digits = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(_DIGITS, len(digits) + 1):
        name = f"{spelled.rstrip('_')}_{digits[:length]}"
        if name not in taken:
            return name
    raise AssertionError(f"no name left for {identity!r}")
