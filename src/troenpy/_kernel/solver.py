"""The rows of a design matrix, and passes over them: the kernel's where it is there, scipy's products otherwise."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy import _kernel

Floats = NDArray[np.float64]


class Part(NamedTuple):
    """Some columns of X: blocks over one pattern, and perhaps a tail of further columns.

    Parameters
    ----------
    X : CSR matrix of shape (n_rows, n_blocks * n_terms), float32 or float64
        Every row has the same terms in each block, as `stack_blocks` writes them.
    n_blocks : int, default=1
    tail : ndarray or CSR of shape (n_rows, n_tail), optional
    """

    X: Any
    n_blocks: int = 1
    tail: Any = None

    @property
    def n_terms(self) -> int:
        """The number of columns of a block."""
        n_columns: int = self.X.shape[1]
        return n_columns // self.n_blocks

    @property
    def n_tail(self) -> int:
        """The number of columns of the tail."""
        return 0 if self.tail is None else self.tail.shape[1]


class Rows:
    """X, of one part or several. Columns have an order of their own: `in_order` puts coefficients in that of X.

    Parameters
    ----------
    *parts : Part
        All of one dtype.
    n_threads : int, default=1
        Of products; results are the same for any number.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = Rows(Part(csr_array([[1.0, 0.0], [2.0, 1.0]]), tail=np.array([[3.0], [0.0]])))
    >>> rows.multiply(np.array([[1.0], [0.0], [1.0]])).tolist()
    [[4.0], [2.0]]
    >>> rows.combine(np.array([[0.0], [1.0]])).tolist()
    [[2.0], [1.0], [0.0]]
    """

    def __init__(self, *parts: Part, n_threads: int = 1) -> None:
        for part in parts:
            if part.X.shape[1] % part.n_blocks:
                raise ValueError(
                    f"n_blocks must divide the number of columns, got {part.n_blocks} for {part.X.shape[1]}"
                )
        #: All columns, columns of a block, blocks, and further columns of every part: X itself may be freed.
        self._shapes = [(part.X.shape[1], part.n_terms, part.n_blocks, part.n_tail) for part in parts]
        tail = _join([part.tail for part in parts if part.tail is not None], parts[0].X)
        self.n_rows, self.n_threads = parts[0].X.shape[0], n_threads
        values = [*(part.X.data for part in parts), _values(tail)]
        self.n_values = sum(array.size for array in values)
        #: The sum of all values squared.
        self.squares = sum(float(np.einsum("i,i->", v, v, dtype=np.float64)) for v in values)
        self.native = None
        self.n_columns = sum(part.X.shape[1] for part in parts) + tail.shape[1]
        native = _kernel.compiled()
        if native is None:
            self._X, self._tail = _join([part.X for part in parts]), tail
            return
        rows = {"f": native.Rows32, "d": native.Rows64}[parts[0].X.dtype.char]
        index = np.result_type(*(part.X.indices.dtype for part in parts), *(part.X.indptr.dtype for part in parts))
        given = [
            (part.X.data, part.X.indices.astype(index, copy=False), part.X.indptr.astype(index, copy=False),
             part.n_terms, part.n_blocks)
            for part in parts
        ]  # fmt: skip
        self.native = rows(given, *_tail_arrays(tail, parts[0].X.dtype), self.n_rows, tail.shape[1])

    def in_order(self, coef: Floats) -> Floats:
        """Return coefficients of shape (n_decisions, n_columns) part by part: the blocks of each, then its tail."""
        if self.native is None and len(self._shapes) == 1:
            return coef
        pieces, first, first_tail = list[Floats](), 0, sum(n_columns for n_columns, *_ in self._shapes)
        for n_columns, n_terms, n_blocks, n_tail in self._shapes:
            own = coef[:, first : first + n_columns]
            if self.native is not None and n_blocks > 1:  # the kernel has the blocks of a term side by side
                own = own.reshape(len(coef), n_terms, n_blocks).transpose(0, 2, 1).reshape(len(coef), -1)
            pieces += [own, coef[:, first_tail : first_tail + n_tail]]
            first, first_tail = first + n_columns, first_tail + n_tail
        return np.concatenate(pieces, axis=1)

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


def _join(parts: list[Any], like: Any = None) -> Any:
    """Return the columns of arrays or sparse matrices next to each other; of none, no columns."""
    if not parts:
        return np.empty((like.shape[0], 0), dtype=like.dtype)
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.hstack(parts)
    return sparse.csr_array(sparse.hstack(parts, format="csr"))


def _values(tail: Any) -> NDArray[Any]:
    return tail.ravel() if isinstance(tail, np.ndarray) else tail.data


def _tail_arrays(tail: Any, dtype: Any) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64]]:
    """Return values, indices and borders; of a dense tail, which has all columns, only values."""
    if isinstance(tail, np.ndarray):
        values = np.ascontiguousarray(tail, dtype=dtype).ravel()
        return values, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    return tail.data.astype(dtype, copy=False), tail.indices.astype(np.int32, copy=False), tail.indptr.astype(np.int64)
