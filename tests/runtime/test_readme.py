from __future__ import annotations

import re
import subprocess
import sys

from tests.support import REPOSITORY


def test_the_example_of_the_readme_prints_what_it_says() -> None:
    text = (REPOSITORY / "runtime" / "README.md").read_text()
    code, printed = re.findall(r"```(?:python|json)\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    for line, expected in zip(done.stdout.splitlines(), printed.splitlines(), strict=True):
        assert line.startswith(expected.removesuffix(" ...}"))
