"""From what a handler returned or raised to what the batch reports (E3 to E8)."""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias, cast

from msgspec import Struct

from .asking import Asking, asking
from .contract import Deferral, Schema
from .driving import Expired, Interrupted
from .failures import ToolError, ToolFailure
from .fitting import ANYTHING, Refused, declares, fitting, fitting_token, without_nulls
from .logs import fault, log
from .outcomes import Completed, Deferred, Denied, Failed, InteractionRequired
from .problems import summary
from .results import ToolResult
from .sealing import INTERNAL, Sealed
from .validators import Validator
from .values import InvalidJson, has_model, is_text, strict

_MESSAGE: Final = 1_000
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


class Deferring(Struct, frozen=True, eq=False):
    """The handler will be done later."""

    sealed: Sealed
    token: Any


Attempted: TypeAlias = ToolResult | Asking | Deferring


def settle(sealed: Sealed, returned: Any) -> Attempted:
    """What *returned*, by the handler of *sealed*, means."""
    try:
        return checked(sealed, returned)
    except Refused as refused:
        log.warning("tool %s: %s", sealed.tool.name, refused.code)
        return sealed.failed(refused.code, refused.message, refused.details)
    except Exception as error:  # noqa: BLE001 - ours, and still no crash
        return internal(sealed, error)


def checked(sealed: Sealed, returned: Any) -> Attempted:
    """What *returned* means; raises Refused if it is no outcome of the tool."""
    outcome: object = returned
    if isinstance(outcome, Completed):
        schema, output = sealed.compiled.output, returned.output
        try:
            copy = strict(output)
        except InvalidJson as error:
            message = f"The tool's output is no JSON: {error}."
            raise Refused("tool.invalid-output", message) from None
        if not (schema is None or schema.accepts(copy)):
            _amend(schema, copy, output)
        return ToolResult(sealed.call_id, sealed.tool.name, Completed(copy))
    match outcome:
        case Denied(reason) if is_text(reason):
            return ToolResult(sealed.call_id, sealed.tool.name, Denied(reason))
        case Failed(code, message, details) if is_text(code) and code and is_text(message):
            return _failed(sealed, code, message, details)
        case InteractionRequired(interaction, token):
            return asking(sealed, cast("Any", interaction), token)
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


def _amend(schema: Validator, copy: Any, output: Any) -> None:
    """Make *copy* of a model valid by leaving out nulls (E5); raises Refused where that fails."""
    if not (has_model(output) and without_nulls(schema, copy)):
        problems = schema.problems(copy, large=True)
        raise Refused("tool.invalid-output", "The tool's output is not valid:", problems)


def _failed(sealed: Sealed, code: str, message: str, details: Any) -> ToolResult:
    contract = declares(sealed)
    if contract is None:
        if details is not None:
            details = _details(ANYTHING, details, sealed)
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


def _details(schema: Schema | None, details: Any, sealed: Sealed) -> Any:
    copy, problems = fitting(schema, details)
    if problems:
        log.warning("tool %s: details of a failure do not fit and are left out", sealed.tool.name)
        log.debug("the reason: %s", summary(problems)[0])
        return None
    return copy


def _deferring(sealed: Sealed, token: Any) -> Attempted:
    contract, deferral = declares(sealed), Deferral(token=ANYTHING)
    if contract is not None:
        if contract.deferred is None:
            raise Refused(
                "tool.undeclared-deferral", "The tool deferred, which it does not declare."
            )
        deferral = contract.deferred
    return Deferring(sealed, fitting_token(deferral.token, token))
