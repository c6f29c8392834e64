"""Changes to the files of folders, all or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, TypeAlias

Change: TypeAlias = tuple[str, bytes | None]
"""A path with forward slashes, and what the file is to hold; None if it is to go."""

_STAGE: Final = ".toolkiln-"
_ABANDONED: Final = 3600
"""Seconds after which a stage is nobody's: a run takes some."""


def change(folders: Mapping[Path, Sequence[Change]]) -> None:
    """Make the changes of each folder in their order; on any exception all is as it was.

    Each file is replaced in one step, so that readers see the old or the new one.
    """
    with ExitStack() as undo:
        # All is on the disk before the first file moves: a full disk is met here.
        stages = [_stage(root, changes, undo) for root, changes in folders.items()]
        for stage, changes in zip(stages, folders.values(), strict=True):
            for number, (path, content) in enumerate(changes):
                target = stage.parent.joinpath(*path.split("/"))
                _make_folder(target.parent, undo)
                _set_aside(target, stage / f"{number}.old", undo)
                if content is None:
                    target.unlink()
                else:
                    (stage / f"{number}.new").replace(target)
        undo.pop_all()
    for stage in stages:
        shutil.rmtree(stage, ignore_errors=True)


def remove_emptied(root: Path, removed: Iterable[str]) -> None:
    """Remove the folders below *root* that held only the *removed* files, and their bytecode."""
    for path in removed:
        target = root.joinpath(*path.split("/"))
        for compiled in target.parent.glob(f"__pycache__/{target.stem}.*.pyc"):
            compiled.unlink(missing_ok=True)
        for folder in (target.parent / "__pycache__", *target.parents):
            if folder == root:
                break
            # A folder that is not empty stays, and so does one that somebody else just removed.
            with suppress(OSError):
                folder.rmdir()


def _stage(root: Path, changes: Sequence[Change], undo: ExitStack) -> Path:
    """A folder in *root* with the new files in it, on the file system that they are to be on."""
    _make_folder(root, undo)
    _sweep(root)
    stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=root))
    undo.callback(shutil.rmtree, stage, ignore_errors=True)
    for number, (_, content) in enumerate(changes):
        if content is not None:
            (stage / f"{number}.new").write_bytes(content)
    return stage


def _sweep(root: Path) -> None:
    """Remove what killed runs left in *root*."""
    for stage in root.glob(f"{_STAGE}*"):
        # A younger one may be that of a run beside this one.
        with suppress(OSError):
            if not stage.is_symlink() and stage.stat().st_mtime < time.time() - _ABANDONED:
                shutil.rmtree(stage, ignore_errors=True)


def _make_folder(folder: Path, undo: ExitStack) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent, undo)
    folder.mkdir()
    undo.callback(folder.rmdir)


def _set_aside(target: Path, kept: Path, undo: ExitStack) -> None:
    """Arrange that undoing brings *target* back, or takes away what will stand there."""
    if not target.exists():
        undo.callback(target.unlink, missing_ok=True)
        return
    replacement = kept.with_suffix(".new")
    if replacement.exists():
        shutil.copymode(target, replacement)
    try:
        os.link(target, kept)  # keeps the inode and its times; not every file system can
    except OSError:
        shutil.copy2(target, kept)
    undo.callback(kept.replace, target)
