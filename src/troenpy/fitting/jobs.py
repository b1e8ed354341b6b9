"""Convert `n_jobs` to a number of threads or processes."""

from numbers import Integral
from typing import Any

import joblib

#: A larger number must be a mistake.
MAX_JOBS = 4096


def job_count(n_jobs: Any) -> int:
    """Return the number of threads or processes for `n_jobs`: None is 1, -1 all processors, -2 all but one.

    At most the number of processors: more would use memory without being faster, and results do not depend on it.

    Examples
    --------
    >>> job_count(None), job_count(4000) <= joblib.cpu_count()
    (1, True)
    """
    if n_jobs is None:
        return 1
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not (is_whole and 1 <= abs(int(n_jobs)) <= MAX_JOBS):
        raise ValueError(
            f"n_jobs must be None or an int from -{MAX_JOBS} to {MAX_JOBS} other than 0, got {n_jobs!r}:"
            " -1 uses all processors"
        )
    return int(min(joblib.effective_n_jobs(int(n_jobs)), joblib.cpu_count()))
