"""Estimators that keep a stream: their copies, errors about a batch, and attributes that are computed when needed."""

import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cache
from operator import is_
from typing import Any

import numpy as np
from scipy import sparse

from troenpy.counts.labels import Labels
from troenpy.features.row_streams import RowStream
from troenpy.features.streams import PlainStream, Stream, Weights, row_stream
from troenpy.features.tallies import Tally
from troenpy.fitting.transaction import estimator_lock


@contextmanager
def errors_of_batch(number: int, X: Any = None) -> Iterator[None]:
    """Add the number of the batch to errors about its documents, labels or weights; for a matrix also the row.

    Examples
    --------
    >>> with errors_of_batch(1000):
    ...     raise ValueError("document 17 is missing")
    Traceback (most recent call last):
        ...
    ValueError: batch 1000: document 17 is missing
    """
    try:
        yield
    except UnicodeDecodeError as error:
        error.reason += f" (batch {number})"
        raise
    except (ValueError, TypeError) as error:
        if type(error) not in (ValueError, TypeError):
            raise
        row = _wrong_row(X) if re.search("NaN|infinity|Negative values", str(error)) else None
        raise type(error)(f"batch {number}: {'' if row is None else f'row {row}: '}{error}") from None


def _wrong_row(X: Any) -> int | None:
    """Return the first row with a value that cannot be a count, if that can be found out."""
    try:
        values = sparse.csr_array(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    is_wrong = ~(np.isfinite(values.data) & (values.data >= 0))
    at = np.flatnonzero(is_wrong)
    return int(np.searchsorted(values.indptr, at[0], side="right") - 1) if len(at) else None


class KeepsStream:
    """An estimator with a `_stream`: copies and pickles get an independent one.

    `_checked` holds the parameters that were checked with the last batch, since checking takes as long as counting a
    small batch.
    """

    _stream: Any

    def __getstate__(self) -> dict[str, Any]:
        with estimator_lock(self):
            state = dict(super().__getstate__())  # type: ignore[call-overload]
            state.pop("_checked", None)
            if "_stream" in state:
                state["_stream"] = state["_stream"].copy()
            return state

    def _check_once(self, check: Callable[[], None], *owners: Any) -> None:
        """Check the parameters of some estimators, unless they are those of the last batch."""
        values = [vars(owner).get(name) for owner in owners for name in parameter_names(owner.__class__)]
        before = vars(self).get("_checked", ())
        if len(before) != len(values) or not all(map(is_, before, values)):
            check()
            self._checked = values


class LearnedLater:
    """A fitted attribute that is computed from the stream when it is needed; once it is set, it is a plain one."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        if "_stream" in vars(estimator):
            with estimator_lock(estimator):  # keeps out partial_fit
                if "counts_" not in vars(estimator):
                    estimator._learn_stream(estimator._stream.tally())
            if self.name in vars(estimator):
                return vars(estimator)[self.name]
        raise AttributeError(f"{type(estimator).__name__!r} object has no attribute {self.name!r}")


class LearnsLater(KeepsStream):
    """An estimator of counts, whose fitted attributes are computed from its stream when they are needed."""

    counts_: Any = LearnedLater()

    def _learn_stream(self, tally: Tally) -> None:
        raise NotImplementedError

    def _add_rows(self, rows: Any, labels: Labels, weights: Weights) -> None:
        """Add a batch, and forget what was learned."""
        self._stream = row_stream(self._stream_so_far(), rows.shape[1]).add(rows, labels, weights)
        for name in [name for name in vars(self) if isinstance(getattr(type(self), name, None), LearnedLater)]:
            del vars(self)[name]

    def _stream_so_far(self) -> Stream:
        """Return the stream; after `fit` or `learn`, one that continues from the counts."""
        if "_stream" in vars(self):
            return self._stream
        counts = vars(self).get("counts_")
        return PlainStream() if counts is None else RowStream.of_counts(counts, vars(self).get("total_length_", 0.0))


@cache
def parameter_names(cls: Hashable) -> list[str]:
    """Return the parameters of a class of estimators."""
    return list(cls._get_param_names())  # type: ignore[attr-defined]
