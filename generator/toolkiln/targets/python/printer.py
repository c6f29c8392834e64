"""The one call of datamodel-code-generator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from toolkiln.value import JsonObject

BASE: Final = "toolkiln_runtime.models.ToolModel"


def printed(document: JsonObject, aliases: Mapping[str, str], *, dicts: bool) -> str:
    """The module of classes, pydantic's or (if *dicts*) typed dictionaries, for *document*.

    *aliases* maps `Class.wire name` to attribute names. The document must have passed through
    `shapes`: what a schema's author wrote must not reach the printer. A warning is an error.
    """
    from datamodel_code_generator import generate

    # As a mapping it would be taken for a file of the current folder.
    text = msgspec.json.encode(document).decode()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = generate(text, aliases=dict(aliases), **options(dicts=dicts))
    if not isinstance(result, str):
        raise TypeError("the printer made several modules of one document")
    return result


@lru_cache(maxsize=2)
def options(*, dicts: bool) -> dict[str, Any]:
    """How the printer is called: all that changes what it prints, and nothing by default."""
    from datamodel_code_generator import InputFileType, LiteralType, PythonVersion
    from datamodel_code_generator.enums import DataModelType

    kind = (
        {"output_model_type": DataModelType.TypingTypedDict}
        if dicts
        else {"output_model_type": DataModelType.PydanticV2BaseModel, "base_class": BASE}
    )
    return {
        **kind,
        "input_file_type": InputFileType.JsonSchema,
        "target_python_version": PythonVersion.PY_311,
        "custom_file_header": "#",
        "disable_timestamp": True,
        # All layout is ours; a formatter would also read the settings of the folder it runs in.
        "formatters": [],
        "use_annotated": True,
        "field_constraints": True,
        "strict_nullable": True,
        "enum_field_as_literal": LiteralType.All,
        "use_type_alias": True,
        "skip_root_model": True,
        "treat_dot_as_module": False,
        "use_tuple_for_fixed_items": True,
        "allow_remote_refs": False,
        "strict_refs": True,
        "custom_class_name_generator": _same,
    }


def _same(name: str) -> str:
    return name
