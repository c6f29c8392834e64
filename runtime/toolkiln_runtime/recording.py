"""From what happens in this process to what stands in the record of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from . import records
from .asking import Asking, required
from .contract import Contract, Schema
from .failures import ToolError
from .ids import interaction_id, plan_id
from .logs import log
from .outcomes import Completed, Denied, Failed
from .plan import Batch
from .protection import Keys, Protected, Protection, holds_secret, no_key
from .records import Call, Invocation, Owner, Question, Record, Result
from .results import Settled, ToolResult
from .sealing import Entry, Sealed
from .settlement import Attempted, Deferring
from .validators import mask
from .values import fresh

IN_USE = records.FailedResult(code="interaction.invalid", message="The question's id is in use.")


def field(invocation_id: str, name: str) -> str:
    """What a sealed field is bound to, so that it opens nowhere else."""
    return f"{invocation_id}\n{name}"


class Writer:
    """Makes records; secrets in them are sealed with *keys*."""

    def __init__(self, keys: Keys | None) -> None:
        self._protection = Protection(keys)

    def plan(self, entries: Sequence[Entry], batch: Batch, now: float) -> Record:
        """The record of a batch of which nothing has run; its first revision is to be written."""
        return Record(
            version=records.FORMAT,
            id=plan_id(),
            revision=0,
            session_id=batch.session_id,
            turn_id=batch.turn_id,
            step_id=batch.step_id,
            calls=tuple(self._sealed(entry, now) for entry in entries),
        )

    def needs_key(self, sealed: Sealed) -> ToolResult | None:
        """The failure of a call whose secrets could not be recorded; None if that is no matter."""
        if self._protection.keys is not None:
            return None
        if not (
            holds_secret(sealed.compiled.mask, fresh(sealed.text))
            or _may_hold_secrets(sealed.tool.contract)
        ):
            return None
        error = no_key()
        return sealed.failed(error.code, error.message)

    def ended(self, call: records.Started, sealed: Sealed, attempt: Attempted, now: float) -> Call:
        """*call* after its attempt."""
        try:
            if isinstance(attempt, ToolResult):
                contract = sealed.tool.contract
                return settled(call, self.result(attempt.outcome, call.invocation, contract))
            invocation = call.invocation
            secret = field(invocation.id, "token")
            token = attempt.token
            kept = None if token is None else self._protection.protect(token, None, secret)
            if isinstance(attempt, Deferring):
                deferral = sealed.tool.contract.deferred
                until = _deadline(None if deferral is None else deferral.expires, now)
                return records.Deferred(
                    **_entry(call), invocation=invocation, token=kept, expires_at=until
                )
            return records.Asking(
                **_entry(call),
                invocation=invocation,
                question=self._question(attempt, now),
                token=kept,
            )
        except ToolError as error:
            log.error("tool %s: %s", call.tool_name, error.code)
            return settled(call, failed(error))

    def result(
        self, outcome: Settled, invocation: Invocation | None, contract: Contract | None
    ) -> Result:
        """*outcome* of a tool with this contract; raises ToolError `record.no-key`."""
        if isinstance(outcome, Denied):
            return records.DeniedResult(reason=outcome.reason)
        if isinstance(outcome, Completed):
            schema = None if contract is None else contract.output
            return records.CompletedResult(output=self._value(outcome.output, schema, invocation))
        return self._failed(outcome, invocation, contract)

    def args(self, invocation_id: str, args: Any, sealed: Sealed) -> Protected:
        """Arguments of *sealed*; raises ToolError `record.no-key`."""
        bound = field(invocation_id, "args")
        return self._protection.protect(args, sealed.compiled.mask, bound)

    def value(self, value: Any, schema: Schema | None, bound: str) -> Protected:
        """*value* of a *schema*; raises ToolError `record.no-key`."""
        return self._protection.protect(value, mask(schema), bound)

    def _value(self, value: Any, schema: Schema | None, invocation: Invocation | None) -> Protected:
        return self.value(value, schema, field(invocation.id if invocation else "", "result"))

    def _failed(
        self, outcome: Failed[str], invocation: Invocation | None, contract: Contract | None
    ) -> Result:
        code, message, details = outcome.code, outcome.message, outcome.details
        if details is None:
            return records.FailedResult(code=code, message=message)
        failure = None if contract is None else contract.failures.get(code)
        schema = None if failure is None else failure.details
        kept = self._value(details, schema, invocation)
        return records.FailedResult(code=code, message=message, details=kept)

    def _sealed(self, entry: Entry, now: float) -> Call:
        if isinstance(entry, ToolResult):
            return records.Settled(
                call_id=entry.call_id,
                tool_name=entry.tool_name,
                requested_id=entry.requested_id,
                result=self.result(entry.outcome, None, None),
            )
        tool = entry.tool
        invocation = Invocation(
            id=entry.invocation_id,
            owner=Owner(middleware_id=tool.owner.middleware_id, slot=tool.owner.slot),
            wire_digest=tool.core.digest,
            args=self.args(entry.invocation_id, fresh(entry.text), entry),
        )
        ids = {"call_id": entry.call_id, "tool_name": tool.name}
        gate = entry.gate
        if gate is None:
            return records.Ready(**ids, invocation=invocation)
        approval = tool.contract.approval
        question = Question(
            id=gate.id,
            kind="approval",
            prompt=gate.prompt,
            metadata=gate.metadata,
            expires_at=_deadline(None if approval is None else approval.expires, now),
        )
        return records.Gated(**ids, invocation=invocation, question=question)

    def _question(self, asking: Asking, now: float) -> Question:
        asked, declared = asking.interaction, asking.question
        shown = required(asking, asked.id or interaction_id())
        choices = None
        if asked.choices:
            values = [choice.value for choice in asked.choices]
            bound = field(asking.sealed.invocation_id, "choices")
            response = mask(None if declared is None else declared.response)
            secret = any(holds_secret(response, value) for value in values)
            choices = self._protection.protect(values, None if secret else mask(None), bound)
        return Question(
            id=shown.id,
            kind=shown.kind,
            prompt=shown.prompt,
            metadata=shown.metadata,
            name="" if declared is None else asked.name,
            choices=choices,
            expires_at=_deadline(None if declared is None else declared.expires, now),
        )


def settled(call: records.Open, result: Result) -> records.Settled:
    """*call* with its result."""
    return records.Settled(**_entry(call), result=result, invocation=call.invocation)


def failed(error: ToolError) -> Result:
    """The failure of a call with the code of *error*."""
    return records.FailedResult(code=error.code, message=error.message)


def started(call: records.Open, claim: str) -> records.Started:
    """*call* in the hands of a worker."""
    return records.Started(**_entry(call), invocation=call.invocation, claim=claim)


def ready(call: records.Open) -> records.Ready:
    """*call* without a gate."""
    return records.Ready(**_entry(call), invocation=call.invocation)


def without_taken(call: Call, taken: Collection[str]) -> Call:
    """*call*, which fails if its question has one of the *taken* ids."""
    asked = records.question(call)
    if (
        asked is None
        or asked.id not in taken
        or not isinstance(call, records.Gated | records.Asking)
    ):
        return call
    return settled(call, IN_USE)


def _entry(call: Call) -> dict[str, Any]:
    return {
        "call_id": call.call_id,
        "tool_name": call.tool_name,
        "requested_id": call.requested_id,
    }


def _deadline(expires: float | None, now: float) -> float | None:
    return None if expires is None else now + expires


def _may_hold_secrets(contract: Contract) -> bool:
    """Whether a call may leave behind what only a key can keep; its arguments are another matter.

    Asked before anything runs: after it has, its result or token would be lost.
    """
    questions = contract.interactions.values()
    if any(question.token is not None for question in questions):
        return True
    if contract.deferred is not None and contract.deferred.token is not None:
        return True
    schemas = [contract.output, *(question.response for question in questions)]
    schemas += [failure.details for failure in contract.failures.values()]
    return any(mask(schema).on for schema in schemas)
