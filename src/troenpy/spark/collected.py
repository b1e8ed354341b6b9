"""On the driver: turn the collected sums into tallies, as a stream in memory would have them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.fields import class_array
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.tallies import Tally
from troenpy.features.term_list import TermList
from troenpy.spark.columns import Columns
from troenpy.spark.sums import add, all_classes, cells_of, from_rows


class Collected:
    """The sums of all views.

    Parameters
    ----------
    rows : pyarrow.Table
        Rows of packed sums.
    columns : Columns
    """

    def __init__(self, rows: Any, columns: Columns) -> None:
        self._is_boolean = columns.kind == "boolean"
        self._sums: dict[int, list[Any]] = {}
        for view, _, sums in from_rows(rows.to_batches()):
            self._sums.setdefault(view, []).append(sums)
        if not self._sums:
            raise ValueError("there is no document in the DataFrame")

    def tally(self, view: int, counter: CountVectorizer) -> Tally:
        """Return the counts of a view."""
        sums = add(self._sums[view])
        (of_all,) = np.flatnonzero(sums["term"].is_null())
        classes = all_classes([sums])
        rows, codes, documents = cells_of(sums, classes)
        is_fixed, terms = counter.vocabulary is not None, self._terms(sums, counter)
        n_terms, n_classes = len(terms), len(classes)
        places = pc.index_in(sums["term"], value_set=terms).fill_null(n_terms).to_numpy()  # the totals come last
        cells = sparse.coo_array((documents, (codes, places[rows])), shape=(n_classes, n_terms + 1)).tocsc()
        cells.eliminate_zeros()

        def of_terms(name: str) -> NDArray[Any]:
            values = sums[name].to_numpy()
            found = np.zeros(n_terms + 1, dtype=values.dtype)
            found[places] = values
            return found[:-1]

        sizes = np.zeros(n_classes, dtype=documents.dtype)
        sizes[codes[rows == of_all]] = documents[rows == of_all]
        totals = sums.slice(int(of_all), 1)
        counts = ClassCounts.from_sums(
            classes=self._classes(classes),
            n_documents=totals["documents"][0].as_py(),
            n_docs=sizes,
            doc_freq=cells[:, :-1],
            term_docs=of_terms("documents"),
        )
        lengths = totals["occurrences"].to_numpy() if is_fixed else of_terms("occurrences")
        return Tally(
            counts,
            None if is_fixed else _term_list(terms),
            totals["frequency"][0].as_py(),
            of_terms("frequency"),
            lengths,
        )

    def _terms(self, sums: Any, counter: CountVectorizer) -> Any:
        """Return the UTF-8 bytes of the terms, in column order."""
        if counter.vocabulary is not None:
            return pa.array([term.encode() for term in counter.get_feature_names_out()], pa.large_binary())
        terms = sums["term"].drop_null()
        return terms.take(pc.array_sort_indices(terms))

    def _classes(self, names: Any) -> NDArray[Any]:
        classes = names.to_numpy(zero_copy_only=False)
        return class_array(classes.astype(bool) if self._is_boolean else classes)


def _term_list(terms: Any) -> TermList:
    """Return packed terms; `terms` is a large_binary array without nulls."""
    _, offsets, text = terms.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[terms.offset : terms.offset + len(terms) + 1]
    start = int(ends[0]) if len(ends) else 0
    content = np.frombuffer(text, dtype=np.uint8)[start : int(ends[-1])] if text is not None else np.empty(0, np.uint8)
    return TermList(content.copy(), (ends[1:] - start).astype(np.int64))
