"""Where plans are kept (R3): what a store has to do, and what of it has to be atomic.

A plan is one JSON document with a revision. A store never looks into it: what it has to know for
its indexes stands beside it in the `Change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class Stale(Exception):  # noqa: N818 - says what the change was
    """The plan has another revision than the change was made for; nothing was written."""


class Taken(Exception):  # noqa: N818 - says what the ids are
    """Other questions that are open have these ids; nothing was written."""

    def __init__(self, ids: Iterable[str]) -> None:
        """*ids* are interaction ids of the refused change."""
        self.ids = frozenset(ids)
        super().__init__(*sorted(self.ids))


class Lease(Struct, frozen=True):
    """A worker's promise to be alive: what it has claimed and not ended by then is uncertain."""

    claim: str
    """Unique: minted anew for each piece of work."""
    until: float
    """Seconds since the epoch, by the clock of the executor."""


class Change(Struct, frozen=True, kw_only=True):
    """One step of one plan: all of it is written, or nothing."""

    plan_id: str
    revision: int
    """Of the plan after the step. The store has to hold exactly `revision - 1`, and for 1 no such
    plan at all; otherwise the step is Stale."""
    document: bytes
    """Replaces the one before."""
    session_id: str
    """The same in every step of a plan."""
    invocations: tuple[str, ...] = ()
    """Invocation ids that lead to the plan from now on; given with the first step only. They are
    unique everywhere."""
    opened: tuple[str, ...] = ()
    """Interaction ids that lead to the plan from now on, and are open. One that is open already,
    in any plan, is Taken. One that leads to another plan and is closed moves to this one."""
    closed: tuple[str, ...] = ()
    """Interaction ids that are no longer open; they go on leading to the plan. None of them is in
    `opened`, unless a call closed it and another one opened it again in the same step: so ids are
    closed before others are opened."""
    due: float | None = None
    """When something of the plan expires next, in seconds since the epoch; None if nothing does.
    Replaces the one before."""
    ended: float | None = None
    """Since when every call of the plan has its result; None while one has not."""
    lease: Lease | None = None
    """Of the work that starts with this step: kept from now on."""
    released: tuple[str, ...] = ()
    """Claims whose work is over with this step: their leases are dropped."""


class Stored(Struct, frozen=True, kw_only=True):
    """A plan as it is kept: one consistent view, document and leases read together."""

    plan_id: str
    revision: int
    document: bytes
    leases: Mapping[str, float]
    """By claim, until when; expired ones too."""


class CallStore(Protocol):
    """Keeps plans.

    Each method is one atomic step, also between processes: of any number of concurrent `commit`s
    for one revision exactly one succeeds, and whatever is read was written by one commit (leases
    by a later `renew`). A commit that has returned survives a crash, where the store is durable.
    A read that begins after a commit has returned sees it. All other failures (a lost connection)
    are raised as they are; whoever calls takes such a commit for one that may have been made.
    """

    @property
    def durable(self) -> bool:
        """Whether plans outlive the process: then secrets in them have to be sealed (R1)."""
        ...

    async def commit(self, change: Change) -> None:
        """Write *change*: document, indexes and leases in one atomic step.

        Raises Stale or Taken, in this order of precedence; then nothing of it was written.
        """
        ...

    async def load(self, plan_id: str) -> Stored | None:
        """The plan of this id."""
        ...

    async def by_interaction(self, interaction_id: str) -> Stored | None:
        """The plan that an interaction id, open or closed, leads to."""
        ...

    async def by_invocation(self, invocation_id: str) -> Stored | None:
        """The plan that an invocation id leads to."""
        ...

    async def renew(self, plan_id: str, lease: Lease) -> bool:
        """Prolong a lease, whatever the plan's revision; False if it is no longer kept.

        A lease that has run out but is kept is prolonged too: nobody takes the work over.
        """
        ...

    async def due(self, now: float, limit: int) -> Sequence[str]:
        """The plans, at most *limit*, whose `due` is *now* or earlier, the earliest first."""
        ...

    async def unended(
        self, session_id: str | None = None, *, after: str = "", limit: int = 100
    ) -> Sequence[Stored]:
        """The plans, of one session or of all, in which a call has no result yet.

        Ordered by plan id, from the first one greater than *after*: so a caller can page.
        """
        ...

    async def forget(self, before: float) -> int:
        """Remove the plans that ended before then, with all that leads to them; how many."""
        ...
