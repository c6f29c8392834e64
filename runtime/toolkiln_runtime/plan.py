"""A batch under way: its gates, its attempts, and what it reports (E1, E2)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, cast

from msgspec import Struct

from .asking import Asking
from .contract import Approval
from .gates import Policy, PolicyRequest
from .ids import interaction_id
from .interactions import RequiredInteraction
from .logs import fault, log
from .outcomes import Denied, Interaction
from .prompts import HIDDEN, Values, fill
from .results import DeferredCall, PendingInteraction, Progress, Status, ToolResult
from .sealing import Entry, Sealed
from .sensitive import STAND_IN, Mask
from .settlement import Attempted, Deferring
from .signals import Signal
from .validators import fresh_document
from .values import InvalidJson, is_text, strict


class Batch(Struct, frozen=True, eq=False):
    """What the calls of one `run` share."""

    session_id: str
    turn_id: str
    step_id: str
    signal: Signal
    linked: bool
    """Whether the signal can fire without the task of `run` being cancelled."""


async def gated(entries: Sequence[Entry], policies: Sequence[Policy], batch: Batch) -> list[Entry]:
    """*entries* after all denials; those that have to wait for an approval carry its question."""
    ids: set[str] = set()
    return [
        await _gated(entry, policies, batch, ids) if isinstance(entry, Sealed) else entry
        for entry in entries
    ]


async def _gated(sealed: Sealed, policies: Sequence[Policy], batch: Batch, ids: set[str]) -> Entry:
    verdicts = [await _verdict(policy, sealed, batch) for policy in policies]
    for verdict in verdicts:
        if isinstance(verdict, Denied):
            return ToolResult(sealed.call_id, sealed.tool.name, verdict)
    gate = sealed.compiled.gate
    if gate is not None and gate.asks(sealed.args()):
        sealed.gate = _approval(sealed, gate.approval)
        return sealed
    asked = next((verdict for verdict in verdicts if isinstance(verdict, Interaction)), None)
    if asked is None:
        return sealed
    if asked.id in ids:
        return sealed.failed("interaction.invalid", "The id of a policy's question is in use.")
    identifier = asked.id or interaction_id()
    ids.add(identifier)
    prompt = asked.prompt or _run(sealed)
    sealed.gate = RequiredInteraction(
        id=identifier, kind="approval", prompt=prompt, metadata=asked.metadata
    )
    return sealed


async def _verdict(
    policy: Policy, sealed: Sealed, batch: Batch
) -> Denied | Interaction[str] | None:
    """What *policy* says; whatever goes wrong asks."""
    request = PolicyRequest(
        sealed.call, sealed.tool, sealed.args(), batch.session_id, batch.turn_id, batch.step_id
    )
    try:
        verdict: Any = policy(request)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is None or (isinstance(verdict, Denied) and is_text(verdict.reason)):
            return verdict
        if isinstance(verdict, Interaction):
            return _checked(verdict)
        log.error("a policy gave no verdict about %s", sealed.tool.name)
    except Exception as error:  # noqa: BLE001 - nobody may run the tool for it
        fault(error, "a policy failed about %s", sealed.tool.name)
    return Interaction(kind="approval")


def _checked(asked: Any) -> Interaction[str]:
    """*asked* as the approval that it must be; raises on anything else."""
    if asked.kind != "approval" or not is_text(asked.prompt):
        raise ValueError("a policy asks for approvals")
    if asked.id is not None and not (asked.id and is_text(asked.id)):
        raise ValueError("the id is no text")
    try:
        metadata = None if asked.metadata is None else strict(asked.metadata)
    except InvalidJson:
        raise ValueError("the metadata is no JSON") from None
    return Interaction(kind="approval", prompt=asked.prompt, metadata=metadata, id=asked.id)


def _run(sealed: Sealed) -> str:
    return f"Run {sealed.tool.contract.title or sealed.tool.name}?"


def _approval(sealed: Sealed, approval: Approval) -> RequiredInteraction:
    filled = fill(approval.prompt, Values(sealed.args(), sealed.hidden()))
    metadata = {**approval.extensions, "name": "approval", "values": filled.values}
    return RequiredInteraction(
        id=interaction_id(),
        kind="approval",
        prompt=filled.text or _run(sealed),
        metadata=metadata,
    )


def _is_result(attempt: Attempted) -> bool:
    return type(attempt) is ToolResult


def has_gates(entries: Sequence[Entry]) -> bool:
    """Whether the contract of any call has a gate."""
    for entry in entries:  # noqa: SIM110 - a generator costs a tenth of a call
        if type(entry) is Sealed and entry.compiled.gate is not None:
            return True
    return False


def waiting(entries: Iterable[Entry]) -> Progress | None:
    """The report of a batch that may not start, because a gate of it is open."""
    entries = list(entries)
    pending = tuple(
        _pending(entry, entry.gate, gate=True)
        for entry in entries
        if isinstance(entry, Sealed) and entry.gate is not None
    )
    if not pending:
        return None
    results = tuple(entry for entry in entries if isinstance(entry, ToolResult))
    return Progress("interaction-required", results, pending)


def report(attempts: Sequence[Attempted]) -> Progress:
    """The report of a batch whose calls have all been tried."""
    if len(attempts) == 1 and isinstance(attempts[0], ToolResult):
        return Progress("completed", (attempts[0],))
    if all(map(_is_result, attempts)):
        return Progress("completed", tuple(cast("Sequence[ToolResult]", attempts)))
    results: list[ToolResult] = []
    pending: list[PendingInteraction] = []
    deferred: list[DeferredCall] = []
    ids: set[str] = set()
    for attempt in attempts:
        if isinstance(attempt, ToolResult):
            results.append(attempt)
        elif isinstance(attempt, Deferring):
            sealed = attempt.sealed
            deferred.append(DeferredCall(sealed.call, sealed.invocation_id, attempt.token))
        elif attempt.interaction.id in ids:
            sealed = attempt.sealed
            results.append(sealed.failed("interaction.invalid", "The question's id is in use."))
        else:
            required = _question(attempt)
            ids.add(required.id)
            pending.append(_pending(attempt.sealed, required, gate=False))
    status: Status = "interaction-required" if pending else "deferred" if deferred else "completed"
    return Progress(status, tuple(results), tuple(pending), tuple(deferred))


def _pending(sealed: Sealed, required: RequiredInteraction, *, gate: bool) -> PendingInteraction:
    masked = sealed.compiled.mask(sealed.call.args)
    return PendingInteraction(sealed.call, sealed.invocation_id, required, gate, masked)


def _question(asking: Asking) -> RequiredInteraction:
    asked, question = asking.interaction, asking.question
    identifier = asked.id or interaction_id()
    if question is None:
        return RequiredInteraction(
            id=identifier, kind=asked.kind, prompt=asked.prompt, metadata=asked.metadata
        )
    hidden: Mask | None = None
    metadata: dict[str, Any] = {**question.extensions, "name": asked.name}
    if question.metadata is not None:
        document = fresh_document(question.metadata)
        hidden = Mask(document, HIDDEN)
        metadata["metadata"] = Mask(document, STAND_IN)(asked.metadata)
    if asked.choices:
        metadata["choices"] = [
            {"value": choice.value, "label": choice.label} for choice in asked.choices
        ]
    sealed = asking.sealed
    filled = fill(question.prompt, Values(sealed.args(), sealed.hidden(), asked.metadata, hidden))
    metadata["values"] = filled.values
    return RequiredInteraction(
        id=identifier, kind=asked.kind, prompt=filled.text, metadata=metadata
    )
