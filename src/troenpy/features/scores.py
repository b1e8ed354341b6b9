"""Products of the features of documents with coefficients, by the kernel: the features are never a matrix."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.features.fitted_view import FittedView
from troenpy.fitting.jobs import job_count


class Scorer:
    """Multiplies the features of documents by coefficients, some documents at a time.

    Parameters
    ----------
    view : FittedView
    index : TermIndex of the kernel
    coef : C-contiguous array of shape (n_features, n_decisions), float32 or float64
    step : int
        How many documents at a time.
    n_threads : int
    """

    def __init__(self, view: FittedView, index: Any, coef: NDArray[Any], step: int, n_threads: int) -> None:
        counter: Any = view.counter
        self.counter = counter
        self.features, self.index, self.coef, self.step, self.n_threads = view.scorer, index, coef, step, n_threads
        self.like = np.empty(0, dtype=counter.dtype)  # features are rounded to its type

    @classmethod
    def of(cls, view: FittedView, coef: NDArray[Any], step: int, n_threads: int) -> "Scorer | None":
        """Return a scorer, or None if the kernel does not know the features."""
        index = None if view.counter is None or view.scorer is None else view.counter._index()
        return None if index is None else cls(view, index, coef, step, n_threads)

    def scores(self, raw_documents: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the products for the next documents, of shape (n_documents, n_decisions), or one empty array."""
        n_documents = 0
        for batch in self.counter._batches(raw_documents):
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

    def _of_texts(self, texts: list[str]) -> NDArray[np.float64]:
        out, counter = self._zeros(len(texts)), self._new_counter()
        self.features.add_scores_of_texts(
            counter, texts, bool(self.counter.binary), self.coef, out, self.like, self.n_threads
        )
        return out

    def _of_arrow(self, batch: Any) -> Iterator[NDArray[np.float64]]:
        counter = self._new_counter()
        counter.add(batch)
        counted = counter.rows()
        for first in range(0, len(batch), self.step):
            out = self._zeros(min(len(batch) - first, self.step))
            self.features.add_scores(
                counted, bool(self.counter.binary), first, self.coef, out, self.like, self.n_threads
            )
            yield out

    def _zeros(self, n_documents: int) -> NDArray[np.float64]:
        values = np.empty((n_documents, self.coef.shape[1]))
        values.fill(0.0)  # np.zeros releases the GIL even for a few hundred values
        return values

    def _new_counter(self) -> Any:
        return self.counter._new_counter(job_count(self.counter.n_jobs), self.index)
