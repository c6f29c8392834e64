"""JSON that is fit to be written: numbers that exist, text that can be encoded, sane depth."""

from __future__ import annotations

import math
import re
from typing import Final

from toolkiln.value import Json, JsonObject

from .loss import DROPPED, LEFT_OUT, Place

DEEPEST: Final = 100
"""Levels of lists and objects in one tool: well above real schemas, well below Python's stack."""

_LONE: Final = re.compile("[\ud800-\udfff]")
_TEXTS: Final = frozenset({"description", "title", "$comment"})


def too_deep(value: Json) -> bool:
    """Whether *value* has more than `DEEPEST` levels; measured without recursion."""
    level: list[Json] = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
    return any(isinstance(value, (dict, list)) for value in level)


def fit(value: JsonObject, place: Place) -> dict[str, Json]:
    """*value* with the halves of broken characters in its texts replaced.

    Whatever else no file can hold is reported as a reason to leave the tool out.
    """
    return {key: _entry(key, item, place) for key, item in value.items()}


def _fit(value: Json, place: Place) -> Json:
    match value:
        case dict():
            return fit(value, place)
        case list():
            return [_fit(item, place.below(index)) for index, item in enumerate(value)]
        case str() if _LONE.search(value):
            place.lost(LEFT_OUT, "the text holds half of a surrogate pair")
        case float() if not math.isfinite(value):
            place.lost(LEFT_OUT, f"{value} is no number of JSON")
        case _:
            pass
    return value


def _entry(key: str, item: Json, place: Place) -> Json:
    below = place.below(key)
    if _LONE.search(key):
        place.lost(LEFT_OUT, "a key holds half of a surrogate pair")
    if key in _TEXTS and isinstance(item, str) and _LONE.search(item):
        below.lost(DROPPED, "half of a surrogate pair is replaced by U+FFFD")
        return _LONE.sub("\ufffd", item)
    return _fit(item, below)
