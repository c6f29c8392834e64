"""A batch that was sealed, and its gates (E1)."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from .contract import Approval
from .gates import Policy, PolicyRequest
from .ids import interaction_id
from .interactions import RequiredInteraction
from .logs import fault, log
from .outcomes import Denied, Interaction
from .prompts import Values, fill
from .results import ToolResult
from .sealing import Entry, Sealed
from .signals import Signal
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


def has_gates(entries: Sequence[Entry]) -> bool:
    """Whether the contract of any call has a gate."""
    for entry in entries:  # noqa: SIM110 - a generator costs a tenth of a call
        if type(entry) is Sealed and entry.compiled.gate is not None:
            return True
    return False
