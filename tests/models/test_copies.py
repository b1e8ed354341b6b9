"""Copies: documents with equal rows, which class profiles leave out together."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from troenpy.counts.labels import Labels
from troenpy.features.class_profile import ClassProfile
from troenpy.models import copies
from troenpy.models.copies import CopyFinder

INDICATOR = sp.csr_array(np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0]]))


def left_out_in_parts(X, numbers, size):
    """Return what copies leave out, of rows that come a few at a time."""
    finder = CopyFinder(X.shape[1])
    parts = [slice(start, start + size) for start in range(0, X.shape[0], size)]
    for part in parts:
        finder.add(X[part], numbers[part])
    found = finder.find(INDICATOR)
    finder.close()
    return np.vstack([found.left_out(X[part], numbers[part]).toarray() for part in parts])


def left_out_in_memory(X, numbers):
    labels = Labels(np.arange(3), sp.csr_array(INDICATOR[numbers]), is_list=False)
    return ClassProfile(leave_out="copies").labels_left_out(X, labels, None).toarray()


rows = st.lists(st.tuples(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(0, 3)), min_size=1)


@given(rows, st.integers(1, 9), st.sampled_from([1, 3, 1 << 20]), st.sampled_from([np.float32, np.float64]))
def test_copies_are_those_of_the_profile(documents, size, at_once, dtype):
    X = sp.csr_array(np.array([row for row, _ in documents], dtype=dtype))
    numbers = np.array([number for _, number in documents])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "KEYS_AT_ONCE", at_once)
        found = left_out_in_parts(X, numbers, size)
    np.testing.assert_array_equal(found, left_out_in_memory(X, numbers))


def test_rows_that_are_no_copies():
    X, numbers = sp.csr_array(np.eye(3)), np.array([0, 2, 3])
    np.testing.assert_array_equal(left_out_in_parts(X, numbers, 2), [[1, 0, 0], [0, 1, 1], [0, 0, 0]])


def test_new_rows_leave_out_themselves():
    finder = CopyFinder(3)
    finder.add(sp.csr_array([[1.0, 0, 0], [1, 0, 0]]), np.array([0, 1]))
    found = finder.find(INDICATOR)
    finder.close()
    left_out = found.left_out(sp.csr_array([[0, 1.0, 0], [1, 0, 0]]), np.array([0, 0]))
    np.testing.assert_array_equal(left_out.toarray(), [[1, 0, 0], [1, 1, 0]])


def test_a_row_takes_few_bytes(peak_bytes, monkeypatch):
    monkeypatch.setattr(copies, "KEYS_AT_ONCE", 1 << 10)
    n = 100_000
    finder = CopyFinder(1)
    for start in range(0, n, 1000):
        finder.add(sp.csr_array(np.arange(start + 1.0, start + 1001)[:, None]), np.zeros(1000, dtype=np.int64))
    assert peak_bytes(lambda: finder.find(INDICATOR)) < 8 * n + 500_000
    finder.close()
