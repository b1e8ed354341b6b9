"""Check parameters; errors name the parameter, the rule and the value received."""

from numbers import Integral, Real
from typing import Any

import numpy as np


def check_positive(name: str, value: Any) -> float:
    """Check and return a positive, finite number."""
    if not _is_number(value) or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive, finite number, got {value!r}")
    return float(value)


def check_not_negative(name: str, value: Any) -> float:
    """Check and return a finite number that is not negative."""
    if not _is_number(value) or not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number and not negative, got {value!r}")
    return float(value)


def check_whole(name: str, value: Any, *, least: int = 0) -> int:
    """Check and return an integer that is at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def check_count(name: str, value: Any) -> int:
    """Check and return a positive integer, with scikit-learn's error messages."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} does not take {type(value)} value, enter integer value, got {value!r}")
    if value <= 0:
        raise ValueError(f"Expected {name} > 0. Got {value}")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    """Check and return a bool."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_float_type(dtype: Any) -> np.dtype[Any]:
    """Check and return a dtype, float32 or float64."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    # numpy reads None as float64, also in comparisons.
    if dtype is None or found is None or found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype!r}")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
