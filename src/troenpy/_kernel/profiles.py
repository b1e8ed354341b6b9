"""Class profiles: a table of the class counts of every term, and their sums over the terms of documents."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from troenpy import _kernel


class ProfileTable:
    """The class counts and weights of all terms, prepared once for the profiles of any number of documents.

    It is prepared on first use, and threads may share it.

    Parameters
    ----------
    table : CSC of shape (n_classes, n_columns), int64 or float64
        Documents per class and term.
    weights : array of shape (n_columns,)

    Examples
    --------
    >>> rows, counts = sp.csr_array([[1.0, 2.0]]), sp.csc_array([[3, 0], [1, 4]])
    >>> ProfileTable(counts, np.ones(2)).sums(rows, np.array([1.0]), smoothing=1.0)
    (array([[0.75, 2.25]]), array([[3.  , 0.75]]))
    """

    def __init__(self, table: sp.csc_array, weights: NDArray[np.float64]) -> None:
        self._table, self._weights = table, weights

    def sums(
        self,
        rows: Any,
        left_out: NDArray[np.float64],
        *,
        smoothing: float,
        as_dense: bool = True,
        n_threads: int = 1,
    ) -> tuple[Any, NDArray[np.float64]]:
        """Sum, over the terms of each row, the weighted count times the term's documents in each class.

        Parameters
        ----------
        rows : CSR of shape (n_rows, n_columns), float32 or float64
        left_out : array of shape (n_rows,)
            What to subtract from the total of every term, for each row.
        smoothing : float
        as_dense : bool, default=True
            Return an array; otherwise CSR, with entries only for classes that share a term with the row.
        n_threads : int
            Only used for a dense result.

        Returns
        -------
        by_class : float64 ndarray or CSR of shape (n_rows, n_classes)
            With a = value x weight and b = a / (total - left_out + smoothing), where total is the sum of the term's
            column of the table, the sums of b x table.
        sums : array of shape (n_rows, 2)
            The sums of a, and of b.
        """
        n_rows = rows.shape[0]
        if as_dense and _kernel.compiled() is not None:
            out, sums = np.zeros((n_rows, self._table.shape[0])), np.empty((n_rows, 2))
            self.native.write(rows.data, rows.indices, rows.indptr, left_out, smoothing, out, sums, n_threads)
            return out, sums
        number = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
        values = rows.data * self._weights[rows.indices]
        shrunk = values / (self._totals[rows.indices] - left_out[number] + smoothing)
        sums = np.stack([np.bincount(number, by, n_rows) for by in (values, shrunk)], axis=1)
        product = sp.csr_array((shrunk, rows.indices, rows.indptr), shape=rows.shape) @ self._by_term
        if as_dense:
            return product.toarray(), sums
        product.sort_indices()
        return product, sums

    @cached_property
    def _totals(self) -> NDArray[np.float64]:
        return np.asarray(self._table.sum(axis=0), dtype=np.float64)

    @cached_property
    def native(self) -> Any:
        """The kernel's table."""
        table, native = self._table, _kernel.native
        assert native is not None  # noqa: S101
        return native.TermProfiles(
            table.indptr, table.indices, table.data, table.shape[0], self._weights, self._totals
        )  # fmt: skip

    @cached_property
    def _by_term(self) -> sp.csr_array:
        return self._table.T.astype(np.float64)
