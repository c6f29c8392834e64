"""Calls that complete, fail, are denied, ask and defer; what people answer, and what comes of it.

Run `toolkiln generate` in this folder first.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkiln_runtime import Completed, Denied, Executor, Failed, Progress, ToolCall, ToolResult

from app.main import serve
from app.tools import billing, orders

EUROS = {"currency": "EUR"}


async def grant(executor: Executor, progress: Progress) -> Progress:
    """A person approves what is asked."""
    return await executor.approve(asked(progress), approved=True, by="ada")


async def refuse(executor: Executor, progress: Progress) -> Progress:
    """A person refuses what is asked."""
    return await executor.approve(asked(progress), approved=False, reason="Not today", by="ada")


async def choose_voucher(executor: Executor, progress: Progress) -> Progress:
    """A person takes the second of the payments that the handler offers."""
    return await executor.respond(asked(progress), "pay_3", by="ada")


async def fetch_parcel(executor: Executor, progress: Progress) -> Progress:
    """The carrier reports a pickup, and the host settles the call that it belongs to."""
    (deferred,) = progress.deferred
    pickup = orders.Pickup.model_validate(deferred.token)
    output = orders.ShipOrderOutput(tracking=f"T{pickup.pickup}")
    return await executor.settle(deferred.invocation_id, Completed(output))


def asked(progress: Progress) -> str:
    """The id of the only question."""
    (pending,) = progress.pending
    return pending.interaction.id


@dataclass(frozen=True, slots=True)
class Scene:
    """A call, and what happens to it afterwards."""

    title: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    reply: Callable[[Executor, Progress], Awaitable[Progress]] | None = None


SCENES = (
    Scene("completed", "get_order", {"order_id": "ord_1"}),
    Scene(
        "completed, in a thread", "find_orders", {"email": "ada@example.com", "status": "packing"}
    ),
    Scene("completed, though deprecated", "order_status", {"order_id": "ord_3"}),
    Scene("failed as declared", "get_order", {"order_id": "ord_99"}),
    Scene(
        "failed as declared, with details",
        "refund_order",
        {"order_id": "ord_1", "amount": {"cents": 9900, **EUROS}},
    ),
    Scene("denied", "cancel_order", {"order_id": "ord_4", "reason": "Changed my mind"}),
    Scene(
        "asks: the contract's approval, before anything runs; it is refused",
        "refund_order",
        {
            "order_id": "ord_4",
            "amount": {"cents": 99900, **EUROS},
            "reason": "damaged",
            "note": "IBAN DE00 1234",
        },
        reply=refuse,
    ),
    Scene(
        "asks: the same approval; it is granted",
        "refund_order",
        {"order_id": "ord_4", "amount": {"cents": 10000, **EUROS}},
        reply=grant,
    ),
    Scene(
        "asks: the handler's question, with choices; one is chosen",
        "refund_order",
        {"order_id": "ord_2", "amount": {"cents": 500, **EUROS}},
        reply=choose_voucher,
    ),
    Scene(
        "asks: the handler's approval; it is refused, and the packer goes on",
        "cancel_order",
        {"order_id": "ord_2", "reason": "Too late"},
        reply=refuse,
    ),
    Scene(
        "asks: the same approval; it is granted",
        "cancel_order",
        {"order_id": "ord_2", "reason": "Really"},
        reply=grant,
    ),
    Scene(
        "deferred, with a typed token; settled when the parcel is fetched",
        "ship_order",
        {"order_id": "ord_1"},
        reply=fetch_parcel,
    ),
    Scene("failed: the time is up", "check_ledger", {"days": 366}),
    Scene("failed: an exception", "get_order", {"order_id": "ord_5"}),
    Scene("failed: arguments", "refund_order", {"order_id": "7", "amount": {"cents": 0, **EUROS}}),
    Scene("failed: the name that a tool had before", "fetch_order", {"order_id": "ord_1"}),
)


async def main(path: Path) -> None:
    """Run every scene on a fresh database at *path*."""
    executor = serve(path)
    for number, scene in enumerate(SCENES):
        call = ToolCall(f"call_{number}", scene.tool, json.dumps(scene.arguments))
        print(f"\n{scene.title}\n  {scene.tool} {json.dumps(scene.arguments)}")
        progress = await executor.run(
            [call], session_id="demo", turn_id="turn_1", step_id=f"step_{number}"
        )
        show(progress)
        if scene.reply is not None:
            print(f"  {scene.reply.__doc__}")
            show(await scene.reply(executor, progress))
    await executor.close()


def show(progress: Progress) -> None:
    """Print what has become of a batch."""
    for line in lines(progress):
        print(f"    {line}")


def lines(progress: Progress) -> Iterator[str]:
    """What has become of a batch, in words."""
    for result in progress.results:
        form = result.as_json()
        del form["callId"], form["toolName"]
        yield f"{form.pop('kind')}: {json.dumps(form)}"
        if result.tool_name == "refund_order":
            yield refunded(result)
    for pending in progress.pending:
        question = pending.interaction
        ran = "nothing has run" if pending.gate else "the handler has stopped"
        yield f"interaction-required: {question.kind}, {ran}"
        yield f"  {question.prompt}"
        yield f"  {json.dumps(pending.masked)}"
        for choice in (question.metadata or {}).get("choices", ()):
            yield f"  - {choice['value']}: {choice['label']}"
    for deferred in progress.deferred:
        yield f"deferred: the host settles {deferred.invocation_id.partition('_')[0]}_..."


def refunded(result: ToolResult) -> str:
    """A result with its types: the checker knows each field and each code that can come."""
    match billing.refund_order.result(result):
        case Completed(output=refund):
            return f"  the money goes back to {refund.payment_id}"
        case Denied():
            return "  no money goes back"
        case Failed(code="exceeds_payment" | "order_not_found" as code):
            return f"  no money goes back, and the contract says why: {code}"
        case Failed():
            return "  no money goes back"


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, format="    in the log: %(message)s")
    with TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder) / "shop.sqlite3"))
