"""One entry of a `tools/list` answer as a tool of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolkiln.value import Json

from .loss import DROPPED, Place, shown, word
from .parameters import parameters
from .schema import convert

_HINTS: Final[Mapping[str, str]] = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
# What a spec has no word for, but a host may read: carried through to MCP's `_meta` and docs.
_ASIDE: Final[Mapping[str, str]] = {
    "_meta": "x-mcp-meta",
    "icons": "x-mcp-icons",
    "execution": "x-mcp-execution",
}
_KNOWN: Final = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", *_ASIDE}
)
# What a server says that has nothing to say.
_DEFAULT_EXECUTION: Final = {"taskSupport": "forbidden"}


def convert_tool(entry: Mapping[str, Json], place: Place) -> dict[str, Json]:
    """*entry* as the value of a tool in a spec; what is lost is reported at *place*."""
    annotations = entry.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    if annotations is not None and not isinstance(annotations, dict):
        place.below("annotations").lost(DROPPED, f"{shown(annotations)} is no object of hints")
    tool: dict[str, Json] = {
        "title": _text(entry, "title", place) or _text(hints, "title", place.below("annotations")),
        "description": _text(entry, "description", place),
        "effects": effects(hints, place.below("annotations")),
        "parameters": parameters(entry.get("inputSchema"), place.below("inputSchema")),
    }
    if entry.get("outputSchema") is not None:
        tool["output"] = convert(entry["outputSchema"], place.below("outputSchema"))
    tool |= _aside(entry)
    _titles(entry, hints, place)
    for key in entry.keys() - _KNOWN:
        place.below(key).lost(DROPPED, f"{word(key)} is no part of a tool")
    return {key: value for key, value in tool.items() if value is not None}


def effects(hints: Mapping[str, Json], place: Place) -> dict[str, Json] | None:
    """MCP's hints as `effects`; None where there are none, which a linter then asks about."""
    said: dict[str, Json] = {}
    for hint, flag in _HINTS.items():
        value = hints.get(hint)
        if isinstance(value, bool):
            said[flag] = value
        elif value is not None:
            place.below(hint).lost(DROPPED, f"`{hint}` is {shown(value)}, which is no flag")
    for hint in hints.keys() - _HINTS.keys() - {"title"}:
        place.below(hint).lost(DROPPED, f"{word(hint)} is no hint that a spec can carry")
    if said.get("read_only") is True:
        if said.pop("destructive", False):
            place.below("destructiveHint").lost(DROPPED, "a read-only tool destroys nothing")
        if said.get("idempotent") is False:
            del said["idempotent"]
            place.below("idempotentHint").lost(DROPPED, "a read-only tool can be called again")
    return said or None


def _text(entry: Mapping[str, Json], key: str, place: Place) -> str | None:
    text = entry.get(key)
    if isinstance(text, str):
        return text or None
    if text is not None:
        place.below(key).lost(DROPPED, f"`{key}` is {shown(text)}, which is no text")
    return None


def _titles(entry: Mapping[str, Json], hints: Mapping[str, Json], place: Place) -> None:
    title, other = entry.get("title"), hints.get("title")
    if title and other and title != other:
        place.below("annotations", "title").lost(
            DROPPED, f"the tool has another title, so {shown(other)} is not kept"
        )


def _aside(entry: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value
        for key, name in _ASIDE.items()
        if (value := entry.get(key)) and value != _DEFAULT_EXECUTION
    }
