"""Which values a schema marks `x-sensitive`; what may be sensitive counts as sensitive (R1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from .documents import parts
from .values import is_array, is_object

MARK: Final = "x-sensitive"
STAND_IN: Final = {"$sensitive": True}
"""What stands in the place of a sensitive value; never changed."""
Schemas: TypeAlias = Sequence[dict[str, Any]]
"""Everything that may be said about one value."""
Place: TypeAlias = tuple[str | int, ...]


def marked(document: Any) -> bool:
    """Whether *document* marks anything at all."""
    if is_object(document):
        items = document
        return MARK in items or any(map(marked, items.values()))
    return is_array(document) and any(map(marked, document))


class Mask:
    """Replaces the sensitive values of one document by a stand-in."""

    def __init__(self, document: Any, stand_in: Any) -> None:
        """*document* holds no reference that leads out of it."""
        self._root = document
        self._stand_in = stand_in
        self.on = marked(document)
        """Whether anything can be sensitive at all."""

    def __call__(self, value: Any, path: Sequence[str] = ()) -> Any:
        """A copy of *value*, which stands at *path*, without what is sensitive in it."""
        if not self.on:
            return value
        said = self._all(self._root)
        for key in path:
            if _secret(said):
                return self._stand_in
            said = self._below(said, key)
        return self._masked(said, value)

    def secrets(self, value: Any) -> dict[Place, Any]:
        """What *value* holds that is sensitive, by its place."""
        found: dict[Place, Any] = {}
        if self.on:
            self._find(self(value), value, (), found)
        return found

    def _find(self, masked: Any, value: Any, place: Place, found: dict[Place, Any]) -> None:
        if masked is self._stand_in:
            found[place] = value
        elif is_object(value):
            for key, item in value.items():
                self._find(masked[key], item, (*place, key), found)
        elif is_array(value):
            for index, item in enumerate(value):
                self._find(masked[index], item, (*place, index), found)

    def _masked(self, said: Schemas, value: Any) -> Any:
        if _secret(said):
            return self._stand_in
        if is_object(value):
            items = value.items()
            return {key: self._masked(self._below(said, key), item) for key, item in items}
        if is_array(value):
            inner = self._inside(said)
            return [self._masked(inner, item) for item in value]
        return value

    def _all(self, schema: Any) -> list[dict[str, Any]]:
        return list(parts(self._root, schema, unsure=True))

    def _below(self, said: Schemas, key: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for schema in said:
            found += self._all(schema.get("properties", {}).get(key))
            # Which patterns match is not worth finding out: any of them may.
            for inner in schema.get("patternProperties", {}).values():
                found += self._all(inner)
            for name in ("additionalProperties", "unevaluatedProperties"):
                found += self._all(schema.get(name))
        return found

    def _inside(self, said: Schemas) -> Schemas:
        found: list[dict[str, Any]] = []
        for schema in said:
            for name in ("items", "additionalItems", "contains", "unevaluatedItems"):
                inner = schema.get(name)
                for item in inner if is_array(inner) else [inner]:
                    found += self._all(item)
            for item in schema.get("prefixItems", ()):
                found += self._all(item)
        return found


def _secret(said: Schemas) -> bool:
    return any(schema.get(MARK) is True for schema in said)
