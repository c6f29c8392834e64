"""Questions to people: their text, and the values that go into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolkiln.contract import Path, Prompt
from toolkiln.diagnostics import Level, Rule
from toolkiln.lower.arguments import names, reach
from toolkiln.lower.paths import Malformed, WrittenPath, pieces, spelled
from toolkiln.lower.places import Place
from toolkiln.lower.pointers import Pointer
from toolkiln.lower.run import Draft
from toolkiln.spelling import nearest

if TYPE_CHECKING:
    from toolkiln.load import Spec

PROMPT_INVALID = Rule("prompt-invalid", Level.ERROR, "A prompt has an unpaired brace.")
PATH_UNKNOWN = Rule("path-unknown", Level.ERROR, "A condition or a placeholder names no parameter.")


def gate_prompt(draft: Draft, pointer: Pointer, written: str) -> Prompt:
    """The prompt of an approval, whose placeholders name parameters."""

    def found(path: WrittenPath) -> Path | None:
        known = draft.parameters and is_known(draft, draft.parameters, path.names)
        return path.names if known else None

    return _prompt(draft, draft.spec, (*pointer, "prompt"), written, found)


def question_prompt(draft: Draft, spec: Spec, pointer: Pointer, written: str) -> Prompt:
    """The prompt of an interaction, whose placeholders may also name metadata."""
    metadata = draft.run.sources.slot(spec, (*pointer, "metadata"))

    def found(path: WrittenPath) -> Path | None:
        if path.names[0] == "metadata" and not path.quoted:
            inner = path.names[1:]
            known = metadata is not None and bool(inner) and is_known(draft, metadata, inner)
            return ("", *inner) if known else None
        known = draft.parameters is not None and is_known(draft, draft.parameters, path.names)
        return path.names if known else None

    return _prompt(draft, spec, (*pointer, "prompt"), written, found)


def is_known(draft: Draft, root: Place, path: Path) -> bool:
    """Whether *root* declares *path*; what cannot be looked at is not to blame."""
    if draft.run.units.broken(root):
        return True
    return bool(reach(draft.run.shapes.facts, root, path))


def suggestion(draft: Draft, path: WrittenPath) -> str:
    """The parameter that was probably meant by *path*."""
    root = draft.parameters
    if root is None or not path.names or draft.run.units.broken(root):
        return ""
    fixed: list[str] = []
    for name in path.names:
        known = names(draft.run.shapes.facts, root, tuple(fixed))
        match = name if name in known else nearest(name, known)
        if match is None:
            return ""
        fixed.append(match)
    shown = spelled(tuple(fixed))
    if shown == str(path):
        # Only where `metadata` means what the handler passes can a name that exists be wrong.
        shown = f'["{fixed[0]}"]{shown.removeprefix(fixed[0])}'
    return f"Did you mean `{shown}`?"


def _prompt(
    draft: Draft,
    spec: Spec,
    pointer: Pointer,
    written: str,
    found: Callable[[WrittenPath], Path | None],
) -> Prompt:
    span = spec.document.span(*pointer)
    try:
        parts = pieces(written)
    except Malformed as error:
        draft.found.append(PROMPT_INVALID.at(span, str(error), tool=draft.qualified))
        return (written,)
    prompt: list[str | Path] = []
    for part in parts:
        if isinstance(part, str):
            prompt.append(part)
            continue
        path = found(part)
        if path is None:
            message = f"`{part}` is no parameter."
            hint = suggestion(draft, part)
            draft.found.append(PATH_UNKNOWN.at(span, message, hint=hint, tool=draft.qualified))
        else:
            prompt.append(path)
    return tuple(prompt)
