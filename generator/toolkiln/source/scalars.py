"""What plain scalars mean in the core schema of YAML 1.2."""

from __future__ import annotations

import math
import re
from typing import Final

DIGITS: Final = 3500
"""Longest number; Python itself refuses to print integers of more than 4,300 digits."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

# Most scalars are words: one look at the first character settles those.
MEANINGFUL: Final = frozenset("+-.0123456789~nNtTfF")


class UnfitNumberError(Exception):
    """A number that JSON or Python cannot hold; the argument says why, as a sentence."""


def resolve(text: str) -> str | int | float | bool | None:
    """The value of the plain scalar *text*; raises `UnfitNumberError`."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in MEANINGFUL:
        return text
    if _INTEGER.fullmatch(text):
        return integer(text)
    if _FLOAT.fullmatch(text):
        return number(text)
    if _OTHER_BASE.fullmatch(text):
        return integer(text)
    if _NOT_FINITE.fullmatch(text):
        raise UnfitNumberError(f"JSON has no `{text}`.")
    return text


def integer(text: str) -> int:
    """The exact integer *text*, whose base is 8 after `0o` and 16 after `0x`."""
    if len(text) > DIGITS:
        raise UnfitNumberError(f"This number has more than {DIGITS:,} digits.")
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def number(text: str) -> float:
    """The float nearest to *text*, which is decimal."""
    if len(text) > DIGITS:
        raise UnfitNumberError(f"This number has more than {DIGITS:,} digits.")
    value = float(text)
    if math.isinf(value):
        raise UnfitNumberError(f"`{text}` is too large for a JSON number.")
    if value == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise UnfitNumberError(f"`{text}` is too small for a JSON number and would become 0.")
    return value
