"""Without more threads the kernel does with those it has, without memory it raises MemoryError; Python never ends."""

import os
import shutil
import subprocess
import sys

import pytest
from kernel_switch import needs_kernel

pytestmark = [
    needs_kernel,
    pytest.mark.skipif(sys.platform != "linux", reason="limits and preloading as Linux has them"),
]

WORK = """
import sys
import numpy as np
import scipy.sparse as sp
from troenpy._kernel import native

rng = np.random.default_rng(0)
texts = [f"word{number} late goal " * 600 for number in range(300)]  # some 5 MB: ten chunks
X = sp.csr_array(rng.random((400, 50)) * (rng.random((400, 50)) < 0.2))
rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data

def new_counter(n_threads=4):
    return native.TermCounter(
        analyzer="word", lowercase=True, min_n=1, max_n=2, stop_words=[], n_threads=n_threads
    )

index = native.NearestRows()
index.add(rows, X.shape[1], "euclidean")
tail = np.empty(0), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
design = native.Rows64([(X.data, X.indices, X.indptr, X.shape[1], 1)], *tail, X.shape[0], 0)
q = rng.normal(size=(X.shape[1], 5))

def search(n_threads=4):
    distances, nearest = np.empty((400, 3)), np.empty((400, 3), dtype=np.int64)
    return lambda: index.search([rows], True, n_threads, distances, nearest) or nearest

def multiply(n_threads=4):
    out = np.empty((X.shape[0], 5))
    return lambda: design.multiply(q, out, n_threads) or out

def climb(n_threads=4):
    codes, weights, intercept = np.arange(400) % 3, np.ones(400), np.zeros(3)
    return lambda: native.Ascent64(design, codes, weights, 1.0, intercept).climb()

def add(n_threads=4):
    counter = new_counter(n_threads)
    return lambda: counter.add(texts)

def new_tally(max_terms, n_batches=1):
    # Of some batches, and another one that waits.
    tally = native.TermTally(max_terms)
    for number in range(n_batches + 1):
        tally.settle(number, 1)
        counter = new_counter(1)
        some = [f"word{i} {'long' * i} late goal" for i in range(40 * number, 40 * number + 60)]
        counter.add(some)
        codes = np.arange(60) % 7
        tally.hold(counter, np.arange(61), codes, np.empty(0), 7, False)
    return tally

def settle(n_threads=4):
    tally = new_tally(0)
    return lambda: tally.settle(2, n_threads)
"""

WITHOUT_THREADS = (
    WORK
    + """
import threading
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
else:
    sys.exit("a thread could be started")

def count(n_threads):
    counter = new_counter(n_threads)
    counter.add(texts)
    counts = counter.finish()
    borders = counts.row_borders()
    indices, data = (np.empty(borders[-1], dtype=np.int32) for _ in range(2))
    counts.write_rows(indices, data, False)
    return native.columns_by_name(*counts.take_terms().pack()), indices.tolist(), data.tolist()

assert count(4) == count(1)
for work in (search, multiply):
    assert (work(4)() == work(1)()).all()
"""
)


def test_without_threads_the_caller_does_all():
    import resource

    too_large = 2**46  # glibc gives every thread a stack as large as the limit of the first one's
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack may not grow")
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", WITHOUT_THREADS],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (too_large, resource.RLIM_INFINITY)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


#: `fail_at(n)` makes the n-th allocation from now throw, in whatever thread.
OPERATOR_NEW = """
#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<long long> n_left{-1};
extern "C" void fail_at(long long n) { n_left = n; }

void *operator new(std::size_t size) {
    if (n_left >= 0 && n_left-- == 0) throw std::bad_alloc();
    if (void *memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void *operator new[](std::size_t size) { return operator new(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
"""

WITH_FAILURES = (
    WORK
    + """
import ctypes
fail_at = ctypes.CDLL(sys.argv[1]).fail_at
fail_at.argtypes = [ctypes.c_longlong]

for work in (add, settle, search, multiply, climb):
    n_failures = 0
    for n in range(2000):
        call = work()
        fail_at(n)
        try:
            call()
        except MemoryError:
            n_failures += 1
        else:
            break
        finally:
            fail_at(-1)
    print(work.__name__, n_failures)

def counts(tally):
    text, ends, errors, order, (n_documents, _, _, indptr, classes, in_class) = tally.counts(np.arange(7), 1)
    return [array.tolist() for array in (text, ends, errors, order, n_documents, indptr, classes, in_class)]

# A batch goes on where it failed.
for max_terms in (0, 90):
    tally, n_failures = new_tally(max_terms), 0
    expected = new_tally(max_terms)
    expected.settle(2, 1)
    while True:
        fail_at(n_failures)
        try:
            tally.settle(2, 1)
        except MemoryError:
            n_failures += 1
            assert n_failures < 5000
        else:
            break
        finally:
            fail_at(-1)
    assert counts(tally) == counts(expected)
    print(f"again{max_terms}", n_failures)

def gathered(is_binary):
    # Batches that are counted in the tables of the tally, and gathered; the last one waits.
    tally = native.TermTally(0)
    for number, binary in enumerate(is_binary):
        tally.settle(number, 2)
        options = {"analyzer": "word", "lowercase": True, "min_n": 1, "max_n": 1, "stop_words": []}
        counter = native.TermCounter(**options, n_threads=2, tables=tally.tables(2))
        counter.add([f"word{i} {'long' * i} late goal late" for i in range(40 * number, 40 * number + 60)])
        tally.hold(counter, np.arange(61), np.arange(60) % 7, np.empty(0), 7, binary)
    return tally

# What has been gathered is not lost, whichever allocation fails.
for is_binary in ((False, False, False), (False, True, False)):
    complete = gathered(is_binary)
    complete.settle(3, 1)
    expected, n_failures = counts(complete), 0
    while True:
        tally = gathered(is_binary)
        fail_at(n_failures)
        try:
            tally.settle(3, 2)
            counts(tally)
        except MemoryError:
            n_failures += 1
        else:
            break
        finally:
            fail_at(-1)
        tally.settle(3, 1)
        assert counts(tally) == expected, n_failures
    print(f"gathered{sum(is_binary)}", n_failures)
"""
)


@pytest.mark.skipif(shutil.which("c++") is None, reason="no compiler")
@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers have allocators of their own")
def test_whichever_allocation_fails_is_a_memory_error(tmp_path):
    source, library = tmp_path / "new.cpp", tmp_path / "new.so"
    source.write_text(OPERATOR_NEW)
    subprocess.run(["c++", "-shared", "-fPIC", "-O1", source, "-o", library], check=True)  # noqa: S603, S607
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", WITH_FAILURES, library],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    n_failures = dict(line.split() for line in run.stdout.splitlines())
    failed = {name for name, n in n_failures.items() if 0 < int(n) < 2000}
    works = {"add", "settle", "search", "multiply", "climb", "again0", "again90", "gathered0", "gathered1"}
    assert failed == works, n_failures
