"""Resume tokens: what a client carries between two requests of one call (R4).

A client that comes back may be another one, may come back twice, or may have changed what it
carries. So a token is sealed, says whom and what it is for, and works once.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from math import inf
from typing import Any, Final, Protocol

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder

from .digests import integral
from .failures import ToolError
from .keys import KeyRing, Unsealable
from .logs import log
from .values import SIZE, encode, strict

LIFETIME: Final = 3_600.0
"""Seconds for which a token works where nothing else is said."""

_PURPOSE: Final = b"toolkiln resume token 1"
_LONGEST: Final = 2 * SIZE


class TokenStore(Protocol):
    """Remembers which tokens may still be used; in a place that all who redeem them share."""

    async def keep_token(self, identifier: str, expires: float, now: float) -> None:
        """Remember a token until *expires*; what has expired by *now* may be forgotten."""
        ...

    async def spend_token(self, identifier: str) -> bool:
        """Forget a token: True for one caller of all that try, in whatever process."""
        ...


class TokenBinding(Struct, frozen=True, kw_only=True):
    """What a token is for; it works for nothing else."""

    tool: str
    args: Any
    """The call's arguments, strict JSON."""
    digest: str
    """The tool's wire digest."""
    principal: str
    """On whose behalf the call is made, as the host has authenticated him."""
    audience: str
    """The server that the token is for, so that another one with the same keys refuses it."""


class _Content(Struct, frozen=True, forbid_unknown_fields=True):
    identifier: str
    expires: float
    bound: dict[str, str]
    state: Any


_decode: Final = Decoder(_Content).decode


class ResumeTokens:
    """Issues and redeems tokens.

    *store* may be the store of the calls. *lifetime* is in seconds; *clock* gives seconds since
    the epoch, and has to agree between hosts to within what a lifetime leaves to spare.
    """

    def __init__(
        self,
        keys: KeyRing,
        store: TokenStore | None,
        *,
        lifetime: float = LIFETIME,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if not 0 < lifetime < inf:
            raise ValueError("a token's lifetime is a positive number of seconds")
        self._keys = keys
        self._store = store
        self._lifetime = lifetime
        self._clock = clock

    async def issue(self, binding: TokenBinding, state: Any) -> str:
        """A token that gives *state*, strict JSON, back to who redeems it in time.

        Raises ToolError `token.no-store` where nothing would keep it from being used twice, and
        InvalidJson for a *state* that is none.
        """
        if self._store is None:
            raise ToolError("token.no-store", "Without a store no token is issued.")
        now = self._clock()
        content = _Content(
            secrets.token_hex(16), now + self._lifetime, _parts(binding), strict(state)
        )
        text = self._keys.seal(encode(content), _PURPOSE)
        # It works from the moment that somebody has it.
        await self._store.keep_token(content.identifier, content.expires, now)
        return text

    async def redeem(self, text: str, binding: TokenBinding) -> Any:
        """The state of a token that was issued for *binding*; it cannot be redeemed again.

        Raises ToolError `token.invalid` for every other text, with the same words: only the log
        says what is wrong. A text that is refused for another reason is not used up by it.
        """
        content, reason = self._content(text, binding)
        if content is not None:
            if self._store is not None and await self._store.spend_token(content.identifier):
                return content.state
            reason = "it was used before, or its row is gone"
        log.info("a resume token for tool %s is refused: %s", binding.tool, reason)
        raise ToolError("token.invalid", "The token is not valid.")

    def _content(self, text: str, binding: TokenBinding) -> tuple[_Content | None, str]:
        try:
            if len(text) > _LONGEST:
                return None, "it is too long"
            content = _decode(self._keys.open(text, _PURPOSE))
        except (Unsealable, MsgspecError, TypeError):
            return None, "it is none of ours, or was changed"
        asked = _parts(binding)
        for name in content.bound | asked:
            if content.bound.get(name) != asked.get(name):
                return None, f"it was issued for another {name}"
        # The boundary itself is expired; so is everything if the clock is no number.
        if not self._clock() < content.expires:
            return None, "it has expired"
        return content, ""


def _parts(binding: TokenBinding) -> dict[str, str]:
    """The digest of everything that a token is bound to."""
    return {name: _digest(getattr(binding, name)) for name in binding.__struct_fields__}


def _digest(value: Any) -> str:
    # Clients write 1.0 back as 1. In ASCII, because UTF-8 cannot hold every principal's name.
    return sha256(json.dumps(integral(value), sort_keys=True).encode()).hexdigest()
