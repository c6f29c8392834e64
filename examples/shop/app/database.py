"""The shop's database: SQLite, one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL,
    status TEXT NOT NULL,
    cents INTEGER NOT NULL,
    currency TEXT NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    packer TEXT,
    -- The packer waits until somebody has said whether to go on.
    halted INTEGER NOT NULL DEFAULT 0,
    tracking TEXT
);
CREATE TABLE IF NOT EXISTS payments (
    id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (id),
    day INTEGER NOT NULL,
    method TEXT NOT NULL,
    cents INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS refunds (
    id INTEGER PRIMARY KEY,
    payment_id INTEGER NOT NULL REFERENCES payments (id),
    -- A call that is repeated after a crash must not pay a second time.
    invocation_id TEXT NOT NULL UNIQUE,
    day INTEGER NOT NULL,
    cents INTEGER NOT NULL CHECK (cents > 0),
    reason TEXT NOT NULL,
    note TEXT
);
CREATE TABLE IF NOT EXISTS pickups (
    id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL UNIQUE REFERENCES orders (id)
);
"""

SEED = """
INSERT INTO orders (id, email, status, cents, currency, held, packer, tracking) VALUES
    (1, 'ada@example.com', 'paid', 4200, 'EUR', 0, NULL, NULL),
    (2, 'ada@example.com', 'packing', 15000, 'EUR', 0, 'Grace', NULL),
    (3, 'bob@example.com', 'shipped', 900, 'USD', 0, NULL, 'T3'),
    (4, 'eve@example.com', 'paid', 99900, 'EUR', 1, NULL, NULL),
    -- Taken over from the old shop, which counted in a currency that is gone.
    (5, 'old@example.com', 'shipped', 7700, 'DEM', 0, NULL, 'T5');
INSERT INTO payments (id, order_id, day, method, cents) VALUES
    (1, 1, 3, 'card', 4200), (2, 2, 5, 'card', 9000), (3, 2, 5, 'voucher', 6000),
    (4, 3, 40, 'card', 900), (5, 4, 90, 'card', 99900);
"""


class Database:
    """A connection that several threads may use, one transaction at a time."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA busy_timeout = 5000")

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Cursor]:
        """All or nothing of what is done with the cursor; do not await inside."""
        with self._lock:
            cursor = self._connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")

    def close(self) -> None:
        """End the connection; a transaction afterwards raises `sqlite3.ProgrammingError`."""
        self._connection.close()


def create(path: Path) -> None:
    """A new database at *path*, with a handful of orders."""
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        connection.executescript(SEED)
    connection.close()
