"""From composed nodes to plain values."""

from __future__ import annotations

import re
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..contract import Json
from ..diagnostics import Level, Rule
from .document import Lines
from .found import Found
from .scalars import MEANINGFUL, UnfitNumberError, resolve
from .text import DEPTH, KEY_DUPLICATE, VALUE_DEPTH, VALUE_NUMBER

EXPANSION: Final = 1_000_000
"""What all aliases of a file may repeat together, in characters and items."""

PLAIN: Final = "plain"
"""Stands as the tag of each scalar that has none and is not quoted."""

KEY_MERGE = Rule("key-merge", Level.ERROR, "A map uses the merge key `<<` of YAML 1.1.")
KEY_COMPLEX = Rule("key-complex", Level.ERROR, "The key of a map is a map, a list or empty.")
VALUE_TAG = Rule("value-tag", Level.ERROR, "A value has a YAML tag.")
ALIAS_CYCLE = Rule("alias-cycle", Level.ERROR, "An anchored value contains its own alias.")
ALIAS_EXPANSION = Rule("alias-expansion", Level.ERROR, "Aliases repeat more than they may.")

# The tag `!` leaves no trace in the composed node but where it stands.
_BARE_TAG: Final = re.compile(r"(?:^|[\s,\[{:?-])!(?=[\s,\[\]{}]|$)")
_TAG_AHEAD: Final = re.compile(r"(?:&[^\s,\[\]{}]+\s+)?!")


class UnboundedError(Exception):
    """A value that has no end, or too late a one."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.message)
        self.found = found


class Converter:
    """Makes the value of one file and remembers what was wrong with it."""

    def __init__(self, lines: Lines) -> None:
        self.found: list[Found] = []
        self._lines = lines
        self._text = text = lines.text
        self._tags = _BARE_TAG.search(text) is not None
        self._aliases = "*" in text and "&" in text
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeated = 0

    def convert(self, node: Node, depth: int = 1) -> Json:
        """The value of *node*; raises `UnboundedError`."""
        fresh = not self._aliases or self._enter(node)
        if fresh and ((node.tag and node.tag != PLAIN) or (self._tags and self._tagged(node))):
            self._tag(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if depth > DEPTH:
            message = f"This is nested more than {DEPTH} deep."
            raise UnboundedError(_at(VALUE_DEPTH, node, message))
        value: Json
        if isinstance(node, MappingNode):
            value = self._mapping(node, depth, fresh=fresh)
        else:
            assert isinstance(node, SequenceNode)  # noqa: S101
            value = [self.convert(item, depth + 1) for item in node.value]
        self._open.discard(id(node))
        return value

    def _mapping(self, node: MappingNode, depth: int, *, fresh: bool) -> dict[str, Json]:
        value: dict[str, Json] = {}
        for key, item in node.value:
            if not isinstance(key, ScalarNode) or (key.tag == PLAIN and not key.value):
                if fresh:
                    self._complex(key)
                continue
            if fresh and key.tag and key.tag != PLAIN:
                self._tag(key)
            if key.value == "<<" and key.tag == PLAIN:
                if fresh:
                    self.found.append(_merge(key))
                continue
            if key.value in value:
                if fresh:
                    self.found.append(self._duplicate(node, key))
                continue
            value[key.value] = self.convert(item, depth + 1)
        return value

    def _scalar(self, node: ScalarNode) -> Json:
        text: str = node.value
        if node.tag != PLAIN or (text and text[0] not in MEANINGFUL):
            return text
        try:
            return resolve(text)
        except UnfitNumberError as error:
            hint = f"If it is meant as text, quote it: '{text}'" if len(text) < 40 else ""  # noqa: PLR2004
            self.found.append(_at(VALUE_NUMBER, node, str(error), hint))
            return text

    def _enter(self, node: Node) -> bool:
        """Whether *node* is met for the first time, and not through an alias."""
        identity = id(node)
        if identity in self._open:
            raise UnboundedError(
                _at(ALIAS_CYCLE, node, "This value contains its own alias, so it has no end.")
            )
        if not isinstance(node, ScalarNode):
            self._open.add(identity)
        if identity not in self._seen:
            self._seen.add(identity)
            return True
        self._repeated += 1 + len(node.value)
        if self._repeated > EXPANSION:
            message = f"Aliases repeat more than {EXPANSION:,} characters and items here."
            hint = "Share schemas with $ref and `$defs` instead."
            raise UnboundedError(_at(ALIAS_EXPANSION, node, message, hint))
        return False

    def _tagged(self, node: Node) -> bool:
        return _TAG_AHEAD.match(self._text, node.start_mark.index) is not None

    def _tag(self, node: Node) -> None:
        written = self._text[node.start_mark.index :].split(maxsplit=1)[:1]
        shown = written[0] if written and written[0].startswith("!") else node.tag
        message = f"Tags such as `{shown}` are not read: values are plain JSON."
        self.found.append(_at(VALUE_TAG, node, message, "Remove the tag, or quote the text."))

    def _complex(self, key: Node) -> None:
        if isinstance(key, ScalarNode):
            message, hint = "A key is missing before the colon.", 'The empty key is written "".'
        else:
            message, hint = "The keys of a map are text.", "Quote a key that starts with { or [."
        self.found.append(_at(KEY_COMPLEX, key, message, hint))

    def _duplicate(self, node: MappingNode, key: ScalarNode) -> Found:
        first = next(k for k, _ in node.value if k.value == key.value)
        line = self._lines.number(first.start_mark.index)
        message = f"The key `{key.value}` stands in this map already, in line {line}."
        return _at(KEY_DUPLICATE, key, message)


def _merge(key: ScalarNode) -> Found:
    message = "`<<` merges nothing: YAML 1.2 has no merge keys."
    hint = "Write the keys out, or share a schema with $ref. An ordinary key is quoted: '<<'"
    return _at(KEY_MERGE, key, message, hint)


def _at(rule: Rule, node: Node, message: str, hint: str = "") -> Found:
    return Found(rule, node.start_mark.index, node.end_mark.index, message, hint)
