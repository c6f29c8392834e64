"""Work on calls that this process has claimed: their attempts, recorded as they end (R3)."""

from __future__ import annotations

from asyncio import CancelledError, Event, Lock, Task, TimerHandle, get_running_loop, shield, wait
from collections.abc import Collection, Coroutine, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

from . import records
from .logs import fault, log
from .plan import Batch
from .plans import Plans, found
from .recording import without_taken
from .records import Record
from .running import Runner
from .sealing import Sealed
from .settlement import Attempted
from .steps import CANCELLED, Reply, Step
from .stores import Stale, Taken

T = TypeVar("T")


class Work:
    """The attempts of one claim."""

    def __init__(self, plans: Plans, record: Record, claim: str, batch: Batch) -> None:
        self.batch = batch
        self.claim = claim
        self.over = Event()
        self._plans = plans
        self._record = record
        self._reached: dict[str, tuple[Sealed, Attempted]] = {}
        """By call id, what the attempts came to and is not recorded yet."""
        self._writing = Lock()
        self._timer: TimerHandle | None = None
        self._renewal: Task[None] | None = None

    async def run(self, calls: Sequence[Sealed], runner: Runner, *, whole: bool) -> Record:
        """Make the attempts; what they come to is recorded when this returns.

        If the host's task is cancelled, the calls end as P8 says, with all others of the plan if
        it is the *whole* plan that is run. Raises what the store raises, once all have ended.
        """
        mine = self._plans.works.setdefault(self._record.id, set())
        mine.add(self)
        self._arm()
        try:
            await runner.run(calls, self.batch, self._done)
        except CancelledError:
            await _undisturbed(self._write(aborted=True, whole=whole))
            raise
        except Exception as error:  # noqa: BLE001 - the store's; perhaps it works again
            fault(error, "the results of plan %s could not be recorded at once", self._record.id)
            await self._write()
        finally:
            self._disarm()
            mine.discard(self)
            if not mine:
                self._plans.works.pop(self._record.id, None)
            self.over.set()
        return self._record

    async def _done(self, sealed: Sealed, attempt: Attempted) -> None:
        self._reached[sealed.call_id] = sealed, attempt
        async with self._writing:
            # What ends while one step is written shares the next one.
            if sealed.call_id in self._reached:
                await self._write()

    async def _write(self, *, aborted: bool = False, whole: bool = False) -> None:
        taken: set[str] = set()
        while True:
            reached = dict(self._reached)
            step = self._step(reached, taken)
            if aborted:
                self._abort(step, whole=whole)
            claims = {call.claim for call in step.calls if isinstance(call, records.Started)}
            if self.claim not in claims:
                step.released = (self.claim,)
            try:
                self._record = await self._plans.write(step)
            except Stale:
                self._record, _ = await found(self._plans.store.load(self._record.id))
            except Taken as error:
                taken |= error.ids
            else:
                break
        for call_id in reached:
            self._reached.pop(call_id, None)

    def _step(
        self, reached: Mapping[str, tuple[Sealed, Attempted]], taken: Collection[str]
    ) -> Step:
        step = Step(self._record, self._plans.now())
        left = dict(reached)
        for index, call in enumerate(step.calls):
            if self._is_mine(call) and call.call_id in left:
                sealed, attempt = left.pop(call.call_id)
                ended = self._plans.writer.ended(call, sealed, attempt, step.now)
                step.put(index, without_taken(ended, {*taken, *step.questions()}))
        for sealed, _ in left.values():
            log.warning("a result of tool %s came too late and is dropped", sealed.tool.name)
        return step

    def _abort(self, step: Step, *, whole: bool) -> None:
        for index, call in enumerate(step.calls):
            if records.is_open(call) and (whole or self._is_mine(call)):
                step.settle(index, CANCELLED, Reply(how="cancelled"))

    def _is_mine(self, call: records.Call) -> TypeGuard[records.Started]:
        return isinstance(call, records.Started) and call.claim == self.claim

    def _arm(self) -> None:
        pause = self._plans.lease / 3
        self._timer = get_running_loop().call_later(pause, self._start_renewal)

    def _start_renewal(self) -> None:
        self._renewal = get_running_loop().create_task(self.renew())

    async def renew(self) -> None:
        """Prolong the lease; if it was taken away, the plan was cancelled from elsewhere."""
        try:
            kept = await self._plans.store.renew(self._record.id, self._plans.until(self.claim))
        except Exception as error:  # noqa: BLE001 - the next renewal may do better
            fault(error, "the lease of plan %s could not be renewed", self._record.id)
            kept = True
        if self.over.is_set():
            return
        if kept:
            self._arm()
        else:
            self.batch.signal.cancel()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._renewal is not None:
            self._renewal.cancel()


async def _undisturbed(work: Coroutine[Any, Any, T]) -> T:
    """The result of *work*, which is finished even if the task is cancelled again."""
    task = get_running_loop().create_task(work)
    while not task.done():
        try:
            await shield(wait([task]))
        except CancelledError:
            continue
    return task.result()
