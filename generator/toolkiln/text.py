"""The only way in which text from a contract enters Python source code.

Whatever the text says, it stays inside the literal, docstring or comment that it was put in, and
what a reader sees is what the interpreter sees: characters that are invisible, or that reorder
or end a line, are written as escapes. It does not know what the text is about.
"""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final, cast

from .value import Json

WIDTH: Final = 100
"""Columns of a line of generated code."""

# Fixed ranges, not `unicodedata`: its tables grow with every Python, and with them the output
# would change. Control, soft hyphen, joiners, bidirectional, line separators, fillers,
# surrogates, annotations and tags.
_UNSEEN: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f"
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U000e0000-\\U000e0fff]"
)
_LINE_ENDS: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BULLET: Final = re.compile(r" *(?:[-*+\u2022]|\d+[.)]) +")
_B: Final = "\\"
_Q: Final = '"'
_DECIMAL_BITS: Final = 10_000
_SHORT: Final = 60
_CODING: Final = re.compile(r"(coding)([:=])", re.IGNORECASE)


class Code(str):
    """Source text that may be placed as it is."""

    __slots__ = ()


def literal(value: Json | tuple[object, ...]) -> Code:
    """A Python expression that is equal to *value*, of the same types throughout."""
    if isinstance(value, str):
        return Code(f'"{_visible(value.replace(_B, _B * 2).replace(_Q, _B + _Q))}"')
    if isinstance(value, Mapping):
        pairs = [f"{literal(key)}: {literal(item)}" for key, item in value.items()]
        return Code(f"{{{', '.join(pairs)}}}")
    if isinstance(value, tuple):
        parts = [literal(cast("Json", part)) for part in cast("tuple[object, ...]", value)]
        return Code(f"({', '.join(parts)}{',' if len(parts) == 1 else ''})")
    if value is None or isinstance(value, (bool, float)):
        return Code(repr(value))
    if isinstance(value, int):
        # Decimal text of more digits is refused by the interpreter, hexadecimal never is.
        return Code(hex(value) if value.bit_length() > _DECIMAL_BITS else repr(value))
    return Code(f"[{', '.join(map(literal, value))}]")


def paragraph(text: str, width: int = 80) -> Code:
    """A literal of a long text, in pieces of at most *width* columns where it has spaces."""
    if len(text) <= width:
        return literal(text)
    pieces = [piece for line in text.splitlines(keepends=True) for piece in _pieces(line, width)]
    return Code(f"({' '.join(map(literal, pieces))})") if len(pieces) > 1 else literal(text)


def docstring(text: str, indent: int = 4) -> Code:
    """A docstring of the words of *text*, for a body that is indented by *indent*.

    Lines that are too long are wrapped and white space is tidied; words, and the lines and
    paragraphs that fit, are those of the text. Nothing at all if the text is blank.
    """
    lines = prose(text, WIDTH - indent - len(_Q * 3))
    if not lines:
        return Code("")
    margin = "\n" + " " * indent
    long = len(lines) > 1 or len(lines[0]) + len(_Q * 6) > WIDTH - indent
    body = "\n".join(_visible(line.replace(_B, _B * 2)) for line in lines)
    # Of a run of quotes, each but the last would join the next to an end of the docstring, and
    # the first and the last one of the text would join its beginning and its end.
    body = re.sub(r'\A"|"(?="|\Z)', r"\"", body)
    body = re.sub("\n(?!\n)", margin, body)
    return Code(f'"""{body}{margin if long else ""}"""')


def comment(text: str) -> Code:
    """A comment of one line; it is never a directive to a tool or to the interpreter."""
    line = _visible(" ".join(text.split())).replace("#", "\\x23")
    return Code("# " + _CODING.sub(lambda match: f"{match[1]}\\x{ord(match[2]):x}", line))


def visible(source: str) -> Code:
    """*source*, in which only string literals hold what cannot be seen, with this escaped."""
    return Code("\n".join(map(_visible, source.split("\n"))))


def identifier(name: str) -> Code:
    """*name*, which must be a Python identifier and no keyword: a `ValueError` is our mistake."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no identifier")
    return Code(name)


def json_text(value: Json, indent: int = 8) -> Code:
    """A string that holds *value* as JSON: if it is long, laid out for a call that is indented."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= _SHORT:
        return literal(flat)
    # JSON escapes every quote, and has a colon, comma or bracket between any two strings: three
    # quotes in a row cannot occur, nor can a line end within a string.
    lines = _json(value, WIDTH - indent).split("\n")
    margin = "\n" + " " * indent
    body = margin.join(_UNSEEN.sub(_json_escape, line) for line in lines)
    return Code(f'r"""{margin}{body}{margin}"""')


def prose(text: str, width: int = WIDTH) -> list[str]:
    """The lines of *text* with tidy white space, wrapped at *width* columns; none if blank."""
    first, *rest = (line.expandtabs(4).rstrip() for line in _LINE_ENDS.split(text))
    below = textwrap.dedent("\n".join(rest)).split("\n") if rest else []
    lines: list[str] = []
    for line in (first.strip(), *below):
        if line.strip():
            lines += _wrapped(line, width)
        elif lines and lines[-1]:
            lines.append("")
    return lines[:-1] if lines and not lines[-1] else lines


def _visible(text: str) -> str:
    return _UNSEEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def _json(value: Json, room: int, before: int = 0) -> str:
    """JSON in lines of at most *room* columns if it can be broken; *before* are in use."""
    flat = json.dumps(value, ensure_ascii=False)
    if before + len(flat) <= room or not value or isinstance(value, (str, int, float)):
        return flat
    if isinstance(value, Mapping):
        opened, closed = "{}"
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        pairs = zip(names, value.values(), strict=True)
        items = [f"{name}{_json(item, room - 3, len(name))}" for name, item in pairs]
    else:
        opened, closed = "[]"
        items = [_json(item, room - 3) for item in value]
    body = ",\n".join(items).replace("\n", "\n  ")
    return f"{opened}\n  {body}\n{closed}"


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    bullet = _BULLET.match(line)
    hang = bullet.end() if bullet else len(line) - len(line.lstrip())
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * min(hang, width // 2),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _pieces(line: str, width: int) -> Iterator[str]:
    start = 0
    while len(line) - start > width:
        # A word that is longer than the width is kept whole.
        cut = line.rfind(" ", start, start + width) + 1 or line.find(" ", start + width) + 1
        yield line[start : cut or None]
        start = cut or len(line)
    if start < len(line):
        yield line[start:]
