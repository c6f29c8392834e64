"""Findings as values: where, which rule, how bad, what is wrong, and what to do about it.

Nothing here prints or raises; `report` turns a sorted sequence of findings into text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is; only `ERROR` fails a run (with `--strict`, `WARNING` too)."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file."""

    file: str
    """Relative to the project, with forward slashes; `pkg:name/...` for a file of a package."""
    line: int
    """Counted from 1."""
    column: int
    """Counted from 1, in code points."""
    length: int = 1
    """How many code points of the line the caret underlines."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding is an instance of: its id is API, its texts are not."""

    id: str
    """Kebab-case, subject first: `key-unknown`."""
    level: Level
    summary: str
    """One sentence for `toolkiln rules` and the docs."""

    def at(
        self, span: Span | None, message: str, *, hint: str = "", tool: str | None = None
    ) -> Diagnostic:
        """A finding of this rule at *span*; *tool* is `namespace.name` where one is to blame."""
        return Diagnostic(self.id, self.level, message, span, hint, tool)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding."""

    rule: str
    level: Level
    message: str
    """What is wrong, one sentence."""
    span: Span | None
    """None only where no file is to blame (a glob that matches nothing)."""
    hint: str = ""
    """What is probably meant, or what to do."""
    tool: str | None = None
    """`namespace.name` of the tool that cannot be generated because of it, if it is one tool's."""


def ordered(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, then rule: the order in which every format reports."""
    return sorted(
        diagnostics,
        key=lambda d: (d.span is None, d.span or Span("", 0, 0), d.rule, d.message),
    )
