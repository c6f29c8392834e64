"""YAML 1.2 core, strictly: composed by libyaml, resolved here.

Whatever two YAML readers could read differently (tags, merge keys, duplicate keys) is refused.
"""

from __future__ import annotations

import re
from itertools import islice
from operator import attrgetter
from typing import Final

from yaml import MarkedYAMLError, YAMLError
from yaml.cyaml import CBaseLoader
from yaml.nodes import Node, ScalarNode

from ..diagnostics import Diagnostic, Level, Rule
from . import comments, syntax
from .convert import PLAIN, Converter, UnboundedError
from .document import Document, Lines
from .found import Found
from .places import YamlPlaces
from .text import DEPTH, DOCUMENT_EMPTY, MOST, VALUE_DEPTH

DOCUMENT_SECOND = Rule("document-second", Level.ERROR, "A YAML file holds a second document.")
TEXT_UNPRINTABLE = Rule(
    "text-unprintable", Level.ERROR, "A file holds a character that YAML allows as an escape only."
)

# Next line, line and paragraph separator end a line for libyaml and not in YAML 1.2, so they
# are refused here with the control characters.
_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read(text: str, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """The document in *text*, and what is wrong with it."""
    lines = Lines(text)
    root = _compose(text)
    if isinstance(root, Found):
        return None, [root.placed(lines, file)]
    converter = Converter(lines)
    try:
        value = converter.convert(root)
    except UnboundedError as error:
        return None, [error.found.placed(lines, file)]
    document = Document(file, lines, value, YamlPlaces(value, converter.extents))
    found = [*converter.found.values(), *islice(comments.swallowed(text, root), MOST)]
    found.sort(key=attrgetter("start"))
    return document, [each.placed(lines, file) for each in found]


class _TooDeepError(YAMLError):
    """Nesting beyond what is converted; libyaml would recurse on until the stack ends."""


class _Composer(CBaseLoader):
    """libyaml's composer with our own words for tags, and a limit of depth."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.deepest: Node | None = None

    # The base class names the parameters, and passes more than is needed.
    def resolve(self, kind: type[Node], value: object, implicit: tuple[bool, bool]) -> str:  # noqa: ARG002
        """`PLAIN`, or nothing for whatever else is written without a tag."""
        return PLAIN if kind is ScalarNode and implicit[0] else ""

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:  # noqa: ARG002
        self.depth += 1
        # A scalar in the deepest list is as deep as a list in it would be.
        if self.depth > DEPTH + 1 and current_node is not None:
            self.deepest = current_node
            raise _TooDeepError

    def ascend_resolver(self) -> None:
        self.depth -= 1


def _compose(text: str) -> Node | Found:
    if unprintable := _UNPRINTABLE.search(text):
        return _unprintable(unprintable)
    composer = _Composer(text)
    try:
        root = composer.get_single_node()
    except _TooDeepError:
        start = composer.deepest.start_mark.index if composer.deepest else 0
        return _too_deep(start)
    except MarkedYAMLError as error:
        return _explained(error, text)
    except YAMLError as error:
        return Found(syntax.YAML_SYNTAX, 0, 1, f"This is not YAML: {error}.")
    if root is None:
        return Found(DOCUMENT_EMPTY, 0, 1, "This file is empty.")
    return root


def _explained(error: MarkedYAMLError, text: str) -> Found:
    if error.problem == "but found another document":
        start = error.problem_mark.index if error.problem_mark else 0
        message = "A second document starts here; a spec file is one document."
        return Found(DOCUMENT_SECOND, start, start + 3, message, "Move it to a file of its own.")
    if error.problem == "exceeded maximum nesting depth":
        return _too_deep(error.problem_mark.index if error.problem_mark else 0)
    return syntax.explain(error, text)


def _too_deep(start: int) -> Found:
    return Found(VALUE_DEPTH, start, start + 1, f"This is nested more than {DEPTH} deep.")


def _unprintable(match: re.Match[str]) -> Found:
    code = ord(match[0])
    message = f"The character U+{code:04X} cannot stand in YAML as it is."
    hint = f'Remove it, or write "\\u{code:04X}" in double quotes.'
    return Found(TEXT_UNPRINTABLE, match.start(), match.end(), message, hint)
