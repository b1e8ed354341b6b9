"""Where files of corpora and word vectors are: a folder of the user's, and the cache for what was downloaded."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from troenpy.files.archive import FilePath

DATA_VARIABLE = "TROENPY_DATA"
CACHE_VARIABLE = "TROENPY_CACHE"


def data_folder(data_dir: FilePath | None) -> Path | None:
    """Return the folder given, else the one that TROENPY_DATA names, else None."""
    given = os.environ.get(DATA_VARIABLE) if data_dir is None else data_dir
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(f"{DATA_VARIABLE if data_dir is None else 'data_dir'} is not a folder: {folder}")
    return folder


def cache_folder() -> Path | None:
    """Return the folder of what was downloaded, where the platform has such folders; None without pooch."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("troenpy"))


def present(folder: Path | None, file_name: str) -> Path | None:
    """Return the file's path if the folder holds it."""
    path = None if folder is None else folder / file_name
    return path if path is not None and path.is_file() else None


@contextmanager
def writing(cache: Path) -> Iterator[None]:
    """Turn an error of writing to the cache into one that says what to do."""
    try:
        yield
    except OSError as error:
        message = f"cannot write to the cache folder {cache} ({error.strerror}): set {CACHE_VARIABLE} to another"
        raise type(error)(message) from None
