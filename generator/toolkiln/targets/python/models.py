"""models.py: what the printer makes of the shapes, completed with texts, defaults and imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from toolkiln.text import Code, visible

from .code import Import
from .completion import Shape, completed, default
from .printer import printed
from .shapes import FOREIGN, Reference, document

_CONFIG: Final = Import("pydantic", "ConfigDict")
_FIELD: Final = Import("pydantic", "Field")


@dataclass(frozen=True, slots=True)
class Models:
    """A module of models: its statements, and what they import."""

    body: Code
    imports: frozenset[Import]


def models(shapes: Iterable[Shape], reference: Reference, *, dicts: bool) -> Models:
    """The classes and aliases of *shapes*, in an order in which each finds what it needs."""
    named = {str(shape.name): shape for shape in shapes}
    if not named:
        return Models(Code(""), frozenset[Import]())
    definitions = {name: shape.definition for name, shape in named.items()}
    wanted = document(definitions, reference, dicts=dicts)
    source = visible(printed(wanted, {} if dicts else _aliases(named), dicts=dicts))
    tree = ast.parse(source)
    body = Code("\n".join(completed(source, tree, named, dicts=dicts)))
    # Whatever the printer or we have overlooked must not reach a user's package.
    compile(body, "models.py", "exec", dont_inherit=True)
    return Models(body, _kept(tree) | (frozenset[Import]() if dicts else _added(named.values())))


def _aliases(shapes: Mapping[str, Shape]) -> dict[str, str]:
    return {
        f"{name}.{wire}": str(attribute)
        for name, shape in shapes.items()
        for wire, attribute in shape.attributes.items()
        if wire != attribute
    }


def _kept(tree: ast.Module) -> frozenset[Import]:
    """What the printer imports, but for what others decide: futures, configuration, our types."""
    return frozenset(
        Import(node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module not in {FOREIGN, "__future__"}
        for alias in node.names
        if alias.name != _CONFIG.name
    )


def _added(shapes: Iterable[Shape]) -> frozenset[Import]:
    added: set[Import] = set()
    for shape in shapes:
        if shape.closed:
            added.add(_CONFIG)
        if any(default(field).startswith(" = Field") for field in shape.fields):
            added.add(_FIELD)
    return frozenset(added)
