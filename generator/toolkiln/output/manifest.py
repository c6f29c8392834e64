"""The list of generated files in an output folder, in the format of `sha256sum`.

`sha256sum --check .toolkiln.sha256` verifies it without us. Lines do not depend on one another,
so two branches merge; a manifest with conflict markers means the union of both sides.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

NAME: Final = ".toolkiln.sha256"

_HEADER: Final = (
    "# Written by toolkiln: it changes or removes a file only while its digest is here.\n"
)
_LINE: Final = re.compile(r"([0-9a-f]{64}) [ *](.+)")
_MARKER: Final = re.compile(r"(<{7}|\|{7}|={7}|>{7})( .*)?")
_UNSAFE: Final = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f]|[. ]$')
"""What Windows refuses in a name; `.` and `..` are among the names that end with a dot."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says."""

    files: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Digests by path; more than one only after a merge, or a run that was killed."""
    malformed: tuple[int, ...] = ()
    """Lines that are none of a manifest's, counted from 1."""


def digest(data: bytes) -> str:
    """Hexadecimal SHA-256 of *data* with LF line ends, so that a CRLF checkout is no edit."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def has_conflict(data: bytes) -> bool:
    """Whether *data* is a text that git could not merge."""
    lines = data.splitlines()
    return any(line.startswith(b"<<<<<<< ") for line in lines) and any(
        line.startswith(b">>>>>>> ") for line in lines
    )


def is_safe(path: str) -> bool:
    """Whether *path* stays inside its folder and can be a file's on every system."""
    return all(part and not _UNSAFE.search(part) for part in path.split("/"))


def parse(text: str) -> Manifest:
    """What *text* lists. A path that would leave the folder is malformed, never followed."""
    files: dict[str, frozenset[str]] = {}
    malformed: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#") or _MARKER.fullmatch(line):
            continue
        match = _LINE.fullmatch(line)
        if match and is_safe(match[2]):
            files[match[2]] = files.get(match[2], frozenset()) | {match[1]}
        else:
            malformed.append(number)
    return Manifest(files, tuple(malformed))


def render(files: Iterable[tuple[str, bytes]], before: Manifest | None = None) -> str:
    """The manifest of *files*, each a path and its content; empty if there are none.

    With *before* it also lists what that one does, for the time in which a file is either.
    """
    listed = {(path, digest(data)) for path, data in files}
    if before:
        listed |= {(path, one) for path, digests in before.files.items() for one in digests}
    lines = [f"{one}  {path}\n" for path, one in sorted(listed)]
    return "".join([_HEADER, *lines]) if lines else ""
