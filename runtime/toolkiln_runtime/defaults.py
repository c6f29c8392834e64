"""Declared defaults, filled into a copy that gates, prompts and models see (S4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from .documents import parts, schemas
from .validators import subschemas
from .values import encode, fresh

Fill: TypeAlias = Callable[[Any], None]
"""Changes a value in place: each absent property that has a default gets a copy of it."""


def filler(document: Any) -> Fill | None:
    """How to fill in what *document* declares; None where it declares nothing."""
    if not any("default" in schema for _, schema in schemas(document)):
        return None
    return _Filler(document).of(document)


class _Filler:
    """Builds one function a schema, once each, so that recursive schemas end."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[int, _Node] = {}
        self._test = subschemas(root)
        self._pointers = {id(schema): pointer for pointer, schema in schemas(root)}

    def of(self, schema: Any) -> _Node:
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
            for key in ("items", "additionalProperties"):
                if isinstance(part.get(key), dict):
                    node.each[key].append(self.of(part[key]))
        for name, inners in names.items():
            node.properties[name] = [self.of(inner) for inner in inners]
            default = self._default(inners)
            if default is not None:
                node.defaults[name] = default

    def _default(self, schemas_of_value: list[Any]) -> bytes | None:
        """JSON text of the first default; None if there is none, or if it is invalid."""
        for schema in schemas_of_value:
            for part in parts(self._root, schema, unsure=False):
                if "default" in part:
                    value = part["default"]
                    valid = all(
                        self._test(self._pointers.get(id(inner), ""))(value)
                        for inner in schemas_of_value
                        if isinstance(inner, dict)
                    )
                    return encode(value) if valid else None
        return None


class _Node:
    """What one schema fills in."""

    def __init__(self) -> None:
        self.defaults: dict[str, bytes] = {}
        self.properties: dict[str, list[_Node]] = {}
        self.each: dict[str, list[_Node]] = {"items": [], "additionalProperties": []}

    def __call__(self, value: Any, inside: frozenset[tuple[int, str]] = frozenset()) -> None:
        if isinstance(value, dict):
            self._fill(cast("dict[str, Any]", value), inside)
        elif isinstance(value, list):
            for node in self.each["items"]:
                for item in cast("list[Any]", value):
                    node(item, inside)

    def _fill(self, value: dict[str, Any], inside: frozenset[tuple[int, str]]) -> None:
        added: set[str] = set()
        for name, text in self.defaults.items():
            # A default of a recursive type would otherwise hold itself without end.
            if name not in value and (id(self), name) not in inside:
                value[name] = fresh(text)
                added.add(name)
        for name, nodes in self.properties.items():
            if name in value:
                deeper = inside | {(id(self), name)} if name in added else inside
                for node in nodes:
                    node(value[name], deeper)
        for node in self.each["additionalProperties"]:
            for name, item in value.items():
                if name not in self.properties:
                    node(item, inside)
