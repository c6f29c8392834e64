"""What users of other runtimes asked for or reported, by the number of the report.

1 to 23 are about pauses and approvals, 24 to 30 about results, traces and load.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from toolkiln.diagnostics import Level
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln_runtime import (
    Catalog,
    Choice,
    Completed,
    Deferred,
    Denied,
    Executor,
    Failed,
    Interaction,
    InteractionRequired,
    ToolCall,
    ToolError,
    ToolExecutionContext,
    ToolFailure,
    ToolSlot,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure, Question
from toolkiln_runtime.testing import ManualClock

from .durable import Hosts, Keys
from .kit import IDS, NUMBER, declared, executor, outcome, plain, raises, returns, run, schema
from .test_replies import Tool, asking, asks, ids, kinds, rejected, start

GATE = Approval(prompt=("?",))
PAY = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"amount": {"type": "integer", "minimum": 1, "default": 5}},
}
ANY = Question(kind="response", prompt=("?",), response=schema(True))
TOKEN = Question(kind="response", prompt=("?",), response=schema(True), token=schema(True))


async def test_peer_01_what_is_shown_is_what_runs() -> None:
    tool = Tool()

    def rewrites(request: Any) -> None:
        request.args["amount"] = 1_000

    runner = executor(declared(tool, parameters=PAY, approval=GATE), policy=rewrites)
    progress = await start(runner, "t", arguments={"amount": 7})
    assert progress.pending[0].call.args == {"amount": 7}
    await runner.approve(*ids(progress), approved=True)
    assert tool.args == [{"amount": 7}]
    assert (await run(declared(parameters=PAY), ToolCall("c", "t", {"amount": "7"}))).results[
        0
    ].kind == "failed"


async def test_peer_02_invalid_arguments_never_reach_a_person() -> None:
    tool = Tool()
    progress = await run(
        declared(tool, parameters=PAY, approval=GATE), ToolCall("c", "t", {"amount": 0})
    )
    assert outcome(progress.results[0])["code"] == "tool.invalid-arguments"
    assert not progress.pending


@pytest.mark.parametrize("raw", ['{"subject": "refu', "null", "[]", '{"n": NaN}'])
async def test_peer_03_a_predicate_that_cannot_see_the_arguments_is_not_asked(raw: str) -> None:
    tool, seen = Tool(), []
    progress = await run(plain(tool), ToolCall("c", "t", raw), policy=seen.append)
    assert outcome(progress.results[0])["code"] == "tool.invalid-arguments"
    assert not seen
    assert not tool.args


async def test_peer_03_a_predicate_that_raises_asks() -> None:
    tool = Tool()
    progress = await run(plain(tool), ToolCall("c", "t", "{}"), policy=lambda _request: 1 / 0)
    assert progress.status == "interaction-required"
    assert not tool.args


async def test_peer_04_an_approval_is_bound_to_its_call() -> None:
    pay, refund = Tool(), Tool()
    hosts = Hosts()
    runner = hosts.open(
        declared(pay, name="pay", parameters=PAY, approval=GATE),
        declared(refund, name="refund", parameters=PAY, approval=GATE),
    )
    first = await start(runner, "pay", arguments={"amount": 7})
    second = await start(runner, "refund", arguments={"amount": 8})
    await runner.approve(*ids(first), approved=True)
    assert (pay.args, refund.args) == ([{"amount": 7}], [])
    assert ids(second) == [pending.interaction.id for pending in await runner.pending()]


async def test_peer_05_a_made_up_approval_is_refused() -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=GATE))
    (name,) = ids(await start(runner, "t"))
    flipped = [
        name[:place] + chr(ord(letter) ^ 1) + name[place + 1 :] for place, letter in enumerate(name)
    ]
    messages = set()
    for made_up in ("v1.AAAA", "", *flipped):
        error = await rejected(runner.approve(made_up, approved=True))
        messages.add((error.code, error.message))
    assert len(messages) == 1
    assert not tool.args


@pytest.mark.parametrize("end", [Completed(1), Deferred()])
async def test_peer_06_a_second_approval_runs_nothing(end: Any) -> None:
    tool, definition = asking(asks(), end, deferred=Deferral())
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    await runner.approve(name, approved=True)
    error = await rejected(runner.approve(name, approved=True))
    assert error.code == "interaction.answered"
    assert len(tool.args) == 2


async def test_peer_07_concurrent_approvals_over_two_stores_run_once(tmp_path: Path) -> None:
    sql = pytest.importorskip("toolkiln_runtime.sql")
    tool, clock = Tool(), ManualClock()
    catalog = Catalog([ToolSlot("ns", [declared(tool, approval=GATE)])])
    stores = [sql.SqlStore(f"sqlite:///{tmp_path / 'calls.db'}") for _ in range(2)]
    runners = [Executor(catalog, store=store, keys=Keys(), clock=clock) for store in stores]
    (name,) = ids(await start(runners[0], "t"))
    replies = [runners[number % 2].approve(name, approved=True) for number in range(20)]
    ends = await asyncio.gather(*replies, return_exceptions=True)
    errors = [end for end in ends if isinstance(end, ToolError)]
    assert [error.code for error in errors] == ["interaction.answered"] * 19
    assert len(tool.args) == 1
    for store in stores:
        await store.close()


async def test_peer_08_two_calls_of_one_id_are_refused_before_a_pause() -> None:
    tool = Tool()
    calls = [ToolCall("c1", "t", "{}")] * 2
    progress = await run(declared(tool, approval=GATE), *calls)
    codes = {outcome(result)["code"] for result in progress.results}
    assert codes == {"tool.duplicate-call-id"}
    assert not progress.pending
    assert {result.requested_id for result in progress.results} == {"c1"}


async def test_peer_09_answers_of_parallel_pauses_do_not_cross() -> None:
    hosts = Hosts()
    tool, definition = asking(
        *[asks("pick", n, kind="response") for n in range(2)],
        interactions={
            "pick": Question(
                kind="response", prompt=("?",), token=schema(True), response=schema(True)
            )
        },
    )
    one, two = ids(await start(hosts.open(definition), "t", "t"))
    await hosts.open(definition).respond(two, "blue")
    await hosts.open(definition).respond(one, "red")
    got = {context.call_id: context.resume.value for context in tool.contexts[2:]}
    assert got == {"c0": "red", "c1": "blue"}


async def test_peer_10_finishing_one_deferred_call_leaves_the_others() -> None:
    tool = Tool(*[Deferred()] * 6)
    runner = executor(plain(tool))
    progress = await start(runner, *["t"] * 6)
    await runner.settle(progress.deferred[0].invocation_id, Completed(1))
    assert len(tool.args) == 6


@pytest.mark.parametrize("answer", [False, 0, "", None])
async def test_peer_11_falsy_answers_are_answers(answer: Any) -> None:
    tool, definition = asking(asks("pick", kind="response"), interactions={"pick": ANY})
    runner = executor(definition)
    await runner.respond(*ids(await start(runner, "t")), answer)
    assert tool.contexts[1].resume.value is answer


async def test_peer_12_a_bad_answer_keeps_the_question_open() -> None:
    days = {"type": "object", "properties": {"days": {"minimum": 1, "maximum": 5}}}
    question = Question(kind="response", prompt=("?",), response=schema(days))
    tool, definition = asking(asks("pick", kind="response"), interactions={"pick": question})
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    error = await rejected(runner.respond(name, {"days": 9}))
    assert error.code == "interaction.invalid-response"
    assert error.progress is not None
    assert not error.progress.results
    assert (await runner.respond(name, {"days": 2})).status == "completed"
    assert tool.contexts[1].resume.value == {"days": 2}


async def test_peer_13_a_failure_is_no_pause() -> None:
    handler = raises(ToolFailure("bad_quantity"))
    definition = declared(
        handler, failures={"bad_quantity": Failure("Bad.")}, deferred=Deferral(token=schema(True))
    )
    progress = await run(definition, ToolCall("c", "t", "{}"))
    assert outcome(progress.results[0])["code"] == "bad_quantity"
    assert not progress.deferred


async def test_peer_14_an_answer_survives_a_crash_after_it_is_used() -> None:
    hosts = Hosts()
    tool, definition = asking(asks(), Completed("done"))
    runner = hosts.open(definition)
    (name,) = ids(await start(runner, "t"))
    await runner.approve(name, approved=True)
    error = await rejected(hosts.open(definition).approve(name, approved=True))
    assert error.progress is not None
    assert outcome(error.progress.results[0])["output"] == "done"
    assert len(tool.args) == 2


async def test_peer_15_edits_stay_inside_the_tool_and_are_validated() -> None:
    tool = Tool()
    gate = Approval(prompt=("?",), allow_edit=True)
    runner = executor(declared(tool, parameters=PAY, approval=gate))
    (name,) = ids(await start(runner, "t", arguments={"amount": 3}))
    for bad in ({"amount": -3}, {"amount": 3, "toolName": "refund"}):
        error = await rejected(runner.approve(name, approved=True, edited_args=bad))
        assert error.code == "interaction.invalid-edit"
    assert len(await runner.pending()) == 1


async def test_peer_16_the_result_tells_that_a_person_changed_the_call() -> None:
    tool = Tool()
    runner = executor(
        declared(tool, parameters=PAY, approval=Approval(prompt=("?",), allow_edit=True))
    )
    (name,) = ids(await start(runner, "t", arguments={"amount": 100}))
    progress = await runner.approve(name, approved=True, edited_args={"amount": 50})
    assert progress.results[0].as_json()["editedArgs"] == {"amount": 50}


@pytest.mark.parametrize(
    "approval", ["{requrie: always}", "{}", "{when: []}", "sometimes", "null", "", "false"]
)
def test_peer_17_an_approval_that_is_misspelt_does_not_build(approval: str, tmp_path: Path) -> None:
    spec = tmp_path / "a.yaml"
    tool = f"  t:\n    description: d\n    effects: {{}}\n    approval: {approval}\n"
    spec.write_text(f"toolkiln: 1\nnamespace: n\ntools:\n{tool}", encoding="utf-8")
    specs, found = load(tmp_path, [spec])
    contract, more = lower(specs)
    wrong = [one for one in (*found, *more) if one.level is Level.ERROR]
    assert wrong or contract.tools[0].approval
    assert all(one.span and one.span.line == 7 for one in wrong)


async def test_peer_18_one_refusal_beats_every_approval() -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=GATE))
    one, two, three = ids(await start(runner, "t", "t", "t"))
    await runner.approve(one, approved=True)
    await runner.approve(three, approved=True)
    progress = await runner.approve(two, approved=False)
    assert kinds(progress) == ["c0 completed", "c1 denied", "c2 completed"]


async def test_peer_19_an_approval_of_one_tool_says_nothing_about_its_namesake() -> None:
    tools = Tool(), Tool()
    slots = [
        ToolSlot(name, [declared(tool, name="lookup", approval=GATE)], prefix=f"{name}_")
        for name, tool in zip(("crm", "bank"), tools, strict=True)
    ]
    runner = Executor(Catalog(slots))
    (name,) = ids(await start(runner, "crm_lookup"))
    await runner.approve(name, approved=True)
    assert (await start(runner, "bank_lookup")).status == "interaction-required"
    assert not tools[1].args


async def test_peer_20_a_fresh_context_honours_the_decision() -> None:
    hosts, asked = Hosts(), []
    progress = await start(hosts.open(declared(Tool(), approval=GATE)), "t")
    tool = Tool()
    runner = hosts.open(declared(tool, approval=GATE), policy=asked.append)
    await runner.approve(*ids(progress), approved=True)
    assert len(tool.args) == 1
    assert not asked


@pytest.mark.parametrize(("seconds", "expired"), [(59, False), (60, True), (61, True)])
async def test_peer_21_expired_is_neither_pending_nor_denied(seconds: int, expired: bool) -> None:
    clock, tool = ManualClock(), Tool()
    gate = Approval(prompt=("?",), expires=60.0)
    runner = executor(declared(tool, approval=gate), clock=clock)
    (name,) = ids(await start(runner, "t"))
    clock.advance(seconds)
    if not expired:
        assert (await runner.approve(name, approved=True)).status == "completed"
        return
    error = await rejected(runner.approve(name, approved=True))
    assert error.progress is not None
    form = outcome(error.progress.results[0])
    assert (form["kind"], form["code"]) == ("failed", "interaction.expired")
    assert "again" in form["message"]
    assert not await runner.pending()


async def test_peer_22_cancelling_closes_every_call_honestly() -> None:
    runner = executor(declared(Tool(), approval=GATE))
    progress = await start(runner, "t", "t")
    await runner.approve(ids(progress)[0], approved=False, reason="mine")
    progress = await runner.cancel(plan_id=progress.plan_id)
    assert [outcome(result) for result in progress.results] == [
        {"kind": "denied", "reason": "mine"},
        {"kind": "failed", "code": "tool.cancelled", "message": "The call was cancelled."},
    ]


async def test_peer_23_an_id_works_the_moment_it_is_handed_out() -> None:
    hosts, told = Hosts(), []
    tool, definition = asking(
        asks(metadata={"blob": "x" * 2_000_000}),
        interactions={"ask": Question(kind="approval", prompt=("?",), metadata=schema(True))},
    )

    def observer(event: Any) -> None:
        if event.type == "interaction.required":
            other = hosts.open(definition)
            told.append(asyncio.ensure_future(other.approve(event.data["id"], approved=True)))

    await start(hosts.open(definition, observers=[observer]), "t")
    (reply,) = told
    assert (await reply).status == "completed"
    assert len(tool.args) == 2


async def test_peer_24_exceptions_stay_inside() -> None:
    hosts = Hosts()
    error = RuntimeError("postgres://u:SENTINEL@10.0.0.5")
    error.__cause__ = ValueError("SENTINEL")
    progress = await start(hosts.open(plain(raises(error))), "t")
    assert "SENTINEL" not in progress.to_json().decode() + repr(progress) + hosts.store.texts()


async def test_peer_24_a_sensitive_argument_is_named_by_its_path_only() -> None:
    parameters = {"type": "object", "properties": {"pin": {"maxLength": 4, "x-sensitive": True}}}
    result = (
        await run(declared(parameters=parameters), ToolCall("c", "t", {"pin": "SENTINEL"}))
    ).results[0]
    assert "pin" in outcome(result)["message"]
    assert "SENTINEL" not in result.to_json().decode()


async def test_peer_25_codes_are_part_of_the_contract() -> None:
    definition = declared(returns(Failed("nope", "x")), failures={"not_found": Failure("None.")})
    result = (await run(definition, ToolCall("c", "t", "{}"))).results[0]
    assert outcome(result)["code"] == "tool.undeclared-failure"


async def test_peer_26_a_failure_is_not_held_to_the_schema_of_outputs() -> None:
    definition = declared(
        returns(Failed("not_found", "x")),
        failures={"not_found": Failure("None.")},
        output=schema({"type": "object", "required": ["id"]}),
    )
    form = outcome((await run(definition, ToolCall("c", "t", "{}"))).results[0])
    assert form == {"kind": "failed", "code": "not_found", "message": "x"}


async def test_peer_27_only_the_output_is_validated_not_what_is_around_it() -> None:
    closed = {"type": "object", "additionalProperties": False, "properties": {"id": {}}}
    definition = declared(returns(Completed({"id": 1})), output=schema(closed))
    result = (await run(definition, ToolCall("c", "t", "{}"))).results[0]
    assert result.kind == "completed"


async def test_peer_28_a_host_can_tell_whether_a_failure_may_pass() -> None:
    failures = {
        "upstream_down": Failure("Down.", retryable=True),
        "no_such_id": Failure("None.", retryable=False),
    }
    runner = executor(declared(returns(Failed("upstream_down", "")), failures=failures))
    progress = await start(runner, "t")
    code = outcome(progress.results[0])["code"]
    assert runner.catalog.tools["t"].contract.failures[code].retryable
    assert progress.status == "completed"


@pytest.mark.parametrize(
    "end",
    [
        Denied("no"),
        Deferred(),
        InteractionRequired(Interaction(kind="response", prompt="?", choices=[Choice(1, "a")])),
    ],
)
async def test_peer_29_pauses_are_no_errors_in_traces(end: Any) -> None:
    ends: list[Any] = []

    class Tracer:
        def __call__(self, _event: object) -> None:
            return None

        def attempt(self, _beginning: object) -> Any:
            return ends.append

    await start(executor(plain(returns(end)), observers=[Tracer()]), "t")
    assert [ended.code for ended in ends] == [None]


async def test_peer_30_fan_out_is_bounded_and_a_paused_call_frees_its_place() -> None:
    running = most = 0

    async def handler(args: dict[str, Any], context: ToolExecutionContext) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        if args["n"] % 2 and context.resume is None:
            return InteractionRequired(Interaction(kind="approval", prompt="?"))
        return Completed(args["n"])

    runner = executor(plain(handler, parameters=NUMBER), limit=4)
    calls = [ToolCall(f"c{n}", "t", {"n": n}) for n in range(200)]
    progress = await runner.run(calls, **IDS)
    assert most == 4
    assert len(progress.pending) == 100
    assert [outcome(result)["output"] for result in progress.results] == list(range(0, 200, 2))
