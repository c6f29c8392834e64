"""The example's tools on a database of their own, and a look at what is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from toolkiln_runtime import Catalog, Event, Executor


class Shop:
    """The example's modules, and its tools on a database of their own."""

    def __init__(self, app: Mapping[str, ModuleType], path: Path) -> None:
        self.app = app
        self.path = path
        app["database"].create(path)
        self.database = app["database"].Database(path)
        self.running = self.most = 0
        self._executors: list[Executor] = []

    def executor(self, **replaced: Any) -> Executor:
        """The executor of the example, but with handlers of a test in their place."""
        handlers = self.app["billing"]
        own = {
            name: getattr(handlers, name)
            for name in ("list_payments", "refund_order", "check_ledger")
        }
        billing = self.app["tools.billing"].billing_tools(
            **{**own, **replaced}, capability=handlers.connections(self.path)
        )
        catalog = Catalog([self.app["orders"].slot(self.database), billing])
        made = Executor(catalog, limit=self.app["main"].LIMIT, observers=[self._count])
        self._executors.append(made)
        return made

    async def close(self) -> None:
        """End all connections."""
        for executor in self._executors:
            await executor.close()
        self.database.close()

    def _count(self, event: Event) -> None:
        self.running += {"tool.started": 1, "tool.completed": -1}.get(event.type, 0)
        self.most = max(self.most, self.running)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database holds, over a connection of its own."""
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()
