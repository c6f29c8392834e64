"""JSON values, and the absence of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""Plain dicts and lists, which nobody changes."""
JsonObject: TypeAlias = Mapping[str, Json]


class Missing(Enum):
    """The type of `MISSING`: a default of null and no default are different things."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
