"""From rows of the database to the types of the contract, and numbers to ids and back."""

from __future__ import annotations

from sqlite3 import Cursor, Row

from toolkiln_runtime import ToolFailure

from app.tools.common import Money
from app.tools.orders import Order


def number(identifier: str) -> int:
    """The key in the database that `ord_7` or `pay_7` stands for."""
    return int(identifier.partition("_")[2])


def order_row(cursor: Cursor, order_id: str) -> Row:
    """The order's row; a failure that the tools declare if there is none.

    Raised, so that no handler has to hand it up: every tool that calls this declares the code.
    """
    row: Row | None = cursor.execute(
        "SELECT * FROM orders WHERE id = ?", (number(order_id),)
    ).fetchone()
    if row is None:
        raise ToolFailure("order_not_found", details={"order_id": order_id})
    return row


def order(row: Row) -> Order:
    """The order that a row of `orders` describes."""
    total = Money(cents=row["cents"], currency=row["currency"])
    found = Order(order_id=f"ord_{row['id']}", status=row["status"], total=total)
    if row["tracking"] is not None:
        found.tracking = row["tracking"]
    return found
