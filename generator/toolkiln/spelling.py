"""Which known word somebody who mistyped one probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ENOUGH: Final = 3
"""Letters from which on a word may be the beginning of another."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like *word*, whatever its case and separators; None if none is near."""
    from difflib import get_close_matches  # only mistakes pay for it

    spelled = {_plain(candidate): candidate for candidate in known}
    begun = [candidate for candidate in spelled if candidate.startswith(_plain(word))]
    if len(begun) == 1 and len(word) >= _ENOUGH:
        return spelled[begun[0]]
    found = get_close_matches(_plain(word), spelled, n=1, cutoff=0.6)
    return spelled[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The same as a hint, empty if there is nothing to suggest."""
    match = nearest(word, known)
    return f"Did you mean `{match}`?" if match else ""


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_").replace(" ", "_")
