"""Batches that need no record, as nearly all: the short way from calls to results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, cast

from .attempts import Attempts
from .events import Event, ended, event
from .plan import Batch
from .planning import Planner
from .results import Progress, ToolResult
from .running import Runner
from .sealing import Entry, Sealed
from .settlement import Attempted


class Unrecorded:
    """Runs batches, and has those written down that do not end at once."""

    def __init__(self, attempts: Attempts, runner: Runner, planner: Planner, *, told: bool) -> None:
        """*told*: somebody observes."""
        self._attempts = attempts
        self._runner = runner
        self._planner = planner
        self._observed = told

    async def run(self, entries: Sequence[Entry], batch: Batch) -> Progress:
        """Run a batch without gates."""
        done = None
        if self._observed:
            self._attempts.tell(_sealed(entries, batch))
            done = partial(self._told, batch)
        executable = [entry for entry in entries if type(entry) is Sealed]
        attempts = await self._runner.run(executable, batch, done)
        if len(attempts) < len(entries):
            following = iter(attempts)
            attempts = [
                entry if isinstance(entry, ToolResult) else next(following) for entry in entries
            ]
        if all(map(_is_result, attempts)):
            return Progress("completed", tuple(cast("Sequence[ToolResult]", attempts)))
        return await self._planner.paused(entries, attempts, batch)

    async def _told(self, batch: Batch, sealed: Sealed, attempt: Attempted) -> None:
        if isinstance(attempt, ToolResult):
            call = sealed.call_id, sealed.tool.name, sealed.invocation_id
            self._attempts.tell([event("tool.completed", batch, call, _end(attempt))])


def _is_result(attempt: Attempted) -> bool:
    return type(attempt) is ToolResult


def _sealed(entries: Sequence[Entry], batch: Batch) -> Iterator[Event]:
    for entry in entries:
        if isinstance(entry, ToolResult):
            call = entry.call_id, entry.tool_name, ""
            yield event("tool.sealed", batch, call, _end(entry))
        else:
            call = entry.call_id, entry.tool.name, entry.invocation_id
            yield event("tool.sealed", batch, call, {"kind": "executable"})


def _end(result: ToolResult) -> dict[str, Any]:
    return ended(result.kind, getattr(result.outcome, "code", None))
