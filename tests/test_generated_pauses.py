"""Generated tools that ask, are answered, refused and settled by the real runtime."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.generating import importable, module, write
from tests.handmade import STRING, args, one_tool, schema, tool
from tests.test_golden import CASES
from toolkiln.contract import Contract, Interaction, Namespace
from toolkiln.shape import List, Scalar
from toolkiln_runtime import (
    Capability,
    Catalog,
    Choice,
    Completed,
    Denied,
    Executor,
    Failed,
    MemoryStore,
    Progress,
    Session,
    ToolCall,
    ToolResult,
    ToolSlot,
)
from toolkiln_runtime.testing import Unscripted

MONEY = {"cents": 5, "currency": "EUR"}


@pytest.fixture(scope="module", autouse=True)
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("pauses")
    for name in ("billing", "dotted", "dicts"):
        shutil.copytree(CASES / name / "expected", folder, dirs_exist_ok=True)
    with importable(folder):
        yield folder


@pytest.fixture
def billing() -> Any:
    return module("app.tools.billing")


@pytest.fixture
def contacts() -> Any:
    return module("acme.crm.contacts")


def executor(slot: ToolSlot) -> Executor:
    return Executor(Catalog([slot]), store=MemoryStore())


async def run(made: Executor, name: str, arguments: dict[str, Any]) -> Progress:
    call = ToolCall("c", name, arguments)
    return await made.run([call], session_id="ses", turn_id="turn", step_id="step")


async def answer(made: Executor, progress: Progress, value: Any) -> Progress:
    return await made.respond(progress.pending[0].interaction.id, value)


async def approve(made: Executor, progress: Progress, *, approved: bool = True) -> Progress:
    return await made.approve(progress.pending[0].interaction.id, approved)


# --- answers --------------------------------------------------------------------------------------


async def test_an_answer_arrives_in_its_own_class_with_its_types(billing: Any) -> None:
    seen: list[Any] = []

    async def start_payout(_args: Any, context: Any) -> Any:
        seen.append(context.resume)
        if context.resume is None:
            choices = [Choice("acc_1", "Main")]
            return billing.start_payout.pick_account(
                choices=choices, token=billing.Draft(draft="d_1")
            )
        job = context.resume.value + context.resume.token.draft
        return billing.start_payout.deferred(billing.Job(job=job))

    made = executor(tools_of(billing, start_payout=start_payout))
    asked = await approve(made, await run(made, "start_payout", {"amount": MONEY}))
    deferred = await answer(made, asked, "acc_1")
    assert deferred.deferred[0].token == {"job": "acc_1d_1"}
    first, resume = seen
    assert first is None
    assert type(resume) is billing.start_payout.PickAccountResume
    assert (type(resume.value), type(resume.token)) == (str, billing.Draft)
    assert "d_1" not in repr(resume)


def tools_of(billing: Any, **handlers: Any) -> ToolSlot:
    names = ("get_invoice", "refund_invoice", "start_payout", "billing_status")
    slot: ToolSlot = billing.billing_tools(**{name: handlers.get(name, print) for name in names})
    return slot


class Forgetting:
    """A handler that asks three questions, one after the other."""

    def __init__(self, contacts: Any) -> None:
        self.ask = contacts.drop_contact
        self.seen: list[Any] = []

    async def drop_contact(self, args: Any, context: Any) -> Any:
        self.seen.append(context.resume)
        match type(context.resume).__name__:
            case "NoneType":
                return self.ask.choose_heirs(token=args)
            case "ChooseHeirsResume":
                return self.ask.tell_them(token=context.resume.value[0])
            case "TellThemResume":
                assert context.resume.token.name == "Bob"
                return self.ask.confirm_3f26()
            case _:
                return Completed("gone")


async def test_several_questions_of_one_tool_are_told_apart(contacts: Any) -> None:
    handler = Forgetting(contacts)
    slot = contacts.contacts_tools(find_contact=print, drop_contact=handler.drop_contact)
    made = executor(slot)
    progress = await approve(made, await run(made, "drop_contact", {"name": "Ada"}))
    progress = await answer(made, progress, [{"name": "Bob", "knows": []}, {"name": "Eve"}])
    progress = await approve(made, await approve(made, progress))
    assert progress.results[0].outcome == Completed("gone")
    classes = ("ChooseHeirsResume", "TellThemResume", "ConfirmResume")
    assert [type(each).__qualname__ for each in handler.seen[1:]] == [
        f"drop_contact.{name}" for name in classes
    ]
    contact = module("acme.types").Contact
    heirs = handler.seen[1]
    assert [type(each) for each in (*heirs.value, heirs.token)] == [contact] * 3
    assert type(handler.seen[2].token) is contact


async def test_answers_of_typed_dictionaries_stay_as_they_were_given() -> None:
    notes = module("notes_app.tools.notes")
    seen: list[Any] = []

    async def add_note(_args: Any, context: Any) -> Any:
        seen.append(context.resume)
        if context.resume is None:
            return notes.add_note.choose_place(token={"id": "n_1", "more": 1})
        return Completed(context.resume.token)

    made = executor(notes.notes_tools(add_note=add_note))
    place = {"x": 1, "y": 2.5}
    progress = await answer(made, await run(made, "add_note", {"text": "a"}), place)
    assert progress.results[0].outcome == Completed({"id": "n_1", "more": 1})
    assert type(seen[1]) is notes.add_note.ChoosePlaceResume
    assert (seen[1].value, type(seen[1].value["x"])) == (place, int)


async def test_numbers_in_answers_keep_their_digits(tmp_path: Path) -> None:
    question = Interaction(
        "how_many", "response", ("?",), response=schema(List(Scalar("number")), {"type": "array"})
    )
    write(one_tool(tool("t", interactions=(question,)), args("t")), tmp_path)
    seen: list[Any] = []
    with importable(tmp_path):
        made = module("made.billing")

        async def handler(_args: Any, context: Any) -> Any:
            seen.append(context.resume)
            return made.t.how_many() if context.resume is None else Completed(None)

        running = executor(made.billing_tools(t=handler))
        await answer(running, await run(running, "t", {}), [9007199254740993, 0.5])
        assert seen[1].value == [9007199254740993, 0.5]
        assert type(seen[1]) is made.t.HowManyResume


def test_names_of_the_runtime_are_never_hidden(tmp_path: Path) -> None:
    names = ("tool_execution", "x_y", "xY", "1")
    asking = tuple(Interaction(name, "response", ("?",), response=schema(STRING)) for name in names)
    tools = tuple(tool(name, interactions=asking) for name in ("tool", "tool_execution"))
    definitions = tuple(args(each.name) for each in tools)
    namespace = Namespace("billing", library=False, tools=tools, definitions=definitions)
    write(Contract((namespace,)), tmp_path)
    with importable(tmp_path):
        made = module("made.billing")
        members: list[list[str]] = [dir(made.tool), dir(made.tool_execution)]
        for inside in members:
            resumes = [name for name in inside if "Resume" in name]
            assert len(resumes) == len(set(resumes)) == 4
            assert "ToolExecutionResume_" in resumes
        assert made.Tool_Result
        assert made.ToolExecution_Context


# --- refusals and states --------------------------------------------------------------------------


class Desk:
    def __init__(self) -> None:
        self.released: list[Any] = []


async def refused_call(contacts: Any, refused: Any) -> tuple[Desk, Progress]:
    desk = Desk()

    async def drop_contact(args: Any, context: Any) -> Any:
        assert await context.state is desk
        return contacts.drop_contact.tell_them(token=args)

    def open_desk(_session: Session) -> Desk:
        return desk

    slot = contacts.contacts_tools(
        find_contact=print,
        drop_contact=drop_contact,
        capability=Capability("desk", open_desk),
        refused=refused,
    )
    made = executor(slot)
    asked = await approve(made, await run(made, "drop_contact", {"name": "Ada"}))
    return desk, await approve(made, asked, approved=False)


async def test_a_refusal_hands_over_the_typed_token_and_the_state(contacts: Any) -> None:
    async def release(context: Any, token: Any) -> None:
        (await context.state).released.append((context.resume, token))

    desk, progress = await refused_call(contacts, {"drop_contact": release})
    assert progress.results[0].kind == "denied"
    ((resume, token),) = desk.released
    assert type(token) is module("acme.types").Contact
    assert type(resume) is contacts.drop_contact.TellThemResume
    assert resume.approved is False


async def test_a_plain_function_may_release_too(contacts: Any) -> None:
    tokens: list[Any] = []

    def release(_context: Any, token: Any) -> None:
        tokens.append(token.name)

    _, progress = await refused_call(contacts, {"drop_contact": release})
    assert progress.results[0].kind == "denied"
    assert tokens == ["Ada"]


@pytest.mark.parametrize("refused", [None, {}])
async def test_nobody_has_to_release_anything(contacts: Any, refused: Any) -> None:
    _, progress = await refused_call(contacts, refused)
    assert progress.results[0].kind == "denied"


# --- results --------------------------------------------------------------------------------------


def test_a_result_gets_the_types_of_its_tool(billing: Any) -> None:
    def of(name: str, outcome: Any) -> ToolResult:
        return ToolResult("c", name, outcome)

    refund = billing.refund_invoice.result(of("refund_invoice", Completed({"refund_id": "re_1"})))
    assert refund == Completed(billing.Refund(refund_id="re_1"))
    prefixed = of("eu_refund_invoice", Failed("not_found", "No such invoice."))
    assert billing.refund_invoice.result(prefixed).code == "not_found"
    assert billing.get_invoice.result(of("fetch_invoice", Denied("no"))) == Denied("no")
    assert billing.billing_status.result(of("billing_status", Completed("up"))).output == "up"
    with pytest.raises(ValueError, match="no result of refund_invoice"):
        billing.refund_invoice.result(of("get_invoice", Denied("no")))
    with pytest.raises(ValueError, match="refund_id"):
        billing.refund_invoice.result(of("refund_invoice", Completed({"other": 1})))


# --- fakes ----------------------------------------------------------------------------------------


@pytest.fixture
def fakes() -> Any:
    return module("app.tools.billing.testing").fake_billing_tools


async def outcome(slot: ToolSlot, name: str, **arguments: Any) -> Any:
    return (await run(executor(slot), name, arguments)).results[0].outcome


async def test_a_fake_makes_up_what_its_schema_accepts(billing: Any, fakes: Any) -> None:
    found = await outcome(fakes(), "get_invoice", invoice_id="in_7")
    assert billing.Invoice.model_validate(found.output).id.startswith("in_")
    assert (await outcome(fakes(), "billing_status")).output in {"up", "degraded", "down"}


async def test_a_fake_keeps_the_contract(fakes: Any) -> None:
    invalid = await outcome(fakes(), "get_invoice", invoice_id="7")
    assert invalid.code == "tool.invalid-arguments"
    undeclared = await outcome(fakes(get_invoice=Failed("x", "")), "get_invoice", invoice_id="in_7")
    assert undeclared.code == "tool.undeclared-failure"


async def test_a_script_is_an_outcome_for_every_attempt_or_a_list_of_them(
    billing: Any, fakes: Any
) -> None:
    closed = module("app.tools.common").ConfirmClosedPeriodMetadata(period="2026-11")
    slot = fakes(
        get_invoice=billing.get_invoice.not_found(),
        billing_status=RuntimeError("down"),
        refund_invoice=[
            billing.refund_invoice.confirm_closed_period(metadata=closed),
            Completed(billing.Refund(refund_id="re_1")),
            None,
        ],
    )
    for _ in range(2):
        assert (await outcome(slot, "get_invoice", invoice_id="in_7")).code == "not_found"
    assert (await outcome(slot, "billing_status")).code == "tool.execution-failed"
    made = executor(slot)
    refund = {"invoice_id": "in_7", "amount": MONEY}
    progress = await approve(made, await run(made, "refund_invoice", refund))
    assert progress.results[0].outcome == Completed({"refund_id": "re_1"})
    assert isinstance(await outcome(slot, "refund_invoice", **refund), Completed)
    with pytest.raises(Unscripted, match="refund_invoice"):
        await run(made, "refund_invoice", refund)


async def test_a_fake_may_be_a_handler_with_a_state(fakes: Any) -> None:
    async def get_invoice(args: Any, context: Any) -> Any:
        return Denied(f"{args.invoice_id} {await context.state}")

    def open_state(session: Session) -> str:
        return session.id

    slot = fakes(get_invoice=get_invoice, capability=Capability("cap", open_state))
    assert await outcome(slot, "get_invoice", invoice_id="in_7") == Denied("in_7 ses")


def test_nothing_but_a_test_loads_the_fakes(root: Path) -> None:
    program = (
        "import sys; from app.tools import billing; billing.refund_invoice.not_found();"
        "billing.billing_tools;"
        "print([m for m in sys.modules if m.endswith('.testing')])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
