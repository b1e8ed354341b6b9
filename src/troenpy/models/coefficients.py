"""Coefficients as predictions read them: those of a feature next to each other, in float32."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The largest coefficient must lie between these to be stored in float32, with room for smaller ones.
LEAST_FLOAT32, LARGEST_FLOAT32 = 2.0**-80, 2.0**127


def by_feature(coef: NDArray[Any]) -> NDArray[Any]:
    """Return coefficients of shape (n_decisions, n_features) in `coefficient_type`; the transpose is C-contiguous."""
    return np.ascontiguousarray(coef.T, dtype=coefficient_type(coef)).T


def coefficient_type(coef: NDArray[Any]) -> Any:
    """Return float32, or float64 if the largest coefficient is out of float32's range.

    Examples
    --------
    >>> coefficient_type(np.array([1.5, -3.0])), coefficient_type(np.array([1e50]))
    (<class 'numpy.float32'>, <class 'numpy.float64'>)
    """
    largest = float(np.abs(coef).max(initial=0.0))
    return np.float32 if largest == 0 or LEAST_FLOAT32 < largest < LARGEST_FLOAT32 else np.float64
