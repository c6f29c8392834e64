"""Where installed packages keep their data files, found without importing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

PackageFinder: TypeAlias = Callable[[str], Sequence[Path]]
"""From the top-level name of a package to its folders; empty if there is no such package."""


def find_package(name: str) -> Sequence[Path]:
    """The folders of the package *name* in the running interpreter.

    A namespace package has several. For a top-level name the import system only looks: no code
    of the package runs.
    """
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return ()
    return tuple(Path(place) for place in (spec and spec.submodule_search_locations) or ())
