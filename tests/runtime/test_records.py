"""The document of a plan, and plans that are restored from it (R1, R2)."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support import REPOSITORY
from toolkiln_runtime import (
    Choice,
    Completed,
    Deferred,
    Denied,
    Failed,
    ToolError,
    ToolResult,
    records,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure, Question

from .durable import Hosts, Keys
from .kit import declared, outcome, plain, schema
from .test_replies import STAND_IN, Tool, asking, asks, ids, kinds, rejected, start

PUBLISHED = json.loads((REPOSITORY / "schemas" / "record.schema.json").read_text("utf-8"))
check = jsonschema.Draft202012Validator(PUBLISHED)
GATE = Approval(prompt=("?",), expires=60.0, allow_edit=True, extensions={"x-team": "a"})
SECRET = {"type": "object", "properties": {"p": {"x-sensitive": True}}}
PICK = Question(
    kind="response", prompt=("?",), response=schema(True), choices=True, token=schema(True)
)


async def plans() -> list[bytes]:
    """Documents with calls in all states."""
    hosts = Hosts()
    tool = Tool(
        asks("pick", {"job": 1}, kind="response", choices=[Choice(1, "a"), Choice(None, "b")]),
        Deferred("later"),
        Completed({"p": 1e100, "q": 2**80, "r": -0.0, "s": "é\u2028", "t": None}),
        Denied("no"),
        Failed("nope", "m"),
        Deferred(),
    )
    definition = declared(
        tool,
        name="t",
        parameters=SECRET,
        approval=GATE,
        interactions={"pick": PICK},
        deferred=Deferral(token=schema(True), expires=9.5),
        output=schema(SECRET),
    )
    runner = hosts.open(definition, plain(Tool(Failed("own", "m", [1])), "free"))
    names = ["t"] * 6
    progress = await start(runner, *names, "free", "none", arguments={"p": "x", "q": 1})
    first, *gates = ids(progress)
    changed = {"p": STAND_IN, "q": 2}
    await runner.approve(first, approved=True, edited_args=changed, by="ada", reason="fine")
    for name in gates:
        progress = await runner.approve(name, approved=True)
    await runner.respond(*ids(progress), None, by="bob")
    await runner.cancel(plan_id=progress.plan_id)
    return [change.document for change in hosts.store.written]


async def test_R1_a_plan_is_one_document_that_round_trips_exactly() -> None:
    documents = await plans()
    seen = {type(call).__name__ for document in documents for call in records.load(document).calls}
    assert seen == {"Settled", "Gated", "Ready", "Started", "Asking", "Deferred"}
    for document in documents:
        record = records.load(document)
        assert records.dump(record) == document
        assert records.load(records.dump(record)) == record
        check.validate(json.loads(document))


async def test_R1_the_document_is_what_its_published_schema_says() -> None:
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)
    form = json.loads((await plans())[0])
    assert form["version"] == records.FORMAT == PUBLISHED["properties"]["version"]["const"]
    assert [call["callId"] for call in form["calls"]] == [f"c{n}" for n in range(8)]
    call = form["calls"][0]
    assert call["status"] == "gated"
    assert call["question"]["metadata"]["x-team"] == "a"
    assert call["invocation"]["owner"] == {"middlewareId": "ns", "slot": "ns"}
    assert call["invocation"]["args"]["shown"] == {"p": STAND_IN, "q": 1}
    assert len(call["invocation"]["wireDigest"]) == 64


def changed(document: bytes, *path: Any, value: Any) -> bytes:
    form = json.loads(document)
    holder = form
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(form).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 0),
        (("version",), "1"),
        (("version",), ...),
        (("revision",), 0),
        (("id",), ""),
        (("surprise",), 1),
        (("calls",), None),
        (("calls", 0, "status"), "paused"),
        (("calls", 0, "status"), "started"),
        (("calls", 0, "status"), ...),
        (("calls", 0, "status"), "settled"),
        (("calls", 0, "callId"), "c1"),
        (("calls", 0, "callId"), 3),
        (("calls", 0, "invocation", "id"), ""),
        (("calls", 0, "invocation", "args"), {"shown": [1]}),
        (("calls", 0, "invocation", "args"), "x"),
        (("calls", 0, "invocation", "edited"), True),
        (("calls", 0, "invocation", "surprise"), 1),
        (("calls", 0, "invocation", "wireDigest"), None),
        (("calls", 0, "question", "kind"), "response"),
        (("calls", 0, "question", "kind"), "maybe"),
        (("calls", 0, "question", "expiresAt"), "soon"),
        (("calls", 0, "question", "choices"), {"shown": [1]}),
        (("calls", 0, "question"), ...),
        (("calls", 7, "result", "kind"), "lost"),
        (("calls", 7, "result"), ...),
        (("calls", 7, "result", "code"), None),
    ],
)
async def test_R1_a_record_that_contradicts_itself_is_refused(path: Any, value: Any) -> None:
    document = (await plans())[0]
    with pytest.raises(ToolError) as caught:
        records.load(changed(document, *path, value=value))
    assert caught.value.code == "record.invalid"


async def test_R1_ids_stand_for_one_thing_each() -> None:
    document = (await plans())[0]
    form = json.loads(document)
    first, second = form["calls"][:2]
    for path, value in (
        (("calls", 1, "invocation", "id"), first["invocation"]["id"]),
        (("calls", 1, "question", "id"), first["question"]["id"]),
        (("calls", 1, "callId"), first["callId"]),
    ):
        with pytest.raises(ToolError, match="used twice"):
            records.load(changed(document, *path, value=value))
    assert first != second


async def test_R1_no_call_has_run_while_a_gate_is_open() -> None:
    documents = await plans()
    gated = json.loads(documents[0])["calls"][0]
    started = next(d for d in documents if records.load(d).calls[1].__class__ is records.Started)
    with pytest.raises(ToolError, match="before a gate"):
        records.load(changed(started, "calls", 0, value=gated))


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_R1_what_is_no_record_is_refused(text: bytes) -> None:
    with pytest.raises(ToolError) as caught:
        records.load(text)
    assert caught.value.code == "record.invalid"


async def test_R1_a_newer_format_is_refused_as_that() -> None:
    document = changed((await plans())[0], "version", value=2)
    with pytest.raises(ToolError) as caught:
        records.load(changed(document, "calls", value={"quite": "different"}))
    assert caught.value.code == "record.newer"


@pytest.mark.parametrize(
    ("path", "value"), [(("version",), 2), (("calls", 0, "status"), "x"), (("id",), "")]
)
async def test_R1_nothing_runs_of_a_record_that_is_refused(path: Any, value: Any) -> None:
    hosts, tool = Hosts(), Tool()
    runner = hosts.open(declared(tool, approval=GATE), plain(name="free"))
    (name,) = ids(await start(runner, "t", "free"))
    hosts.store.rewrite(lambda document: changed(document, *path, value=value))
    error = await rejected(runner.approve(name, approved=True))
    assert error.code in {"record.invalid", "record.newer"}
    assert await runner.pending() == ()
    hosts.clock.advance(60)
    assert (await runner.expire()).results == ()
    assert not tool.args


async def test_R1_a_sealed_field_opens_for_its_own_call_and_field_alone() -> None:
    hosts, tool = Hosts(), Tool()
    runner = hosts.open(declared(tool, parameters=SECRET, approval=GATE))
    one, two = ids(await start(runner, "t", "t", arguments={"p": "x"}))

    def swapped(document: bytes) -> bytes:
        form = json.loads(document)
        first, second = [call["invocation"]["args"] for call in form["calls"]]
        first["sealed"], second["sealed"] = second["sealed"], first["sealed"]
        return json.dumps(form).encode()

    hosts.store.rewrite(swapped)
    for name in (one, two):
        assert (await rejected(runner.approve(name, approved=True))).code == "record.no-key"
    assert {pending.blocked for pending in await runner.pending()} == {"record.no-key"}
    assert not tool.args


# --- restoring


async def test_R2_another_process_goes_on_where_the_first_has_stopped() -> None:
    hosts = Hosts()
    first, definition = asking(asks("pick", {"t": 1}, kind="response"), Completed("kept"))
    progress = await start(hosts.open(definition), "t", "t")
    second, definition = asking()
    runner = hosts.open(definition)
    (pending,) = await runner.pending("ses")
    assert await runner.pending("other") == ()
    assert pending.plan_id == progress.plan_id
    progress = await runner.respond(pending.interaction.id, {"days": 1})
    assert kinds(progress) == ["c0 completed", "c1 completed"]
    assert outcome(progress.results[1])["output"] == "kept"
    (context,) = second.contexts
    assert context.resume.token == {"t": 1}
    assert context.invocation_id == first.contexts[0].invocation_id
    assert (context.session_id, context.turn_id, context.step_id) == ("ses", "turn", "step")


FACTS: dict[str, Any] = {
    "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
    "approval": GATE,
}
LEFT_OUT = [
    {"parameters": {"type": "object", "properties": {"n": {"type": "number"}}}},
    {"parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}},
    {"output": schema({"type": "object"})},
    {"interactions": {"pick": PICK}},
    {"deferred": Deferral()},
    {"failures": {"gone": Failure("x")}},
]


@pytest.mark.parametrize("changes", [None, *LEFT_OUT])
async def test_R2_a_call_whose_contract_is_another_or_gone_is_blocked(changes: Any) -> None:
    hosts = Hosts()
    old, free = Tool(), Tool()
    runner = hosts.open(declared(old, **FACTS), declared(old, name="stays", approval=GATE))
    progress = await start(runner, "t", "stays", arguments={"n": 1})
    one, two = ids(progress)
    new = Tool()
    tools = [] if changes is None else [declared(new, **{**FACTS, **changes})]
    runner = hosts.open(*tools, declared(free, name="stays", approval=GATE))
    code = "record.unknown-tool" if changes is None else "record.contract-changed"
    assert [pending.blocked for pending in await runner.pending()] == [code, None]
    for approved in (True, False):
        error = await rejected(runner.approve(one, approved=approved))
        assert error.code == code
    progress = await runner.approve(two, approved=True)
    assert ids(progress) == [one]
    progress = await runner.settle(progress.pending[0].invocation_id, Completed({"any": 1}))
    assert kinds(progress) == ["c0 completed", "c1 completed"]
    assert (len(old.args), len(new.args), len(free.args)) == (0, 0, 1)


async def test_R2_a_blocked_call_that_waits_for_others_keeps_none_of_them() -> None:
    hosts, free, gated = Hosts(), Tool(), declared(Tool(), name="gated", approval=GATE)
    progress = await start(
        hosts.open(gated, plain(name="gone"), plain(name="free")), "gone", "gated", "free"
    )
    runner = hosts.open(gated, plain(free, "free"))
    progress = await runner.approve(*ids(progress), approved=True)
    assert kinds(progress) == ["c1 completed", "c2 completed"]
    assert [(call.call.call_id, call.state) for call in progress.unfinished] == [("c0", "blocked")]
    assert progress.status == "deferred"
    progress = await runner.cancel(invocation_id=progress.unfinished[0].invocation_id)
    assert (progress.status, len(free.args)) == ("completed", 1)


@pytest.mark.parametrize("settled", [Failed("any", "x", {"a": 1}), Denied("no"), Completed([None])])
async def test_R2_a_blocked_call_ends_as_the_host_says(settled: Any) -> None:
    hosts = Hosts()
    progress = await start(hosts.open(declared(Tool(), approval=GATE)), "t")
    runner = hosts.open()
    name = progress.pending[0].invocation_id
    for bad in (Completed(object()), Failed("", "x"), Denied(3), 3):  # type: ignore[arg-type]
        error = await rejected(runner.settle(name, bad))  # type: ignore[arg-type]
        assert error.code == "invocation.invalid-outcome"
    progress = await runner.settle(name, settled)
    assert progress.results[0] == ToolResult("c0", "t", settled)


async def test_R2_a_tool_that_was_renamed_goes_on_under_its_new_name() -> None:
    hosts = Hosts()
    progress = await start(hosts.open(declared(Tool(), name="old", **FACTS)), "old")
    tool = Tool()
    renamed = declared(tool, name="new", formerly=("older", "old"), **FACTS)
    progress = await hosts.open(renamed).approve(*ids(progress), approved=True)
    (result,) = progress.results
    assert (result.tool_name, result.kind) == ("old", "completed")
    assert len(tool.args) == 1


async def test_R2_a_tool_that_was_renamed_and_changed_is_blocked() -> None:
    hosts = Hosts()
    progress = await start(hosts.open(declared(Tool(), name="old", **FACTS)), "old")
    renamed = declared(Tool(), name="new", formerly=("old",), approval=GATE)
    work = hosts.open(renamed).approve(*ids(progress), approved=True)
    assert (await rejected(work)).code == "record.contract-changed"


async def test_R2_texts_and_gates_may_change_between_question_and_answer() -> None:
    hosts, tool = Hosts(), Tool()
    progress = await start(hosts.open(declared(Tool(), **FACTS)), "t")
    texts = {
        "type": "object",
        "description": "d",
        "properties": {"n": {"type": "integer", "title": "N"}},
    }
    runner = hosts.open(declared(tool, parameters=texts, description="New", approval=None))
    assert (await runner.approve(*ids(progress), approved=True)).status == "completed"


async def test_R1_without_the_key_a_call_is_blocked_and_its_secrets_stay_behind_stand_ins() -> None:
    hosts, tool = Hosts(), Tool()
    definition = declared(tool, parameters=SECRET, approval=GATE, output=schema(SECRET))
    runner = hosts.open(definition)
    progress = await start(runner, "t", "t", arguments={"p": "x"})
    one, two = ids(progress)
    other = hosts.open(definition, keys=Keys(b"another"))
    assert (await rejected(other.approve(one, approved=True))).code == "record.no-key"
    assert [p.call.args for p in await other.pending()] == [{"p": STAND_IN}] * 2
    await runner.approve(one, approved=True)
    await runner.approve(two, approved=True)
    progress = await other.progress(progress.plan_id or "")
    assert outcome(progress.results[0])["output"] == {"p": STAND_IN}
    assert len(tool.args) == 2


async def test_R2_a_policy_of_today_does_not_decide_about_an_approval_of_yesterday() -> None:
    hosts, tool = Hosts(), Tool()
    progress = await start(hosts.open(declared(tool, approval=GATE)), "t")
    asked: list[Any] = []
    runner = hosts.open(declared(tool, approval=GATE), policy=asked.append)
    assert (await runner.approve(*ids(progress), approved=True)).status == "completed"
    assert not asked


# --- anything that is not exactly a record is refused, or is one


@cache
def documents() -> list[bytes]:
    return asyncio.run(plans())


@settings(max_examples=300, deadline=None)
@given(numbers=st.tuples(*[st.integers(0, 10_000)] * 3))
@example(numbers=(269, 269, 269))  # a resolution without an id
def test_R1_a_changed_document_is_refused_or_is_another_record(
    numbers: tuple[int, int, int],
) -> None:
    which, where, what = numbers
    document = documents()[which % len(documents())]
    paths = list(_paths(json.loads(document)))
    values = [None, 0, -1, "", "x", True, [], {}, 10**400, ..., *_some(json.loads(document))]
    value = values[what % len(values)]
    text = changed(document, *paths[where % len(paths)], value=value)
    record = loaded(text)
    if record is not None:
        assert check.is_valid(json.loads(records.dump(record)))
        assert records.load(records.dump(record)) == record


def loaded(text: bytes) -> records.Record | None:
    """The record, or None if it is refused as it should be."""
    try:
        return records.load(text)
    except ToolError as error:
        if error.code in {"record.invalid", "record.newer"}:
            return None
        raise


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in entries:
            yield (*path, key)
            yield from _paths(item, (*path, key))


def _some(form: Any) -> list[Any]:
    calls = form["calls"]
    return [calls, calls[0], calls[0].get("invocation"), calls[-1].get("result")]
