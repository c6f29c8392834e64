"""From files to a plan, which only reads, and from a plan to the disk.

A manifest in each output folder says which files are ours. They may be overwritten and removed
while nobody has edited them; what is not listed is never touched.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from ..diagnostics import Diagnostic, Level, Rule, Span
from ..target import File
from . import disk, manifest

OUTPUT_EDITED: Final = Rule(
    "output-edited", Level.ERROR, "A generated file was changed by hand; it is not overwritten."
)
OUTPUT_FOREIGN: Final = Rule(
    "output-foreign", Level.ERROR, "Something that we did not write is in a generated file's place."
)
MANIFEST_MALFORMED: Final = Rule(
    "manifest-malformed", Level.ERROR, "The list of generated files has a line that is none."
)
OUTPUT_OUTSIDE: Final = Rule(
    "output-outside", Level.ERROR, "A target would write outside of its folder, or a file twice."
)
OUTPUT_UNWRITABLE: Final = Rule(
    "output-unwritable", Level.ERROR, "The output folder cannot be read or written."
)


class UnsafePathError(ValueError):
    """A target wants to write where it must not."""


class Action(StrEnum):
    """What has to happen to a path so that the folder holds what was generated."""

    CREATE = "create"
    UPDATE = "update"
    UNCHANGED = "unchanged"
    STALE = "stale"
    """Ours, and no longer generated: it goes."""
    EDITED = "edited"
    """Ours, but changed by hand: refused unless forced."""
    FOREIGN = "foreign"
    """In the way and not ours: always refused."""
    SCAFFOLD = "scaffold"
    """Written once, the user's from then on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a plan."""

    path: str
    action: Action
    content: bytes | None
    """What the file is to hold; None if it is to go."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What `apply` would do."""

    root: Path
    entries: tuple[Entry, ...]
    """Sorted by path."""
    manifest: bytes
    """What the manifest is to hold; empty if there is to be none."""
    bridge: bytes = b""
    """What it holds while files change: the old and the new of each."""
    malformed: tuple[int, ...] = ()
    """Lines of the present manifest that cannot be read."""
    manifest_changes: bool = False

    def count(self, *actions: Action) -> int:
        """How many paths one of these actions is planned for."""
        return sum(entry.action in actions for entry in self.entries)

    @property
    def drift(self) -> bool:
        """Whether the folder differs in any way from what was generated."""
        return self.manifest_changes or self.count(Action.UNCHANGED) < len(self.entries)


@dataclass(frozen=True, slots=True)
class _There:
    """What is at a path: a file of ours to compare, or something that must not be touched."""

    data: bytes = b""
    obstacle: bool = False


def plan(files: Iterable[File], root: Path) -> Plan:
    """What must change in the folder *root* for it to hold *files*. Reads, never writes.

    Scaffolds are none of it: see `scaffold`. A path that leaves the folder, or that two files
    share, is an `UnsafePathError`.
    """
    wanted = _by_path(file for file in files if not file.scaffold)
    present = _look(root, manifest.NAME)
    listed = manifest.parse(present.data.decode(errors="replace") if present else "")
    entries = [
        entry
        for path in sorted(wanted.keys() | listed.files.keys())
        if (entry := _entry(root, path, wanted.get(path), listed.files.get(path)))
    ]
    if present and present.obstacle:
        entries.append(Entry(manifest.NAME, Action.FOREIGN, None))
    contents = [(path, file.text.encode()) for path, file in wanted.items()]
    text = manifest.render(contents).encode()
    return Plan(
        root=root,
        entries=tuple(entries),
        manifest=text,
        bridge=manifest.render(contents, listed).encode(),
        malformed=listed.malformed,
        manifest_changes=text.replace(b"\r\n", b"\n")
        != (present.data.replace(b"\r\n", b"\n") if present else b""),
    )


def scaffold(files: Iterable[File], root: Path) -> Plan:
    """What must be written so that each scaffold in *files* is there, whatever it holds by now."""
    wanted = _by_path(file for file in files if file.scaffold)
    entries: list[Entry] = []
    for path, file in sorted(wanted.items()):
        there = _look(root, path)
        if there is None:
            entries.append(Entry(path, Action.SCAFFOLD, file.text.encode()))
        elif there.obstacle and not root.joinpath(path).exists():
            entries.append(Entry(path, Action.FOREIGN, None))
    return Plan(root, tuple(entries), b"")


def refusals(plan: Plan, out: str, *, force: bool = False) -> list[Diagnostic]:
    """Why *plan* must not be applied; *out* is its folder as findings name it."""
    found = [
        MANIFEST_MALFORMED.at(
            Span((PurePosixPath(out) / manifest.NAME).as_posix(), line, 1),
            "This line is no digest and path of a generated file.",
            hint="Restore the file from git, or remove the line.",
        )
        for line in plan.malformed
    ]
    for entry in plan.entries:
        path = (PurePosixPath(out) / entry.path).as_posix()
        if entry.action is Action.EDITED and not force:
            hint = "Move the change into the spec or a template; `--force` discards it."
            found.append(
                OUTPUT_EDITED.at(Span(path, 1, 1), f"{path} was changed by hand.", hint=hint)
            )
        elif entry.action is Action.FOREIGN:
            message = f"{path} is in the way, and was not generated."
            hint = "Move it, or choose another `out`."
            found.append(OUTPUT_FOREIGN.at(Span(path, 1, 1), message, hint=hint))
    return found


def apply(*plans: Plan, force: bool = False) -> None:
    """Do what *plans* say, all or nothing: on any exception every folder is as it was.

    A plan that `refusals` speaks against is a `ValueError`; a disk that fails is an `OSError`.
    """
    if any(refusals(plan, "", force=force) for plan in plans):
        raise ValueError("a refused plan is not applied")
    changes: dict[Path, list[disk.Change]] = {}
    for plan in plans:
        if found := _changes(plan):
            changes.setdefault(plan.root, []).extend(found)
    disk.change(changes)
    for root, found in changes.items():
        disk.remove_emptied(root, [path for path, content in found if content is None])


def _changes(plan: Plan) -> list[disk.Change]:
    changes: list[disk.Change] = [
        (entry.path, entry.content)
        for entry in plan.entries
        if entry.action is not Action.UNCHANGED
    ]
    if plan.manifest_changes:
        # Where a run is killed, nothing is undone; what it leaves must still be known as ours.
        bridge = [(manifest.NAME, plan.bridge)] if changes else []
        return [*bridge, *changes, (manifest.NAME, plan.manifest or None)]
    return changes


def _by_path(files: Iterable[File]) -> dict[str, File]:
    wanted: dict[str, File] = {}
    for file in files:
        if not manifest.is_safe(file.path) or file.path == manifest.NAME:
            raise UnsafePathError(f"a target may not write {file.path!r}")
        if file.path in wanted:
            raise UnsafePathError(f"a target writes {file.path!r} twice")
        wanted[file.path] = file
    return wanted


def _entry(
    root: Path, path: str, wanted: File | None, digests: frozenset[str] | None
) -> Entry | None:
    there = _look(root, path)
    content = wanted.text.encode() if wanted else None
    if there is None:
        return Entry(path, Action.CREATE, content) if wanted else None
    if there.obstacle:
        return Entry(path, Action.FOREIGN, content) if wanted else None
    found = manifest.digest(there.data)
    if content is not None and found == manifest.digest(content):
        return Entry(path, Action.UNCHANGED, content)
    if digests is None:
        return Entry(path, Action.FOREIGN, content)
    # A half-done merge is nobody's edit: generating again resolves it.
    if found not in digests and not manifest.has_conflict(there.data):
        return Entry(path, Action.EDITED, content)
    return Entry(path, Action.UPDATE if wanted else Action.STALE, content)


def _look(root: Path, path: str) -> _There | None:
    """What is at *path*, without following a link below *root*; None if nothing is."""
    here = root
    *folders, name = path.split("/")
    for folder in folders:
        here /= folder
        try:
            mode = here.lstat().st_mode
        except FileNotFoundError:
            return None
        if not stat.S_ISDIR(mode):
            return _There(obstacle=True)
    try:
        mode = (here / name).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _There((here / name).read_bytes()) if stat.S_ISREG(mode) else _There(obstacle=True)
