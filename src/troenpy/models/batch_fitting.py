"""TroenpyClassifier on documents that do not fit in memory: passes to read, choose, count and learn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.solver import Rows
from troenpy.counts.labels import Labels
from troenpy.features.arrow_documents import exports_arrow
from troenpy.features.batches import check_counter
from troenpy.features.checkpoints import Checkpoint
from troenpy.features.counted_rows import CountedRows
from troenpy.features.documents import objects, texts
from troenpy.features.missing_documents import Nulls
from troenpy.features.shared_reading import errors_of_view
from troenpy.features.term_features import TermFeatures
from troenpy.features.views import read_views
from troenpy.fitting.parameters import check_whole
from troenpy.models.choice import MOST_COEFFICIENTS, USUAL_STRENGTH, Choice, choose, with_terms
from troenpy.models.copies import Copies, CopyFinder
from troenpy.models.document_passes import LABEL_MASK, Chunk, DocumentPasses, Progress
from troenpy.models.held_out import LEAST_HELD_OUT, design_parts
from troenpy.models.losses import Floats
from troenpy.models.pass_ascent import Batch, PassFit, Target, fit_in_passes
from troenpy.models.survey import Sample

#: Terms of a view that are kept, unless its counter has a `max_terms` of its own or a `vocabulary`.
MOST_TERMS = 1 << 20


@dataclass
class BatchFit:
    """Everything that is learnt from the documents, step by step.

    Parameters
    ----------
    passes : DocumentPasses
        Once they have been read for the first time.
    features : TermFeatures
        Unfitted.
    n_threads : int
    """

    passes: DocumentPasses
    features: TermFeatures
    n_threads: int

    def __post_init__(self) -> None:
        self.classes, self.indicator = self.passes.seen.classes, self.passes.indicator()
        #: The number of documents with each label set.
        self.sizes = np.zeros(len(self.passes.label_sets), dtype=np.int64)
        #: The same of documents without a known term, once they have been learnt from.
        self.unknown = np.zeros_like(self.sizes)
        #: Of each view that leaves out copies, once they have been found.
        self._copies: list[Copies | None] = []
        for keys in np.array_split(self.passes.keys, 1 + (self.passes.n_documents >> 20)):
            self.sizes += np.bincount((keys & LABEL_MASK).astype(np.int64), minlength=len(self.sizes))

    @property
    def is_single(self) -> bool:
        """Whether every document has one label."""
        return self.passes.is_single

    @property
    def labels(self) -> Labels:
        """The label sets, as if they were documents."""
        return self._labels(np.arange(len(self.sizes)))

    def _labels(self, numbers: NDArray[np.int64]) -> Labels:
        return Labels(self.classes, sparse.csr_array(self.indicator[numbers]), self.is_single)

    def check_classes(self) -> None:
        """Raise unless there are two classes with documents."""
        present = np.flatnonzero(self.sizes @ self.indicator)
        if len(present) < 2:
            names = ", ".join(map(repr, self.classes[present].tolist())) or "none"
            raise ValueError(f"there must be at least two classes with documents, got {names}")

    def choose(
        self,
        sample: Sample,
        class_weights: Floats,
        candidates: Sequence[tuple[str, ...]],
        strengths: Sequence[float],
        random_state: Any,
    ) -> Choice:
        """Return the views and the C that predict held-out documents of the sample best."""
        usual = Choice(candidates[-1], USUAL_STRENGTH if USUAL_STRENGTH in strengths else strengths[0])
        if len(candidates) * len(strengths) == 1 or len(sample.texts) < LEAST_HELD_OUT:
            return usual
        self._tell("choosing")
        indicator = sparse.csr_array(self.indicator[sample.numbers])
        classes = self.classes
        if self.is_single:  # the classes of the sample, which may not be all
            here = np.flatnonzero(np.bincount(indicator.indices, minlength=len(classes)))
            classes, indicator = classes[here], sparse.csr_array(indicator[:, here])
            class_weights = class_weights[here]
        if np.count_nonzero(class_weights) < 2:  # of several labels, all weights are one
            return usual
        labels = Labels(classes, indicator, self.is_single)
        counted = self.features._count(sample.texts, labels, None, is_choice=len(candidates) > 1)
        candidates = with_terms(counted, candidates)
        return choose(self.features, counted, class_weights, candidates, strengths, random_state)

    def count(self, views: Sequence[str], max_terms: int | None, checkpoint: Checkpoint | None) -> None:
        """Count the terms of all documents, and choose and weight those of the views."""
        features = self.features
        features.views = [view for view in features._views_or_default() if view[0] in views]
        n_classes = len(self.classes)
        n_decisions = 1 if self.is_single and n_classes == 2 else n_classes
        for _, counter, blocks in features.views:
            affordable = max(1, MOST_COEFFICIENTS // (n_decisions * len(blocks) * len(features.views)))
            if counter.max_terms is None and counter.vocabulary is None:
                counter.max_terms = min(MOST_TERMS, affordable) if max_terms is None else max_terms
        n_counted = 0
        if checkpoint is not None:
            n_counted = checkpoint.restore(features, self.passes.keys)
        start = 0
        for chunk, _ in self.passes.again("counting"):
            start += len(chunk.texts)
            if start <= n_counted:
                continue
            features.partial_fit(chunk.texts, self._labels(chunk.numbers))
            if checkpoint is not None:
                checkpoint.note(features, self.passes.keys[:start])
        if not hasattr(features, "views_"):
            raise ValueError("no view has a term that is kept: check min_df, max_df, min_class_df and stop_words")
        del features._stream  # the counts of terms that are not kept, too

    def find_copies(self) -> None:
        """Find documents with equal rows, in a pass of its own: class profiles leave them out together, as in `fit`."""
        views = self.features._fitted_views()
        if self.features.leave_out != "copies":
            return
        # Of a bounded table some documents are missing: more than one may not be there to leave out.
        compared = [view.profile is not None and not view.counts.kept_above > 0 for view in views]
        if not any(compared):
            return
        with ExitStack() as files:
            finders = [
                files.enter_context(closing(CopyFinder(view.n_terms))) if is_compared else None
                for view, is_compared in zip(views, compared, strict=True)
            ]
            for chunk, _ in self.passes.again("counting", 2):
                for finder, rows in zip(finders, self._count_rows(chunk), strict=True):
                    if finder is not None:
                        finder.add(rows.matrix, chunk.numbers)
            self._copies = [None if finder is None else finder.find(self.indicator) for finder in finders]

    def learn(self, C: float, class_weights: Floats, max_passes: int) -> PassFit:
        """Fit the coefficients."""

        def read(n_pass: int) -> Iterator[Batch]:
            for chunk, _ in self.passes.again("learning", n_pass):
                yield Batch(self._rows(chunk, is_first=n_pass == 1), chunk.numbers)

        targets = self._targets(class_weights)
        return fit_in_passes(read, targets, self.sizes, self.features.n_columns_, C, max_passes)

    def _count_rows(self, chunk: Chunk) -> list[CountedRows]:
        return self.features._count_rows(chunk.texts, [view.capacity() for view in self.features._fitted_views()])

    def _rows(self, chunk: Chunk, *, is_first: bool) -> Rows:
        views, counted = self.features._fitted_views(), self._count_rows(chunk)
        if is_first:
            known = np.any([np.diff(rows.matrix.indptr) > 0 for rows in counted], axis=0)
            self.unknown += np.bincount(chunk.numbers[~known], minlength=len(self.unknown))
        own, parts = sparse.csr_array(self.indicator[chunk.numbers].astype(np.float64)), []
        for view, rows, copies in zip(views, counted, self._copies or [None] * len(views), strict=True):
            left_out = own if copies is None else copies.left_out(rows.matrix, chunk.numbers)
            parts.append(view.parts(rows, self.n_threads, left_out))
        return Rows(*design_parts(parts, self.n_threads), n_threads=self.n_threads)

    def _targets(self, class_weights: Floats) -> list[Target]:
        n_classes = self.indicator.shape[1]
        if self.is_single:
            return [Target(self.indicator.indices.astype(np.int64), class_weights, n_classes)]
        columns = self.indicator.toarray()
        return [Target(columns[:, k].astype(np.int64), np.ones(2), 2) for k in self.varying().tolist()]

    def varying(self) -> NDArray[np.int64]:
        """Return the labels that some documents have, and some do not."""
        n_documents = self.sizes @ self.indicator
        return np.flatnonzero((n_documents > 0) & (n_documents < self.sizes.sum()))

    def frequencies(self, class_weights: Floats) -> NDArray[np.float64]:
        """Return the probabilities of the classes for a document without a known term, as `fit` finds them."""
        weights = self.sizes.astype(np.float64)
        unknown = self.unknown.astype(np.float64)
        if self.is_single:
            by_set = class_weights[self.indicator.indices]
            weights, unknown = weights * by_set, unknown * by_set
        overall = np.clip(weights @ self.indicator / weights.sum(), 0.0, 1.0)
        return np.clip((unknown @ self.indicator + overall) / (unknown.sum() + 1), 0.0, overall > 0)

    def _tell(self, stage: str) -> None:
        if self.passes.callback is not None:
            self.passes.callback(Progress(stage, total=self.passes.n_documents))


def check_batch_parameters(features: TermFeatures, tol: float | None, max_terms: int | None, callback: Any) -> None:
    """Raise an error for parameters that cannot be used with batches."""
    if not (callback is None or callable(callback)):
        raise TypeError(f"callback must be a function, got {callback!r:.80}")
    if tol is not None:
        raise ValueError(f"fit_batches stops when predictions have settled: tol must be None, got {tol!r}")
    if features.takes_counts:
        raise ValueError("fit_batches takes texts, but the features have a view of 'counts': use fit")
    if features.cv is not None:
        raise ValueError("cv cannot be used with fit_batches: folds need all documents at once. Use fit")
    if max_terms is not None:
        check_whole("max_terms", max_terms, least=1)
    views = read_views(features._views_or_default())
    for view in views:
        with errors_of_view(view.name) if len(views) > 1 else nullcontext():
            assert view.counter is not None  # noqa: S101
            check_counter(view.counter, "fit_batches")
            if view.counter.input == "file":
                raise ValueError("input='file' cannot be used with fit_batches: use input='filename'")


def document_reader(features: TermFeatures) -> Callable[[Any], Iterable[Any]]:
    """Return a function that checks the documents of a batch, and makes them text if all views read text alike."""
    counters = [counter for _, counter, _ in features._views_or_default()]
    first = counters[0]
    nulls: Nulls = "empty" if all(counter.nulls == "empty" for counter in counters) else "error"
    encoding = first.encoding, first.decode_error
    are_text = all(one._takes_text_only() and (one.encoding, one.decode_error) == encoding for one in counters)

    def read(documents: Any) -> Iterable[Any]:
        if are_text:
            return texts(documents, first.decode, nulls)
        is_readable = len(counters) == 1 or exports_arrow(documents)
        return first._readable(documents) if is_readable else objects(documents, nulls)

    return read
