"""Work in other processes comes back in order, with its CPU time, its warnings and its errors.

What is done there are functions within functions: joblib sends these whole, since others could not import the tests.
"""

import os
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from troenpy.files import processes as processes_module
from troenpy.files.processes import cpu_seconds, parallel_map, parallel_results


@pytest.fixture
def process_of():
    def found(_item):
        return os.getpid()

    return found


@pytest.fixture
def slow_square():
    def squared(item):
        time.sleep(0.3 if item == 0 else 0)
        return item**2

    return squared


@pytest.fixture
def busy():
    def work(seconds):
        begin = time.thread_time()
        while time.thread_time() - begin < seconds:
            pass

    return work


def test_it_is_done_elsewhere(process_of):
    assert os.getpid() not in set(parallel_map(process_of, range(8), 2))


def test_one_process_is_this_one(process_of, monkeypatch):
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    before = cpu_seconds()
    assert set(parallel_map(process_of, range(3), 1)) == {os.getpid()}
    assert cpu_seconds() == before  # no other process had a part in it


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_within_shared_work_it_is_not_shared_again(backend, process_of):
    def shared_within(_item):
        return {os.getpid(), *parallel_map(process_of, range(4), 2)}

    for processes in joblib.Parallel(2, backend=backend)(joblib.delayed(shared_within)(i) for i in range(4)):
        assert len(processes) == 1


def test_threads_take_turns(slow_square):
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda n: list(parallel_map(slow_square, range(6), n)), [2, 3, 2, 3]))
    assert found == [[0, 1, 4, 9, 16, 25]] * 4


# A thread of loky may still look for work that was given up; pytest would make its KeyError a failure.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_rest_is_given_up(slow_square, tmp_path):
    def work(item):
        time.sleep(60 * item)
        (tmp_path / f"{item} is done").touch()

    results = parallel_map(work, range(4), 2)
    next(results)
    results.close()  # a warning would be an error
    assert list(parallel_map(slow_square, [1, 2], 2)) == [1, 4]  # by the same processes, if these had gone on
    assert [path.name for path in tmp_path.iterdir()] == ["0 is done"]


def test_results_come_in_order(slow_square):
    assert list(parallel_map(slow_square, range(6), 2)) == [0, 1, 4, 9, 16, 25]


def test_large_arrays_get_there():
    arrays = [np.full((400, 1000), float(i)) for i in range(3)]
    assert list(parallel_map(lambda rows: float(rows.max()), arrays, 2)) == [0, 1, 2]


def test_cpu_time_of_others_is_counted(busy):
    before = cpu_seconds()
    list(parallel_map(busy, [0.1, 0.1], 2))
    assert cpu_seconds() - before >= 0.2


def test_warnings_come_here():
    def warn(item):
        warnings.warn(f"item {item}", RuntimeWarning, stacklevel=1)
        return item

    with pytest.warns(RuntimeWarning) as caught:
        assert list(parallel_map(warn, [1, 2], 2)) == [1, 2]
    assert [str(warning.message) for warning in caught] == ["item 1", "item 2"]


def test_errors_come_here(slow_square):
    def fail(item):
        raise ValueError(f"item {item} is bad")

    with pytest.raises(ValueError, match=r"item \d is bad"):  # of whichever is first
        list(parallel_map(fail, [1, 2], 2))
    assert list(parallel_map(slow_square, [3], 2)) == [9]  # and do no harm to what is done next


def test_all_results_in_order_and_something_meanwhile(monkeypatch, slow_square, process_of):
    monkeypatch.setattr(processes_module, "SECONDS_BETWEEN", 0.001)
    calls = []
    assert parallel_results(slow_square, range(5), 2, lambda: calls.append(1)) == [0, 1, 4, 9, 16]
    assert len(calls) > 5  # also between two results
    assert os.getpid() not in parallel_results(process_of, range(3), 2, list)


def test_an_error_meanwhile_or_there_ends_all(tmp_path, slow_square):
    def work(item):
        if item == 1:
            raise ValueError("no more")
        time.sleep(60 * item)
        (tmp_path / f"{item} is done").touch()

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(ValueError, match="no more"):
        parallel_results(work, range(50), 2, list)  # many wait: an exception in joblib's thread would be an error
    with pytest.raises(KeyboardInterrupt):
        parallel_results(work, [2, 3], 2, stop)
    assert parallel_results(slow_square, [1, 2], 2, list) == [1, 4]
    assert {path.name for path in tmp_path.iterdir()} <= {"0 is done"}
