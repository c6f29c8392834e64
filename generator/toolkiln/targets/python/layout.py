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
_DEFAULT_WIDTH: Final = 88
_RULES: Final = "I001"
"""Only the order of imports: all else is right as it is generated."""


def laid_out(files: Sequence[File], package: str) -> list[File]:
    """*files* with imports in the usual order and all code in the usual layout.

    A scaffold gets ruff's default width: it belongs to a project that may have chosen none. What
    is no Python stays as it is. Raises TargetError for code that does not parse, which only a
    project's own template can bring about.
    """
    texts: dict[str, str] = {}
    for scaffold, width in ((False, WIDTH), (True, _DEFAULT_WIDTH)):
        python = [f for f in files if f.scaffold is scaffold and f.path.endswith(".py")]
        texts |= _formatted(python, package.partition(".")[0], width)
    return [File(file.path, texts.get(file.path, file.text), file.scaffold) for file in files]


def _formatted(files: Sequence[File], first_party: str, width: int) -> dict[str, str]:
    if not files:
        return {}
    with tempfile.TemporaryDirectory(prefix="toolkiln-") as folder:
        # Numbers, not names: ruff leaves out files in folders with names such as `build`.
        paths = [Path(folder, f"{number}.py") for number in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            path.write_text(file.text, encoding="utf-8", newline="\n")
        isort = f"lint.isort.known-first-party={json.dumps([first_party])}"
        length = f"line-length={width}"
        _ruff(folder, "check", "--fix-only", "--select", _RULES, settings=[isort, length])
        _ruff(folder, "format", settings=[length])
        texts = [path.read_bytes().decode() for path in paths]
    return {file.path: text for file, text in zip(files, texts, strict=True)}


def _ruff(folder: str, command: str, *arguments: str, settings: Sequence[str]) -> None:
    # The package has no types, so it is not imported by name.
    program: str = import_module("ruff").find_ruff_bin()
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RUFF_")}
    configured = [part for setting in settings for part in ("--config", setting)]
    result = subprocess.run(  # noqa: S603 - the program of a package that we depend on
        [program, command, *_COMMON, *arguments, *configured, "."],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if result.returncode:
        raise TargetError(f"a template made Python that does not parse: {result.stderr.strip()}")
