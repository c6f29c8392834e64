"""What the validator says about schemas and patterns: the one that will enforce them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import jsonschema_rs

from toolkiln.value import Json

from .loss import Pointer

_SHOWN: Final = 200


@lru_cache(maxsize=1024)
def compiles(pattern: str) -> bool:
    """Whether *pattern* is a regular expression of JSON Schema."""
    return problem({"pattern": pattern}) is None


def problem(schema: Json) -> tuple[Pointer, str] | None:
    """Where and why *schema* is no schema of its dialect that compiles alone; None if it is one."""
    if not isinstance(schema, (dict, bool)):
        return (), "a schema is an object or a boolean"
    try:
        jsonschema_rs.validator_for(schema, offline=True, validate_formats=False)
    except jsonschema_rs.ValidationError as error:
        return tuple(error.instance_path), _short(error.message)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return (), _short(str(error))
    return None


def _short(message: str) -> str:
    first = message.partition("\n")[0]
    return first if len(first) <= _SHOWN else f"{first[:_SHOWN]}..."
