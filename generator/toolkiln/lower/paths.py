"""Paths and prompts as authors write them: `amount.cents`, `Refund {amount.cents}?`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from toolkiln.contract import Path

_NAME: Final = re.compile(r"""[^\s.\[\]{}"']+""")
_QUOTED: Final = re.compile(r'\[\s*("(?:[^"\\]|\\.)*")\s*\]')


class Malformed(ValueError):  # noqa: N818 - says what it is where it is caught
    """A text that is no path, or no prompt; the message says why."""


@dataclass(frozen=True, slots=True)
class WrittenPath:
    """A path, and whether its first name stood in brackets."""

    names: Path
    quoted: bool

    def __str__(self) -> str:
        return spelled(self.names)


def path(written: str) -> WrittenPath:
    """The path that *written* is; `Malformed` if it is none."""
    found, end = _scan(written, 0)
    if end != len(written):
        raise Malformed(f'`{written}` is no path. Write `amount.cents`, or `["odd name"]`.')
    return found


def spelled(names: Path) -> str:
    """*names* as an author writes them."""
    pieces: list[str] = []
    for name in names:
        if _NAME.fullmatch(name):
            pieces.append(f".{name}" if pieces else name)
        else:
            pieces.append(f"[{json.dumps(name, ensure_ascii=False)}]")
    return "".join(pieces)


def pieces(written: str) -> tuple[str | WrittenPath, ...]:
    """The texts and the placeholders of a prompt; `Malformed` if a brace is unpaired."""
    found: list[str | WrittenPath] = []
    text, position = "", 0
    while position < len(written):
        pair, char = written[position : position + 2], written[position]
        if pair in {"{{", "}}"}:
            text, position = text + char, position + 2
        elif char == "{":
            named, position = _placeholder(written, position)
            found += [text, named] if text else [named]
            text = ""
        elif char == "}":
            raise Malformed("A `}` closes nothing. For the brace itself write `}}`.")
        else:
            text, position = text + char, position + 1
    return tuple([*found, text] if text else found)


def _placeholder(written: str, start: int) -> tuple[WrittenPath, int]:
    found, end = _scan(written, start + 1)
    if not found.names or written[end : end + 1] != "}":
        raise Malformed(
            "A `{` starts a placeholder, `{amount.cents}`. For the brace itself write `{{`."
        )
    return found, end + 1


def _scan(written: str, start: int) -> tuple[WrittenPath, int]:
    names: list[str] = []
    quoted, position = written[start : start + 1] == "[", start
    while position < len(written):
        dot = bool(names) and written[position] == "."
        begin = position + 1 if dot else position
        bracket = _QUOTED.match(written, begin)
        bare = _NAME.match(written, begin) if dot or not names else None
        if bracket:
            names.append(_unquoted(bracket[1]))
            position = bracket.end()
        elif bare:
            names.append(bare[0])
            position = bare.end()
        else:
            break
    return WrittenPath(tuple(names), quoted), position


def _unquoted(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise Malformed(f"{quoted} is no JSON text.") from None
