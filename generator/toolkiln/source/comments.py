"""Text that ` #` has turned into a comment, probably against the author's will."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..diagnostics import Level, Rule
from .convert import PLAIN
from .found import Found
from .scalars import UnfitNumberError, resolve

TEXT_COMMENT = Rule("text-comment", Level.WARNING, "A comment looks as if it belonged to the text.")

# People leave a blank after the `#` of a comment; issue numbers, tags and pointers have none.
_SUSPECT: Final = re.compile(r"(?<=[ \t])#(?=[^\s#!])[^\r\n]*")
_SHORT: Final = 60


def swallowed(text: str, root: Node) -> Iterator[Found]:
    """Comments without a blank after `#` that follow a plain text or an absent value."""
    suspects = {_before(text, match.start()): match for match in _SUSPECT.finditer(text)}
    if not suspects:
        return
    for scalar in _plain(root):
        match = suspects.pop(scalar.end_mark.index, None)
        if match is None or not _is_text(scalar.value):
            continue
        whole = f"{scalar.value} {match[0]}".strip()
        message = "` #` starts a comment in YAML, so the value ends before it."
        hint = "Leave a blank after # if it is a comment."
        if len(whole) < _SHORT and "\n" not in whole:
            hint = "Quote the text: '" + whole.replace("'", "''") + "'. " + hint
        yield Found(TEXT_COMMENT, match.start(), match.end(), message, hint)


def _before(text: str, offset: int) -> int:
    """Where the blanks before *offset* begin."""
    while offset and text[offset - 1] in " \t":
        offset -= 1
    return offset


def _is_text(scalar: str) -> bool:
    try:
        return scalar == "" or isinstance(resolve(scalar), str)
    except UnfitNumberError:
        return False


def _plain(root: Node) -> Iterator[ScalarNode]:
    pending, seen = [root], set[int]()
    while pending:
        node = pending.pop()
        if isinstance(node, ScalarNode):
            if node.tag == PLAIN:
                yield node
        elif id(node) not in seen:
            # Through aliases the same list may stand in many places, even in itself.
            seen.add(id(node))
            if isinstance(node, MappingNode):
                pending.extend(part for pair in node.value for part in pair)
            elif isinstance(node, SequenceNode):
                pending.extend(node.value)
