"""What type checkers say of generated code, and of code that uses it rightly and wrongly."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.generating import mypy, pyright
from tests.support import REPOSITORY
from tests.test_golden import CASES, NAMES

TYPING: Final = REPOSITORY / "tests" / "cases" / "typing"


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All golden projects and the files that are only checked, in one folder."""
    folder = tmp_path_factory.mktemp("checked")
    for name in NAMES:
        shutil.copytree(CASES / name / "expected", folder, dirs_exist_ok=True)
    shutil.copytree(TYPING, folder / "typed")
    return folder


@pytest.fixture(scope="session", params=[mypy, pyright], ids=["mypy", "pyright"])
def errors(request: pytest.FixtureRequest, root: Path) -> list[str]:
    """The errors of one checker in its strict mode, a line each."""
    found: list[str] = request.param(root, ".")
    return found


def test_generated_code_and_right_uses_have_no_error(errors: list[str]) -> None:
    assert [line for line in errors if "wrong.py" not in line] == []


def test_each_wrong_use_is_an_error_and_nothing_else_is(errors: list[str]) -> None:
    lines = (TYPING / "wrong.py").read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, start=1) if line.endswith("# WRONG")}
    found = {int(match[1]) for line in errors if (match := re.search(r"wrong\.py:(\d+)", line))}
    assert found == wrong
