"""A nested payload of any size, for the larger calls of `call.py`."""

from __future__ import annotations

import json

from toolkiln_runtime import ToolModel

ORDER = """{
  "type": "object", "additionalProperties": false, "required": ["order_id", "customer", "lines"],
  "properties": {
    "order_id": {"type": "string", "pattern": "^or_[a-z0-9]+$"},
    "customer": {"type": "object", "required": ["name", "address"], "properties": {
      "name": {"type": "string", "minLength": 1},
      "address": {"type": "object", "required": ["street", "city"], "properties": {
        "street": {"type": "string"}, "city": {"type": "string"}, "zip": {"type": "string"}}}}},
    "lines": {"type": "array", "items": {"type": "object", "required": ["sku", "price"],
      "properties": {
        "sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1, "default": 1},
        "price": {"type": "object", "required": ["cents", "currency"], "properties": {
          "cents": {"type": "integer"}, "currency": {"enum": ["EUR", "USD"]}}}}}}
  }
}"""
MEDIUM, LARGE = 6, 60
"""Lines of an order of about 600 bytes, and of one of about 5 KB."""


class Price(ToolModel):
    """What a line costs."""

    cents: int
    currency: str


class Address(ToolModel):
    """Where a customer lives."""

    street: str
    city: str
    zip: str | None = None


class Customer(ToolModel):
    """Who ordered."""

    name: str
    address: Address


class Line(ToolModel):
    """A part of an order."""

    sku: str
    quantity: int = 1
    price: Price


class Order(ToolModel):
    """Arguments and output of the larger calls."""

    order_id: str
    customer: Customer
    lines: list[Line]


def order(size: int) -> str:
    """The JSON text of an order of *size* lines."""
    address = {"street": "1 Long Street", "city": "Leipzig", "zip": "04109"}
    lines = [
        {"sku": f"sku-{i:05}", "quantity": i + 1, "price": {"cents": 100 * i, "currency": "EUR"}}
        for i in range(size)
    ]
    customer = {"name": "Ada", "address": address}
    return json.dumps({"order_id": "or_7", "customer": customer, "lines": lines})
