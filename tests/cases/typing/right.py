"""Handlers and hosts as people write them. No line of this file is an error."""

from __future__ import annotations

from typing import Literal, assert_type

from acme import crm, types
from acme.crm import contacts
from app.tools import billing, common
from app.tools.billing.testing import fake_billing_tools
from mail_tools import mail
from notes_app.tools import notes
from toolkiln_runtime import Capability, Choice, Completed, Deferred, Denied, Failed, ToolSlot
from toolkiln_runtime import InteractionRequired, RuntimeCode, Session, ToolResult


class Ledger:
    def refund(self, invoice: str, cents: int) -> str | None: ...


def open_ledger(session: Session) -> Ledger:
    return Ledger()


async def get_invoice(
    args: billing.GetInvoiceArgs, context: billing.GetInvoiceContext[Ledger]
) -> billing.GetInvoiceOutcome:
    assert_type(args.invoice_id, str)
    if args.invoice_id == "in_0":
        return billing.get_invoice.not_found()
    if args.invoice_id == "in_1":
        return billing.get_invoice.rate_limited(details=common.RateLimitedDetails(retry_after=3))
    total = common.Money(cents=1, currency="EUR")
    return Completed(billing.Invoice(id=args.invoice_id, total=total, paid=True))


async def refund_invoice(
    args: billing.RefundInvoiceArgs, context: billing.RefundInvoiceContext[Ledger]
) -> billing.RefundInvoiceOutcome:
    ledger = await context.state
    assert_type(ledger, Ledger)
    if context.resume is None and args.reason == "fraud":
        period = common.ConfirmClosedPeriodMetadata(period="2026-11")
        return billing.refund_invoice.confirm_closed_period(metadata=period)
    refund = ledger.refund(args.invoice_id, args.amount.cents)
    if refund is None:
        return billing.refund_invoice.gateway_down("The ledger is closed.")
    return Completed(billing.Refund(refund_id=refund))


def start_payout(
    args: billing.StartPayoutArgs, context: billing.StartPayoutContext[Ledger]
) -> billing.StartPayoutOutcome:
    match context.resume:
        case None:
            draft = billing.Draft(draft="d_1")
            return billing.start_payout.pick_account(choices=[Choice("acc_1", "Main")], token=draft)
        case billing.start_payout.PickAccountResume(value=account, token=draft) as resume:
            assert_type(account, str)
            assert_type(draft, billing.Draft)
            assert_type(resume.interaction_id, str)
            return billing.start_payout.deferred(billing.Job(job=account))


async def billing_status(
    args: billing.BillingStatusArgs, context: billing.BillingStatusContext
) -> billing.BillingStatusOutcome:
    return Completed("up")


async def any_status(
    args: billing.BillingStatusArgs, context: billing.BillingStatusContext[object]
) -> billing.BillingStatusOutcome:
    return Denied("Not now.")


async def open_later(session: Session) -> Ledger:
    return Ledger()


async def close_ledger(ledger: Ledger) -> None: ...


async def period_stays_closed(
    context: billing.RefundInvoiceContext[Ledger], token: None
) -> None: ...


def not_mine(context: billing.RefundInvoiceContext[object], token: object) -> None: ...


ledger = Capability("ledger", open_ledger)
assert_type(ledger, Capability[Ledger])
later = Capability("ledger", open_later, close_ledger)
assert_type(later, Capability[Ledger])

slot = billing.billing_tools(
    get_invoice=get_invoice,
    refund_invoice=refund_invoice,
    start_payout=start_payout,
    billing_status=any_status,
    capability=Capability("ledger", open_ledger),
)
assert_type(slot, ToolSlot)
refused: billing.BillingRefused[Ledger] = {"refund_invoice": period_stays_closed}
for capability in (ledger, later):
    billing.billing_tools(
        get_invoice=get_invoice,
        refund_invoice=refund_invoice,
        start_payout=start_payout,
        billing_status=any_status,
        capability=capability,
        refused=refused,
    )
billing.billing_tools(
    get_invoice=get_invoice,
    refund_invoice=refund_invoice,
    start_payout=start_payout,
    billing_status=any_status,
    capability=later,
    refused={"refund_invoice": not_mine},
)


def reading(result: billing.RefundInvoiceResult) -> str:
    match result:
        case Completed(output):
            return output.refund_id
        case Denied(reason):
            return reason
        case Failed(code="not_found" | "tool.timeout"):
            return "gone"
        case Failed():
            return result.message


def typed(result: ToolResult) -> str:
    status = billing.billing_status.result(result)
    assert_type(status, Completed[Literal["up", "degraded", "down"]] | Denied | Failed[RuntimeCode])
    return reading(billing.refund_invoice.result(result))


fake_billing_tools()
fake_billing_tools(
    get_invoice=billing.get_invoice.not_found(),
    refund_invoice=[
        billing.refund_invoice.confirm_closed_period(
            metadata=common.ConfirmClosedPeriodMetadata(period="2026-11")
        ),
        Completed(billing.Refund(refund_id="re_1")),
        TimeoutError(),
        None,
    ],
    start_payout=start_payout,
    billing_status=RuntimeError(),
    capability=ledger,
)


def whole(outcome: billing.StartPayoutOutcome) -> str:
    match outcome:
        case Completed(output):
            return output.payout_id
        case Denied() | Failed() | InteractionRequired():
            return ""
        case Deferred(token):
            return token.job


async def send_email(
    args: mail.SendEmailArgs, context: mail.SendEmailContext
) -> mail.SendEmailOutcome:
    for attachment in args.attachments or []:
        if attachment.kind == "inline":
            assert_type(attachment, mail.SendEmailAttachmentInline)
    assert_type(args.cc, list[str])
    assert_type(args.reply_to, str | None)
    return Completed([mail.Receipt(id="r")])


async def search(args: mail.SearchArgs, context: mail.SearchContext) -> mail.SearchOutcome:
    return Completed(None)


mail.mail_tools(send_email=send_email, search=search)
mail.SendEmailArgs(to=["a"], subject="s", reply_to="b")


async def add_note(args: notes.AddNoteArgs, context: notes.AddNoteContext) -> notes.AddNoteOutcome:
    if len(args["text"]) > 100:
        return notes.add_note.too_long(details={"limit": 100})
    match context.resume:
        case notes.add_note.ChoosePlaceResume(value=place, token=note):
            assert_type(place, notes.Place)
            assert_type(note, notes.Note)
            return notes.add_note.keep_both(token=note)
        case notes.add_note.KeepBothResume(token=note):
            return Completed(note)
        case None:
            return Completed(notes.Note(id="n_1", parent={"id": "n_0"}))


notes.notes_tools(add_note=add_note)


async def score(args: crm.ScoreArgs, context: crm.ScoreContext) -> crm.ScoreOutcome:
    return Completed(1 if args.contact.knows else 0.5)


def drop_contact(
    args: types.Contact, context: contacts.DropContactContext
) -> contacts.DropContactOutcome:
    match context.resume:
        case contacts.drop_contact.ChooseHeirsResume() as answer:
            assert_type(answer.value, list[types.Contact])
            return contacts.drop_contact.tell_them(token=answer.token)
        case contacts.drop_contact.ConfirmResume() as answer:
            assert_type(answer.value, None)
            assert_type(answer.token, None)
            return Completed({"any": ["json"]})
        case contacts.drop_contact.TellThemResume(token=heir):
            assert_type(heir, types.Contact)
            return contacts.drop_contact.confirm()
        case None:
            return contacts.drop_contact.choose_heirs(token=args)


def drop_refused(context: contacts.DropContactContext, token: types.Contact | None) -> None:
    if isinstance(context.resume, contacts.drop_contact.TellThemResume):
        assert_type(context.resume.token, types.Contact)


async def find_contact(
    args: contacts.FindContactArgs, context: contacts.FindContactContext
) -> contacts.FindContactOutcome:
    return Completed(types.Contact(name=args.name, knows=[types.Contact(name="B")]))


crm.crm_tools(score=score)
contacts.contacts_tools(
    find_contact=find_contact, drop_contact=drop_contact, refused={"drop_contact": drop_refused}
)
