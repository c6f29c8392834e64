"""What one tool call costs beside `json.dumps(await handler(**json.loads(text)))`.

Both sides run interleaved in one process; the figures are ratios of their medians.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema_rs
import msgspec
from orders import LARGE, MEDIUM, ORDER, Order, order
from pydantic import Field

from toolkiln_runtime import Catalog, Completed, Executor, ToolCall, ToolModel, ToolSlot, define
from toolkiln_runtime.contract import PROTOCOL, Contract, Schema
from toolkiln_runtime.validators import validator
from toolkiln_runtime.values import strict

ROUNDS = 41
CALLS = 400
BATCH = 1_000
IDS = {"session_id": "s", "turn_id": "t", "step_id": "p"}

PARAMETERS = """{
  "type": "object", "additionalProperties": false, "required": ["invoice_id", "amount"],
  "properties": {
    "invoice_id": {"type": "string", "pattern": "^in_[a-z0-9]+$"},
    "amount": {"type": "object", "required": ["cents", "currency"], "properties": {
      "cents": {"type": "integer", "minimum": 1}, "currency": {"enum": ["EUR", "USD"]}}},
    "reason": {"enum": ["duplicate", "fraud", "request"], "default": "request"},
    "note": {"type": "string", "maxLength": 500}
  }
}"""
OUTPUT = """{"type": "object", "required": ["refund_id"],
  "properties": {"refund_id": {"type": "string"}, "cents": {"type": "integer"}}}"""
TEXT = '{"invoice_id": "in_7", "amount": {"cents": 1200, "currency": "EUR"}, "note": "twice"}'


class Money(ToolModel):
    """An amount."""

    cents: int
    currency: str


class Args(ToolModel):
    """Arguments as the generator prints them."""

    invoice_id: str
    amount: Money
    reason: str = "request"
    note: str | None = None


class Refund(ToolModel):
    """The output."""

    refund_id: str
    cents: int = Field(default=0)


async def echoed(args: Order, _context: object) -> Completed[Order]:
    """A handler that gives back what it takes."""
    return Completed(args)


async def bare_echoed(**order: Any) -> dict[str, Any]:
    """The same without a runtime."""
    return order


async def typed(args: Args, _context: object) -> Completed[Refund]:
    """A handler with models on both sides."""
    return Completed(Refund(refund_id="re_1", cents=args.amount.cents))


async def untyped(args: dict[str, Any], _context: object) -> Completed[dict[str, Any]]:
    """A handler that takes and gives dicts."""
    return Completed({"refund_id": "re_1", "cents": args["amount"]["cents"]})


async def bare(invoice_id: str, amount: dict[str, Any], **_rest: Any) -> dict[str, Any]:
    """The same work without a runtime."""
    return {"refund_id": "re_1" if invoice_id else "", "cents": amount["cents"]}


def contract(
    name: str, timeout: float | None = None, parameters: str = PARAMETERS, output: str = OUTPUT
) -> Contract:
    """The facts of the tool under test."""
    return Contract(
        protocol=PROTOCOL,
        name=name,
        namespace="bench",
        version="1.0.0",
        digest="",
        parameters=Schema(parameters, formats=True),
        output=Schema(output, formats=True),
        timeout=timeout,
    )


def executor(**settings: Any) -> Executor:
    """An executor with a tool of each kind."""
    tools = (
        define(contract("typed"), typed, model=lambda: Args),
        define(contract("untyped"), untyped),
        define(contract("timed", 30.0), typed, model=lambda: Args),
        define(contract("order", None, ORDER, ORDER), echoed, model=lambda: Order),
    )
    return Executor(Catalog([ToolSlot("bench", tools)]), **settings)


async def floor() -> str:
    """The yardstick."""
    return json.dumps(await bare(**json.loads(TEXT)))


def echo(text: str) -> Callable[[], Awaitable[str]]:
    """The yardstick of a larger call."""

    async def call() -> str:
        return json.dumps(await bare_echoed(**json.loads(text)))

    return call


def one(name: str, runner: Executor, text: str = TEXT) -> Callable[[], Awaitable[object]]:
    """One call, from text to text."""

    async def call() -> bytes:
        progress = await runner.run([ToolCall("call_1", name, text)], **IDS)
        return progress.results[0].to_json()

    return call


async def repeated(work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds of many calls."""
    start = time.process_time()
    for _ in range(CALLS):
        await work()
    return time.process_time() - start


async def ratio(
    work: Callable[[], Awaitable[object]], yardstick: Callable[[], Awaitable[object]] = floor
) -> float:
    """How many times the *yardstick* *work* costs."""
    await work()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(await repeated(yardstick))
        ours.append(await repeated(work))
    return statistics.median(ours) / statistics.median(theirs)


async def batches(pause: float, **settings: Any) -> float:
    """A batch of calls beside `gather` over the yardstick, a task each."""
    runner = executor(**settings)
    calls = [ToolCall(f"call_{index}", "untyped", TEXT) for index in range(BATCH)]
    waiting, slow = define(contract("slow"), _slow(pause)), _slow_bare(pause)
    if pause:
        runner = Executor(Catalog([ToolSlot("bench", [waiting])]), **settings)
        calls = [ToolCall(call.id, "slow", TEXT) for call in calls]

    async def ours() -> bytes:
        return (await runner.run(calls, **IDS)).to_json()

    async def theirs() -> object:
        tasks = (asyncio.create_task(slow()) for _ in range(BATCH))
        return await asyncio.gather(*tasks)

    await ours()
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS // 4):
        for work, times in zip((ours, theirs), spent, strict=True):
            start = time.process_time()
            await work()
            times.append(time.process_time() - start)
    return statistics.median(spent[0]) / statistics.median(spent[1])


def _slow(pause: float) -> Callable[..., Any]:
    async def handler(args: dict[str, Any], context: object) -> object:
        await asyncio.sleep(pause)
        return await untyped(args, context)

    return handler


def _slow_bare(pause: float) -> Callable[[], Awaitable[str]]:
    async def handler() -> str:
        if pause:
            await asyncio.sleep(pause)
        return await floor()

    return handler


def timed(ours: Callable[[], object], theirs: Callable[[], object]) -> float:
    """The ratio of two plain functions."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for work, times in zip((ours, theirs), spent, strict=True):
            start = time.process_time()
            for _ in range(CALLS * 5):
                work()
            times.append(time.process_time() - start)
    return statistics.median(spent[0]) / statistics.median(spent[1])


def validation() -> float:
    """Parsed arguments: the runtime's validator beside jsonschema-rs."""
    value = json.loads(TEXT)
    peer = jsonschema_rs.validator_for(json.loads(PARAMETERS))
    accepts = validator(Schema(PARAMETERS, formats=True)).accepts
    return timed(lambda: accepts(value), lambda: peer.is_valid(value))


def copying(size: int) -> float:
    """Check and copy of an output beside msgspec's encode and decode."""
    value = {"items": [{"id": f"in_{i}", "cents": i, "paid": True} for i in range(size)]}
    encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
    return timed(lambda: strict(value), lambda: decode(encode(value)))


REGISTER = """
import sys, time
start = time.process_time()
from toolkiln_runtime import Catalog, ToolSlot, define
from toolkiln_runtime.contract import Contract, Schema
async def handler(args, context): ...
tools = [define(Contract(protocol=1, name=f"t{i}", namespace="b", version="1", digest="",
    parameters=Schema('{"type": "object"}')), handler, model=lambda: None) for i in range(1000)]
Catalog([ToolSlot("b", tools)])
"""


def process(code: str) -> float:
    """CPU seconds of a Python process."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def registering() -> float:
    """A process that registers 1,000 tools beside one that imports pydantic."""
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(9):
        for code, times in zip((REGISTER, "from pydantic import BaseModel"), spent, strict=True):
            times.append(process(code))
    return statistics.median(spent[0]) / statistics.median(spent[1])


async def calls() -> dict[str, tuple[float, float]]:
    """Ratios and budgets of what needs an event loop."""
    runner, medium, large = executor(), order(MEDIUM), order(LARGE)
    return {
        "one call, typed model": (await ratio(one("typed", runner)), 1.5),
        "one call, typed model, 600 bytes": (
            await ratio(one("order", runner, medium), echo(medium)),
            1.5,
        ),
        "one call, typed model, 5 KB": (await ratio(one("order", runner, large), echo(large)), 1.5),
        "one call, dict": (await ratio(one("untyped", runner)), 1.5),
        "one call, typed model, timeout": (await ratio(one("timed", runner)), 1.5),
        "batch of 1,000": (await batches(0), 1.5),
        "batch of 1,000, each waits 10 ms": (await batches(0.01), 1.5),
        "batch of 1,000, limit 64": (await batches(0, limit=64), 1.5),
    }


def main() -> None:
    """Print every ratio beside its budget."""
    rows = {
        **asyncio.run(calls()),
        "validation of arguments": (validation(), 1.3),
        "check and copy, 1 item": (copying(1), 1.5),
        "check and copy, 100 items": (copying(100), 1.5),
        "register 1,000 tools": (registering(), 1.5),
    }
    for name, (measured, budget) in rows.items():
        verdict = "within" if measured <= budget else "OVER"
        print(f"{name:36} {measured:6.2f}x  budget {budget:.1f}x  {verdict}")


if __name__ == "__main__":
    main()
