"""Replies to plans: each is one atomic step, and then the work that it starts (P2, R3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

from . import records
from .answering import Decide
from .attempts import Attempts
from .ending import Endings
from .failures import ToolError
from .logs import log
from .plans import Plans, Turn, batch_of, found
from .records import Record
from .restoring import Leases
from .results import Progress, Status
from .running import Runner
from .stores import CallStore, Stale
from .working import Work

Find: TypeAlias = Callable[[], Awaitable[tuple[Record, Leases]]]

PAGE: Final = 100
"""Plans that are read at once."""


async def nothing(_turn: Turn) -> None:
    """Decides nothing: only what has expired changes."""


class Replies:
    """Makes the changes that hosts and people ask for."""

    def __init__(self, plans: Plans, attempts: Attempts, runner: Runner) -> None:
        self._plans = plans
        self._attempts = attempts
        self._runner = runner

    async def change(self, find: Find, decide: Decide, now: float | None = None) -> Progress:
        """Decide about a plan, write the step, and make the attempts that it starts.

        Where the decision is to reject, only what has expired is written, and the ToolError is
        raised with the plan's progress.
        """
        while True:
            record, leases = await find()
            at = self._plans.now() if now is None else now
            turn, rejection = Turn(record, leases, at), None
            try:
                await decide(turn)
            except ToolError as error:
                turn, rejection = Turn(record, leases, at), error
            turn.start(self._plans.reader, {})
            try:
                record = await self._plans.write_turn(turn)
            except Stale:
                continue
            progress = await self._plans.progress(await self.worked(turn, record))
            if rejection is None:
                return progress
            rejection.progress = progress
            raise rejection

    async def worked(self, turn: Turn, record: Record) -> Record:
        """Make the attempts of a turn that is written."""
        batch = batch_of(record)
        for sealed in turn.refused:
            await self._attempts.release(sealed, batch)
        if not turn.claimed:
            return record
        work = Work(self._plans, record, turn.claim, batch)
        return await work.run(turn.claimed, self._runner, whole=False)

    async def cancel(self, plan_id: str) -> Progress:
        """End all calls of a plan; those that run here are interrupted and awaited."""
        works = tuple(self._plans.works.get(plan_id, ()))
        live = {work.claim for work in works}
        store = self._plans.store
        await self.change(partial(_load, store, plan_id), Endings(self._plans).cancel(None, live))
        for work in works:
            work.batch.signal.cancel()
        for work in works:
            await work.over.wait()
        record, leases = await found(store.load(plan_id))
        return self._plans.reader.progress(record, leases, self._plans.now())

    async def expire(self, now: float | None) -> Progress:
        """Apply what has expired, in all plans; the calls that it sets free are run."""
        at, store = self._plans.now() if now is None else now, self._plans.store
        seen: set[str] = set()
        reports: list[Progress] = []
        while True:
            due = await store.due(at, PAGE + len(seen))
            new = [plan_id for plan_id in due if plan_id not in seen]
            if not new:
                return together(reports)
            for plan_id in new:
                seen.add(plan_id)
                try:
                    report = await self.change(partial(_load, store, plan_id), nothing, at)
                    reports.append(report)
                except ToolError as error:
                    # One that cannot be read keeps none of the others.
                    log.error("plan %s cannot be expired: %s", plan_id, error.code)

    async def unended(self, session_id: str | None) -> list[Progress]:
        """The reports of all plans that have not ended."""
        reports: list[Progress] = []
        after = ""
        while page := await self._plans.store.unended(session_id, after=after, limit=PAGE):
            for stored in page:
                after = stored.plan_id
                try:
                    record = records.load(stored.document)
                except ToolError as error:
                    log.error("plan %s cannot be read: %s", stored.plan_id, error.code)
                    continue
                now = self._plans.now()
                reports.append(self._plans.reader.progress(record, stored.leases, now))
        return reports


async def _load(store: CallStore, plan_id: str) -> tuple[Record, Leases]:
    return await found(store.load(plan_id))


def together(reports: list[Progress]) -> Progress:
    """One report about several plans."""
    status: Status = "completed"
    for wanted in ("deferred", "interaction-required"):
        if any(report.status == wanted for report in reports):
            status = "deferred" if wanted == "deferred" else "interaction-required"
    return Progress(
        status,
        tuple(result for report in reports for result in report.results),
        tuple(pending for report in reports for pending in report.pending),
        tuple(deferred for report in reports for deferred in report.deferred),
        tuple(unfinished for report in reports for unfinished in report.unfinished),
    )
