from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import REPOSITORY, tracked


def run(*command: str | Path, cwd: Path = REPOSITORY) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Both wheels, each built from its sdist, as an index would get them."""
    folder = tmp_path_factory.mktemp("wheels")
    for source in (REPOSITORY, REPOSITORY / "runtime"):
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source)
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.fixture(scope="session")
def installed(wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheels in it, and our dependencies."""
    environment = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", *wheels.values())
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # Dependencies come from here, without the network; editable installs do not, because a
    # folder that is added like this has its own .pth files ignored.
    (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return python


def files(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_generators_wheel_holds_every_file_of_its_folders_and_no_other(
    wheels: Mapping[str, Path],
) -> None:
    expected = {
        name.removeprefix("generator/") if name.startswith("generator/") else f"toolkiln/{name}"
        for name in tracked("generator", "templates", "schemas")
    }
    assert files(wheels["toolkiln"]) == expected
    assert "toolkiln/templates/scaffold/spec.yaml.jinja" in expected


def test_the_runtimes_wheel_holds_every_file_of_its_package_and_no_other(
    wheels: Mapping[str, Path],
) -> None:
    expected = {name.removeprefix("runtime/") for name in tracked("runtime/toolkiln_runtime")}
    assert files(wheels["toolkiln_runtime"]) == expected
    assert "toolkiln_runtime/py.typed" in expected


def test_an_index_would_take_both(wheels: Mapping[str, Path]) -> None:
    assert len(wheels) == 2
    run(sys.executable, "-m", "twine", "check", "--strict", *wheels.values())
    assert "OK" in run(sys.executable, "-m", "check_wheel_contents", *wheels.values())


def test_the_wheels_alone_start_and_generate_a_project(installed: Path, tmp_path: Path) -> None:
    found = run(installed, "-c", "import toolkiln, toolkiln_runtime as r; print(toolkiln.__file__)")
    assert Path(found.strip()).is_relative_to(installed.parents[1])
    run(installed, "-m", "toolkiln", "init", cwd=tmp_path)
    assert "1 tool: " in run(installed, "-m", "toolkiln", "generate", cwd=tmp_path)
    code = "from app.handlers import executor; print(*executor.catalog.tools)"
    assert run(installed, "-c", code, cwd=tmp_path).strip() == "get_forecast"


def test_the_wheels_alone_run_the_example(installed: Path, tmp_path: Path) -> None:
    example = REPOSITORY / "examples" / "shop"
    for name in tracked("examples/shop"):
        target = tmp_path / Path(name).relative_to("examples/shop")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(example / target.relative_to(tmp_path), target)
    run(installed, "-m", "toolkiln", "generate", cwd=tmp_path)
    assert "completed" in run(installed, "demo.py", cwd=tmp_path)
