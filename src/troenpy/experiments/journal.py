"""The results file: one JSON row per corpus, split and method, flushed to disk before the next one starts."""

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
from typing import IO, Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from troenpy._kernel import kernel_available
from troenpy.experiments.row_checks import check_values, read_json, short_repr

#: Protocol version: increase it when the same corpus, split and method may give a different result.
PROTOCOL = 1

Key = tuple[str, bool, float, int | None, int | None, str]


@dataclass(frozen=True)
class Row:
    """The result of one method on one split of one corpus.

    Parameters
    ----------
    protocol : int
        Protocol version.
    corpus, fingerprint : str
        Name of the corpus, and a checksum of its documents.
    deduplicated : bool
    train_fraction : float
        Fraction of the training documents used.
    seed : int or None
        Seed of the random split; None for the given split.
    method : str
    n_train, n_test, n_terms, n_wrong : int
        Training and test documents, terms in the training part (0 if nobody counted them), misclassified test
        documents.
    error : float
        n_wrong / n_test
    correct : str
        One bit per test document, 1 if its class is right, in base64. See `was_correct`.
    wall_seconds, cpu_seconds : float
        Time for weighting, fitting and predicting. Selecting rows and counting by class, which all methods of a split
        share, are not included. Methods that differ only in k share the time of one search equally.
    versions : dict
        Versions of the packages used.
    sample : int or None
        Number of test documents drawn; None means all. Missing in older rows.
    vectors : str or None
        The word vectors used. Missing in older rows.
    log_loss, calibration_error : float or None
        Of the predicted probabilities, for methods from raw text that have them. Missing in older rows, as the rest.
    settings, chosen : str or None
        For methods from raw text, the classifier with its parameters, and what it chose while fitting.
    fit_seconds : float or None
        The part of `wall_seconds` that fitting took.
    predicted, losses : str or None
        The number of the class predicted for each test document, and minus the log of the probability of its true one,
        in base64. See `predictions` and `document_losses`.
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
    log_loss: float | None = None
    calibration_error: float | None = None
    settings: str | None = None
    chosen: str | None = None
    fit_seconds: float | None = None
    predicted: str | None = None
    losses: str | None = None

    @property
    def key(self) -> Key:
        """The fields that identify a row."""
        return self.corpus, self.deduplicated, self.train_fraction, self.sample, self.seed, self.method

    @property
    def setting(self) -> str:
        """The corpus and its variant, such as "r8, deduplicated"."""
        setting = f"{self.corpus}, deduplicated" if self.deduplicated else self.corpus
        setting = setting if self.train_fraction == 1 else f"{setting}, {self.train_fraction:.4g} of training"
        return setting if self.sample is None else f"{setting}, sample of {self.sample}"

    def was_correct(self) -> NDArray[np.bool_]:
        """Return whether each test document was classified correctly."""
        bits = np.frombuffer(base64.b64decode(self.correct), dtype=np.uint8)
        return np.unpackbits(bits, count=self.n_test).astype(bool)

    def predictions(self) -> NDArray[np.int64]:
        """Return the number of the class predicted for each test document."""
        return np.frombuffer(base64.b64decode(self.predicted or ""), dtype="<i4").astype(np.int64)

    def document_losses(self) -> NDArray[np.float64] | None:
        """Return minus the log of the probability of each true class, if the row has it."""
        return None if self.losses is None else np.frombuffer(base64.b64decode(self.losses), "<f4").astype(np.float64)

    def to_json(self) -> str:
        """Return the row as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str | bytes) -> "Row":
        """Parse a line written by `to_json`.

        Raises
        ------
        ValueError
            If the line is not a valid row of the current protocol.
        """
        try:
            values = read_json(line)
        except ValueError as error:
            raise ValueError(f"not a row of results: {error}") from None
        if not isinstance(values, dict) or "protocol" not in values:
            raise ValueError("not a row of results")
        protocol = values["protocol"]
        if type(protocol) is not int or protocol != PROTOCOL:
            raise ValueError(f"protocol must be {PROTOCOL}, got {short_repr(protocol)}")
        names = {field.name: field.default is MISSING for field in fields(cls)}
        for name in values.keys() - names:
            raise ValueError(f"unknown field {short_repr(name)}")
        for name, is_needed in names.items():
            if is_needed and name not in values:
                raise ValueError(f"missing field {name!r}")
        check_values(values)
        return cls(**values)


def pack_bits(correct: NDArray[np.bool_]) -> str:
    """Encode booleans for `Row.correct`."""
    return base64.b64encode(np.packbits(correct).tobytes()).decode()


def pack_numbers(values: NDArray[Any], kind: str) -> str:
    """Encode numbers for `Row.predicted` ("<i4") and `Row.losses` ("<f4")."""
    return base64.b64encode(np.asarray(values).astype(kind).tobytes()).decode()


@cache
def versions(*others: str) -> dict[str, str]:
    """Return the versions of the packages that results depend on, and of the others named."""
    return {
        "troenpy": metadata.version("troenpy"),
        "kernel": "yes" if kernel_available() else "no",
        "numpy": np.__version__,
        "scipy": metadata.version("scipy"),
        "scikit-learn": metadata.version("scikit-learn"),
        "python": platform.python_version(),
    } | {name: metadata.version(name) for name in others}


def all_versions(rows: Iterable[Row]) -> dict[str, str]:
    """Return the package versions of the rows; a row lists only packages that its method used.

    Raises
    ------
    ValueError
        If the rows disagree on a version.
    """
    found: dict[str, str] = {}
    changed = {
        name for row in rows for name, version in row.versions.items() if found.setdefault(name, version) != version
    }
    if changed:
        raise ValueError(
            f"rows from different versions of {', '.join(sorted(changed))} cannot be compared: run one set again"
        )
    return found


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Read the rows of a file, ignoring an incomplete last line left by a killed run.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of Row

    Raises
    ------
    ValueError
        If a line is not a valid row, or two rows have the same corpus, split and method.
    """
    rows: dict[Key, Row] = {}
    for number, line in enumerate(Path(path).read_bytes().split(b"\n")[:-1], start=1):
        try:
            row = Row.from_json(line)
        except ValueError as error:
            raise ValueError(
                f"line {number} of {path}: {error}; delete this file, overwrite it, or write to another"
            ) from None
        if row.key in rows:
            raise ValueError(
                f"line {number} of {path}: second row for {row.setting}, {row.seed}, {row.method!r}; remove one"
            )
        rows[row.key] = row
    return list(rows.values())


class Journal:
    """Rows in memory, and optionally in a file; `append` returns when the row is on disk.

    With `overwrite`, old rows are deleted when the first new row is written, so a run that fails earlier loses nothing.
    """

    def __init__(self, file: IO[bytes] | None, rows: list[Row], *, overwrite: bool = False) -> None:
        self._file = file
        self._overwrite = overwrite
        self._name = "" if file is None else file.name
        self.rows = {row.key: row for row in rows}

    def append(self, row: Row) -> None:
        """Write a row, and wait until it is on disk."""
        if self._file is not None:
            try:
                if self._overwrite:
                    self._file.truncate(0)
                    self._overwrite = False
                _write(self._file, row.to_json().encode() + b"\n")
            except OSError as error:  # which does not name the file
                raise OSError(error.errno, error.strerror, self._name) from None
        self.rows[row.key] = row

    def check(
        self, fingerprints: dict[tuple[str, bool], str], versions_used: dict[str, str], vectors: str | None = None
    ) -> None:
        """Raise unless new rows are compatible with those already in the file.

        Parameters
        ----------
        fingerprints : dict
            Fingerprints of the corpora to run, by (name, deduplicated).
        versions_used : dict
            Package versions of the new rows.
        vectors : str, optional
            Word vectors of the new rows, if any use them.
        """
        for row in self.rows.values():
            for name, version in versions_used.items():
                if row.versions.get(name, version) != version:
                    raise ValueError(
                        f"{self._name} has rows made with {name} {row.versions[name]}, but this is {version}:"
                        " overwrite the file or write to another one"
                    )
            if None not in (row.vectors, vectors) and row.vectors != vectors:
                raise ValueError(
                    f"{self._name} has rows made with the word vectors {row.vectors}, but these are {vectors}:"
                    " overwrite the file or write to another one"
                )
            expected = fingerprints.get((row.corpus, row.deduplicated), row.fingerprint)
            if row.fingerprint != expected:
                raise ValueError(
                    f"{self._name} has rows for a different corpus named {row.corpus}:"
                    " overwrite the file or write to another one"
                )


@contextmanager
def open_journal(path: str | os.PathLike[str] | None, *, overwrite: bool = False) -> Iterator[Journal]:
    """Open a file of rows for appending, creating it and its folder if necessary.

    Parameters
    ----------
    path : path-like or None
        None keeps the rows in memory only.
    overwrite : bool, default=False
        Discard existing rows.

    Yields
    ------
    Journal
    """
    if path is None:
        yield Journal(None, [])
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    # Unbuffered: a buffer that cannot be written would raise a second error on close.
    with Path(path).open("ab", buffering=0) as file, _lock(Path(path)):
        rows = [] if overwrite else read_rows(path)
        if not overwrite:
            file.truncate(Path(path).read_bytes().rfind(b"\n") + 1)  # drop a row that a killed run left incomplete
        yield Journal(file, rows, overwrite=overwrite)


def _write(file: IO[bytes], content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
    os.fsync(file.fileno())


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep out a second run, with a hidden lock file; one left behind by a killed run is reused."""
    lock = FileLock(path.with_name(f".{path.name}.lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BlockingIOError(f"another run is writing {path}: wait for it, or write to another file") from None
    except (OSError, NotImplementedError) as error:  # NotImplementedError on file systems without locks
        reason = getattr(error, "strerror", None) or error
        raise OSError(f"cannot lock {path} with {lock.lock_file} ({reason}): write to a local folder instead") from None
    try:
        yield
    finally:
        with suppress(
            OSError
        ):  # Windows cannot remove an open file; elsewhere filelock rejects a lock file that is gone
            Path(lock.lock_file).unlink()
        lock.release()
