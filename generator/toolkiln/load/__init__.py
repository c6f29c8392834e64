"""From spec files to specs: each file is parsed, its structure checked, its references read.

What stands inside of schemas, and whether names and fragments exist, is for `lower` to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..diagnostics import Diagnostic, ordered
from .packages import PackageFinder, find_package
from .specs import Spec, Specs

__all__ = ["PackageFinder", "Spec", "Specs", "find_package", "load"]


def load(
    root: Path, files: Sequence[Path], *, packages: PackageFinder = find_package
) -> tuple[Specs, list[Diagnostic]]:
    """The specs in *files*, and what is wrong with them and with what they refer to.

    *root* is the project's folder; relative *files* are relative to it. Everything that could be
    parsed is returned, but with an error among the findings it is not fit to be lowered.
    """
    from .closure import Closure

    closure = Closure(root, packages)
    specs = closure.collect(sorted(set(files)))
    return specs, ordered(closure.found)
