"""Any history of batches, replies, settlements, cancellations, deadlines and restarts.

Beside the runtime runs a model of it that is plain enough to be believed: one result a call, in
call order; a settled call never runs again; no reply is used twice; ids are unique.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from toolkiln_runtime import (
    Completed,
    Deferred,
    Executor,
    Failed,
    Interaction,
    InteractionRequired,
    Progress,
    ToolCall,
    ToolError,
    ToolExecutionContext,
    records,
)
from toolkiln_runtime.contract import Approval, Deferral, Failure, Question

from .durable import DurableStore, Hosts
from .kit import declared, schema

T = TypeVar("T")
SECONDS = 60.0
STEPS = ("ask", "pick", "defer", "done", "fail", "raise")
PARAMETERS = {
    "type": "object",
    "required": ["steps"],
    "properties": {"steps": {"type": "array"}, "secret": {"x-sensitive": True}},
}
FACTS: dict[str, Any] = {
    "parameters": PARAMETERS,
    "failures": {"nope": Failure("No.")},
    "interactions": {
        "ask": Question(kind="approval", prompt=("?",), token=schema(True), expires=SECONDS),
        "pick": Question(
            kind="response", prompt=("?",), response=schema({"type": "integer"}), token=schema(True)
        ),
    },
    "deferred": Deferral(token=schema(True), expires=SECONDS),
}


class Call:
    """What the model knows of a call."""

    def __init__(self, steps: list[str], *, gated: bool) -> None:
        self.steps = steps
        self.state = "gated" if gated else "ready"
        self.attempts = 0
        self.result = ""
        self.until: float | None = None
        self.invocation_id = ""
        self.question = ""

    def run(self, now: float) -> None:
        step = self.steps[min(self.attempts, len(self.steps) - 1)]
        self.attempts += 1
        self.until = now + SECONDS if step in {"ask", "defer"} else None
        self.state = {"ask": "asking", "pick": "asking", "defer": "deferred"}.get(step, "settled")
        self.result = {"done": "completed", "fail": "nope"}.get(step, "tool.execution-failed")

    def end(self, result: str) -> None:
        self.state, self.result, self.until = "settled", result, None


class Plan:
    """What the model knows of a batch."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls
        self.id = ""

    def expire(self, now: float) -> None:
        for call in self.calls:
            if call.until is not None and call.until <= now:
                call.end("interaction.expired")

    def start(self, now: float) -> None:
        if any(call.state == "gated" for call in self.calls):
            return
        for call in self.calls:
            if call.state == "ready":
                call.run(now)

    def of(self, *states: str) -> list[Call]:
        return [call for call in self.calls if call.state in states]


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.hosts = Hosts()
        self.plans: list[Plan] = []
        self.entered: Counter[str] = Counter()
        self.used: set[str] = set()
        self.answers: list[tuple[str, Any]] = []
        self.given: list[tuple[str, Any]] = []
        self.executor: Executor = self.fresh()

    def teardown(self) -> None:
        self.runner.close()

    def wait(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self.runner.run(awaited())

    def fresh(self) -> Executor:
        gate = Approval(prompt=("?", ("secret",)), expires=SECONDS)
        return self.hosts.open(
            declared(self.handler, name="free", **FACTS),
            declared(self.handler, name="gated", approval=gate, **FACTS),
        )

    async def handler(self, args: dict[str, Any], context: ToolExecutionContext) -> Any:
        number = self.entered[context.invocation_id]
        self.entered[context.invocation_id] += 1
        if context.resume is not None:
            assert context.resume.token == number - 1
            if context.resume.kind == "response":
                self.given.append((context.resume.interaction_id, context.resume.value))
        await asyncio.sleep(0)
        match args["steps"][min(number, len(args["steps"]) - 1)]:
            case "ask":
                return InteractionRequired(Interaction(kind="approval", name="ask"), number)
            case "pick":
                return InteractionRequired(Interaction(kind="response", name="pick"), number)
            case "defer":
                return Deferred(number)
            case "done":
                return Completed(context.call_id)
            case "fail":
                return Failed("nope", "")
            case _:
                raise ValueError(context.call_id)

    # --- what happens

    @initialize()
    def begin(self) -> None:
        assert not self.plans

    steps = st.lists(st.sampled_from(STEPS), min_size=1, max_size=3)

    @rule(calls=st.lists(st.tuples(st.booleans(), steps), max_size=4))
    def run(self, calls: list[tuple[bool, list[str]]]) -> None:
        plan = Plan([Call(steps, gated=gated) for gated, steps in calls])
        made = [
            ToolCall(
                f"c{number}",
                "gated" if call.state == "gated" else "free",
                json.dumps({"steps": call.steps, "secret": "SENTINEL"}),
            )
            for number, call in enumerate(plan.calls)
        ]
        ids = {"session_id": "ses", "turn_id": "turn", "step_id": "step"}
        progress = self.wait(self.executor.run(made, **ids))
        assert progress.plan_id
        plan.id = progress.plan_id
        for call in plan.of("gated"):
            call.until = self.hosts.clock() + SECONDS
        plan.start(self.hosts.clock())
        self.plans.append(plan)
        known = records.load(self.store_document(plan))
        for call, recorded in zip(plan.calls, known.calls, strict=True):
            assert recorded.invocation
            call.invocation_id = recorded.invocation.id
        self.check(plan, progress)

    def store_document(self, plan: Plan) -> bytes:
        stored = self.wait(self.hosts.store.load(plan.id))
        assert stored
        return stored.document

    def waiting(self, *states: str) -> list[tuple[Plan, Call]]:
        return [(plan, call) for plan in self.plans for call in plan.of(*states)]

    def find(self, call: Call) -> str:
        (pending,) = [
            pending
            for pending in self.wait(self.executor.pending())
            if pending.invocation_id == call.invocation_id
        ]
        return pending.interaction.id

    @precondition(lambda self: self.waiting("gated", "asking"))
    @rule(data=st.data(), approved=st.booleans())
    def reply(self, data: st.DataObject, approved: bool) -> None:
        plan, call = data.draw(st.sampled_from(self.waiting("gated", "asking")))
        expired = call.until is not None and call.until <= self.hosts.clock()
        assert not expired
        name = self.find(call)
        last = call.steps[min(call.attempts, len(call.steps)) - 1]
        picks = call.state == "asking" and last == "pick"
        if picks:
            with pytest.raises(ToolError, match="wrong-kind"):
                self.wait(self.executor.approve(name, approved))
            with pytest.raises(ToolError, match="invalid-response"):
                self.wait(self.executor.respond(name, "x"))
            self.answers.append((name, len(self.answers)))
            progress = self.wait(self.executor.respond(name, len(self.answers) - 1))
        else:
            progress = self.wait(self.executor.approve(name, approved))
        self.used.add(name)
        plan.expire(self.hosts.clock())
        if not picks and not approved:
            call.end("denied")
        elif call.state == "gated":
            call.state, call.until = "ready", None
        else:
            call.run(self.hosts.clock())
        plan.start(self.hosts.clock())
        self.check(plan, progress)

    @precondition(lambda self: self.used)
    @rule(data=st.data())
    def reply_again(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.used)))
        with pytest.raises(ToolError) as caught:
            self.wait(self.executor.approve(name, approved=True))
        assert caught.value.code == "interaction.answered"
        self.touched(caught.value)

    @precondition(lambda self: self.waiting("deferred"))
    @rule(data=st.data(), valid=st.booleans())
    def settle(self, data: st.DataObject, valid: bool) -> None:
        plan, call = data.draw(st.sampled_from(self.waiting("deferred")))
        work = self.executor.settle(call.invocation_id, Completed(1 if valid else object()))
        if not valid:
            with pytest.raises(ToolError, match="invalid-outcome"):
                self.wait(work)
            return
        progress = self.wait(work)
        plan.expire(self.hosts.clock())
        call.end("completed")
        plan.start(self.hosts.clock())
        self.check(plan, progress)

    @precondition(lambda self: self.waiting("settled"))
    @rule(data=st.data())
    def settle_again(self, data: st.DataObject) -> None:
        _, call = data.draw(st.sampled_from(self.waiting("settled")))
        with pytest.raises(ToolError) as caught:
            self.wait(self.executor.settle(call.invocation_id, Completed("other")))
        assert caught.value.code == "invocation.settled"
        assert caught.value.result
        assert shown(caught.value.result) == call.result
        self.touched(caught.value)

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), whole=st.booleans())
    def cancel(self, data: st.DataObject, whole: bool) -> None:
        plan = data.draw(st.sampled_from(self.plans))
        if whole:
            progress = self.wait(self.executor.cancel(plan_id=plan.id))
            plan.expire(self.hosts.clock())
            for call in plan.calls:
                if call.state != "settled":
                    call.end("tool.cancelled")
        elif plan.of("gated", "ready", "asking", "deferred"):
            call = data.draw(st.sampled_from(plan.of("gated", "ready", "asking", "deferred")))
            progress = self.wait(self.executor.cancel(invocation_id=call.invocation_id))
            plan.expire(self.hosts.clock())
            call.end("tool.cancelled")
        else:
            return
        plan.start(self.hosts.clock())
        self.check(plan, progress)

    @rule(seconds=st.sampled_from([1.0, 30.0, SECONDS]), told=st.booleans())
    def pass_time(self, seconds: float, told: bool) -> None:
        self.hosts.clock.advance(seconds)
        now = self.hosts.clock()
        due = [plan for plan in self.plans if any(c.until and c.until <= now for c in plan.calls)]
        for plan in due:
            plan.expire(now)
        if told:
            self.expire()

    @rule()
    def expire(self) -> None:
        self.wait(self.executor.expire())
        now = self.hosts.clock()
        for plan in self.plans:
            # A batch whose gates have all ended waits for whoever looks.
            plan.start(now)

    @rule(copied=st.booleans())
    def restart(self, copied: bool) -> None:
        if copied:
            store = DurableStore()
            for change in self.hosts.store.written:
                self.wait(store.commit(change))
            self.hosts.store = store
        self.executor = self.fresh()

    # --- what holds

    def touched(self, error: ToolError) -> None:
        """A rejected reply, too, starts what a deadline has set free."""
        assert error.progress
        (plan,) = [plan for plan in self.plans if plan.id == error.progress.plan_id]
        plan.expire(self.hosts.clock())
        plan.start(self.hosts.clock())
        self.check(plan, error.progress)

    def check(self, plan: Plan, progress: Progress) -> None:
        assert progress.plan_id == plan.id
        results = {result.call_id: shown(result) for result in progress.results}
        expected = {
            f"c{number}": call.result
            for number, call in enumerate(plan.calls)
            if call.state == "settled"
        }
        assert results == expected
        assert list(results) == sorted(results)
        pending = {item.invocation_id for item in progress.pending}
        assert pending == {call.invocation_id for call in plan.of("gated", "asking")}
        deferred = {item.invocation_id for item in progress.deferred}
        assert deferred == {call.invocation_id for call in plan.of("deferred")}
        left = {item.invocation_id: item.state for item in progress.unfinished}
        assert left == {call.invocation_id: "waiting" for call in plan.of("ready")}
        status = "completed"
        if deferred or left:
            status = "deferred"
        assert progress.status == ("interaction-required" if pending else status)

    @invariant()
    def the_runtime_and_the_model_agree(self) -> None:
        for plan in self.plans:
            self.check(plan, self.wait(self.executor.progress(plan.id)))
        for plan in self.plans:
            for call in plan.calls:
                assert self.entered[call.invocation_id] == call.attempts

    @invariant()
    def ids_are_unique_and_answers_reach_their_question_once(self) -> None:
        names = [call.invocation_id for plan in self.plans for call in plan.calls]
        assert len(set(names)) == len(names)
        asked = [pending.interaction.id for pending in self.wait(self.executor.pending())]
        assert len(set(asked)) == len(asked)
        assert self.used.isdisjoint(asked)
        assert self.given == self.answers

    @invariant()
    def no_secret_is_written(self) -> None:
        assert "SENTINEL" not in self.hosts.store.texts()


def shown(result: Any) -> str:
    return str(getattr(result.outcome, "code", result.kind))


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
