"""Parallel work in processes, for Python code that threads cannot speed up because of the global interpreter lock.

The processes are joblib's: they start within seconds, are reused, and share large arrays in memory.
"""

import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

import joblib
from joblib.executor import get_memmapping_executor
from joblib.parallel import get_active_backend

Item = TypeVar("Item")
Result = TypeVar("Result")


class _WorkerTime(threading.local):
    """CPU seconds that worker processes spent for a thread."""

    seconds = 0.0


_worker_time = _WorkerTime()
#: Seconds between two calls of what is done while processes work.
SECONDS_BETWEEN = 0.2
#: Calls that a process has ahead: joblib's thread fails if the pool is ended while more of them wait.
CALLS_AHEAD = 2
#: joblib has a single pool of processes: two threads that use it at once may deadlock.
_one_at_a_time = threading.RLock()
#: The pool that was used last, if there is one.
_pools: list[Any] = []


def cpu_seconds() -> float:
    """Return the CPU time of this thread so far, including the worker processes it used.

    Examples
    --------
    >>> begin = cpu_seconds()
    >>> cpu_seconds() >= begin
    True
    """
    return time.thread_time() + _worker_time.seconds


def parallel_map(function: Callable[[Item], Result], items: Iterable[Item], n_processes: int) -> Generator[Result]:
    """Yield `function(item)` for each item, in order, as soon as it is ready.

    Warnings and errors are raised as if the function ran in this process. It does if `n_processes` is 1, or if this is
    already running inside a joblib job. Close the generator to cancel the remaining work.

    Parameters
    ----------
    function : callable
        Must be picklable, like the items and the results.
    items : iterable
    n_processes : int

    Examples
    --------
    >>> list(parallel_map(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if n_processes == 1 or is_worker():
        yield from map(function, items)
        return
    with _one_at_a_time:
        parallel = joblib.Parallel(n_processes, backend="loky", return_as="generator")
        results = parallel(joblib.delayed(_call)(function, item) for item in items)
        try:
            for result, seconds, caught in results:
                _worker_time.seconds += seconds
                for message, category in caught:
                    warnings.warn(message, category, stacklevel=2)
                yield result
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # joblib warns about unused results
                results.close()


def parallel_results(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    n_processes: int,
    meanwhile: Callable[[], Any],
    on_result: Callable[[Item, Result], Any] | None = None,
) -> list[Result]:
    """Return `function(item)` for each item; while the processes work, call `meanwhile` now and then.

    The first error ends all work, as does one of `meanwhile`, and an interruption.

    Parameters
    ----------
    function : callable
        Must be picklable, like the items and the results.
    items : sequence
    n_processes : int
    meanwhile : callable
    on_result : callable, optional
        Called in this process with each item and its result, as soon as it is ready.

    Examples
    --------
    >>> parallel_results(abs, [-1, 2, -3], 2, lambda: None)
    [1, 2, 3]
    """
    with _one_at_a_time:
        results, left = dict[int, Result](), iter(range(len(items)))
        number_of = dict[Future[Result], int]()
        executor = get_memmapping_executor(n_processes)
        _pools[:] = [executor]
        try:
            while len(results) < len(items):
                for number in islice(left, CALLS_AHEAD * n_processes - len(number_of)):
                    with _interrupts_later():
                        number_of[executor.submit(function, items[number])] = number
                done, _ = wait(number_of, SECONDS_BETWEEN, FIRST_COMPLETED)
                for future in done:
                    number = number_of.pop(future)
                    results[number] = future.result()
                    if on_result is not None:
                        on_result(items[number], results[number])
                meanwhile()
        except BaseException:
            end_processes()
            raise
        return [results[number] for number in range(len(items))]


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold back Ctrl-C; processes that are started meanwhile never get it: this process ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_processes() -> None:
    """End the pool of processes if there is one, before this process ends without cleaning up."""
    if _pools:
        _pools.pop().terminate(kill_workers=True)


def is_worker() -> bool:
    """Whether this is already running inside a joblib job, which has no processes of its own."""
    return bool(get_active_backend()[0].nesting_level)


def _call(function: Callable[[Any], Any], item: Any) -> tuple[Any, float, list[tuple[str, type[Warning]]]]:
    """Return the result, the CPU time and the warnings of a call."""
    begin = time.thread_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(item)
    return result, time.thread_time() - begin, [(str(warning.message), warning.category) for warning in caught]
