"""Identifiers: unique everywhere; only those of interactions are hard to guess."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from itertools import count


class _Source:
    """The random prefix of this process and its counter."""

    prefix: str
    numbers: Iterator[int]

    def renew(self) -> None:
        # A forked child would otherwise go on counting exactly as its parent does.
        self.prefix = f"inv_{secrets.token_hex(16)}_"
        self.numbers = count(1)


_source = _Source()
_source.renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_source.renew)


def invocation_id() -> str:
    """The idempotency key of one sealed call (S3)."""
    return f"{_source.prefix}{next(_source.numbers)}"


def call_id() -> str:
    """A stand-in for a call id that is missing or was used twice (S1)."""
    return f"call_{secrets.token_hex(16)}"


def interaction_id() -> str:
    """128 random bits (P1)."""
    return f"int_{secrets.token_hex(16)}"


def plan_id() -> str:
    """128 random bits."""
    return f"plan_{secrets.token_hex(16)}"


def claim_id() -> str:
    """Names one piece of work on a plan."""
    return f"claim_{secrets.token_hex(16)}"
