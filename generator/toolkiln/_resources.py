"""Find the templates and schemas that ship with the generator.

They live at the top of the repository, and inside the package in a wheel.
"""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

_CHECKOUT: Final = Path(__file__).parents[2]


def resource(*parts: str) -> Traversable:
    """The packaged file or folder at *parts*, in a wheel or in a checkout."""
    installed = files("toolkiln")
    root: Traversable = installed if installed.joinpath(parts[0]).is_dir() else _CHECKOUT
    return root.joinpath(*parts)
