"""From what a handler returned or raised to what the batch reports (E3 to E8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct, to_builtins

from .contract import Contract, Deferral, Question, Schema
from .driving import Expired, Interrupted
from .failures import ToolError, ToolFailure
from .logs import fault, log
from .outcomes import Choice, Completed, Deferred, Denied, Failed, Interaction, InteractionRequired
from .problems import Problem, summary
from .results import ToolResult
from .sealing import INTERNAL, Sealed
from .validators import Validator, validator
from .values import InvalidJson, has_model, is_object, is_text, strict

_MESSAGE: Final = 1_000
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Asking(Struct, frozen=True, eq=False):
    """The handler asked something; the interaction has no final id yet."""

    sealed: Sealed
    interaction: Interaction[str]
    """Its metadata and choices are strict JSON."""
    question: Question | None
    token: Any


class Deferring(Struct, frozen=True, eq=False):
    """The handler will be done later."""

    sealed: Sealed
    token: Any


Attempted: TypeAlias = ToolResult | Asking | Deferring


class Refused(Exception):  # noqa: N818 - it never leaves this module
    """The outcome is not what it should be: the call fails with this code."""

    def __init__(self, code: str, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(code)
        if problems:
            text, named = summary(problems)
            message = f"{message} {text}"
            self.details: Any = to_builtins(named)
        else:
            self.details = None
        self.code = code
        self.message = message


def settle(sealed: Sealed, outcome: Any) -> Attempted:
    """What *outcome*, returned by the handler of *sealed*, means."""
    try:
        if isinstance(outcome, Completed):
            output: Any = outcome.output  # pyright: ignore[reportUnknownMemberType]
            completed = Completed(_output(sealed.compiled.output, output))
            return ToolResult(sealed.call_id, sealed.tool.name, completed)
        return _unfinished(sealed, outcome)
    except Refused as refused:
        log.warning("tool %s: %s", sealed.tool.name, refused.code)
        return sealed.failed(refused.code, refused.message, refused.details)
    except Exception as error:  # noqa: BLE001 - ours, and still no crash
        return internal(sealed, error)


def _unfinished(sealed: Sealed, outcome: object) -> Attempted:
    match outcome:
        case Denied(reason) if is_text(reason):
            return ToolResult(sealed.call_id, sealed.tool.name, Denied(reason))
        case Failed(code, message, details) if is_text(code) and code and is_text(message):
            return _failed(sealed, code, message, details)
        case InteractionRequired(interaction, token):
            return _asking(sealed, cast("Any", interaction), token)
        case Deferred():
            return _deferring(sealed, cast("Any", outcome).token)
        case _:
            raise Refused("tool.invalid-tool-result", "The tool returned no valid outcome.")


def internal(sealed: Sealed, error: BaseException) -> ToolResult:
    """The failure of a call that is our fault (E8)."""
    fault(error, "tool %s: a fault of the runtime (%s)", sealed.tool.name, type(error).__name__)
    return ToolResult(sealed.call_id, sealed.tool.name, INTERNAL)


def cancelled(sealed: Sealed) -> ToolResult:
    """The failure of a call that was cancelled before it had a result (P8)."""
    return sealed.failed("tool.cancelled", "The call was cancelled.")


def raised(sealed: Sealed, error: BaseException, *, expose: bool) -> ToolResult:
    """The failure of a call whose attempt ended with *error*."""
    if isinstance(error, Expired):
        return sealed.failed("tool.timeout", "The tool did not end in time.")
    if isinstance(error, Interrupted):
        return cancelled(sealed)
    if isinstance(error, ToolFailure):
        # Its fields are whatever the handler put there.
        settled = settle(sealed, Failed(error.code, error.message, error.details))
        return cast("ToolResult", settled)
    if isinstance(error, ToolError) and "." in error.code:
        return sealed.failed(error.code, error.message)
    fault(error, "tool %s failed in %s: an exception", sealed.tool.name, sealed.invocation_id)
    message = "The tool failed."
    if expose:
        message = _exposed(error) or message
    return sealed.failed("tool.execution-failed", message)


def _exposed(error: BaseException) -> str:
    try:
        text = str(error)[:_MESSAGE]
    except Exception:  # noqa: BLE001 - an exception may be unable to describe itself
        return ""
    return text if is_text(text) else ""


def _output(schema: Validator | None, output: Any) -> Any:
    try:
        copy = strict(output)
    except InvalidJson as error:
        raise Refused("tool.invalid-output", f"The tool's output is no JSON: {error}.") from None
    if schema is None or schema.accepts(copy):
        return copy
    if has_model(output) and _without_nulls(schema, copy):
        return copy
    raise Refused(
        "tool.invalid-output", "The tool's output is not valid:", schema.problems(copy, large=True)
    )


def _without_nulls(schema: Validator, value: Any) -> bool:
    """Leave out each null that an optional property refuses; whether the rest is valid."""
    for path in schema.nulls(value):
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        if path and is_object(holder):
            holder.pop(cast("str", path[-1]), None)
    return schema.accepts(value)


def _fitting(schema: Schema | None, value: Any) -> tuple[Any, list[Problem]]:
    """A copy of *value* as JSON and what is wrong with it; without a schema only None is right."""
    if schema is None:
        return None, [] if value is None else [Problem("(root)", "false", "is not declared")]
    try:
        copy = strict(value)
    except InvalidJson as error:
        return None, [Problem("(root)", "json", str(error))]
    checks = validator(schema)
    if checks.accepts(copy) or (has_model(value) and _without_nulls(checks, copy)):
        return copy, []
    return None, checks.problems(copy, large=True)


def _declares(sealed: Sealed) -> Contract | None:
    core = sealed.tool.core
    return core.contract if core.declared else None


def _failed(sealed: Sealed, code: str, message: str, details: Any) -> ToolResult:
    contract = _declares(sealed)
    if contract is None:
        if details is not None:
            details = _details(_ANYTHING, details, sealed)
        return sealed.failed(code, message, details)
    failure = contract.failures.get(code)
    if failure is None:
        named = f" ({code})" if _CODE.fullmatch(code) else ""
        raise Refused(
            "tool.undeclared-failure", f"The tool failed in a way it does not declare{named}."
        )
    if details is not None:
        details = _details(failure.details, details, sealed)
    return sealed.failed(code, message or failure.description, details)


_ANYTHING: Final = Schema("true")


def _details(schema: Schema | None, details: Any, sealed: Sealed) -> Any:
    copy, problems = _fitting(schema, details)
    if problems:
        log.warning("tool %s: details of a failure do not fit and are left out", sealed.tool.name)
        log.debug("the reason: %s", summary(problems)[0])
        return None
    return copy


def _deferring(sealed: Sealed, token: Any) -> Attempted:
    contract, deferral = _declares(sealed), Deferral(token=_ANYTHING)
    if contract is not None:
        if contract.deferred is None:
            raise Refused(
                "tool.undeclared-deferral", "The tool deferred, which it does not declare."
            )
        deferral = contract.deferred
    return Deferring(sealed, _token(deferral.token, token))


def _token(schema: Schema | None, token: Any) -> Any:
    copy, problems = _fitting(schema, token)
    if problems:
        raise Refused("tool.invalid-token", "The token is not valid:", problems)
    return copy


def _asking(sealed: Sealed, asked: Interaction[str], token: Any) -> Attempted:
    contract, question = _declares(sealed), None
    if not isinstance(cast("Any", asked), Interaction):
        raise _malformed("it is no Interaction")
    if contract is not None:
        question = contract.interactions.get(asked.name) if is_text(asked.name) else None
        if question is None:
            raise Refused("tool.undeclared-interaction", "The tool asked what it does not declare.")
    _check_shape(asked, question)
    metadata, problems = _metadata(asked.metadata, question)
    choices = _choices(asked, question)
    if problems:
        raise Refused("interaction.invalid", "The metadata is not valid:", problems)
    fixed = Interaction(
        kind=asked.kind,
        prompt=asked.prompt,
        metadata=metadata,
        id=asked.id,
        name=asked.name,
        choices=choices,
    )
    return Asking(
        sealed, fixed, question, _token(_ANYTHING if question is None else question.token, token)
    )


def _malformed(why: str) -> Refused:
    return Refused("interaction.invalid", f"The tool asked in a way that is not valid: {why}.")


def _check_shape(asked: Interaction[str], question: Question | None) -> None:
    if asked.kind not in ("approval", "response"):
        raise _malformed("its kind is unknown")
    if question is not None and question.kind != asked.kind:
        raise _malformed("its kind is not the declared one")
    if not is_text(asked.prompt):
        raise _malformed("its prompt is no text")
    if asked.id is not None and not (asked.id and is_text(asked.id)):
        raise _malformed("its id is no text")
    if not isinstance(cast("Any", asked.choices), list | tuple):
        raise _malformed("its choices are no list")
    if asked.choices and asked.kind == "approval":
        raise _malformed("an approval has no choices")
    if question is not None and question.choices != bool(asked.choices):
        raise _malformed("its choices are not as declared")


def _metadata(metadata: Any, question: Question | None) -> tuple[Any, list[Problem]]:
    if metadata is None and (question is None or question.metadata is None):
        return None, []
    copy, problems = _fitting(_ANYTHING if question is None else question.metadata, metadata)
    if not problems and not is_object(copy):
        problems = [Problem("(root)", "type", "must be object")]
    return copy, problems


def _choices(asked: Interaction[str], question: Question | None) -> tuple[Choice[Any], ...]:
    schema = _ANYTHING if question is None else question.response
    fixed: list[Choice[Any]] = []
    for choice in asked.choices:
        if not isinstance(cast("Any", choice), Choice) or not is_text(choice.label):
            raise _malformed("one of its choices is no Choice")
        value, problems = _fitting(schema, choice.value)
        if problems:
            raise Refused("interaction.invalid", "A choice is not valid:", problems)
        fixed.append(Choice(value, choice.label))
    return tuple(fixed)
