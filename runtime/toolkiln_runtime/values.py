"""Strict JSON (E5): null, bool, str, finite numbers, lists, string-keyed objects; no cycles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final, TypeGuard, cast

from msgspec import MsgspecError
from msgspec.json import Decoder, Encoder
from msgspec.json import format as indented

DEPTH: Final = 200
"""Levels of lists and objects in each other."""
SIZE: Final = 4 * 1024 * 1024
"""Bytes of JSON text."""
NAME_LENGTH: Final = 64
"""Characters of a property name that a message repeats."""

encode: Final[Callable[[Any], bytes]] = Encoder().encode
"""The compact JSON text of a value that is known to be strict JSON."""
fresh: Final[Callable[[bytes], Any]] = Decoder().decode
"""A new copy of what a text, known to be strict JSON, says."""
# Models are found by their mark, because asking for their class would import pydantic.
_SERIALIZER: Final = "__pydantic_serializer__"
_DEEP: Final = b"\n" + b" " * DEPTH
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class InvalidJson(ValueError):  # noqa: N818 - says what it is, not that it is an error
    """Something is no strict JSON; the message names places and types, never values."""


def dotted(path: Sequence[str | int]) -> str:
    """*path* as people write it: `amount.cents`, `items[0]`, `["odd name"]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part and _PLAIN.issuperset(part) and len(part) <= NAME_LENGTH:
            text += f".{part}" if text else part
        else:
            text += f"[{encode(printable(part)[:NAME_LENGTH]).decode()}]"
    return text or "(root)"


def printable(text: str) -> str:
    """*text* with what UTF-8 cannot hold written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether *value* is a dict, which in JSON has string keys."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether *value* is a list."""
    return isinstance(value, list)


def is_text(value: object) -> bool:
    """Whether *value* is a string that UTF-8 can hold."""
    return isinstance(value, str) and (value.isascii() or printable(value) == value)


def parse(text: bytes) -> Any:
    """The value of JSON *text*; a repeated key takes its last value."""
    if len(text) > SIZE:
        message = f"longer than {SIZE} bytes"
        raise InvalidJson(message)
    try:
        value = fresh(text)
    except RecursionError:
        raise InvalidJson(_TOO_DEEP) from None
    except (MsgspecError, UnicodeError):
        # The parser's own message may quote the text.
        message = "not JSON"
        raise InvalidJson(message) from None
    # Every level takes a byte.
    if len(text) > DEPTH and _is_deep(text, value):
        raise InvalidJson(_TOO_DEEP)
    return value


def strict(value: object) -> Any:
    """A copy of *value* as strict JSON; generated models in it are dumped.

    Raises InvalidJson where nothing but a silent conversion would make it JSON.
    """
    kind = type(value)
    serializer = None if kind is dict else getattr(kind, _SERIALIZER, None)
    if serializer is not None:
        value = serializer.to_python(value, by_alias=True, exclude_unset=True)
    try:
        text = encode(value)
        copy = fresh(text)
        # The encoder takes dates, sets, bytes, NaN and integer keys; what it changed is unequal.
        if copy == value and (len(text) <= DEPTH or _fits(text, copy)):
            return copy
    except Exception:  # noqa: BLE001, S110 - __eq__ may raise anything; the walk finds the place
        pass
    copy = _walk(value, (), tuples=serializer is not None)
    if len(encode(copy)) > SIZE:
        raise InvalidJson(f"longer than {SIZE} bytes")
    return copy


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; unlike Python, a boolean is no number."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def has_model(value: Any) -> bool:
    """Whether a pydantic model is in *value*."""
    if is_object(value):
        return any(has_model(item) for item in value.values())
    if is_array(value):
        return any(has_model(item) for item in value)
    return _serializer(value) is not None


_TOO_DEEP: Final = f"nested deeper than {DEPTH} levels"


def _serializer(value: object) -> Any:
    return getattr(type(value), _SERIALIZER, None)


def _fits(text: bytes, value: Any) -> bool:
    return len(text) <= SIZE and not _is_deep(text, value)


def _is_deep(text: bytes, value: Any) -> bool:
    """Whether *text* (of *value*) nests too deep; counting brackets settles it almost always."""
    if text.count(b"[") + text.count(b"{") <= DEPTH:
        return False
    # Laid out with one blank a level, depth is the longest run of blanks after a line break.
    return _DEEP in indented(text, indent=1) and _exceeds(value, DEPTH)


def _exceeds(value: Any, levels: int) -> bool:
    """Whether *value* has more than *levels* levels of lists and objects."""
    if is_object(value):
        return levels == 0 or any(_exceeds(item, levels - 1) for item in value.values())
    if is_array(value):
        return levels == 0 or any(_exceeds(item, levels - 1) for item in value)
    return False


def _walk(value: Any, path: tuple[str | int, ...], *, tuples: bool) -> Any:
    """Copy *value* piece by piece; *tuples*: it is part of a model, where tuples are lists."""
    serializer = _serializer(value)
    if serializer is not None:
        dumped = serializer.to_python(value, by_alias=True, exclude_unset=True)
        return _walk(dumped, path, tuples=True)
    if len(path) >= DEPTH and isinstance(value, dict | list | tuple):
        raise InvalidJson(_TOO_DEEP)
    if is_object(value):
        items = value.items()
        return {_key(key, path): _walk(item, (*path, key), tuples=tuples) for key, item in items}
    if tuples and isinstance(value, tuple):
        value = list(cast("Any", value))
    if is_array(value):
        return [_walk(item, (*path, index), tuples=tuples) for index, item in enumerate(value)]
    return _scalar(value, path)


def _key(key: Any, path: tuple[str | int, ...]) -> str:
    if not isinstance(key, str):
        message = f"{dotted(path)}: a key of type {type(key).__name__}"
        raise InvalidJson(message)
    return cast("str", _scalar(key, path))


def _scalar(value: Any, path: tuple[str | int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        # Not str(value), which an enumeration may override.
        text = str.__str__(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            message = f"{dotted(path)}: a string with a lone surrogate"
            raise InvalidJson(message) from None
        return text
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            message = f"{dotted(path)}: a number that is not finite"
            raise InvalidJson(message)
        return float(value)
    message = f"{dotted(path)}: {type(value).__name__} is not JSON"
    raise InvalidJson(message)
