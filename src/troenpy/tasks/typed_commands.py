"""Commands to type next, about the same file with the same columns, as words for a shell."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any


def typed_command(name: str, reading: Mapping[str, Any], words: Sequence[str]) -> str | None:
    """Return a command that reads the same file in the same way; None without a file that can be read again.

    Parameters
    ----------
    name : str
        Of the command.
    reading : mapping
        `source`, and options by their name in Python.
    words : sequence of str
        Further options.

    Examples
    --------
    >>> typed_command("audit", {"source": "my file.csv", "on_error": "skip"}, ["-o", "doubtful.csv"])
    "troenpy audit 'my file.csv' --on-error skip -o doubtful.csv"
    >>> typed_command("audit", {"source": "-"}, [])
    """
    source = reading.get("source")
    if source is None or source == "-":
        return None
    options = [*_options(reading), *words]
    is_option = str(source).startswith("-")  # or so it would be read
    return shlex.join(["troenpy", name, *([*options, "--", str(source)] if is_option else [str(source), *options])])


def _options(reading: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in reading.items():
        if name != "source":
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", str(one)]
    return words
