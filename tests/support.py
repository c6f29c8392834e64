"""What tests need from the machine, and where the repository's folders are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).parents[1]
SHARED: Final = REPOSITORY.parent / "shared"

_PROBES: Final[Mapping[str, tuple[str, Callable[[], bool]]]] = {
    "shared": ("no folder ../shared with real inputs", SHARED.is_dir),
    "postgres": (
        "no PostgreSQL: TOOLKILN_POSTGRES is not set to its URL",
        lambda: bool(os.environ.get("TOOLKILN_POSTGRES")),
    ),
    "node": ("no node on PATH", lambda: shutil.which("node") is not None),
    "browser": (
        "no browser: TOOLKILN_BROWSER is not set to its program",
        lambda: bool(os.environ.get("TOOLKILN_BROWSER")),
    ),
}


def require(name: str) -> None:
    """Skip the running test, or the module being collected, if the machine lacks *name*.

    The absence fails instead if the comma-separated TOOLKILN_REQUIRE lists it.
    """
    reason, present = _PROBES[name]
    if present():
        return
    required = os.environ.get("TOOLKILN_REQUIRE", "").replace(" ", "").split(",")
    if name in required:
        pytest.fail(f"TOOLKILN_REQUIRE lists {name}: {reason}", pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def tracked(*folders: str) -> list[str]:
    """The files of the repository, of these *folders* only if any are named, as git sees them.

    What is new and not ignored is among them; without git everything on the disk is.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
        return sorted({name for name in names if (REPOSITORY / name).is_file()})
    return sorted(
        path.relative_to(REPOSITORY).as_posix()
        for folder in folders or [""]
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and not {".venv", ".git", "__pycache__"}.intersection(path.parts)
    )
