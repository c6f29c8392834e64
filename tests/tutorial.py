"""Runs what a page says: its files are written, and its commands print what stands below them."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

BLOCK: Final = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w+)\n(.*?)```\n", re.DOTALL)
"""A block with the file that it is, its language, and its text."""
ID: Final = re.compile(r"\b(?:int_[0-9a-f]{32}\b|inv_[0-9a-f]{32}_\d+)")
"""What is random in the output of commands."""


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console *block*, and what the page says that it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


class Shell:
    """Runs commands one after the other in a folder that they may change.

    Ids are random, and a page has its own: each real one is shown as the one that stands in its
    place, and a command that names the page's is run with the real one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100", "LOGNAME": "ada"}
        self.environment = {**os.environ, **own}
        self._shown: dict[str, str] = {}
        """By real id, that of the page."""

    def run(self, command: str, printed: str) -> str:
        """What *command* prints, where the page says that it prints *printed*."""
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return ""
        real = {shown: name for name, shown in self._shown.items()}
        done = subprocess.run(
            ["bash", "-c", ID.sub(lambda found: real.get(found[0], found[0]), command)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._learn(done.stdout, printed)
        return ID.sub(lambda found: self._shown[found[0]], done.stdout)

    def _learn(self, output: str, printed: str) -> None:
        known = set(self._shown.values())
        free = [name for name in dict.fromkeys(ID.findall(printed)) if name not in known]
        for name in dict.fromkeys(ID.findall(output)):
            if name not in self._shown:
                self._shown[name] = free.pop(0) if free else self._sample(name)

    def _sample(self, name: str) -> str:
        # From its number alone, so that an updated page changes only where it has to.
        digits = hashlib.sha256(str(len(self._shown)).encode()).hexdigest()[:32]
        return f"int_{digits}" if name.startswith("int_") else f"inv_{digits}_1"


def follow(page: Path, text: str, folder: Path, *, update: bool) -> int:
    """Do what *text*, a part of *page*, says, in *folder*; how many commands were run.

    Asserts that each prints what the page says, or has the page say what they print.
    """
    shell, ran = Shell(folder), 0
    for file, language, block in BLOCK.findall(text):
        if file:
            (shell.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (shell.folder / file).write_text(block, "utf-8")
        if language != "console":
            continue
        seen = ""
        for command, printed in commands(block):
            output = shell.run(command, printed)
            seen += f"$ {command}\n{output}"
            ran += 1
            assert update or output == printed, command
        if update:
            page.write_text(page.read_text("utf-8").replace(block, seen), "utf-8")
    return ran
