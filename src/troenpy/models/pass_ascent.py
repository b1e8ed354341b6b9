"""Logistic regression in passes over batches of rows that are made again for each pass.

The kernel's dual coordinate ascent goes through the rows of a batch in random order; what it must know of each row in
the next pass, four bytes for each decision, waits in one temporary file. Without the kernel a pass is a step of L-BFGS.
"""

import tempfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from troenpy import _kernel
from troenpy._kernel.solver import Rows
from troenpy.models.losses import Codes, Floats, RowLoss, first_intercept

#: Passes end when one has less than this share of the objective to gain, or after so many.
SETTLED, MOST_PASSES = 0.01, 30


class Target(NamedTuple):
    """What one set of decisions learns: the class of every label set, and the weight of each class."""

    codes: Codes
    weights: Floats
    n_classes: int


class Batch(NamedTuple):
    """Rows, and the number of the label set of each."""

    rows: Rows
    numbers: NDArray[np.int64]


#: A new pass over all batches; the argument counts the passes.
Pass = Callable[[int], Iterator[Batch]]


class PassFit(NamedTuple):
    """Coefficients of shape (n_decisions, n_columns), those of all targets below each other."""

    coef: Floats
    intercept: Floats
    n_passes: int
    is_settled: bool
    solver: str


def fit_in_passes(
    read: Pass, targets: list[Target], sizes: NDArray[np.int64], n_columns: int, C: float, max_passes: int
) -> PassFit:
    """Minimise C x the sum of log losses + half the sum of squared coefficients, over all batches.

    Parameters
    ----------
    read : function that returns the batches of a pass
    targets : list of Target
        Each is fitted separately.
    sizes : ndarray of shape (n_sets,)
        The number of documents with each label set.
    n_columns : int
        Of every batch.
    C : float
    max_passes : int

    Returns
    -------
    PassFit
    """
    if not targets:
        for _ in read(1):  # for what the reader notes of the documents
            pass
        return PassFit(np.empty((0, n_columns)), np.empty(0), 0, True, "none")
    fit = _ascend if _kernel.compiled() is not None else _descend
    return fit(read, targets, sizes, n_columns, C, max_passes)


def _ascend(
    read: Pass, targets: list[Target], sizes: NDArray[np.int64], n_columns: int, C: float, max_passes: int
) -> PassFit:
    with tempfile.TemporaryFile(prefix="troenpy-") as logs:
        climbers = list[_Climber]()
        share, n_pass = np.inf, 0
        while n_pass < min(max_passes, MOST_PASSES) and not share <= SETTLED:
            n_pass += 1
            logs.seek(0)
            for batch in read(n_pass):
                if not climbers:
                    climbers = [_Climber(target, sizes, batch.rows, C) for target in targets]
                for climber in climbers:
                    climber.climb(batch, logs, is_first=n_pass == 1)
            gains, bounds = zip(*(climber.end_pass() for climber in climbers), strict=True)
            if n_pass > 1 and sum(bounds) > 0:  # the first pass does not know its gain
                share = sum(gains) / sum(bounds)
        coef, intercept = (np.concatenate(found) for found in zip(*(one.read() for one in climbers), strict=True))
    return PassFit(batch.rows.in_order(coef), intercept, n_pass, share <= SETTLED, "ascent")


class _Climber:
    """The ascent of one target."""

    def __init__(self, target: Target, sizes: NDArray[np.int64], rows: Rows, C: float) -> None:
        assert _kernel.native is not None  # noqa: S101
        self._target, self._largest = target, float(target.weights.max())
        intercept = _first_intercept(target, sizes)
        is_single = isinstance(rows.native, _kernel.native.Rows32)
        ascent = _kernel.native.PassAscent32 if is_single else _kernel.native.PassAscent64
        self._strength = C * self._largest
        self._ascent = ascent(rows.n_columns, self._strength, intercept)
        self._shape = len(intercept), rows.n_columns
        self._entropy = 0.0

    def climb(self, batch: Batch, file: BinaryIO, *, is_first: bool) -> None:
        """Visit the rows of a batch; what is known of them is read from the file, and written in its place."""
        codes = self._target.codes[batch.numbers]
        logs = np.zeros((batch.rows.n_rows, self._ascent.width), dtype=np.float32)
        if not is_first:
            logs.ravel()[:] = np.frombuffer(file.read(logs.nbytes), np.float32)
            file.seek(-logs.nbytes, 1)
        weights = self._target.weights[codes] / self._largest
        self._ascent.climb(batch.rows.native, codes, weights, logs)
        file.write(logs.data)
        self._entropy += float(weights @ _entropies(logs))

    def end_pass(self) -> tuple[float, float]:
        """Return about how much there was to gain, and the dual objective: a lower bound of the objective."""
        bound = self._entropy - self._ascent.half_squares()
        self._entropy = 0.0
        return self._largest * self._ascent.end_pass(), self._largest * bound

    def read(self) -> tuple[Floats, Floats]:
        coef, intercept = np.empty(self._shape), np.empty(self._shape[0])
        self._ascent.read(coef, intercept)
        coef *= np.sqrt(self._strength)
        return coef, intercept


def _descend(
    read: Pass, targets: list[Target], sizes: NDArray[np.int64], n_columns: int, C: float, max_passes: int
) -> PassFit:
    n_pass, last_rows = 0, list[Rows]()
    starts = [_first_intercept(target, sizes) for target in targets]
    ends = np.cumsum([0, *map(len, starts)]).tolist()

    def objective(state: Floats) -> tuple[float, Floats]:
        nonlocal n_pass
        n_pass += 1
        by_column = state.reshape(n_columns + 1, ends[-1])
        coef, intercept = by_column[:-1], by_column[-1]
        value, gradient = 0.5 * float((coef * coef).sum()), np.concatenate([coef, np.zeros((1, ends[-1]))])
        for batch in read(n_pass):
            for target, first, last in zip(targets, ends, ends[1:], strict=False):
                codes, own = target.codes[batch.numbers], slice(first, last)
                loss = RowLoss(batch.rows, codes, C * target.weights[codes], target.n_classes, 1.0)
                value += loss.value(np.ascontiguousarray(coef[:, own]), intercept[own])
                of_coef, of_intercept = loss.gradient()
                gradient[:-1, own] += of_coef
                gradient[-1, own] += of_intercept
        last_rows[:] = [batch.rows]
        return value, gradient.ravel()

    state = np.zeros((n_columns + 1, ends[-1]))
    state[-1] = np.concatenate(starts)
    found = optimize.minimize(
        objective, state.ravel(), jac=True, method="L-BFGS-B",
        options={"maxfun": max_passes, "maxiter": max_passes, "ftol": 1e-6, "gtol": 0.0},
    )  # fmt: skip
    by_column = found.x.reshape(n_columns + 1, ends[-1])
    return PassFit(last_rows[0].in_order(by_column[:-1].T), by_column[-1].copy(), n_pass, bool(found.success), "lbfgs")


def _first_intercept(target: Target, sizes: NDArray[np.int64]) -> Floats:
    return first_intercept(target.codes, target.weights[target.codes] * sizes, target.n_classes)


def _entropies(logs: NDArray[np.float32]) -> NDArray[Any]:
    """Return the entropy of each row of log probabilities; of a single column, of log odds."""
    if logs.shape[1] == 1:
        p = special.expit(logs[:, 0])
        return special.entr(p) + special.entr(1 - p)
    return -np.einsum("rk,rk->r", np.exp(logs), logs)
