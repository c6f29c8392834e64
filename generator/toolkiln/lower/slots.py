"""The places of a file that take a schema, and the short forms that are allowed there.

A slot with `$schema`, `$id`, `$defs` or `definitions` is a resource of its own; any other shares
the scope of its file (spec-format section 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from toolkiln.lower.dialects import DRAFT_2020, TYPE_WORDS, Dialect, dialect_of
from toolkiln.lower.places import FILE_SCOPE, Place, Resource
from toolkiln.lower.pointers import Pointer, fragment
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec

_MARKS: Final = ("$schema", "$id", "$defs", "definitions")
_TOOL_SLOTS: Final = frozenset({"parameters", "output"})
_QUESTION_SLOTS: Final = frozenset({"response", "metadata", "token"})
COMPOSED: Final = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "$dynamicRef")
"""Keywords that make a root too complex to be understood as closed."""


def slot_length(pointer: Pointer, *, plain: bool) -> int | None:
    """How many steps of *pointer* lead to the slot or definition that it points into.

    None if it points elsewhere in the file. In a plain schema file the whole is one schema.
    """
    if plain:
        if pointer[:1] != ("x-tool",):
            return 0
        inner = _tool_length(pointer[1:])
        return None if inner is None else inner + 1
    head = pointer[0] if pointer else None
    if head == "$defs":
        return 2 if len(pointer) > 1 else None
    if head == "tools":
        inner = _tool_length(pointer[2:])
        return None if inner is None else inner + 2
    return _named_length(pointer)


def _tool_length(pointer: Pointer) -> int | None:
    if pointer[:1] and pointer[0] in _TOOL_SLOTS:
        return 1
    if pointer[:2] == ("deferred", "token"):
        return 2
    if pointer[:2] == ("approval", "when"):
        listed = any(isinstance(step, int) for step in pointer[2:3])
        length = 4 if listed else 3
        return length if len(pointer) >= length else None
    return _named_length(pointer)


def _named_length(pointer: Pointer) -> int | None:
    kinds = {"failures": {"details"}, "interactions": _QUESTION_SLOTS}
    allowed = kinds.get(str(pointer[0])) if pointer else None
    return 3 if allowed and pointer[2:3] and pointer[2] in allowed else None


def slot_place(spec: Spec, pointer: Pointer, written: Json) -> Place:
    """The schema that *written* stands for in the slot (or the definition) at *pointer*."""
    inner = pointer[2:] if pointer[:1] == ("tools",) else pointer[1:]
    value = _test(written) if inner[:2] == ("approval", "when") else _long_form(written)
    if inner == ("parameters",) and pointer[0] == "tools":
        value = understood(value)
    return Place(spec.document.file, pointer, spec, value, _resource(spec, pointer, value))


def _long_form(written: Json) -> Json:
    if isinstance(written, str):
        if written in TYPE_WORDS:
            return {"type": written}
        return {"$ref": fragment(("$defs", written))}
    return {"enum": written} if isinstance(written, list) else written


def _test(written: Json) -> Json:
    return written if isinstance(written, dict) else {"const": written}


def understood(value: Json) -> Json:
    """*value* as the root of parameters, with what is understood there (section 3)."""
    if not isinstance(value, dict):
        return value
    dialect = _dialect(value) or DRAFT_2020
    if "$ref" in value and not dialect.siblings:
        return value
    root: dict[str, Json] = {"type": "object", **value}
    says = {"additionalProperties", "unevaluatedProperties", *COMPOSED}
    return root if says & value.keys() else {**root, "additionalProperties": False}


def _resource(spec: Spec, pointer: Pointer, value: Json) -> Resource:
    own = spec.plain and not pointer
    if not isinstance(value, dict) or not (own or any(mark in value for mark in _MARKS)):
        return FILE_SCOPE
    identifier = value.get("$id")
    base = identifier.partition("#")[0] if isinstance(identifier, str) else ""
    return Resource(pointer, base, _dialect(value) or DRAFT_2020, own=True)


def _dialect(value: Mapping[str, Json]) -> Dialect | None:
    named = value.get("$schema")
    return dialect_of(named) if isinstance(named, str) else None
