"""The installed command, as a user runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

INSTALLED = shutil.which("troenpy", path=str(Path(sys.executable).parent))
#: Warnings are errors, but for those of old versions of typer about new ones of click.
WARNINGS = "error,ignore::DeprecationWarning:typer"
ENVIRONMENT = {**os.environ, "PYTHONWARNINGS": WARNINGS, "COLUMNS": "80", "TERM": "dumb"}


def installed(*words, folder, given=None, code=0):
    """Run the installed command; return what it writes to stdout and stderr."""
    assert INSTALLED is not None
    ended = subprocess.run(  # noqa: S603 (our own command)
        [INSTALLED, *map(str, words)], input=given, capture_output=True, cwd=folder, env=ENVIRONMENT, check=False
    )
    assert ended.returncode == code, ended.stderr.decode()
    assert b"Traceback" not in ended.stderr
    return ended.stdout.decode(), ended.stderr.decode()
