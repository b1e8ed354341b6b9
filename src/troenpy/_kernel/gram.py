"""Products with X X' for a sparse X whose blocks share one sparsity pattern: by the kernel, or else by scipy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy import _kernel

Floats = NDArray[np.float64]


class BlockGram:
    """The Gram matrix X X', without computing it.

    Parameters
    ----------
    X : CSR matrix of shape (n_rows, n_blocks * n_terms), float32 or float64
        In every row, all blocks have the same terms, as in the result of `stack_blocks`.
    n_blocks : int
    n_threads : int
        Number of threads; it does not change the results.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> gram = BlockGram(csr_array([[1.0, 0.0], [2.0, 1.0]]))
    >>> gram.multiply(np.array([[1.0], [0.0]])).tolist()
    [[1.0], [2.0]]
    >>> gram.combine(np.array([[0.0], [1.0]])).tolist()
    [[2.0, 1.0]]
    """

    def __init__(self, X: Any, n_blocks: int = 1, n_threads: int = 1) -> None:
        if X.shape[1] % n_blocks:
            raise ValueError(f"n_blocks must divide the number of columns, got {n_blocks} for {X.shape[1]}")
        self.n_columns, self._n_threads = X.shape[1], n_threads
        native = _kernel.compiled()
        if native is None:
            self._X, self._native = X, None
        else:
            gram = {"f": native.BlockGram32, "d": native.BlockGram64}[X.dtype.char]
            self._native = gram(X.data, X.indices, X.indptr, X.shape[1] // n_blocks, n_blocks)

    def multiply(self, q: Floats) -> Floats:
        """Return X X' q, in the precision of X; q has one row per row of X."""
        if self._native is None:
            return np.asarray(self._X @ (self._X.T @ q), dtype=np.float64)
        out = np.empty_like(q, order="C")
        self._native.multiply(np.ascontiguousarray(q), out, self._n_threads)
        return out

    def combine(self, q: Floats) -> Floats:
        """Return q' X, one row per column of q."""
        if self._native is None:
            return np.ascontiguousarray((self._X.T @ q).T, dtype=np.float64)
        out = np.empty((q.shape[1], self.n_columns))
        self._native.combine(np.ascontiguousarray(q), out, self._n_threads)
        return out
