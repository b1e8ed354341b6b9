"""The kernel's functions against numpy; .ci/run also runs the whole suite where there is no kernel."""

import numpy as np
import pytest

from troenpy import kernel_available
from troenpy._kernel import native

needs_kernel = pytest.mark.skipif(not kernel_available(), reason="installed without a compiler")


@needs_kernel
@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_scale_columns_multiplies_in_place(value, index):
    rng = np.random.default_rng(0)
    data, indices, weights = (
        rng.normal(size=1000).astype(value),
        rng.integers(0, 50, 1000).astype(index),
        rng.normal(size=50),
    )
    expected = (data * weights[indices]).astype(value)
    native.scale_columns(data, indices, weights)
    np.testing.assert_array_equal(data, expected)


@needs_kernel
@pytest.mark.parametrize("bad", [-1, 2])
def test_scale_columns_never_reads_outside_the_weights(bad):
    with pytest.raises(IndexError, match="a column index is outside the weights"):
        native.scale_columns(np.ones(2), np.array([0, bad]), np.ones(2))


@needs_kernel
def test_scale_columns_rejects_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="data and indices differ in length"):
        native.scale_columns(np.ones(2), np.zeros(3, dtype=np.int64), np.ones(2))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        native.scale_columns(np.ones(2, dtype=int), np.zeros(2, dtype=np.int64), np.ones(2))
