"""A finding at a place of a document, before its line and column are looked up."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnostics import Diagnostic, Rule
from ..source import Document
from .schemas import Pointer


@dataclass(frozen=True, slots=True)
class Found:
    """What is wrong at *pointer*."""

    rule: Rule
    pointer: Pointer
    message: str
    hint: str = ""
    key: bool = False
    """Whether the key at *pointer* is pointed at, not its value."""

    def placed(self, document: Document) -> Diagnostic:
        """The finding at its line and column."""
        span = document.span(*self.pointer, key=self.key)
        return self.rule.at(span, self.message, hint=self.hint)
