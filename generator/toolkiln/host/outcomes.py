"""The end of a call, as a person writes it."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from toolkiln_runtime.outcomes import Completed, Denied, Failed

from ..value import Json

Outcome: TypeAlias = Completed[Any] | Denied | Failed[str]

_KEYS = {
    "completed": {"output"},
    "denied": {"reason"},
    "failed": {"code", "message", "details"},
}


class InvalidOutcomeError(ValueError):
    """What was written is no outcome."""


def outcome_of(form: Json) -> Outcome:
    """The outcome of this JSON form, which results have too; raises InvalidOutcomeError."""
    if not isinstance(form, dict) or form.get("kind") not in _KEYS:
        raise InvalidOutcomeError(f"an outcome has `kind`: {', '.join(_KEYS)}")
    kind = str(form["kind"])
    strange = sorted(form.keys() - {"kind", *_KEYS[kind]})
    if strange:
        raise InvalidOutcomeError(f"`{strange[0]}` is no key of an outcome that {_says(kind)}")
    match form:
        case {"kind": "completed", "output": output}:
            return Completed(output)
        case {"kind": "denied", "reason": str(reason)}:
            return Denied(reason)
        case {"kind": "failed", "code": str(code)}:
            return Failed(code, cast("str", form.get("message", "")), form.get("details"))
        case _:
            raise InvalidOutcomeError(f"what {_says(kind)} needs {_NEEDED[kind]}")


_NEEDED = {"completed": "`output`", "denied": "a text as `reason`", "failed": "a text as `code`"}


def _says(kind: str) -> str:
    return f"is {kind}" if kind == "denied" else f"has {kind}"
