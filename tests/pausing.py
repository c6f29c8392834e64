"""A project whose calls pause, its commands as processes, and a terminal to type at."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from toolkiln.cli import main

PATIENCE: Final = 30.0
"""Seconds that a test waits for what has to come."""

SPEC: Final = """\
toolkiln: 1
namespace: desk
tools:
  buy:
    parameters:
      required: [what]
      properties: {what: {type: string, maxLength: 12}, note: {type: string, x-sensitive: true}}
    output: {type: object}
    approval: {when: {what: {const: gold}}, prompt: "Buy {what}?", allow_edit: true, expires: 4h}
  sell:
    parameters: {properties: {what: {type: string, default: bread}}}
    output: {type: object}
    approval: {prompt: "Sell \\e[2J{what}?"}
  hurry:
    output: {type: object}
    approval: {prompt: "Now?", expires: 100ms}
  greet:
    output: {type: string}
    interactions: {who: {prompt: "Who?", response: {type: string}}}
  count:
    output: {type: integer}
    interactions: {how_many: {prompt: "How many?", response: {type: integer, minimum: 1}}}
  pick:
    output: {type: string}
    interactions:
      which: {prompt: "Which?", response: Color, choices: true, token: {type: string}}
      sure: {kind: approval, prompt: "Really?"}
  enter:
    output: {type: boolean}
    interactions: {word: {prompt: "The word?", response: {type: string, x-sensitive: true}}}
  ship:
    output: {type: object, required: [parcel]}
    failures: {lost: Nobody knows where it is.}
    deferred: true
$defs:
  Color: {enum: [red, green]}
"""

HANDLERS: Final = """\
import asyncio
import pathlib

from toolkiln_runtime import Catalog, Choice, Completed, Deferred, Executor

from app.tools.desk import count, desk_tools, enter, greet, pick


def ran(name):
    with pathlib.Path("runs.txt").open("a") as file:
        file.write(f"{name}\\n")


async def buy(args, context):
    ran("buy")
    while pathlib.Path("hold").exists():
        await asyncio.sleep(0.05)
    return Completed({"bought": args.what, "noted": args.note})


async def sell(args, context):
    ran("sell")
    return Completed({"sold": args.what})


async def hurry(args, context):
    ran("hurry")
    return Completed({})


async def ask_who(args, context):
    return greet.who() if context.resume is None else Completed(f"Hello, {context.resume.value}!")


async def ask_how_many(args, context):
    return count.how_many() if context.resume is None else Completed(context.resume.value * 2)


async def ask_which(args, context):
    if context.resume is None:
        choices = [Choice("red", "Like \\x1b[31mfire"), Choice("green", "Like grass")]
        return pick.which(choices=choices, token="t0ken")
    if context.resume.kind == "response" and context.resume.value == "green":
        return pick.sure()
    return Completed("picked")


async def ask_word(args, context):
    return enter.word() if context.resume is None else Completed(context.resume.value == "sesame")


async def ship(args, context):
    ran("ship")
    return Deferred()


executor = Executor(
    Catalog(
        [
            desk_tools(
                buy=buy, sell=sell, hurry=hurry, greet=ask_who, count=ask_how_many,
                pick=ask_which, enter=ask_word, ship=ship,
            )
        ]
    ),
    lease=3.0,
)
"""


def environment(**more: str) -> dict[str, str]:
    names = ("PYTHONPATH", "PATH", "HOME", "SYSTEMROOT")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {"PYTHONUTF8": "1", "LOGNAME": "ada", "TERM": "xterm", **kept, **more}


class Desk:
    """The project, and what its commands do."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self) -> None:
        """Make the project and generate its code."""
        (self.root / "specs").mkdir(parents=True)
        (self.root / "specs" / "desk.yaml").write_text(SPEC)
        (self.root / "toolkiln.toml").write_text(
            'specs = ["specs/*.yaml"]\npackage = "app.tools"\nrun = "app.main:executor"\n'
        )
        self.generate()
        (self.root / "app" / "main.py").write_text(HANDLERS)

    def generate(self) -> None:
        assert main(["generate", "--project", str(self.root)]) == 0

    def forget(self) -> None:
        """Remove every call, the keys, and the traces of handlers."""
        shutil.rmtree(self.root / ".toolkiln", ignore_errors=True)
        for name in ("runs.txt", "hold"):
            (self.root / name).unlink(missing_ok=True)

    @property
    def runs(self) -> list[str]:
        """The handlers that have run."""
        file = self.root / "runs.txt"
        return file.read_text().split() if file.exists() else []

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "toolkiln", *words]

    def run(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            cwd=self.root,
            env=environment(**more),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            cwd=self.root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def json(self, *words: str, code: int = 0, **more: str) -> Any:
        """What a command prints as JSON; it exits with *code*."""
        done = self.run(*words, **more)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def asked(self, tool: str, **arguments: Any) -> str:
        """The id of the question of a new call."""
        made = self.json("call", tool, "--args", json.dumps(arguments))
        assert made["kind"] == "interaction-required"
        return str(made["interaction"]["id"])

    def waiting(self) -> list[Any]:
        """What `pending` lists."""
        return list(self.json("pending", "--format", "json")["calls"])

    def until(self, kind: str, **facts: str) -> Any:
        """The first call that waits like this, once there is one."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for call in self.waiting():
                if call["kind"] == kind and facts.items() <= call.items():
                    return call
        raise AssertionError(f"no call is {kind} {facts}")


class Terminal:
    """A command whose input and errors are a terminal, and whose output is a pipe."""

    def __init__(self, desk: Desk, *words: str, **more: str) -> None:
        self._near, far = pty.openpty()
        self.process = subprocess.Popen(
            desk.command(*words),
            cwd=desk.root,
            env=environment(**more),
            stdin=far,
            stderr=far,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(far)
        self.shown = ""
        """What the person has seen so far, with what was typed."""
        self._read = 0

    def expect(self, text: str) -> None:
        """Wait until *text* is shown, after what was expected before."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown[self._read :]:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} is not in {self.shown!r}"
            assert self._more(left), f"{text!r} is not in {self.shown!r}"
        self._read = self.shown.index(text, self._read) + len(text)

    def type(self, text: str) -> None:
        os.write(self._near, text.encode())

    def end(self) -> tuple[int, str]:
        """Wait for the end: the exit code, and what went to stdout."""
        while self._more(PATIENCE):
            pass
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self._near)

    def _more(self, seconds: float) -> bool:
        if not select.select([self._near], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self._near, 4096)
        except OSError:
            # Linux says so when nobody has the other end any more.
            return False
        self.shown += read.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(read)
