"""What is wrong at an offset of a text, before its line and column are looked up."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnostics import Diagnostic, Rule
from .document import Lines


@dataclass(frozen=True, slots=True)
class Found:
    """A finding between two offsets."""

    rule: Rule
    start: int
    end: int
    message: str
    hint: str = ""

    def placed(self, lines: Lines, file: str) -> Diagnostic:
        """The finding at its line and column."""
        span = lines.span(file, self.start, self.end)
        return self.rule.at(span, self.message, hint=self.hint)
