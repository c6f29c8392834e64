"""A tool put into the text of a spec, with every other character of it kept."""

from __future__ import annotations

import json
from typing import cast

from .. import source
from ..source import Document
from ..value import JsonObject
from .yaml import write


def insert(document: Document, name: str, tool: JsonObject) -> str | None:
    """The text of *document* with *tool* as its last one.

    None if the document has no place for it: the result must say what it said, and *tool*.
    """
    spec = document.value
    if not isinstance(spec, dict):
        return None
    tools = spec.get("tools", {})
    if not isinstance(tools, dict) or name in tools:
        return None
    text = document.text
    if _is_flow(document, tools):
        text = _into_flow(document, name, tool)
    else:
        text = _into_block(document, name, tool)
    read, _ = source.parse(text, document.file)
    wanted = {**spec, "tools": {**tools, name: tool}}
    return text if read is not None and read.value == wanted else None


def _is_flow(document: Document, tools: JsonObject) -> bool:
    if document.file.endswith(".json"):
        return True
    start, _ = document.places.locate(("tools",), key=False)
    return bool(tools) and document.text[start] == "{"


def _into_block(document: Document, name: str, tool: JsonObject) -> str:
    """At the end of the block, behind its own comments and before those of what follows."""
    text = document.text
    newline = "\r\n" if "\r\n" in text else "\n"
    spec = cast("JsonObject", document.value)
    tools = cast("JsonObject", spec.get("tools") or {})
    if "tools" in spec and not tools:
        start, end = document.places.locate(("tools",), key=False)
        text = text[:start].rstrip(" ") + text[end:]
    lines = text.splitlines()
    step = 2
    spaced = True
    if tools:
        names = [document.span("tools", each, key=True) for each in tools]
        step = names[0].column - 1
        # Tools that stand line by line, as in a table, stay so.
        spaced = len(names) == 1 or lines[names[1].line - 2].strip() == ""
    if "tools" in spec:
        at = _end_of_block(lines, document.span("tools", key=True).line)
    else:
        at = len(lines)
        lines.append("tools:")
        at += 1
    _, *written = write({"tools": {name: tool}}, spaced=("tools",)).splitlines()
    block = [" " * step + line[2:] if line else "" for line in written]
    if spaced and tools:
        block.insert(0, "")
    if at < len(lines) and lines[at].strip():
        block.append("")
    return newline.join([*lines[:at], *block, *lines[at:]]) + newline


def _end_of_block(lines: list[str], at: int) -> int:
    """How many lines there are up to the last indented one of the block that opens in line *at*."""
    end = at
    for number, line in enumerate(lines[at:], start=at + 1):
        if line.strip() and not line[0].isspace():
            break
        if line.strip():
            end = number
    return end


def _into_flow(document: Document, name: str, tool: JsonObject) -> str:
    text = document.text
    spec = cast("JsonObject", document.value)
    tools = cast("JsonObject", spec.get("tools") or {})
    entry = f"{json.dumps(name, ensure_ascii=False)}: "
    if "tools" not in spec:
        _, end = document.places.locate((), key=False)
        body = json.dumps({name: tool}, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return f'{text[: end - 1].rstrip()},\n  "tools": {body}\n{text[end - 1 :]}'
    if not tools:
        start, end = document.places.locate(("tools",), key=False)
        body = json.dumps({name: tool}, indent=2, ensure_ascii=False).replace("\n", "\n  ")
        return text[:start] + body + text[end:]
    last = list(tools)[-1]
    _, end = document.places.locate(("tools", last), key=False)
    key = document.span("tools", last, key=True)
    first_of_line = document.lines[key.line][: key.column - 1].strip() == ""
    margin = "\n" + " " * (key.column - 1)
    if not first_of_line:
        return f"{text[:end]}, {entry}{json.dumps(tool, ensure_ascii=False)}{text[end:]}"
    body = json.dumps(tool, indent=2, ensure_ascii=False).replace("\n", margin)
    return f"{text[:end]},{margin}{entry}{body}{text[end:]}"
