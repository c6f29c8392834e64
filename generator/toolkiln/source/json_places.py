"""Where the parts of a JSON document stand."""

from __future__ import annotations

import json
import re
from typing import Final, TypeAlias

Extent: TypeAlias = tuple[int, int]
"""Start and end, as offsets."""
Entry: TypeAlias = tuple[str, Extent, Extent]
"""Name, key and value; in a list the name is the number, and the key is the value."""

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
# Skipping needs no numbers: making some of them could fail.
_SKIP: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


def entries(text: str, start: int) -> list[Entry]:
    """What stands in the map or list that opens at *start*, which is known to be well-formed."""
    found: list[Entry] = []
    is_map = text[start] == "{"
    at = _blanks(text, start + 1)
    while text[at] not in "}]":
        name, key = str(len(found)), (at, at)
        if is_map:
            name, end = _SKIP.raw_decode(text, at)
            key = (at, end)
            at = _blanks(text, _blanks(text, end) + 1)
        _, end = _SKIP.raw_decode(text, at)
        value = (at, end)
        found.append((name, key if is_map else value, value))
        at = _blanks(text, end)
        if text[at] == ",":
            at = _blanks(text, at + 1)
    return found


class JsonPlaces:
    """Places in a well-formed text; maps and lists are indexed when they are first passed."""

    __slots__ = ("_index", "_text", "root")

    def __init__(self, text: str) -> None:
        start = _blanks(text, 0)
        self.root: Extent = (start, len(text.rstrip(" \t\n\r")))
        self._text = text
        self._index: dict[int, dict[str, tuple[Extent, Extent]]] = {}

    def locate(self, pointer: tuple[str | int, ...], *, key: bool) -> Extent:
        """As `Places.locate`."""
        name, value = self.root, self.root
        for part in pointer:
            child = self._children(value[0]).get(str(part))
            if child is None:
                break
            name, value = child
        return name if key else value

    def _children(self, start: int) -> dict[str, tuple[Extent, Extent]]:
        if self._text[start] not in "{[":
            return {}
        if start not in self._index:
            # The first of two equal keys is the one that was read.
            pairs = reversed(entries(self._text, start))
            self._index[start] = {name: (key, value) for name, key, value in pairs}
        return self._index[start]


def _blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at
