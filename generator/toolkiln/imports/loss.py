"""What a conversion reports: the rules, and findings that know their place in the input."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolkiln.diagnostics import Diagnostic, Level, Rule, Span

Pointer: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the root of the input."""

UNREADABLE: Final = Rule(
    "import-unreadable", Level.ERROR, "The input holds nothing that could be imported."
)
LEFT_OUT: Final = Rule(
    "import-left-out", Level.ERROR, "A tool cannot be written as a spec and was left out."
)
RENAMED: Final = Rule(
    "import-renamed", Level.WARNING, "A tool's name is no legal wire name and was changed."
)
CONVERTED: Final = Rule(
    "import-converted", Level.WARNING, "Something was rewritten as what it was meant to say."
)
DROPPED: Final = Rule(
    "import-dropped", Level.WARNING, "Something has no place in a spec and was not kept."
)
KEPT: Final = Rule(
    "import-kept-aside", Level.NOTE, "An unknown keyword was kept under a name that nothing reads."
)

RULES: Final = (UNREADABLE, LEFT_OUT, RENAMED, CONVERTED, DROPPED, KEPT)

_SHOWN: Final = 60


def shown(value: object) -> str:
    """The beginning of *value* as JSON text, for messages: 60 characters of ASCII at most."""
    text = ""
    # Piece by piece, so that neither size nor depth of the rest matters.
    for piece in json.JSONEncoder(default=repr).iterencode(value):
        text += piece[: _SHOWN + 1]
        if len(text) > _SHOWN:
            return f"{text[:_SHOWN]}..."
    return text


def word(text: str) -> str:
    """A name from the input as it stands in messages: `name`, without control characters."""
    inner = shown(text).removeprefix('"').removesuffix('"')
    return f"`{inner}`"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the spec does not say as the input did."""

    rule: Rule
    pointer: Pointer
    message: str
    hint: str = ""
    tool: str | None = None
    """`namespace.name`, in the input's spelling, of the tool that it concerns."""

    @property
    def place(self) -> str:
        """The pointer as people read it: `tools/3/inputSchema`."""
        return "/".join(word(str(key))[1:-1] for key in self.pointer) or "(the whole input)"

    def at(self, span: Span | None) -> Diagnostic:
        """This loss as a finding at *span*, which is where `pointer` stands in the text."""
        return self.rule.at(span, f"{self.place}: {self.message}", hint=self.hint, tool=self.tool)


def diagnostics(losses: Sequence[Loss], span: Callable[[Pointer], Span | None]) -> list[Diagnostic]:
    """All *losses* as findings, in their order; *span* finds a pointer's place in the text."""
    return [loss.at(span(loss.pointer)) for loss in losses]


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the input, and the list in which all of one tool's losses are gathered."""

    pointer: Pointer
    found: list[Loss]
    tool: str | None = None

    def below(self, *keys: str | int) -> Place:
        return Place((*self.pointer, *keys), self.found, self.tool)

    def lost(self, rule: Rule, message: str, *, hint: str = "") -> None:
        self.found.append(Loss(rule, self.pointer, message, hint, self.tool))

    @property
    def hopeless(self) -> bool:
        """Whether something was found for which the tool must be left out."""
        return any(loss.rule is LEFT_OUT for loss in self.found)
