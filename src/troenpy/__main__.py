"""The command `troenpy`, also available as `python -m troenpy`."""

import os
import signal
import sys
from typing import Any


def main() -> None:
    """Run the command line, or say what to install."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)  # while seconds of imports run, which would make an ImportError of it
    try:
        from troenpy.cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "click", "rich"):
            raise
        sys.exit(f"troenpy: the command line needs {error.name}: pip install 'troenpy[cli]'")
    finally:
        signal.signal(signal.SIGINT, usual)
    app(prog_name="troenpy")


def _stop(*_: Any) -> None:
    os.write(2, b"\nstopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
