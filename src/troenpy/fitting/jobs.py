"""How many threads or processes an `n_jobs` asks for."""

from numbers import Integral
from typing import Any

import joblib

#: Beyond any machine: whoever asks for more has mistaken the parameter, or a digit.
MOST_JOBS = 4096


def job_count(n_jobs: Any) -> int:
    """Return the number of threads or processes for an `n_jobs`: None is 1, -1 all processors, -2 all but one.

    There are never more than processors: results do not depend on the number, and threads that wait for each other
    only take memory.

    Examples
    --------
    >>> job_count(None), job_count(4000) <= joblib.cpu_count()
    (1, True)
    """
    if n_jobs is None:
        return 1
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not (is_whole and 1 <= abs(int(n_jobs)) <= MOST_JOBS):
        raise ValueError(
            f"n_jobs must be None or an int from -{MOST_JOBS} to {MOST_JOBS} other than 0, got {n_jobs!r}:"
            " -1 takes all processors"
        )
    return int(min(joblib.effective_n_jobs(int(n_jobs)), joblib.cpu_count()))
