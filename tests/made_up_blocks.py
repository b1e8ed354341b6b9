"""Rows of blocks over one pattern, as `stack_blocks` writes them."""

import numpy as np
import scipy.sparse as sp


def blocks_over_one_pattern(rng, n_rows, n_terms, n_blocks, *, density=0.2, dtype=np.float64, index=np.int32):
    """Draw rows with the same terms in each block; the first row is empty, the last term is in all other rows."""
    present = rng.random((n_rows, n_terms)) < density
    present[:, -1] = True
    present[0] = False
    lengths = present.sum(axis=1)
    terms = [np.flatnonzero(row) for row in present]
    indices = np.concatenate([row + b * n_terms for row in terms for b in range(n_blocks)])
    indptr = np.concatenate([[0], np.cumsum(lengths * n_blocks)])
    data = rng.normal(size=len(indices)) * 0.5 + 0.3
    arrays = data.astype(dtype), indices.astype(index), indptr.astype(index)
    X = sp.csr_array((data.astype(dtype), indices, indptr), shape=(n_rows, n_blocks * n_terms))
    X.data, X.indices, X.indptr = arrays
    return X
