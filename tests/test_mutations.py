"""Whether the tests would notice the mistakes that `mutations.toml` lists."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support import REPOSITORY, SHARED, tracked

MUTATIONS: list[dict[str, Any]] = tomllib.loads(
    (REPOSITORY / "tests" / "mutations.toml").read_text(encoding="utf-8")
)["mutation"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository, beside the same shared folder."""
    root = tmp_path / "copy"
    for name in tracked():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, target)
    if SHARED.is_dir():
        (tmp_path / "shared").symlink_to(SHARED)
    return root


def run_tests(root: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    paths = [str(root / "generator"), str(root / "runtime")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda entry: entry["mistake"])
def test_each_mutation_still_fits_the_source(mutation: dict[str, Any]) -> None:
    text = (REPOSITORY / mutation["file"]).read_text(encoding="utf-8")
    assert text.count(mutation["old"]) == 1
    assert mutation["new"] != mutation["old"]
    for test in mutation["tests"]:
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (REPOSITORY / file).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda entry: entry["mistake"])
def test_each_mistake_is_noticed(copy: Path, mutation: dict[str, Any]) -> None:
    file = copy / mutation["file"]
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(mutation["old"], mutation["new"]), encoding="utf-8")
    for test in mutation["tests"]:
        done = run_tests(copy, [test])
        assert done.returncode == 1, f"{test} does not notice:\n{done.stdout}{done.stderr}"


@pytest.mark.slow
def test_without_a_mistake_all_of_these_tests_pass(copy: Path) -> None:
    done = run_tests(copy, sorted({test for entry in MUTATIONS for test in entry["tests"]}))
    assert done.returncode == 0, done.stdout + done.stderr
