"""The calls of one project, from the first attempt to the last answer."""

from __future__ import annotations

import sqlite3
import time
from asyncio import Runner
from collections.abc import Coroutine, Mapping, Sequence
from getpass import getuser
from typing import Any, Final, Self, TypeVar

from sqlalchemy.exc import DBAPIError

from toolkiln_runtime import records
from toolkiln_runtime.executor import Executor
from toolkiln_runtime.failures import ToolError
from toolkiln_runtime.results import PendingInteraction, Progress, ToolCall
from toolkiln_runtime.sql import SqlStore
from toolkiln_runtime.stores import Stored

from .listing import Plan, Reply, called_at, ended, reply, turn_id
from .outcomes import Outcome
from .questions import Asked, asked

T = TypeVar("T")

SESSION: Final = "terminal"


class StoreError(Exception):
    """The database with the calls cannot be used."""


class Calls:
    """Makes calls, and takes the replies to what they ask; to be closed after use.

    All of it happens on one event loop, which stands still between two of these methods: what
    handlers keep there from one attempt to the next goes on working.
    """

    def __init__(self, executor: Executor, store: SqlStore) -> None:
        self._executor = executor
        self._store = store
        self._runner = Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._done(self._close())
        finally:
            self._runner.close()

    def call(self, tool: str, arguments: str) -> Progress:
        """What comes of a call; *arguments* is JSON text, whatever is wrong with it."""
        call, turn = ToolCall("call_1", tool, arguments), turn_id(time.time())
        made = self._executor.run([call], session_id=SESSION, turn_id=turn, step_id="step_1")
        return self._done(made)

    def approve(self, interaction_id: str, *, edited: Mapping[str, Any] | None = None) -> Progress:
        """Approve, with *edited* arguments if any; raises ToolError as the executor does."""
        approved = self._executor.approve(
            interaction_id, approved=True, edited_args=edited, by=_person()
        )
        return self._done(approved)

    def deny(self, interaction_id: str, reason: str | None) -> Progress:
        """Refuse an approval; raises ToolError."""
        refused = self._executor.approve(
            interaction_id, approved=False, reason=reason, by=_person()
        )
        return self._done(refused)

    def respond(self, interaction_id: str, value: Any) -> Progress:
        """Answer a question; raises ToolError."""
        return self._done(self._executor.respond(interaction_id, value, by=_person()))

    def settle(self, invocation_id: str, outcome: Outcome) -> Progress:
        """End a call that is deferred, uncertain or blocked; raises ToolError."""
        return self._done(self._executor.settle(invocation_id, outcome))

    def cancel(self, name: str) -> Progress:
        """End the call of an invocation, a question or a plan of this *name*, even if it runs.

        Raises ToolError `invocation.unknown`, or `.settled` if it has ended.
        """
        stored = self._done(self._stored(name))
        if stored is None:
            raise ToolError("invocation.unknown", "There is no such call.")
        if ended(records.load(stored.document)):
            raise ToolError("invocation.settled", "The call has its result.")
        return self._done(self._executor.cancel(plan_id=stored.plan_id))

    def expire(self) -> Progress:
        """End what was not answered in time."""
        return self._done(self._executor.expire())

    def open(self) -> Sequence[Plan]:
        """What has not ended, the oldest first."""
        reports = self._done(self._executor.unended())
        plans = [Plan(report, self._called_at(report)) for report in reports]
        return sorted(plans, key=lambda plan: plan.called_at)

    def question(self, interaction_id: str) -> PendingInteraction:
        """The open question of this id; raises ToolError if there is none."""
        stored = self._done(self._store.by_interaction(interaction_id))
        if stored is None:
            raise ToolError("interaction.unknown", "There is nothing of this id.")
        for pending in self.progress(stored.plan_id).pending:
            if pending.interaction.id == interaction_id:
                return pending
        raise ToolError("interaction.answered", "The question is no longer open.")

    def progress(self, plan_id: str) -> Progress:
        """How far a call is; raises ToolError `record.unknown`."""
        return self._done(self._executor.progress(plan_id))

    def asked(self, pending: PendingInteraction) -> Asked:
        """What may be said to an open question."""
        return asked(self._executor.catalog, pending)

    def reply(self, name: str) -> Reply | None:
        """What became of the question or the invocation of this *name*, if it is over."""
        stored = self._done(self._stored(name))
        return None if stored is None else reply(records.load(stored.document), name)

    def _called_at(self, report: Progress) -> float:
        stored = self._done(self._store.load(report.plan_id or ""))
        return 0.0 if stored is None else called_at(records.load(stored.document).turn_id)

    async def _stored(self, name: str) -> Stored | None:
        store = self._store
        return (
            await store.by_invocation(name)
            or await store.by_interaction(name)
            or await store.load(name)
        )

    async def _close(self) -> None:
        await self._executor.close()
        await self._store.close()

    def _done(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return self._runner.run(work)
        except (DBAPIError, sqlite3.Error) as error:
            # What the database says before there is a connection comes as it is.
            raise StoreError(str(getattr(error, "orig", error))) from error


def _person() -> str | None:
    """Who sits at the terminal, as far as the system knows."""
    try:
        return getuser()
    except (OSError, KeyError):
        return None
