"""Handlers of the tools of `billing`."""

from __future__ import annotations

from app.tools import billing


async def get_invoice(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    """One invoice by its id."""
    raise NotImplementedError


async def refund_invoice(
    args: billing.RefundInvoiceArgs, context: billing.RefundInvoiceContext
) -> billing.RefundInvoiceOutcome:
    """Refund one paid invoice, in full or in part.
    Never call it twice for one request of the user.
    """
    raise NotImplementedError


async def start_payout(
    args: billing.StartPayoutArgs, context: billing.StartPayoutContext
) -> billing.StartPayoutOutcome:
    """Pay the balance out to one of the user's bank accounts. Takes up to two days."""
    raise NotImplementedError


async def billing_status(
    args: billing.BillingStatusArgs, context: billing.BillingStatusContext
) -> billing.BillingStatusOutcome:
    """Whether billing is up."""
    raise NotImplementedError


tools = billing.billing_tools(
    get_invoice=get_invoice,
    refund_invoice=refund_invoice,
    start_payout=start_payout,
    billing_status=billing_status,
)
