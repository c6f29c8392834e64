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
        child(place, "properties", name)
        for place in facts.everything(root)
        if name in declared(place)
    ]


def names(facts: Facts, root: Place, path: Path = ()) -> list[str]:
    """The names below *path*, for suggestions."""
    return [
        name
        for place in reach(facts, root, path)
        for part in facts.everything(place)
        for name in declared(part)
    ]
