"""A fitted view: its counter, class counts, weights and class profile."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy import _kernel
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels
from troenpy.counts.left_out import restored_counts, saved_counts
from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.counted_documents import mean_length
from troenpy.features.counted_rows import Capacity, CountedRows
from troenpy.features.parts import Parts
from troenpy.features.views import View
from troenpy.files.archive import Arrays
from troenpy.files.saved import check_array
from troenpy.fitting.notices import warn_user
from troenpy.fitting.parameters import check_not_negative, check_positive
from troenpy.weights.count_table import Floats


@dataclass(frozen=True, eq=False)
class FittedView:
    """The fitted state of a view, and the features it computes.

    Parameters
    ----------
    name : str
    counter : CountVectorizer or None
        Fitted; None if documents are rows of counts.
    counts : ClassCounts or LeftOutCounts
        Without term names.
    length : float
        Mean document length, in terms.
    blocks : list of Block
        The blocks of terms that were not dropped.
    weights : ndarray of shape (n_blocks, n_terms)
    profile : ClassProfile or None
        Fitted.
    profile_scale : float
        Factor for the columns of the profile.
    columns : ndarray of str or None
        The column names of the counts, if any.
    """

    name: str
    counter: CountVectorizer | None
    counts: Any
    length: float
    blocks: list[Block]
    weights: Floats
    profile: ClassProfile | None
    profile_scale: float = 1.0
    columns: NDArray[np.object_] | None = None

    @property
    def n_columns(self) -> int:
        """The total number of columns."""
        return self.weights.size + self.n_classes

    @property
    def n_terms(self) -> int:
        """The number of columns of a block."""
        return self.weights.shape[1]

    @property
    def n_classes(self) -> int:
        """The number of columns of the profile; 0 without one."""
        return 0 if self.profile is None else len(self.profile.counts_.classes)

    def terms(self) -> NDArray[np.object_]:
        """Return the terms, in column order."""
        if self.counter is not None:
            return self.counter.get_feature_names_out()
        if self.columns is not None:
            return self.columns
        return np.array([*(f"x{i}" for i in range(self.n_terms)), ""], dtype=object)[:-1]

    def terms_of(self, columns: NDArray[Any]) -> NDArray[np.object_]:
        """Return the terms of some columns."""
        return self.terms()[columns] if self.counter is None else self.counter.names_of(columns)

    @cached_property
    def named_counts(self) -> ClassCounts:
        """The class counts with term names."""
        counts: ClassCounts = self.counts.with_terms(self.terms())
        return counts

    def names(self) -> list[str]:
        """Return the names of the columns, ``block__term`` or ``profile__class``."""
        terms = self.terms()
        names = [f"{block.name}__{term}" for block in self.blocks for term in terms]
        return names if self.profile is None else [*names, *self.profile.get_feature_names_out().tolist()]

    def capacity(self) -> Capacity:
        """Return how much to over-allocate the counts, so that they can be expanded in place."""
        return capacity_for(self.blocks, self.profile, self.n_classes)

    @cached_property
    def scorer(self) -> Any:
        """The kernel's features, by which it scores documents without a matrix; None if it does not know the blocks."""
        if _kernel.native is None or any(block.tf == "bm25" for block in self.blocks):
            return None
        table, sizes, smoothing = None, np.empty(0), 1.0
        if self.profile is not None:
            table, sizes = self.profile.kernel_table(), self.profile.counts_.n_docs.astype(np.float64)
            smoothing = float(self.profile.smoothing)
            if table is None or not sizes.sum() > 0:
                return None
        names = [(block.tf, block.norm or "none") for block in self.blocks]
        weights = np.ascontiguousarray(self.weights)
        total = float(sizes.sum())
        return _kernel.native.ViewFeatures(names, weights, table, sizes, total, smoothing, float(self.profile_scale))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "scorer"}  # made again when needed

    def parts(self, rows: CountedRows, n_threads: int, left_out: Any = None) -> Parts:
        """Return the parts of new documents, all with the fitted weights; or of others, with what to leave out."""
        profile = None
        if self.profile is not None:
            profile = self._scale(self.profile.profile(rows.matrix, left_out, n_threads=n_threads))
        sets, lengths = np.zeros(rows.matrix.shape[0], dtype=np.int64), np.array([self.length])
        may_overwrite = self.counter is not None
        return Parts(rows, may_overwrite, self.blocks, self.weights[np.newaxis], lengths, sets, profile)

    def training_parts(
        self,
        rows: CountedRows,
        labels: Labels,
        sample_weight: Floats | None,
        folds: Iterable[tuple[Any, Any]] | None,
        weigh: Any,
        n_threads: int,
    ) -> Parts:
        """Return the parts of the training documents: profiles leave their document out, `folds` cross-fit the weights.

        `weigh` is a function of a block and class counts that returns the weights.
        """
        X, left_out = rows.matrix, None
        if self.profile is not None:
            left_out = self.profile.labels_left_out(X, labels, sample_weight)
        parts = self.parts(rows, n_threads, left_out)
        if folds is None:
            return parts
        sets, by_fold, lengths = np.zeros(X.shape[0], dtype=np.int64), [], []
        for number, (train, test) in enumerate(folds):
            part_weight = None if sample_weight is None else sample_weight[train]
            counts = ClassCounts.from_present(X[train], labels.part(train), part_weight)
            try:
                weights = [weigh(block, counts) for block in self.blocks]
            except ValueError as error:
                raise ValueError(f"fold {number} of cv: {error}") from None
            by_fold.append(np.array(weights).reshape(self.weights.shape))
            lengths.append(mean_length(X[train], part_weight))
            sets[test] = number
        return replace(parts, weights=np.stack(by_fold), lengths=np.array(lengths), sets=sets)

    def parts_by_term(self, row: Any, counts: Any) -> tuple[NDArray[Any], sparse.csr_array]:
        """Return what each term of a document contributes to each column of its row.

        A profile column is the square root of a sum over the terms; each term contributes in proportion to its part of
        the sum.

        Parameters
        ----------
        row : CSR of shape (1, n_columns)
            Its columns are those of the counts in every block, then the profile.
        counts : CSR of shape (1, n_terms)

        Returns
        -------
        terms : ndarray of shape (n_held,)
            The column numbers of the document's terms.
        parts : CSR array of shape (n_held + 1, n_columns), float64
            A row per term, and one for what no term contributes: the profile of a document without known terms. They
            add up to the row.
        """
        held, n_blocks, n_term_columns = counts.indices, len(self.blocks), self.weights.size
        n_held, n_values = len(held), len(held) * len(self.blocks)
        values, columns = np.zeros((n_held + 1, n_blocks)), np.zeros((n_held + 1, n_blocks), dtype=row.indices.dtype)
        values[:-1] = row.data[:n_values].reshape(n_blocks, n_held).T
        columns[:-1] = row.indices[:n_values].reshape(n_blocks, n_held).T
        columns[-1] = np.arange(n_blocks) * self.n_terms  # any column of each block: the values are zero
        if self.profile is not None:
            profile, portions = np.zeros(self.n_columns - n_term_columns), self.profile.portions(counts)
            profile[row.indices[n_values:] - n_term_columns] = row.data[n_values:]
            rest = np.zeros_like(profile) if portions.any() else profile
            values = np.hstack([values, np.vstack([portions * profile, rest])])
            of_profile = np.arange(n_term_columns, self.n_columns, dtype=columns.dtype)
            columns = np.hstack([columns, np.broadcast_to(of_profile, (n_held + 1, len(of_profile)))])
        borders = np.arange(n_held + 2, dtype=columns.dtype) * values.shape[1]
        shape = n_held + 1, self.n_columns
        return held, sparse.csr_array((values.ravel(), columns.ravel(), borders), shape=shape)

    def _scale(self, profile: Any) -> Any:
        return profile if self.profile_scale == 1 else profile * profile.dtype.type(self.profile_scale)

    def to_state(self) -> tuple[dict[str, Any], Arrays, Arrays]:
        """Return everything but the counter and the column names for a file.

        Returns
        -------
        state : dict
            JSON data.
        arrays : dict of ndarray
        for_learning : dict of ndarray
            The class counts, unless the profile predicts from them.
        """
        blocks = [block.fields() for block in self.blocks]
        profile = None
        if self.profile is not None:
            profile = {"smoothing": float(self.profile.smoothing), "leave_out": self.profile.leave_out}
        state = {"name": self.name, "blocks": blocks, "profile": profile, "profile_scale": float(self.profile_scale)}
        arrays = {
            "weights": self.weights,
            "length": np.array([self.length]),
            "n_documents": np.array([self.counts.n_documents]),
        }
        counts = saved_counts(self.counts)
        return (state, arrays, counts) if self.profile is None else (state, arrays | counts, {})

    @classmethod
    def from_state(
        cls, state: dict[str, Any], arrays: dict[str, Any], counter: CountVectorizer | None, columns: Any
    ) -> "FittedView":
        """Rebuild the view from the result of `to_state`; everything is validated."""
        blocks = [Block(*fields) for fields in state["blocks"]]
        for block in blocks:
            block.check()
        counts, n_terms = restored_counts(arrays), arrays["weights"].shape[-1]
        if isinstance(counts, ClassCounts) and len(counts.term_docs) != n_terms:
            raise ValueError("weights and counts differ in size")
        if counter is not None and not isinstance(counter, CountVectorizer):
            raise TypeError(f"expected a CountVectorizer, got {type(counter).__name__}")
        if counter is not None and counter._n_terms() != n_terms:
            raise ValueError("vocabulary and counts differ in size")
        if columns is not None and columns.shape != (n_terms,):
            raise ValueError("column names and counts differ in size")
        if counter is not None and isinstance(counts, ClassCounts):
            counter._prefer_frequent(counts.term_docs)
        profile = None if state["profile"] is None else ClassProfile(**state["profile"]).learn(counts)
        weights = check_array(arrays["weights"], (len(blocks), n_terms)).astype(np.float64, copy=False)
        scale, length = state["profile_scale"], check_array(arrays["length"], (1,))[0]
        check_positive("profile_scale", scale)
        check_not_negative("length", float(length))
        return cls(str(state["name"]), counter, counts, float(length), blocks, weights, profile, scale, columns)


def choose_blocks(view: View, counts: ClassCounts, weigh: Any, *, warn: bool = True) -> tuple[list[Block], Floats]:
    """Return the blocks with non-zero weights, and their weights; warn about the others, unless it is a trial."""
    weights = [weigh(block, counts) for block in view.blocks]
    kept = [bool(weight.any()) for weight in weights]
    if not all(kept):
        dropped = [block.name for block, is_kept in zip(view.blocks, kept, strict=True) if not is_kept]
        message = f"{view.prefix}dropped {', '.join(dropped)}: all weights are zero"
        if "cib_ncf" in dropped:
            message += ". ECIB is zero for two classes of equal size: use 'ecib_abs' there"
        if not any(kept) and not view.has_profile:
            raise ValueError(f"no block is left: {message}")
        if warn:
            warn_user(message, UserWarning)
    blocks = [block for block, is_kept in zip(view.blocks, kept, strict=True) if is_kept]
    chosen = [weight for weight, is_kept in zip(weights, kept, strict=True) if is_kept]
    return blocks, np.array(chosen).reshape(len(chosen), len(counts.term_docs))


def capacity_for(blocks: list[Block], profile: ClassProfile | None, n_classes: int) -> Capacity:
    """Return the over-allocation for all blocks and a dense profile; a sparse profile is appended later."""
    has_dense_profile = profile is not None and n_classes <= profile.max_dense
    return Capacity(max(1, len(blocks)), n_classes if blocks and has_dense_profile else 0)
