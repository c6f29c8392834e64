"""The wire digest: all that a caller can notice of a tool, in one number (R2)."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from .contract import Contract, Question, Schema
from .documents import mapped
from .values import fresh, is_array, is_object

_TEXTS: Final = frozenset(("title", "description", "$comment", "examples", "deprecated"))


def wire_digest(contract: Contract, name: str) -> str:
    """The digest of the tool, if it was called *name*; hexadecimal."""
    deferred = contract.deferred
    wire = {
        "name": name,
        "parameters": _bare(contract.parameters),
        "output": _bare(contract.output),
        "failures": {code: _bare(failure.details) for code, failure in contract.failures.items()},
        "interactions": {key: _question(item) for key, item in contract.interactions.items()},
        "deferred": None if deferred is None else {"token": _bare(deferred.token)},
    }
    text = json.dumps(integral(wire), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def _question(question: Question) -> dict[str, Any]:
    return {
        "kind": question.kind,
        "response": _bare(question.response),
        "choices": question.choices,
        "metadata": _bare(question.metadata),
        "token": _bare(question.token),
    }


def _bare(schema: Schema | None) -> Any:
    return None if schema is None else mapped(fresh(schema.source.encode()), _without_texts)


def _without_texts(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value
        for key, value in schema.items()
        if key not in _TEXTS and not key.startswith("x-")
    }


def integral(value: Any) -> Any:
    """*value* with one way to write each number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: integral(item) for key, item in value.items()}
    if is_array(value):
        return [integral(item) for item in value]
    return value
