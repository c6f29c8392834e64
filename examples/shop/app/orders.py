"""Handlers of the namespace `orders`."""

from __future__ import annotations

from dataclasses import dataclass

from toolkiln_runtime import Completed, Denied, ToolSlot

from app.database import Database
from app.rows import number, order, order_row
from app.tools import orders


@dataclass(frozen=True, slots=True)
class OrderHandlers:
    """The tools for orders, on one database."""

    database: Database

    def find_orders(
        self, args: orders.FindOrdersArgs, _context: orders.FindOrdersContext, /
    ) -> orders.FindOrdersOutcome:
        """A plain function: it runs in a thread, so a long list holds nobody up."""
        query = "SELECT * FROM orders WHERE email = ? AND (? IS NULL OR status = ?)"
        with self.database.transaction() as cursor:
            cursor.execute(
                f"{query} ORDER BY id DESC LIMIT ?",
                (args.email, args.status, args.status, args.limit),
            )
            return Completed([order(row) for row in cursor])

    async def get_order(
        self, args: orders.GetOrderArgs, _context: orders.GetOrderContext, /
    ) -> orders.GetOrderOutcome:
        with self.database.transaction() as cursor:
            return Completed(order(order_row(cursor, args.order_id)))

    async def cancel_order(
        self, args: orders.CancelOrderArgs, context: orders.CancelOrderContext, /
    ) -> orders.CancelOrderOutcome:
        with self.database.transaction() as cursor:
            row = order_row(cursor, args.order_id)
            if row["held"]:
                return Denied("The order is on legal hold.")
            if row["status"] == "shipped":
                details = orders.CancelOrderAlreadyShippedDetails(tracking=row["tracking"])
                return orders.cancel_order.already_shipped(details=details)
            # A resumed call has been approved: a refused one never comes back.
            if row["status"] == "packing" and context.resume is None:
                cursor.execute("UPDATE orders SET halted = 1 WHERE id = ?", (row["id"],))
                return orders.cancel_order.stop_packing(
                    metadata=orders.CancelOrderStopPackingMetadata(packer=row["packer"]),
                    token=orders.Halt(order_id=args.order_id),
                )
            cursor.execute(
                "UPDATE orders SET status = 'cancelled', halted = 0 WHERE id = ?", (row["id"],)
            )
            return Completed(order(order_row(cursor, args.order_id)))

    def go_on_packing(self, _context: orders.CancelOrderContext, token: orders.Halt, /) -> None:
        """What a refusal of `stop_packing` leads to."""
        with self.database.transaction() as cursor:
            cursor.execute("UPDATE orders SET halted = 0 WHERE id = ?", (number(token.order_id),))

    async def ship_order(
        self, args: orders.ShipOrderArgs, _context: orders.ShipOrderContext, /
    ) -> orders.ShipOrderOutcome:
        with self.database.transaction() as cursor:
            row = order_row(cursor, args.order_id)
            if row["status"] != "paid":
                return orders.ship_order.not_paid()
            cursor.execute("UPDATE orders SET status = 'packing' WHERE id = ?", (row["id"],))
            cursor.execute("INSERT INTO pickups (order_id) VALUES (?)", (row["id"],))
            # The carrier calls back; until then the host keeps the token.
            return orders.ship_order.deferred(orders.Pickup(pickup=cursor.lastrowid or 0))

    def order_status(
        self, args: orders.OrderStatusArgs, _context: orders.OrderStatusContext, /
    ) -> orders.OrderStatusOutcome:
        with self.database.transaction() as cursor:
            return Completed(order_row(cursor, args.order_id)["status"])


def slot(database: Database) -> ToolSlot:
    """The tools, ready for a catalog."""
    handlers = OrderHandlers(database)
    return orders.orders_tools(
        find_orders=handlers.find_orders,
        get_order=handlers.get_order,
        cancel_order=handlers.cancel_order,
        ship_order=handlers.ship_order,
        order_status=handlers.order_status,
        refused={"cancel_order": handlers.go_on_packing},
    )
