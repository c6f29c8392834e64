"""The text of a question, with values between its words (spec format, section 6)."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from msgspec import Struct

from .contract import Path, Prompt
from .sensitive import Mask
from .values import encode, is_object

LENGTH: Final = 200
"""Characters of one value in a prompt."""
HIDDEN: Final = "***"
ABSENT: Final = "(none)"
_BARE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@-")
_PLAIN: Final = re.compile(r"""[^\s.\[\]{}"']+""")
"""A name that needs no quotes in a path."""
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cn", "Co", "Zl", "Zp"))
_BASIC_PLANE: Final = 0xFFFF
_MISSING: Final = object()


class Filled(Struct, frozen=True):
    """A prompt with its values."""

    text: str
    values: dict[str, Any]
    """By written path; without those that are absent or sensitive."""


class Values(Struct, frozen=True):
    """Where the values of a prompt come from."""

    args: Any
    mask: Mask
    metadata: Any = None
    metadata_mask: Mask | None = None

    def at(self, path: Path) -> Any:
        """The value at *path*, masked; an object of its own if there is none."""
        if path[0] == "":
            mask, value, path = self.metadata_mask, self.metadata, path[1:]
        else:
            mask, value = self.mask, self.args
        for key in path:
            if not is_object(value) or key not in value:
                return _MISSING
            value = value[key]
        return value if mask is None else mask(value, path)


def fill(prompt: Prompt, values: Values) -> Filled:
    """The words of *prompt* with *values* between them."""
    text, found = "", dict[str, Any]()
    for piece in prompt:
        if isinstance(piece, str):
            text += piece
            continue
        value = values.at(piece)
        text += written(value)
        if value is not _MISSING and value != HIDDEN:
            found[_name(piece)] = value
    return Filled(text, found)


def written(value: Any) -> str:
    """*value* so that it cannot be read as words of ours."""
    if value is _MISSING:
        return ABSENT
    if isinstance(value, str) and (value == HIDDEN or (value and _BARE.issuperset(value))):
        return _cut(value)
    return _cut("".join(map(_visible, encode(value).decode())))


def _name(path: Path) -> str:
    """*path* as an author writes it, so that no two are called the same."""
    name = "metadata" if path[0] == "" else ""
    for step in path[1:] if name else path:
        if not _PLAIN.fullmatch(step) or (not name and step == "metadata"):
            name += f"[{encode(step).decode()}]"
        else:
            name += f".{step}" if name else step
    return name


def _visible(character: str) -> str:
    # Line separators, controls, and what reorders or hides text: categories Cc, Cf, Zl, Zp.
    if unicodedata.category(character) in _UNSEEN:
        code = ord(character)
        return f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:08x}"
    return character


def _cut(text: str) -> str:
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 3]}..."
