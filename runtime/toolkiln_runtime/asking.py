"""Questions of handlers, checked against their contracts (E3)."""

from __future__ import annotations

from typing import Any, cast

from msgspec import Struct

from .contract import Question
from .fitting import ANYTHING, Refused, declares, fitting, fitting_token
from .interactions import RequiredInteraction
from .outcomes import Choice, Interaction
from .problems import Problem
from .prompts import HIDDEN, Values, fill
from .sealing import Sealed
from .sensitive import Mask
from .validators import fresh_document, mask
from .values import is_object, is_text


class Asking(Struct, frozen=True, eq=False):
    """The handler asked something; the interaction has no final id yet."""

    sealed: Sealed
    interaction: Interaction[str]
    """Its metadata and choices are strict JSON."""
    question: Question | None
    token: Any


def asking(sealed: Sealed, asked: Interaction[str], token: Any) -> Asking:
    """What the handler asks, as strict JSON; raises Refused."""
    contract, question = declares(sealed), None
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
        sealed,
        fixed,
        question,
        fitting_token(ANYTHING if question is None else question.token, token),
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
    copy, problems = fitting(ANYTHING if question is None else question.metadata, metadata)
    if not problems and not is_object(copy):
        problems = [Problem("(root)", "type", "must be object")]
    return copy, problems


def _choices(asked: Interaction[str], question: Question | None) -> tuple[Choice[Any], ...]:
    schema = ANYTHING if question is None else question.response
    fixed: list[Choice[Any]] = []
    for choice in asked.choices:
        if not isinstance(cast("Any", choice), Choice) or not is_text(choice.label):
            raise _malformed("one of its choices is no Choice")
        value, problems = fitting(schema, choice.value)
        if problems:
            raise Refused("interaction.invalid", "A choice is not valid:", problems)
        fixed.append(Choice(value, choice.label))
    return tuple(fixed)


def required(asking: Asking, identifier: str) -> RequiredInteraction:
    """The question as people see it, under its id."""
    asked, question = asking.interaction, asking.question
    if question is None:
        return RequiredInteraction(
            id=identifier, kind=asked.kind, prompt=asked.prompt, metadata=asked.metadata
        )
    hidden: Mask | None = None
    metadata: dict[str, Any] = {**question.extensions, "name": asked.name}
    if question.metadata is not None:
        hidden = Mask(fresh_document(question.metadata), HIDDEN)
        metadata["metadata"] = mask(question.metadata)(asked.metadata)
    if asked.choices:
        secrets = mask(question.response)
        metadata["choices"] = [
            {"value": secrets(choice.value), "label": choice.label} for choice in asked.choices
        ]
    sealed = asking.sealed
    filled = fill(question.prompt, Values(sealed.args(), sealed.hidden(), asked.metadata, hidden))
    metadata["values"] = filled.values
    return RequiredInteraction(
        id=identifier, kind=asked.kind, prompt=filled.text, metadata=metadata
    )
