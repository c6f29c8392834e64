"""Calls that complete, fail, are denied, ask and defer, and what a caller gets to see of them.

Run `toolkiln generate` in this folder first.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from toolkiln_runtime import Progress, ToolCall

from app.main import serve

EUROS = {"currency": "EUR"}

SCENES: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("completed", "get_order", {"order_id": "ord_1"}),
    ("completed, in a thread", "find_orders", {"email": "ada@example.com", "status": "packing"}),
    ("completed, though deprecated", "order_status", {"order_id": "ord_3"}),
    ("failed as declared", "get_order", {"order_id": "ord_99"}),
    (
        "failed as declared, with details",
        "refund_order",
        {"order_id": "ord_1", "amount": {"cents": 9900, **EUROS}},
    ),
    ("denied", "cancel_order", {"order_id": "ord_4", "reason": "Changed my mind"}),
    (
        "asks: the contract's approval, before anything runs",
        "refund_order",
        {
            "order_id": "ord_4",
            "amount": {"cents": 99900, **EUROS},
            "reason": "damaged",
            "note": "IBAN DE00 1234",
        },
    ),
    (
        "asks: the handler's question, with choices",
        "refund_order",
        {"order_id": "ord_2", "amount": {"cents": 500, **EUROS}},
    ),
    (
        "asks: the handler's approval",
        "cancel_order",
        {"order_id": "ord_2", "reason": "Too late"},
    ),
    ("deferred, with a typed token", "ship_order", {"order_id": "ord_1"}),
    ("failed: the time is up", "check_ledger", {"days": 366}),
    ("failed: an exception", "get_order", {"order_id": "ord_5"}),
    ("failed: arguments", "refund_order", {"order_id": "7", "amount": {"cents": 0, **EUROS}}),
    ("failed: the name that a tool had before", "fetch_order", {"order_id": "ord_1"}),
)


async def main(path: Path) -> None:
    """Run every scene on a fresh database at *path*."""
    executor = serve(path)
    for number, (title, name, arguments) in enumerate(SCENES):
        call = ToolCall(f"call_{number}", name, json.dumps(arguments))
        step = f"step_{number}"
        progress = await executor.run([call], session_id="demo", turn_id="turn_1", step_id=step)
        print(f"\n{title}\n  {name} {json.dumps(arguments)}")
        for line in lines(progress):
            print(f"    {line}")
    await executor.close()


def lines(progress: Progress) -> Iterator[str]:
    """What became of a batch, in words."""
    for result in progress.results:
        form = result.as_json()
        del form["callId"], form["toolName"]
        yield f"{form.pop('kind')}: {json.dumps(form)}"
    for pending in progress.pending:
        asked = pending.interaction
        ran = "nothing has run" if pending.gate else "the handler has stopped"
        yield f"interaction-required: {asked.kind}, {ran}"
        yield f"  {asked.prompt}"
        yield f"  {json.dumps(pending.masked)}"
        for choice in (asked.metadata or {}).get("choices", ()):
            yield f"  - {choice['value']}: {choice['label']}"
    for deferred in progress.deferred:
        yield f"deferred: the host settles {deferred.invocation_id.partition('_')[0]}_..."


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, format="    in the log: %(message)s")
    with TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder) / "shop.sqlite3"))
