"""`toolkiln call`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .console import Exit, project_option
from .terminal import is_person, print_progress, verbose_option, with_calls

if TYPE_CHECKING:
    from ..host import Calls


@click.command
@click.argument("tool")
@click.option(
    "--args", "arguments", metavar="JSON", default="{}", help="The arguments; `-` reads them."
)
@click.option("--no-input", is_flag=True, help="Ask nobody, even on a terminal.")
@verbose_option
@project_option
def call(
    tool: str, arguments: str, location: Path | None, *, no_input: bool, verbose: bool
) -> Exit:
    """Run TOOL once, with the handlers of this project, and print the normalised result.

    `run` in the project file names the executor. What the call asks is asked on the terminal;
    without one it waits for `approve`, `deny` or `respond`. Exits 1 if the call was denied or has
    failed.
    """
    if arguments == "-":
        arguments = sys.stdin.read()

    def work(calls: Calls) -> Exit:
        progress = calls.call(tool, arguments)
        if progress.pending and is_person() and not no_input:
            from .asking import answered

            progress = answered(calls, progress)
        return print_progress(progress, verbose=verbose)

    return with_calls(location, work, verbose=verbose)
