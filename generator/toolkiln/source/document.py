"""A parsed file as a value, and where its parts stand.

Positions are looked up when they are asked for: a file without mistakes pays nothing for them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Protocol

from ..diagnostics import Span
from ..value import Json

# Only these end a line in YAML 1.2, JSON and editors; `str.splitlines` knows more.
_BREAK: Final = re.compile(r"\r\n?|\n")


class Lines:
    """Lines and columns of a text, counted from 1 in code points."""

    __slots__ = ("_end", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] = []
        self._end = 0

    def __getitem__(self, number: int) -> str:
        """The line with this *number*, without its end; empty if there is none."""
        starts = self._index()
        if not 1 <= number <= len(starts):
            return ""
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def number(self, offset: int) -> int:
        """The line that *offset* stands in."""
        return bisect_right(self._index(), offset)

    def span(self, file: str, start: int, end: int) -> Span:
        """Offsets *start* to *end* as a place, cut at the end of its first line."""
        starts = self._index()
        # What is missing at the end is missed behind the last word, not on an empty line.
        start = max(0, min(start, self._end))
        number = self.number(start)
        column = start - starts[number - 1]
        # The caret underlines one line, however far a value goes on.
        line = self[number].rstrip()
        length = min(end, starts[number - 1] + len(line)) - start
        return Span(file, number, column + 1, max(length, 1))

    def _index(self) -> list[int]:
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(match.end() for match in _BREAK.finditer(self.text))
            self._end = len(self.text.rstrip())
        return self._starts


class Places(Protocol):
    """Where the parts of a document stand, as offsets into its text."""

    def locate(self, pointer: tuple[str | int, ...], *, key: bool) -> tuple[int, int]:
        """Start and end of the value (or its key) at *pointer*, or of what encloses it."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A parsed file: a plain JSON value and where its parts stand."""

    file: str
    """As in `Span.file`."""
    lines: Lines = field(repr=False)
    value: Json = field(repr=False)
    """Fresh dicts and lists with text as keys, numbers as written."""
    places: Places = field(repr=False)

    @property
    def text(self) -> str:
        """What was read, without a byte order mark."""
        return self.lines.text

    def span(self, *pointer: str | int, key: bool = False) -> Span:
        """Where the value at *pointer* stands, or with *key* the key that names it.

        If nothing stands there it is the nearest enclosing place. Items of lists are named by
        numbers or by their digits, so the parts of a JSON pointer fit as they are.
        """
        return self.lines.span(self.file, *self.places.locate(pointer, key=key))

    def source(self, *pointer: str | int) -> str:
        """The first line of what is written at *pointer*."""
        start, end = self.places.locate(pointer, key=False)
        span = self.lines.span(self.file, start, end)
        return self.text[start : start + span.length]
