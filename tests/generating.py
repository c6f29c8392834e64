"""Generated packages in folders, imported and checked."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from tests.support import REPOSITORY
from toolkiln.contract import Contract
from toolkiln.target import File
from toolkiln.targets.python import Python
from toolkiln.value import Json


def files(contract: Contract, package: str = "made", **options: Json) -> list[File]:
    return Python().files(contract, {"package": package, **options})


def texts(contract: Contract, **options: Json) -> dict[str, str]:
    return {file.path: file.text for file in files(contract, **options)}


def write(
    contract: Contract, root: Path, package: str = "made", options: Mapping[str, Json] | None = None
) -> Path:
    """The folder of the generated package below *root*; scaffolds stand relative to *root*."""
    out = root.joinpath(*package.split("."))
    for file in files(contract, package, **(options or {})):
        path = (root if file.scaffold else out) / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return out


@contextmanager
def importable(root: Path) -> Iterator[None]:
    """Modules below *root* can be imported, and are forgotten afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))
        for name in set(sys.modules) - before:
            origin = getattr(sys.modules[name], "__file__", None) or ""
            if origin.startswith(str(root)):
                del sys.modules[name]


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


def ruff(*arguments: str, cwd: Path) -> str:
    """What ruff has to say; nothing if it is content."""
    program: str = importlib.import_module("ruff").find_ruff_bin()
    command = [program, *arguments, "--no-cache"]
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 else result.stdout + result.stderr


def mypy(root: Path, *paths: str) -> list[str]:
    """The errors of mypy --strict, a line each."""
    command = [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases"]
    command += ["--no-error-summary", "--config-file=", "--cache-dir", str(root / ".mypy"), *paths]
    return _lines(command, root)


def pyright(root: Path, *paths: str) -> list[str]:
    """The errors of pyright in strict mode, a line each."""
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "include": list(paths),
        "extraPaths": [".", str(REPOSITORY / "runtime")],
    }
    (root / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    return [line.strip() for line in _lines(command, root) if " - error: " in line]


def _lines(command: list[str], root: Path) -> list[str]:
    environment = {"MYPYPATH": f"{REPOSITORY / 'runtime'}:{root}", "PATH": "/usr/bin:/bin"}
    result = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=False, env=environment
    )
    assert result.returncode in {0, 1}, result.stdout + result.stderr
    runtime = str(REPOSITORY / "runtime")
    lines = result.stdout.splitlines()
    return [line for line in lines if line.strip() and not line.startswith(runtime)]
