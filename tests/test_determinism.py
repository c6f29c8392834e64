"""The same specs give the same bytes, whatever is around them, and nothing asks the network."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import REPOSITORY

SHOP = REPOSITORY / "examples" / "shop"
HOSTILE = (
    "[tool.black]\nline-length = 40\n[tool.isort]\nforce_single_line = true\n"
    '[tool.ruff]\nline-length = 40\n[tool.ruff.format]\nquote-style = "single"\n'
)
FOREIGN = """toolkiln: 1
namespace: foreign
tools:
  locate:
    description: A schema that names places on the network.
    effects: {read_only: true}
    parameters:
      $schema: http://json-schema.org/draft-07/schema#
      $id: http://example.invalid/locate.json
      type: object
      additionalProperties: false
      properties: {place: {$ref: "http://example.invalid/locate.json#/definitions/Place"}}
      definitions: {Place: {type: string, format: uri}}
"""
PROGRAM = """
import asyncio, socket, sys
def closed(*_args, **_named):
    raise OSError("the network was asked")
socket.getaddrinfo = socket.create_connection = closed
socket.socket.connect = socket.socket.connect_ex = closed
from toolkiln.cli import main
assert main(["generate", "--project", sys.argv[1]]) == 0
sys.path.insert(0, sys.argv[1])
from app.tools import foreign
from toolkiln_runtime import Catalog, Completed, Executor, ToolCall
async def locate(args, context):
    return Completed(args.place)
async def run():
    executor = Executor(Catalog([foreign.foreign_tools(locate=locate)]))
    calls = [ToolCall("a", "locate", '{"place": "http://example.invalid/"}')]
    calls += [ToolCall("b", "locate", '{"place": 7}')]
    made = await executor.run(calls, session_id="s", turn_id="t", step_id="p")
    assert [result.kind for result in made.results] == ["completed", "failed"], made
asyncio.run(run())
"""


def project(folder: Path, seed: int) -> Path:
    """The shop's specs and one more, written in an order of their own."""
    texts = {path.relative_to(SHOP): path.read_text("utf-8") for path in SHOP.glob("specs/*.yaml")}
    texts[Path("toolkiln.toml")] = (SHOP / "toolkiln.toml").read_text("utf-8")
    texts[Path("specs", "foreign.yaml")] = FOREIGN
    names = sorted(texts)
    random.Random(seed).shuffle(names)  # noqa: S311 - an order, not a secret
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(texts[name], "utf-8")
    if seed % 2:
        (folder / "pyproject.toml").write_text(HOSTILE)
    return folder


def generated(folder: Path, seed: int, cwd: Path) -> str:
    """The digest of what a process of its own generates."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONHASHSEED": str(seed),
        "TZ": ("UTC", "Asia/Tokyo", "America/St_Johns")[seed % 3],
        **({"LC_ALL": "C", "PYTHONUTF8": "0"} if seed % 2 else {}),
    }
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tools = folder / "app" / "tools"
    digest = hashlib.sha256()
    for path in sorted(tools.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(tools).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


@pytest.mark.parametrize("seeds", [range(10), range(10, 20)], ids=["0-9", "10-19"])
def test_twenty_hash_seeds_and_surroundings_give_the_same_bytes_without_a_network(
    tmp_path: Path, seeds: range
) -> None:
    first = generated(project(tmp_path / "first", 0), 0, REPOSITORY)
    for seed in seeds:
        folder = project(tmp_path / f"project {seed}", seed)
        assert generated(folder, seed, folder if seed % 2 else tmp_path) == first, seed
