"""Places for stores, and short ways to write changes."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, make_url, text

from tests.support import require
from toolkiln_runtime.memory import MemoryStore
from toolkiln_runtime.sql import SqlStore
from toolkiln_runtime.stores import Change, Lease, Stored

DATABASES = ("sqlite", "postgresql")
STORES = ("memory", *DATABASES)


@contextmanager
def address(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database, which is removed afterwards."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'calls.db'}"
        return
    require("postgres")
    url = make_url(os.environ["TOOLKILN_POSTGRES"])
    name = f"test_{secrets.token_hex(8)}"
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE SCHEMA {name}"))
        own = url.update_query_dict({"options": f"-csearch_path={name}", "application_name": name})
        yield own.render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP SCHEMA IF EXISTS {name} CASCADE"))
        engine.dispose()


class Place:
    """Somewhere that plans are kept; each `open` is a store of its own over the same plans."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._opened: list[SqlStore] = []

    def open(self) -> SqlStore:
        store = SqlStore(self.url)
        self._opened.append(store)
        return store

    async def close(self) -> None:
        for store in self._opened:
            await store.close()


class Memory:
    """The place of all that is kept in this process."""

    def __init__(self) -> None:
        self._store = MemoryStore()

    def open(self) -> MemoryStore:
        return self._store


@asynccontextmanager
async def place(kind: str, folder: Path) -> AsyncIterator[Place | Memory]:
    """An empty place of that kind."""
    if kind == "memory":
        yield Memory()
        return
    with address(kind, folder) as url:
        found = Place(url)
        try:
            yield found
        finally:
            await found.close()


def change(plan_id: str = "p", revision: int = 1, **fields: Any) -> Change:
    document = fields.pop("document", b'{"n":%d}' % revision)
    session = fields.pop("session_id", "ses")
    return Change(
        plan_id=plan_id, revision=revision, document=document, session_id=session, **fields
    )


def lease(claim: str = "c", until: float = 10) -> Lease:
    return Lease(claim, until)


def stored(plan_id: str = "p", revision: int = 1, **fields: Any) -> Stored:
    """What a store has to give for the same `change`."""
    document = fields.pop("document", b'{"n":%d}' % revision)
    leases = fields.pop("leases", {})
    return Stored(plan_id=plan_id, revision=revision, document=document, leases=leases, **fields)
