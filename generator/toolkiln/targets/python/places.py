"""How modules of the generated package reach each other's types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from toolkiln.circles import Circles
from toolkiln.contract import Contract
from toolkiln.names import Claim, allocate
from toolkiln.shape import Definition, List, Map, Record, Ref, Type, Union
from toolkiln.text import Code

from .code import Import, Piece, attribute, name
from .naming import Names
from .styles import CLASS


@dataclass(frozen=True, slots=True)
class Foreign:
    """A type that a module of models imports."""

    local: str
    """What it is called here."""
    imported: Import


def relative(here: tuple[Code, ...], there: tuple[Code, ...]) -> str:
    """The package *there* as a module of the package *here* names it in an import."""
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def models_module(names: Names, here: str, home: str) -> Piece:
    """The models of the namespace *home*, imported by a module of the namespace *here*."""
    if here == home:
        return name(".", "models")
    there = names.packages[home]
    alias = f"{'_'.join(there)}_models"
    return name(relative(names.packages[here], there), "models", alias)


def model(names: Names, here: str, key: str) -> Piece:
    """The type of the definition *key* as handlers and registration of *here* mention it."""
    return attribute(models_module(names, here, names.homes[key]), names.classes[key])


def foreigners(
    names: Names, here: str, definitions: Iterable[Definition], cycles: frozenset[tuple[str, str]]
) -> dict[str, Foreign | None]:
    """Other namespaces' types that *definitions* of *here* mention, by key.

    None stands for one that cannot be imported, since its module imports this one.
    """
    definitions = tuple(definitions)
    own = {str(names.classes[each.key]) for each in definitions}
    keys = {key for each in definitions for key in mentioned(each.body)}
    abroad = {key: names.homes[key] for key in sorted(keys) if names.homes[key] != here}
    claims = {
        key: Claim((names.classes[key],), key)
        for key, home in abroad.items()
        if (here, home) not in cycles
    }
    style = replace(CLASS, reserved={*CLASS.reserved, *own})
    found: dict[str, Foreign | None] = dict.fromkeys(abroad)
    for key, local in allocate(claims, style).items():
        there = relative(names.packages[here], (*names.packages[abroad[key]], Code("models")))
        alias = local if local != names.classes[key] else ""
        found[key] = Foreign(local, Import(there, names.classes[key], alias))
    return found


def mentioned(shape: Type) -> set[str]:
    """The keys of all definitions that *shape* refers to by itself."""
    match shape:
        case Ref(key):
            return {key}
        case List(items, prefix):
            return mentioned(items).union(*map(mentioned, prefix))
        case Map(values):
            return mentioned(values)
        case Union(members):
            return set[str]().union(*map(mentioned, members))
        case Record(fields):
            return set[str]().union(*(mentioned(field.type) for field in fields))
        case _:
            return set()


def cyclic(contract: Contract, names: Names) -> frozenset[tuple[str, str]]:
    """The imports between modules of models that must not be, lest they import each other.

    Of a circle, the imports of what comes later in the alphabet are kept, libraries first.
    """
    order = {n.name: (not n.library, n.name) for n in contract.namespaces}
    edges = {
        (namespace.name, names.homes[key])
        for namespace in contract.namespaces
        for definition in namespace.definitions
        for key in mentioned(definition.body)
        if names.homes[key] != namespace.name
    }
    following: dict[str, list[str]] = {}
    for here, home in sorted(edges):
        following.setdefault(here, []).append(home)
    circles = Circles[str](lambda here: following.get(here, ()))
    return frozenset(
        (here, home)
        for here, home in edges
        if order[home] > order[here] and circles.number(here) == circles.number(home)
    )
