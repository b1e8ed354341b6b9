"""Packed integers come back as they were, in fewer bytes; what was packed by others is checked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from troenpy.files.packing import pack_integers, unpack_integers

INTEGERS = st.sampled_from([np.int8, np.int32, np.int64, np.uint16, np.uint32, np.uint64])


@given(hnp.arrays(INTEGERS, st.integers(0, 9)), st.booleans(), st.booleans())
def test_integers_come_back(array, is_sorted, starts_at_zero):
    array = np.sort(array) if is_sorted else array
    array[:1] = 0 if starts_at_zero else array[:1]
    packed, how = pack_integers({"a": array})
    again = unpack_integers(packed, how)["a"]
    assert packed["a"].nbytes <= array.nbytes
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


@pytest.mark.parametrize(
    ("array", "packed"),
    [
        ([0, 255], np.uint8),
        ([1, 256], np.uint16),
        ([5, 2**16], np.uint32),
        ([5, 2**32], np.int64),  # no type is smaller
        ([-1, 1], np.int64),
        ([0, 2**40, 2**40 + 7], np.int64),
        ([0, 200, 400, 600], np.uint8),  # steps of 200
        ([0, 200, 100], np.uint8),
        ([], np.int64),
    ],
)
def test_the_smallest_type_is_taken(array, packed):
    array = np.array(array, dtype=np.int64)
    assert pack_integers({"a": array})[0]["a"].dtype == packed


@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2), int), np.array([True, False]), np.array(3)])
def test_other_arrays_stay_as_they_are(array):
    packed, how = pack_integers({"a": array})
    assert packed["a"] is array
    assert how == {}


@pytest.mark.parametrize(
    ("array", "how", "message"),
    [
        (np.array([300], np.uint16), ["int8", False], "the integers a are too large for their type"),
        (np.array([100, 100], np.uint8), ["int8", True], "the integers a are too large for their type"),
        (np.array([2**63], np.uint64), ["int64", False], "the integers a are too large for their type"),
        (np.array([1], np.uint8), ["object", False], "the integers a are packed in an unknown way"),
        (np.array([1], np.uint8), ["float64", False], "the integers a are packed in an unknown way"),
        (np.array([1], np.int8), ["int64", False], "the integers a are packed in an unknown way"),
        (np.array([[1]], np.uint8), ["int64", False], "the integers a are packed in an unknown way"),
        (np.array([], np.uint8), ["int64", False], "the integers a are packed in an unknown way"),
    ],
)
def test_what_others_packed_is_checked(array, how, message):
    with pytest.raises(ValueError, match=message):
        unpack_integers({"a": array}, {"a": how})
