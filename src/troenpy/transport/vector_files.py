"""Read word vectors from files in GloVe, word2vec or .npz format.

Files are read line by line. With a vocabulary, only the rows of its words are kept in memory.
"""

import bz2
import codecs
import gzip
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from troenpy.files.drafts import FilePath
from troenpy.transport.vectors import Vectors, WordVectors

LONGEST_LINE = 2**20  # bytes: hundreds of times longer than a line with 300 dimensions

_DIGITS = len(str(2**63))
_DAMAGE = (EOFError, OSError, zlib.error, zipfile.BadZipFile)


def read(path: FilePath, vocabulary: Collection[str] | None = None) -> WordVectors:
    r"""Read word vectors from a file.

    Parameters
    ----------
    path : path-like
        A text file, plain or compressed (.gz, .bz2), with a word and its numbers on each line, separated by spaces
        (GloVe); an optional first line holds the numbers of words and dimensions (word2vec). Or an .npz file with the
        arrays `words` and `vectors`. If a word occurs twice, its first vector is used.
    vocabulary : collection of str, optional
        Load only these words; the others take no memory.

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
        raise FileNotFoundError(f"no such file: {path}")
    if isinstance(vocabulary, str):
        raise TypeError(f"vocabulary must be a collection of words, got the string {vocabulary[:40]!r}: split it")
    wanted = None if vocabulary is None else frozenset(vocabulary)
    try:
        words, vectors = _from_arrays(path, wanted) if path.suffix == ".npz" else _from_text(path, wanted)
    except _DAMAGE as error:
        raise ValueError(f"{path} is damaged, or its suffix does not match its content: {error}") from None
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
    except ValueError:  # numpy's message advises allow_pickle=True, which can run code
        raise ValueError(f"{path} is not an .npz file of plain arrays") from None
    is_table = vectors.ndim == 2 and vectors.shape[1] > 0 and vectors.dtype.kind in "fiu"
    if words.ndim != 1 or words.dtype.kind != "U" or not is_table:
        raise ValueError(
            f"{path} must hold a 1-D array of strings, words, and a 2-D array of numbers, vectors; "
            f"got {words.dtype} of shape {words.shape} and {vectors.dtype} of shape {vectors.shape}"
        )
    first: dict[str, int] = {}
    for row, word in enumerate(words[: len(vectors)].tolist()):
        if wanted is None or word in wanted:
            first.setdefault(word, row)
    if len(words) != len(vectors):
        raise ValueError(f"{path} has {len(words)} words but {len(vectors)} vectors")
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
            # A cheap test that skips most lines. GloVe has words with spaces: those are compared in full below.
            if beginnings is not None and line[: line.find(b" ")] not in beginnings:
                continue
            parts = line.rstrip().rsplit(b" ", n_dimensions)
            word = parts[0].decode("utf-8", "replace")
            if word in words or (wanted is not None and word not in wanted):
                continue
            words[word] = None
            rows.append(_numbers(parts[1:], n_dimensions, path, number))
    if n_lines is not None and number < n_lines:
        raise ValueError(f"{path} ends at line {number} of {n_lines}: the file is truncated")
    return list(words), np.array(rows, dtype=np.float32).reshape(len(rows), n_dimensions)


def _lines(path: Path, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines, limited in length: a small compressed file may expand to a line larger than memory."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} of {path} exceeds {LONGEST_LINE:,} bytes: not a file of word vectors")
        yield number, line


def _size(path: Path, lines: Iterator[tuple[int, bytes]]) -> tuple[int | None, int, Iterator[tuple[int, bytes]]]:
    """Return the number of lines (if word2vec's header gives it), the number of dimensions, and the lines with vectors.

    The first vector is always checked, even if its word is not in the vocabulary, to detect files of another kind.
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
        raise ValueError(f"{path} must begin with a word and its numbers, or with word2vec's two numbers")
    if not first:
        return n_lines, n_dimensions, lines
    _numbers(first.rstrip().rsplit(b" ", n_dimensions)[1:], n_dimensions, path, number)
    return n_lines, n_dimensions, chain([(number, first)], lines)


def _numbers(parts: list[bytes], n_dimensions: int, path: Path, line: int) -> Vectors:
    if len(parts) != n_dimensions:
        raise ValueError(f"line {line} of {path} has {len(parts)} numbers, expected {n_dimensions}")
    try:
        return np.array(parts).astype(np.float32)
    except ValueError as error:
        raise ValueError(f"line {line} of {path} is not a word and its numbers: {error}") from None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    with opener(path, "rb") as file:
        yield file
