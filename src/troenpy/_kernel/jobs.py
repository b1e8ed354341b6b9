"""How many threads or processes an `n_jobs` asks for."""

from numbers import Integral
from typing import Any

import joblib


def job_count(n_jobs: Any) -> int:
    """Return the number of threads or processes for an `n_jobs`: None is 1, -1 all processors.

    Examples
    --------
    >>> job_count(None), job_count(2)
    (1, 2)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an int other than 0, got {n_jobs!r}: -1 takes all processors")
    return int(joblib.effective_n_jobs(n_jobs))
