"""A tool without its place in a catalog: contract, handler, and what they need to meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from .contract import Contract

if TYPE_CHECKING:
    from .compiled import Compiled


class Answer(Struct, frozen=True, eq=False, kw_only=True):
    """The types of what a handler gets back after a question; each is named when it is needed."""

    response: Callable[[], Any] | None = None
    token: Callable[[], Any] | None = None
    resume: Callable[[], Any] | None = None
    """A subclass of `ToolExecutionResume[response, token]`; its arguments stand in for the types
    that are not named here."""
    plain: bool = False
    """Whether value and token stay the JSON that they are, whatever their types say."""


class Core:
    """What a definition and all its bindings share; compiled at the first call."""

    __slots__ = (
        "_digest",
        "answers",
        "contract",
        "declared",
        "execute",
        "model",
        "ready",
        "refused",
    )

    def __init__(
        self, contract: Contract, execute: Callable[..., Any], model: Callable[[], Any] | None
    ) -> None:
        self.contract = contract
        self.execute = execute
        self.model = model
        self.answers: Mapping[str, Answer] = {}
        self.refused: Callable[[Any, Any], Any] | None = None
        """Called with the context and the token when an approval of the handler is refused."""
        self.declared = True
        """Whether the contract says all that the handler may do."""
        self.ready: Compiled | None = None
        self._digest: str | None = None

    @property
    def compiled(self) -> Compiled:
        """Raises InvalidSchema if the contract does not compile."""
        if self.ready is None:
            from .compiled import Compiled

            model = None if self.model is None else self.model()
            self.ready = Compiled(self.contract, self.execute, model)
            self.ready.answer(self.answers)
        return self.ready

    @property
    def digest(self) -> str:
        """The wire digest (R2), hexadecimal."""
        if self._digest is None:
            from .digests import wire_digest

            contract = self.contract
            self._digest = contract.digest or wire_digest(contract, contract.name)
        return self._digest
