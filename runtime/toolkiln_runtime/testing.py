"""For tests of hosts and agents: no handler runs that was not asked to.

rehearsal = Rehearsal(catalog)
rehearsal.script("refund_invoice", Failed("not_found", "No such invoice."), FAKE)
progress = await rehearsal.call("refund_invoice", {"invoice_id": "in_7"})
progress = await rehearsal.approve(progress)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from itertools import count
from typing import Any, Final, TypeAlias, TypeVar

from msgspec.structs import replace

from .catalog import Catalog, ToolSlot
from .context import ToolExecutionContext
from .contract import Contract
from .core import Core
from .definition import ToolDefinition
from .executor import Executor
from .outcomes import Completed, Denied, Failed
from .results import DeferredCall, PendingInteraction, Progress, ToolCall
from .sampling import NoSample, fake

__all__ = [
    "FAKE",
    "REAL",
    "ManualClock",
    "NoSample",
    "Rehearsal",
    "Script",
    "Scripted",
    "Unscripted",
    "fake",
]

Outcome = TypeVar("Outcome")
Handler = TypeVar("Handler")

Script: TypeAlias = Outcome | Exception | Sequence[Outcome | Exception | None] | Handler | None
"""What a tool does in a test: an outcome or an exception at every attempt; one of a list at each,
and when none is left, Unscripted is raised; what a handler does; or, for None, it completes with
an output that the contract's schema accepts."""

FAKE: Final = object()
"""In a script: completed, with an output that the contract's schema accepts."""
REAL: Final = object()
"""In a script: whatever the real handler does."""

START: Final = 1_900_000_000.0


class Unscripted(BaseException):
    """A handler was about to be entered for which the test has no script.

    It is no Exception, so that nothing takes it for the failure of a tool.
    """


class ManualClock:
    """Seconds since the epoch that pass only when a test says so."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class Scripted:
    """A handler that follows a script."""

    def __init__(self, contract: Contract, script: Script[Any, Any]) -> None:
        self._contract = contract
        self._script: Any = script
        self._listed = isinstance(script, Sequence)
        self._attempts = count()

    async def __call__(self, args: Any, context: ToolExecutionContext[Any, Any], /) -> Any:
        attempt, script = next(self._attempts), self._script
        if self._listed and attempt >= len(script):
            raise Unscripted(f"{self._contract.name} was called, and its script is at an end.")
        planned = script[attempt] if self._listed else script
        planned = FAKE if planned is None else planned
        return await _performed(planned, self._contract, attempt, (args, context))


async def _performed(planned: Any, contract: Contract, seed: int, given: tuple[Any, Any]) -> Any:
    if planned is FAKE:
        schema = contract.output
        return Completed(None if schema is None else fake(schema, seed=seed))
    if isinstance(planned, BaseException):
        raise planned
    outcome: Any = planned(*given) if callable(planned) else planned
    return await outcome if isawaitable(outcome) else outcome


class Rehearsal:
    """A catalog's tools with scripts in the place of their handlers, and an executor for them."""

    def __init__(self, catalog: Catalog, **settings: Any) -> None:
        """*settings* are the executor's; its clock is a ManualClock if they name none."""
        self.clock = ManualClock()
        self.entered: list[tuple[str, Any]] = []
        """The tools that were entered, with their arguments, in that order."""
        self._scripts: dict[str, list[Any]] = {}
        self._numbers = count(1)
        scripted = Catalog(self._slot(slot) for slot in catalog.slots)
        settings.setdefault("clock", self.clock)
        self.executor = Executor(scripted, **settings)

    def script(self, name: str, *outcomes: Any) -> None:
        """What the next attempts of a tool do; its name is the one that the model sees.

        An outcome is returned, an exception raised, FAKE made up, REAL left to the handler, and a
        function called as the handler would be.
        """
        if name not in self.executor.catalog.tools:
            raise LookupError(f"There is no tool {name}.")
        self._scripts.setdefault(name, []).extend(outcomes)

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Progress:
        """Make one call."""
        return await self.run((name, arguments or {}))

    async def run(self, *calls: tuple[str, Mapping[str, Any]]) -> Progress:
        """Make a batch of calls, `call_1`, `call_2` and so on."""
        made = [ToolCall(f"call_{next(self._numbers)}", name, args) for name, args in calls]
        return await self.executor.run(made, session_id="ses", turn_id="turn", step_id="step")

    async def approve(
        self, progress: Progress, call_id: str | None = None, **reply: Any
    ) -> Progress:
        """Approve what is asked; *call_id* says which call it is, if several wait."""
        return await self.executor.approve(_asked(progress, call_id), approved=True, **reply)

    async def refuse(
        self, progress: Progress, call_id: str | None = None, **reply: Any
    ) -> Progress:
        """Refuse what is asked."""
        return await self.executor.approve(_asked(progress, call_id), approved=False, **reply)

    async def respond(self, progress: Progress, value: Any, call_id: str | None = None) -> Progress:
        """Answer what is asked."""
        return await self.executor.respond(_asked(progress, call_id), value)

    async def settle(
        self,
        progress: Progress,
        outcome: Completed[Any] | Denied | Failed[str],
        call_id: str | None = None,
    ) -> Progress:
        """Settle what is deferred."""
        invocation_id = _one(progress.deferred, call_id).invocation_id
        return await self.executor.settle(invocation_id, outcome)

    def _slot(self, slot: ToolSlot) -> ToolSlot:
        tools = [self._scripted(slot.prefix + tool.name, tool) for tool in slot.tools]
        return replace(slot, tools=tools)

    def _scripted(self, name: str, tool: ToolDefinition[Any, Any]) -> ToolDefinition[Any, Any]:
        real = tool.core
        if real is None:
            raise TypeError(name)
        core = Core(real.contract, self._handler(name, tool, real.contract), real.model)
        core.answers, core.declared, core.refused = real.answers, real.declared, real.refused
        return replace(tool, core=core)

    def _handler(
        self, name: str, tool: ToolDefinition[Any, Any], contract: Contract
    ) -> Callable[..., Any]:
        async def handler(args: Any, context: ToolExecutionContext) -> Any:
            self.entered.append((name, args))
            script = self._scripts.get(name)
            if not script:
                raise Unscripted(f"{name} was called, and has no script.")
            planned = script.pop(0)
            planned = tool.execute if planned is REAL else planned
            return await _performed(planned, contract, len(self.entered), (args, context))

        return handler


W = TypeVar("W", PendingInteraction, DeferredCall)


def _asked(progress: Progress, call_id: str | None) -> str:
    return _one(progress.pending, call_id).interaction.id


def _one(waiting: Sequence[W], call_id: str | None) -> W:
    found = [item for item in waiting if call_id in (None, item.call.call_id)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} calls wait for this: say which one is meant.")
    return found[0]
