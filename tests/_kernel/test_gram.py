"""Products with X X' equal scipy's; the kernel checks every array it is given."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel
from made_up_blocks import blocks_over_one_pattern

from troenpy._kernel import native
from troenpy._kernel.gram import BlockGram


@needs_kernel
@given(st.integers(0, 2**32), st.integers(1, 9), st.sampled_from([1, 2, 3, 4, 5, 9, 12, 17, 24, 25, 50]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_products_with_the_gram_matrix(seed, n_blocks, width, portable):
    rng = np.random.default_rng(seed)
    dtype, index = rng.choice([np.float32, np.float64]), rng.choice([np.int32, np.int64])
    X = blocks_over_one_pattern(rng, 20, 33, n_blocks, dtype=dtype, index=index, density=rng.choice([0.05, 0.9]))
    q = rng.normal(size=(20, width))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("BlockGram32", "BlockGram64"):
            patch.setattr(native, name, partial(getattr(native, name), portable=portable))
        gram = BlockGram(X, n_blocks, n_threads=2)
    exact = X.astype(np.float64)
    atol = (1e-4 if dtype == np.float32 else 1e-10) * n_blocks
    np.testing.assert_allclose(gram.multiply(q), exact @ (exact.T @ q), atol=atol)
    np.testing.assert_allclose(gram.combine(q), (exact.T @ q).T, atol=1e-10)


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 1, 2, 4])}, "the blocks of a row differ in their columns"),
        ({"indices": np.array([0, 2, 1, 3])}, "a column index is outside the first block"),
        ({"indices": np.array([0, -1, 2, 3])}, "a column index is outside the first block"),
        ({"indices": np.array([0, 1, 2])}, "data and indices differ in length"),
        ({"indptr": np.array([0, 3, 4])}, "the blocks of a row differ in their columns"),
        ({"indptr": np.array([0, 9])}, "indptr does not ascend"),
        ({"indptr": np.array([2, 0, 4])}, "indptr does not ascend"),
        ({"n_blocks": 0}, "n_blocks must be at least 1"),
    ],
)
def test_the_kernel_checks_its_arrays(change, message):
    given = {
        "data": np.ones(4),
        "indices": np.array([0, 1, 2, 3]),
        "indptr": np.array([0, 4]),
        "n_terms": 2,
        "n_blocks": 2,
    }
    with pytest.raises((ValueError, IndexError), match=message):
        native.BlockGram64(**{**given, **change})


@needs_kernel
@pytest.mark.parametrize(
    ("method", "shape", "out_shape"),
    [("multiply", (2, 1), (2, 1)), ("multiply", (1, 2), (1, 1)), ("combine", (1, 1), (1, 2))],
)
def test_the_kernel_checks_vectors(method, shape, out_shape):
    gram = native.BlockGram64(np.ones(1), np.array([0]), np.array([0, 1]), 1, 1)
    with pytest.raises(ValueError, match="one row for each row"):
        getattr(gram, method)(np.ones(shape), np.ones(out_shape), 1)
