"""Reading values of spec files whose structure has been checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from toolkiln.value import Json, JsonObject

_DURATION: Final = re.compile(r"([0-9]+)(ms|s|m|h|d)")
_MILLISECONDS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
EMPTY: Final[JsonObject] = {}


def mapping(value: Json) -> Mapping[str, Json]:
    """*value*, or nothing if it is no object."""
    return value if isinstance(value, dict) else EMPTY


def text(value: Json) -> str:
    """*value*, or an empty text if it is none."""
    return value if isinstance(value, str) else ""


def texts(value: Json) -> tuple[str, ...]:
    """The texts in the list *value*."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def milliseconds(value: Json) -> int | None:
    """A duration such as `30s`; None if there is none."""
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) * _MILLISECONDS[found[2]] if found else None


def extensions(value: Json) -> JsonObject:
    """The `x-` keys of an object."""
    return {key: inner for key, inner in mapping(value).items() if key.startswith("x-")}
