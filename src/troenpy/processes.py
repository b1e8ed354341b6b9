"""Work shared among processes, where Python's lock would keep threads waiting for each other.

Processes are joblib's: they start within seconds, stay for the next work, and see large arrays without copies.
"""

import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import joblib

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Elsewhere(threading.local):
    """CPU seconds that other processes took for a thread."""

    seconds = 0.0


_elsewhere = _Elsewhere()


def cpu_seconds() -> float:
    """Return the CPU time of this thread so far, with what other processes took for it.

    Examples
    --------
    >>> begin = cpu_seconds()
    >>> cpu_seconds() >= begin
    True
    """
    return time.thread_time() + _elsewhere.seconds


def mapped(function: Callable[[Item], Result], items: Iterable[Item], n_processes: int) -> Iterator[Result]:
    """Yield the function of each item, in their order, as soon as it is there.

    Warnings and errors come as if the work were done here.

    Parameters
    ----------
    function : callable
        It, the items and the results must be of a kind that can be pickled.
    items : iterable
    n_processes : int

    Examples
    --------
    >>> list(mapped(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    parallel = joblib.Parallel(n_processes, backend="loky", return_as="generator")
    for result, seconds, caught in parallel(joblib.delayed(_call)(function, item) for item in items):
        _elsewhere.seconds += seconds
        for warning in caught:
            warnings.warn(warning, stacklevel=2)
        yield result


def _call(function: Callable[[Any], Any], item: Any) -> tuple[Any, float, list[Warning]]:
    """Return the result, the CPU time it took, and the warnings that came."""
    begin = time.thread_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(item)
    return result, time.thread_time() - begin, [warning.message for warning in caught]  # type: ignore[misc]
