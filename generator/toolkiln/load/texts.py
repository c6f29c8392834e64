"""How the texts of findings speak about values and schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .schemas import Pointer
from .validators import resolved

_WIDTH: Final = 60
_WORDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "object": "a map",
    "string": "text",
}


def cut(text: str) -> str:
    """*text*, shortened where it would fill the screen."""
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def lower(title: str) -> str:
    """A title as it stands within a sentence."""
    return title[:1].lower() + title[1:]


def subject(pointer: Pointer) -> str:
    """What the value at *pointer* is called at the start of a sentence."""
    if not pointer:
        return "This file"
    last = pointer[-1]
    if isinstance(last, str):
        return f"`{cut(last)}`"
    above = next((part for part in reversed(pointer) if isinstance(part, str)), "the list")
    return f"Item {last + 1} of `{cut(above)}`"


def describe(schema: Mapping[str, Any]) -> str:
    """What *schema* accepts, as the end of "takes ..."."""
    full = resolved(schema)
    if "title" in full:
        return lower(str(full["title"]))
    if "const" in full:
        return f"`{str(full['const']).lower()}`"
    if "enum" in full:
        return " or ".join(f"`{value}`" for value in full["enum"])
    if "anyOf" in full:
        return " or ".join(dict.fromkeys(describe(branch) for branch in full["anyOf"]))
    return _WORDS.get(str(full.get("type")), "another value")


def choices(schema: Mapping[str, Any]) -> Iterator[str]:
    """The texts that *schema* lists as values."""
    full = resolved(schema)
    for word in (*full.get("enum", ()), full.get("const")):
        if isinstance(word, str):
            yield word
    for branch in full.get("anyOf", ()):
        yield from choices(branch)


def takes_text(schema: Mapping[str, Any]) -> bool:
    """Whether *schema* accepts some text."""
    full = resolved(schema)
    return full.get("type") == "string" or any(map(takes_text, full.get("anyOf", ())))


def spelled(word: str, schema: Mapping[str, Any]) -> str:
    """A hint with *word* as its schema would have it, or else with an example."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()
    snake = re.sub(r"[^a-z0-9]+", "_", snake).strip("_")
    if snake and re.fullmatch(str(schema.get("pattern", "$")), snake):
        return f"Write `{snake}`."
    examples = schema.get("examples")
    return f"For example `{examples[0]}`." if examples else ""
