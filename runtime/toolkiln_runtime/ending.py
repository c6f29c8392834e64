"""Calls that end without their handler: settled or cancelled by the host (F2, P8)."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from . import records
from .answering import Decide
from .failures import ToolError
from .fitting import Refused
from .outcomes import Completed, Denied, Failed
from .plans import Plans, Turn
from .restoring import alive
from .results import Settled, ToolResult
from .sealing import Sealed
from .settlement import checked
from .steps import CANCELLED, Reply
from .values import InvalidJson, is_text, strict


class Endings:
    """Decides about what the host ends."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans

    def settle(self, invocation_id: str, outcome: object) -> Decide:
        """The end of a call that is deferred, uncertain or blocked."""

        async def decide(turn: Turn) -> None:
            index, call = self._find(turn, invocation_id)
            sealed: Sealed | None = None
            try:
                sealed = self._plans.reader.sealed(call)
            except ToolError:
                # It is blocked, and there is no contract that it could be held to.
                sealed = None
            else:
                _check_settles(call, turn)
            settled = _checked(sealed, outcome)
            contract = None if sealed is None else sealed.tool.contract
            result = self._plans.writer.result(settled, call.invocation, contract)
            turn.step.settle(index, result, Reply(how="settled"))

        return decide

    def cancel(self, invocation_id: str | None, live: Collection[str]) -> Decide:
        """The end of one call, or of all that have no result; *live* claims end by themselves."""

        async def decide(turn: Turn) -> None:
            step = turn.step
            if invocation_id is not None:
                index, call = self._find(turn, invocation_id)
                if alive(call, turn.leases, step.now):
                    raise _running()
                step.settle(index, CANCELLED, Reply(how="cancelled"))
                return
            for index, each in enumerate(step.calls):
                claim = each.claim if isinstance(each, records.Started) else None
                if isinstance(each, records.Settled) or claim in live:
                    continue
                if claim is not None:
                    # Whoever is at it in another process finds out when he renews his lease.
                    step.released = (*step.released, claim)
                step.settle(index, CANCELLED, Reply(how="cancelled"))

        return decide

    def _find(self, turn: Turn, invocation_id: str) -> tuple[int, records.Open]:
        for index, call in enumerate(turn.step.calls):
            if call.invocation is None or call.invocation.id != invocation_id:
                continue
            if isinstance(call, records.Settled):
                error = ToolError("invocation.settled", "The call has its result.")
                error.result = self._plans.reader.result(call)
                raise error
            return index, call
        raise ToolError("invocation.unknown", "There is no such call.")


def _check_settles(call: records.Open, turn: Turn) -> None:
    if isinstance(call, records.Deferred):
        return
    if not isinstance(call, records.Started):
        raise ToolError("invocation.open", "The call is not deferred: it waits for an answer.")
    if alive(call, turn.leases, turn.step.now):
        raise _running()


def _running() -> ToolError:
    return ToolError("invocation.running", "Somebody is at the call right now.")


def _checked(sealed: Sealed | None, outcome: object) -> Settled:
    if not isinstance(outcome, Completed | Denied | Failed):
        raise _invalid("It is neither Completed nor Denied nor Failed.")
    if sealed is None:
        return _loose(cast("Settled", outcome))
    try:
        result = checked(sealed, outcome)
    except Refused as error:
        raise _invalid(error.message) from None
    if not isinstance(result, ToolResult):
        raise _invalid("It ends nothing.")
    return result.outcome


def _loose(outcome: Settled) -> Settled:
    """*outcome*, if it is one of any tool."""
    try:
        match outcome:
            case Completed(output):
                return Completed(strict(output))
            case Denied(reason) if is_text(reason):
                return outcome
            case Failed(code, message, details) if code and is_text(code) and is_text(message):
                return Failed(code, message, None if details is None else strict(details))
            case _:
                pass
    except InvalidJson as error:
        raise _invalid(f"It is no JSON: {error}.") from None
    raise _invalid("It is no valid outcome.")


def _invalid(why: str) -> ToolError:
    return ToolError("invocation.invalid-outcome", f"The outcome is not valid. {why}")
