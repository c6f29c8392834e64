"""Questions to people, as the host sees them."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class RequiredInteraction(Struct, frozen=True, kw_only=True):
    """A question that waits for its answer."""

    id: str
    """An address, not a permission: who may answer is the host's to check."""
    kind: Literal["approval", "response"]
    prompt: str
    metadata: dict[str, Any] | None = None
    """For a declared question: `name`, `values`, `choices`, `metadata` and its `x-` keys (P1)."""

    def as_json(self) -> dict[str, Any]:
        """Its JSON form."""
        form: dict[str, Any] = {"id": self.id, "kind": self.kind, "prompt": self.prompt}
        if self.metadata is not None:
            form["metadata"] = self.metadata
        return form
