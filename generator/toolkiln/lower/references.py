"""References that lead nowhere, or in circles."""

from __future__ import annotations

from collections.abc import Iterator

from toolkiln.diagnostics import Diagnostic, Level, Rule
from toolkiln.lower.dialects import TYPE_WORDS
from toolkiln.lower.places import FILE_SCOPE, Place
from toolkiln.lower.pointers import found
from toolkiln.lower.sources import Reference, Sources
from toolkiln.lower.written import mapping
from toolkiln.spelling import did_you_mean
from toolkiln.value import Json

REFERENCE_DANGLING = Rule("reference-dangling", Level.ERROR, "A reference leads nowhere.")
REFERENCE_LOOP = Rule("reference-loop", Level.ERROR, "A schema is only a reference to itself.")
REFERENCE_DYNAMIC = Rule(
    "reference-dynamic", Level.ERROR, "A dynamic reference stands in the scope of a whole file."
)


def dangling(sources: Sources, unit: Place) -> Iterator[Diagnostic]:
    """References without a target, and dynamic ones where there is no resource to search."""
    for reference in sources.references(unit):
        holder = reference.holder
        span = holder.spec.document.span(*holder.pointer, reference.word)
        if reference.word != "$ref" and holder.resource == FILE_SCOPE:
            yield REFERENCE_DYNAMIC.at(
                span,
                f"`{reference.word}` needs a schema that is a resource of its own.",
                hint="Give the slot an `$id`, or use `$ref`.",
            )
        elif reference.target is None:
            short = found(holder.spec.document.value, unit.pointer)
            if isinstance(short, str) and holder == unit:
                yield _unknown_type(unit, short)
                continue
            message = f"`{reference.text}` leads nowhere."
            yield REFERENCE_DANGLING.at(span, message, hint=_hint(sources, unit, reference))


def _unknown_type(unit: Place, name: str) -> Diagnostic:
    span = unit.spec.document.span(*unit.pointer)
    shared = mapping(mapping(unit.spec.document.value).get("$defs"))
    hint = did_you_mean(name, [*shared, *TYPE_WORDS])
    return REFERENCE_DANGLING.at(span, f"`{name}` is no type of this file.", hint=hint)


def _hint(sources: Sources, unit: Place, reference: Reference) -> str:
    holder, fragment = reference.holder, reference.text.partition("#")[2]
    if reference.text.startswith("#"):
        return _other_scope(sources, holder, fragment) or _near(sources, holder, fragment)
    if unit.resource.own and "$id" in unit.keywords:
        return f"It was looked for below `{holder.resource.base}`, and as a file."
    return ""


def _other_scope(sources: Sources, holder: Place, fragment: str) -> str:
    steps = fragment.split("/")[1:]
    if holder.resource.own and not holder.spec.plain:
        if steps and _has(holder.spec.document.value, steps):
            return (
                "This slot has definitions of its own, so `#` means the slot. "
                f"The file's `#{fragment}` is out of reach: move the definitions together."
            )
        return ""
    for length in range(len(holder.pointer), 0, -1):
        around = sources.place(holder.spec, holder.pointer[:length])
        if around and steps and _has(around.value, steps):
            path = "/".join(map(str, around.pointer))
            return f"Here `#` means this file. Did you mean `#/{path}{fragment}`?"
    return ""


def _near(sources: Sources, holder: Place, fragment: str) -> str:
    """The name most like the last one of *fragment*, where the others exist."""
    path, _, name = fragment.rpartition("/")
    root = sources.root(holder)
    value: Json = root.value if root else None
    for step in path.split("/")[1:]:
        value = value.get(step) if isinstance(value, dict) else None
    if isinstance(value, dict):
        return did_you_mean(name, value)
    if path in {"/$defs", "/definitions"}:
        other = "definitions" if path == "/$defs" else "$defs"
        if root and name in mapping(root.keywords.get(other)):
            return f"Did you mean `#/{other}/{name}`?"
    return ""


def _has(value: Json, steps: list[str]) -> bool:
    for step in steps:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return isinstance(value, bool | dict)


def loops(sources: Sources, unit: Place) -> Iterator[Diagnostic]:
    """References that come back to where they stand without looking at any part of the value."""
    for reference in sources.references(unit):
        if reference.word == "$ref" and sources.returns(reference):
            holder = reference.holder
            yield REFERENCE_LOOP.at(
                holder.spec.document.span(*holder.pointer, reference.word),
                f"`{reference.text}` leads back to itself and says nothing on the way.",
                hint="Put the recursion below `properties` or `items`, or remove it.",
            )
