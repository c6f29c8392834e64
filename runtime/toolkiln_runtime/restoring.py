"""From a record to calls that may run, and to what is reported of them (R2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from . import records
from .catalog import Catalog
from .context import ToolExecutionResume
from .definition import BoundToolDefinition
from .digests import wire_digest
from .failures import ToolError
from .outcomes import Completed, Denied, Failed
from .protection import Keys, Protected, Protection
from .recording import field
from .records import Call, Invocation, Open, Record
from .results import (
    DeferredCall,
    PendingInteraction,
    Progress,
    SealedToolCall,
    Settled,
    Status,
    ToolResult,
    UnfinishedCall,
)
from .sealing import Sealed
from .steps import Step, required
from .validators import InvalidSchema
from .values import encode

Leases: TypeAlias = Mapping[str, float]


class Reader:
    """Understands records, with the tools of one catalog."""

    def __init__(self, catalog: Catalog, keys: Keys | None) -> None:
        self._catalog = catalog
        self._protection = Protection(keys)

    def sealed(self, call: Open) -> Sealed:
        """*call* so that it may run.

        Raises ToolError `record.unknown-tool`, `.contract-changed` or `.no-key` if it is blocked.
        """
        invocation = call.invocation
        tool = self._tool(call)
        try:
            compiled = tool.core.compiled
        except InvalidSchema:
            raise _changed() from None
        args = self._protection.reveal(invocation.args, field(invocation.id, "args"))
        return Sealed(
            call.call_id,
            encode(args),
            tool,
            compiled,
            invocation.id,
            None,
            granted=_granted(invocation),
        )

    def blocked(self, call: Open) -> str | None:
        """The code with which replies to *call* are rejected."""
        try:
            self.sealed(call)
        except ToolError as error:
            return error.code
        return None

    def token(self, call: records.Asking | records.Deferred) -> Any:
        """What the handler left behind; raises ToolError `record.no-key`."""
        if call.token is None:
            return None
        return self._protection.reveal(call.token, field(call.invocation.id, "token"))

    def choices(self, call: records.Asking) -> list[Any] | None:
        """The values that may be answered; raises ToolError `record.no-key`."""
        kept = call.question.choices
        if kept is None:
            return None
        values: list[Any] = self._protection.reveal(kept, field(call.invocation.id, "choices"))
        return values

    def result(self, call: records.Settled) -> ToolResult:
        """The result of a call; what no key opens stays behind its stand-in."""
        invocation = call.invocation
        edited = invocation is not None and invocation.edited
        return ToolResult(
            call.call_id,
            call.tool_name,
            self._outcome(call.result, "" if invocation is None else invocation.id),
            call.requested_id,
            invocation.args.shown if edited and invocation is not None else None,
        )

    def progress(self, record: Record, leases: Leases, now: float) -> Progress:
        """The report of a plan, at this time."""
        results: list[ToolResult] = []
        pending: list[PendingInteraction] = []
        deferred: list[DeferredCall] = []
        unfinished: list[UnfinishedCall] = []
        calls = Step(record, now).calls
        for call in calls:
            if isinstance(call, records.Settled):
                results.append(self.result(call))
            elif isinstance(call, records.Gated | records.Asking):
                pending.append(self._pending(call, record))
            elif isinstance(call, records.Deferred):
                deferred.append(self._deferred(call))
            else:
                unfinished.append(self._unfinished(call, leases, now))
        status: Status = "completed"
        if deferred or unfinished:
            status = "deferred"
        if pending:
            status = "interaction-required"
        groups = tuple(results), tuple(pending), tuple(deferred), tuple(unfinished)
        return Progress(status, *groups, record.id)

    def _tool(self, call: Open) -> BoundToolDefinition:
        name, digest = call.tool_name, call.invocation.wire_digest
        tool = self._catalog.find(name)
        if tool is not None:
            same = tool.core.digest == digest
        else:
            tool = self._catalog.find(self._catalog.former.get(name, ""))
            if tool is None:
                raise ToolError("record.unknown-tool", "The call's tool is gone.")
            # The name is part of the digest: so what was recorded under an earlier one is compared.
            contract = tool.contract
            same = any(wire_digest(contract, old) == digest for old in contract.formerly)
        if not same:
            raise _changed()
        return tool

    def _outcome(self, result: records.Result, invocation_id: str) -> Settled:
        if isinstance(result, records.DeniedResult):
            return Denied(result.reason)
        bound = field(invocation_id, "result")
        if isinstance(result, records.CompletedResult):
            return Completed(self._seen(result.output, bound))
        details = None if result.details is None else self._seen(result.details, bound)
        return Failed(result.code, result.message, details)

    def _seen(self, value: Protected, bound: str) -> Any:
        try:
            return self._protection.reveal(value, bound)
        except ToolError:
            return value.shown

    def _call(self, call: Open) -> SealedToolCall:
        args = self._seen(call.invocation.args, field(call.invocation.id, "args"))
        return SealedToolCall(call.call_id, call.tool_name, encode(args))

    def _pending(self, call: records.Gated | records.Asking, record: Record) -> PendingInteraction:
        return PendingInteraction(
            self._call(call),
            call.invocation.id,
            required(call.question),
            isinstance(call, records.Gated),
            call.invocation.args.shown,
            record.id,
            record.session_id,
            call.question.expires_at,
            self.blocked(call),
        )

    def _deferred(self, call: records.Deferred) -> DeferredCall:
        try:
            token = self.token(call)
        except ToolError:
            token = None
        return DeferredCall(self._call(call), call.invocation.id, token)

    def _unfinished(
        self, call: records.Ready | records.Started, leases: Leases, now: float
    ) -> UnfinishedCall:
        seen, name = self._call(call), call.invocation.id
        if isinstance(call, records.Started):
            state: Literal["running", "uncertain"] = (
                "running" if alive(call, leases, now) else "uncertain"
            )
            return UnfinishedCall(seen, name, state)
        return UnfinishedCall(seen, name, "blocked" if self.blocked(call) else "waiting")


def _changed() -> ToolError:
    return ToolError("record.contract-changed", "The contract of the call's tool has changed.")


def alive(call: Call, leases: Leases, now: float) -> bool:
    """Whether somebody is at *call*."""
    return isinstance(call, records.Started) and leases.get(call.claim, now) > now


def _granted(invocation: Invocation) -> ToolExecutionResume[None, None] | None:
    for said in invocation.resolutions:
        if said.gate and said.how == "approved":
            return ToolExecutionResume(
                interaction_id=said.interaction_id, kind="approval", approved=True
            )
    return None
