"""Many processes do the same thing at once: one of them does it (R3, F2)."""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.crew import PATIENCE, Effects, executor, heard, processes, racer
from tests.runtime.kit import IDS
from tests.runtime.storing import DATABASES, address
from toolkiln_runtime import Executor, ToolCall
from toolkiln_runtime.sql import SqlStore

RACERS = 20
TOOLS = {"approve": "pay-approved", "respond": "ask", "settle": "wait"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no forkserver")


async def begun(host: Executor, action: str, number: int) -> tuple[str, str]:
    """The invocation of a call that waits for *action*, and the id that it is done with."""
    call = ToolCall(f"c{number}", TOOLS[action], "{}")
    progress = await host.run([call], **IDS)
    if action == "settle":
        return (progress.deferred[0].invocation_id,) * 2
    pending = progress.pending[0]
    return pending.invocation_id, pending.interaction.id


async def race(url: str, folder: Path, rounds: int, crew: list[Any]) -> None:
    effects = Effects(folder / "effects")
    store = SqlStore(url)
    host = executor(store, effects)
    assert [heard(pipe) for _, pipe in crew] == ["here"] * RACERS
    for number in range(rounds):
        action = list(TOOLS)[number % len(TOOLS)]
        invocation, identifier = await begun(host, action, number)
        for _, pipe in crew:
            pipe.send((action, identifier))
        ends = sorted([heard(pipe) for _, pipe in crew])
        late = "invocation.settled" if action == "settle" else "interaction.answered"
        assert ends == ["completed", *[late] * (RACERS - 1)]
        assert effects.all().count(invocation) == (0 if action == "settle" else 1)
    assert await host.unended() == ()
    await store.close()


def run_race(kind: str, folder: Path, rounds: int) -> None:
    barrier = multiprocessing.get_context("forkserver").Barrier(RACERS)
    with address(kind, folder) as url:
        asyncio.run(_prepared(url))
        arguments = [(url, folder / "effects", barrier)] * RACERS
        with processes(racer, arguments) as crew:
            asyncio.run(asyncio.wait_for(race(url, folder, rounds, crew), rounds * PATIENCE))


async def _prepared(url: str) -> None:
    store = SqlStore(url)
    await store.prepare()
    await store.close()


@pytest.mark.parametrize("kind", DATABASES)
def test_R3_of_many_processes_that_reply_at_once_one_runs_the_call(
    kind: str, tmp_path: Path
) -> None:
    run_race(kind, tmp_path, 6)
    assert len(Effects(tmp_path / "effects").all()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("kind", DATABASES)
def test_R3_in_none_of_many_rounds_a_call_runs_twice(kind: str, tmp_path: Path) -> None:
    run_race(kind, tmp_path, 300)
    assert len(Effects(tmp_path / "effects").all()) == 200
