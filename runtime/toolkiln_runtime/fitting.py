"""Whether what a handler hands over is what its contract says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from msgspec import to_builtins

from .contract import Contract, Schema
from .problems import Problem, summary
from .sealing import Sealed
from .validators import Validator, validator
from .values import InvalidJson, has_model, is_object, strict

ANYTHING: Final = Schema("true")


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


def declares(sealed: Sealed) -> Contract | None:
    """The contract, where it says all that the handler may do."""
    core = sealed.tool.core
    return core.contract if core.declared else None


def without_nulls(schema: Validator, value: Any) -> bool:
    """Leave out each null that an optional property refuses; whether the rest is valid."""
    for path in schema.nulls(value):
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        if path and is_object(holder):
            holder.pop(cast("str", path[-1]), None)
    return schema.accepts(value)


def fitting(schema: Schema | None, value: Any) -> tuple[Any, list[Problem]]:
    """A copy of *value* as JSON and what is wrong with it; without a schema only None is right."""
    if schema is None:
        return None, [] if value is None else [Problem("(root)", "false", "is not declared")]
    try:
        copy = strict(value)
    except InvalidJson as error:
        return None, [Problem("(root)", "json", str(error))]
    checks = validator(schema)
    if checks.accepts(copy) or (has_model(value) and without_nulls(checks, copy)):
        return copy, []
    return None, checks.problems(copy, large=True)


def fitting_token(schema: Schema | None, token: Any) -> Any:
    """A copy of *token*; raises Refused."""
    copy, problems = fitting(schema, token)
    if problems:
        raise Refused("tool.invalid-token", "The token is not valid:", problems)
    return copy
