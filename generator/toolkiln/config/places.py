"""Where the keys and list items of a TOML text stand, which `tomllib` does not tell.

It scans text that `tomllib` has accepted, and only when there is something to report.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ..diagnostics import Span

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the root of the file."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY: Final = re.compile(r'[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|\'[^\']*\')[ \t]*')
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{1,2})?|\'\'\'.*?\'\'\'(?:\'{1,2})?|"(?:\\.|[^"\\])*"|\'[^\']*\'',
    re.DOTALL,
)
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]*")


def places(text: str, file: str) -> dict[KeyPath, Span]:
    """The span of every key and every list item in *text*, a valid TOML document."""
    scan = _Scan(text, file)
    scan.document()
    return scan.found


@dataclass(slots=True)
class _Scan:
    text: str
    file: str
    at: int = 0
    found: dict[KeyPath, Span] = field(default_factory=dict[KeyPath, Span])
    tables: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    """How many tables each array of tables has so far."""

    def document(self) -> None:
        prefix: KeyPath = ()
        while self.blank() < len(self.text):
            if self.text[self.at] == "[":
                prefix = self.header()
            else:
                self.pair(prefix)

    def blank(self) -> int:
        self.at = self.end(_BLANK)
        return self.at

    def header(self) -> KeyPath:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        path = self.key(())
        self.at += brackets
        if brackets == 1:
            return path
        self.tables[path] = self.tables.get(path, -1) + 1
        return (*path, self.tables[path])

    def key(self, prefix: KeyPath) -> KeyPath:
        path = prefix
        while True:
            match = _KEY.match(self.text, self.at)
            if match is None:
                return path
            if path in self.tables:
                path = (*path, self.tables[path])
            raw = match[1]
            path = (*path, tomllib.loads(f"k={raw}")["k"] if raw[0] in "\"'" else raw)
            self.mark(path, match.start(1), match.end(1))
            self.at = match.end()
            if not self.text.startswith(".", self.at):
                return path
            self.at += 1

    def pair(self, prefix: KeyPath) -> None:
        path = self.key(prefix)
        self.at += 1
        self.blank()
        self.value(path)

    def value(self, path: KeyPath) -> None:
        opener = self.text[self.at : self.at + 1]
        if opener == "[":
            self.members(path, "]")
        elif opener == "{":
            self.members(path, "}")
        elif opener in {'"', "'"}:
            self.at = self.end(_STRING)
        else:
            self.at = self.end(_SCALAR)

    def members(self, path: KeyPath, closer: str) -> None:
        self.at += 1
        position = 0
        while self.blank() < len(self.text) and self.text[self.at] != closer:
            if closer == "}":
                self.pair(path)
            else:
                start = self.at
                self.value((*path, position))
                self.mark((*path, position), start, self.at)
                position += 1
            self.blank()
            self.at += self.text.startswith(",", self.at)
        self.at += 1

    def end(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        return match.end() if match else self.at + 1

    def mark(self, path: KeyPath, start: int, end: int) -> None:
        line_start = self.text.rfind("\n", 0, start) + 1
        line = self.text.count("\n", 0, start) + 1
        self.found.setdefault(path, Span(self.file, line, start - line_start + 1, end - start))
