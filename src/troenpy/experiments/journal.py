"""Results as they come: one JSON row per corpus, split and method, on disk before the next one is begun."""

import base64
import json
import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import IO

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from troenpy._kernel import kernel_available
from troenpy.experiments.row_checks import check_values, read_json, shown

#: Raised whenever the same corpus, split and method may give another result.
PROTOCOL = 1

Key = tuple[str, bool, float, int | None, int | None, str]


@dataclass(frozen=True)
class Row:
    """What one method did on one split of one corpus.

    Parameters
    ----------
    protocol : int
        The number of the rules by which it was made.
    corpus, fingerprint : str
        The corpus's name, and a checksum of its documents.
    deduplicated : bool
    train_fraction : float
        Which part of the training documents was used.
    seed : int or None
        Of the random split; None is the given one.
    method : str
    n_train, n_test, n_terms, n_wrong : int
        Documents of both parts, terms of the training part, test documents with a wrong class.
    error : float
        n_wrong / n_test
    correct : str
        Which test documents got their class, in the order of the split: bits, base64. See `was_correct`.
    wall_seconds, cpu_seconds : float
        For weighting, fitting and predicting. What all methods of a split share is not in it: selecting rows and
        counting by class; methods that differ in k only share the time of their search.
    versions : dict
        Of what the method used.
    sample : int or None
        How many test documents were drawn; None is all of them. Older rows do not have it.
    vectors : str or None
        The word vectors that the method had. Older rows do not have it.
    """

    protocol: int
    corpus: str
    fingerprint: str
    deduplicated: bool
    train_fraction: float
    seed: int | None
    method: str
    n_train: int
    n_test: int
    n_terms: int
    n_wrong: int
    error: float
    correct: str
    wall_seconds: float
    cpu_seconds: float
    versions: dict[str, str]
    sample: int | None = None
    vectors: str | None = None

    @property
    def key(self) -> Key:
        """What makes it the only row of its kind."""
        return self.corpus, self.deduplicated, self.train_fraction, self.sample, self.seed, self.method

    @property
    def setting(self) -> str:
        """The corpus, and how it was changed."""
        setting = f"{self.corpus}, deduplicated" if self.deduplicated else self.corpus
        setting = setting if self.train_fraction == 1 else f"{setting}, {self.train_fraction:.4g} of training"
        return setting if self.sample is None else f"{setting}, sample of {self.sample}"

    def was_correct(self) -> NDArray[np.bool_]:
        """Return whether each test document got its class."""
        bits = np.frombuffer(base64.b64decode(self.correct), dtype=np.uint8)
        return np.unpackbits(bits, count=self.n_test).astype(bool)

    def to_json(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str | bytes) -> "Row":
        """Undo `to_json`.

        Raises
        ------
        ValueError
            If it is not a row of this protocol, or not one that a run can have written.
        """
        try:
            values = read_json(line)
        except ValueError as error:
            raise ValueError(f"not a row of results: {error}") from None
        if not isinstance(values, dict) or "protocol" not in values:
            raise ValueError("not a row of results")
        protocol = values["protocol"]
        if type(protocol) is not int or protocol != PROTOCOL:
            raise ValueError(f"a row of protocol {shown(protocol)}, not of protocol {PROTOCOL} as it is now")
        names = {field.name: field.default is MISSING for field in fields(cls)}
        for name in values.keys() - names:
            raise ValueError(f"a row of protocol {PROTOCOL} has no {shown(name)}")
        for name, is_needed in names.items():
            if is_needed and name not in values:
                raise ValueError(f"{name!r} is missing")
        check_values(values)
        return cls(**values)


def packed(correct: NDArray[np.bool_]) -> str:
    """Return bits as `Row.correct` has them."""
    return base64.b64encode(np.packbits(correct).tobytes()).decode()


@cache
def versions(*others: str) -> dict[str, str]:
    """Return the versions of what a result may depend on, and of other packages."""
    return {
        "troenpy": metadata.version("troenpy"),
        "kernel": "yes" if kernel_available() else "no",
        "numpy": np.__version__,
        "scipy": metadata.version("scipy"),
        "scikit-learn": metadata.version("scikit-learn"),
        "python": platform.python_version(),
    } | {name: metadata.version(name) for name in others}


def all_versions(rows: Iterable[Row]) -> dict[str, str]:
    """Return the versions that rows were made with; one that a row does not tell is none that its method used.

    Raises
    ------
    ValueError
        If there are two of something.
    """
    found: dict[str, str] = {}
    changed = {
        name for row in rows for name, version in row.versions.items() if found.setdefault(name, version) != version
    }
    if changed:
        raise ValueError(f"rows made with different versions of {', '.join(sorted(changed))} do not compare")
    return found


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Read all whole rows of a file; a last line without its end, cut off by a kill, is not one.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of Row

    Raises
    ------
    ValueError
        If a line is not a row of this protocol, or two rows are of one corpus, split and method.
    """
    rows: dict[Key, Row] = {}
    for number, line in enumerate(Path(path).read_bytes().split(b"\n")[:-1], start=1):
        try:
            row = Row.from_json(line)
        except ValueError as error:
            raise ValueError(f"line {number} of {path}: {error}; start afresh or write elsewhere") from None
        if row.key in rows:
            raise ValueError(f"line {number} of {path}: a second row of {row.setting}, {row.seed}, {row.method!r}")
        rows[row.key] = row
    return list(rows.values())


class Journal:
    """Rows, and the file they are written to if there is one; a row is on the disk when `append` returns.

    A fresh one forgets what the file has when it has a row to put there instead: a run that fails before loses nothing.
    """

    def __init__(self, file: IO[bytes] | None, rows: list[Row], *, is_fresh: bool = False) -> None:
        self._file = file
        self._is_fresh = is_fresh
        self._name = "" if file is None else file.name
        self.rows = {row.key: row for row in rows}

    def append(self, row: Row) -> None:
        """Write a row whole, and wait until the disk has it."""
        if self._file is not None:
            try:
                if self._is_fresh:
                    self._file.truncate(0)
                    self._is_fresh = False
                _write(self._file, row.to_json().encode() + b"\n")
            except OSError as error:  # which does not say where
                raise OSError(error.errno, error.strerror, self._name) from None
        self.rows[row.key] = row

    def check(
        self, fingerprints: dict[tuple[str, bool], str], made_with: dict[str, str], vectors: str | None = None
    ) -> None:
        """Raise unless new rows may stand beside those that are here.

        Parameters
        ----------
        fingerprints : dict
            Of each corpus about to be run, by name and whether it is deduplicated.
        made_with : dict
            The versions that new rows will have.
        vectors : str, optional
            The word vectors of new rows, if any has some.
        """
        for row in self.rows.values():
            for name, version in made_with.items():
                if row.versions.get(name, version) != version:
                    raise ValueError(
                        f"{self._name} has rows made with {name} {row.versions[name]}, and this is {version}:"
                        " rows of both do not mix, so start afresh or write elsewhere"
                    )
            if None not in (row.vectors, vectors) and row.vectors != vectors:
                raise ValueError(
                    f"{self._name} has rows made with the word vectors {row.vectors}, and these are {vectors}:"
                    " start afresh or write elsewhere"
                )
            expected = fingerprints.get((row.corpus, row.deduplicated), row.fingerprint)
            if row.fingerprint != expected:
                raise ValueError(
                    f"{self._name} has rows of another corpus called {row.corpus}: start afresh or write elsewhere"
                )


@contextmanager
def open_journal(path: str | os.PathLike[str] | None, *, is_fresh: bool = False) -> Iterator[Journal]:
    """Open a file of rows to add to it; it is made, with its folder, if it is not there.

    Parameters
    ----------
    path : path-like or None
        None keeps rows in memory only.
    is_fresh : bool, default=False
        Forget the rows that are there.

    Yields
    ------
    Journal
    """
    if path is None:
        yield Journal(None, [])
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Without a buffer: one that cannot be written would fail again at the end.
    with Path(path).open("ab", buffering=0) as file, _lock(Path(path)):
        rows = [] if is_fresh else read_rows(path)
        if not is_fresh:
            file.truncate(Path(path).read_bytes().rfind(b"\n") + 1)  # without a row that a killed run was writing
        yield Journal(file, rows, is_fresh=is_fresh)


def _write(file: IO[bytes], content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep a second run out, by a hidden file; one that a killed run left behind is not locked, and is taken over."""
    lock = FileLock(path.with_name(f".{path.name}.lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BlockingIOError(f"another run is writing {path}: wait for it, or write elsewhere") from None
    except (OSError, NotImplementedError) as error:  # the latter where the file system has no locks
        reason = getattr(error, "strerror", None) or error
        raise OSError(f"cannot lock {path} by {lock.lock_file} ({reason}): write to a local folder of yours") from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no open file; elsewhere filelock refuses a lock on one that is gone
            Path(lock.lock_file).unlink()
        lock.release()
