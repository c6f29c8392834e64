"""The keys of a project: they seal what is secret in calls that wait (R1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Final

from toolkiln_runtime.keys import VARIABLE, KeyRing, Unsealable, new_key

FILE: Final = "keys"
"""In the project's folder of calls; one key a line."""
_MADE: Final = """\
# Seals what is secret in the calls that wait in this folder. Without it they cannot be answered.
"""


class ProjectKeys:
    """The keys in the environment, then those in the project's file.

    Most projects have no secrets: a key is made when the first one is to be sealed.
    """

    def __init__(self, file: Path, made: Callable[[Path], object]) -> None:
        """*made* is told of a new file. Raises ToolError `configuration.invalid-keys`."""
        self._file = file
        self._made = made
        # A key that is no key has to show before a handler runs, and not after it.
        self._ring = _ring(file)

    def seal(self, plain: bytes, bound: bytes) -> str:
        """*plain*, sealed with the first key."""
        if self._ring is None:
            if _make(self._file):
                self._made(self._file)
            self._ring = _ring(self._file)
        if self._ring is None:
            raise FileNotFoundError(self._file)
        return self._ring.seal(plain, bound)

    def open(self, text: str, bound: bytes) -> bytes:
        """What was sealed; raises Unsealable."""
        if self._ring is None:
            self._ring = _ring(self._file)
        if self._ring is None:
            raise Unsealable
        return self._ring.open(text, bound)


def _ring(file: Path) -> KeyRing | None:
    texts = [os.environ.get(VARIABLE, "")]
    with suppress(FileNotFoundError):
        lines = file.read_text("utf-8", "replace").splitlines()
        texts += [line for line in lines if not line.startswith("#")]
    text = " ".join(texts)
    return KeyRing.from_text(text) if text.strip() else None


def _make(file: Path) -> bool:
    """Write a new key; False if another process was first."""
    # Nobody else may read a file that is made like this.
    descriptor, draft = mkstemp(prefix=f"{file.name}.", dir=file.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as text:
        text.write(f"{_MADE}{new_key()}\n")
    try:
        # Of two that make one at once both have to seal with the same: a link replaces nothing.
        os.link(draft, file)
    except FileExistsError:
        return False
    finally:
        Path(draft).unlink()
    return True
