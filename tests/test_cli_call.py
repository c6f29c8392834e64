from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolkiln.cli import main

SPEC = """\
toolkiln: 1
namespace: shop
tools:
  buy:
    description: Buy something.
    effects: {destructive: true}
    parameters:
      required: [what]
      properties: {what: {type: string}}
    output: {type: object}
    failures: {sold_out: Nothing is left.}
    approval: {when: {what: {const: gold}}, prompt: "Buy {what}?"}
    deferred: true
"""
HANDLERS = """\
from toolkiln_runtime import Catalog, Completed, Deferred, Executor, Failed

from app.tools.shop import shop_tools


async def buy(args, context):
    print("a handler may print", flush=True, file=__import__("sys").stderr)
    match args.what:
        case "bread":
            return Completed({"bought": "bread \\u20ac"})
        case "cake":
            return Failed("sold_out", "No cake.")
        case "later":
            return Deferred()
    raise ValueError("what is that?")


executor = Executor(Catalog([shop_tools(buy=buy)]))
other = 5
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose package lies in a folder of sources."""
    root = tmp_path_factory.mktemp("project")
    (root / "specs").mkdir()
    (root / "specs" / "shop.yaml").write_text(SPEC)
    (root / "toolkiln.toml").write_text(
        'specs = ["specs/*.yaml"]\npackage = "app.tools"\nout = "src/app/tools"\n'
        'run = "app.main:executor"\n'
    )
    assert main(["generate", "--project", str(root)]) == 0
    (root / "src" / "app" / "main.py").write_text(HANDLERS)
    return root


def call(
    project: Path, *arguments: str, stdin: str = "", run: str = "app.main:executor"
) -> subprocess.CompletedProcess[str]:
    file = project / "toolkiln.toml"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("run")]
    file.write_text("\n".join([*lines, f'run = "{run}"\n' if run else ""]))
    command = [sys.executable, "-m", "toolkiln", "call", *arguments]
    return subprocess.run(
        command,
        cwd=project,
        check=False,
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        env={"PYTHONUTF8": "1", "PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )


def test_a_completed_call_prints_its_result(project: Path) -> None:
    done = call(project, "buy", "--args", '{"what": "bread"}')
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "callId": "call_1",
        "toolName": "buy",
        "kind": "completed",
        "output": {"bought": "bread \u20ac"},
    }


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"what": "cake"}', "sold_out"),
        ('{"what": "stone"}', "tool.execution-failed"),
        ('{"what": 3}', "tool.invalid-arguments"),
        ("{", "tool.invalid-arguments"),
    ],
)
def test_a_failed_call_exits_1(project: Path, arguments: str, code: str) -> None:
    done = call(project, "buy", "--args", "-", stdin=arguments)
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == code


def test_an_unknown_tool_is_a_result_like_any_other(project: Path) -> None:
    done = call(project, "bye")
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == "tool.unknown"


def test_an_open_gate_is_shown_and_nothing_runs(project: Path) -> None:
    done = call(project, "buy", "--args", '{"what": "gold"}')
    assert done.returncode == 0
    shown = json.loads(done.stdout)
    assert shown["kind"] == "interaction-required"
    name = shown["interaction"]["id"]
    assert done.stderr == (
        "waiting for an approval, and nothing has run: Buy gold?\n"
        f"  toolkiln approve {name}\n"
        f"  toolkiln deny {name} --reason TEXT\n"
    )
    assert shown["interaction"]["prompt"] == "Buy gold?"


def test_a_deferral_is_shown(project: Path) -> None:
    done = call(project, "buy", "--args", '{"what": "later"}')
    assert done.returncode == 0
    shown = json.loads(done.stdout)
    assert shown["kind"] == "deferred"
    assert done.stderr.endswith(
        "deferred: the result comes later\n"
        f"  toolkiln settle {shown['invocationId']} --output JSON\n"
    )


def test_the_traceback_of_a_handler_is_shown_if_asked_for(project: Path) -> None:
    arguments = ("buy", "--args", '{"what": "stone"}')
    short = call(project, *arguments).stderr
    assert "what is that?" not in short
    assert short.endswith("hint: `--verbose` shows the traceback.\n")
    assert "what is that?" in call(project, *arguments, "--verbose").stderr


@pytest.mark.parametrize(
    ("run", "code", "says"),
    [
        ("", 2, "does not say what to run"),
        ("app.nowhere:executor", 3, "ModuleNotFoundError: No module named 'app.nowhere'"),
        ("app.main:executer", 3, "AttributeError"),
        ("app.main:other", 3, "is of the type int, and no Executor"),
    ],
)
def test_what_cannot_be_run_is_said(project: Path, run: str, code: int, says: str) -> None:
    done = call(project, "buy", run=run)
    assert done.returncode == code
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("1 / 0", "ZeroDivisionError"),
        ("def (", "SyntaxError"),
        ("from json import loads\n\nloads('{')", "JSONDecodeError"),
    ],
)
def test_a_module_that_fails_is_pointed_at(project: Path, text: str, says: str) -> None:
    module = says.partition(":")[0].lower()
    (project / "src" / "app" / f"{module}.py").write_text(f"\n\n{text}\n")
    done = call(project, "buy", run=f"app.{module}:executor")
    last = text.rpartition("\n")[2]
    line = 3 + text.count("\n")
    assert done.returncode == 3
    assert done.stdout.startswith(f"src/app/{module}.py:{line}:1: error run-unusable: ")
    assert says in done.stdout
    assert f"  {line} | {last}\n" in done.stdout


def test_what_strangers_wrote_does_not_reach_the_terminal(project: Path) -> None:
    done = call(project, "buy", "--args", json.dumps({"what": "a\x1b[2J\x9b2J\u202eb", "gold": 1}))
    assert done.returncode == 1
    done = call(project, "b\x9b2J\u202ey")
    assert done.stdout.replace("\n", "").isprintable()
    assert json.loads(done.stdout)["code"] == "tool.unknown"
