"""Keywords that a dialect does not know: kept under `x-` names, where nothing reads them."""

from __future__ import annotations

from typing import Final

from toolkiln.value import Json

from .keywords import Dialect
from .loss import DROPPED, KEPT, Place, word

_SENSITIVE: Final = "x-sensitive"
_NEAR: Final = 2


def set_aside(schema: dict[str, Json], place: Place, dialect: Dialect) -> dict[str, Json]:
    """*schema* with its unknown keywords renamed; those that would get a meaning are dropped."""
    kept: dict[str, Json] = {}
    for keyword, content in schema.items():
        name = keyword if keyword.startswith("x-") else f"x-{keyword}"
        if keyword in dialect.keywords or (keyword == name and _meaningless(name, content)):
            kept[keyword] = content
            continue
        unknown = f"{word(keyword)} is no keyword of {dialect.title}"
        below = place.below(keyword)
        if keyword != name and name in schema:
            below.lost(DROPPED, f"{unknown}, and {word(name)} stands beside it")
        elif not _meaningless(name, content) or name == _SENSITIVE:
            below.lost(DROPPED, f"{unknown}, and {word(name)} has a meaning of its own in a spec")
        else:
            hint = "Properties stand under `properties`." if _like_schema(content) else ""
            below.lost(KEPT, f"{unknown}; kept as {word(name)}", hint=hint)
            kept[name] = content
    return kept


def _meaningless(name: str, content: Json) -> bool:
    """Whether specs give *name* no meaning, or, with this value, the one that it has already."""
    if name == _SENSITIVE:
        return isinstance(content, bool)
    return name not in ("x-suppress", "x-tool") and _distance(name, _SENSITIVE) > _NEAR


def _like_schema(content: Json) -> bool:
    return isinstance(content, dict) and isinstance(content.get("type"), str)


def _distance(one: str, other: str) -> int:
    """How many letters must be changed, added or taken to make *one* the *other*."""
    if abs(len(one) - len(other)) > _NEAR:
        return _NEAR + 1
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        above, row[0] = row[0], at
        for column, wanted in enumerate(other, 1):
            cost = above + (letter != wanted)
            above, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, cost)
    return row[-1]
