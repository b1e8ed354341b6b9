"""Products of the features of documents with coefficients, by the kernel: the features are never a matrix."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from troenpy.features.fitted_view import FittedView
from troenpy.features.layout import Layout
from troenpy.features.shared_reading import read_alike
from troenpy.fitting.jobs import job_count


class Scores(NamedTuple):
    """Products of documents, of shape (n_documents, n_decisions), and which documents have a known term."""

    values: NDArray[np.float64]
    known: NDArray[np.uint8]

    @property
    def unknown(self) -> NDArray[np.int64]:
        """The numbers of the documents without a known term."""
        if b"\0" not in self.known.tobytes():  # numpy's functions release the GIL however little there is to do
            return _NONE
        return np.flatnonzero(self.known == 0)


_NONE = np.empty(0, dtype=np.int64)


class ScoredView(NamedTuple):
    """What a view adds to the products."""

    counter: Any
    index: Any  # TermIndex of the kernel
    features: Any  # ViewFeatures of the kernel
    coef: NDArray[Any]
    like: NDArray[Any]  # features are rounded to its type

    def new_counter(self) -> Any:
        """Return a counter of the kernel."""
        return self.counter._new_counter(job_count(self.counter.n_jobs), self.index)

    def add_texts(self, texts: list[str], out: "Scores", n_threads: int) -> None:
        """Add the products of texts."""
        is_binary = bool(self.counter.binary)
        self.features.add_scores_of_texts(
            self.new_counter(), texts, is_binary, self.coef, out.values, out.known, self.like, n_threads
        )

    def add_counted(self, counted: Any, first: int, out: "Scores", n_threads: int) -> None:
        """Add the products of documents that have been counted, from the first on."""
        is_binary = bool(self.counter.binary)
        self.features.add_scores(counted, is_binary, first, self.coef, out.values, out.known, self.like, n_threads)


class Scorer:
    """Multiplies the features of documents by coefficients, some documents at a time.

    Parameters
    ----------
    views : list of ScoredView
    n_decisions : int
    step : int
        How many documents at a time.
    n_threads : int
    """

    def __init__(self, views: Sequence[ScoredView], n_decisions: int, step: int, n_threads: int) -> None:
        self.views, self.n_decisions, self.step, self.n_threads = views, n_decisions, step, n_threads

    @classmethod
    def of(
        cls, views: Sequence[FittedView], layout: Layout, coef: NDArray[Any], step: int, n_threads: int
    ) -> "Scorer | None":
        """Return a scorer, or None if the kernel does not know the features.

        `coef` is C-contiguous, of shape (n_features, n_decisions), float32 or float64.
        """
        scored = []
        for number, view in enumerate(views):
            index = None if view.counter is None or view.scorer is None else view.counter._index()
            if view.counter is None or index is None:
                return None
            like = np.empty(0, dtype=view.counter.dtype)
            scored.append(ScoredView(view.counter, index, view.scorer, coef[layout.columns(number)], like))
        if len(scored) > 1 and not read_alike([view.counter for view in scored]):
            return None
        return cls(scored, coef.shape[1], step, n_threads)

    def scores(self, raw_documents: Any) -> Iterator[Scores]:
        """Yield the products for the next documents, or once for none."""
        n_documents = 0
        for batch in self.views[0].counter._batches(raw_documents):
            n_documents += len(batch)
            if isinstance(batch, list) and 0 < len(batch) <= self.step:
                yield self._of_texts(batch)
            elif isinstance(batch, list):
                for first in range(0, len(batch), self.step):
                    yield self._of_texts(batch[first : first + self.step])
            else:
                yield from self._of_arrow(batch)
        if n_documents == 0:
            yield self._zeros(0)

    def _of_texts(self, texts: list[str]) -> Scores:
        out = self._zeros(len(texts))
        for view in self.views:
            view.add_texts(texts, out, self.n_threads)
        return out

    def _of_arrow(self, batch: Any) -> Iterator[Scores]:
        counters = [view.new_counter() for view in self.views]
        for counter in counters:
            counter.add(batch)
        counted = [counter.rows() for counter in counters]
        for first in range(0, len(batch), self.step):
            out = self._zeros(min(len(batch) - first, self.step))
            for view, rows in zip(self.views, counted, strict=True):
                view.add_counted(rows, first, out, self.n_threads)
            yield out

    def _zeros(self, n_documents: int) -> Scores:
        scores = Scores(np.empty((n_documents, self.n_decisions)), np.empty(n_documents, dtype=np.uint8))
        for array in scores:
            array.fill(0)  # np.zeros releases the GIL even for a few hundred values
        return scores
