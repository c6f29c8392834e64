"""Values as YAML that people like to read: blocks, with small leaves on one line.

Every reader, of YAML 1.1 or 1.2, gets exactly the value back. What the value means is not known
here, but for a few keys that always open a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from ..value import Json
from .scalar import blocklike, scalar, text

WIDTH: Final = 100
_STEP: Final = 2
_DEEPEST_FLOW: Final = 3
_BLOCKS: Final = (
    "tools",
    "parameters",
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "failures",
    "interactions",
    "examples",
)
# A longer key is no simple key to libyaml, which then wants a question mark before it.
_LONGEST_KEY: Final = 1000

Container: TypeAlias = "dict[str, Json] | list[Json]"


def write(value: Json, *, spaced: tuple[str, ...] = ()) -> str:
    """*value* as the text of a YAML file.

    An empty line comes before each of its keys that *spaced* names, and between the entries there.
    """
    if isinstance(value, dict) and value:
        lines = _spaced(value, spaced)
    elif isinstance(value, list) and value:
        lines = _list(value, 0)
    else:
        lines = iter([_flow(value)])
    return "\n".join(lines) + "\n"


def _spaced(value: Mapping[str, Json], spaced: tuple[str, ...]) -> Iterator[str]:
    for number, (key, content) in enumerate(value.items()):
        if key not in spaced or not isinstance(content, dict) or not content:
            yield from _entry(key, content, 0)
            continue
        if number:
            yield ""
        yield f"{text(key)}:"
        for index, (name, item) in enumerate(content.items()):
            # Entries of one line each read as a table; others, and all tools, as paragraphs.
            lines = list(_entry(name, item, _STEP, block=key == "tools"))
            if index and len(lines) > 1:
                yield ""
            yield from lines


def _block(value: Container, indent: int) -> Iterator[str]:
    return _map(value, indent) if isinstance(value, dict) else _list(value, indent)


def _map(value: Mapping[str, Json], indent: int) -> Iterator[str]:
    for key, content in value.items():
        yield from _entry(key, content, indent)


def _entry(key: str, content: Json, indent: int, *, block: bool = False) -> Iterator[str]:
    margin, name = " " * indent, text(key)
    if len(name) > _LONGEST_KEY:
        yield f"{margin}? {name}"
        name = ""
    head = f"{margin}{name}:"
    container = isinstance(content, (dict, list)) and content
    if container and (block or _opens(key, container, len(head) + 1)):
        yield head
        yield from _block(container, indent + _STEP)
    else:
        yield from _leaf(f"{head} ", content, indent)


def _list(value: list[Json], indent: int) -> Iterator[str]:
    head = f"{' ' * indent}- "
    for item in value:
        if isinstance(item, (dict, list)) and item and _opens("", item, len(head)):
            # The first line of the item shares the line of its dash.
            first, *rest = _block(item, indent + _STEP)
            yield head + first[len(head) :]
            yield from rest
        else:
            yield from _leaf(head, item, indent)


def _leaf(head: str, value: Json, indent: int) -> Iterator[str]:
    """*value* after *head*: on its line, or, if it is a long text, below it."""
    line = head + _flow(value, outer=True)
    if not isinstance(value, str) or not blocklike(value):
        yield line
    elif "\n" in value:
        yield from _literal(head, value, indent + _STEP)
    elif len(line) > WIDTH and (lines := _folded(value, WIDTH - indent - _STEP)):
        yield f"{head}>-"
        yield from (f"{' ' * (indent + _STEP)}{part}" for part in lines)
    else:
        yield line


def _literal(head: str, value: str, indent: int) -> Iterator[str]:
    body, ends = value.rstrip("\n"), len(value) - len(value.rstrip("\n"))
    if ends > 1:
        # Only `+` would keep more than one line end, and it would swallow our empty lines.
        yield head + scalar(value)
        return
    # Readers take the indentation from the first line, so a line that begins with a blank needs
    # its own word for it.
    digit = str(_STEP) if body[0] in " \t\n" else ""
    yield f"{head}|{digit}{'' if ends else '-'}"
    yield from (f"{' ' * indent}{line}" if line else "" for line in body.split("\n"))


def _folded(value: str, width: int) -> list[str]:
    """*value* in lines of *width* that a reader joins by single blanks; empty if it cannot be."""
    if value != value.strip() or width < 20:  # noqa: PLR2004
        return []
    lines = [""]
    # Only a single blank may be a line's end: of more, a reader would keep one.
    for part in re.split(r"(?<=\S) (?=\S)", value):
        longer = f"{lines[-1]} {part}" if lines[-1] else part
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines if len(lines) > 1 else []


def _opens(key: str, value: Container, column: int) -> bool:
    """Whether *value* is written as a block, because it is no leaf or does not fit its line."""
    block = key in _BLOCKS and isinstance(value, dict)
    if block or _depth(value) > _DEEPEST_FLOW or _holds_blocks(value):
        return True
    return column + len(_flow(value)) > WIDTH


def _depth(value: Json) -> int:
    """How deep *value* is, counted no further than matters here."""
    level, depth = [value], 0
    while depth <= _DEEPEST_FLOW and any(isinstance(item, (dict, list)) for item in level):
        level = [child for item in level for child in _children(item)]
        depth += 1
    return depth


def _holds_blocks(value: Json) -> bool:
    if isinstance(value, dict) and any(
        (key in _BLOCKS and isinstance(child, dict) and child) or len(key) > WIDTH
        for key, child in value.items()
    ):
        return True
    if isinstance(value, str):
        return len(value) > WIDTH or "\n" in value
    return any(_holds_blocks(child) for child in _children(value))


def _children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _flow(value: Json, *, outer: bool = False) -> str:
    """*value* on one line; *outer* if no bracket is around it."""
    if isinstance(value, dict):
        inner = (f"{text(key, flow=True)}: {_flow(item)}" for key, item in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return scalar(value, flow=not outer)
