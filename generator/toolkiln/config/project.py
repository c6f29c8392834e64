"""A project: `ProjectFile` as it was written, `Project` as it is used, filled in and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..value import JsonObject


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """The project file as written; empty where a key is absent."""

    specs: tuple[str, ...] = ()
    package: str = ""
    out: str = ""
    run: str = ""
    targets: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])


@dataclass(frozen=True, slots=True)
class TargetSettings:
    """One target that the project asks for."""

    name: str
    out: str
    """The folder it writes, relative to the project, with forward slashes."""
    options: JsonObject
    """Whatever else stands in its table: the target's to interpret."""


@dataclass(frozen=True, slots=True)
class Project:
    """The project as used."""

    root: Path
    """The folder of the project file, absolute and without symlinks."""
    file: str
    """The project file's name, as in `Span.file`."""
    specs: tuple[str, ...]
    """Globs of spec files, relative to the project."""
    package: str
    """The generated Python package, dotted."""
    targets: tuple[TargetSettings, ...]
    run: str = ""
    """`module:attribute` of the executor that `call` and `serve` use."""
