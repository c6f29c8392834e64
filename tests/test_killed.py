"""Runs of `generate` that are killed: what they leave is still known as generated."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolkiln import output
from toolkiln.output import manifest
from toolkiln.target import File

OLD = {"a.py": "old", "b.py": "same", "c/d.py": "old", "gone.py": "old"}
NEW = {"a.py": "new", "b.py": "same", "c/d.py": "new", "e/f.py": "new"}
NEWEST = {"a.py": "newest", "e/f.py": "newest", "g.py": "newest"}

KILLED = """
import os, sys
from pathlib import Path
from toolkiln import output
from toolkiln.target import File

disk = output.disk
left, whole = int(sys.argv[2]), disk._set_aside

def set_aside(*arguments):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    whole(*arguments)

disk._set_aside = set_aside
output.apply(output.plan([File(*pair) for pair in eval(sys.argv[3])], Path(sys.argv[1])))
"""


def files(contents: dict[str, str]) -> list[File]:
    return [File(path, text) for path, text in contents.items()]


def generate(root: Path, contents: dict[str, str]) -> None:
    plan = output.plan(files(contents), root)
    assert output.refusals(plan, "out") == []
    output.apply(plan)


def present(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*.py")
        if not path.relative_to(root).as_posix().startswith(".toolkiln-")
    }


@pytest.mark.parametrize("step", range(7))
@pytest.mark.parametrize("before", [{}, OLD])
def test_what_a_killed_run_leaves_is_no_edit_and_no_stranger(
    tmp_path: Path, before: dict[str, str], step: int
) -> None:
    root = tmp_path / "out"
    if before:
        generate(root, before)
    command = [sys.executable, "-c", KILLED, str(root), str(step), repr(list(NEW.items()))]
    killed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert killed.returncode in {0, 9}, killed.stderr
    generate(root, NEWEST)
    assert present(root) == NEWEST
    listed = manifest.parse((root / manifest.NAME).read_text())
    assert {path: len(digests) for path, digests in listed.files.items()} == dict.fromkeys(
        NEWEST, 1
    )


def test_the_stage_of_a_killed_run_goes_when_it_is_old(tmp_path: Path) -> None:
    generate(tmp_path, OLD)
    abandoned, beside = tmp_path / ".toolkiln-abandoned", tmp_path / ".toolkiln-beside"
    for stage in (abandoned, beside):
        stage.mkdir()
        (stage / "0.new").write_text("x")
    os.utime(abandoned, (0, 0))
    generate(tmp_path, NEW)
    assert not abandoned.exists()
    assert beside.exists()
