"""Examples: calls that are held against the contract at build time (spec-format section 7)."""

from __future__ import annotations

from toolkiln.contract import Example, Json, Tool
from toolkiln.lower.run import Draft


def examples(draft: Draft, tool: Tool, written: Json) -> tuple[Example, ...]:
    """The examples of *tool*."""
    return ()
