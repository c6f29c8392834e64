"""Made-up texts of a pattern, a format or a length."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from random import Random
from typing import Any, Final

_MORE: Final = 3
"""Repetitions beyond the least where a pattern sets no end."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_FORMATS: Final = {
    "date": "2030-01-31",
    "date-time": "2030-01-31T10:30:00Z",
    "time": "10:30:00Z",
    "duration": "P1D",
    "email": "ada@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/a",
    "uuid": "3f333df6-90a4-4fda-8dd3-9485d27cee36",
}
_CLASSES: Final = {"digit": "0123456789", "word": f"{_LETTERS}0123456789_", "space": " "}


def text(facts: dict[str, Any], random: Random) -> str:
    """A text for what *facts* say; not all that they say can be kept at once."""
    if "pattern" in facts:
        made = _matching(facts["pattern"], random)
        if made is not None:
            return made
    if facts.get("format") in _FORMATS:
        return _FORMATS[facts["format"]]
    least = facts.get("minLength", 0)
    length = max(least, min(facts.get("maxLength", least + 8), least + random.randint(1, 8)))
    return "".join(random.choice(_LETTERS) for _ in range(length))


def _matching(pattern: str, random: Random) -> str | None:
    """A text that *pattern* finds itself in; None if it is beyond this module."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: Any = import_module("re._parser").parse(pattern)
        return "".join(_piece(name, value, random) for name, value in tree)
    except (re.error, _BeyondError, OverflowError, RecursionError):
        return None


class _BeyondError(Exception):
    """The pattern says what cannot be built piece by piece."""


def _piece(operation: object, value: Any, random: Random) -> str:
    match str(operation):
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return "a" if value != ord("a") else "b"
        case "ANY":
            return random.choice(_LETTERS)
        case "IN":
            return random.choice(_characters(value))
        case "BRANCH":
            return _all(random.choice(value[1]), random)
        case "SUBPATTERN":
            return _all(value[-1], random)
        case "ATOMIC_GROUP":
            return _all(value, random)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = value
            count = random.randint(least, min(int(most), least + _MORE))
            return "".join(_all(inner, random) for _ in range(count))
        case "AT":
            return ""
        case _:
            raise _BeyondError


def _all(tree: Any, random: Random) -> str:
    return "".join(_piece(name, value, random) for name, value in tree)


def _characters(items: Any) -> str:
    negated = str(items[0][0]) == "NEGATE"
    named = "".join(_named(operation, value) for operation, value in items)
    if not negated:
        return named
    rest = "".join(chr(code) for code in range(33, 127) if chr(code) not in named)
    if not rest:
        raise _BeyondError
    return rest


def _named(operation: object, value: Any) -> str:
    match str(operation):
        case "LITERAL":
            return chr(value)
        case "RANGE":
            first, last = value
            return "".join(map(chr, range(first, min(last, first + 200) + 1)))
        case "CATEGORY":
            for word, characters in _CLASSES.items():
                if str(value).endswith(f"NOT_{word.upper()}"):
                    return "".join(c for c in map(chr, range(33, 127)) if c not in characters)
                if str(value).endswith(word.upper()):
                    return characters
            raise _BeyondError
        case _:
            return ""
