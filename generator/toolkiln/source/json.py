"""JSON, strictly, by the standard library's scanner.

The file is decoded in one go. Positions are found by letting the same scanner skip over the
values before them, so only what is asked for is ever looked at in Python.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Final

from ..diagnostics import Diagnostic, Level, Rule
from ..value import Json
from .document import Document, Lines
from .found import Found
from .json_places import Extent, JsonPlaces, entries
from .scalars import UnfitNumberError, integer, number
from .text import DEPTH, DOCUMENT_EMPTY, KEY_DUPLICATE, MOST, VALUE_DEPTH, VALUE_NUMBER

JSON_SYNTAX = Rule("json-syntax", Level.ERROR, "A file is not JSON.")
TEXT_SURROGATE = Rule("text-surrogate", Level.ERROR, "A text holds half of a character.")

_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NESTING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)
_COMMA: Final = re.compile(r",\s*$")


def read(text: str, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """The document in *text*, and what is wrong with it."""
    lines = Lines(text)
    value = _decode(text)
    if isinstance(value, Found):
        return None, [value.placed(lines, file)]
    decoded, doubtful = value
    found = _mistakes(lines)[:MOST] if doubtful else []
    findings = [each.placed(lines, file) for each in found]
    # Half a character cannot be written out again, so nothing may go on with it.
    halves = any(each.rule is TEXT_SURROGATE for each in found)
    return None if halves else Document(file, lines, decoded, JsonPlaces(text)), findings


class _Decoder(json.JSONDecoder):
    """Notes that there is something to complain about, and goes on."""

    def __init__(self) -> None:
        super().__init__(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._float,
            parse_constant=self._constant,
        )
        self.doubtful = False

    def _object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) < len(pairs):
            self.doubtful = True
            # The first of two keys counts, as in YAML: the second is the one to be blamed.
            value = dict(reversed(pairs))
        return value

    def _integer(self, text: str) -> int | str:
        try:
            return integer(text)
        except UnfitNumberError:
            return self._constant(text)

    def _float(self, text: str) -> float | str:
        try:
            return number(text)
        except UnfitNumberError:
            return self._constant(text)

    def _constant(self, text: str) -> str:
        # As a text it lets the rest of the file be checked.
        self.doubtful = True
        return text


def _decode(text: str) -> tuple[Json, bool] | Found:
    if not text.strip():
        return Found(DOCUMENT_EMPTY, 0, 1, "This file is empty.")
    decoder = _Decoder()
    try:
        value: Json = decoder.decode(text)
    except json.JSONDecodeError as error:
        return _syntax(error, text)
    except RecursionError:
        return _too_deep(text)
    if _deeper(value):
        return _too_deep(text)
    return value, decoder.doubtful or bool(_ESCAPED_SURROGATE.search(text))


def _deeper(value: Json) -> bool:
    """Whether maps and lists are nested beyond `DEPTH`; looks at no scalar twice."""
    level = [value]
    for _ in range(DEPTH):
        children = (child for parent in level for child in _children(parent))
        level = [child for child in children if isinstance(child, Mapping | list)]
    return bool(level)


def _children(value: Json) -> Iterable[Json]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep(text: str) -> Found:
    depth = 0
    for match in _NESTING.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > DEPTH:
            start = match.start()
            return Found(VALUE_DEPTH, start, start + 1, f"This is nested more than {DEPTH} deep.")
    raise AssertionError


def _mistakes(lines: Lines) -> list[Found]:
    """Duplicate keys, numbers that do not fit and lone surrogates, in order."""
    text, found = lines.text, list[Found]()
    pending = [JsonPlaces(text).root]
    while pending:
        start, end = pending.pop()
        first = text[start]
        if first == '"':
            found += _halves(text, start, end)
        elif first in "{[":
            seen: dict[str, int] = {}
            for name, key, value in entries(text, start):
                pending.append(value)
                if first == "[":
                    continue
                pending.append(key)
                if name in seen:
                    found.append(_duplicate(lines, name, key, seen[name]))
                seen.setdefault(name, key[0])
        else:
            found += _unfit(text, start, end)
    return sorted(found, key=attrgetter("start"))


def _duplicate(lines: Lines, name: str, key: Extent, first: int) -> Found:
    message = f"The key `{name}` stands in this map already, in line {lines.number(first)}."
    return Found(KEY_DUPLICATE, *key, message)


def _halves(text: str, start: int, end: int) -> list[Found]:
    if not _SURROGATE.search(json.loads(text[start:end])):
        return []
    message = "This text holds half of a surrogate pair, which is no character."
    return [Found(TEXT_SURROGATE, start, end, message)]


def _unfit(text: str, start: int, end: int) -> list[Found]:
    written = text[start:end]
    if written in ("true", "false", "null"):
        return []
    if written.endswith(("NaN", "Infinity")):
        return [Found(VALUE_NUMBER, start, end, f"JSON has no `{written}`.")]
    try:
        (number if re.search("[.eE]", written) else integer)(written)
    except UnfitNumberError as error:
        return [Found(VALUE_NUMBER, start, end, str(error))]
    return []


def _syntax(error: json.JSONDecodeError, text: str) -> Found:
    at = error.pos
    # Python versions differ in whether they stop at the comma or behind it.
    ahead = re.compile(r",?\s*").match(text, at)
    closing = text[ahead.end() : ahead.end() + 1] if ahead else ""
    comma = _COMMA.search(text[: ahead.end()]) if ahead and closing in ("}", "]") else None
    if comma:
        message, at = f"JSON has no comma before `{closing}`.", comma.start()
    else:
        message = _message(error, text[at : at + 1])
    return Found(JSON_SYNTAX, at, at + 1, message)


def _message(error: json.JSONDecodeError, char: str) -> str:
    if error.msg.startswith("Unterminated string"):
        return "The quote that opens here is never closed."
    if error.msg.startswith("Invalid control character"):
        return r"A line break or tab in a text is written as an escape: \n or \t."
    if error.msg.startswith("Invalid \\"):
        return r"This is no escape of JSON; a backslash is written \\."
    if error.msg.startswith("Extra data"):
        return "Something stands after the end of the value."
    if char == "'":
        return "Texts stand in double quotes in JSON."
    if char in ("/", "#"):
        return "JSON has no comments."
    if not char:
        return "The file ends before the value does."
    return f"This is not JSON: {error.msg[0].lower()}{error.msg[1:]}."
