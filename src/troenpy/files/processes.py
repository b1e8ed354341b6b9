"""Work shared among processes, where Python's lock would keep threads waiting for each other.

Processes are joblib's: they start within seconds, stay for the next work, and all read large arrays from one file in
shared memory.
"""

import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

import joblib
from joblib.parallel import get_active_backend

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Elsewhere(threading.local):
    """CPU seconds that other processes took for a thread."""

    seconds = 0.0


_elsewhere = _Elsewhere()
#: joblib has one set of processes, of one size: work from two threads at once may wait for ever.
_turn = threading.RLock()


def cpu_seconds() -> float:
    """Return the CPU time of this thread so far, with what other processes took for it.

    Examples
    --------
    >>> begin = cpu_seconds()
    >>> cpu_seconds() >= begin
    True
    """
    return time.thread_time() + _elsewhere.seconds


def mapped(function: Callable[[Item], Result], items: Iterable[Item], n_processes: int) -> Generator[Result]:
    """Yield the function of each item, in their order, as soon as it is there.

    Warnings and errors come as if the work were done here; and it is, if there is one process or joblib shares other
    work already, of which this is a part. Close what is not used up: the rest of the work is then given up.

    Parameters
    ----------
    function : callable
        It, the items and the results are pickled.
    items : iterable
    n_processes : int

    Examples
    --------
    >>> list(mapped(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if n_processes == 1 or get_active_backend()[0].nesting_level:
        yield from map(function, items)
        return
    with _turn:
        parallel = joblib.Parallel(n_processes, backend="loky", return_as="generator")
        results = parallel(joblib.delayed(_call)(function, item) for item in items)
        try:
            for result, seconds, caught in results:
                _elsewhere.seconds += seconds
                for message, category in caught:
                    warnings.warn(message, category, stacklevel=2)
                yield result
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of results that are not used
                results.close()


def _call(function: Callable[[Any], Any], item: Any) -> tuple[Any, float, list[tuple[str, type[Warning]]]]:
    """Return the result, the CPU time it took, and the warnings that came."""
    begin = time.thread_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(item)
    return result, time.thread_time() - begin, [(str(warning.message), warning.category) for warning in caught]
