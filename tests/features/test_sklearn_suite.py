"""scikit-learn's own tests of its text module, as installed, with our CountVectorizer in place of theirs."""

import os
import re
import subprocess
import sys
from pathlib import Path

from kernel_switch import needs_kernel

# Runs in a process of its own: it replaces a class in scikit-learn. Calls of the kernel are counted to show
# that the suite ran on it.
RUN_SUITE = """
import sys
import pytest
import sklearn.feature_extraction.text as theirs
from troenpy import _kernel
from troenpy.features import count_vectorizer as text

n_kernel_calls = 0
if _kernel.native is not None:
    original = _kernel.native.TermCounter

    def counted(**settings):
        global n_kernel_calls
        n_kernel_calls += 1
        return original(**settings)

    _kernel.native.TermCounter = counted

theirs.CountVectorizer = text.CountVectorizer
suite = "sklearn.feature_extraction.tests.test_text"
status = pytest.main(["--pyargs", suite, "-q", "-p", "no:cacheprovider", "-p", "no:randomly"])
print("kernel calls:", n_kernel_calls)
sys.exit(status)
"""


def run_suite(directory: Path, kernel: str) -> tuple[subprocess.CompletedProcess[str], int]:
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", RUN_SUITE],
        cwd=directory,
        env={**os.environ, "TROENPY_KERNEL": kernel},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    n_passed = int(re.search(r"(\d+) passed", run.stdout)[1])
    assert n_passed > 50
    return run, int(re.search(r"kernel calls: (\d+)", run.stdout)[1])


@needs_kernel
def test_suite_passes_on_the_kernel(tmp_path):
    _, n_kernel_calls = run_suite(tmp_path, kernel="1")
    assert n_kernel_calls > 50


def test_suite_passes_without_the_kernel(tmp_path):
    _, n_kernel_calls = run_suite(tmp_path, kernel="0")
    assert n_kernel_calls == 0
