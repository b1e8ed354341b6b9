"""Write files whole or not at all: into a draft beside the target, which then replaces it."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

FilePath = str | os.PathLike[str]

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_atomically(path: FilePath, content: bytes) -> None:
    """Write a file atomically: if it fails, the old file is unchanged.

    Links are followed, and a replaced file keeps its mode.
    """
    with draft(path) as file:
        file.write(content)


@contextmanager
def draft(path: FilePath) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` at the end of the block; if the block fails, the old file stays."""
    target = Path(os.path.realpath(checked_path(path)))
    mode = check_target(path)
    name = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(name, _NEW_FILE, 0o666 if mode is None else mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            name.chmod(mode)  # the umask may have removed permissions
        name.replace(target)
    except BaseException as error:
        name.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(name)):
            # the original names the draft or no file
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def checked_path(path: FilePath) -> Path:
    """Return the path, or raise if it is none."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a file name, got {path!r}")
    return Path(path)


def check_target(path: FilePath) -> int | None:
    """Return the mode of the file to replace, or None if it does not exist; raise if it cannot be replaced."""
    target = Path(os.path.realpath(checked_path(path)))
    if target.is_symlink():
        raise OSError(f"cannot write {path}: it is a broken link")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {target.parent} does not exist")
    if not target.exists():
        return None
    if not target.is_file():
        raise OSError(f"cannot write {path}: it is not a file")
    return stat.S_IMODE(target.stat().st_mode)
