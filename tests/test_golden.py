"""Small projects, and every file that is generated for them."""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

from tests.support import REPOSITORY
from toolkiln import config
from toolkiln.diagnostics import Level
from toolkiln.load import load
from toolkiln.lower import lower
from toolkiln.targets.python import Python

CASES: Final = REPOSITORY / "tests" / "cases" / "golden"
NAMES: Final = sorted(path.name for path in CASES.iterdir() if path.is_dir())


def generated(case: Path) -> dict[str, str]:
    """The files of all targets of a project, by their paths in it."""
    project, found = config.read(case / config.FILE)
    assert project, found
    files, found = config.spec_files(project)
    specs, loaded = load(project.root, files)
    contract, lowered = lower(specs)
    findings = [*found, *loaded, *lowered]
    assert [each for each in findings if each.level is Level.ERROR] == []
    made: dict[str, str] = {}
    for target in project.targets:
        options = {**target.options, "package": project.package}
        for file in Python().files(contract, options):
            folder = PurePosixPath() if file.scaffold else PurePosixPath(target.out)
            made[(folder / file.path).as_posix()] = file.text
    return made


def expected(case: Path) -> dict[str, str]:
    root = case / "expected"
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def update(case: Path, made: Mapping[str, str]) -> None:
    shutil.rmtree(case / "expected", ignore_errors=True)
    for name, text in made.items():
        path = case / "expected" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


@pytest.mark.parametrize("name", NAMES)
def test_a_project_becomes_exactly_the_files_beside_it(name: str, update_golden: bool) -> None:
    made = generated(CASES / name)
    if update_golden:
        update(CASES / name, made)
    wanted = expected(CASES / name)
    assert sorted(made) == sorted(wanted)
    changes = [
        line
        for path, text in made.items()
        for line in difflib.unified_diff(
            wanted[path].splitlines(),
            text.splitlines(),
            f"expected/{path}",
            "generated",
            lineterm="",
        )
    ]
    assert changes == [], "\n".join(changes)
    assert made == wanted
