"""Contracts that are built by hand: what `lower` makes of such specs, without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolkiln.contract import (
    Approval,
    Contract,
    Deferral,
    Deprecation,
    Effects,
    Failure,
    Interaction,
    Namespace,
    Schema,
    Test,
    Tool,
)
from toolkiln.shape import Anything, Choice, Definition, Field, List, Record, Ref, Scalar, Type
from toolkiln.value import MISSING, Json, Missing

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
STRING: Final = Scalar("string")
COMMON: Final = "pkg:acme_contracts/common.yaml"


def schema(shape: Type, source: Json = True) -> Schema:
    return Schema(source, shape, DIALECT, formats=True)


def record(*fields: Field, closed: bool = False) -> Record:
    return Record(fields, closed)


def field(
    wire: str, shape: Type = STRING, default: Json | Missing = MISSING, doc: str = ""
) -> Field:
    return Field(wire, shape, required=default is MISSING, default=default, description=doc)


def definition(key: str, words: Sequence[str], body: Type, doc: str = "") -> Definition:
    return Definition(key, key.partition("#")[0], tuple(words), body, doc)


def args(tool: str, *fields: Field, namespace: str = "billing") -> Definition:
    key = f"{namespace}#/tools/{tool}/parameters"
    return definition(key, (tool, "args"), record(*fields, closed=True))


def tool(name: str, namespace: str = "billing", **facts: object) -> Tool:
    parameters = schema(Ref(f"{namespace}#/tools/{name}/parameters"), {"type": "object"})
    given: Mapping[str, object] = {"parameters": parameters, "digest": "0" * 64, **facts}
    return Tool(name, namespace, **given)  # type: ignore[arg-type]


def one_tool(made: Tool, *definitions: Definition) -> Contract:
    """A contract of a single tool."""
    return Contract(
        (Namespace(made.namespace, library=False, tools=(made,), definitions=definitions),)
    )


_MONEY = definition(
    f"{COMMON}#/$defs/Money",
    ("Money",),
    record(
        field("cents", Scalar("integer"), doc="Amount in the smallest unit."),
        field("currency", Choice(("EUR", "USD", "GBP")), doc="ISO 4217 code."),
        closed=True,
    ),
)
_PERIOD = definition(
    f"{COMMON}#/interactions/confirm_closed_period/metadata",
    ("confirm_closed_period", "metadata"),
    record(field("period")),
)
_RETRY = definition(
    f"{COMMON}#/failures/rate_limited/details",
    ("rate_limited", "details"),
    record(field("retry_after", Scalar("integer"))),
)
_REFUND = definition("billing#/$defs/Refund", ("Refund",), record(field("refund_id")))
_JOB = definition("billing#/$defs/Job", ("Job",), record(field("job")))
_DRAFT = definition("billing#/$defs/Draft", ("Draft",), record(field("draft")))
_PAYOUT = definition(
    "billing#/tools/start_payout/output", ("start_payout", "output"), record(field("payout_id"))
)
_REFUND_ARGS = args(
    "refund_invoice",
    field("invoice_id", doc="A paid invoice."),
    field("amount", Ref(_MONEY.key), doc="What goes back."),
    field("reason", Choice(("duplicate", "fraud", "request")), "request", "Why."),
    Field("note", STRING, required=False, description="For the audit log."),
    Field("lineItems", List(Ref(_MONEY.key)), required=False, default=[]),
)
_NOT_FOUND = Failure("not_found", "No such invoice.")
_RATE_LIMITED = Failure(
    "rate_limited", "Too many calls; wait.", retryable=True, details=schema(Ref(_RETRY.key))
)
_CLOSED_PERIOD = Interaction(
    "confirm_closed_period",
    "approval",
    ("The accounting period ", ("", "period"), " is closed. Go on?"),
    metadata=schema(Ref(_PERIOD.key)),
)
_PICK_ACCOUNT = Interaction(
    "pick_account",
    "response",
    ("Which account should ", ("amount", "cents"), " go to?"),
    response=schema(STRING, {"type": "string", "pattern": "^acc_[a-z0-9]+$"}),
    choices=True,
    token=schema(Ref(_DRAFT.key)),
)
_REFUND_SOURCE: Json = {
    "type": "object",
    "required": ["invoice_id", "amount"],
    "additionalProperties": False,
    "properties": {
        "invoice_id": {"$ref": "#/$defs/InvoiceId", "description": "A paid invoice."},
        "amount": {"$ref": "#/$defs/Money", "description": "What goes back."},
        "reason": {"enum": ["duplicate", "fraud", "request"], "default": "request"},
        "note": {"type": "string", "maxLength": 500, "x-sensitive": True},
        "lineItems": {"type": "array", "items": {"$ref": "#/$defs/Money"}, "default": []},
    },
    "$defs": {
        "InvoiceId": {"type": "string", "pattern": "^in_[a-z0-9]+$"},
        "Money": {
            "type": "object",
            "required": ["cents", "currency"],
            "additionalProperties": False,
            "properties": {
                "cents": {"type": "integer", "minimum": 1},
                "currency": {"enum": ["EUR", "USD", "GBP"]},
            },
        },
    },
}
_REFUND_INVOICE = tool(
    "refund_invoice",
    title="Refund invoice",
    description="Refund one paid invoice, in full or in part.\nNever call it twice.\n",
    effects=Effects(destructive=True, open_world=False),
    parameters=schema(Ref(_REFUND_ARGS.key), _REFUND_SOURCE),
    output=schema(Ref(_REFUND.key), {"type": "object"}),
    failures=(_NOT_FOUND, _RATE_LIMITED),
    approval=Approval(
        (
            (Test(("amount", "cents"), {"minimum": 100000}),),
            (Test(("reason",), {"const": "fraud"}),),
        ),
        ("Refund ", ("amount", "cents"), " of ", ("invoice_id",), "?"),
        expires=14_400_000,
        extensions={"x-approvers": "finance-leads"},
    ),
    interactions=(_CLOSED_PERIOD,),
    scopes=("invoices:write",),
)
_START_PAYOUT = tool(
    "start_payout",
    description="Pay the balance out to one of the user's bank accounts. Takes up to two days.",
    output=schema(Ref(_PAYOUT.key), {"type": "object"}),
    failures=(Failure("no_account", "The user has no bank account."),),
    approval=Approval((), ("Run start_payout?",)),
    interactions=(_PICK_ACCOUNT,),
    deferred=Deferral(schema(Ref(_JOB.key)), 259_200_000),
    timeout=120_000,
    stability="beta",
)
_BILLING_STATUS = tool(
    "billing_status",
    description="Whether billing is up.",
    effects=Effects(read_only=True, destructive=False, idempotent=True),
    output=schema(Choice(("up", "degraded", "down")), {"enum": ["up", "degraded", "down"]}),
    deprecated=Deprecation("Part of the platform status page now.", sunset="2027-01-31"),
)
_GET_ANYTHING = tool("get_anything", parameters=schema(Anything(), {"type": "object"}))

BILLING: Final = Contract(
    (
        Namespace(
            "billing",
            library=False,
            version="1.4.0",
            description="Invoices, refunds and payouts.",
            tools=(_REFUND_INVOICE, _START_PAYOUT, _BILLING_STATUS, _GET_ANYTHING),
            definitions=(
                _REFUND_ARGS,
                _REFUND,
                args("start_payout", field("amount", Ref(_MONEY.key), doc="What to pay out.")),
                _PAYOUT,
                _JOB,
                _DRAFT,
                args("billing_status"),
            ),
            sources=("specs/billing.yaml",),
        ),
        Namespace(COMMON, library=True, definitions=(_MONEY, _PERIOD, _RETRY), sources=(COMMON,)),
    )
)
"""The example of the spec format, as far as a target can tell."""
