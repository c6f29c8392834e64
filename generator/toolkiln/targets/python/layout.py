"""The final layout of generated Python, made by the ruff that we depend on."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from toolkiln.target import File, TargetError
from toolkiln.text import WIDTH

_COMMON: Final = ("--isolated", "--no-cache", "--quiet", "--target-version", "py311")
_RULES: Final = "I001"
"""Only the order of imports: all else is right as it is generated."""


def laid_out(files: Sequence[File], package: str) -> list[File]:
    """*files* with imports in the usual order and all code in the usual layout.

    What is no Python stays as it is. Raises TargetError for code that does not parse, which only
    a project's own template can bring about.
    """
    staged = [file for file in files if file.path.endswith(".py")]
    if not staged:
        return list(files)
    with tempfile.TemporaryDirectory(prefix="toolkiln-") as folder:
        # Numbers, not names: ruff leaves out files in folders with names such as `build`.
        paths = [Path(folder, f"{number}.py") for number in range(len(staged))]
        for path, file in zip(paths, staged, strict=True):
            path.write_text(file.text, encoding="utf-8", newline="\n")
        first_party = json.dumps([package.partition(".")[0]])
        isort = ["--config", f"lint.isort.known-first-party={first_party}"]
        _ruff(folder, "check", "--fix-only", "--select", _RULES, *isort)
        _ruff(folder, "format", "--line-length", str(WIDTH))
        texts = {
            file.path: path.read_text(encoding="utf-8")
            for path, file in zip(paths, staged, strict=True)
        }
    return [File(file.path, texts.get(file.path, file.text), file.scaffold) for file in files]


def _ruff(folder: str, command: str, *arguments: str) -> None:
    # The package has no types, so it is not imported by name.
    program: str = import_module("ruff").find_ruff_bin()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RUFF_")}
    result = subprocess.run(  # noqa: S603 - the program of a package that we depend on
        [program, command, *_COMMON, *arguments, "."],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if result.returncode:
        raise TargetError(f"a template made Python that does not parse: {result.stderr.strip()}")
