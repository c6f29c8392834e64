"""References between files, as text: no file is looked at here."""

from __future__ import annotations

import posixpath
import re
from enum import Enum
from typing import Final
from urllib.parse import quote, unquote

PROJECT: Final = "project:/"
PACKAGE: Final = "pkg:"

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_PACKAGE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*/.")


class Refusal(Enum):
    """Why a reference leads to no file."""

    NETWORK = "network"
    ABSOLUTE = "absolute"
    OUTSIDE = "outside"
    PACKAGE = "package"


class RefusedError(Exception):
    """A reference that is not followed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


def split(ref: str) -> tuple[str, str]:
    """The file and the fragment of *ref*, both still percent-encoded; `#` belongs to neither."""
    file, _, fragment = ref.partition("#")
    return file, fragment


def pointer(fragment: str) -> tuple[str, ...] | None:
    """The parts of a JSON pointer, none for the whole document; None for an anchor's name."""
    if not fragment:
        return ()
    first, *parts = unquote(fragment).split("/")
    return None if first else tuple(p.replace("~1", "/").replace("~0", "~") for p in parts)


def project(path: str) -> str:
    """The URI of a file of the project; *path* is relative, with forward slashes."""
    return PROJECT + quote(path)


def path(uri: str) -> str:
    """The path in the project, or `name/path` in a package, that *uri* means."""
    return unquote(uri.removeprefix(PROJECT).removeprefix(PACKAGE))


def join(base: str, file: str) -> str:
    """The URI of *file* as written in the file *base*; raises `RefusedError`."""
    if not file:
        return base
    if file.startswith(PACKAGE):
        written = _package(unquote(file.removeprefix(PACKAGE)))
        return PACKAGE + _inside(written, written.partition("/")[0] + "/")
    if _SCHEME.match(file):
        # `C:/` is a drive of Windows, and no scheme has one letter.
        absolute = file.lower().startswith("file:") or file[1] == ":"
        raise RefusedError(Refusal.ABSOLUTE if absolute else Refusal.NETWORK)
    if file.startswith("/"):
        raise RefusedError(Refusal.ABSOLUTE)
    prefix = PROJECT if base.startswith(PROJECT) else PACKAGE
    home, fence = path(base), ""
    if prefix == PACKAGE:
        fence = home.partition("/")[0] + "/"
    return prefix + _inside(posixpath.join(posixpath.dirname(home), unquote(file)), fence)


def _package(written: str) -> str:
    if not _PACKAGE.match(written):
        raise RefusedError(Refusal.PACKAGE)
    # A dotted name is the folder below the top-level package, whatever is importable there.
    name, _, rest = written.partition("/")
    return f"{name.replace('.', '/')}/{rest}"


def _inside(joined: str, fence: str) -> str:
    """*joined* without dots, quoted; it may not leave the project, or the package *fence*."""
    # Dots are taken out of the text, as URIs have it: links are resolved when files are read.
    plain = posixpath.normpath(joined)
    if plain.startswith(("../", "/")) or plain == ".." or not plain.startswith(fence):
        raise RefusedError(Refusal.OUTSIDE)
    return quote(plain)
