"""JSON pointers: steps from the root of a document to a value in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from toolkiln.value import Json

Pointer: TypeAlias = tuple[str | int, ...]

_SAFE: Final = "!$&'()*+,;=:@-._~"
_MOST_DIGITS: Final = 9


def step(value: Json, name: str | int) -> Json:
    """What *value* holds under *name*; `LookupError` if nothing."""
    if isinstance(value, Mapping) and isinstance(name, str):
        return value[name]
    if isinstance(value, Sequence) and not isinstance(value, str) and isinstance(name, int):
        return value[name]
    raise LookupError(name)


def found(value: Json, pointer: Pointer) -> Json:
    """What stands at *pointer* in *value*, null if nothing does."""
    for name in pointer:
        try:
            value = step(value, name)
        except LookupError:
            return None
    return value


def parsed(fragment: str, value: Json) -> Pointer:
    """The steps of the fragment of a reference through *value*."""
    names = unquote(fragment).split("/")[1:]
    return typed([name.replace("~1", "/").replace("~0", "~") for name in names], value)


def typed(names: Sequence[str], value: Json) -> Pointer:
    """*names* as steps through *value*, where digits may index a list."""
    steps: list[str | int] = []
    for name in names:
        digits = name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS
        here = int(name) if digits and isinstance(value, list) else name
        steps.append(here)
        value = found(value, (here,))
    return tuple(steps)


def fragment(pointer: Pointer) -> str:
    """*pointer* as the fragment of a reference, `#` included."""
    names = (str(name).replace("~", "~0").replace("/", "~1") for name in pointer)
    return "#" + "".join("/" + quote(name, safe=_SAFE) for name in names)
