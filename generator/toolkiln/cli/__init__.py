"""The command line: it parses, calls stages, prints, and chooses the exit code.

A command's module is imported when the command is used, and imports a stage when it gets there:
what has nothing to do should be done at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from .console import Exit

_COMMANDS: Final = {
    "init": "start:init",
    "new": "start:new",
    "generate": "generate:generate",
    "call": "call:call",
    "pending": "pending:pending",
    "approve": "replies:approve",
    "deny": "replies:deny",
    "respond": "replies:respond",
    "settle": "replies:settle",
    "cancel": "replies:cancel",
    "import": "importing:import_",
}
"""Where each command is, in the order in which people meet them."""


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(f"{__name__}.{module}"), name)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            from ..spelling import did_you_mean

            message = f"There is no command `{args[0]}`. {did_you_mean(args[0], _COMMANDS)}"
            raise click.UsageError(message.rstrip(), ctx)
        return super().resolve_command(ctx, args)


@click.command(
    cls=_Commands,
    epilog="Exit codes: 0 clean, 1 something was found, 2 usage, 3 input could not be loaded, "
    "70 a mistake of ours.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="toolkiln", message="%(prog)s %(version)s")
def commands() -> None:
    """Tool contracts for language models, written once and generated into typed code.

    Start with `toolkiln init`, then `toolkiln generate`.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, `sys.argv` if *arguments* are not given; the exit code."""
    try:
        return int(commands.main(arguments, prog_name="toolkiln", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.CLEAN
    except OSError as error:
        if os.environ.get("TOOLKILN_TRACEBACK"):
            return _crashed(error)
        click.echo(f"error: {error.filename or 'a file'}: {error.strerror or error}.", err=True)
        return Exit.FOUND
    except Exception as error:  # noqa: BLE001 - whatever it is, it is our fault and said shortly
        return _crashed(error)


def _crashed(error: Exception) -> int:
    import traceback

    trace = "".join(traceback.format_exception(error))
    if os.environ.get("TOOLKILN_TRACEBACK"):
        click.echo(trace, err=True, nl=False)
        return Exit.INTERNAL
    import tempfile

    with tempfile.NamedTemporaryFile(
        "w", prefix="toolkiln-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(trace)
    click.echo(
        f"internal error: {type(error).__name__}: {error}\n"
        "  This is a mistake in toolkiln, not in your project.\n"
        f"  The traceback is in {file.name}.",
        err=True,
    )
    return Exit.INTERNAL
