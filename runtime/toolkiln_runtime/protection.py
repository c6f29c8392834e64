"""Secrets in records (R1): sealed where they could be read, held in memory where they stay."""

from __future__ import annotations

from typing import Any, Final, Protocol

from msgspec import Struct

from .failures import ToolError
from .logs import log
from .sensitive import STAND_IN, Mask
from .values import encode, fresh


class Keys(Protocol):
    """Authenticated encryption, as a key ring provides it."""

    def seal(self, plain: bytes, bound: bytes) -> str:
        """Text that only `open` with the same *bound* turns back into *plain*."""
        ...

    def open(self, text: str, bound: bytes) -> bytes:
        """What was sealed; raises an exception if *text* or *bound* is anything else."""
        ...


class Held:
    """Keeps what it seals in this process, under a text that says nothing."""

    def __init__(self) -> None:
        self._held: dict[str, list[tuple[bytes, bytes]]] = {}

    def seal(self, plain: bytes, bound: bytes) -> str:
        """The place where it is kept."""
        invocation_id = bound.partition(b"\n")[0].decode()
        kept = self._held.setdefault(invocation_id, [])
        kept.append((bound, plain))
        return f"held:{len(kept) - 1}"

    def open(self, text: str, bound: bytes) -> bytes:
        """What is kept there; raises LookupError or ValueError."""
        kept = self._held[bound.partition(b"\n")[0].decode()]
        owner, plain = kept[int(text.removeprefix("held:"))]
        if owner != bound:
            raise LookupError(text)
        return plain

    def release(self, invocation_id: str) -> None:
        """Drop what was kept for a call."""
        self._held.pop(invocation_id, None)


HELD: Final = Held()
"""For all stores that end with the process."""


class Protected(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A value in a record."""

    shown: Any
    """With a stand-in for each secret."""
    sealed: str | None = None
    """All of it, if there is a secret."""


class Protection:
    """Puts values into records and takes them out again."""

    def __init__(self, keys: Keys | None) -> None:
        """Without *keys* there can be no secret in a record."""
        self.keys = keys

    def protect(self, value: Any, mask: Mask | None, bound: str) -> Protected:
        """*value*, of which *mask* tells the secrets; without a mask it is one as a whole.

        *bound* names the call and the field. Raises ToolError `record.no-key`.
        """
        shown = STAND_IN if mask is None else mask(value)
        if mask is not None and not holds_secret(mask, value):
            return Protected(value)
        if self.keys is None:
            raise no_key()
        return Protected(shown, self.keys.seal(encode(value), bound.encode()))

    def reveal(self, protected: Protected, bound: str) -> Any:
        """The value itself; raises ToolError `record.no-key` if no key opens it."""
        if protected.sealed is None:
            return protected.shown
        if self.keys is None:
            raise no_key()
        try:
            return fresh(self.keys.open(protected.sealed, bound.encode()))
        except Exception as error:  # noqa: BLE001 - each kind of key has its own
            # Which of all reasons it was is nothing for whoever sent it.
            log.debug("a sealed field could not be opened", exc_info=error)
            raise no_key() from None


def no_key() -> ToolError:
    """The refusal of a record whose secrets no key seals or opens."""
    return ToolError("record.no-key", "The call holds secrets, and no key is there for them.")


def holds_secret(mask: Mask, value: Any) -> bool:
    """Whether anything in *value* is sensitive."""
    return bool(mask.secrets(value))
