"""Runs batches of calls, and takes the replies to what they ask (N2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .answering import Answers
from .attempts import Attempts, Settings
from .catalog import Catalog
from .ending import Endings
from .events import Observer
from .gates import Policy
from .memory import MemoryStore
from .outcomes import Completed, Denied, Failed
from .plan import Batch, gated, has_gates
from .planning import Planner
from .plans import Plans, found
from .protection import HELD, Keys
from .recording import Writer
from .replying import Replies
from .restoring import Reader
from .results import PendingInteraction, Progress, ToolCall, ToolResult
from .running import Runner
from .sealing import Sealed, seal
from .signals import Signal
from .stores import CallStore
from .unrecorded import Unrecorded

LEASE: Final = 60.0
"""Seconds after which work that nobody has renewed counts as lost."""


class Executor:
    """Runs the calls of a catalog's tools.

    *policy* refuses calls or asks for approvals; several are asked in their order. *store* keeps
    every plan, so that it survives what happens to the process; without one, only those plans are
    kept that wait for something, in memory. *keys* seal secrets in a store that outlives the
    process. *limit* bounds the calls that run at once, *timeout* (seconds) the attempts of tools
    that set none. *clock* gives seconds since the epoch; processes that share a store have to
    agree on it to well within a *lease* (seconds). *expose_errors* puts the text of exceptions
    into results. *observers* are told events.
    """

    def __init__(  # noqa: PLR0913 - the settings of a host, all of them optional
        self,
        catalog: Catalog,
        *,
        policy: Policy | Sequence[Policy] = (),
        store: CallStore | None = None,
        keys: Keys | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        clock: Callable[[], float] = time.time,
        lease: float = LEASE,
        expose_errors: bool = False,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.catalog = catalog
        self._policies: tuple[Policy, ...] = (policy,) if callable(policy) else tuple(policy)
        self._settings = Settings(
            limit=limit, timeout=timeout, expose_errors=expose_errors, observers=tuple(observers)
        )
        self._attempts = Attempts(self._settings)
        runner = Runner(self._attempts, limit)
        self._stored = store is not None
        self._store: CallStore = MemoryStore() if store is None else store
        if keys is None and not self._store.durable:
            keys = HELD
        self._plans = Plans(self._store, Writer(keys), Reader(catalog, keys), clock, lease)
        self._plans.tell = self._attempts.tell
        self._planner = Planner(self._plans, runner)
        self._perform = runner.perform
        self._observed = bool(observers)
        self._plain = Unrecorded(self._attempts, runner, self._planner, told=self._observed)
        self._replies = Replies(self._plans, self._attempts, runner)
        self._answers = Answers(self._plans, self._policies)
        self._endings = Endings(self._plans)

    def over(self, store: CallStore, keys: Keys | None = None) -> Executor:
        """The same tools under the same settings, with plans in *store* and sessions of its own."""
        settings = self._settings
        return Executor(
            self.catalog,
            policy=self._policies,
            store=store,
            keys=keys,
            limit=settings.limit,
            timeout=settings.timeout,
            clock=self._plans.now,
            lease=self._plans.lease,
            expose_errors=settings.expose_errors,
            observers=settings.observers,
        )

    async def run(
        self,
        calls: Iterable[ToolCall],
        *,
        session_id: str,
        turn_id: str,
        step_id: str,
        signal: Signal | None = None,
    ) -> Progress:
        """Seal the batch and run it; every call gets exactly one result, in the calls' order.

        Nothing of it runs while a gate is open. Raises nothing but CancelledError, where the
        caller's task is cancelled, and what the store raises; *signal* ends what still runs as
        `tool.cancelled`.
        """
        recorded = self._stored
        batch = Batch(session_id, turn_id, step_id, Signal(), recorded or signal is not None)
        entries = seal(self.catalog, calls)
        if self._policies or has_gates(entries):
            entries = await gated(entries, self._policies, batch)
            recorded = recorded or any(type(e) is Sealed and e.gate is not None for e in entries)
        if signal is None:
            if recorded:
                return await self._planner.run(entries, batch)
            if len(entries) == 1 and not self._observed and type(entry := entries[0]) is Sealed:
                # Nearly every batch is like this, and each coroutine on its way costs.
                attempt = await self._perform(entry, batch)
                if type(attempt) is ToolResult:
                    return Progress("completed", (attempt,))
                return await self._planner.paused(entries, [attempt], batch)
            return await self._plain.run(entries, batch)
        signal.watch(batch.signal.cancel)
        try:
            return await (self._planner if recorded else self._plain).run(entries, batch)
        finally:
            signal.unwatch(batch.signal.cancel)

    async def approve(
        self,
        interaction_id: str,
        approved: bool,  # noqa: FBT001 - the one thing that an approval says
        reason: str | None = None,
        edited_args: Mapping[str, Any] | None = None,
        by: str | None = None,
    ) -> Progress:
        """Answer an approval, and make the attempts that this allows (P2, P4 to P6).

        *edited_args* replace the arguments where the contract allows it, with stand-ins left in
        the place of sensitive values. Raises ToolError `interaction.unknown`, `.answered`,
        `.expired`, `.wrong-kind`, `.invalid-response`, `.invalid-edit`, or the `record.` code that
        blocks the call; then nothing has changed.
        """
        decide = self._answers.approve(
            interaction_id, approved, reason=reason, edited_args=edited_args, by=by
        )
        return await self._replies.change(self._asking(interaction_id), decide)

    async def respond(self, interaction_id: str, value: Any, by: str | None = None) -> Progress:
        """Answer a question, and run its call again (P3, P5); raises ToolError as `approve`."""
        decide = self._answers.respond(interaction_id, value, by=by)
        return await self._replies.change(self._asking(interaction_id), decide)

    async def settle(
        self, invocation_id: str, outcome: Completed[Any] | Denied | Failed[str]
    ) -> Progress:
        """End a call that is deferred, uncertain or blocked; its siblings do not run again (F2).

        Raises ToolError `invocation.unknown`, `.settled` (with the recorded `result`), `.running`,
        `.open` (it waits for an answer) or `.invalid-outcome`.
        """
        decide = self._endings.settle(invocation_id, outcome)
        return await self._replies.change(self._invoked(invocation_id), decide)

    async def cancel(
        self, *, plan_id: str | None = None, invocation_id: str | None = None
    ) -> Progress:
        """End all unresolved calls of a plan, or one that nobody is at, as `tool.cancelled` (P8).

        Calls of the plan that run in this process are interrupted and awaited; what one of them
        finishes all the same is kept. Raises ToolError `record.unknown`, `invocation.unknown`,
        `.settled` or `.running`.
        """
        if (plan_id is None) is (invocation_id is None):
            raise TypeError("cancel takes a plan or an invocation")
        if plan_id is not None:
            return await self._replies.cancel(plan_id)
        decide = self._endings.cancel(invocation_id, ())
        return await self._replies.change(self._invoked(invocation_id or ""), decide)

    async def expire(self, now: float | None = None) -> Progress:
        """End what has expired by *now* (the clock's time if None), in all plans (P7).

        Calls that waited for nothing else are run. Gives one report of all plans that changed.
        """
        return await self._replies.expire(now)

    async def pending(self, session_id: str | None = None) -> tuple[PendingInteraction, ...]:
        """The questions that wait for an answer, of one session or of all."""
        reports = await self._replies.unended(session_id)
        return tuple(pending for report in reports for pending in report.pending)

    async def unended(self, session_id: str | None = None) -> tuple[Progress, ...]:
        """The plans in which a call has no result, of one session or of all."""
        return tuple(await self._replies.unended(session_id))

    async def progress(self, plan_id: str) -> Progress:
        """How far a plan is; raises ToolError `record.unknown`."""
        record, leases = await found(self._store.load(plan_id))
        return self._plans.reader.progress(record, leases, self._plans.now())

    async def end_session(self, session_id: str) -> None:
        """Dispose the states of a session."""
        await self._attempts.states.end(session_id)

    async def close(self) -> None:
        """Dispose all states, and start no more threads."""
        await self._attempts.states.end_all()
        self._attempts.close()

    def _asking(self, interaction_id: str) -> Any:
        find = self._store.by_interaction
        return lambda: found(find(interaction_id), "interaction.unknown")

    def _invoked(self, invocation_id: str) -> Any:
        find = self._store.by_invocation
        return lambda: found(find(invocation_id), "invocation.unknown")
