"""The first step of a plan: what a batch is when it is written down (R3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from . import records
from .plan import Batch
from .plans import Plans, Turn
from .recording import started, without_taken
from .records import Call, Record
from .results import Progress, ToolResult
from .running import Runner
from .sealing import Entry, Sealed
from .settlement import Attempted
from .stores import Taken
from .working import Work


class Planner:
    """Writes the plans of new batches."""

    def __init__(self, plans: Plans, runner: Runner) -> None:
        self._plans = plans
        self._runner = runner

    async def run(self, entries: Sequence[Entry], batch: Batch) -> Progress:
        """Write a batch down and run it, unless a gate of it is open."""
        entries = [self._with_key(entry) for entry in entries]
        known = {entry.call_id: entry for entry in entries if isinstance(entry, Sealed)}
        plan = self._plans.writer.plan(entries, batch, self._plans.now())
        taken: set[str] = set()
        while True:
            turn = self._first(plan, known, taken)
            try:
                record = await self._plans.write_turn(turn)
            except Taken as error:
                taken |= error.ids
                continue
            if turn.claimed:
                work = Work(self._plans, record, turn.claim, batch)
                record = await work.run(turn.claimed, self._runner, whole=True)
            return await self._plans.progress(record)

    async def paused(
        self, entries: Sequence[Entry], attempts: Sequence[Attempted], batch: Batch
    ) -> Progress:
        """Write a batch down that was run without a record, and cannot end without one."""
        now = self._plans.now()
        plan = self._plans.writer.plan(entries, batch, now)
        pairs = list(zip(entries, attempts, plan.calls, strict=True))
        taken: set[str] = set()
        while True:
            turn = Turn(plan, {}, now)
            for index, (entry, attempt, call) in enumerate(pairs):
                if isinstance(entry, Sealed) and isinstance(call, records.Ready):
                    ended = self._plans.writer.ended(started(call, turn.claim), entry, attempt, now)
                    used = {*taken, *turn.step.questions()}
                    _put(turn, index, without_taken(ended, used), attempt)
            try:
                record = await self._plans.write_turn(turn)
            except Taken as error:
                taken |= error.ids
            else:
                return await self._plans.progress(record)

    def _with_key(self, entry: Entry) -> Entry:
        if isinstance(entry, Sealed):
            return self._plans.writer.needs_key(entry) or entry
        return entry

    def _first(self, plan: Record, known: Mapping[str, Sealed], taken: Collection[str]) -> Turn:
        calls = tuple(without_taken(call, taken) for call in plan.calls)
        turn = Turn(replace(plan, calls=calls), {}, self._plans.now())
        turn.step.tell_sealed()
        for index, call in enumerate(calls):
            if isinstance(call, records.Gated):
                turn.step.put(index, call)
        turn.start(self._plans.reader, known)
        return turn


def _put(turn: Turn, index: int, call: Call, attempt: Attempted) -> None:
    if isinstance(attempt, ToolResult):
        # Observers were told of it when it was reached.
        turn.step.calls[index] = call
    else:
        turn.step.put(index, call)
