"""The spec reference in Markdown, made from the schema of spec files and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

MAPS: Final = {
    "tool": "A tool",
    "effects": "`effects`",
    "failureMap": "A failure",
    "approvalMap": "`approval`",
    "interactionMap": "An interaction",
    "deferredMap": "`deferred`",
    "deprecatedMap": "`deprecated`",
    "example": "An example",
    "failedMap": "`failed` of an example",
    "defaults": "`defaults` of a file",
    "suppression": "An entry of `suppress`",
}
"""The definitions that are maps with keys of their own, in the order of the reference."""

WORDS: Final = {
    "text": "text",
    "name": "a name",
    "toolName": "a tool name",
    "namespace": "a namespace",
    "version": "a semantic version",
    "duration": "a duration",
    "date": "a date",
    "path": "a path",
    "slot": "a slot",
    "condition": "a condition",
    "test": "a test",
    "reference": "a reference",
}
"""The definitions that tables name instead of spelling them out, and how."""


def markdown(schema: Schema) -> str:
    """A section for the file and for each map, and the words that their tables use."""
    parts = ["### The file", _table(schema, schema)]
    for name, heading in MAPS.items():
        definition = schema["$defs"][name]
        parts += [f"### {heading}", definition["description"], _table(definition, schema)]
    parts += ["### Words", "\n".join(_words(schema))]
    return "\n\n".join(parts)


def _table(definition: Schema, root: Schema) -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    required = definition.get("required", ())
    for key, value in definition["properties"].items():
        mark = " (required)" if key in required else ""
        cells = (f"`{key}`{mark}", _type(value, root), _default(value, root), value["description"])
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if "^x-" in definition.get("patternProperties", {}):
        rows.append("| `x-...` | any JSON |  | Yours: carried along, never interpreted. |")
    return "\n".join(rows)


def _type(value: Schema, root: Schema) -> str:
    if "title" in value:
        return _low(value["title"])
    if "$ref" in value:
        name = value["$ref"].removeprefix("#/$defs/")
        return WORDS.get(name) or _type(root["$defs"][name], root)
    if "anyOf" in value:
        return ", or ".join(dict.fromkeys(_type(arm, root) for arm in value["anyOf"]))
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    return {"boolean": "true or false"}.get(value.get("type", ""), value.get("type", "any JSON"))


def _default(value: Schema, root: Schema) -> str:
    if "default" in value:
        default = value["default"]
        return f"`{default if isinstance(default, str) else json.dumps(default)}`"
    if "$ref" in value:
        return _default(root["$defs"][value["$ref"].removeprefix("#/$defs/")], root)
    return ""


def _words(schema: Schema) -> Iterator[str]:
    for name, word in WORDS.items():
        definition = schema["$defs"][name]
        title = definition["title"]
        exact = "" if _low(title) == word else f"{title}. "
        examples = ", ".join(
            f"`{example if isinstance(example, str) else json.dumps(example)}`"
            for example in definition.get("examples", ())
        )
        example = f" For example {examples}." if examples else ""
        yield f"- **{word[:1].upper() + word[1:]}**: {exact}{definition['description']}{example}"


def _low(title: str) -> str:
    """*title* inside a sentence: small at the start, unless it is code or an abbreviation."""
    return title if title[:1] == "`" or title[1:2].isupper() else title[:1].lower() + title[1:]
