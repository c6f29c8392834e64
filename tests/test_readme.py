"""The README does what it says: its tutorial runs as printed, its reference is the schema's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.spec_reference import markdown
from tests.support import REPOSITORY

README: Final = REPOSITORY / "README.md"
BLOCK: Final = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)
BEGIN: Final = "<!-- spec reference: made from schemas/spec.schema.json by `make golden` -->\n"
END: Final = "<!-- end of the spec reference -->\n"


def tutorial() -> str:
    """The part of the README that is run."""
    text = README.read_text("utf-8")
    return text.split("<!-- tutorial:")[1].split("<!-- end of the tutorial -->")[0]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console *block*, and what the README says that it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


class Shell:
    """Runs commands one after the other in a folder that they may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}

    def run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout


def test_each_command_of_the_tutorial_prints_what_the_readme_says(
    tmp_path: Path, *, update_golden: bool
) -> None:
    shell, ran = Shell(tmp_path), 0
    for file, language, block in BLOCK.findall(tutorial()):
        if file:
            (shell.folder / file).write_text(block, "utf-8")
        if language != "console":
            continue
        seen = ""
        for command, printed in commands(block):
            output = shell.run(command)
            seen += f"$ {command}\n{output}"
            ran += 1
            assert update_golden or output == printed, command
        if update_golden:
            README.write_text(README.read_text("utf-8").replace(block, seen), "utf-8")
    assert ran > 10


def test_the_reference_in_the_readme_is_that_of_the_schema(*, update_golden: bool) -> None:
    schema = json.loads((REPOSITORY / "schemas" / "spec.schema.json").read_text("utf-8"))
    before, _, rest = README.read_text("utf-8").partition(BEGIN)
    printed, _, after = rest.partition(END)
    expected = f"\n{markdown(schema)}\n\n"
    if update_golden:
        README.write_text(f"{before}{BEGIN}{expected}{END}{after}", "utf-8")
        printed = expected
    assert printed == expected
