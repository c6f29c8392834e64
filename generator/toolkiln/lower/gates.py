"""Whether arguments open a gate, decided as the runtime does (semantics S4)."""

from __future__ import annotations

import json

from toolkiln.contract import Approval, Path, Test
from toolkiln.lower.bundle import bundled_part
from toolkiln.lower.facts import Facts, declared
from toolkiln.lower.paths import spelled
from toolkiln.lower.places import Place, child
from toolkiln.lower.validators import compiled, shortened
from toolkiln.value import MISSING, Json, Missing


def opened(facts: Facts, root: Place, gate: Approval, args: Json) -> str:
    """Which condition of *gate* holds for *args*, in words; empty if none does."""
    for condition in gate.conditions:
        reasons = [_reason(facts, root, test, args) for test in condition]
        if all(reasons):
            return " and ".join(reasons)
    return ""


def _reason(facts: Facts, root: Place, test: Test, args: Json) -> str:
    found = value_at(facts, root, test.path, args)
    if isinstance(found, Missing):
        return f"`{spelled(test.path)}` is absent"
    if not compiled(test.schema).is_valid(found):
        return ""
    shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return f"`{spelled(test.path)}` is {shortened(shown)}"


def value_at(facts: Facts, root: Place, path: Path, value: Json) -> Json | Missing:
    """The value at *path* of *value*, or the default that stands in for it.

    A default in an arm of a union stands in for nothing: which arm applies is not known.
    """
    places = [root]
    found: Json | Missing = value
    for name in path:
        places = [
            child(part, "properties", name)
            for place in places
            for part in facts.conjunction(place)
            if name in declared(part)
        ]
        inner = found.get(name, MISSING) if isinstance(found, dict) else MISSING
        found = _default(facts, places) if isinstance(inner, Missing) else inner
        if isinstance(found, Missing):
            return MISSING
    return found


def _default(facts: Facts, places: list[Place]) -> Json | Missing:
    """The first default of *places*, if it is valid under all of them."""
    for place in places:
        default = facts.default(place)
        if not isinstance(default, Missing):
            tests = [compiled(bundled_part(facts.sources, each)) for each in places]
            return default if all(test.is_valid(default) for test in tests) else MISSING
    return MISSING
