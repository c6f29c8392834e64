"""Plans and tokens kept in this process."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from .protection import HELD
from .stores import Change, Lease, Stale, Stored, Taken

RETAINED: Final = 1_000
"""Plans that have ended and are kept all the same, so that late replies get their answer."""


class _Kept:
    """A plan, and what stands beside it."""

    __slots__ = ("change", "interactions", "invocations", "leases")

    def __init__(self, change: Change) -> None:
        self.change = change
        self.invocations = change.invocations
        self.interactions: dict[str, bool] = {}
        """Whether each is open."""
        self.leases: dict[str, float] = {}


class MemoryStore:
    """Ends with the process, and is for one event loop; the secrets of its plans stay in memory.

    *retained* bounds the plans that are kept after all of their calls got results.
    """

    durable = False

    def __init__(self, *, retained: int = RETAINED) -> None:
        self._retained = retained
        self._plans: dict[str, _Kept] = {}
        self._ended: dict[str, float] = {}
        """When, of plans that have ended; in the order in which they did."""
        self._interactions: dict[str, str] = {}
        self._invocations: dict[str, str] = {}
        self._tokens: dict[str, float] = {}

    async def commit(self, change: Change) -> None:
        """Write *change*, or raise Stale or Taken."""
        kept = self._plans.get(change.plan_id)
        if (0 if kept is None else kept.change.revision) != change.revision - 1:
            raise Stale
        closed = set(change.closed)
        taken = [name for name in change.opened if name not in closed and self._is_open(name)]
        if taken:
            raise Taken(taken)
        if kept is None:
            kept = self._plans[change.plan_id] = _Kept(change)
            self._invocations.update(dict.fromkeys(change.invocations, change.plan_id))
        kept.change = change
        kept.interactions.update(dict.fromkeys(change.closed, False))
        for name in change.opened:
            kept.interactions[name] = True
            self._interactions[name] = change.plan_id
        for claim in change.released:
            kept.leases.pop(claim, None)
        if change.lease is not None:
            kept.leases[change.lease.claim] = change.lease.until
        if change.ended is not None:
            self._ended.setdefault(change.plan_id, change.ended)
            while len(self._ended) > self._retained:
                self._drop(next(iter(self._ended)))

    async def load(self, plan_id: str) -> Stored | None:
        """The plan of this id."""
        kept = self._plans.get(plan_id)
        if kept is None:
            return None
        change = kept.change
        return Stored(
            plan_id=plan_id,
            revision=change.revision,
            document=change.document,
            leases=dict(kept.leases),
        )

    async def by_interaction(self, interaction_id: str) -> Stored | None:
        """The plan that an interaction id, open or closed, leads to."""
        return await self.load(self._interactions.get(interaction_id, ""))

    async def by_invocation(self, invocation_id: str) -> Stored | None:
        """The plan that an invocation id leads to."""
        return await self.load(self._invocations.get(invocation_id, ""))

    async def renew(self, plan_id: str, lease: Lease) -> bool:
        """Prolong a lease; False if it is no longer kept."""
        kept = self._plans.get(plan_id)
        if kept is None or lease.claim not in kept.leases:
            return False
        kept.leases[lease.claim] = lease.until
        return True

    async def due(self, now: float, limit: int) -> Sequence[str]:
        """The plans, at most *limit*, whose `due` is *now* or earlier, the earliest first."""
        dues = (
            (inf if kept.change.due is None else kept.change.due, plan_id)
            for plan_id, kept in self._plans.items()
        )
        return [plan_id for due, plan_id in sorted(dues) if due <= now][:limit]

    async def unended(
        self, session_id: str | None = None, *, after: str = "", limit: int = 100
    ) -> Sequence[Stored]:
        """A page of the plans, of one session or of all, in which a call has no result yet."""
        names = sorted(
            plan_id
            for plan_id, kept in self._plans.items()
            if plan_id > after
            and kept.change.ended is None
            and session_id in (None, kept.change.session_id)
        )
        found = [await self.load(name) for name in names[:limit]]
        return [stored for stored in found if stored is not None]

    async def forget(self, before: float) -> int:
        """Remove the plans that ended before then; how many."""
        old = [plan_id for plan_id, ended in self._ended.items() if ended < before]
        for plan_id in old:
            self._drop(plan_id)
        return len(old)

    async def keep_token(self, identifier: str, expires: float, now: float) -> None:
        """Remember a token until *expires*."""
        self._tokens = {name: until for name, until in self._tokens.items() if until > now}
        self._tokens[identifier] = expires

    async def spend_token(self, identifier: str) -> bool:
        """Forget a token: True for exactly one of all that try."""
        return self._tokens.pop(identifier, None) is not None

    def _is_open(self, interaction_id: str) -> bool:
        kept = self._plans.get(self._interactions.get(interaction_id, ""))
        return kept is not None and kept.interactions.get(interaction_id, False)

    def _drop(self, plan_id: str) -> None:
        kept = self._plans.pop(plan_id)
        del self._ended[plan_id]
        for name in kept.invocations:
            del self._invocations[name]
            HELD.release(name)
        for name in kept.interactions:
            if self._interactions.get(name) == plan_id:
                del self._interactions[name]

    def __repr__(self) -> str:
        return f"MemoryStore({len(self._plans)} plans)"
