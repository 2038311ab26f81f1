"""The command `sahrat`: finds its commands, and ends each with one line and an exit code."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import re
import sys
from typing import Final, NoReturn

import click
from typing_extensions import override

from sahrat.runtime.exits import MEANINGS, Exit
from services.house import commands

NUMBER: Final = re.compile(r"-[0-9.]+")


class Commands(click.Group):
    """Each module of `services.house.commands` is a command: it has a click command `command`."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        # Only the command that is wanted: others may need more than it does.
        # What it makes while it is loaded stays, so to look for what can be let go is of no use,
        # and a tenth of the time.
        gc.disable()
        try:
            module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        finally:
            gc.enable()
        found: click.Command = module.command
        return found


EXIT_CODES = "\b\nExit codes, unless a command's own help says otherwise:\n" + "\n".join(
    f"  {int(code)}  {meaning}" for code, meaning in MEANINGS.items()
)


@click.group(cls=Commands, epilog=EXIT_CODES, context_settings={"max_content_width": 100})
@click.version_option(package_name="sahrat", message="sahrat %(version)s")
def sahrat() -> None:
    """Board games at one table, whose every match can be replayed from its log."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command that the arguments name, and end the process with its exit code."""
    try:
        code = sahrat.main(arguments, prog_name="sahrat", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.format_message())
        sys.exit(Exit.DONE)
    except click.UsageError as problem:
        where = problem.ctx.command_path if problem.ctx else "sahrat"
        said = _usage(problem)
        stop = "" if said.endswith((".", "?", "!")) else "."
        _end(f"{said}{stop} See: {where} --help", Exit.USAGE)
    except click.ClickException as problem:
        _end(problem.format_message(), problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _end("interrupted", Exit.FAULT)
    except BrokenPipeError:  # whoever read our output has enough: `sahrat export ID | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAULT)
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _usage(problem: click.UsageError) -> str:
    """Return what is wrong with the arguments. In `grant ID -5` what looks like an option is a
    number, and no command takes one below zero.
    """
    if isinstance(problem, click.NoSuchOption) and NUMBER.fullmatch(problem.option_name):
        return f"{problem.option_name}..: no number here is below zero"
    return problem.format_message()


def _end(message: str, code: int) -> NoReturn:
    click.echo(f"sahrat: {' '.join(message.split())}", err=True)
    sys.exit(code)
