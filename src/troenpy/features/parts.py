"""The parts that the features of documents are computed from, and the matrix that joins them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.matrix import stack_blocks
from troenpy.features.blocks import Block
from troenpy.features.counted_rows import CountedRows
from troenpy.features.rows import bm25_counts
from troenpy.weights.count_table import Floats


@dataclass(frozen=True, eq=False)
class Parts:
    """Counts, blocks, weights and profile of documents, before they become one matrix.

    Parameters
    ----------
    counts : CountedRows
        Of shape (n_documents, n_terms).
    may_overwrite : bool
        Whether the result may overwrite the counts; False for a user's own matrix.
    blocks : sequence of Block
    weights : ndarray of shape (n_sets, n_blocks, n_terms)
    lengths : ndarray of shape (n_sets,)
        Mean document length, for "bm25".
    sets : ndarray of shape (n_documents,)
        Which set of weights and which length to use for each row.
    profile : {ndarray, CSR array} of shape (n_documents, n_classes) or None
    """

    counts: CountedRows
    may_overwrite: bool
    blocks: Sequence[Block]
    weights: Floats
    lengths: Floats
    sets: NDArray[np.int64]
    profile: Any = None

    def to_matrix(self, *, with_profile: bool = True, n_threads: int = 1) -> Any:
        """Return the blocks and the profile as one CSR matrix; this may overwrite the counts."""
        X, profile = self.counts.matrix, self.profile if with_profile else None
        if any(block.tf == "bm25" for block in self.blocks):
            rows = [self._one_block(number, n_threads) for number in range(len(self.blocks))]
        else:
            tail = profile if isinstance(profile, np.ndarray) else np.empty((X.shape[0], 0), dtype=X.dtype)
            buffers = self.counts if self.may_overwrite and self.blocks else None
            rows = [_stack(X, self.blocks, self.weights, self.sets, tail, buffers, n_threads)]
            profile = None if tail.shape[1] else profile
        if profile is not None:
            rows.append(sparse.csr_array(profile))
        return rows[0] if len(rows) == 1 else type(X)(sparse.hstack(rows, format="csr"))

    def _one_block(self, number: int, n_threads: int) -> Any:
        """Return one block; BM25 first transforms the counts."""
        block, counts = self.blocks[number], self.counts.matrix.copy()
        if block.tf == "bm25":
            counts.data = bm25_counts(counts, self.lengths[self.sets])
            block = replace(block, tf="raw")
        weights, no_tail = self.weights[:, [number]], np.empty((counts.shape[0], 0), dtype=counts.dtype)
        return _stack(counts, [block], np.ascontiguousarray(weights), self.sets, no_tail, None, n_threads)


def _stack(
    X: Any,
    blocks: Sequence[Block],
    weights: Floats,
    sets: NDArray[np.int64],
    tail: NDArray[Any],
    buffers: CountedRows | None,
    n_threads: int,
) -> Any:
    """Join blocks and tail in one CSR matrix, in the over-allocated arrays of the counts if it fits there."""
    n_blocks, n_tail = len(blocks), tail.shape[1]
    n_values = n_blocks * X.nnz + tail.size
    index = np.int32 if max(n_values, n_blocks * X.shape[1] + n_tail) < 2**31 else np.int64
    indices, indptr = (array.astype(index, copy=False) for array in (X.indices, X.indptr))
    out, out_indices = (
        _output_array(n_values, X.data, None if buffers is None else buffers.data),
        _output_array(n_values, indices, None if buffers is None else buffers.indices),
    )
    names: list[tuple[str, str]] = [(block.tf, block.norm or "none") for block in blocks]
    stack_blocks(
        X.data, indices, indptr, weights, sets, names,
        out=out, out_indices=out_indices, tail=tail, n_threads=n_threads,
    )  # fmt: skip
    borders = n_blocks * indptr + n_tail * np.arange(len(indptr), dtype=index)
    rows = type(X)((out, out_indices, borders), shape=(X.shape[0], n_blocks * X.shape[1] + n_tail), copy=False)
    rows.has_canonical_format = True
    return rows


def _output_array(size: int, like: NDArray[Any], buffer: NDArray[Any] | None) -> NDArray[Any]:
    """Return the start of the over-allocated array if it is large enough, otherwise a new array."""
    fits = buffer is not None and len(buffer) >= size and buffer.dtype == like.dtype
    return buffer[:size] if fits else np.empty_like(like, shape=size)  # type: ignore[index]
