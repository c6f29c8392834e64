"""JSON, strictly, by the standard library's scanner."""

from __future__ import annotations

import json
from typing import Final

from ..diagnostics import Diagnostic, Level, Rule
from .document import Document, Lines

JSON_SYNTAX = Rule("json-syntax", Level.ERROR, "A file is not JSON.")


class _Nowhere:
    def locate(self, pointer: tuple[str | int, ...], *, key: bool) -> tuple[int, int]:
        return 0, 1


def read(text: str, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """The document in *text*, and what is wrong with it."""
    lines = Lines(text)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        span = lines.span(file, error.pos, error.pos + 1)
        return None, [JSON_SYNTAX.at(span, f"This is not JSON: {error.msg}.")]
    return Document(file, lines, value, _Nowhere()), []
