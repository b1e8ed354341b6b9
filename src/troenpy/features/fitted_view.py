"""A view that has learnt: its counter, class counts, weights and class profile, and the parts it makes of documents."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.labels import Labels
from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.counted_rows import CountedRows, Room
from troenpy.features.parts import Parts
from troenpy.features.rows import row_sums
from troenpy.features.views import View
from troenpy.files.saved import arrays_at, below, checked
from troenpy.fitting.parameters import check_not_negative, check_positive
from troenpy.weights.cells import Floats


@dataclass(frozen=True, eq=False)
class FittedView:
    """What a view has learnt of the training documents.

    Parameters
    ----------
    name : str
    counter : CountVectorizer or None
        Fitted; None if documents come as rows of counts.
    counts : ClassCounts
        Without names of terms.
    length : float
        The mean sum of counts of a document.
    blocks : list of Block
        Those of terms that have any weight.
    weights : ndarray of shape (n_blocks, n_terms)
    profile : ClassProfile or None
        Fitted.
    profile_scale : float
        What its columns are multiplied by.
    columns : ndarray of str or None
        The names of the columns of counts, if they had any.
    """

    name: str
    counter: CountVectorizer | None
    counts: ClassCounts
    length: float
    blocks: list[Block]
    weights: Floats
    profile: ClassProfile | None
    profile_scale: float = 1.0
    columns: NDArray[np.object_] | None = None

    @property
    def n_columns(self) -> int:
        """The number of columns of all blocks."""
        return self.weights.size + (0 if self.profile is None else len(self.counts.classes))

    def terms(self) -> NDArray[np.object_]:
        """Return the terms, the columns of each block of them."""
        if self.counter is not None:
            return self.counter.get_feature_names_out()
        if self.columns is not None:
            return self.columns
        return np.array([*(f"x{i}" for i in range(len(self.counts.term_docs))), ""], dtype=object)[:-1]

    @cached_property
    def named_counts(self) -> ClassCounts:
        """The class counts with the names of terms."""
        return self.counts.with_terms(self.terms())

    def names(self) -> list[str]:
        """Return the names of the columns: block, two underscores, term or class."""
        terms = self.terms()
        names = [f"{block.name}__{term}" for block in self.blocks for term in terms]
        return names if self.profile is None else [*names, *self.profile.get_feature_names_out().tolist()]

    def room(self) -> Room:
        """Return the room for the result around counts that it is to be written over."""
        return room_for(self.blocks, self.profile, len(self.counts.classes))

    def parts(self, rows: CountedRows, n_threads: int) -> Parts:
        """Return the parts of documents, all weighted by the weights learnt."""
        profile = None if self.profile is None else self._scaled(self.profile.profile(rows.matrix, n_threads=n_threads))
        sets, lengths = np.zeros(rows.matrix.shape[0], dtype=np.int64), np.array([self.length])
        is_ours = self.counter is not None
        return Parts(rows, is_ours, self.blocks, self.weights[np.newaxis], lengths, sets, profile)

    def training_parts(
        self,
        rows: CountedRows,
        labels: Labels,
        sample_weight: Floats | None,
        folds: Iterable[tuple[Any, Any]] | None,
        weigh: Any,
        n_threads: int,
    ) -> Parts:
        """Return the parts of the training documents: profiled without themselves, weighted by the other folds if any.

        `weigh` returns the weights of a block by class counts.
        """
        X, profile = rows.matrix, None
        if self.profile is not None:
            left_out = self.profile.labels_left_out(X, labels, sample_weight)
            profile = self._scaled(self.profile.profile(X, left_out, n_threads=n_threads))
        sets = np.zeros(X.shape[0], dtype=np.int64)
        by_fold, lengths = [self.weights], [self.length]
        if folds is not None:
            by_fold, lengths = [], []
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
        weights_by_set = np.stack(by_fold)
        return Parts(rows, self.counter is not None, self.blocks, weights_by_set, np.array(lengths), sets, profile)

    def parts_by_term(self, row: Any, counts: Any) -> tuple[NDArray[Any], sparse.csr_array, Floats]:
        """Return what each term of a document adds to each column of its row.

        A column of the class profile is the root of a sum over the terms: each takes its portion of the sum.

        Parameters
        ----------
        row : CSR of shape (1, n_columns)
        counts : CSR of shape (1, n_terms)

        Returns
        -------
        terms : ndarray of shape (n_held,)
            The numbers of the terms that the document holds.
        parts : CSR array of shape (n_held, n_columns)
        rest : ndarray of shape (n_columns,)
            What no term adds: the class profile of a document without known terms. The row is the sum of both.
        """
        n_terms, held = counts.shape[1], counts.indices
        n_term_columns = n_terms * len(self.blocks)
        is_term = row.indices < n_term_columns
        columns = row.indices[is_term]
        cells = row.data[is_term].astype(np.float64), (np.searchsorted(held, columns % max(n_terms, 1)), columns)
        parts = sparse.csr_array(cells, shape=(len(held), n_term_columns))
        rest = np.zeros(self.n_columns)
        if self.profile is not None:
            portions = self.profile.portions(counts)
            profile = row[:, [*range(n_term_columns, self.n_columns)]].toarray().astype(np.float64)[0]
            rest[n_term_columns:] = 0.0 if portions.any() else profile
            parts = sparse.csr_array(sparse.hstack([parts, sparse.csr_array(portions * profile)]))
        return held, parts, rest

    def _scaled(self, profile: Any) -> Any:
        return profile if self.profile_scale == 1 else profile * profile.dtype.type(self.profile_scale)

    def saved(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return all but the counter and the names of columns for a file: what JSON can hold, and arrays."""
        blocks = [block.fields() for block in self.blocks]
        profile = None
        if self.profile is not None:
            profile = {"smoothing": float(self.profile.smoothing), "leave_out": self.profile.leave_out}
        state = {"name": self.name, "blocks": blocks, "profile": profile, "profile_scale": float(self.profile_scale)}
        return state, {
            "weights": self.weights,
            "length": np.array([self.length]),
            **below("counts.", self.counts.to_arrays()),
        }

    @classmethod
    def restored(
        cls, state: dict[str, Any], arrays: dict[str, Any], counter: CountVectorizer | None, columns: Any
    ) -> "FittedView":
        """Take back what `saved` returned; everything is checked."""
        blocks = [Block(*fields) for fields in state["blocks"]]
        for block in blocks:
            block.check()
        counts = ClassCounts.from_arrays(arrays_at("counts.", arrays))
        n_terms = len(counts.term_docs)
        if counter is not None and not isinstance(counter, CountVectorizer):
            raise TypeError(f"expected a CountVectorizer, got {type(counter).__name__}")
        if counter is not None and len(counter.vocabulary_) != n_terms:
            raise ValueError("vocabulary and counts differ in size")
        if columns is not None and columns.shape != (n_terms,):
            raise ValueError("names of columns and counts differ in size")
        profile = None if state["profile"] is None else ClassProfile(**state["profile"]).learn(counts)
        weights = checked(arrays["weights"], (len(blocks), n_terms))
        scale, length = state["profile_scale"], checked(arrays["length"], (1,))[0]
        check_positive("profile_scale", scale)
        check_not_negative("length", float(length))
        return cls(str(state["name"]), counter, counts, float(length), blocks, weights, profile, scale, columns)


def choose_blocks(view: View, counts: ClassCounts, weigh: Any) -> tuple[list[Block], Floats]:
    """Return the blocks that have weights, and these, with one warning for the others."""
    weights = [weigh(block, counts) for block in view.blocks]
    kept = [bool(weight.any()) for weight in weights]
    if not all(kept):
        left_out = ", ".join(block.name for block, is_kept in zip(view.blocks, kept, strict=True) if not is_kept)
        message = f"all weights of {left_out} are zero, so it is left out"
        if "cib_ncf" in left_out:
            message += ". On two classes of equal size this is so for ECIB: use 'ecib_abs' there"
        if not any(kept) and not view.has_profile:
            raise ValueError(f"no block remains: {message}")
        warnings.warn(message, UserWarning, stacklevel=6)
    blocks = [block for block, is_kept in zip(view.blocks, kept, strict=True) if is_kept]
    chosen = [weight for weight, is_kept in zip(weights, kept, strict=True) if is_kept]
    return blocks, np.array(chosen).reshape(len(chosen), len(counts.term_docs))


def room_for(blocks: list[Block], profile: ClassProfile | None, n_classes: int) -> Room:
    """Return the room for blocks and a dense profile around the counts; a sparse profile is joined later."""
    has_dense_profile = profile is not None and n_classes <= profile.max_dense
    return Room(max(1, len(blocks)), n_classes if blocks and has_dense_profile else 0)


def mean_length(X: Any, sample_weight: Floats | None) -> float:
    """Return the mean sum of counts of a document."""
    lengths = row_sums(X)
    n_documents = len(lengths) if sample_weight is None else float(sample_weight.sum())
    total = lengths.sum() if sample_weight is None else sample_weight @ lengths
    return float(total / n_documents) if n_documents else 0.0
