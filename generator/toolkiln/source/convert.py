"""From composed nodes to plain values."""

from __future__ import annotations

import re
from typing import Final

from yaml.nodes import MappingNode, Node, ScalarNode

from ..diagnostics import Level, Rule
from ..value import Json
from .document import Lines
from .found import Found
from .places import Extents
from .scalars import MEANINGFUL, UnfitNumberError, resolve
from .text import DEPTH, KEY_DUPLICATE, MOST, VALUE_DEPTH, VALUE_NUMBER

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
_TAG_AHEAD: Final = re.compile(r"(?:&[^\s,\[\]{}]+\s+)?(!\S*)")
_SHORT: Final = 40


class UnboundedError(Exception):
    """A value that has no end, or too late a one."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.message)
        self.found = found


class Converter:
    """Makes the value of one file; remembers where its parts stand and what is wrong with them."""

    def __init__(self, lines: Lines) -> None:
        self.found: dict[tuple[str, int], Found] = {}
        """By rule and place: through aliases the same mistake is met many times."""
        self.extents = Extents()
        self._lines = lines
        self._text = text = lines.text
        self._bare_tags = _BARE_TAG.search(text) is not None
        self._aliases = "*" in text and "&" in text
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeated = 0

    def convert(self, node: Node, depth: int = 1) -> Json:
        """The value of *node*; raises `UnboundedError`."""
        # Most files have no alias, and then nothing can be met twice.
        if self._aliases:
            self._enter(node)
        if self._bare_tags or node.tag not in ("", PLAIN):
            self._tag(node)
        number = self.extents.open(node.start_mark.index, node.end_mark.index)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if depth > DEPTH:
            message = f"This is nested more than {DEPTH} deep."
            raise UnboundedError(_at(VALUE_DEPTH, node, message))
        value: Json
        if isinstance(node, MappingNode):
            value = self._mapping(node, depth)
        else:
            value = [self.convert(item, depth + 1) for item in node.value]
        self.extents.close(number)
        self._open.discard(id(node))
        return value

    def _mapping(self, node: MappingNode, depth: int) -> dict[str, Json]:
        value: dict[str, Json] = {}
        repeated: list[ScalarNode] = []
        for key, item in node.value:
            if not isinstance(key, ScalarNode) or (key.tag == PLAIN and not key.value):
                self._complex(key)
                continue
            if self._bare_tags or key.tag not in ("", PLAIN):
                self._tag(key)
            if key.value == "<<" and key.tag == PLAIN:
                hint = "Write the keys out, or share a schema with $ref. As a key: '<<'"
                message = "`<<` merges nothing: YAML 1.2 has no merge keys."
                self._report(_at(KEY_MERGE, key, message, hint))
                continue
            # The first of two keys counts, so that the second is the one to be blamed.
            if key.value in value:
                repeated.append(key)
                continue
            self.extents.open(key.start_mark.index, key.end_mark.index)
            value[key.value] = self.convert(item, depth + 1)
        if repeated:
            self._duplicates(node, repeated)
        return value

    def _scalar(self, node: ScalarNode) -> Json:
        text: str = node.value
        if node.tag != PLAIN or (text and text[0] not in MEANINGFUL):
            return text
        try:
            return resolve(text)
        except UnfitNumberError as error:
            hint = f"If it is meant as text, quote it: '{text}'" if len(text) < _SHORT else ""
            self._report(_at(VALUE_NUMBER, node, str(error), hint))
            return text

    def _enter(self, node: Node) -> None:
        """Refuse cycles, and values that are repeated too often."""
        identity = id(node)
        if identity in self._open:
            message = "This value contains its own alias, so it has no end."
            raise UnboundedError(_at(ALIAS_CYCLE, node, message))
        if not isinstance(node, ScalarNode):
            self._open.add(identity)
        if identity not in self._seen:
            self._seen.add(identity)
            return
        self._repeated += 1 + len(node.value)
        if self._repeated > EXPANSION:
            message = f"Aliases repeat more than {EXPANSION:,} characters and items here."
            hint = "Share schemas with $ref and `$defs` instead."
            raise UnboundedError(_at(ALIAS_EXPANSION, node, message, hint))

    def _report(self, found: Found) -> None:
        # A hostile file could hold a million mistakes.
        if len(self.found) < MOST:
            self.found.setdefault((found.rule.id, found.start), found)

    def _tag(self, node: Node) -> None:
        written = _TAG_AHEAD.match(self._text, node.start_mark.index)
        if written or node.tag not in ("", PLAIN):
            message = f"Tags such as `{written[1] if written else node.tag}` are not read."
            hint = "Remove the tag, or quote the text: values are plain JSON."
            self._report(_at(VALUE_TAG, node, message, hint))

    def _complex(self, key: Node) -> None:
        if isinstance(key, ScalarNode):
            message, hint = "A key is missing before the colon.", 'The empty key is written "".'
        else:
            message, hint = "The keys of a map are text.", "Quote a key that starts with { or [."
        self._report(_at(KEY_COMPLEX, key, message, hint))

    def _duplicates(self, node: MappingNode, repeated: list[ScalarNode]) -> None:
        pairs = [key for key, _ in reversed(node.value) if isinstance(key, ScalarNode)]
        firsts = {key.value: key.start_mark.index for key in pairs}
        for key in repeated:
            line = self._lines.number(firsts[key.value])
            message = f"The key `{key.value}` stands in this map already, in line {line}."
            self._report(_at(KEY_DUPLICATE, key, message))


def _at(rule: Rule, node: Node, message: str, hint: str = "") -> Found:
    return Found(rule, node.start_mark.index, node.end_mark.index, message, hint)
