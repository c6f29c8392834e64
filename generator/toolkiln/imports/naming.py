"""Legal names for tools and namespaces that have others."""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import sha256
from typing import Final
from unicodedata import combining, normalize

_WIRE: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_LONGEST: Final = 128
_LONGEST_NAMESPACE: Final = 64


def wire_name(name: str, taken: Container[str]) -> str:
    """*name* if it is a legal wire name, else the nearest one that is not *taken*.

    The same name becomes the same wire name whatever else stands in the list, except where two
    become equal: then the later one gets four hexadecimal digits of its digest.
    """
    if _WIRE.fullmatch(name):
        return name
    legal = re.sub(r"[^A-Za-z0-9_.-]+", "_", _unaccented(name)).strip("_") or "tool"
    if len(legal) <= _LONGEST and legal not in taken:
        return legal
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for digits in range(4, len(digest)):
        candidate = f"{legal[: _LONGEST - digits - 1]}_{digest[:digits]}"
        if candidate not in taken:
            return candidate
    return f"tool_{digest}"


def namespace(name: str) -> str:
    """A legal namespace of one part for the server, file or library called *name*."""
    words = re.sub(r"[^a-z0-9]+", "_", _unaccented(name).casefold()).strip("_")
    legal = words if words[:1].isalpha() else f"tools_{words}".rstrip("_")
    return legal[:_LONGEST_NAMESPACE].rstrip("_")


def _unaccented(name: str) -> str:
    """*name* with plain letters for accented ones, as people write it where accents are refused."""
    return "".join(letter for letter in normalize("NFKD", name) if not combining(letter))
