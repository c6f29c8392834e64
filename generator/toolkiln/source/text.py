"""What YAML and JSON have in common: from bytes to text, limits, and mistakes of both."""

from __future__ import annotations

from typing import Final

from ..diagnostics import Diagnostic, Level, Rule
from .document import Lines

SIZE: Final = 8 * 1024 * 1024
"""Largest file in bytes: some twenty thousand tools."""

DEPTH: Final = 200
"""Deepest nesting of maps and lists; the runtime has the same limit for arguments."""

MOST: Final = 200
"""Findings of one file, about, after which nobody reads on."""

TEXT_ENCODING = Rule("text-encoding", Level.ERROR, "A file is not UTF-8.")
DOCUMENT_EMPTY = Rule("document-empty", Level.ERROR, "A file holds nothing but white space.")
KEY_DUPLICATE = Rule("key-duplicate", Level.ERROR, "A map holds the same key twice.")
TEXT_SIZE = Rule("text-size", Level.ERROR, "A file is larger than 8 MiB.")
VALUE_NUMBER = Rule("value-number", Level.ERROR, "A number is none that JSON can hold.")
VALUE_DEPTH = Rule("value-depth", Level.ERROR, "Maps and lists are nested more than 200 deep.")


def decode(data: bytes | str, file: str) -> tuple[str | None, list[Diagnostic]]:
    """*data* as text without a byte order mark, or a finding that says why not."""
    if len(data) > SIZE:
        return None, [too_large(file)]
    try:
        # Text is encoded as well: a lone surrogate would break every reader further on.
        raw = data.encode() if isinstance(data, str) else data
        text = raw.decode()
    except UnicodeEncodeError as error:
        return None, [_not_utf8(error.object[: error.start], file)]
    except UnicodeDecodeError as error:
        return None, [_not_utf8(error.object[: error.start].decode(errors="replace"), file)]
    return text.removeprefix("\ufeff"), []


def too_large(file: str) -> Diagnostic:
    """The finding for a file beyond `SIZE`."""
    span = Lines("").span(file, 0, 1)
    message = "This file is larger than 8 MiB, the most that is read."
    return TEXT_SIZE.at(span, message, hint="Split it: several files may share a namespace.")


def _not_utf8(before: str, file: str) -> Diagnostic:
    before = before.removeprefix("\ufeff")
    span = Lines(before).span(file, len(before), len(before) + 1)
    return TEXT_ENCODING.at(span, "This is not UTF-8.", hint="Save the file as UTF-8.")
