"""Count the documents of files by class and term, in parallel processes: `ClassCounts.from_files`.

Reading a file takes about three times as long as counting its terms, and partly holds Python's global lock: so each
process reads and counts files of its own, and their counts are added at the end.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.batches import check_counter, chosen_terms
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.tallies import Tally
from troenpy.files.drafts import FilePath
from troenpy.files.processes import is_worker, parallel_results
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_whole
from troenpy.tasks.file_group import CountedFile, FileGroup

#: The files of a checkpoint, and their drafts.
_PART = re.compile(r"part-\d+|\.part-\d+\.[0-9a-f]+")


@dataclass(frozen=True)
class CountingProgress:
    """How far counting files has come.

    Attributes
    ----------
    n_documents : int
        Documents counted.
    n_bytes, total : int
        Bytes read, and the size of all files.
    """

    n_documents: int
    n_bytes: int
    total: int

    @property
    def done(self) -> float:
        """The part of all bytes that have been read."""
        return self.n_bytes / self.total if self.total else 1.0


Callback = Callable[[CountingProgress], Any]


def count_files(
    paths: Any,
    *,
    counter: CountVectorizer | None,
    max_terms: int | None,
    n_jobs: int | None,
    checkpoint: FilePath | None,
    callback: Callback | None,
    **options: Any,
) -> ClassCounts:
    """Return the counts of all documents; see `ClassCounts.from_files`."""
    files, ready = [CountedFile.of(path) for path in _read_paths(paths)], _ready(counter, max_terms)
    if not (callback is None or callable(callback)):
        raise TypeError(f"callback must be a function, got {callback!r:.80}")
    n_groups = 1 if is_worker() else min(job_count(n_jobs), len(files))
    with _checkpoint_folder(checkpoint) as folder:
        parts = [None if folder is None else str(folder / f"part-{number}") for number in range(n_groups)]
        groups = [
            FileGroup(of_group, ready, options, part, None if n_groups == 1 else os.getpid())
            for of_group, part in zip(_share(files, n_groups), parts, strict=True)
        ]
        found = [tally for tally in _count_groups(groups, _Told(files, callback)) if tally is not None]
    if not found:
        raise ValueError(f"there is no document in {', '.join(file.path for file in files[:5])}")
    return _as_counts(ready, sum(found[1:], start=found[0]))


def _read_paths(paths: Any) -> list[str]:
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(given, Iterable):
        raise TypeError(f"paths must be names of files, got {type(paths).__name__}")
    names = list[str]()
    for path in given:
        if not (isinstance(path, str | os.PathLike) and isinstance(os.fspath(path), str)) or path == "-":
            raise TypeError(f"paths must be names of files, got {path!r:.80} among them")
        names.append(os.fspath(path))
    if not names:
        raise ValueError("paths must name at least one file, got none")
    resolved = [os.path.realpath(name) for name in names]
    twice = [name for number, name in enumerate(names) if resolved[number] in resolved[:number]]
    if twice:
        raise ValueError(f"paths must name each file once, got {twice[0]} twice")
    return names


def _ready(counter: CountVectorizer | None, max_terms: int | None) -> CountVectorizer:
    """Return a copy of the counter with checked parameters."""
    if not (counter is None or isinstance(counter, CountVectorizer)):
        raise TypeError(f"counter must be a CountVectorizer, got {type(counter).__name__}")
    ready: CountVectorizer = CountVectorizer() if counter is None else clone(counter)
    ready.n_jobs = None  # files are counted in parallel
    if max_terms is not None:
        ready.max_terms = check_whole("max_terms", max_terms, least=1)
    check_counter(ready, "from_files")
    if ready.input != "content":
        raise ValueError(f"input={ready.input!r} cannot be used with from_files, which reads the files itself")
    if ready.vocabulary is not None:
        ready._validate_vocabulary()
    return ready


def _share(files: list[CountedFile], n_groups: int) -> list[list[CountedFile]]:
    """Return groups of about equal size, each in the order of the files."""
    numbers: list[list[int]] = [[] for _ in range(n_groups)]
    sizes = [0] * n_groups
    for number in sorted(range(len(files)), key=lambda number: -files[number].n_bytes):
        smallest = min(range(n_groups), key=lambda group: (sizes[group], len(numbers[group])))
        numbers[smallest].append(number)
        sizes[smallest] += files[number].n_bytes
    return [[files[number] for number in sorted(of_group)] for of_group in numbers]


class _Told:
    """Calls the callback when there is something new."""

    def __init__(self, files: list[CountedFile], callback: Callback | None) -> None:
        self._total, self._callback = sum(file.n_bytes for file in files), callback
        self._last = 0, 0

    def tell(self, n_documents: int, n_bytes: int) -> None:
        if self._callback is not None and (n_documents, n_bytes) != self._last:
            self._last = n_documents, n_bytes
            self._callback(CountingProgress(n_documents, n_bytes, self._total))


def _count_groups(groups: list[FileGroup], told: _Told) -> list[Tally | None]:
    if len(groups) == 1:
        return [groups[0].count(told.tell)]
    descriptor, path = tempfile.mkstemp(prefix="troenpy-")  # where processes write how far they are
    try:
        os.close(descriptor)
        Path(path).write_bytes(bytes(16 * len(groups)))
        numbered = [(path, number, group) for number, group in enumerate(groups)]
        return parallel_results(
            _count_group, numbered, len(groups), lambda: told.tell(*_so_far(path).sum(axis=0).tolist())
        )
    finally:
        Path(path).unlink(missing_ok=True)


def _count_group(numbered: tuple[str, int, FileGroup]) -> Tally | None:
    path, number, group = numbered
    return group.count(partial(_note, _so_far(path)[number]))


def _so_far(path: str) -> NDArray[np.int64]:
    """Return the documents and bytes of each group so far."""
    return np.memmap(path, np.int64, "r+").reshape(-1, 2)


def _note(place: Any, n_documents: int, n_bytes: int) -> None:
    place[:] = n_documents, n_bytes


@contextmanager
def _checkpoint_folder(path: FilePath | None) -> Iterator[Path | None]:
    """Make the folder if it is not there; remove it if the block succeeds."""
    if path is None:
        yield None
        return
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"checkpoint must be a folder or not exist, but {path} is a file")
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: the folder {folder.parent} does not exist")
    folder.mkdir(exist_ok=True)
    others = [one.name for one in folder.iterdir() if not _PART.fullmatch(one.name)]
    if others:
        raise ValueError(f"checkpoint must be a folder for nothing else, but {path} holds {others[0]}")
    yield folder
    for part in folder.iterdir():
        if _PART.fullmatch(part.name):
            part.unlink(missing_ok=True)
    folder.rmdir()


def _as_counts(counter: CountVectorizer, tally: Tally) -> ClassCounts:
    """Return counts with the terms that the counter keeps, at most `max_terms`."""
    kept = tally.select(chosen_terms(counter, tally))
    names = counter.get_feature_names_out() if kept.terms is None else kept.terms.names()
    counts = kept.counts.with_terms(names)
    return counts if counter.max_terms is None or kept.terms is None else counts.prune(counter.max_terms)
