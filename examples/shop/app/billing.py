"""Handlers of the namespace `billing`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from sqlite3 import Cursor, Row

from toolkiln_runtime import Capability, Choice, Completed, Session, ToolSlot

from app.database import Database
from app.rows import number, order_row
from app.tools import billing

PAUSE = 0.01
"""Seconds between two days of the ledger, in which others may use the database."""

PAID = "SELECT coalesce(sum(cents), 0) FROM payments WHERE day = ?"
REFUNDED = "SELECT coalesce(sum(cents), 0) FROM refunds WHERE day = ?"


async def list_payments(
    args: billing.ListPaymentsArgs, context: billing.ListPaymentsContext[Database]
) -> billing.ListPaymentsOutcome:
    """All in one transaction; the connection is the session's own."""
    database = await context.state
    with database.transaction() as cursor:
        order_row(cursor, args.order_id)
        return Completed([payment(row) for row in payments(cursor, args.order_id)])


async def refund_order(
    args: billing.RefundOrderArgs, context: billing.RefundOrderContext[Database]
) -> billing.RefundOrderOutcome:
    """Each attempt looks at the payments anew: while a person thinks, they may change."""
    database = await context.state
    with database.transaction() as cursor:
        order_row(cursor, args.order_id)
        left = {f"pay_{row['id']}": row for row in payments(cursor, args.order_id)}
        match context.resume:
            case billing.refund_order.PickPaymentResume(value=payment_id):
                chosen = left[payment_id]
            case None if len(left) > 1:
                return pick_payment(left)
            case None:
                chosen = next(iter(left.values()))
        if args.amount.cents > chosen["left"]:
            details = billing.RefundOrderExceedsPaymentDetails(left=chosen["left"])
            return billing.refund_order.exceeds_payment(details=details)
        refund = record(cursor, context.invocation_id, chosen, args)
        return Completed(billing.Refund(refund_id=refund, payment_id=f"pay_{chosen['id']}"))


async def check_ledger(
    args: billing.CheckLedgerArgs, context: billing.CheckLedgerContext[Database]
) -> billing.CheckLedgerOutcome:
    """A day at a time, so that others come in between."""
    database = await context.state
    paid = refunded = 0
    for day in range(args.days):
        with database.transaction() as cursor:
            paid += cents(cursor, PAID, day)
            refunded += cents(cursor, REFUNDED, day)
        await context.progress(day + 1, args.days)
        await asyncio.sleep(PAUSE)
    return Completed(billing.CheckLedgerOutput(days=args.days, paid=paid, refunded=refunded))


def pick_payment(left: Mapping[str, Row]) -> billing.RefundOrderOutcome:
    """The question which of these payments the money goes back to."""
    return billing.refund_order.pick_payment(
        choices=[Choice(name, label(row)) for name, row in left.items()],
        token=billing.Draft(offered=list(left)),
    )


def payments(cursor: Cursor, order_id: str) -> Sequence[Row]:
    """The payments of an order with the column `left`: cents that have not gone back."""
    return cursor.execute(
        """
        SELECT payments.*, payments.cents - coalesce(sum(refunds.cents), 0) AS left
        FROM payments LEFT JOIN refunds ON refunds.payment_id = payments.id
        WHERE payments.order_id = ? GROUP BY payments.id ORDER BY payments.id
        """,
        (number(order_id),),
    ).fetchall()


def payment(row: Row) -> billing.Payment:
    """The payment that a row of `payments` describes."""
    return billing.Payment(payment_id=f"pay_{row['id']}", method=row["method"], left=row["left"])


def label(row: Row) -> str:
    """How a person tells this payment from the others."""
    return f"{row['method']}, {row['left'] / 100:.2f} left"


def record(cursor: Cursor, invocation_id: str, chosen: Row, args: billing.RefundOrderArgs) -> int:
    """Write the refund down, once for each invocation, and give its number."""
    cursor.execute(
        """
        INSERT INTO refunds (payment_id, invocation_id, day, cents, reason, note)
        VALUES (?, ?, 0, ?, ?, ?) ON CONFLICT (invocation_id) DO NOTHING
        """,
        (chosen["id"], invocation_id, args.amount.cents, args.reason, args.note),
    )
    query = "SELECT id FROM refunds WHERE invocation_id = ?"
    return int(cursor.execute(query, (invocation_id,)).fetchone()["id"])


def cents(cursor: Cursor, query: str, day: int) -> int:
    """The sum that *query* finds for one day."""
    return int(cursor.execute(query, (day,)).fetchone()[0])


def connections(path: Path) -> Capability[Database]:
    """A connection for each session, made when a tool first asks for it."""

    def connect(_session: Session) -> Database:
        return Database(path)

    return Capability("billing", connect, Database.close)


def slot(path: Path) -> ToolSlot:
    """The tools, ready for a catalog."""
    return billing.billing_tools(
        list_payments=list_payments,
        refund_order=refund_order,
        check_ledger=check_ledger,
        capability=connections(path),
    )
