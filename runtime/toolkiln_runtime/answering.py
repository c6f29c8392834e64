"""What a reply does to the call that asked (P2 to P6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from . import records
from .context import ToolExecutionResume
from .contract import Question
from .edits import edited, refused
from .failures import ToolError
from .fitting import ANYTHING, fitting
from .gates import Policy
from .outcomes import Denied
from .plan import gated
from .plans import Plans, Turn, batch_of
from .problems import summary
from .recording import field, ready
from .results import ToolResult
from .sealing import Sealed
from .steps import Reply
from .values import is_text, same

Decide: TypeAlias = Callable[[Turn], Awaitable[None]]
"""Changes a turn, or raises ToolError; then nothing of it is kept."""


class Answers:
    """Decides about replies."""

    def __init__(self, plans: Plans, policies: Sequence[Policy]) -> None:
        self._plans = plans
        self._policies = policies

    def approve(
        self,
        interaction_id: str,
        approved: object,
        *,
        reason: str | None,
        edited_args: object,
        by: str | None,
    ) -> Decide:
        """The answer to an approval."""

        async def decide(turn: Turn) -> None:
            index, call = _find(turn, interaction_id, "approval")
            sealed = self._plans.reader.sealed(call)
            if not isinstance(approved, bool):
                raise _invalid("`approved` is neither true nor false")
            _check_texts(reason=reason, by=by)
            if not approved:
                if edited_args is not None:
                    raise refused("A call that is refused cannot be changed.")
                self._refuse(turn, index, sealed, Reply(how="refused", by=by, reason=reason))
                return
            reply = Reply(how="approved", by=by, reason=reason)
            if isinstance(call, records.Gated):
                granted = ready(turn.step.answered(call, reply))
                turn.step.calls[index] = await self._edited(turn, granted, sealed, edited_args)
                return
            if edited_args is not None:
                raise refused("The handler has run, and its arguments are fixed.")
            self._resume(turn, index, sealed, reply, None)

        return decide

    def respond(self, interaction_id: str, value: Any, *, by: str | None) -> Decide:
        """The answer to a question."""

        async def decide(turn: Turn) -> None:
            index, call = _find(turn, interaction_id, "response")
            sealed = self._plans.reader.sealed(call)
            _check_texts(by=by)
            if isinstance(call, records.Asking):
                answer = self._answer(call, sealed, value)
                self._resume(turn, index, sealed, Reply(how="answered", by=by), answer)

        return decide

    def _refuse(self, turn: Turn, index: int, sealed: Sealed, reply: Reply) -> None:
        call = turn.step.open(index)
        if isinstance(call, records.Asking):
            self._hand(sealed, call, approved=False)
            turn.refused.append(sealed)
        denied = records.DeniedResult(reason=reply.reason or "The approval was refused.")
        turn.step.settle(index, denied, reply)

    def _resume(self, turn: Turn, index: int, sealed: Sealed, reply: Reply, value: Any) -> None:
        call = turn.step.open(index)
        if not isinstance(call, records.Asking):
            raise TypeError("only what has asked can be resumed")
        if reply.how == "answered":
            question = _declared(call, sealed)
            schema = None if question is None else question.response
            bound = field(call.invocation.id, f"value of {call.question.id}")
            reply = replace(reply, value=self._plans.writer.value(value, schema, bound))
        self._hand(sealed, call, approved=None if reply.how == "answered" else True, value=value)
        turn.take(index, turn.step.answered(call, reply), sealed)

    def _hand(
        self, sealed: Sealed, call: records.Asking, *, approved: bool | None, value: Any = None
    ) -> None:
        sealed.asked = call.question.name
        sealed.resume = ToolExecutionResume(
            interaction_id=call.question.id,
            kind=call.question.kind,
            approved=approved,
            value=value,
            token=self._plans.reader.token(call),
        )

    def _answer(self, call: records.Asking, sealed: Sealed, value: Any) -> Any:
        question = _declared(call, sealed)
        schema = ANYTHING if question is None else question.response
        answer, problems = fitting(schema, value)
        if problems:
            raise _invalid(summary(problems)[0])
        choices = self._plans.reader.choices(call)
        if choices is not None and not any(same(choice, answer) for choice in choices):
            raise _invalid("it is none of the choices")
        return answer

    async def _edited(
        self, turn: Turn, call: records.Ready, sealed: Sealed, changed: object
    ) -> records.Ready:
        changed = None if changed is None else edited(sealed, changed)
        if not isinstance(changed, Sealed):
            return call
        (verdict,) = await gated([changed], self._policies, batch_of(turn.step.before))
        if isinstance(verdict, ToolResult):
            outcome = verdict.outcome
            why = outcome.reason if isinstance(outcome, Denied) else "A policy refuses it."
            raise refused(f"The changed call is not allowed: {why}")
        invocation = call.invocation
        args = self._plans.writer.args(invocation.id, changed.plain(), sealed)
        return replace(call, invocation=replace(invocation, args=args, edited=True))


def _find(turn: Turn, interaction_id: str, kind: str) -> tuple[int, records.Gated | records.Asking]:
    for index, call in enumerate(turn.step.calls):
        if isinstance(call, records.Gated | records.Asking) and call.question.id == interaction_id:
            if call.question.kind != kind:
                raise ToolError("interaction.wrong-kind", f"The question is no {kind}.")
            return index, call
    ended = [
        said
        for call in turn.step.calls
        for said in (() if call.invocation is None else call.invocation.resolutions)
        if said.interaction_id == interaction_id
    ]
    if ended and max(ended, key=lambda said: said.at).how == "expired":
        raise ToolError("interaction.expired", "The question was not answered in time.")
    raise ToolError("interaction.answered", "The question is no longer open.")


def _declared(call: records.Asking, sealed: Sealed) -> Question | None:
    return sealed.tool.contract.interactions.get(call.question.name)


def _check_texts(**texts: object) -> None:
    for name, text in texts.items():
        if text is not None and not is_text(text):
            raise _invalid(f"`{name}` is no text")


def _invalid(why: str) -> ToolError:
    return ToolError("interaction.invalid-response", f"The answer is not valid: {why}.")
