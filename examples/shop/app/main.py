"""The executor that serves the shop's tools."""

from __future__ import annotations

import os
from pathlib import Path

from toolkiln_runtime import Catalog, Executor

from app import billing, orders
from app.database import Database, create

LIMIT = 8
"""Calls that run at once; SQLite writes one at a time anyway."""


def serve(path: Path) -> Executor:
    """An executor on the database at *path*, which is created if there is none."""
    if not path.exists():
        create(path)
    database = Database(path)
    return Executor(Catalog([orders.slot(database), billing.slot(path)]), limit=LIMIT)


def __getattr__(name: str) -> Executor:
    # Made when somebody asks for it: importing this module must not touch a database.
    if name != "executor":
        raise AttributeError(name)
    return serve(Path(os.environ.get("SHOP_DATABASE", "shop.sqlite3")))
