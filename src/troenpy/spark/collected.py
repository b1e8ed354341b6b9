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


class Collected:
    """The sums of all views.

    Parameters
    ----------
    table : pyarrow.Table
        With the columns of `partition_counts.SUM_COLUMNS`.
    columns : Columns
    """

    def __init__(self, table: Any, columns: Columns) -> None:
        self._table, self._is_weighted = table, columns.weight is not None
        self._is_boolean = columns.kind == "boolean"
        if not table.num_rows:
            raise ValueError("there is no document in the DataFrame")

    def tally(self, view: int, counter: CountVectorizer) -> Tally:
        """Return the counts of a view."""
        dtype = np.float64 if self._is_weighted else np.int64
        rows = self._table.filter(pc.equal(self._table["view"], view))
        has_term, has_class = rows["term"].is_valid(), rows["class"].is_valid()
        totals = rows.filter(pc.invert(pc.or_(has_term, has_class)))
        sizes = rows.filter(pc.and_(pc.invert(has_term), has_class)).sort_by("class")
        by_term = rows.filter(pc.and_(has_term, pc.invert(has_class)))
        by_class = rows.filter(pc.and_(has_term, has_class))
        terms = self._terms(by_term, counter)
        n_terms, n_classes, place = len(terms), sizes.num_rows, _places(by_term["term"], terms)

        def of_terms(name: str, kind: Any) -> NDArray[Any]:
            values = np.zeros(n_terms, dtype=kind)
            values[place] = by_term[name].to_numpy().astype(kind)
            return values

        cells = (_places(by_class["class"], sizes["class"]), _places(by_class["term"], terms))
        entries = by_class["documents"].to_numpy().astype(dtype)
        doc_freq = sparse.coo_array((entries, cells), shape=(n_classes, n_terms)).tocsc()
        doc_freq.sort_indices()
        doc_freq.eliminate_zeros()
        counts = ClassCounts.from_sums(
            classes=self._classes(sizes["class"]),
            n_documents=totals["documents"][0].as_py(),
            n_docs=sizes["documents"].to_numpy().astype(dtype),
            doc_freq=doc_freq,
            term_docs=of_terms("documents", dtype),
        )
        is_fixed = counter.vocabulary is not None
        lengths = totals["occurrences"].to_numpy() if is_fixed else of_terms("occurrences", np.float64)
        frequency = of_terms("frequency", np.int64)
        return Tally(
            counts, None if is_fixed else _term_list(terms), totals["frequency"][0].as_py(), frequency, lengths
        )

    def _terms(self, by_term: Any, counter: CountVectorizer) -> Any:
        """Return the UTF-8 bytes of the terms, in column order."""
        if counter.vocabulary is not None:
            return pa.array([term.encode() for term in counter.get_feature_names_out()], pa.binary())
        terms = by_term["term"].combine_chunks()
        return terms.take(pc.array_sort_indices(terms)).cast(pa.large_binary())

    def _classes(self, names: Any) -> NDArray[Any]:
        classes = names.to_numpy()
        return class_array(classes.astype(bool) if self._is_boolean else classes)


def _places(values: Any, among: Any) -> NDArray[np.int64]:
    """Return the position of each value among others."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(among, pa.ChunkedArray):
        among = among.combine_chunks()
    found = pc.index_in(values.cast(among.type), value_set=among)
    return found.to_numpy(zero_copy_only=False).astype(np.int64)


def _term_list(terms: Any) -> TermList:
    """Return packed terms; `terms` is a large_binary array without nulls."""
    _, offsets, text = terms.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[terms.offset : terms.offset + len(terms) + 1]
    start = int(ends[0]) if len(ends) else 0
    content = np.frombuffer(text, dtype=np.uint8)[start : int(ends[-1])] if text is not None else np.empty(0, np.uint8)
    return TermList(content.copy(), (ends[1:] - start).astype(np.int64))
