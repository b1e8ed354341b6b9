"""`n_jobs`: at most the processors and the pieces of work, and one clear error for what cannot be meant."""

import concurrent.futures
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from some_views import words

from troenpy import (
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
    experiments,
)
from troenpy.experiments import new_rows
from troenpy.experiments.runs import Corpus
from troenpy.fitting.jobs import job_count

TEXTS = ["late goal", "own goal", "late vote", "close vote"]
LABELS = ["sport", "sport", "politics", "politics"]


@pytest.fixture
def three_processors(monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 3)
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda: 3)


@pytest.mark.usefixtures("three_processors")
def test_there_are_at_most_as_many_jobs_as_processors_and_at_least_one():
    asked = [None, 1, 2, 3, 4, 4096, -1, -2, -3, -4, -4096, np.int64(2), np.uint8(200)]
    assert [job_count(n_jobs) for n_jobs in asked] == [1, 1, 2, 3, 3, 3, 3, 2, 1, 1, 1, 2, 3]


@pytest.mark.parametrize("n_jobs", [0, 1.5, 2.0, "2", True, np.True_, 4097, -4097, 2**32, -(2**63), 10**30, [2]])
def test_an_absurd_number_of_jobs_is_one_clear_error(n_jobs):
    message = r"n_jobs must be None or an int from -4096 to 4096 other than 0, got .*: -1 uses all processors$"
    with pytest.raises(ValueError, match=message):
        job_count(n_jobs)


FITTED = {
    "counts": lambda n_jobs: CountVectorizer(n_jobs=n_jobs).fit(TEXTS),
    "weights": lambda n_jobs: TfPiVectorizer(n_jobs=n_jobs).fit(TEXTS, LABELS),
    "batches": lambda n_jobs: TfPiVectorizer(n_jobs=n_jobs).partial_fit(TEXTS, LABELS),
    "features": lambda n_jobs: TermFeatures(words("pi"), n_jobs=n_jobs).fit(TEXTS, LABELS),
    "classifier": lambda n_jobs: TroenpyClassifier(n_jobs=n_jobs).fit(TEXTS, LABELS),
    "text neighbours": lambda n_jobs: TextKNeighborsClassifier(n_jobs=n_jobs).fit(TEXTS, LABELS),
    "neighbours": lambda n_jobs: SparseKNeighborsClassifier(1, n_jobs=n_jobs).fit(np.eye(4), LABELS).predict(np.eye(4)),
    "experiments": lambda n_jobs: experiments.run(["no such corpus"], ["knn: tf*pi"], n_jobs=n_jobs),
}


@pytest.mark.parametrize("n_jobs", [2**32, 10**30, "2", True])
@pytest.mark.parametrize("name", FITTED)
def test_everything_that_takes_n_jobs_says_the_same(name, n_jobs):
    with pytest.raises(ValueError, match=f"^n_jobs must be None or an int from -4096 .* got {n_jobs!r}"):
        FITTED[name](n_jobs)


@pytest.mark.usefixtures("three_processors")
def test_no_more_threads_run_than_there_are_processors():
    if not Path("/proc/self/task").exists():
        pytest.skip("counts threads by /proc")
    texts = [f"word{number} other{number % 7} " * 300 for number in range(3000)]
    most, stop, before = 0, threading.Event(), len(list(Path("/proc/self/task").iterdir()))

    def watch():
        nonlocal most
        while not stop.is_set():
            most = max(most, len(list(Path("/proc/self/task").iterdir())))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        X = CountVectorizer(n_jobs=1000).fit_transform(texts)
    finally:
        stop.set()
        watcher.join()
    assert most - before <= 1 + 2  # the watcher, and two that help this thread
    assert (CountVectorizer().fit_transform(texts) != X).nnz == 0


@pytest.mark.usefixtures("three_processors")
def test_experiments_start_no_more_threads_than_processors(monkeypatch):
    asked = []

    class Pool(concurrent.futures.ThreadPoolExecutor):
        def __init__(self, n_threads):
            asked.append(n_threads)
            super().__init__(n_threads)

    monkeypatch.setattr(new_rows, "ThreadPoolExecutor", Pool)
    corpus = Corpus("mine", tuple(TEXTS * 10), np.array(LABELS * 10))
    rows = [experiments.run([corpus], ["knn: tf*pi", "knn: tf*idf"], 1, n_jobs=n_jobs) for n_jobs in (1, 4000)]
    assert asked == [1, 3]
    assert [row.correct for row in rows[0]] == [row.correct for row in rows[1]]
