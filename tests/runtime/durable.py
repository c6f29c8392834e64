"""A store that outlives executors, keys, and processes that die."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Callable
from typing import Any

from toolkiln_runtime import Catalog, Executor, MemoryStore, ToolDefinition, ToolSlot, records
from toolkiln_runtime.stores import Change
from toolkiln_runtime.testing import ManualClock


class Keys:
    """Hides, and notices changes; no secret keeps it from anybody."""

    def __init__(self, word: bytes = b"key") -> None:
        self._word = word

    def seal(self, plain: bytes, bound: bytes) -> str:
        mark = hashlib.sha256(self._word + bound + plain).hexdigest()
        return f"{mark}.{base64.b64encode(bytes(byte ^ 0x55 for byte in plain)).decode()}"

    def open(self, text: str, bound: bytes) -> bytes:
        mark, _, hidden = text.partition(".")
        plain = bytes(byte ^ 0x55 for byte in base64.b64decode(hidden))
        if hashlib.sha256(self._word + bound + plain).hexdigest() != mark:
            raise ValueError("changed")
        return plain


class Crash(BaseException):
    """The process is gone: nothing after this happens in it."""


class DurableStore(MemoryStore):
    """Keeps every document that was ever written, and may die at any commit."""

    durable = True

    def __init__(self) -> None:
        super().__init__()
        self.written: list[Change] = []
        self.before: Callable[[Change], None] = lambda _change: None
        self.after: Callable[[Change], None] = lambda _change: None

    async def commit(self, change: Change) -> None:
        self.before(change)
        # Others get their turn, as with every real store.
        await asyncio.sleep(0)
        await super().commit(change)
        self.written.append(change)
        records.load(change.document)
        self.after(change)

    def texts(self) -> str:
        return b"\n".join(change.document for change in self.written).decode()

    def last(self) -> records.Record:
        return records.load(self.written[-1].document)

    def rewrite(self, change: Callable[[Any], Any]) -> None:
        """Have the last plan say something else, as nobody should."""
        plan_id = self.written[-1].plan_id
        kept = self._plans[plan_id]
        document = change(kept.change.document)
        self._plans[plan_id].change = type(kept.change)(
            **{
                field: getattr(kept.change, field)
                for field in kept.change.__struct_fields__
                if field != "document"
            },
            document=document,
        )


class Hosts:
    """Executors over one store, as many processes would have them."""

    def __init__(self, **settings: Any) -> None:
        self.store = DurableStore()
        self.clock = ManualClock()
        self.settings: dict[str, Any] = {"keys": Keys(), "lease": 60.0, **settings}

    def open(self, *tools: ToolDefinition[Any, Any], **settings: Any) -> Executor:
        catalog = Catalog([ToolSlot("ns", tools)])
        fixed = {"store": self.store, "clock": self.clock}
        return Executor(catalog, **{**fixed, **self.settings, **settings})
