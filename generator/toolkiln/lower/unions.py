"""Types that admit one of several."""

from __future__ import annotations

from collections.abc import Sequence

from toolkiln.shape import Anything, Choice, List, Map, Scalar, Type, Union
from toolkiln.value import Json


def choice(values: Sequence[Json]) -> Type:
    """A choice of what can be printed as a literal; other values widen it to their types."""
    plain: list[str | int | bool | None] = []
    wide: list[Type] = []
    for value in values:
        if isinstance(value, float) and value.is_integer():
            plain.append(int(value))
        elif value is None or isinstance(value, str | int):
            plain.append(value)
        elif isinstance(value, float):
            wide.append(Scalar("number"))
        else:
            wide.append(List(Anything()) if isinstance(value, list) else Map(Anything()))
    if not values:
        return Anything()
    return union([*([Choice(tuple(plain))] if plain else []), *wide])


def larger(shape: Type, size: int) -> bool:
    """Whether *shape* has more than *size* parts."""
    waiting, count = [shape], 0
    while waiting and count <= size:
        count += 1
        match waiting.pop():
            case List(items, prefix):
                waiting += [items, *prefix]
            case Map(values):
                waiting.append(values)
            case Union(members):
                waiting += members
            case _:
                pass
    return count > size


def union(members: Sequence[Type]) -> Type:
    """Any of *members*, without what says nothing new."""
    flat: list[Type] = []
    for member in members:
        for part in member.members if isinstance(member, Union) else (member,):
            if isinstance(part, Anything):
                return part
            if part not in flat:
                flat.append(part)
    flat = _merged(flat)
    if Scalar("number") in flat:
        flat = [part for part in flat if part != Scalar("integer")]
    if not flat:
        return Anything()
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def _merged(members: list[Type]) -> list[Type]:
    """All choices in one, where the first of them stands; null alone is no choice."""
    values: dict[tuple[type, object], str | int | bool | None] = {}
    for member in members:
        if isinstance(member, Choice):
            values.update({(type(value), value): value for value in member.values})
    merged: list[Type] = []
    for member in members:
        if not isinstance(member, Choice):
            merged.append(member)
        elif values:
            merged.extend(_literals(tuple(values.values())))
            values = {}
    return list(dict.fromkeys(merged))


def _literals(values: tuple[str | int | bool | None, ...]) -> list[Type]:
    rest = tuple(value for value in values if value is not None)
    if {value for value in rest if isinstance(value, bool)} == {True, False} and all(
        isinstance(value, bool) for value in rest
    ):
        found: list[Type] = [Scalar("boolean")]
    else:
        found = [Choice(rest)] if rest else []
    return [*found, *([Scalar("null")] if len(rest) < len(values) else [])]
