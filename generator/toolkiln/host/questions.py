"""What a question takes for an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolkiln_runtime.catalog import Catalog
from toolkiln_runtime.contract import Question, Schema
from toolkiln_runtime.documents import at
from toolkiln_runtime.results import PendingInteraction
from toolkiln_runtime.sensitive import STAND_IN
from toolkiln_runtime.validators import fresh_document, mask
from toolkiln_runtime.values import is_array, is_object

from ..value import Json


class NotJsonError(ValueError):
    """A text is no JSON, and the question takes more than texts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question, and what may be said to it."""

    editable: bool
    """Whether whoever approves may change the arguments."""
    text: bool
    """Whether every answer is a text."""
    secret: bool
    """Whether the answer must not be seen."""
    choices: Sequence[tuple[Json, str]]
    """Values and labels; empty if none are offered, or if they must not be seen."""

    def value(self, written: str) -> Any:
        """The answer that was *written*: as it is if only texts are taken, else as JSON.

        Raises NotJsonError.
        """
        if self.text:
            return written
        try:
            return json.loads(written)
        except (ValueError, RecursionError):
            raise NotJsonError(f"{written!r:.80} is no JSON") from None


def asked(catalog: Catalog, pending: PendingInteraction) -> Asked:
    """What may be said to *pending*, by the contract of its tool."""
    name = pending.call.tool_name
    tool = catalog.find(name) or catalog.find(catalog.former.get(name, ""))
    contract = None if tool is None else tool.core.contract
    approval = None if contract is None else contract.approval
    metadata = pending.interaction.metadata or {}
    question: Question | None = None
    if contract is not None and not pending.gate:
        question = contract.interactions.get(str(metadata.get("name")))
    response = None if question is None else question.response
    secret = response is not None and mask(response)("") == STAND_IN
    return Asked(
        editable=pending.gate and approval is not None and approval.allow_edit,
        text=response is not None and takes_only_text(response),
        secret=secret,
        choices=() if secret or question is None else _choices(metadata),
    )


def takes_only_text(schema: Schema) -> bool:
    """Whether nothing but texts is valid; False also where that is hard to tell."""
    document = fresh_document(schema)
    return _only_text(document, document, frozenset())


def _only_text(root: Any, schema: Any, seen: frozenset[str]) -> bool:
    if not is_object(schema):
        return False
    if schema.get("type") in ("string", ["string"]) or isinstance(schema.get("const"), str):
        return True
    values = schema.get("enum")
    if is_array(values) and all(isinstance(value, str) for value in values):
        return True
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        # Draft-07 ignores what stands beside it, and elsewhere it says enough.
        return _only_text(root, at(root, reference), seen | {reference})
    if any(_only_text(root, each, seen) for each in schema.get("allOf", ())):
        return True
    arms = schema.get("anyOf") or schema.get("oneOf") or ()
    return bool(arms) and all(_only_text(root, each, seen) for each in arms)


def _choices(metadata: dict[str, Any]) -> Sequence[tuple[Json, str]]:
    offered = metadata.get("choices")
    if not is_array(offered):
        return ()
    return tuple((each["value"], str(each["label"])) for each in offered)
