"""Declared defaults, filled into a copy that gates, prompts and models see (S4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .documents import parts, schemas
from .validators import subschemas
from .values import encode, fresh, is_array, is_object

Fill: TypeAlias = Callable[[Any], None]
"""Changes a value in place: each absent property that has a default gets a copy of it."""


def filler(document: Any) -> Fill | None:
    """How to fill in what *document* declares; None where it declares nothing."""
    if not any("default" in schema for _, schema in schemas(document)):
        return None
    root = _Filler(document).root()
    if root is None or root.objects or root.properties or root.others:
        return root
    # Nearly every tool is like this: a few scalars at the top.
    scalars = tuple(root.scalars.items())

    def fill(args: Any) -> None:
        for name, default in scalars:
            if name not in args:
                args[name] = default

    return fill


class _Filler:
    """Builds one node a schema, once each, so that recursive schemas end."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[int, _Node] = {}
        self._test = subschemas(root)
        self._pointers = {id(schema): pointer for pointer, schema in schemas(root)}

    def root(self) -> _Node | None:
        """The node of the whole document, without branches that fill in nothing."""
        root, nodes = self._of(self._root), self._known.values()
        live = {node for node in nodes if node.scalars or node.objects}
        while more := {node for node in nodes if node not in live and node.leads_to(live)}:
            live |= more
        for node in nodes:
            node.prune(live)
        return root if root in live else None

    def _of(self, schema: Any) -> _Node:
        node = self._known.get(id(schema))
        if node is None:
            node = self._known[id(schema)] = _Node()
            self._describe(node, schema)
        return node

    def _describe(self, node: _Node, schema: Any) -> None:
        names: dict[str, list[Any]] = {}
        for part in parts(self._root, schema, unsure=False):
            for name, inner in part.get("properties", {}).items():
                names.setdefault(name, []).append(inner)
            if is_object(part.get("items")):
                node.items.append(self._of(part["items"]))
            if is_object(part.get("additionalProperties")):
                node.others.append(self._of(part["additionalProperties"]))
        node.known = frozenset(names)
        for name, inners in names.items():
            node.properties[name] = [self._of(inner) for inner in inners]
            found, value = self._default(inners)
            if found and isinstance(value, dict | list):
                node.objects[name] = encode(value)
            elif found:
                node.scalars[name] = value

    def _default(self, said: list[Any]) -> tuple[bool, Any]:
        """The first default of a value that *said* describes, if it is valid under all of it."""
        for schema in said:
            for part in parts(self._root, schema, unsure=False):
                if "default" in part:
                    value = part["default"]
                    return all(self._accepts(inner, value) for inner in said), value
        return False, None

    def _accepts(self, schema: Any, value: Any) -> bool:
        if not is_object(schema):
            return schema is not False
        return self._test(self._pointers[id(schema)])(value)


class _Node:
    """What one schema fills in."""

    __slots__ = ("items", "known", "objects", "others", "properties", "scalars")

    def __init__(self) -> None:
        self.scalars: dict[str, Any] = {}
        self.objects: dict[str, bytes] = {}
        """Lists and objects, as JSON text: each value gets a copy of its own."""
        self.properties: dict[str, list[_Node]] = {}
        self.items: list[_Node] = []
        self.others: list[_Node] = []
        """For the values of properties that are not known."""
        self.known: frozenset[str] = frozenset()

    def leads_to(self, nodes: set[_Node]) -> bool:
        inner = (node for group in self.properties.values() for node in group)
        return not nodes.isdisjoint((*inner, *self.items, *self.others))

    def prune(self, live: set[_Node]) -> None:
        self.items = [node for node in self.items if node in live]
        self.others = [node for node in self.others if node in live]
        kept = {
            name: [node for node in nodes if node in live]
            for name, nodes in self.properties.items()
        }
        self.properties = {name: nodes for name, nodes in kept.items() if nodes}

    def __call__(self, value: Any, inside: frozenset[tuple[int, str]] = frozenset()) -> None:
        if is_object(value):
            for name, default in self.scalars.items():
                if name not in value:
                    value[name] = default
            if self.objects or self.properties or self.others:
                self._fill(value, inside)
        elif is_array(value):
            for node in self.items:
                for item in value:
                    node(item, inside)

    def _fill(self, value: dict[str, Any], inside: frozenset[tuple[int, str]]) -> None:
        added: set[str] = set()
        for name, text in self.objects.items():
            # A default of a recursive type would otherwise hold itself without end.
            if name not in value and (id(self), name) not in inside:
                value[name] = fresh(text)
                added.add(name)
        for name, nodes in self.properties.items():
            if name in value:
                deeper = inside | {(id(self), name)} if name in added else inside
                for node in nodes:
                    node(value[name], deeper)
        for node in self.others:
            for name, item in value.items():
                if name not in self.known:
                    node(item, inside)
