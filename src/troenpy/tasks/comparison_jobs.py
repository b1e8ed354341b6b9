"""Fit methods on the parts of a test plan, in processes, and keep a row of each: an interrupted run goes on from them.

The texts are written to a temporary file once, from which each process reads them.
"""

import hashlib
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from troenpy.experiments.journal import Journal, Row, open_journal, versions
from troenpy.experiments.text_methods import TEXT_METHODS, TextMethod
from troenpy.experiments.text_runs import TextSplit, evaluate, find_row, settings_of
from troenpy.files.drafts import FilePath
from troenpy.files.processes import is_worker, parallel_results
from troenpy.tasks.folds import Fold
from troenpy.tasks.learning import Step

#: With fewer characters to learn from, processes take longer to start than the work.
FEW_CHARACTERS = 5_000_000
#: How long a method takes per document, relative to others, until it is known.
USUAL_COSTS = {
    "majority class": 0.01,
    "ComplementNB": 0.15,
    "TF-IDF, nearest neighbours": 0.3,
    "TF-IDF, logistic regression": 0.8,
    "TF-IDF, words and characters, linear SVM": 2.0,
    "troenpy": 1.3,
    "troenpy, neighbours": 1.0,
    "troenpy, the paper's": 0.2,
}


class Job(NamedTuple):
    """A method, a fold, and the fraction of its documents that are learnt from."""

    method: str
    fold: int
    fraction: float = 1.0


@dataclass(frozen=True, eq=False)
class PlannedTests:
    """Numbered documents, and the folds on which methods are tested.

    Parameters
    ----------
    name : str
        Of the file.
    texts : list of str
    codes : ndarray of int
        The number of the class of each text.
    folds : list of Fold
    seed : int
        Draws the fractions.
    """

    name: str
    texts: list[str]
    codes: NDArray[np.int64]
    folds: list[Fold]
    seed: int

    @classmethod
    def from_json(cls, content: str) -> "PlannedTests":
        """Rebuild the plan from `to_json`."""
        name, texts, codes, folds, seed = json.loads(content)
        parts = [Fold(*(np.array(part, dtype=np.int64) for part in fold)) for fold in folds]
        return cls(name, texts, np.array(codes, dtype=np.int64), parts, seed)

    def to_json(self) -> str:
        """Return the plan as JSON."""
        folds = [[part.tolist() for part in fold] for fold in self.folds]
        return json.dumps([self.name, self.texts, self.codes.tolist(), folds, self.seed])

    def learnt(self, job: Job) -> NDArray[np.int64]:
        """Return the documents to learn from: smaller fractions are parts of larger ones, with all classes alike."""
        learnt = self.folds[job.fold].learnt
        if job.fraction == 1:
            return learnt
        lot = np.random.default_rng(self.seed).permutation(len(learnt))
        codes = self.codes[learnt]
        order = np.lexsort((lot, codes))
        sizes = np.bincount(codes)
        place = np.empty(len(learnt), dtype=np.float64)
        place[order] = np.arange(len(learnt)) - (np.cumsum(sizes) - sizes)[codes[order]]
        share = (place + 0.5) / sizes[codes]
        return np.sort(learnt[np.lexsort((lot, share))[: max(1, round(job.fraction * len(learnt)))]])

    def evaluate(self, job: Job, fingerprint: str) -> Row:
        """Fit and test the method of a job."""
        learnt, tested = self.learnt(job), self.folds[job.fold].tested
        parts = ([self.texts[i] for i in learnt.tolist()], self.codes[learnt])
        tests = ([self.texts[i] for i in tested.tolist()], self.codes[tested])
        split = TextSplit(self.name, fingerprint, job.fold, *parts, *tests, job.fraction, keeps_predictions=True)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the error is measured, whatever the solver says
            return evaluate(split, TEXT_METHODS[job.method])


class Jobs:
    """Runs jobs of a plan; what the journal holds is not computed again."""

    def __init__(
        self,
        plan: PlannedTests,
        methods: Sequence[TextMethod],
        journal: Journal,
        fingerprint: str,
        path: str,
        n_processes: int,
        tell: Callable[[Step], Any],
    ) -> None:
        self._plan, self._journal, self._fingerprint, self._path = plan, journal, fingerprint, path
        self._settings = {method.name: settings_of(method.new()) for method in methods}
        self._n_processes, self._tell = n_processes, tell
        self._earlier = set(journal.rows)
        self.n_kept = 0

    def run(self, jobs: Sequence[Job], doing: str) -> dict[Job, Row]:
        """Return the row of each job."""
        rows = {job: row for job in jobs if (row := self._known(job)) is not None}
        self.n_kept += sum(row.key in self._earlier for row in rows.values())
        missing = [job for job in jobs if job not in rows]
        outlook = _Outlook(missing, len(self._plan.texts), list(rows.items()))

        def note(item: tuple[str, str, Job], row: Row) -> None:
            self._journal.append(row)
            rows[item[2]] = row
            outlook.end(item[2], row)
            tell()

        def tell() -> None:
            self._tell(Step(doing, outlook.done(self._n_processes)))

        items = [(self._path, self._fingerprint, job) for job in missing]
        n_characters = len(missing) * sum(map(len, self._plan.texts))
        if self._n_processes == 1 or is_worker() or n_characters < FEW_CHARACTERS:
            for item in items:
                tell()
                note(item, self._plan.evaluate(item[2], self._fingerprint))
        else:
            parallel_results(_work, items, min(self._n_processes, len(items)), tell, note)
        return {job: rows[job] for job in jobs}

    def _known(self, job: Job) -> Row | None:
        key = (self._plan.name, False, job.fraction, None, job.fold, job.method)
        return find_row(self._journal, key, self._settings[job.method])


class _Outlook:
    """The part of the work that is done, by the time that each method took so far."""

    def __init__(self, jobs: Sequence[Job], n_documents: int, known: list[tuple[Job, Row]]) -> None:
        self._left, self._start, self._n_documents = set(jobs), time.monotonic(), n_documents
        self._seconds: dict[str, list[float]] = {}
        for job, row in known:
            self._note(job, row)

    def end(self, job: Job, row: Row) -> None:
        """Note that a job has ended."""
        self._left.discard(job)
        self._note(job, row)

    def done(self, n_processes: int) -> float:
        """Return the part of the work that is done."""
        elapsed = time.monotonic() - self._start
        speeds = [np.mean(seconds) / USUAL_COSTS.get(name, 1.0) for name, seconds in self._seconds.items()]
        usual = float(np.median(speeds)) if speeds else 1e-3
        left = sum(self._expected(job, usual) for job in self._left) * self._n_documents / n_processes
        return elapsed / (elapsed + left) if left else 1.0

    def _note(self, job: Job, row: Row) -> None:
        self._seconds.setdefault(job.method, []).append(row.wall_seconds / max(row.n_train, 1))

    def _expected(self, job: Job, usual: float) -> float:
        known = self._seconds.get(job.method)
        return job.fraction * (float(np.mean(known)) if known else usual * USUAL_COSTS.get(job.method, 1.0))


@contextmanager
def open_jobs(
    plan: PlannedTests,
    methods: Sequence[TextMethod],
    folder: FilePath | None,
    n_processes: int,
    tell: Callable[[Step], Any],
) -> Iterator[tuple[Jobs, Path | None]]:
    """Open the rows of a plan: a file in `folder` whose name depends on texts, labels, folds and versions.

    Yields
    ------
    Jobs, Path or None
        And the file of rows.
    """
    content = plan.to_json()
    used = versions(*(package for method in methods for package in method.packages))
    digest = hashlib.sha256(content.encode() + json.dumps(versions(), sort_keys=True).encode()).hexdigest()[:16]
    stem = re.sub(r"[^\w.-]", "_", plan.name)[:80]
    rows = None if folder is None else Path(folder) / f"{stem}-{digest}.jsonl"
    if rows is not None and Path(rows.parent).exists() and not rows.parent.is_dir():
        raise NotADirectoryError(f"rows must name a folder, but {rows.parent} is a file")
    descriptor, path = tempfile.mkstemp(prefix="troenpy-", suffix=".json")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(content)
        with open_journal(rows) as journal:
            journal.check({(plan.name, False): digest}, used)
            yield Jobs(plan, methods, journal, digest, path, n_processes, tell), rows
    finally:
        Path(path).unlink(missing_ok=True)


def _work(item: tuple[str, str, Job]) -> Row:
    path, fingerprint, job = item
    return _read_plan(path).evaluate(job, fingerprint)


@cache
def _read_plan(path: str) -> PlannedTests:
    return PlannedTests.from_json(Path(path).read_text(encoding="ascii"))
