"""The table of all rules, collected from the modules that declare them."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

import toolkiln

from .diagnostics import Rule


def all_rules() -> Mapping[str, Rule]:
    """Every rule by its id, sorted. It imports every module of the generator: not for hot paths."""
    rules: dict[str, Rule] = {}
    for rule in (rule for module in _modules() for rule in _declared(module)):
        if rules.setdefault(rule.id, rule) != rule:
            raise ValueError(f"two rules are called {rule.id}")
    return dict(sorted(rules.items()))


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(toolkiln.__path__, "toolkiln."):
        # Importing `__main__` would run it.
        if not found.name.endswith("__main__"):
            yield import_module(found.name)


def _declared(module: ModuleType) -> Iterator[Rule]:
    for value in vars(module).values():
        if isinstance(value, Rule):
            yield value
