"""JSON Schema as a document: where schemas stand in it, what `$ref` reaches, what a model sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

from .values import is_array, is_object

Document: TypeAlias = Any
"""A schema as JSON: an object or a boolean."""

_ONE: Final = frozenset(
    (
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)
_LIST: Final = frozenset(("allOf", "anyOf", "items", "oneOf", "prefixItems"))
_MAP: Final = frozenset(
    (
        "$defs",
        "definitions",
        "dependencies",
        "dependentSchemas",
        "patternProperties",
        "properties",
    )
)
_NAMES: Final = frozenset(("$anchor", "$id"))
_UNSEEN: Final = frozenset(("$comment", "$schema"))


def is_schema(value: Any) -> bool:
    """Whether *value* can be a schema at all."""
    return isinstance(value, dict | bool)


def mapped(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """*schema* with *change* made to each schema in it, from the outside to the inside."""
    if not is_object(schema):
        return schema
    result: dict[str, Any] = {}
    for key, value in change(schema).items():
        if key in _ONE and is_object(value):
            result[key] = mapped(value, change)
        elif key in _LIST and is_array(value):
            result[key] = [mapped(item, change) for item in value]
        elif key in _MAP and is_object(value):
            entries = value.items()
            result[key] = {name: mapped(item, change) for name, item in entries}
        else:
            result[key] = value
    return result


def schemas(schema: Any, pointer: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema in *schema*, itself first, with the pointer that leads to it."""
    if not is_object(schema):
        return
    yield pointer, schema
    for key, value in schema.items():
        if key in _ONE and is_object(value):
            yield from schemas(value, f"{pointer}/{key}")
        elif key in _LIST and is_array(value):
            for index, item in enumerate(value):
                yield from schemas(item, f"{pointer}/{key}/{index}")
        elif key in _MAP and is_object(value):
            for name, item in value.items():
                yield from schemas(item, f"{pointer}/{key}/{escaped(name)}")


def escaped(name: str) -> str:
    """*name* as one step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def at(root: Any, pointer: str) -> Any:
    """What the *pointer* (`#`, `#/$defs/Money`) leads to in *root*; None if it leads nowhere."""
    value = root
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if is_object(value) and key in value:
            value = value[key]
        elif is_array(value) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def with_pointers(root: Document) -> Document:
    """*root* with each `$ref` that stays inside it written as a pointer from its root.

    Without `$id` and `$anchor`, which would give those pointers another meaning.
    """
    if not is_object(root):
        return root
    bases: dict[int, str] = {}
    places: dict[str, str] = {"": "#"}
    _locate(root, bases, places)

    def change(schema: dict[str, Any]) -> dict[str, Any]:
        kept = {key: value for key, value in schema.items() if key not in _NAMES}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = _pointer(urljoin(bases[id(schema)], reference), places)
            kept["$ref"] = reference if target is None else target
        return kept

    return mapped(root, change)


def _locate(root: dict[str, Any], bases: dict[int, str], places: dict[str, str]) -> None:
    """Fill in the base URI of each schema, and the pointer of each URI that names one."""
    prefixes: list[tuple[str, str]] = [("#", "")]
    for pointer, schema in schemas(root):
        while not (pointer == prefixes[-1][0] or pointer.startswith(prefixes[-1][0] + "/")):
            prefixes.pop()
        base = prefixes[-1][1]
        name = schema.get("$id")
        if isinstance(name, str) and not name.startswith("#"):
            base = urldefrag(urljoin(base, name)).url
            places[base] = pointer
            prefixes.append((pointer, base))
        elif isinstance(name, str):
            places[base + name] = pointer
        anchor = schema.get("$anchor")
        if isinstance(anchor, str):
            places[f"{base}#{anchor}"] = pointer
        bases[id(schema)] = base


def _pointer(target: str, places: dict[str, str]) -> str | None:
    url, fragment = urldefrag(target)
    if url in places and (not fragment or fragment.startswith("/")):
        return places[url] + fragment
    return places.get(target)


def shown(root: Document) -> Document:
    """*root* as the model sees it (D2): no `x-` keys, `$schema`, `$id`, `$comment`."""
    return mapped(
        with_pointers(root),
        lambda schema: {
            key: value
            for key, value in schema.items()
            if key not in _UNSEEN and not key.startswith("x-")
        },
    )


def parts(root: Document, schema: Any, *, unsure: bool) -> Iterator[dict[str, Any]]:
    """The schemas that speak about the same value as *schema*: itself, `$ref`, `allOf`.

    *unsure* adds those that may or may not apply: the arms of unions and conditions.
    """
    waiting, seen = [schema], set[int]()
    while waiting:
        schema = waiting.pop(0)
        if not is_object(schema) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema
        reference = schema.get("$ref")
        if isinstance(reference, str):
            waiting.append(at(root, reference))
        waiting.extend(schema.get("allOf", ()))
        if unsure:
            for key in ("anyOf", "oneOf"):
                waiting.extend(schema.get(key, ()))
            waiting.extend(schema.get(key) for key in ("if", "then", "else"))
            for key in ("dependentSchemas", "dependencies"):
                waiting.extend(schema.get(key, {}).values())
