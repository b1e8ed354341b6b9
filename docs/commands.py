"""Write commands.md from the commands themselves.

python docs/commands.py          # writes it
python docs/commands.py --check  # says whether it is up to date
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import typer

from troenpy.cli import app

PAGE = Path(__file__).parent / "commands.md"


def page() -> str:
    """Return the reference as Markdown."""
    group: Any = typer.main.get_command(app)
    parts = ["# Commands\n", _help(group), "Written from the commands by `python docs/commands.py`.\n"]
    for name, command in group.commands.items():
        parts += [f"## troenpy {name}\n", _help(command), *_parameters(command)]
    return "\n".join(parts)


def _help(command: Any) -> str:
    text = "\n".join(line.strip() for line in (command.help or "").splitlines()).strip()
    example = (command.epilog or "").removeprefix("Example: ")
    return f"{text}\n" + (f"\n```sh\n{example}\n```\n" if example else "")


def _parameters(command: Any) -> list[str]:
    """Return the options as a table; an argument is explained by the words of its command."""
    shown = [one for one in command.params if one.param_type_name == "option" and one.name not in ("help", "version")]
    if not shown:
        return []
    lines = ["| option | meaning | default |", "|---|---|---|"]
    lines += [f"| {_name(one)} | {(one.help or '').replace('|', '/')} | {_default(one)} |" for one in shown]
    return ["\n".join(lines) + "\n"]


def _name(parameter: Any) -> str:
    return ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])


def _default(parameter: Any) -> str:
    if parameter.is_flag:
        return "yes" if parameter.default else "no"
    return "" if parameter.default is None else f"`{parameter.default}`"


def main() -> None:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if commands.md is out of date")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/commands.md is out of date: python docs/commands.py")


if __name__ == "__main__":
    main()
