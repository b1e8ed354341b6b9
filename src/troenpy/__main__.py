"""The command `troenpy`, also available as `python -m troenpy`."""

import sys


def main() -> None:
    """Run the command line, or say what to install."""
    try:
        from troenpy.cli import app
    except KeyboardInterrupt:  # before a command began
        sys.exit(130)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "click", "rich"):
            raise
        sys.exit(f"troenpy: the command line needs {error.name}: pip install 'troenpy[cli]'")
    app(prog_name="troenpy")


if __name__ == "__main__":
    main()
