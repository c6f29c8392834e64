"""Hosts that are killed; the next one finds a result or `uncertain`, and runs nothing (R3)."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.crew import LEASE, POINTS, Effects, do, dying, executor, heard, processes
from tests.runtime.kit import IDS
from tests.runtime.storing import DATABASES, Place, place
from toolkiln_runtime import Completed, Executor, ToolCall, ToolError

ACTIONS = {"run": "", "approve": "pay-approved", "respond": "ask"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")


class Crash:
    """A call whose host dies, and the host that comes after it."""

    def __init__(self, found: Place, folder: Path, action: str) -> None:
        self.effects = Effects(folder / "effects")
        self.action = action
        self._place = found
        self._store = found.open()

    def host(self, *, late: float = 0) -> Executor:
        return executor(self._store, self.effects, late=late)

    async def die(self, point: str) -> str:
        """Have it happen; the id of the question that was answered, if there was one."""
        identifier = ""
        if self.action != "run":
            call = ToolCall("c1", ACTIONS[self.action], "{}")
            progress = await self.host().run([call], **IDS)
            identifier = progress.pending[0].interaction.id
        told = (self.action, identifier)
        arguments = (self._place.url, self.effects.path, point, told)
        with processes(dying, [arguments]) as [(_, pipe)]:
            assert heard(pipe) == "there"
        return identifier


@pytest.fixture(params=DATABASES)
async def found(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    async with place(request.param, tmp_path) as opened:
        await opened.open().prepare()
        yield opened


@pytest.fixture(params=ACTIONS)
def crash(request: pytest.FixtureRequest, found: Place, tmp_path: Path) -> Crash:
    return Crash(found, tmp_path, request.param)


@pytest.mark.parametrize("point", POINTS[:2])
async def test_R3_killed_before_the_claim_is_written_nothing_has_happened(
    crash: Crash, point: str
) -> None:
    identifier = await crash.die(point)
    host = crash.host(late=LEASE + 1)
    assert crash.effects.all() == []
    if crash.action == "run":
        # Nobody was told of the call.
        assert await host.unended() == ()
        return
    assert [pending.interaction.id for pending in await host.pending()] == [identifier]
    assert await do(host, crash.action, identifier) == "completed"
    assert len(crash.effects.all()) == 1


@pytest.mark.parametrize(("point", "done"), [*zip(POINTS[2:], [0, 1, 1, 1], strict=True)])
async def test_R3_killed_after_the_claim_the_call_is_uncertain_and_never_run_again(
    crash: Crash, point: str, done: int
) -> None:
    identifier = await crash.die(point)
    assert len(crash.effects.all()) == done
    [progress] = await crash.host().unended()
    assert [call.state for call in progress.unfinished] == ["running"]
    invocation = progress.unfinished[0].invocation_id
    assert await do(crash.host(), "settle", invocation) == "invocation.running"

    host = crash.host(late=LEASE + 1)
    [progress] = await host.unended()
    assert [call.state for call in progress.unfinished] == ["uncertain"]
    if identifier:
        assert await do(host, crash.action, identifier) == "interaction.answered"
    await host.expire()
    await crash.host(late=1e9).expire()
    assert len(crash.effects.all()) == done
    assert await do(host, "settle", invocation) == "completed"
    assert await host.unended() == ()
    assert len(crash.effects.all()) == done


@pytest.mark.parametrize("point", ["after claim", "before result"])
async def test_R3_an_uncertain_call_may_be_cancelled(crash: Crash, point: str) -> None:
    await crash.die(point)
    host = crash.host(late=LEASE + 1)
    [progress] = await host.unended()
    [result] = (await host.cancel(plan_id=progress.plan_id)).results
    assert result.as_json()["code"] == "tool.cancelled"
    assert await host.unended() == ()


async def test_R3_killed_after_the_result_it_is_what_the_next_host_reports(crash: Crash) -> None:
    identifier = await crash.die("after result")
    host = crash.host(late=LEASE + 1)
    assert await host.unended() == ()
    [invocation] = crash.effects.all()
    with pytest.raises(ToolError) as settled:
        await host.settle(invocation, Completed("something else"))
    assert settled.value.code == "invocation.settled"
    assert settled.value.result.outcome == Completed("done")
    if identifier:
        assert await do(host, crash.action, identifier) == "interaction.answered"
    assert len(crash.effects.all()) == 1
