"""Outputs never replace what is read: the file itself by any name, a folder of documents, standard input."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from troenpy.display import printable


def check_spared(out: Any, what: str, inputs: Mapping[str, Any]) -> None:
    """Raise if writing `out` would replace an input, or add a file to a folder that is read.

    Parameters
    ----------
    out : path-like
    what : str
        What is written, such as "the model".
    inputs : mapping of str to path-like, "-", file or None
        What is read, by what it is.

    Examples
    --------
    >>> check_spared("x.model", "the model", {"the training file": "x.csv", "the test file": None})
    """
    target = Path(os.path.realpath(out))
    for name, source in inputs.items():
        status = _status(source)
        if status is None:
            continue
        if target.exists() and os.path.samestat(target.stat(), status):
            raise ValueError(f"{what} would replace {name}, {printable(str(out))}: choose another name")
        if any(parent.exists() and os.path.samestat(parent.stat(), status) for parent in target.parents):
            folder = printable(str(source))
            raise ValueError(f"{what} would be written into {name}, the folder {folder}: choose another place")


def _status(source: Any) -> os.stat_result | None:
    """Return the status of a file or folder that is read, if it can be found out."""
    if isinstance(source, str) and source == "-":
        source = sys.stdin
    try:
        return os.fstat(source.fileno()) if hasattr(source, "fileno") else Path(source).stat()
    except (OSError, ValueError, TypeError):  # none, or not a file of the system
        return None
