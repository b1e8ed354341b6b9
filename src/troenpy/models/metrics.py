"""Metrics by name: how each prepares its rows, and parsing of metrics for blocks of columns."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.neighbors import sum_rows

Metric = str | dict[str, tuple[slice, str]]


def _unchanged(rows: sparse.csr_array) -> sparse.csr_array:
    return rows


def _unit_length(rows: sparse.csr_array) -> sparse.csr_array:
    scaled = near_one(rows)
    lengths = np.sqrt(sum_rows(rows.indptr, scaled**2))
    return _with_values(rows, scaled / np.repeat(lengths, np.diff(rows.indptr)))


def _root_shares(rows: sparse.csr_array) -> sparse.csr_array:
    if (rows.data < 0).any():
        raise ValueError(
            f"Negative values in data passed to the metric 'hellinger', which compares shares; the smallest is"
            f" {rows.data.min()}: use 'euclidean', 'cosine' or 'manhattan'"
        )
    scaled = near_one(rows)
    sums = sum_rows(rows.indptr, scaled)
    return _with_values(rows, np.sqrt(scaled / np.repeat(sums, np.diff(rows.indptr))))


def near_one(rows: sparse.csr_array) -> NDArray[np.float64]:
    """Return the values, each row scaled by a power of two so that its largest is about 1: squares stay in range."""
    lengths = np.diff(rows.indptr)
    largest = np.zeros(len(lengths))
    np.maximum.at(largest, np.repeat(np.arange(len(lengths)), lengths), np.abs(rows.data))
    return np.ldexp(rows.data, np.repeat(-np.frexp(largest)[1], lengths))


def _with_values(rows: sparse.csr_array, values: NDArray[np.float64]) -> sparse.csr_array:
    changed = sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)
    changed.eliminate_zeros()  # values that underflowed
    return changed


# How each metric prepares its rows; distances then follow from differences (nearest.hpp).
METRICS: dict[str, Callable[[sparse.csr_array], sparse.csr_array]] = {
    "euclidean": _unchanged,
    "cosine": _unit_length,
    "manhattan": _unchanged,
    "hellinger": _root_shares,
}


def read_metric(metric: Any, n_features: int) -> list[tuple[slice | None, str]]:
    """Return blocks of columns with their metrics; None means all columns."""
    if not isinstance(metric, dict):
        return [(None, _check_metric("metric", metric))]
    if not metric:
        raise ValueError("metric must have at least one block of columns, got {}")
    blocks: list[tuple[slice | None, str]] = []
    for name, block in metric.items():
        if not isinstance(block, tuple) or len(block) != 2 or not isinstance(block[0], slice):
            raise TypeError(f"metric[{name!r}] must be a tuple of a slice of columns and a metric name, got {block!r}")
        columns = range(*block[0].indices(n_features))
        if len(columns) == 0:
            raise ValueError(
                f"metric[{name!r}] must select at least one column, got {block[0]!r} of {n_features} columns"
            )
        columns = columns if columns.step > 0 else columns[::-1]  # distances do not depend on the order
        ascending = slice(columns[0], columns[-1] + 1, columns.step)
        blocks.append((ascending, _check_metric(f"metric[{name!r}]", block[1])))
    return blocks


def _check_metric(what: str, metric: Any) -> str:
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"{what} must be one of {', '.join(METRICS)}, or a dict of blocks of columns, got {metric!r}")
    return metric
