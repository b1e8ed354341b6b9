"""The folders of corpora and word vectors: the user's own, and the cache of downloads."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from troenpy.files.drafts import FilePath

DATA_VARIABLE = "TROENPY_DATA"
CACHE_VARIABLE = "TROENPY_CACHE"


def data_folder(data_dir: FilePath | None) -> Path | None:
    """Return `data_dir`, or else the folder in TROENPY_DATA, or else None."""
    given = os.environ.get(DATA_VARIABLE) if data_dir is None else data_dir
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"{DATA_VARIABLE if data_dir is None else 'data_dir'} must be an existing folder, got {folder}"
        )
    return folder


def cache_folder() -> Path | None:
    """Return the cache folder: TROENPY_CACHE, or else the platform's default; None if pooch is not installed."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("troenpy"))


def find_file(folder: Path | None, file_name: str) -> Path | None:
    """Return the path of a file in a folder, or None if it does not exist."""
    path = None if folder is None else folder / file_name
    return path if path is not None and path.is_file() else None


@contextmanager
def cache_errors(cache: Path) -> Iterator[None]:
    """Turn an error when writing to the cache into one that names the fix."""
    try:
        yield
    except OSError as error:
        message = f"cannot write to the cache folder {cache} ({error.strerror}): set {CACHE_VARIABLE} to another folder"
        raise type(error)(message) from None
