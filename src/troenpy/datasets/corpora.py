"""Load corpora by name, from a folder, the cache or their public source.

Records are always checked against the checksum in the catalogue, so a corpus that has changed raises an error instead
of changing results.
"""

import gzip
import hashlib
import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.datasets import downloads
from troenpy.datasets.catalogue import CATALOGUE, Entry
from troenpy.datasets.originals import Record
from troenpy.files import folders
from troenpy.files.drafts import FilePath, write_atomically
from troenpy.files.folders import find_file

_DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, KeyError, ValueError)


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents with their classes, and where they come from.

    Parameters
    ----------
    name : str
    texts : sequence of str
        Stored as a tuple.
    labels : array-like of shape (n_documents,)
        The class of each document, stored as strings.
    split : array-like of "train" and "test", or None
        The part each document belongs to; None if the corpus has no given split.
    ids : array-like of str, or None
        The identifier of each document in the source; None if it has none. In ohsumed a document with several classes
        is repeated for each, with the same id.
    licence : str
    quotable : bool, default=True
        Whether the licence lets a page quote lines of documents.
    source : str
    notes : str
        The edition, and how its text was cleaned.

    Examples
    --------
    >>> from troenpy import datasets
    >>> datasets.Corpus("tiny", ["a goal", "the vote"], ["sport", "politics"])
    <Corpus tiny: 2 documents, 2 classes>
    """

    name: str
    texts: tuple[str, ...]
    labels: NDArray[np.str_]
    split: NDArray[np.str_] | None = None
    ids: NDArray[np.str_] | None = None
    licence: str = ""
    source: str = ""
    notes: str = ""
    quotable: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name must be a non-empty string, got {self.name!r}")
        object.__setattr__(self, "texts", _texts(self.texts))
        for name in ("labels", "split", "ids"):
            if name == "labels" or getattr(self, name) is not None:
                object.__setattr__(self, name, _one_each(name, getattr(self, name), len(self.texts)))
        if self.split is not None and not np.isin(self.split, ["train", "test"]).all():
            other = self.split[~np.isin(self.split, ["train", "test"])][0]
            raise ValueError(f"split must be 'train' or 'test' for each document, got {str(other)[:40]!r}")

    def __repr__(self) -> str:
        parts = "" if self.split is None else f", {np.sum(self.split == 'train')} of them for training"
        return f"<Corpus {self.name}: {len(self.texts)} documents{parts}, {len(np.unique(self.labels))} classes>"


def _texts(texts: Any) -> tuple[str, ...]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise TypeError(f"texts must be a sequence of strings, got {type(texts).__name__}: one string per document")
    documents = tuple(texts)
    for number, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(
                f"texts must be strings, got {str(text)[:40]!r} ({type(text).__name__}) for document {number}"
            )
    if not documents:
        raise ValueError("texts must not be empty")
    return documents


def _one_each(name: str, values: Any, n_documents: int) -> NDArray[np.str_]:
    """Return one string per document."""
    column = np.asarray(values)
    if column.ndim != 1 or len(column) != n_documents:
        raise ValueError(
            f"{name} must have one entry for each of the {n_documents} documents, got shape {column.shape}"
        )
    for number, value in enumerate(values):  # numpy would turn None and NaN into strings
        if value is None or value != value:
            raise ValueError(f"{name} must not be missing, got {value!r} for document {number}")
    return column if column.dtype.kind == "U" else column.astype(str)


@dataclass(frozen=True)
class Listing:
    """A corpus that can be loaded: its size, licence, and local file if there is one."""

    name: str
    documents: int
    classes: int
    licence: str
    path: Path | None

    @property
    def present(self) -> bool:
        """Whether `load` works without a network."""
        return self.path is not None


def load(name: str, *, data_dir: FilePath | None = None) -> Corpus:
    """Load a corpus from the data folder or the cache, or else download it to the cache.

    Parameters
    ----------
    name : str
        One of the names that `available` lists.
    data_dir : path-like, optional
        A folder to look for `<name>.jsonl.gz`; defaults to the environment variable TROENPY_DATA. The cache is in the
        platform's usual place, or wherever TROENPY_CACHE points. Both hold the same files, so files can be copied from
        the cache of one machine to the data folder of another.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If the name is unknown, or a file or download has the wrong checksum.
    OSError
        If the corpus cannot be downloaded, or written to the cache.
    ImportError
        If a download needs a package that is not installed.

    Examples
    --------
    >>> from troenpy import datasets
    >>> datasets.load("reuters")
    Traceback (most recent call last):
        ...
    ValueError: unknown corpus 'reuters'; choose one of bbcsport, twitter, ohsumed, classic, r8, amazon, 20news
    """
    if not isinstance(name, str) or name not in CATALOGUE:
        raise ValueError(f"unknown corpus {name!r}; choose one of {', '.join(CATALOGUE)}")
    entry = CATALOGUE[name]
    folder, cache = folders.data_folder(data_dir), folders.cache_folder()
    path = find_file(folder, entry.file_name)
    if path is not None:
        return _corpus(entry, _read(entry, path))
    path = find_file(cache, entry.file_name)
    if path is not None:
        try:
            return _corpus(entry, _read(entry, path))
        except ValueError:
            pass  # a damaged cache file is ours to replace
    return _corpus(entry, _fetch(entry, cache))


def available(*, data_dir: FilePath | None = None) -> list[Listing]:
    """List the corpora, and whether each is already on this machine; files are not opened.

    Parameters
    ----------
    data_dir : path-like, optional
        As in `load`.

    Returns
    -------
    list of Listing

    Examples
    --------
    >>> from troenpy import datasets
    >>> [(corpus.name, corpus.documents) for corpus in datasets.available()][:3]
    [('bbcsport', 737), ('twitter', 3115), ('ohsumed', 9152)]
    """
    folder, cache = folders.data_folder(data_dir), folders.cache_folder()
    return [
        Listing(
            entry.name,
            entry.n_documents,
            entry.n_classes,
            entry.licence,
            find_file(folder, entry.file_name) or find_file(cache, entry.file_name),
        )
        for entry in CATALOGUE.values()
    ]


def _read(entry: Entry, path: Path) -> bytes:
    """Read the records from a gzip file, and no more bytes than expected."""
    try:
        with gzip.open(path) as file:
            content = file.read(entry.n_bytes + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is damaged: {error}; remove or replace it") from None
    _check(entry, content, f"{path} does not hold the corpus {entry.name}", "remove or replace it")
    return content


def _fetch(entry: Entry, cache: Path | None) -> bytes:
    """Download the originals, convert them to records, and cache these."""
    files, path = downloads.fetch(entry.source, cache, entry.file_name)
    source = entry.source.address
    try:
        content = _lines(entry.parse(files))
    except _DAMAGE as error:
        raise ValueError(f"the download from {source} cannot be read as {entry.name}: {error}") from None
    _check(entry, content, f"the download from {source} is not the corpus {entry.name}", "the source has changed")
    with folders.cache_errors(path.parent):
        write_atomically(path, gzip.compress(content, compresslevel=6, mtime=0))
    return content


def _lines(records: Iterable[Record]) -> bytes:
    """Return records in canonical form, one line of JSON each."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _check(entry: Entry, content: bytes, fault: str, advice: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != entry.checksum:
        raise ValueError(f"{fault} (sha256 of its records {found}, expected {entry.checksum}): {advice}")


def _corpus(entry: Entry, content: bytes) -> Corpus:
    records = [json.loads(line) for line in content.splitlines()]
    return Corpus(
        name=entry.name,
        texts=tuple(record["text"] for record in records),
        labels=_column(records, "label"),
        split=None if records[0]["split"] is None else _column(records, "split"),
        ids=_column(records, "id") if "id" in records[0] else None,
        licence=entry.licence,
        source=entry.source.address,
        notes=entry.notes,
        quotable=entry.quotable,
    )


def _column(records: list[dict[str, Any]], key: str) -> NDArray[np.str_]:
    column = np.array([record[key] for record in records], dtype=str)
    column.setflags(write=False)
    return column
