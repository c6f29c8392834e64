"""The plans of one executor: written step by step, and reported on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from . import records
from .events import Event
from .failures import ToolError
from .ids import claim_id
from .plan import Batch
from .recording import Writer, started
from .records import Open, Record
from .restoring import Leases, Reader
from .results import Progress
from .sealing import Sealed
from .signals import Signal
from .steps import Step
from .stores import CallStore, Lease, Stored

if TYPE_CHECKING:
    from .working import Work


class Turn:
    """A step, and the calls that start with it."""

    def __init__(self, record: Record, leases: Leases, now: float) -> None:
        self.step = Step(record, now)
        self.leases = leases
        self.claim = claim_id()
        self.claimed: list[Sealed] = []
        self.refused: list[Sealed] = []
        """Calls whose handlers are told that their question was refused."""

    def take(self, index: int, call: Open, sealed: Sealed) -> None:
        """Start *call*, which stands at *index*."""
        self.step.put(index, started(call, self.claim))
        self.claimed.append(sealed)

    def start(self, reader: Reader, known: Mapping[str, Sealed]) -> None:
        """Start what waits for no gate any more; calls that are *known* need not be restored."""
        calls = self.step.calls
        if any(isinstance(call, records.Gated) for call in calls):
            return
        for index, call in enumerate(calls):
            if isinstance(call, records.Ready):
                try:
                    sealed = known.get(call.call_id) or reader.sealed(call)
                except ToolError:
                    # It is blocked, which keeps none of the others.
                    continue
                self.take(index, call, sealed)


class Plans:
    """Reads and writes the plans of one executor."""

    def __init__(
        self,
        store: CallStore,
        writer: Writer,
        reader: Reader,
        clock: Callable[[], float],
        lease: float,
    ) -> None:
        """*lease* is in seconds."""
        self.store = store
        self.writer = writer
        self.reader = reader
        self.now = clock
        self.lease = lease
        self.tell: Callable[[Iterable[Event]], object] = tuple
        self.works: dict[str, set[Work]] = {}
        """What this process works on, by plan."""

    def until(self, claim: str) -> Lease:
        """A lease from now on."""
        return Lease(claim, self.now() + self.lease)

    async def write(self, step: Step) -> Record:
        """Write *step*, and tell the observers of it; raises Stale or Taken."""
        if not step.changed:
            return step.before
        await self.store.commit(step.change())
        self.tell(step.events())
        return step.record

    async def write_turn(self, turn: Turn) -> Record:
        """Write the step of *turn*, which claims what it starts; raises Stale or Taken."""
        if turn.claimed:
            turn.step.lease = self.until(turn.claim)
        return await self.write(turn.step)

    async def progress(self, record: Record) -> Progress:
        """The report of a plan whose latest known revision is *record*."""
        leases: Leases = {}
        if any(isinstance(call, records.Started) for call in record.calls):
            stored = await self.store.load(record.id)
            if stored is not None:
                record, leases = records.load(stored.document), stored.leases
        return self.reader.progress(record, leases, self.now())


async def found(
    stored: Awaitable[Stored | None], code: str = "record.unknown"
) -> tuple[Record, Leases]:
    """The plan that *stored* gives; raises ToolError *code* if there is none."""
    plan = await stored
    if plan is None:
        raise ToolError(code, "There is nothing of this id.")
    return records.load(plan.document), plan.leases


def batch_of(record: Record) -> Batch:
    """What the calls of a plan share when they run again."""
    return Batch(record.session_id, record.turn_id, record.step_id, Signal(), linked=True)
