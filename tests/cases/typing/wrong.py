"""Mistakes. Each line that ends with WRONG, and no other, is an error to every checker."""

from __future__ import annotations

from app.tools import billing, common
from mail_tools import mail
from notes_app.tools import notes
from toolkiln_runtime import Choice, Completed, Failed


async def other_tools_failure(
    args: billing.StartPayoutArgs, context: billing.StartPayoutContext
) -> billing.StartPayoutOutcome:
    return billing.get_invoice.not_found()  # WRONG


async def undeclared_failure(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    return Failed("no_such_code", "")  # WRONG


async def output_of_another_type(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    return Completed("paid")  # WRONG


async def output_that_is_no_choice(
    args: billing.BillingStatusArgs, context: billing.BillingStatusContext
) -> billing.BillingStatusOutcome:
    return Completed("sideways")  # WRONG


async def pause_of_a_tool_without_questions(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    token = billing.Draft(draft="d")
    return billing.start_payout.pick_account(choices=[Choice("a", "A")], token=token)  # WRONG


async def deferral_of_a_tool_that_cannot(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    return billing.start_payout.deferred(billing.Job(job="j"))  # WRONG


async def arguments_of_another_tool(
    args: billing.StartPayoutArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    return billing.get_invoice.not_found()


async def fine(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext
) -> billing.GetInvoiceOutcome:
    return billing.get_invoice.not_found()


billing.refund_invoise  # WRONG
billing.get_invoice.gone()  # WRONG
billing.get_invoice.not_found(404)  # WRONG
billing.get_invoice.rate_limited(details=common.Money(cents=1, currency="EUR"))  # WRONG
billing.start_payout.pick_account(choices=[Choice(1, "One")], token=billing.Draft(draft=""))  # WRONG
billing.start_payout.pick_account(choices=[Choice("acc", "One")])  # WRONG
billing.refund_invoice.confirm_closed_period()  # WRONG
billing.GetInvoiceArgs()  # WRONG
billing.GetInvoiceArgs(invoice_id=7)  # WRONG
billing.GetInvoiceArgs(invoice_id="in_7", extra=1)  # WRONG
common.Money(cents=1, currency="CHF")  # WRONG
mail.mail_tools(search=fine)  # WRONG
mail.SendEmailArgs(to=["a"], subject="s", replyTo="b")  # WRONG
mail.SendEmailArgs(to=["a"], subject="s", priority=4)  # WRONG
args = notes.AddNoteArgs(text="", tags=[1])  # WRONG
args = notes.AddNoteArgs(tags=[])  # WRONG

billing.billing_tools(get_invoice=arguments_of_another_tool)  # WRONG
