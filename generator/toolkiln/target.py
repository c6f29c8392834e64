"""What a target is: from a contract to files, with no I/O of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .contract import Contract
from .value import Json, JsonObject


@dataclass(frozen=True, slots=True)
class File:
    """A file to be written."""

    path: str
    """With forward slashes; relative to the output folder, a scaffold's to the project."""
    text: str
    """Written as UTF-8 with LF line ends."""
    scaffold: bool = False
    """Written once and never touched again: the user's from then on."""


class TargetError(Exception):
    """A project's template is at fault; the message says how."""


class Target(Protocol):
    """A language or format that a contract is fired into."""

    @property
    def name(self) -> str:
        """What the project file calls it."""
        ...

    @property
    def options(self) -> JsonObject:
        """The JSON Schema of what may stand in the target's table of the project file."""
        ...

    def files(self, contract: Contract, options: Mapping[str, Json]) -> Iterable[File]:
        """All files of *contract*; raises nothing for any contract that `lower` returns.

        *options* are valid under `options`, and hold two things more: `package`, the Python
        package that the project file names, and, if it names a folder of `templates`, its
        absolute path.
        """
        ...
