"""Gates and questions, answered (E1, P1 to P8)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from toolkiln_runtime import (
    Answer,
    Choice,
    Completed,
    Deferred,
    Denied,
    Event,
    Executor,
    Interaction,
    InteractionRequired,
    Progress,
    Signal,
    ToolCall,
    ToolError,
    ToolExecutionContext,
    ToolModel,
    define,
)
from toolkiln_runtime.contract import Approval, Deferral, Question
from toolkiln_runtime.testing import ManualClock

from .kit import IDS, NUMBER, contract, declared, executor, outcome, plain, schema

GATE = Approval(prompt=("Run?",))
ASK = Question(kind="approval", prompt=("Go on?",))
DAYS = {"type": "object", "required": ["days"], "properties": {"days": {"maximum": 5}}}
PICK = Question(kind="response", prompt=("Days?",), response=schema(DAYS), token=schema(True))


class Tool:
    """A handler that returns what it is told, attempt for attempt, and writes down what it got."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes = list(outcomes)
        self.args: list[Any] = []
        self.contexts: list[ToolExecutionContext] = []

    async def __call__(self, args: Any, context: ToolExecutionContext) -> Any:
        self.args.append(args)
        self.contexts.append(context)
        return self.outcomes.pop(0) if self.outcomes else Completed(args)


def asks(name: str = "ask", token: Any = None, **fields: Any) -> InteractionRequired:
    kind = fields.pop("kind", "approval")
    return InteractionRequired(Interaction(kind=kind, name=name, **fields), token)


def asking(*outcomes: Any, **facts: Any) -> tuple[Tool, Any]:
    tool = Tool(*outcomes)
    facts.setdefault("interactions", {"ask": ASK, "pick": PICK})
    return tool, declared(tool, **facts)


async def start(runner: Executor, *names: str, arguments: Any = "{}") -> Progress:
    calls = [ToolCall(f"c{i}", name, arguments) for i, name in enumerate(names)]
    return await runner.run(calls, **IDS)


def ids(progress: Progress) -> list[str]:
    return [pending.interaction.id for pending in progress.pending]


def kinds(progress: Progress) -> list[str]:
    return [f"{result.call_id} {result.kind}" for result in progress.results]


async def rejected(work: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await work
    return caught.value


async def test_E1_open_gates_are_answered_in_any_order_and_the_last_starts_the_batch() -> None:
    tool, free = Tool(), Tool()
    runner = executor(declared(tool, name="t", approval=GATE), plain(free, "free"))
    progress = await start(runner, "t", "free", "t")
    first, second = ids(progress)
    assert [call.call.call_id for call in progress.unfinished] == ["c1"]
    assert progress.unfinished[0].state == "waiting"
    progress = await runner.approve(second, approved=True)
    assert (progress.status, ids(progress)) == ("interaction-required", [first])
    assert not tool.args
    assert not free.args
    progress = await runner.approve(first, approved=True)
    assert (progress.status, kinds(progress)) == (
        "completed",
        ["c0 completed", "c1 completed", "c2 completed"],
    )


async def test_E1_a_refused_gate_lets_the_others_go() -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=GATE))
    one, two = ids(await start(runner, "t", "t"))
    await runner.approve(one, approved=False, reason="no")
    progress = await runner.approve(two, approved=True)
    assert kinds(progress) == ["c0 denied", "c1 completed"]
    assert outcome(progress.results[0]) == {"kind": "denied", "reason": "no"}
    assert len(tool.args) == 1


async def test_E1_what_was_settled_at_sealing_keeps_its_place() -> None:
    runner = executor(declared(Tool(), approval=GATE), plain(name="n", parameters=NUMBER))
    progress = await start(runner, "none", "t", "n")
    progress = await runner.approve(*ids(progress), approved=True)
    assert kinds(progress) == ["c0 failed", "c1 completed", "c2 failed"]


async def test_P5_a_gate_s_approval_is_no_resume() -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=GATE))
    (name,) = ids(await start(runner, "t"))
    await runner.approve(name, approved=True)
    (context,) = tool.contexts
    assert context.resume is None
    assert context.gate is not None
    assert (context.gate.interaction_id, context.gate.approved) == (name, True)


async def test_P5_only_the_answered_call_runs_again_with_the_same_invocation_id() -> None:
    other = Tool()
    tool, definition = asking(asks(token={"job": 1}), interactions={"ask": ASK_TOKEN})
    runner = executor(definition, plain(other, "other"))
    progress = await start(runner, "t", "other")
    assert (progress.status, kinds(progress)) == ("interaction-required", ["c1 completed"])
    (name,) = ids(progress)
    progress = await runner.approve(name, approved=True)
    assert kinds(progress) == ["c0 completed", "c1 completed"]
    assert (len(tool.args), len(other.args)) == (2, 1)
    first, second = tool.contexts
    assert first.invocation_id == second.invocation_id
    assert first.resume is None
    resume = second.resume
    assert (resume.interaction_id, resume.kind) == (name, "approval")
    assert (resume.approved, resume.value, resume.token) == (True, None, {"job": 1})
    assert (second.session_id, second.turn_id, second.step_id) == ("ses", "turn", "step")


ASK_TOKEN = Question(kind="approval", prompt=("?",), token=schema(True))


async def test_P5_a_second_pause_starts_clean() -> None:
    tool, definition = asking(
        asks("pick", {"n": 1}, kind="response"), asks("pick", kind="response"), Completed("end")
    )
    runner = executor(definition)
    (one,) = ids(await start(runner, "t"))
    progress = await runner.respond(one, {"days": 1})
    (two,) = ids(progress)
    assert one != two
    assert (await rejected(runner.respond(one, {"days": 2}))).code == "interaction.answered"
    progress = await runner.respond(two, {"days": 2})
    assert outcome(progress.results[0])["output"] == "end"
    assert [context.resume and context.resume.value for context in tool.contexts] == [
        None,
        {"days": 1},
        {"days": 2},
    ]
    assert [context.resume and context.resume.token for context in tool.contexts] == [
        None,
        {"n": 1},
        None,
    ]


async def test_P5_two_askers_are_answered_in_reverse_each_with_its_own() -> None:
    tool, definition = asking(*[asks("pick", n, kind="response") for n in range(2)])
    runner = executor(definition)
    one, two = ids(await start(runner, "t", "t"))
    progress = await runner.respond(two, {"days": 2})
    assert ids(progress) == [one]
    progress = await runner.respond(one, {"days": 1})
    got = {c.call_id: (c.resume.value["days"], c.resume.token) for c in tool.contexts[2:]}
    assert got == {"c0": (1, 0), "c1": (2, 1)}
    assert progress.status == "completed"


class Answered(ToolModel):
    days: int


class Left(ToolModel):
    job: str


async def test_P5_resume_is_typed_where_the_contract_has_models() -> None:
    tool = Tool(asks("pick", Left(job="j"), kind="response"))
    asked: list[str] = []

    def model(name: str, class_: type) -> Callable[[], type]:
        def named() -> type:
            asked.append(name)
            return class_

        return named

    definition = define(
        contract(interactions={"pick": PICK}),
        tool,
        answers={"pick": Answer(response=model("r", Answered), token=model("t", Left))},
    )
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    assert not asked
    await runner.respond(name, Answered(days=3))
    assert tool.contexts[1].resume.value == Answered(days=3)
    assert tool.contexts[1].resume.token == Left(job="j")


async def test_P5_types_beyond_models_are_read_too() -> None:
    tool = Tool(asks("pick", kind="response"))
    question = Question(kind="response", prompt=("?",), response=schema({"type": "array"}))
    definition = define(
        contract(interactions={"pick": question}),
        tool,
        answers={"pick": Answer(response=lambda: list[Answered])},
    )
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    await runner.respond(name, [{"days": 1}])
    assert tool.contexts[1].resume.value == [Answered(days=1)]


async def test_E8_a_model_that_refuses_a_valid_answer_is_our_fault() -> None:
    tool = Tool(asks("pick", kind="response"))
    definition = define(
        contract(interactions={"pick": PICK}),
        tool,
        answers={"pick": Answer(response=lambda: Left)},
    )
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    progress = await runner.respond(name, {"days": 3})
    assert outcome(progress.results[0])["code"] == "tool.internal"


async def test_P2_a_reply_needs_a_question_of_its_kind_that_is_open() -> None:
    tool, definition = asking(asks(), asks("pick", kind="response"))
    runner = executor(definition)
    approval, response = ids(await start(runner, "t", "t"))
    before = await runner.pending()
    for work, code in (
        (runner.approve("int_none", approved=True), "interaction.unknown"),
        (runner.respond("int_none", 1), "interaction.unknown"),
        (runner.respond(approval, True), "interaction.wrong-kind"),
        (runner.approve(response, approved=True), "interaction.wrong-kind"),
        (runner.approve(approval, approved=1), "interaction.invalid-response"),  # type: ignore[arg-type]
        (runner.approve(approval, approved="true"), "interaction.invalid-response"),  # type: ignore[arg-type]
        (runner.approve(approval, approved=None), "interaction.invalid-response"),  # type: ignore[arg-type]
        (runner.approve(approval, approved=True, by=3), "interaction.invalid-response"),  # type: ignore[arg-type]
        (runner.approve(approval, approved=False, reason=3), "interaction.invalid-response"),  # type: ignore[arg-type]
    ):
        error = await rejected(work)
        assert error.code == code
    assert [p.as_json() for p in await runner.pending()] == [p.as_json() for p in before]
    assert len(tool.args) == 2
    await runner.approve(approval, approved=True)
    error = await rejected(runner.approve(approval, approved=True))
    assert error.code == "interaction.answered"
    assert error.progress is not None
    assert kinds(error.progress) == ["c0 completed"]


@pytest.mark.parametrize("approved", [True, False])
async def test_P2_an_answer_counts_once(approved: bool) -> None:
    tool = Tool()
    runner = executor(declared(tool, approval=GATE))
    (name,) = ids(await start(runner, "t"))
    replies = [runner.approve(name, approved=approved) for _ in range(20)]
    ends = await asyncio.gather(*replies, return_exceptions=True)
    errors = [end for end in ends if isinstance(end, ToolError)]
    assert {error.code for error in errors} == {"interaction.answered"}
    assert len(errors) == 19
    assert len(tool.args) == approved


@pytest.mark.parametrize("value", [False, 0, "", None, [], {}])
async def test_P3_falsy_answers_are_answers(value: Any) -> None:
    question = Question(kind="response", prompt=("?",), response=schema(True))
    tool, definition = asking(asks("pick", kind="response"), interactions={"pick": question})
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    await runner.respond(name, value)
    assert tool.contexts[1].resume.value == value
    assert type(tool.contexts[1].resume.value) is type(value)


async def test_P3_an_invalid_answer_leaves_the_question_open() -> None:
    tool, definition = asking(asks("pick", kind="response"))
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    for value in ({"days": 9}, {}, {"days": float("nan")}, {1}, "SENTINEL"):
        error = await rejected(runner.respond(name, value))
        assert error.code == "interaction.invalid-response"
        assert "SENTINEL" not in str(error)
    assert ids(Progress("completed", (), await runner.pending())) == [name]
    progress = await runner.respond(name, {"days": 2})
    assert progress.status == "completed"
    assert len(tool.args) == 2


async def test_P3_an_answer_is_one_of_the_choices() -> None:
    question = Question(kind="response", prompt=("?",), response=schema(True), choices=True)
    choices = [Choice(1, "one"), Choice({"a": True}, "both")]
    tool, definition = asking(
        asks("pick", kind="response", choices=choices), interactions={"pick": question}
    )
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    for value in (True, "1", 2, {"a": 1}, {"a": True, "b": 1}, None):
        error = await rejected(runner.respond(name, value))
        assert error.code == "interaction.invalid-response"
    await runner.respond(name, {"a": True})
    assert tool.contexts[1].resume.value == {"a": True}


async def test_P3_a_question_without_a_contract_takes_any_json() -> None:
    tool = Tool(InteractionRequired(Interaction(kind="response", prompt="?")))
    runner = executor(plain(tool))
    (name,) = ids(await start(runner, "t"))
    assert (await rejected(runner.respond(name, object()))).code == "interaction.invalid-response"
    await runner.respond(name, [1])
    assert tool.contexts[1].resume.value == [1]


async def test_P4_a_refusal_denies_and_tells_the_handler_of_refusals() -> None:
    told: list[Any] = []

    async def refused(context: ToolExecutionContext, token: Any) -> None:
        told.append((context.resume.approved, context.resume.interaction_id, token))
        raise ValueError("SENTINEL")

    tool = Tool(asks(token=Left(job="j")))
    definition = define(
        contract(interactions={"ask": ASK_TOKEN}),
        tool,
        answers={"ask": Answer(token=lambda: Left)},
        refused=refused,
    )
    runner = executor(definition)
    (name,) = ids(await start(runner, "t"))
    progress = await runner.approve(name, approved=False)
    assert outcome(progress.results[0]) == {
        "kind": "denied",
        "reason": "The approval was refused.",
    }
    assert told == [(False, name, Left(job="j"))]
    assert len(tool.args) == 1


async def test_P4_a_handler_of_refusals_may_be_a_plain_function() -> None:
    told: list[Any] = []

    def refused(_context: ToolExecutionContext, token: Any) -> None:
        told.append(token)

    tool = Tool(InteractionRequired(Interaction(kind="approval", prompt="?"), "left"))
    runner = executor(plain(tool, refused=refused))
    (name,) = ids(await start(runner, "t"))
    await runner.approve(name, approved=False)
    assert told == ["left"]


async def test_P4_a_refused_gate_leaves_nothing_to_release() -> None:
    told: list[Any] = []
    runner = executor(
        define(contract(approval=GATE), Tool(), refused=lambda *args: told.append(args))
    )
    (name,) = ids(await start(runner, "t"))
    progress = await runner.approve(name, approved=False, reason="")
    assert progress.results[0].kind == "denied"
    assert not told


EDIT = Approval(prompt=("Pay ", ("n",), "?"), allow_edit=True)
SECRET = {
    "type": "object",
    "required": ["n"],
    "properties": {
        "n": {"type": "integer", "maximum": 100},
        "pin": {"type": "string", "x-sensitive": True},
        "to": {"type": "array", "items": {"properties": {"pin": {"x-sensitive": True}}}},
    },
}
STAND_IN = {"$sensitive": True}


def editable(tool: Tool, **settings: Any) -> Executor:
    return executor(declared(tool, parameters=SECRET, approval=EDIT), **settings)


async def test_P6_a_person_may_change_arguments_and_the_result_says_so() -> None:
    tool = Tool()
    runner = editable(tool)
    given = {"n": 100, "pin": "1234", "to": [{"pin": "9", "name": "a"}]}
    progress = await start(runner, "t", arguments=given)
    shown = progress.pending[0].masked
    assert shown["pin"] == STAND_IN
    changed = {**shown, "n": 50}
    progress = await runner.approve(*ids(progress), approved=True, edited_args=changed, by="ada")
    assert tool.args == [{**given, "n": 50}]
    (result,) = progress.results
    assert result.edited_args == changed
    assert result.as_json()["editedArgs"] == changed


async def test_P6_unchanged_arguments_are_no_edit() -> None:
    tool = Tool()
    runner = editable(tool)
    progress = await start(runner, "t", arguments={"n": 1, "pin": "1234"})
    same = {"pin": STAND_IN, "n": 1}
    progress = await runner.approve(*ids(progress), approved=True, edited_args=same)
    assert progress.results[0].edited_args is None
    assert tool.args == [{"n": 1, "pin": "1234"}]


@pytest.mark.parametrize(
    "changed",
    [
        {"n": 101},
        {},
        {"n": "1"},
        {"n": float("nan")},
        [1],
        "n",
        {"n": 1, "pin": "4321"},
        {"n": 1},
        {"n": 1, "pin": STAND_IN, "to": [{"pin": "new"}]},
        {"n": 13, "pin": STAND_IN},
    ],
)
async def test_P6_changed_arguments_pass_every_check_again(changed: Any) -> None:
    tool, seen = Tool(), []

    def policy(request: Any) -> Denied | None:
        seen.append(request.args)
        return Denied("unlucky") if request.args["n"] == 13 else None

    runner = editable(tool, policy=policy)
    progress = await start(runner, "t", arguments={"n": 1, "pin": "1234"})
    work = runner.approve(*ids(progress), approved=True, edited_args=changed)
    error = await rejected(work)
    assert error.code == "interaction.invalid-edit"
    assert "1234" not in str(error)
    assert len(await runner.pending()) == 1
    assert not tool.args


async def test_P6_a_policy_that_asks_is_satisfied_by_the_person_who_edits() -> None:
    tool = Tool()
    policy = lambda _request: Interaction(kind="approval", prompt="?")  # noqa: E731
    runner = editable(tool, policy=policy)
    progress = await start(runner, "t", arguments={"n": 1})
    progress = await runner.approve(*ids(progress), approved=True, edited_args={"n": 2})
    assert tool.args == [{"n": 2}]
    assert progress.status == "completed"


async def test_P6_edits_need_a_contract_that_allows_them_and_a_handler_that_has_not_run() -> None:
    fixed, (_, asked) = executor(declared(Tool(), approval=GATE)), asking(asks(), approval=None)
    for runner in (fixed, executor(asked)):
        (name,) = ids(await start(runner, "t"))
        for approved in (True, False):
            work = runner.approve(name, approved=approved, edited_args={})
            assert (await rejected(work)).code == "interaction.invalid-edit"
        assert (await runner.approve(name, approved=True)).status == "completed"


EXPIRING = {
    "approval": Approval(prompt=("?",), expires=60.0),
    "interactions": {"ask": Question(kind="approval", prompt=("?",), expires=60.0)},
    "deferred": Deferral(expires=60.0),
}


@pytest.mark.parametrize("what", EXPIRING)
@pytest.mark.parametrize(("seconds", "expired"), [(59.999, False), (60, True), (61, True)])
async def test_P7_what_expires_ends_at_its_deadline(
    what: str, seconds: float, expired: bool
) -> None:
    clock, tool = (
        ManualClock(),
        Tool(*{"deferred": [Deferred()], "interactions": [asks()]}.get(what, [])),
    )
    definition = declared(tool, **{what: EXPIRING[what]})
    runner = executor(definition, clock=clock)
    started = await start(runner, "t")
    assert started.plan_id is not None
    if started.pending:
        assert started.pending[0].expires_at == clock() + 60
    clock.advance(seconds)
    shown = await runner.progress(started.plan_id)
    assert bool(shown.results) is expired
    assert bool(await runner.pending()) is (not expired and what != "deferred")
    progress = await runner.expire()
    if not expired:
        assert progress.results == ()
        return
    assert outcome(progress.results[0])["code"] == "interaction.expired"
    assert progress.status == "completed"
    assert (await runner.expire()).results == ()
    assert len(tool.args) == (what != "approval")


@pytest.mark.parametrize("what", ["approval", "interactions"])
async def test_P7_a_reply_that_comes_too_late_is_rejected(what: str) -> None:
    clock, tool = ManualClock(), Tool(asks())
    runner = executor(declared(tool, **{what: EXPIRING[what]}), clock=clock)
    (name,) = ids(await start(runner, "t"))
    clock.advance(60)
    for _ in range(2):
        error = await rejected(runner.approve(name, approved=True))
        assert error.code == "interaction.expired"
        assert error.progress is not None
        assert outcome(error.progress.results[0])["code"] == "interaction.expired"
    assert len(tool.args) == (what == "interactions")


async def test_P7_the_last_gate_that_expires_starts_the_batch() -> None:
    clock, free, other = ManualClock(), Tool(), Tool()
    gated = declared(Tool(), name="gated", approval=Approval(prompt=("?",), expires=60.0))
    late = declared(other, name="late", approval=Approval(prompt=("?",)))
    runner = executor(gated, late, plain(free, "free"), clock=clock)
    _, name = ids(await start(runner, "gated", "late", "free"))
    clock.advance(60)
    assert [call.call.call_id for call in (await runner.unended())[0].unfinished] == ["c2"]
    assert (await runner.expire()).status == "interaction-required"
    assert not free.args
    progress = await runner.approve(name, approved=True)
    assert kinds(progress) == ["c0 failed", "c1 completed", "c2 completed"]


async def test_P7_expire_runs_what_it_sets_free() -> None:
    clock, free = ManualClock(), Tool()
    gated = declared(Tool(), name="gated", approval=Approval(prompt=("?",), expires=60.0))
    runner = executor(gated, plain(free, "free"), clock=clock)
    await start(runner, "gated", "free")
    await start(runner, "gated")
    progress = await runner.expire(clock() + 60)
    assert sorted(kinds(progress)) == ["c0 failed", "c0 failed", "c1 completed"]
    assert len(free.args) == 1


async def test_P7_nothing_expires_without_a_deadline() -> None:
    clock, tool = ManualClock(), Tool()
    runner = executor(declared(tool, approval=GATE), clock=clock)
    (name,) = ids(await start(runner, "t"))
    clock.advance(10**9)
    await runner.expire()
    assert (await runner.approve(name, approved=True)).status == "completed"


async def test_P8_cancelling_ends_what_is_unresolved_and_keeps_results() -> None:
    tool, definition = asking(asks(), Completed("kept"), Deferred(), deferred=Deferral())
    runner = executor(definition)
    progress = await start(runner, "t", "t", "t")
    assert progress.plan_id is not None
    progress = await runner.cancel(plan_id=progress.plan_id)
    assert [outcome(result).get("code") for result in progress.results] == [
        "tool.cancelled",
        None,
        "tool.cancelled",
    ]
    assert progress.status == "completed"
    assert len(tool.args) == 3
    again = await runner.cancel(plan_id=progress.plan_id or "")
    assert again.as_json() == progress.as_json()


async def test_P8_ungated_siblings_that_never_started_are_cancelled_too() -> None:
    free = Tool()
    runner = executor(declared(Tool(), approval=GATE), plain(free, "free"))
    progress = await start(runner, "t", "free")
    progress = await runner.cancel(plan_id=progress.plan_id)
    assert {outcome(result)["code"] for result in progress.results} == {"tool.cancelled"}
    assert not free.args


async def test_P8_one_call_may_be_cancelled_and_lets_the_others_go() -> None:
    free = Tool()
    runner = executor(declared(Tool(), approval=GATE), plain(free, "free"))
    progress = await start(runner, "t", "free")
    name = progress.pending[0].invocation_id
    progress = await runner.cancel(invocation_id=name)
    assert kinds(progress) == ["c0 failed", "c1 completed"]
    error = await rejected(runner.cancel(invocation_id=name))
    assert error.code == "invocation.settled"
    for bad in ({}, {"plan_id": "p", "invocation_id": "i"}):
        with pytest.raises(TypeError):
            await runner.cancel(**bad)
    assert (await rejected(runner.cancel(plan_id="none"))).code == "record.unknown"
    assert (await rejected(runner.cancel(invocation_id="none"))).code == "invocation.unknown"


async def test_P8_a_denial_stays_a_denial() -> None:
    runner = executor(declared(Tool(), approval=GATE))
    progress = await start(runner, "t", "t")
    await runner.approve(ids(progress)[0], approved=False, reason="no")
    progress = await runner.cancel(plan_id=progress.plan_id)
    assert kinds(progress) == ["c0 denied", "c1 failed"]


async def test_P8_cancelling_interrupts_what_runs_here_and_keeps_what_it_finishes() -> None:
    entered, left = asyncio.Event(), []

    async def stops(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        if context.resume is None:
            return asks()  # type: ignore[return-value]
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.append(context.call_id)
        return Completed("never")

    async def finishes(_args: Any, context: ToolExecutionContext) -> Completed[str]:
        if context.resume is None:
            return asks()  # type: ignore[return-value]
        entered.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        assert context.signal.cancelled
        return Completed("done all the same")

    for handler, code in ((stops, "tool.cancelled"), (finishes, None)):
        entered.clear()
        runner = executor(declared(handler, interactions={"ask": ASK}))
        progress = await start(runner, "t", "t")
        name, _ = ids(progress)
        reply = asyncio.create_task(runner.approve(name, approved=True))
        await entered.wait()
        cancelled = await runner.cancel(plan_id=progress.plan_id)
        assert [outcome(result).get("code") for result in cancelled.results] == [
            code,
            "tool.cancelled",
        ]
        assert (await reply).as_json() == cancelled.as_json()
    assert left == ["c0"]


async def test_E9_a_cancelled_host_ends_the_call_that_its_reply_had_started() -> None:
    entered = asyncio.Event()

    async def handler(_args: Any, context: ToolExecutionContext) -> Any:
        if context.resume is None:
            return asks()
        entered.set()
        await asyncio.Event().wait()
        return Completed(1)

    runner = executor(declared(handler, interactions={"ask": ASK}))
    progress = await start(runner, "t", "t")
    one, two = ids(progress)
    reply = asyncio.create_task(runner.approve(one, approved=True))
    await entered.wait()
    reply.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reply
    after = await runner.progress(progress.plan_id or "")
    assert outcome(after.results[0])["code"] == "tool.cancelled"
    assert ids(after) == [two]


async def test_P1_a_given_id_is_kept_unless_something_pending_has_it() -> None:
    tool, definition = asking(*[asks(id="mine") for _ in range(4)])
    runner = executor(definition)
    progress = await start(runner, "t", "t")
    assert ids(progress) == ["mine"]
    assert outcome(progress.results[0])["code"] == "interaction.invalid"
    again = await start(runner, "t")
    assert outcome(again.results[0])["code"] == "interaction.invalid"
    await runner.approve("mine", approved=False)
    assert ids(await start(runner, "t")) == ["mine"]
    progress = await runner.approve("mine", approved=True)
    assert progress.status == "completed"
    assert len(tool.args) == 5


async def test_P1_a_policy_s_id_that_is_pending_elsewhere_fails_that_call_alone() -> None:
    tool, free = Tool(), Tool()

    def policy(request: Any) -> Interaction | None:
        return Interaction(kind="approval", id="mine") if request.tool.name == "t" else None

    runner = executor(plain(tool), plain(free, "free"), policy=policy)
    await start(runner, "t")
    progress = await start(runner, "t", "free")
    assert kinds(progress) == ["c0 failed", "c1 completed"]
    assert outcome(progress.results[0])["code"] == "interaction.invalid"
    await runner.approve("mine", approved=True)
    assert len(tool.args) == 1


async def test_N2_interactions_come_before_deferrals_in_the_status() -> None:
    _, definition = asking(asks(), Deferred(), deferred=Deferral())
    runner = executor(definition)
    progress = await start(runner, "t", "t")
    assert progress.status == "interaction-required"
    assert len(progress.deferred) == 1
    progress = await runner.approve(*ids(progress), approved=True)
    assert progress.status == "deferred"


async def test_C3_the_host_s_signal_does_not_end_what_already_waits() -> None:
    signal, (tool, definition) = Signal(), asking(asks())
    runner = executor(definition)
    progress = await runner.run([ToolCall("c", "t", "{}")], **IDS, signal=signal)
    signal.cancel()
    progress = await runner.approve(*ids(progress), approved=True)
    assert progress.status == "completed"
    assert len(tool.args) == 2


async def test_V1_events_follow_a_call_through_its_pauses() -> None:
    events: list[Event] = []
    _, definition = asking(asks(token="SENTINEL"), Deferred("SENTINEL"), **FACTS)
    runner = executor(definition, observers=[events.append])
    progress = await start(runner, "t", arguments={"p": "SENTINEL"})
    progress = await runner.approve(*ids(progress), approved=True, by="ada")
    progress = await runner.approve(*ids(progress), approved=True)
    await runner.settle(progress.deferred[0].invocation_id, Completed(1))
    assert [event.type for event in events] == [
        "tool.sealed",
        "interaction.required",
        "interaction.resolved",
        "tool.started",
        "interaction.required",
        "interaction.resolved",
        "tool.started",
        "tool.deferred",
        "tool.completed",
    ]
    assert events[2].data["how"] == "approved"
    assert events[2].data["by"] == "ada"
    assert "SENTINEL" not in repr(events)
    assert len({event.invocation_id for event in events}) == 1


FACTS = {
    "parameters": {"type": "object", "properties": {"p": {"x-sensitive": True}}},
    "approval": GATE,
    "interactions": {"ask": ASK_TOKEN},
    "deferred": Deferral(token=schema(True)),
}
