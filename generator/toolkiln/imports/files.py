"""From the bytes of a file in another notation to a spec, and findings at their lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from toolkiln import source
from toolkiln.diagnostics import Diagnostic, Span
from toolkiln.source import json, text
from toolkiln.value import Json, JsonObject

from .loss import Loss, Pointer, diagnostics

Conversion: TypeAlias = Callable[[Json, str], tuple[JsonObject | None, list[Loss]]]
"""From a document and its name to a spec and what it lost."""


def read(
    data: bytes, file: str, name: str, conversion: Conversion
) -> tuple[JsonObject | None, list[Diagnostic]]:
    """The spec that *conversion* makes of *data*, named *name*, and all findings in *file*.

    The file is YAML if its name says so, and JSON otherwise. The spec is None if the file could
    not be parsed or holds nothing of the notation.
    """
    if file.endswith((".yaml", ".yml")):
        document, findings = source.parse(data, file)
    else:
        decoded, findings = text.decode(data, file)
        document, more = (None, []) if decoded is None else json.read(decoded, file)
        findings = [*findings, *more]
    if document is None:
        return None, findings
    spec, losses = conversion(document.value, name)

    def span(pointer: Pointer) -> Span:
        return document.span(*pointer)

    return spec, [*findings, *diagnostics(losses, span)]
