"""What is wrong with a value, and what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ..source import Document
from ..spelling import did_you_mean
from ..value import Json
from .found import Found
from .rules import REF_EMPTY, SPEC_NEWER, VALUE_FORM, VALUE_NULL, VALUE_REPEATED, VALUE_TYPE
from .schemas import Pointer
from .texts import choices, cut, describe, lower, spelled, subject, takes_text
from .validators import Fault, resolved
from .words import VALUES


def explain(document: Document, fault: Fault) -> Found:
    """The finding for a value that is not what its key takes."""
    if fault.value is None:
        return _null(document, fault)
    return _BY_KEYWORD.get(fault.keyword, _type)(document, fault)


def comma(document: Document, pointer: Pointer, value: Mapping[str, Json], key: str) -> str:
    """A hint if *key* is the rest of a text that a comma ended, as in `{title: Now, or later}`."""
    if value[key] is not None:
        return ""
    _, end = document.places.locate((*pointer, key), key=True)
    if document.text[end:].lstrip()[:1] not in (",", "}"):
        return ""
    before = list(value)[: list(value).index(key)]
    start = value[before[-1]] if before else None
    text = f"{start}, {key}" if isinstance(start, str) else key
    return f'A comma ends a value inside {{ }}. Quote the text: "{cut(text)}"'


def empty_reference(document: Document, pointer: Pointer) -> Found:
    """The finding for a `$ref` that is null."""
    message, comment = "`$ref` is empty.", swallowed(document, pointer)
    if comment:
        message = "`$ref` is empty: ` #` starts a comment in YAML."
    hint = f'Write $ref: "{comment.split()[0] if comment else "#/$defs/Money"}"'
    return Found(REF_EMPTY, pointer, message, hint, key=True)


def swallowed(document: Document, pointer: Pointer) -> str:
    """The text without a blank after `#` that stands behind an absent value, if one does."""
    _, end = document.places.locate(pointer, key=False)
    comment = re.compile(r"[ \t]+(#[^\s#][^\r\n]*)").match(document.text, end)
    return cut(comment[1]) if comment else ""


# --- null ---------------------------------------------------------------------------------------


def _null(document: Document, fault: Fault) -> Found:
    pointer, takes = fault.pointer, describe(fault.schema)
    if pointer[-1:] == ("$ref",):
        return empty_reference(document, pointer)
    message = f"{subject(pointer)} has no value."
    if comment := swallowed(document, pointer):
        hint = f"` #` starts a comment in YAML. Quote the text: '{comment}'"
    elif "the name of a type" in takes:
        if not document.file.endswith(".json"):
            message = "null is YAML's empty value."
        hint = 'For JSON null write "null".'
    elif fault.title == "A scalar or a JSON Schema":
        hint = "For JSON null write {const: null}."
    else:
        hint = f"It takes {takes}. If there is nothing to say, leave the key out."
    return Found(VALUE_NULL, pointer, message, hint, key=True)


# --- values of another kind ---------------------------------------------------------------------


def _type(document: Document, fault: Fault) -> Found:
    pointer, value = fault.pointer, fault.value
    title = str(resolved(fault.schema).get("title", ""))
    if not pointer:
        hint = "It starts with `toolkiln: 1`." if title == "A spec file" else ""
        return Found(VALUE_TYPE, pointer, f"{title} is a map.", hint)
    if pointer == ("tools",) and isinstance(value, list):
        return Found(VALUE_TYPE, pointer, _tools(fault.value), key=True)
    if _is_number(value) and title == "A duration":
        message = f"Say the unit: {cut(document.source(*pointer))}s"
        return Found(VALUE_TYPE, pointer, message, "Units are ms, s, m, h and d.")
    if _is_number(value) and title == "A semantic version as text":
        written = cut(document.source(*pointer)).split(".")
        full = ".".join([*written, "0", "0"][:3])
        return Found(VALUE_TYPE, pointer, f'{subject(pointer)} is text: "{full}"')
    message = f"{subject(pointer)} takes {describe(fault.schema)}."
    return Found(VALUE_TYPE, pointer, message, _hint(document, fault))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _hint(document: Document, fault: Fault) -> str:
    value, key = fault.value, str(fault.pointer[-1])
    # True equals 1, which is no value that anybody writes for these keys.
    if isinstance(value, str | bool) and (key, value) in VALUES:
        return VALUES[key, value]
    words = list(choices(fault.schema))
    if isinstance(value, str) and words:
        return did_you_mean(value, words)
    if isinstance(value, int | float) and takes_text(fault.schema):
        return f'As text it is quoted: "{cut(document.source(*fault.pointer))}"'
    return ""


def _tools(tools: list[Json]) -> str:
    name = tools[0] if tools else None
    if isinstance(name, Mapping):
        name = name.get("name", next(iter(name), None))
    shown = cut(name) if isinstance(name, str) and name else "refund_invoice"
    return f"`tools` is a map: `{shown}:` and the tool below it."


def _const(document: Document, fault: Fault) -> Found:
    if fault.pointer != ("toolkiln",):
        return _type(document, fault)
    if _is_number(fault.value) and fault.value > 1:
        message = "This file is written for a newer Toolkiln: this one reads version 1."
        return Found(SPEC_NEWER, fault.pointer, message, "Update Toolkiln.")
    message = "`toolkiln` is 1, the version of the format."
    return Found(VALUE_TYPE, fault.pointer, message)


# --- texts and lists ----------------------------------------------------------------------------


def _form(_document: Document, fault: Fault) -> Found:
    value, full = str(fault.value), resolved(fault.schema)
    if fault.keyword == "format":
        message = f"`{cut(value)}` is no day of the calendar."
        return Found(VALUE_FORM, fault.pointer, message, "For example `2027-01-31`.")
    message = f"`{cut(value)}` is not {lower(str(full['title']))}."
    hint = spelled(value, full)
    if full["title"] == "A duration":
        hint = "An integer above zero and its unit: 500ms, 30s, 5m, 24h, 3d."
    return Found(VALUE_FORM, fault.pointer, message, hint)


def _empty(_document: Document, fault: Fault) -> Found:
    hint = ""
    if fault.keyword == "minProperties" or fault.pointer[-1:] == ("when",):
        hint = "For a question before every call write `when: always`, or leave `when` out."
    elif fault.keyword == "minItems":
        hint = "An empty list would accept no value at all."
    return Found(VALUE_TYPE, fault.pointer, f"{subject(fault.pointer)} is empty.", hint, key=True)


def _repeated(_document: Document, fault: Fault) -> Found:
    # As text 1 and true differ, as they do in JSON and not in Python.
    shown = [json.dumps(item, sort_keys=True) for item in fault.value]
    number = next((i for i, text in enumerate(shown) if text in shown[:i]), 0)
    message = f"`{cut(str(fault.value[number]))}` stands in this list already."
    return Found(VALUE_REPEATED, (*fault.pointer, number), message)


_Explain: TypeAlias = Callable[[Document, Fault], Found]

_BY_KEYWORD: Final[Mapping[str, _Explain]] = {
    "const": _const,
    "format": _form,
    "maxLength": _form,
    "minItems": _empty,
    "minLength": _empty,
    "minProperties": _empty,
    "pattern": _form,
    "uniqueItems": _repeated,
}
"""How each keyword of the schema fails; the others say that the value is of another kind."""
