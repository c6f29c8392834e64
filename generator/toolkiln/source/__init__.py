"""Text of a spec file as a JSON value with positions: strict YAML 1.2 core, or JSON.

It does not know what a spec is, and it reads no files: text comes in, findings go out.
"""

from __future__ import annotations

from ..diagnostics import Diagnostic, Level
from . import text as text_
from .document import Document, Lines

__all__ = ["Document", "Lines", "failed", "parse"]


def parse(data: bytes | str, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """The document that *data* holds, read as JSON if *file* ends in `.json`, else as YAML.

    Some mistakes (a duplicate key, a tag) leave a document that can be checked further, others
    (syntax) leave None. A document that comes with an error is fit for finding more mistakes
    and for nothing else.
    """
    text, findings = text_.decode(data, file)
    if text is None:
        return None, findings
    if file.endswith(".json"):
        from . import json

        return json.read(text, file)
    from . import yaml

    return yaml.read(text, file)


def failed(findings: list[Diagnostic]) -> bool:
    """Whether one of *findings* is an error."""
    return any(finding.level is Level.ERROR for finding in findings)
