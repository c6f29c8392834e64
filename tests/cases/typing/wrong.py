"""Mistakes. Each line that ends with WRONG, and no other, is an error to every checker."""

from __future__ import annotations

from acme import types
from acme.crm import contacts
from app.tools import billing, common
from app.tools.billing.testing import fake_billing_tools
from mail_tools import mail
from notes_app.tools import notes
from toolkiln_runtime import Capability, Choice, Completed, Denied, Failed, Session, ToolResult


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


async def answer_of_another_tool(
    args: billing.StartPayoutArgs, context: billing.StartPayoutContext
) -> billing.StartPayoutOutcome:
    if context.resume is None:
        return billing.start_payout.no_account()
    token: billing.Job = context.resume.token  # WRONG
    value: int = context.resume.value  # WRONG
    return billing.start_payout.deferred(billing.Job(job=context.resume.value + token.job + str(value)))


def answer_before_it_is_known_which(
    args: types.Contact, context: contacts.DropContactContext
) -> contacts.DropContactOutcome:
    answer = context.resume
    if isinstance(answer, contacts.drop_contact.ConfirmResume):
        answer.token.name  # WRONG
    context.resume.token  # WRONG
    return Denied("")


class Ledger: ...


class Bank: ...


def open_ledger(session: Session) -> Ledger:
    return Ledger()


async def open_bank(session: Session) -> Bank:
    return Bank()


def close_bank(bank: Bank) -> None: ...


async def with_ledger(
    args: types.Contact, context: contacts.DropContactContext[Ledger]
) -> contacts.DropContactOutcome:
    return Denied("")


async def find(
    args: contacts.FindContactArgs, context: contacts.FindContactContext[Ledger]
) -> contacts.FindContactOutcome:
    return Denied("")


def refused(context: contacts.DropContactContext[Ledger], token: types.Contact | None) -> None: ...


def refused_by_bank(
    context: contacts.DropContactContext[Bank], token: types.Contact | None
) -> None: ...


def refused_with_contact(
    context: contacts.DropContactContext[Ledger], token: types.Contact
) -> None: ...


def refused_without_token(context: contacts.DropContactContext[Ledger]) -> None: ...


bank = Capability("bank", open_bank)
Capability("ledger", open_ledger, close_bank)  # WRONG
contacts.contacts_tools(find_contact=find, drop_contact=with_ledger, capability=bank)  # WRONG
only: contacts.ContactsRefused[Ledger]
only = {"drop_contact": refused}
only = {"find_contact": refused}  # WRONG
only = {"drop_contact": refused_by_bank}  # WRONG
only = {"drop_contact": refused_with_contact}  # WRONG
only = {"drop_contact": refused_without_token}  # WRONG
contacts.contacts_tools(find_contact=find, drop_contact=with_ledger, refused={"drop": refused})  # WRONG

fake_billing_tools(get_invoice=Completed(billing.Refund(refund_id="re_1")))  # WRONG
fake_billing_tools(get_invoice=billing.start_payout.no_account())  # WRONG
fake_billing_tools(get_invoice=[billing.start_payout.no_account()])  # WRONG
fake_billing_tools(get_invoice=answer_of_another_tool)  # WRONG
fake_billing_tools(get_invoise=None)  # WRONG


def typed(result: ToolResult) -> billing.GetInvoiceResult:
    return billing.refund_invoice.result(result)  # WRONG


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
