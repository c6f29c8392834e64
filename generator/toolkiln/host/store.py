"""Where a project keeps the calls of its terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlalchemy import URL

from toolkiln_runtime.sql import SqlStore

from ..config.project import Project
from . import keys, loading
from .calls import Calls

FOLDER: Final = ".toolkiln"
FILE: Final = "calls.sqlite3"


def opened(project: Project, made: Callable[[Path], object]) -> Calls:
    """The calls of *project*, with its tools and its executor's settings, in its own store.

    *made* is told of a file of keys that had to be made. Raises UnusableError, and ToolError
    `configuration.invalid-keys`.
    """
    executor = loading.executor(project)
    folder = project.root / FOLDER
    _prepare(folder)
    ring = keys.ProjectKeys(folder / keys.FILE, made)
    store = SqlStore(URL.create("sqlite", database=str(folder / FILE)))
    return Calls(executor.over(store, ring), store)


def _prepare(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    ignored = folder / ".gitignore"
    if not ignored.exists():
        ignored.write_text("*\n", "utf-8")
    # Arguments are nobody else's business. SQLite takes an empty file for an empty database, and
    # gives the files beside it the same permissions.
    (folder / FILE).touch(0o600)
