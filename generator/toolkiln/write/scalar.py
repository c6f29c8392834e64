"""Scalars as YAML text: plain where every reader takes them as the same text, else quoted."""

from __future__ import annotations

import re
from typing import Final

from yaml.resolver import Resolver

from ..value import Json

# What YAML 1.2 reads as a number and PyYAML's 1.1 does not, and the words that only some of the
# 1.1 readers take for booleans.
_CORE: Final = re.compile(
    r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|[yYnN]"
)
_IMPLICIT: Final = tuple(
    (first, pattern)
    for first, resolvers in Resolver.yaml_implicit_resolvers.items()
    for _, pattern in resolvers
)
# An indicator at the start, a colon or a comment inside: all end a plain scalar or begin something.
_UNSAFE: Final = re.compile(
    r"""[\s,\[\]{}#&*!|>'"%@`]|[-?:]([\s,\[\]{}]|$)|---|\.\.\.|.*(:\s|\s\#|[\s:]$)""", re.VERBOSE
)
_UNSAFE_IN_FLOW: Final = re.compile(r"[-?:]|.*[,\[\]{}:]")
# Next line, line and paragraph separators are breaks to YAML 1.1 alone, and a byte order mark
# may be taken away.
_ESCAPED: Final = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_SHORT: Final = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r"}


def scalar(value: Json, *, flow: bool = False) -> str:
    """*value*, no list and no map, on one line; *flow* if it stands between brackets.

    Floats are finite, and text holds no lone surrogates.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float(value)
        case str():
            return text(value, flow=flow)
        case _:
            return str(value)


def _float(value: float) -> str:
    """With a point and a sign in the exponent: YAML 1.1 takes `1e+16` for text."""
    mantissa, letter, exponent = repr(value).partition("e")
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}{letter}{exponent}"


def text(value: str, *, flow: bool = False) -> str:
    """*value* on one line, quoted if it must be."""
    if _ESCAPED.search(value):
        return _double(value)
    if not _quoted(value, flow=flow):
        return value
    if "'" not in value and ("\\" in value or '"' in value):
        return f"'{value}'"
    return _double(value)


def _quoted(value: str, *, flow: bool) -> bool:
    if not value or _UNSAFE.match(value) or (flow and _UNSAFE_IN_FLOW.match(value)):
        return True
    if _CORE.fullmatch(value):
        return True
    return any(first in (None, value[0]) and pattern.match(value) for first, pattern in _IMPLICIT)


def _double(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_ESCAPED.sub(_escape, escaped)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    wide = f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"  # noqa: PLR2004
    return _SHORT.get(character, wide)


def blocklike(value: str) -> bool:
    """Whether *value* reads well, and safely, as lines below its key."""
    return bool(value.strip()) and not _ESCAPED.search(re.sub("[\t\n]", "", value))
