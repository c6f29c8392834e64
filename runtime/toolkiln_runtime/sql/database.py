"""A pool of connections, and threads that wait for the database.

The drivers block, and each step has a thread for as long as it takes: the same code then serves
SQLite, which has no other drivers, and any number of event loops, one after the other or at once.
"""

from __future__ import annotations

import os
import sqlite3
import time
from asyncio import CancelledError, get_running_loop, wait
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from ..failures import ToolError
from .schema import create, is_current

T = TypeVar("T")

PATIENCE: Final = 30.0
"""Seconds that a step waits for other writers of an SQLite file."""
_DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
_TRIES: Final = 10
_UNDONE: Final = {"40001", "40P01"}


def address(text: str | URL) -> URL:
    """*text* as the URL of a database that plans can be kept in.

    Raises ToolError `configuration.invalid-store`.
    """
    try:
        url = make_url(text)
    except ArgumentError:
        # Its message repeats the text, which may hold a password.
        raise _invalid("The store's address is no URL.") from None
    driver = _DRIVERS.get(url.get_backend_name())
    if driver is None:
        raise _invalid("Plans are kept in SQLite or PostgreSQL.")
    memory = url.database in {None, "", ":memory:"} or "mode" in url.query
    if driver == "sqlite" and memory:
        raise _invalid("A database in memory is not shared: SQLite needs a file.")
    return url.set(drivername=driver)


def _invalid(message: str) -> ToolError:
    return ToolError("configuration.invalid-store", message)


class Database:
    """Performs steps, each in one transaction."""

    def __init__(self, url: URL, connections: int) -> None:
        """*connections*: steps at once; others wait for their turn. Connects to nothing yet."""
        self.url = url
        self._connections = connections
        self._pool: _Pool | None = _Pool(url, connections)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* finds; it may use one statement, which sees one state of the database."""
        return await self._done(lambda pool: pool.read(work))

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What *work* gives, once all that it has written is safe; if it raises, nothing is.

        It may be called again, when the database has undone what it did for another writer.
        """
        return await self._done(lambda pool: pool.write(work))

    async def close(self) -> None:
        """Wait for the steps under way, and close all connections."""
        pool, self._pool = self._pool, None
        if pool is not None and pool.process == os.getpid():
            await get_running_loop().run_in_executor(None, pool.close)

    async def _done(self, step: Callable[[_Pool], T]) -> T:
        pool = self._here()
        future = get_running_loop().run_in_executor(pool.threads, step, pool)
        try:
            await wait([future])
        except CancelledError:
            # The database goes on: whoever looks next must find what has become of the step.
            await wait([future])
            future.exception()
            raise
        return future.result()

    def _here(self) -> _Pool:
        pool = self._pool
        if pool is None or pool.process != os.getpid():
            if pool is not None:
                # A fork has copied it: the connections are the parent's, the threads are gone.
                pool.engine.dispose(close=False)
            pool = self._pool = _Pool(self.url, self._connections)
        return pool


class _Pool:
    """What a process must not share with its forks."""

    def __init__(self, url: URL, connections: int) -> None:
        self.process = os.getpid()
        self.engine = _engine(url, connections)
        self.threads = ThreadPoolExecutor(connections, thread_name_prefix="toolkiln-sql")
        single = {"isolation_level": "AUTOCOMMIT"} if url.drivername != "sqlite" else {}
        self._reading = self.engine.execution_options(**single)
        self._writing = self.engine.execution_options(toolkiln_writes=True)
        self._lock = Lock()
        self._prepared = False

    def read(self, work: Callable[[Connection], T]) -> T:
        self._prepare()
        with self._reading.connect() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], T]) -> T:
        self._prepare()
        return self._write(work)

    def _write(self, work: Callable[[Connection], T]) -> T:
        for _ in range(_TRIES - 1):
            try:
                with self._writing.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) not in _UNDONE:
                    raise
        with self._writing.begin() as connection:
            return work(connection)

    def _prepare(self) -> None:
        # Threads that come early wait for the first; a failure leaves the work to the next.
        with self._lock:
            if not self._prepared:
                self._make_tables()
                self._prepared = True

    def _make_tables(self) -> None:
        if self.engine.dialect.name == "sqlite":
            _log_ahead(self.engine)
        with self.engine.connect() as connection:
            current = is_current(connection)
        if not current:
            self._write(create)

    def close(self) -> None:
        self.threads.shutdown()
        self.engine.dispose()


def _engine(url: URL, connections: int) -> Engine:
    # An exception's text would otherwise hold the documents.
    shared: Any = {"pool_size": connections, "max_overflow": 0, "hide_parameters": True}
    if url.drivername == "sqlite":
        engine = create_engine(url, connect_args={"timeout": PATIENCE}, **shared)
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begins)
    else:
        # Conditions in the statements decide; where a database isolates its transactions better
        # by default, those that lose would fail instead.
        level = "READ COMMITTED"
        engine = create_engine(url, isolation_level=level, pool_pre_ping=True, **shared)
        event.listen(engine, "connect", _postgres_connected)
    return engine


def _sqlite_connected(connection: Any, _record: object) -> None:
    # The driver's own idea of when a transaction begins is too late for the first read in it.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    # In WAL mode anything less may lose the last commits with the machine's power.
    connection.execute("PRAGMA synchronous = FULL")


def _sqlite_begins(connection: Connection) -> None:
    # A transaction that reads first and then writes cannot wait for another writer: it fails.
    writes = connection.get_execution_options().get("toolkiln_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _postgres_connected(connection: Any, _record: object) -> None:
    # A host that vanishes in a transaction would keep its locks until the network notices.
    connection.execute("SET idle_in_transaction_session_timeout = '30s'")
    connection.commit()


def _log_ahead(engine: Engine) -> None:
    """Put an SQLite file into WAL mode, in which readers and the writer do not meet."""
    deadline = time.monotonic() + PATIENCE
    connection: Any = engine.raw_connection()
    try:
        # The driver waits for others in all cases but this one.
        while not _changed(connection):
            if time.monotonic() > deadline:
                raise TimeoutError("the SQLite file is locked by others")
            time.sleep(0.02)
    finally:
        connection.close()


def _changed(connection: Any) -> bool:
    try:
        connection.cursor().execute("PRAGMA journal_mode = WAL").close()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
