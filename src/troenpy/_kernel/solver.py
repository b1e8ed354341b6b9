"""The rows of a design matrix, and passes over them: the kernel's where it is there, scipy's products otherwise."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy import _kernel

Floats = NDArray[np.float64]


class Rows:
    """X, of blocks over one pattern and perhaps a tail of further columns.

    Parameters
    ----------
    X : CSR matrix of shape (n_rows, n_blocks * n_terms), float32 or float64
        Every row has the same terms in each block, as `stack_blocks` writes them.
    n_blocks : int
    n_threads : int
        Of products; results are the same for any number.
    tail : ndarray or CSR of shape (n_rows, n_tail), optional

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = Rows(csr_array([[1.0, 0.0], [2.0, 1.0]]), tail=np.array([[3.0], [0.0]]))
    >>> rows.multiply(np.array([[1.0], [0.0], [1.0]])).tolist()
    [[4.0], [2.0]]
    >>> rows.combine(np.array([[0.0], [1.0]])).tolist()
    [[2.0], [1.0], [0.0]]
    """

    def __init__(self, X: Any, n_blocks: int = 1, n_threads: int = 1, tail: Any = None) -> None:
        if X.shape[1] % n_blocks:
            raise ValueError(f"n_blocks must divide the number of columns, got {n_blocks} for {X.shape[1]}")
        tail = np.empty((X.shape[0], 0), dtype=X.dtype) if tail is None else tail
        self.n_rows, self.n_columns = X.shape[0], X.shape[1] + tail.shape[1]
        self.n_threads = n_threads
        self.n_values = X.nnz + _values(tail).size
        #: The sum of all values squared.
        self.squares = sum(float(np.einsum("i,i->", v, v, dtype=np.float64)) for v in (X.data, _values(tail)))
        self.native = None
        native = _kernel.compiled()
        if native is None:
            self._X, self._tail = X, tail
            return
        values, indices, indptr = _tail_arrays(tail, X.dtype)
        rows = {"f": native.Rows32, "d": native.Rows64}[X.dtype.char]
        self.native = rows(
            X.data, X.indices, X.indptr, X.shape[1] // n_blocks, n_blocks, values, indices, indptr, tail.shape[1]
        )

    def multiply(self, m: Floats, part: slice = slice(None)) -> Floats:
        """Return X m; or of some rows, without the kernel."""
        if self.native is None:
            n = self._X.shape[1]
            X, tail = (self._X, self._tail) if part == slice(0, self.n_rows) else (self._X[part], self._tail[part])
            return np.asarray(X @ m[:n] + tail @ m[n:], dtype=np.float64)
        out = np.empty((self.n_rows, m.shape[1]))
        self.native.multiply(np.ascontiguousarray(m), out, self.n_threads)
        return out

    def combine(self, m: Floats) -> Floats:
        """Return X' m."""
        if self.native is None:
            return np.concatenate([self._X.T @ m, self._tail.T @ m], dtype=np.float64)
        out = np.empty((self.n_columns, m.shape[1]))
        self.native.combine(np.ascontiguousarray(m), out, self.n_threads)
        return out

    def ascent(self, codes: NDArray[np.int64], weights: Floats, strength: float, intercept: Floats) -> Any:
        """Return the kernel's dual coordinate ascent, from zero; None without the kernel."""
        if self.native is None or _kernel.native is None:
            return None
        is_single = isinstance(self.native, _kernel.native.Rows32)
        ascent = _kernel.native.Ascent32 if is_single else _kernel.native.Ascent64
        return ascent(self.native, codes, weights, strength, intercept)


def _values(tail: Any) -> NDArray[Any]:
    return tail.ravel() if isinstance(tail, np.ndarray) else tail.data


def _tail_arrays(tail: Any, dtype: Any) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64]]:
    """Return values, indices and borders; of a dense tail, which has all columns, only values."""
    if isinstance(tail, np.ndarray):
        values = np.ascontiguousarray(tail, dtype=dtype).ravel()
        return values, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    return tail.data.astype(dtype, copy=False), tail.indices.astype(np.int32, copy=False), tail.indptr.astype(np.int64)
