"""Remaining tasks of a run, and the time they will take."""

import time
from collections.abc import Container
from dataclasses import dataclass, replace

from troenpy.datasets.corpora import Corpus
from troenpy.experiments.evaluation import cost
from troenpy.experiments.grammar import Method
from troenpy.experiments.journal import Key, Row


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Parameters
    ----------
    done, total : int
        Number of rows so far, and in all.
    seconds_left : float
        Estimated from the speed so far.
    row : Row
        The latest row.
    """

    done: int
    total: int
    seconds_left: float
    row: Row


@dataclass(frozen=True)
class Task:
    """Methods to run on one split of one corpus."""

    corpus: Corpus
    deduplicated: bool
    train_fraction: float
    sample: int | None
    seed: int | None
    methods: list[Method]

    def without(self, rows: Container[Key]) -> "Task":
        """Return the task without the methods that already have a row."""
        return replace(self, methods=[method for method in self.methods if self.key(method) not in rows])

    def key(self, method: Method) -> Key:
        """Return the key of the row of a method."""
        return self.corpus.name, self.deduplicated, self.train_fraction, self.sample, self.seed, method.name


class ProgressMeter:
    """Estimates the remaining time, from the size of the corpora and the cost of the methods."""

    def __init__(self, tasks: list[Task], n_total: int) -> None:
        self.tasks, self._n_total = tasks, n_total
        self._n_done = n_total - sum(len(task.methods) for task in tasks)
        sizes = {task.corpus.name: sum(map(len, task.corpus.texts)) for task in tasks}
        self._costs = {
            task.key(method): sizes[task.corpus.name] * cost(method) for task in tasks for method in task.methods
        }
        self._left = self._all = sum(self._costs.values())
        self._start = time.perf_counter()

    def progress(self, row: Row) -> Progress:
        """Count a row, and return the progress."""
        self._n_done += 1
        self._left -= self._costs[row.key]
        elapsed = time.perf_counter() - self._start
        seconds_left = elapsed * self._left / max(1, self._all - self._left)
        return Progress(self._n_done, self._n_total, seconds_left, row)
