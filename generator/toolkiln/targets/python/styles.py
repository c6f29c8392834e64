"""How Python spells the names of a contract, and which spellings are taken."""

from __future__ import annotations

import keyword
from collections.abc import Collection
from typing import Final

from toolkiln.names import Style, camel, snake

_WORDS: Final = frozenset(keyword.kwlist)

BUILTINS: Final = frozenset({"bool", "dict", "float", "int", "list", "str", "tuple"})
"""What annotations mention; a name of the same scope would take its meaning away."""

MODULES: Final = frozenset({"contracts", "handlers", "models", "registration", "testing"})
"""The modules of a namespace's package."""

# As of pydantic 2; a list, because names must not change with the installed version.
_MODEL: Final = frozenset(
    {
        *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj"),
        *("parse_raw", "schema", "schema_json", "update_forward_refs", "validate"),
        *("model_computed_fields", "model_config", "model_construct", "model_copy", "model_dump"),
        *("model_dump_json", "model_extra", "model_fields", "model_fields_set"),
        *("model_json_schema", "model_parametrized_name", "model_post_init", "model_rebuild"),
        *("model_validate", "model_validate_json", "model_validate_strings"),
        # Of the metaclass: pydantic warns of these too.
        *("mro", "register"),
    }
)
_CLASSES: Final = frozenset(
    {
        *("Annotated", "Any", "BaseModel", "ConfigDict", "Field", "Literal", "NotRequired"),
        *("ToolModel", "TypeAlias", "TypeAliasType", "TypedDict", "Union"),
    }
)

CLASS: Final = Style(camel, _WORDS | _CLASSES, prefix="N", fallback="Type")
"""A class or alias of a module of models."""

STEM: Final = Style(camel, _WORDS | {"Tool", "ToolExecution"}, prefix="N", fallback="Tool")
"""What the names of a tool's types start with; of these, `ToolResult` would hide the runtime's."""

RESUME: Final = Style(camel, _WORDS | {"ToolExecutionResume"}, prefix="N", fallback="Resume")
"""The class of an answer; it stands in the class of its tool."""


def attribute(classes: Collection[str]) -> Style:
    """A field. A class without capitals, as in scripts that have none, would be hidden by one."""
    # `kwargs` confuses pydantic's plugin for mypy.
    return Style(snake, _WORDS | _MODEL | BUILTINS | {"kwargs"} | set(classes))


def function(taken: Collection[str]) -> Style:
    """A tool: a keyword of registration, and the class of its constructors."""
    local = {"capability", "define", "refused"}
    return Style(snake, _WORDS | MODULES | BUILTINS | local | set(taken), fallback="tool")


def constructor(taken: Collection[str]) -> Style:
    """A static method that makes an outcome."""
    own = {"result", "staticmethod"}
    return Style(snake, _WORDS | MODULES | BUILTINS | own | set(taken))


def package(taken: Collection[str]) -> Style:
    """The package of a library."""
    return Style(snake, _WORDS | MODULES | set(taken), fallback="library")
