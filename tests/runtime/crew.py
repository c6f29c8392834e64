"""Hosts in processes of their own: they share a store with a test, race each other, and die."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sqlalchemy import event

from tests.runtime.kit import IDS, declared, plain
from toolkiln_runtime import Catalog, Completed, Deferred, Executor, ToolCall, ToolError, ToolSlot
from toolkiln_runtime.contract import Approval
from toolkiln_runtime.keys import KEY, KeyRing
from toolkiln_runtime.outcomes import Interaction, InteractionRequired
from toolkiln_runtime.sql import SqlStore
from toolkiln_runtime.stores import CallStore, Change

PATIENCE = 60
"""Seconds that anybody waits for the others."""
LEASE = 30.0
POINTS = ("before claim", "in claim", "after claim", "in handler", "before result", "in result")
"""Where a host can die without a result; "after result" is the one where it can not."""


class Effects:
    """What handlers have done to the world: lines of a file, so that no crash undoes them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, invocation_id: str) -> None:
        with self.path.open("a", encoding="ascii") as file:
            file.write(f"{invocation_id}\n")

    def all(self) -> list[str]:
        return self.path.read_text(encoding="ascii").split() if self.path.exists() else []


def executor(
    store: CallStore, effects: Effects, *, late: float = 0, stop: Callable[[], object] = bool
) -> Executor:
    """A host; *late*: its clock is ahead by this, *stop*: called when a handler has done it."""

    def act(_args: Any, context: Any) -> Completed[Any]:
        effects.add(context.invocation_id)
        stop()
        return Completed("done")

    async def pay(args: Any, context: Any) -> Completed[Any]:
        return act(args, context)

    async def ask(args: Any, context: Any) -> Any:
        if context.resume is None:
            question: Interaction[str] = Interaction(kind="response", prompt="Which?")
            return InteractionRequired(question, token={"secret": 1})
        return act(args, context)

    async def wait(_args: Any, _context: Any) -> Deferred[Any]:
        return Deferred({"job": 1})

    tools = (
        plain(pay, name="pay"),
        declared(pay, name="pay-approved", approval=Approval(prompt=("Pay?",))),
        plain(ask, name="ask"),
        plain(wait, name="wait"),
    )
    return Executor(
        Catalog([ToolSlot("ns", tools)]),
        store=store,
        keys=KeyRing([b"k" * KEY]),
        clock=lambda: time.time() + late,
        lease=LEASE,
    )


async def do(host: Executor, action: str, identifier: str = "") -> str:
    """The status, or the code of the refusal, of one thing that a host is asked to do."""
    try:
        match action:
            case "run":
                progress = await host.run([ToolCall("c1", "pay", "{}")], **IDS)
            case "approve":
                progress = await host.approve(identifier, approved=True)
            case "respond":
                progress = await host.respond(identifier, "red")
            case _:
                progress = await host.settle(identifier, Completed("done"))
    except ToolError as error:
        return error.code
    return progress.status


@contextmanager
def processes(target: Callable[..., None], arguments: list[tuple[Any, ...]]) -> Iterator[list[Any]]:
    """One process for each of *arguments*, and a pipe to each; all are killed in the end."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    crew = []
    try:
        for given in arguments:
            ours, theirs = context.Pipe()
            process = context.Process(target=target, args=(theirs, *given))
            process.start()
            theirs.close()
            crew.append((process, ours))
        yield crew
    finally:
        for process, pipe in crew:
            process.kill()
            process.join()
            pipe.close()


def heard(pipe: Connection) -> Any:
    """What comes through *pipe*; fails if nothing does."""
    assert pipe.poll(PATIENCE)
    return pipe.recv()


def racer(pipe: Connection, url: str, effects: Path, barrier: Any) -> None:
    """Do what the pipe says, all racers at once; say what has come of it."""

    async def race() -> None:
        store = SqlStore(url, connections=1)
        await store.prepare()
        host = executor(store, Effects(effects))
        pipe.send("here")
        while (told := pipe.recv()) is not None:
            barrier.wait(PATIENCE)
            pipe.send(await do(host, *told))
        await store.close()

    asyncio.run(race())


class Dying(SqlStore):
    """Stops for ever at one point of the first claim, or of the result that follows it."""

    def __init__(self, url: str, point: str, stop: Callable[..., object]) -> None:
        super().__init__(url)
        self._when, _, self._what = point.partition(" ")
        self._stop = stop

    async def commit(self, change: Change) -> None:
        here = (self._what == "claim" and change.lease is not None) or (
            self._what == "result" and bool(change.released)
        )
        if here and self._when == "before":
            self._stop()
        if here and self._when == "in":
            await self.prepare()
            pool = self._database._pool
            assert pool is not None
            event.listen(pool.engine, "commit", self._stop)
        await super().commit(change)
        if here and self._when == "after":
            self._stop()


def dying(pipe: Connection, url: str, effects: Path, point: str, told: tuple[str, ...]) -> None:
    """Do what is told, and stop at *point*, to be killed there."""

    def stop(*_arguments: object) -> None:
        pipe.send("there")
        time.sleep(PATIENCE)

    async def die() -> None:
        store = Dying(url, point, stop)
        host = executor(store, Effects(effects), stop=stop if point == "in handler" else bool)
        await do(host, *told)

    asyncio.run(die())
