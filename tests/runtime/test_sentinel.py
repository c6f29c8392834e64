"""What an exception says, and what a contract marks sensitive, is found nowhere afterwards."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from toolkiln_runtime import (
    Capability,
    Catalog,
    Choice,
    Completed,
    Event,
    Executor,
    Interaction,
    InteractionRequired,
    MemoryStore,
    Progress,
    ToolCall,
    ToolExecutionContext,
    ToolFailure,
    ToolSlot,
    define,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure, Question
from toolkiln_runtime.tracing import Beginning, End

from .durable import Hosts
from .kit import IDS, contract, declared, plain, schema
from .test_replies import ids, rejected

WORD = "SENTINEL-77aa"
SECRET = {"x-sensitive": True}
WHOLE = {
    "type": "object",
    "properties": {"p": SECRET, "q": {"items": {"properties": {"p": SECRET}}}},
}
GIVEN = {"p": WORD, "q": [{"p": WORD}, {"n": 1}]}


class Watch:
    """An observer that keeps all that it is told, spans included."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, event: Event) -> None:
        self.seen.append(event)

    def attempt(self, beginning: Beginning) -> Any:
        self.seen += [beginning.event, beginning.description, beginning.args()]

        def end(ended: End) -> None:
            self.seen += [ended.kind, ended.code, ended.output and ended.output()]

        return end


class Journey:
    """Tools that use every way out, run on a store that keeps each document."""

    def __init__(self, **settings: Any) -> None:
        self.hosts = Hosts()
        self.watch = Watch()
        self.settings = settings

    def open(self, *tools: Any) -> Executor:
        capability = Capability("cap", self.state)
        catalog = Catalog([ToolSlot("ns", tools, capability=capability)])
        return Executor(
            catalog,
            store=self.hosts.store,
            keys=self.hosts.settings["keys"],
            clock=self.hosts.clock,
            observers=[self.watch],
            **self.settings,
        )

    async def state(self, _session: object) -> str:
        raise RuntimeError(WORD)

    def kept(self) -> str:
        return f"{self.hosts.store.texts()}{self.watch.seen!r}"


def chained() -> Exception:
    error = RuntimeError(f"postgres://u:{WORD}@db")
    error.__cause__ = ValueError(WORD)
    error.__context__ = KeyError(WORD)
    return error


async def stateful(_args: Any, context: ToolExecutionContext) -> Completed[Any]:
    return Completed(await context.state)


async def fails(_args: Any, _context: object) -> None:
    raise chained()


async def fails_as_declared(_args: Any, _context: object) -> None:
    raise ToolFailure("gone", "Gone.", {"p": WORD}) from chained()


def in_thread(_args: Any, _context: object) -> None:
    raise chained()


@pytest.mark.parametrize("handler", [fails, fails_as_declared, in_thread, stateful])
async def test_what_an_exception_says_stays_in_the_debug_log(
    handler: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    journey = Journey()
    details = {"gone": Failure("Gone.", details=schema(WHOLE))}
    runner = journey.open(declared(handler, failures=details))
    progress = await runner.run([ToolCall("c", "t", "{}")], **IDS)
    (result,) = progress.results
    if handler is not fails_as_declared:
        assert WORD not in progress.to_json().decode()
    assert WORD not in repr(progress) + journey.kept() + caplog.text
    for name in ("__cause__", "__context__", "__traceback__", "error", "exception"):
        assert not hasattr(result.outcome, name)
    await runner.close()


async def test_the_debug_log_has_the_exception(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await Journey().open(plain(fails)).run([ToolCall("c", "t", "{}")], **IDS)
    assert WORD in caplog.text


async def test_expose_errors_shows_messages_and_no_causes() -> None:
    journey = Journey(expose_errors=True)

    async def handler(_args: Any, _context: object) -> None:
        raise RuntimeError("shown") from ValueError(WORD)

    progress = await journey.open(plain(handler)).run([ToolCall("c", "t", "{}")], **IDS)
    form = progress.to_json().decode()
    assert "shown" in form
    assert WORD not in form


async def asks(args: Any, context: ToolExecutionContext) -> Any:
    if context.resume is None:
        asked = Interaction(
            kind="response", name="pick", metadata=GIVEN, choices=[Choice(WORD, "one")]
        )
        return InteractionRequired(asked, {"t": WORD})
    assert (args, context.resume.value, context.resume.token) == (GIVEN, WORD, {"t": WORD})
    return Completed(GIVEN)


PICK = Question(
    kind="response",
    prompt=("Send ", ("p",), " of ", ("", "p"), " and ", ("q",), "?"),
    response=schema(SECRET),
    metadata=schema(WHOLE),
    token=schema(True),
    choices=True,
)
FACTS: dict[str, Any] = {
    "parameters": WHOLE,
    "output": schema(WHOLE),
    "interactions": {"pick": PICK},
    "approval": Approval(prompt=("Use ", ("p",), ", ", ("q",), "?"), allow_edit=True),
    "deferred": Deferral(token=schema(True)),
}


async def test_sensitive_values_reach_the_handler_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    journey = Journey(policy=lambda _request: None)
    runner = journey.open(define(contract(**FACTS), asks))
    seen: list[Progress] = [await runner.run([ToolCall("c", "t", GIVEN)], **IDS)]
    wrong = await rejected(runner.approve(*ids(seen[0]), approved=WORD))  # type: ignore[arg-type]
    edited = {**seen[0].pending[0].masked, "p": WORD + "x"}
    edit = await rejected(runner.approve(*ids(seen[0]), approved=True, edited_args=edited))
    seen.append(await runner.approve(*ids(seen[0]), approved=True))
    late = await rejected(runner.approve(*ids(seen[0]), approved=True))
    other = await rejected(runner.respond(*ids(seen[1]), WORD + "y"))
    listed = await runner.pending()
    for progress in seen:
        assert WORD not in progress.to_json().decode()
    done = await runner.respond(*ids(seen[1]), WORD)
    assert done.results[0].outcome == Completed(GIVEN)
    everything = [seen, listed, done, wrong, edit, late, other, journey.watch.seen, runner]
    assert WORD not in repr(everything)
    assert WORD not in "".join(map(str, (wrong, edit, late, other)))
    assert WORD not in journey.kept() + caplog.text
    for pending in listed:
        assert WORD not in str(pending.as_json())


async def test_arguments_that_are_not_valid_are_told_by_place_only() -> None:
    parameters = {**WHOLE, "properties": {"p": {"type": "string", "maxLength": 3, **SECRET}}}
    journey = Journey()
    runner = journey.open(declared(asks, parameters=parameters))
    progress = await runner.run([ToolCall("c", "t", GIVEN)], **IDS)
    assert "p: " in progress.results[0].outcome.message  # type: ignore[union-attr]
    assert WORD not in progress.to_json().decode() + journey.kept()


async def test_a_store_in_memory_writes_no_secret_into_documents_either() -> None:
    store = MemoryStore()
    catalog = Catalog([ToolSlot("ns", [define(contract(**FACTS), asks)])])
    runner = Executor(catalog, store=store)
    progress = await runner.run([ToolCall("c", "t", GIVEN)], **IDS)
    await runner.approve(*ids(progress), approved=True)
    stored = await store.load(progress.plan_id or "")
    assert stored
    assert WORD not in stored.document.decode()
