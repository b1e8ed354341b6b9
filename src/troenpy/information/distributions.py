"""Validate arrays of distributions, and handle NaN, axes and bases the way `scipy.stats.entropy` does."""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

NanPolicy = Literal["propagate", "omit", "raise"]
Axis = int | tuple[int, ...] | None
Floats = NDArray[np.floating[Any]]

NAN_POLICIES: tuple[NanPolicy, ...] = ("propagate", "omit", "raise")


@dataclass(frozen=True)
class Table:
    """Validated counts with the outcomes on the last axis, and the shape to restore in the results."""

    counts: Floats  # NaN replaced by zero
    is_present: NDArray[np.bool_]  # False where the input was NaN
    is_nan: NDArray[np.bool_]  # per distribution: the result is NaN
    shape: tuple[int, ...]
    axes: tuple[int, ...]

    def finish(self, result: Floats, base: float | None, keepdims: bool) -> Any:
        """Apply NaNs, kept axes, base and dtype to the results, one per distribution."""
        result = np.where(self.is_nan, np.nan, result)
        if keepdims:
            result = result.reshape([1 if i in self.axes else size for i, size in enumerate(self.shape)])
        return to_base(result, base, self.counts.dtype)


def read_table(
    values: ArrayLike, axis: Axis, nan_policy: str, *, joint: bool = False, may_be_empty: bool = False
) -> Table:
    """Validate an array; a joint table keeps two axes (conditions, outcomes), any other is flattened to one."""
    if nan_policy not in NAN_POLICIES:
        raise ValueError(f"nan_policy must be one of {', '.join(NAN_POLICIES)}, got {nan_policy!r}")
    given = as_floats(values, "distribution")
    axes = _axes(given.ndim, axis, joint=joint)
    table = np.moveaxis(given, axes, range(-len(axes), 0))
    if not joint:
        table = table.reshape(*table.shape[: table.ndim - len(axes)], math.prod(table.shape[table.ndim - len(axes) :]))
    if table.shape[-1] == 0:
        raise ValueError(f"a distribution needs at least one outcome, got shape {given.shape} with axis {axis}")
    missing = np.isnan(table)
    if nan_policy == "raise" and missing.any():
        raise ValueError("The input contains nan values")
    reduced = (-2, -1) if joint else (-1,)
    counts = np.where(missing, given.dtype.type(0), table)
    is_nan = np.asarray((missing.any if nan_policy == "propagate" else missing.all)(axis=reduced))
    _check_counts(counts, is_nan, reduced, may_be_empty)
    return Table(counts, ~missing, is_nan, given.shape, axes)


def _check_counts(counts: Floats, is_nan: NDArray[np.bool_], reduced: tuple[int, ...], may_be_empty: bool) -> None:
    if (counts < 0).any():
        raise ValueError(f"probabilities and counts must not be negative, got {counts[counts < 0][0]}")
    with np.errstate(over="ignore"):
        sums = counts.sum(axis=reduced)
    if np.isinf(sums).any():
        raise ValueError("probabilities and counts, and their sum, must be finite, got inf")
    empty = (sums == 0) & ~is_nan
    if empty.any() and not may_be_empty:
        which = "the distribution" if empty.ndim == 0 else f"distribution {np.flatnonzero(empty)[0]} of {empty.size}"
        raise ValueError(
            f"{which} sums to zero and cannot be normalised: drop it (only troenpy with estimator='dirichlet' is"
            " defined for it)"
        )


def as_floats(values: ArrayLike, name: str) -> Floats:
    """Convert to floats: float32 stays, float16 becomes float32, integers become float64."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"a {name} must be an array of real numbers, got rows of different lengths") from None
    if array.dtype.kind not in "buif":
        raise TypeError(f"a {name} must be an array of real numbers, got dtype {array.dtype}")
    dtype = np.result_type(array.dtype, np.float32) if array.dtype.kind == "f" else np.dtype(np.float64)
    return array.astype(dtype, copy=False)


def as_probabilities(p: ArrayLike) -> Floats:
    """Convert to floats and check that each lies between 0 and 1 or is NaN."""
    values = as_floats(p, "probability")
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise ValueError(f"a probability must lie between 0 and 1, got {values[outside][0]}")
    return values


def _axes(ndim: int, axis: Axis, *, joint: bool) -> tuple[int, ...]:
    if joint and ndim < 2:
        raise ValueError(f"a joint table needs an axis of outcomes and one of conditions, got {ndim} dimensions")
    if ndim == 0:
        raise ValueError("a distribution needs at least one dimension, got a single number")
    wanted = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for one in wanted:
        if not isinstance(one, Integral):
            raise TypeError(f"axis must be None, a whole number or a tuple of them, got {axis!r}")
        if not -ndim <= one < ndim:
            raise np.exceptions.AxisError(one, ndim)
    axes = tuple(one % ndim for one in wanted)
    if len(set(axes)) < len(axes):
        raise ValueError(f"axes must differ, got {axis} for an array of {ndim} dimensions")
    return axes


def to_base(values: Floats | np.floating[Any], base: float | None, dtype: np.dtype[Any]) -> Any:
    """Convert natural logarithms to another base and to a dtype; a 0-d array becomes a scalar."""
    if base is not None:
        if not isinstance(base, Real) or not (base > 0 and np.isfinite(base)) or base == 1:
            raise ValueError(f"base must be positive, finite and not 1, got {base!r}")
        values = values / np.log(base)
    # Adding 0.0 turns -0.0, which -log(1) gives, into 0.0.
    return (np.asarray(values, dtype=dtype) + dtype.type(0.0))[()]
