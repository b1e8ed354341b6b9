"""What a run has still to do, and how long that will take."""

import time
from collections.abc import Container
from dataclasses import dataclass, replace

from troenpy.datasets.corpora import Corpus
from troenpy.experiments.evaluation import cost
from troenpy.experiments.grammar import Method
from troenpy.experiments.journal import Key, Row


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    done, total : int
        Rows.
    seconds_left : float
        At the speed so far.
    row : Row
        The newest.
    """

    done: int
    total: int
    seconds_left: float
    row: Row


@dataclass(frozen=True)
class Task:
    """The methods still to be run on one split of one corpus."""

    corpus: Corpus
    is_deduplicated: bool
    train_fraction: float
    sample: int | None
    seed: int | None
    methods: list[Method]

    def without(self, rows: Container[Key]) -> "Task":
        """Return the task without the methods whose rows are there already."""
        return replace(self, methods=[method for method in self.methods if self.key(method) not in rows])

    def key(self, method: Method) -> Key:
        """What the row of a method will be known by."""
        return self.corpus.name, self.is_deduplicated, self.train_fraction, self.sample, self.seed, method.name


class Clock:
    """Foresees the end: a method takes the longer the more text there is, and the more it has to fit."""

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
        """Count a row, and say how far the run is."""
        self._n_done += 1
        self._left -= self._costs[row.key]
        elapsed = time.perf_counter() - self._start
        seconds_left = elapsed * self._left / max(1, self._all - self._left)
        return Progress(self._n_done, self._n_total, seconds_left, row)
