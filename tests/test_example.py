"""The example project: generated, type-checked, and run against its real database."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.shop import Shop
from tests.support import REPOSITORY
from toolkiln_runtime import (
    Completed,
    Executor,
    Failed,
    Progress,
    ToolCall,
    ToolFailure,
    ToolResult,
)

EXAMPLE = REPOSITORY / "examples" / "shop"
EURO = {"cents": 1, "currency": "EUR"}


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, generated."""
    copy = tmp_path_factory.mktemp("example") / "shop"
    made = shutil.ignore_patterns("tools", ".toolkiln", "__pycache__", "*.sqlite3")
    shutil.copytree(EXAMPLE, copy, ignore=made)
    run(copy, "-m", "toolkiln", "generate")
    return copy


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def app(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mapping[str, ModuleType]]:
    monkeypatch.syspath_prepend(project)
    names = ("database", "billing", "orders", "main", "tools.billing", "tools.orders")
    yield {name: import_module(f"app.{name}") for name in names}
    for name in [name for name in sys.modules if name.partition(".")[0] == "app"]:
        del sys.modules[name]


@pytest.fixture
async def shop(app: Mapping[str, ModuleType], tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(app, tmp_path / "shop.sqlite3")
    yield shop
    await shop.close()


async def progress(executor: Executor, *calls: ToolCall) -> Progress:
    return await executor.run(calls, session_id="s", turn_id="t", step_id="p")


async def result(executor: Executor, name: str, **arguments: Any) -> ToolResult:
    made = await progress(executor, ToolCall("c", name, json.dumps(arguments)))
    assert made.status == "completed"
    return made.results[0]


async def code(executor: Executor, name: str, **arguments: Any) -> str:
    outcome = (await result(executor, name, **arguments)).outcome
    assert isinstance(outcome, Failed)
    return outcome.code


def test_the_example_and_what_is_generated_for_it_pass_both_type_checkers(project: Path) -> None:
    assert "Success" in run(project, "-m", "mypy", "--strict", "app", "demo.py")
    strict = {"typeCheckingMode": "strict", "include": ["app", "demo.py"]}
    strict |= {"venvPath": str(REPOSITORY), "venv": ".venv"}
    (project / "pyrightconfig.json").write_text(json.dumps(strict))
    assert "0 errors, 0 warnings" in run(project, "-m", "pyright", "-p", ".")


def test_the_demo_shows_every_outcome(project: Path) -> None:
    shown = run(project, "demo.py")
    for outcome in ("completed:", "denied:", "interaction-required:", "deferred:", "failed:"):
        assert outcome in shown
    for expected in ("order_not_found", "exceeds_payment", "tool.timeout", "Grace"):
        assert expected in shown
    scenes = {scene.splitlines()[0]: scene for scene in shown.split("\n\n")}
    ends = {
        "it is refused": "Not today",
        "the same approval; it is granted": "cancelled",
        "one is chosen": "the money goes back to pay_3",
        "settled": '"tracking": "T1"',
    }
    for title, end in ends.items():
        assert any(title in first and end in scene for first, scene in scenes.items())
    # The demo prints arguments itself, once; the question must not repeat the sensitive one.
    assert shown.count("IBAN") == 1


async def test_a_read_completes_in_a_thread_as_well_as_in_the_loop(shop: Shop) -> None:
    executor = shop.executor()
    found = await result(executor, "find_orders", email="ada@example.com")
    assert isinstance(found.outcome, Completed)
    assert [order["order_id"] for order in found.outcome.output] == ["ord_2", "ord_1"]
    assert (await result(executor, "get_order", order_id="ord_3")).outcome == Completed(
        {
            "order_id": "ord_3",
            "status": "shipped",
            "total": {"cents": 900, "currency": "USD"},
            "tracking": "T3",
        }
    )


async def test_a_refund_is_written_down_with_its_invocation(shop: Shop) -> None:
    note = "by phone"
    done = await result(shop.executor(), "refund_order", order_id="ord_1", amount=EURO, note=note)
    assert done.outcome == Completed({"refund_id": 1, "payment_id": "pay_1"})
    ((payment, invocation, cents, reason, written),) = shop.rows(
        "SELECT payment_id, invocation_id, cents, reason, note FROM refunds"
    )
    assert (payment, cents, reason, written) == (1, 1, "returned", note)
    assert invocation.startswith("inv_")


async def test_declared_failures_arrive_with_their_details(shop: Shop) -> None:
    executor = shop.executor()
    missing = await result(executor, "get_order", order_id="ord_99")
    assert missing.outcome == Failed(
        "order_not_found", "There is no such order.", {"order_id": "ord_99"}
    )
    amount = {"cents": 4201, "currency": "EUR"}
    much = await result(executor, "refund_order", order_id="ord_1", amount=amount)
    assert isinstance(much.outcome, Failed)
    assert (much.outcome.code, much.outcome.details) == ("exceeds_payment", {"left": 4200})
    assert shop.rows("SELECT * FROM refunds") == []


async def test_a_held_order_is_denied_and_stays(shop: Shop) -> None:
    denied = await result(shop.executor(), "cancel_order", order_id="ord_4", reason="x")
    assert denied.kind == "denied"
    assert shop.rows("SELECT status FROM orders WHERE id = 4") == [("paid",)]


async def test_a_large_refund_asks_before_anything_runs(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    amount = {"cents": 10_000, "currency": "EUR"}
    arguments = {"order_id": "ord_4", "amount": amount, "note": "IBAN DE00"}
    asked = await progress(shop.executor(), ToolCall("c", "refund_order", arguments))
    assert (asked.status, asked.results) == ("interaction-required", ())
    (pending,) = asked.pending
    assert pending.gate
    assert pending.interaction.prompt == "Refund 10000 cents in EUR of ord_4 (returned)?"
    assert "IBAN" not in asked.to_json().decode() + caplog.text
    assert shop.rows("SELECT * FROM refunds") == []


async def test_a_question_of_the_handler_offers_what_it_found(shop: Shop) -> None:
    arguments = {"order_id": "ord_2", "amount": EURO}
    asked = await progress(shop.executor(), ToolCall("c", "refund_order", arguments))
    (pending,) = asked.pending
    assert not pending.gate
    assert pending.interaction.kind == "response"
    metadata = pending.interaction.metadata
    assert metadata is not None
    assert [choice["value"] for choice in metadata["choices"]] == ["pay_2", "pay_3"]


async def answered(shop: Shop, reply: Any, name: str, **arguments: Any) -> ToolResult:
    """What a call comes to whose only question gets this reply."""
    executor = shop.executor()
    asked = await progress(executor, ToolCall("c", name, arguments))
    interaction = asked.pending[0].interaction
    send = executor.approve if interaction.kind == "approval" else executor.respond
    return (await send(interaction.id, reply)).results[0]


async def test_a_granted_refund_is_paid_and_a_refused_one_is_not(shop: Shop) -> None:
    amount = {"cents": 10_000, "currency": "EUR"}
    refused = await answered(shop, False, "refund_order", order_id="ord_4", amount=amount)
    assert (refused.kind, shop.rows("SELECT * FROM refunds")) == ("denied", [])
    await answered(shop, True, "refund_order", order_id="ord_4", amount=amount)
    assert shop.rows("SELECT payment_id, cents FROM refunds") == [(5, 10_000)]


async def test_the_money_goes_back_to_the_payment_that_was_chosen(shop: Shop) -> None:
    done = await answered(shop, "pay_3", "refund_order", order_id="ord_2", amount=EURO)
    billing = shop.app["tools.billing"]
    typed = billing.refund_order.result(done)
    assert typed == Completed(billing.Refund(refund_id=1, payment_id="pay_3"))
    assert shop.rows("SELECT payment_id FROM refunds") == [(3,)]


async def test_the_packer_waits_for_the_answer_and_a_refusal_lets_them_go_on(shop: Shop) -> None:
    order = "SELECT status, halted FROM orders WHERE id = 2"
    call = ToolCall("c", "cancel_order", {"order_id": "ord_2", "reason": "x"})
    await progress(shop.executor(), call)
    assert shop.rows(order) == [("packing", 1)]
    refused = await answered(shop, False, "cancel_order", order_id="ord_2", reason="x")
    assert (refused.kind, shop.rows(order)) == ("denied", [("packing", 0)])
    await answered(shop, True, "cancel_order", order_id="ord_2", reason="x")
    assert shop.rows(order) == [("cancelled", 0)]


async def test_a_shipment_is_settled_with_what_the_carrier_says(shop: Shop) -> None:
    executor = shop.executor()
    made = await progress(executor, ToolCall("c", "ship_order", {"order_id": "ord_1"}))
    orders = shop.app["tools.orders"]
    output = orders.ShipOrderOutput(tracking="T1")
    done = await executor.settle(made.deferred[0].invocation_id, Completed(output))
    assert orders.ship_order.result(done.results[0]) == Completed(output)


async def test_a_session_has_a_connection_of_its_own_until_it_ends(shop: Shop) -> None:
    seen: list[Any] = []

    async def look(_args: object, context: Any) -> Completed[Any]:
        seen.append(await context.state)
        return Completed([])

    executor = shop.executor(list_payments=look)
    for session in ("a", "a", "b"):
        call = ToolCall("c", "list_payments", {"order_id": "ord_1"})
        await executor.run([call], session_id=session, turn_id="t", step_id="p")
    first, again, other = seen
    assert first is again
    assert first is not other
    await executor.end_session("a")
    with pytest.raises(sqlite3.ProgrammingError), first.transaction():
        pass
    with other.transaction():
        pass


async def test_a_shipment_is_deferred_with_its_token(shop: Shop) -> None:
    made = await progress(shop.executor(), ToolCall("c", "ship_order", {"order_id": "ord_1"}))
    assert (made.status, made.results) == ("deferred", ())
    assert made.deferred[0].token == {"pickup": 1}
    assert shop.rows("SELECT id, order_id FROM pickups") == [(1, 1)]
    assert shop.rows("SELECT status FROM orders WHERE id = 1") == [("packing",)]


async def test_what_the_contract_does_not_declare_is_a_failure(shop: Shop) -> None:
    async def undeclared(_args: object, _context: object) -> Failed[str]:
        return Failed("bank_down", "secret")

    async def wrong(_args: object, _context: object) -> Completed[Any]:
        return Completed({"refund_id": "1", "payment_id": "pay_1"})

    async def raising(_args: object, _context: object) -> Completed[Any]:
        raise ToolFailure("bank_down", "secret")

    arguments = {"order_id": "ord_1", "amount": EURO}
    for handler, expected in (
        (undeclared, "tool.undeclared-failure"),
        (raising, "tool.undeclared-failure"),
        (wrong, "tool.invalid-output"),
    ):
        executor = shop.executor(refund_order=handler)
        assert await code(executor, "refund_order", **arguments) == expected


async def test_an_exception_of_the_database_is_one_fixed_message(shop: Shop) -> None:
    executor = shop.executor()
    old = await result(executor, "get_order", order_id="ord_5")
    shop.database.close()
    closed = await result(executor, "get_order", order_id="ord_1")
    assert old.outcome == closed.outcome == Failed("tool.execution-failed", "The tool failed.")


async def test_a_raise_undoes_what_its_transaction_wrote(shop: Shop) -> None:
    async def half(_args: object, _context: object) -> Completed[Any]:
        with shop.database.transaction() as cursor:
            cursor.execute("UPDATE orders SET status = 'cancelled'")
            raise ToolFailure("order_not_found")

    executor = shop.executor(refund_order=half)
    failed = await code(executor, "refund_order", order_id="ord_1", amount=EURO)
    assert failed == "order_not_found"
    assert shop.rows("SELECT count(*) FROM orders WHERE status = 'cancelled'") == [(0,)]


async def test_a_long_check_ends_at_its_time(shop: Shop) -> None:
    executor = shop.executor()
    assert await code(executor, "check_ledger", days=366) == "tool.timeout"
    short = await result(executor, "check_ledger", days=4)
    assert short.outcome == Completed({"days": 4, "paid": 4200, "refunded": 0})


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("refund_order", {"order_id": "ord_1"}, "tool.invalid-arguments"),
        ("refund_order", {"order_id": "1", "amount": EURO}, "tool.invalid-arguments"),
        ("get_order", {"order_id": "ord_1", "x": 1}, "tool.invalid-arguments"),
        ("find_orders", {"email": "nobody"}, "tool.invalid-arguments"),
        ("get_order", "[1]", "tool.invalid-arguments"),
        ("fetch_order", {"order_id": "ord_1"}, "tool.unknown"),
        ("drop_orders", {}, "tool.unknown"),
    ],
)
async def test_a_call_that_does_not_fit_runs_nothing(
    shop: Shop, name: str, arguments: dict[str, Any] | str, expected: str
) -> None:
    made = await progress(shop.executor(), ToolCall("c", name, arguments))
    outcome = made.results[0].outcome
    assert isinstance(outcome, Failed)
    assert outcome.code == expected
    assert shop.most == 0


async def test_an_id_that_comes_twice_runs_neither(shop: Shop) -> None:
    arguments = {"order_id": "ord_1", "amount": EURO}
    calls = [ToolCall(name, "refund_order", arguments) for name in ("a", "b", "a")]
    made = await progress(shop.executor(), *calls)
    kinds = [
        each.outcome.code if isinstance(each.outcome, Failed) else each.kind
        for each in made.results
    ]
    assert kinds == ["tool.duplicate-call-id", "completed", "tool.duplicate-call-id"]
    assert [each.requested_id for each in made.results] == ["a", None, "a"]
    assert shop.rows("SELECT count(*) FROM refunds") == [(1,)]


async def test_a_thousand_calls_run_eight_at_a_time_and_lose_nothing(shop: Shop) -> None:
    kinds = ("refund_order", "list_payments", "find_orders", "get_order")
    arguments: dict[str, dict[str, Any]] = {
        "refund_order": {"order_id": "ord_1", "amount": EURO},
        "list_payments": {"order_id": "ord_1"},
        "find_orders": {"email": "ada@example.com"},
        "get_order": {"order_id": "ord_99"},
    }
    calls = [
        ToolCall(f"c{n}", kinds[n % 4], json.dumps(arguments[kinds[n % 4]])) for n in range(1_000)
    ]
    made = await progress(shop.executor(), *calls)
    assert [each.call_id for each in made.results] == [call.id for call in calls]
    assert Counter((each.tool_name, each.kind) for each in made.results) == {
        ("refund_order", "completed"): 250,
        ("list_payments", "completed"): 250,
        ("find_orders", "completed"): 250,
        ("get_order", "failed"): 250,
    }
    assert (shop.most, shop.running) == (8, 0)
    numbers = [
        each.outcome.output["refund_id"]
        for each in made.results
        if each.tool_name == "refund_order" and isinstance(each.outcome, Completed)
    ]
    assert sorted(numbers) == list(range(1, 251))
    assert shop.rows("SELECT count(*), count(DISTINCT invocation_id), sum(cents) FROM refunds") == [
        (250, 250, 250)
    ]
