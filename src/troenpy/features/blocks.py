"""Blocks of columns by name, and the matrix of blocks side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.matrix import stack_blocks
from troenpy.counts.class_counts import ClassCounts
from troenpy.features.count_vectorizer import CountedRows
from troenpy.weights.cells import Floats
from troenpy.weights.schemes import term_weights


@dataclass(frozen=True)
class Block:
    """One block of columns: tf x weight, normalised by row."""

    name: str
    tf: Literal["raw", "log", "sqrt", "binary"]
    scheme: str | None  # None weighs every term 1
    takes_pcf: bool  # whether `pcf=True` multiplies it
    norm: Literal["l2", "hellinger"] = "l2"

    def weights(self, counts: ClassCounts, *, smoothing: float, pcf: bool) -> Floats:
        """Return one weight per term; zero for a term that no document holds."""
        weight = np.ones(len(counts.term_docs))
        if self.scheme is not None:
            weight = weight * term_weights(counts, self.scheme, smoothing=smoothing)
        if pcf and self.takes_pcf:
            weight = weight * term_weights(counts, "pcf", smoothing=smoothing)
        return np.where(counts.term_docs > 0, weight, 0.0)


#: The blocks of terms by name; ECIB is two.
BLOCKS: dict[str, tuple[Block, ...]] = {
    "pi": (Block("pi", "raw", "pi", takes_pcf=False),),
    "btf": (Block("btf", "binary", None, takes_pcf=True),),
    "ecib": (Block("cib_ncf", "raw", "cib_ncf", takes_pcf=True), Block("cib_pcf", "raw", "cib_pcf", takes_pcf=True)),
    "ecib_abs": (
        Block("cib_ncf_abs", "raw", "cib_ncf_abs", takes_pcf=True),
        Block("cib_pcf_abs", "raw", "cib_pcf_abs", takes_pcf=True),
    ),
    "certainty": (Block("certainty", "log", "sqrt(certainty*idf)", takes_pcf=False),),
    "certainty_hellinger": (
        Block("certainty_hellinger", "raw", "sqrt(certainty*idf)", takes_pcf=False, norm="hellinger"),
    ),
    "boost": (Block("boost", "log", "pcf_boost*idf", takes_pcf=False),),
}
#: The name of the block that has one column per class, not per term.
PROFILE = "profile"


@dataclass(frozen=True, eq=False)
class Parts:
    """All that the features of documents are made of, before it is one matrix.

    Parameters
    ----------
    counts : CountedRows
        Of shape (n_documents, n_terms).
    are_ours : bool
        Whether the matrix may be written over the counts: those of a user's are not ours to write over.
    blocks : sequence of Block
    weights : ndarray of shape (n_sets, n_blocks, n_terms)
    sets : ndarray of shape (n_documents,)
        Which set of weights each row takes.
    profile : {ndarray, CSR array} of shape (n_documents, n_classes) or None
    """

    counts: CountedRows
    are_ours: bool
    blocks: Sequence[Block]
    weights: Floats
    sets: NDArray[np.int64]
    profile: Any = None

    def side_by_side(self, *, with_profile: bool = True, n_threads: int = 1) -> Any:
        """Return the blocks and the profile as one CSR matrix; if the counts are ours, they are gone then."""
        X, profile = self.counts.matrix, self.profile if with_profile else None
        tail = profile if isinstance(profile, np.ndarray) else np.empty((X.shape[0], 0), dtype=X.dtype)
        n_blocks, n_tail = len(self.blocks), tail.shape[1]
        n_values = n_blocks * X.nnz + tail.size
        index = np.int32 if max(n_values, n_blocks * X.shape[1] + n_tail) < 2**31 else np.int64
        indices, indptr = (array.astype(index, copy=False) for array in (X.indices, X.indptr))
        out, out_indices = (
            self._room(self.counts.data, X.data, n_values),
            self._room(self.counts.indices, indices, n_values),
        )
        names: list[tuple[str, str]] = [(block.tf, block.norm) for block in self.blocks]
        stack_blocks(
            X.data, indices, indptr, self.weights, self.sets, names,
            out=out, out_indices=out_indices, tail=tail, n_threads=n_threads,
        )  # fmt: skip
        borders = n_blocks * indptr + n_tail * np.arange(len(indptr), dtype=index)
        shape = X.shape[0], n_blocks * X.shape[1] + n_tail
        rows = type(X)((out, out_indices, borders), shape=shape, copy=False)
        rows.has_canonical_format = True
        if profile is None or n_tail:
            return rows
        return type(X)(sparse.hstack([rows, profile], format="csr"))

    def _room(self, whole: NDArray[Any], values: NDArray[Any], size: int) -> NDArray[Any]:
        """Return where to write: the start of the over-allocated array if it is ours and fits, or a new array."""
        fits = self.are_ours and len(self.blocks) and len(whole) >= size and whole.dtype == values.dtype
        return whole[:size] if fits else np.empty_like(values, shape=size)
