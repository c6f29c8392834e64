"""Why a reference to a file leads nowhere, as findings."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

from ..diagnostics import Diagnostic, Level, Rule
from ..spelling import did_you_mean
from .files import present
from .references import Reference
from .specs import Spec
from .texts import cut
from .uris import Refusal

REF_UNREADABLE = Rule("ref-unreadable", Level.ERROR, "A referenced file cannot be read.")
REF_NETWORK = Rule("ref-network", Level.ERROR, "A reference leads to the network.")
REF_ABSOLUTE = Rule("ref-absolute", Level.ERROR, "A reference is an absolute path.")
REF_OUTSIDE = Rule("ref-outside", Level.ERROR, "A reference leaves the project or the package.")
REF_PACKAGE = Rule("ref-package", Level.ERROR, "A reference names no installed package.")

_RULES: Final = {
    Refusal.NETWORK: (REF_NETWORK, "`{}` is not fetched: references never reach the network."),
    Refusal.ABSOLUTE: (
        REF_ABSOLUTE,
        "`{}` is absolute: references stay in the project, and never reach the network.",
    ),
    Refusal.OUTSIDE: (REF_OUTSIDE, "`{}` leaves the project, or the package that it starts in."),
    Refusal.PACKAGE: (REF_PACKAGE, "`{}` is in no installed package."),
}


def refused(spec: Spec, reference: Reference, refusal: Refusal) -> Diagnostic:
    """The finding for a reference that is not followed."""
    rule, message = _RULES[refusal]
    if refusal is Refusal.PACKAGE:
        hint = "Write pkg:NAME/FILE for a data file of the package that is imported as NAME."
    else:
        # Hints are read by people: what follows a query or an odd character is not part of a name.
        name = PurePosixPath(reference.file.partition("?")[0]).name.removesuffix(".schema.json")
        stem = PurePosixPath(name).stem if name.replace(".", "").isalnum() else "common"
        hint = f"Put the file into the project, and write its path: $ref: {stem}.schema.json"
    span = spec.document.span(*reference.pointer)
    return rule.at(span, message.format(cut(reference.file)), hint=hint)


def unreadable(spec: Spec, reference: Reference, reason: str, path: Path) -> Diagnostic:
    """The finding for a reference to *path*, which cannot be read for this *reason*."""
    # What is there but cannot be read is not misspelt.
    hint = did_you_mean(path.name, _siblings(path, spec)) if not present(path) else ""
    if "\\" in reference.file:
        hint = "Paths have forward slashes."
    span = spec.document.span(*reference.pointer)
    message = f"`{cut(reference.file)}` cannot be read: {reason}."
    return REF_UNREADABLE.at(span, message, hint=hint)


def _siblings(path: Path, spec: Spec) -> list[str]:
    own = PurePosixPath(spec.document.file).name
    try:
        return sorted(entry.name for entry in path.parent.iterdir() if entry.name != own)
    except (OSError, ValueError):
        return []
