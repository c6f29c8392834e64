"""The bytes of a file, or why there are none."""

from __future__ import annotations

import stat
from pathlib import Path

from ..source.text import SIZE


class UnreadableError(Exception):
    """A file that cannot be read; the argument ends a sentence: "cannot be read: ..."."""


def read(path: Path) -> bytes:
    """The content of *path*, one byte more than may be parsed at most."""
    try:
        # Opening a pipe or a device could wait for ever.
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableError("it is a folder")
        if not stat.S_ISREG(mode):
            raise UnreadableError("it is no ordinary file")
        with path.open("rb") as file:
            return file.read(SIZE + 1)
    except FileNotFoundError:
        raise UnreadableError("there is no such file") from None
    except OSError as error:
        raise UnreadableError((error.strerror or str(error)).lower()) from None
    except ValueError:
        raise UnreadableError("its name is none that the file system knows") from None


def locate(path: Path) -> Path:
    """*path* without symbolic links, whether or not something is there."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise UnreadableError("its symbolic links lead in a circle") from None
    except ValueError:
        raise UnreadableError("its name is none that the file system knows") from None


def present(path: Path) -> bool:
    """Whether something is at *path*, be it readable or not."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True
