"""What a tool may answer besides its output: failures, questions, and later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkiln.contract import Deferral, Failure, Interaction, Schema
from toolkiln.diagnostics import Level, Rule
from toolkiln.lower.pointers import Pointer, typed
from toolkiln.lower.prompts import question_prompt
from toolkiln.lower.run import Draft
from toolkiln.lower.written import extensions, mapping, milliseconds, text
from toolkiln.spelling import did_you_mean
from toolkiln.value import Json

if TYPE_CHECKING:
    from toolkiln.load import Spec

NAME_UNKNOWN = Rule(
    "name-unknown", Level.ERROR, "A tool lists a failure or an interaction that is not declared."
)
ENTRY_DANGLING = Rule(
    "entry-dangling", Level.ERROR, "The `$ref` of a failure or an interaction leads to none."
)
SLOT_NO_OBJECT = Rule(
    "slot-no-object", Level.ERROR, "Details, or metadata, are described as something else."
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A failure or an interaction, where it is finally written."""

    name: str
    spec: Spec
    pointer: Pointer
    value: Json

    def schema(self, draft: Draft, key: str) -> Schema | None:
        return draft.schema((*self.pointer, key), self.spec)


def failures(draft: Draft, written: Json) -> tuple[Failure, ...]:
    """The failures that a tool declares."""
    return tuple(_failure(draft, entry) for entry in _entries(draft, written, "failures"))


def _failure(draft: Draft, entry: _Entry) -> Failure:
    facts = mapping(entry.value)
    return Failure(
        code=entry.name,
        description=text(facts.get("description")) or text(entry.value),
        retryable=facts.get("retryable") is True,
        details=_object(draft, entry, "details"),
        extensions=extensions(facts),
        span=entry.spec.document.span(*entry.pointer),
    )


def interactions(draft: Draft, written: Json) -> tuple[Interaction, ...]:
    """The questions that a tool declares."""
    return tuple(_interaction(draft, entry) for entry in _entries(draft, written, "interactions"))


def _interaction(draft: Draft, entry: _Entry) -> Interaction:
    facts = mapping(entry.value)
    metadata = _object(draft, entry, "metadata")
    expires = milliseconds(facts.get("expires"))
    return Interaction(
        name=entry.name,
        kind="approval" if facts.get("kind") == "approval" else "response",
        prompt=question_prompt(draft, entry.spec, entry.pointer, text(facts.get("prompt"))),
        response=entry.schema(draft, "response"),
        choices=facts.get("choices") is True,
        metadata=metadata,
        token=entry.schema(draft, "token"),
        expires=draft.expires if expires is None else expires,
        extensions=extensions(facts),
        span=entry.spec.document.span(*entry.pointer),
    )


def _object(draft: Draft, entry: _Entry, key: str) -> Schema | None:
    schema = entry.schema(draft, key)
    place = draft.run.sources.slot(entry.spec, (*entry.pointer, key))
    if schema and place and "object" not in draft.run.shapes.facts.types(place):
        shown = entry.spec.document.span(*entry.pointer, key)
        message = f"`{key}` of `{entry.name}` must be an object."
        draft.found.append(SLOT_NO_OBJECT.at(shown, message, tool=draft.qualified))
    return schema


def deferral(draft: Draft, written: Json) -> Deferral | None:
    """Whether and how a tool may finish later."""
    if written is None or written is False:
        return None
    facts = mapping(written)
    expires = milliseconds(facts.get("expires"))
    return Deferral(
        token=draft.schema((*draft.pointer, "deferred", "token")),
        expires=draft.expires if expires is None else expires,
        extensions=extensions(facts),
    )


def _entries(draft: Draft, written: Json, section: str) -> Iterator[_Entry]:
    pointer = (*draft.pointer, section)
    if isinstance(written, list):
        shared = mapping(mapping(draft.spec.document.value).get(section))
        for index, name in enumerate(written):
            if not isinstance(name, str) or name not in shared:
                draft.report(
                    NAME_UNKNOWN,
                    (*pointer, index),
                    f"`{name}` is not among the `{section}` of this file.",
                    hint=did_you_mean(str(name), shared),
                )
            elif found := _followed(draft, (section, name), shared[name]):
                yield _Entry(name, *found)
        return
    for name, value in mapping(written).items():
        if found := _followed(draft, (*pointer, name), value):
            yield _Entry(name, *found)


def _followed(draft: Draft, pointer: Pointer, value: Json) -> tuple[Spec, Pointer, Json] | None:
    """Where the entry at *pointer* is written, which may only say `$ref`."""
    start, section, spec = pointer, pointer[-2], draft.spec
    seen = {(spec.document.file, pointer)}
    while isinstance(value, dict) and isinstance(value.get("$ref"), str):
        resolved = draft.run.specs.resolve(spec, text(value["$ref"]))
        place = None
        if resolved:
            spec, names = resolved
            pointer = typed(names, spec.document.value)
            place = draft.run.sources.place(spec, pointer)
        if (
            place is None
            or (spec.document.file, pointer) in seen
            or not _is_entry(pointer, section)
        ):
            message = f"`{text(value['$ref'])}` leads to no entry."
            hint = f"An entry stands under the `{section}` of a file or a tool."
            draft.report(ENTRY_DANGLING, (*start, "$ref"), message, hint=hint)
            return None
        seen.add((spec.document.file, pointer))
        value = place.value
    return spec, pointer, value


def _is_entry(pointer: Pointer, section: str | int) -> bool:
    # What stands elsewhere was not read as one: a failure taken for a question has no text.
    match pointer:
        case ("tools", _, found, _) | ("x-tool", found, _) | (found, _):
            return found == section
        case _:
            return False
