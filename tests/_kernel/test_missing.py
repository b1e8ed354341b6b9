"""Who has no kernel is told so once, at the first slow call; who switched it off is not."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from troenpy import CountVectorizer, _kernel
from troenpy._kernel.matrix import class_document_counts, decision_values, least_differences, stack_blocks, weigh_rows
from troenpy._kernel.neighbors import Space, build_index
from troenpy._kernel.profiles import ProfileTable
from troenpy._kernel.solver import Part, Rows

SAYS_SO = r"installed without its compiled kernel.*Install a C\+\+ compiler.*--force-reinstall.*TROENPY_KERNEL=0"
ROWS = sp.csr_array([[1.0, 2.0], [0.0, 3.0]])
ARRAYS = (ROWS.data, ROWS.indices, ROWS.indptr)

SLOW_CALLS = {
    "CountVectorizer": lambda: CountVectorizer().fit(["late goal"]),
    "class_document_counts": lambda: class_document_counts(ROWS.indptr, ROWS.indices, np.zeros(2), 1, 2),
    "weigh_rows": lambda: weigh_rows(*ARRAYS, np.ones(2), out=np.empty(3)),
    "stack_blocks": lambda: stack_blocks(
        *ARRAYS, np.ones((1, 1, 2)), np.zeros(2, dtype=int), [("raw", "none")],
        out=np.empty(3), out_indices=np.empty(3, dtype=np.int32),
    ),
    "ProfileTable": lambda: ProfileTable(sp.csc_array(np.ones((2, 2))), np.ones(2)).sums(
        ROWS, np.zeros(2), smoothing=1.0
    ),
    "decision_values": lambda: decision_values(*ARRAYS, np.ones((2, 1)), np.ones(1), slice(0, 2)),
    "least_differences": lambda: least_differences(np.ones((2, 2)), np.ones(2)),
    "Rows": lambda: Rows(Part(ROWS)),
    "build_index": lambda: build_index([Space(ROWS, "manhattan")]),
}  # fmt: skip


@pytest.fixture
def kernel_missed(monkeypatch):
    monkeypatch.setattr(_kernel, "native", None)
    monkeypatch.setattr(_kernel, "should_warn", True)


@pytest.mark.parametrize("call", SLOW_CALLS.values(), ids=SLOW_CALLS)
@pytest.mark.usefixtures("kernel_missed")
def test_the_first_slow_call_says_so_and_the_next_does_not(call):
    with pytest.warns(RuntimeWarning, match=SAYS_SO):
        call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()


@pytest.mark.usefixtures("kernel_missed")
def test_settings_that_the_kernel_does_not_know_are_no_slow_call():
    CountVectorizer(tokenizer=str.split, token_pattern=None).fit(["late goal"])
    CountVectorizer(token_pattern=r"\w+").fit(["late goal"])  # noqa: S106


FIT = """
import sys
sys.modules["troenpy._kernel._native"] = None
import troenpy
print("kernel:", troenpy.kernel_available(), file=sys.stderr)
for _ in range(2):
    troenpy.CountVectorizer().fit_transform(["late goal"])
"""


@pytest.mark.parametrize(("switch", "n_warnings"), [({}, 1), ({"TROENPY_KERNEL": "0"}, 0)])
def test_a_package_without_the_kernel(switch, n_warnings):
    environment = {name: value for name, value in os.environ.items() if name != "TROENPY_KERNEL"}
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", FIT], env={**environment, **switch}, capture_output=True, text=True, check=True
    )
    assert run.stdout == ""
    assert run.stderr.startswith("kernel: False\n")  # nothing is said at the import
    assert run.stderr.count("RuntimeWarning: troenpy was installed without") == n_warnings
