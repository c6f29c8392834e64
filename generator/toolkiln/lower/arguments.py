"""Which places of the arguments a path leads to."""

from __future__ import annotations

from toolkiln.contract import Path
from toolkiln.lower.facts import Facts, declared
from toolkiln.lower.places import Place, child


def reach(facts: Facts, root: Place, path: Path) -> list[Place]:
    """The schemas for the value at *path*, through objects only; none if nobody declares it.

    Through a union it is enough that one arm has the name.
    """
    places = [root]
    for name in path:
        places = [inner for place in places for inner in _named(facts, place, name)]
    return places


def _named(facts: Facts, root: Place, name: str) -> list[Place]:
    return [
        child(place, "properties", name) for place in parts(facts, root) if name in declared(place)
    ]


def parts(facts: Facts, root: Place) -> list[Place]:
    """All schemas that apply, or may apply, to a value of *root* itself."""
    found: dict[Place, None] = {}
    waiting = [root]
    while waiting:
        place = waiting.pop(0)
        if place in found:
            continue
        for part in facts.conjunction(place):
            found[part] = None
        waiting.extend(branch for branch in facts.branches(place) if branch not in found)
        found[place] = None
    return [place for place in found if not place.overridden]


def names(facts: Facts, root: Place, path: Path = ()) -> list[str]:
    """The names below *path*, for suggestions."""
    return [
        name
        for place in reach(facts, root, path)
        for part in parts(facts, place)
        for name in declared(part)
    ]
