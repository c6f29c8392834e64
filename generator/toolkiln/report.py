"""Findings as text for people and as JSON for programs; it knows no terminal and writes nothing."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from .diagnostics import Diagnostic, Level, Span

JSON_VERSION: Final = 1
"""Of `schemas/diagnostics.schema.json`; raised when a reader of the old format would break."""

_LINE_END: Final = re.compile("\r\n?|\n")
_TAB: Final = "    "
_WIDEST: Final = 100
_LEAD: Final = 30
"""Columns shown before the caret where a line is too long to be shown whole."""

_NEAR: Final = 200
"""Characters around the caret that are looked at; more than fit."""

_COLORS: Final = {Level.ERROR: "1;31", Level.WARNING: "1;33", Level.NOTE: "1;36"}
_FAINT: Final = "2"
_BOLD: Final = "1"


def text(
    diagnostics: Sequence[Diagnostic], sources: Mapping[str, str], *, color: bool = False
) -> str:
    """One block a finding: place, rule and message, the line with a caret, and the hint.

    *sources* are the texts of the files, by `Span.file`; a finding in another file has no line.
    """
    blocks: list[str] = []
    lines: dict[str, list[str]] = {}
    for item in diagnostics:
        block = [_headline(item, color=color)]
        if item.span and item.span.file in sources:
            if item.span.file not in lines:
                lines[item.span.file] = _LINE_END.split(sources[item.span.file])
            block += _excerpt(item.span, lines[item.span.file], item.level, color=color)
        if item.hint:
            block.append(f"  hint: {visible(item.hint)}")
        blocks.append("".join(f"{line}\n" for line in block))
    return "".join(blocks)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """How many of each level there are: `2 errors, 1 note`; empty if there are none."""
    counts = Counter(item.level for item in diagnostics)
    return ", ".join(
        f"{counts[level]} {level}{'s' if counts[level] > 1 else ''}"
        for level in Level
        if counts[level]
    )


def json_text(diagnostics: Sequence[Diagnostic]) -> str:
    """One JSON document that is valid under `schemas/diagnostics.schema.json`."""
    counts = Counter(item.level for item in diagnostics)
    document = {
        "version": JSON_VERSION,
        "diagnostics": [_record(item) for item in diagnostics],
        "summary": {f"{level}s": counts[level] for level in Level},
    }
    return json.dumps(document, indent=2) + "\n"


def visible(line: str) -> str:
    """*line* with what would move the cursor or turn the direction of writing spelled out.

    Contracts are written by strangers, and a terminal obeys what is printed.
    """
    return "".join(map(_glyph, line)) if not line.isprintable() else line


def _record(item: Diagnostic) -> dict[str, object]:
    span = item.span
    record: dict[str, object] = {"rule": item.rule, "level": item.level, "message": item.message}
    if span:
        record |= {"file": span.file, "line": span.line, "column": span.column}
        record["length"] = span.length
    if item.hint:
        record["hint"] = item.hint
    if item.tool:
        record["tool"] = item.tool
    return record


def _headline(item: Diagnostic, *, color: bool) -> str:
    level = _paint(item.level, _COLORS[item.level], color=color)
    where = ""
    if item.span:
        where = f"{visible(item.span.file)}:{item.span.line}:{item.span.column}: "
        where = _paint(where, _BOLD, color=color)
    return f"{where}{level} {item.rule}: {visible(item.message)}"


def _excerpt(span: Span, lines: Sequence[str], level: Level, *, color: bool) -> list[str]:
    if not 1 <= span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    # A caret may point just behind the end, where something is missing.
    first = min(span.column - 1, len(line))
    # A line may be a whole file, and each of its thousand findings looks at it.
    left = max(first - _NEAR, 0)
    right = min(first + _NEAR, len(line))
    glyphs = [_glyph(character) for character in line[left:right]]
    first -= left
    last = max(min(first + span.length, len(glyphs)), first + 1)
    begin, end = _window(glyphs, first)
    before = "... " if left + begin else ""
    after = " ..." if left + end < len(line) else ""
    shown = before + "".join(glyphs[begin:end]) + after
    indent = len(before) + sum(map(_width, glyphs[begin:first]))
    carets = max(sum(map(_width, glyphs[first : min(last, end)])), 1)
    number = str(span.line)
    gutter = " " * len(number)
    pointer = _paint("^" * carets, _COLORS[level], color=color)
    return [
        f"  {_paint(f'{number} |', _FAINT, color=color)} {shown}".rstrip(),
        f"  {_paint(f'{gutter} |', _FAINT, color=color)} {' ' * indent}{pointer}",
    ]


def _window(glyphs: Sequence[str], first: int) -> tuple[int, int]:
    """Which glyphs to show so that the line fits and the caret is in it."""
    edges = [0, *accumulate(map(_width, glyphs))]
    if edges[-1] <= _WIDEST:
        return 0, len(glyphs)
    begin = next(i for i, edge in enumerate(edges) if edge >= edges[first] - _LEAD)
    end = sum(edge <= edges[begin] + _WIDEST for edge in edges) - 1
    return begin, end


def _glyph(character: str) -> str:
    if character == "\t":
        return _TAB
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}:
        return character.encode("unicode_escape").decode()
    return character


def _width(glyph: str) -> int:
    """Columns that a terminal gives to *glyph*."""
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in {"W", "F"}
        else 1
        for character in glyph
    )


def _paint(shown: str, code: str, *, color: bool) -> str:
    return f"\x1b[{code}m{shown}\x1b[0m" if color else shown
