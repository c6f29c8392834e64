"""What somebody probably meant who wrote text that is not YAML.

libyaml stops at the first mistake and names what its grammar expected there. Each of its
complaints has a function here that looks at the text around for the mistakes people make.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from yaml import MarkedYAMLError

from ..diagnostics import Level, Rule
from .found import Found

YAML_SYNTAX = Rule("yaml-syntax", Level.ERROR, "A file is not YAML.")

_NEEDS_QUOTES: Final = "This text needs quotes, or `|` and the text on the next line."
_VALUE: Final = re.compile(r":[ \t]+")
_QUOTED: Final = re.compile(r'"((?:[^"\\\r\n]|\\.)*)"')
_COMMENT: Final = re.compile(r"[ \t](#[^\r\n]*)")
_KEY: Final = re.compile(r"[\w$.-]+:(?:\s|$)")
_SHORT: Final = 70
_WORD: Final = re.compile(r"[^\s,\[\]{}]+")


@dataclass(frozen=True, slots=True)
class _Error:
    """libyaml's complaint."""

    text: str
    at: int
    """Where it stopped."""
    opened: int
    """Where the list, map or quoted text begins that it was reading."""
    flow: bool
    """Whether that was inside of brackets."""
    problem: str

    @property
    def char(self) -> str:
        return self.text[self.at : self.at + 1]

    def line(self, offset: int) -> tuple[int, int]:
        """Start and end of the line around *offset*."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        end = re.compile(r"[\r\n]|$").search(self.text, offset)
        return start, end.start() if end else len(self.text)

    def found(self, message: str, hint: str = "", *, at: int | None = None) -> Found:
        start = self.at if at is None else at
        return Found(YAML_SYNTAX, start, start + 1, message, hint)


_Explain: TypeAlias = Callable[[_Error], Found]


def explain(error: MarkedYAMLError, text: str) -> Found:
    """The finding for libyaml's *error* in *text*."""
    problem = error.problem if isinstance(error.problem, str) else ""
    context = error.context if isinstance(error.context, str) else ""
    mark = error.problem_mark or error.context_mark
    at = mark.index if mark else 0
    opened = error.context_mark.index if error.context_mark else at
    seen = _Error(text, at, opened, " flow " in context, problem or context)
    complaint = f"{context}: {problem}"
    for part, function in _COMPLAINTS.items():
        if part in complaint:
            return function(seen)
    return seen.found(f"This is not YAML: {seen.problem}.")


# --- texts without the quotes they need ---------------------------------------------------------


def _quotes(error: _Error, start: int) -> Found:
    """The text that starts at *start* needs quotes; show them, unless it has some itself."""
    _, end = error.line(start)
    rest = error.text[start:end].rstrip()
    whole = not error.flow and rest[:1] not in "'\"" and len(rest) < _SHORT
    hint = "Write '" + rest.replace("'", "''") + "'" if whole else ""
    return Found(YAML_SYNTAX, start, end, _NEEDS_QUOTES, hint)


def _value(error: _Error) -> int | None:
    """Where the value starts in whose middle libyaml stopped, if it is one on the same line."""
    line, _ = error.line(error.at)
    starts = [match.end() for match in _VALUE.finditer(error.text, line, error.at)]
    if not starts:
        return None
    return starts[-1] if error.flow else starts[0]


def _here(error: _Error) -> Found:
    return _quotes(error, error.opened)


def _token(error: _Error) -> Found:
    return _tab(error) if error.char == "\t" else _quotes(error, error.at)


def _colon(error: _Error) -> Found:
    start = _value(error)
    return _indentation(error) if start is None else _quotes(error, start)


def _key(error: _Error) -> Found:
    start = _value(error)
    if start is not None:
        return _quotes(error, start)
    if error.char == "-":
        message = "An item of a list cannot stand among the keys of a map."
        return error.found(message, "Items are indented at least as far as the key they belong to.")
    return _indentation(error)


def _alias(error: _Error) -> Found:
    word = _WORD.match(error.text, error.at)
    name = word[0] if word else "*"
    message = f"`{name}` is an alias in YAML, and no value above has the anchor `&{name[1:]}`."
    return error.found(message, f"As a text it needs quotes: '{name}'")


def _tag(error: _Error) -> Found:
    return error.found("`!` starts a tag in YAML.", "As a text it needs quotes.", at=error.opened)


def _block(error: _Error) -> Found:
    message = "After `|` and `>` the text starts on the next line."
    hint = "A text that starts with one of them needs quotes."
    return error.found(message, hint, at=error.opened)


# --- escapes and ends ---------------------------------------------------------------------------


def _escape(error: _Error) -> Found:
    quoted = _QUOTED.match(error.text, error.opened)
    inner = quoted[1].replace("'", "''") if quoted else ""
    hint = f"Use single quotes: '{inner}'" if inner else "Use single quotes."
    return Found(
        YAML_SYNTAX, error.at, error.at + 2, "Backslashes are escapes in double quotes.", hint
    )


def _surrogate(error: _Error) -> Found:
    message = "This escape is half of a character, and YAML does not join halves."
    return error.found(message, r"Write the character itself, or one escape: \U0001F600")


def _open_quote(error: _Error) -> Found:
    return error.found("The quote that opens here is never closed.", at=error.opened)


# --- brackets -----------------------------------------------------------------------------------


def _bracket(error: _Error) -> Found:
    opening = error.text[error.opened : error.opened + 1]
    closing = {"{": "}", "[": "]"}.get(opening, "}")
    for comment in _COMMENT.finditer(error.text, error.opened, error.at):
        if closing in comment[1]:
            return _swallowed(error, comment, closing)
    same_line = error.line(error.opened) == error.line(error.at)
    if same_line and error.char == ":":
        return _quotes(error, _value(error) or error.at)
    if same_line and error.at < len(error.text.rstrip()) and error.char not in "}]":
        start = _value(error)
        if start is None or error.text[start] not in "{[\"'" or _KEY.match(error.text, error.at):
            return error.found(f"A comma or `{closing}` is missing before this.")
        return _quotes(error, start)
    if error.char and error.char in "}]":
        message = f"`{error.char}` does not close the `{opening}` that is open here."
        return error.found(message, f"It needs `{closing}`.")
    message = f"The `{opening}` that opens here is not closed, or a comma is missing in it."
    return error.found(message, at=error.opened)


def _swallowed(error: _Error, comment: re.Match[str], closing: str) -> Found:
    before = error.text[error.opened : comment.start()].rstrip()
    if before.endswith(("$ref:", '$ref":', "$ref':")):
        word = _WORD.match(comment[1])
        message = "`$ref` is empty: ` #` starts a comment in YAML."
        hint = f'Write $ref: "{word[0] if word else "#/$defs/Money"}"'
    else:
        message = f"` #` starts a comment in YAML, so the `{closing}` after it is not read."
        hint = "A text that holds ` #` needs quotes."
    return Found(YAML_SYNTAX, comment.start(1), comment.end(), message, hint)


def _content(error: _Error) -> Found:
    if not error.text[error.at :].strip():
        return error.found("The file ends before this is closed.", at=error.opened)
    message = f"A value is missing before this `{error.char}`."
    return error.found(message, f"A text that starts with `{error.char}` needs quotes.")


# --- lines that do not fit ----------------------------------------------------------------------


def _indentation(error: _Error) -> Found:
    line, _ = error.line(error.at)
    start = line + len(error.text[line:]) - len(error.text[line:].lstrip(" "))
    message = "This line does not fit into the indentation above it."
    return error.found(message, "The keys of one map start in the same column.", at=start)


def _tab(error: _Error) -> Found:
    return error.found("A tab cannot indent in YAML.", "Use blanks.")


def _no_colon(error: _Error) -> Found:
    message = "This line is no `key: value`."
    return error.found(message, "A text of several lines is indented below `|`.", at=error.opened)


def _sequence(error: _Error) -> Found:
    return error.found("A list starts on a line of its own.", "In one line it is [a, b].")


def _item(error: _Error) -> Found:
    return error.found("Only an item `- ...` can follow the items of a list.")


def _anchor(error: _Error) -> Found:
    return error.found("This anchor stands above already; each needs a name of its own.")


def _after(error: _Error) -> Found:
    return error.found("Something stands after the end of the document.")


_COMPLAINTS: Final[Mapping[str, _Explain]] = {
    "unknown escape": _escape,
    "hexdecimal": _escape,
    "Unicode character escape": _surrogate,
    "quoted scalar: found unexpected end": _open_quote,
    "quoted scalar: found unexpected document indicator": _open_quote,
    "tab character": _tab,
    "cannot start any token": _token,
    "undefined alias": _alias,
    "scanning an alias": _here,
    "scanning an anchor": _here,
    "scanning a tag": _tag,
    "tag handle": _tag,
    "scanning a block scalar": _block,
    "mapping values are not allowed": _colon,
    "did not find expected key": _key,
    "could not find expected ':'": _no_colon,
    "did not find expected ',' or": _bracket,
    "node content": _content,
    "block sequence entries": _sequence,
    "'-' indicator": _item,
    "duplicate anchor": _anchor,
    "<document start>": _after,
}
"""Parts of libyaml's complaints, the more special ones first."""
