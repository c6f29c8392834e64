"""What a project may say about its Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from toolkiln.value import Json, JsonObject

_INSIDE: Final = r"^(?![/~]|[A-Za-z]:)(?!(.*[/\\])?\.\.([/\\]|$)).+$"
"""A path below the project."""

SCHEMA: Final[JsonObject] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "arguments": {
            "enum": ["model", "dict"],
            "default": "model",
            "description": "Whether handlers get pydantic models or typed dictionaries.",
        },
        "handlers": {
            "type": "string",
            "pattern": _INSIDE,
            "description": "The folder, relative to the project, in which a handler to fill in is "
            "written for each tool. None are written without it.",
        },
        "templates": {
            "type": "string",
            "minLength": 1,
            "description": "The folder of templates that take the place of ours.",
        },
    },
}


@dataclass(frozen=True, slots=True)
class Options:
    """The same, with all defaults."""

    package: str
    """The generated package, dotted."""
    arguments: Literal["model", "dict"] = "model"
    handlers: str = ""
    """Empty if no scaffolds are wanted."""
    templates: str = ""
    """Empty for ours."""

    @property
    def dicts(self) -> bool:
        """Whether types are typed dictionaries."""
        return self.arguments == "dict"


def chosen(given: Mapping[str, Json]) -> Options:
    """Options from values that are valid under `SCHEMA`, and the package."""
    return Options(
        package=cast("str", given.get("package", "tools")),
        arguments=cast('Literal["model", "dict"]', given.get("arguments", "model")),
        handlers=cast("str", given.get("handlers", "")).strip("/"),
        templates=cast("str", given.get("templates", "")),
    )
