"""Mistakes in the command line: one line each, and exit code 2."""

import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from troenpy.cli.console import INTERRUPTED, note

#: Of click, which newer versions of typer include.
UsageError: Any = typer.BadParameter.__mro__[1]


class OneLineGroup(TyperGroup):
    """The commands; a line of the command that cannot be read is answered by one line."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command, and exit."""
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        try:
            code = run(*args, standalone_mode=False, **extra)
        except typer.Abort:  # Ctrl-C, before the command began
            note("stopped")
            sys.exit(INTERRUPTED)
        except UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()
            else:
                note(_line(error))
            sys.exit(error.exit_code)
        sys.exit(code if isinstance(code, int) else 0)


class OneOutputCommand(TyperCommand):
    """A command that writes one file: a second --out would replace the first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        if [option.name for option in given].count("out") > 1:
            raise UsageError("--out is given twice, but one file is written", ctx=ctx)
        return super().parse_args(ctx, args)


def _line(error: Any) -> str:
    message = " ".join(error.format_message().removeprefix("Invalid value: ").replace("Value error, ", "").split())
    command = error.ctx.command_path if error.ctx is not None else "troenpy"
    return f"{message.rstrip('.')}: see {command} --help"
