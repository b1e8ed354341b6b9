"""Add the counts of two sets of documents, matching classes and terms by name."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from troenpy.counts.class_counts import ClassCounts


def sum_fields(ours: "ClassCounts", theirs: "ClassCounts") -> dict[str, Any]:
    """Return the parameters of the `ClassCounts` of both."""
    classes, *class_maps = merge(ours.classes, theirs.classes, "classes")
    terms, *term_maps = _merge_terms(ours, theirs)
    shape = len(classes), ours.doc_freq.shape[1] if terms is None else len(terms)
    (a, rows_a, columns_a), (b, rows_b, columns_b) = zip((ours, theirs), class_maps, term_maps, strict=True)
    return {
        "classes": classes,
        "n_documents": a.n_documents + b.n_documents,
        "n_docs": _spread(a.n_docs, rows_a, shape[0]) + _spread(b.n_docs, rows_b, shape[0]),
        "doc_freq": _spread_doc_freq(a, rows_a, columns_a, shape) + _spread_doc_freq(b, rows_b, columns_b, shape),
        "term_docs": _spread(a.term_docs, columns_a, shape[1]) + _spread(b.term_docs, columns_b, shape[1]),
        "terms": terms,
        **_sum_errors((a, columns_a), (b, columns_b), n_terms=shape[1]),
    }


def _sum_errors(*parts: tuple["ClassCounts", NDArray[Any]], n_terms: int) -> dict[str, Any]:
    """Add the errors; a term that one side does not have may be missing there as often as that side allows."""
    if all(counts.errors is None for counts, _ in parts):
        return {}
    errors: Any = 0
    for counts, columns in parts:
        of_side = np.full(n_terms, counts.kept_above, dtype=counts.term_docs.dtype)
        of_side[columns] = 0 if counts.errors is None else counts.errors
        errors = errors + of_side
    return {"errors": errors, "kept_above": sum(counts.kept_above for counts, _ in parts)}


def _merge_terms(ours: "ClassCounts", theirs: "ClassCounts") -> tuple[NDArray[Any] | None, NDArray[Any], NDArray[Any]]:
    if ours.terms is not None and theirs.terms is not None:
        return merge(ours.terms, theirs.terms, "terms")
    if ours.terms is not None or theirs.terms is not None:
        raise ValueError("cannot add counts with named terms to counts without: give terms= to both")
    n_ours, n_theirs = ours.doc_freq.shape[1], theirs.doc_freq.shape[1]
    if n_ours != n_theirs:
        raise ValueError(
            f"cannot add counts with {n_ours} and {n_theirs} columns: give terms= to both, so that columns can be"
            " matched by name"
        )
    return None, np.arange(n_ours), np.arange(n_ours)


def merge(a: NDArray[Any], b: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the sorted union, and the position of each entry of `a` and `b` in it; equal arrays keep their order."""
    if a.dtype == b.dtype and np.array_equal(a, b):
        return a, np.arange(len(a)), np.arange(len(b))
    if len(a) and len(b) and (a.dtype.kind in "Ob" or b.dtype.kind in "Ob") and a.dtype.kind != b.dtype.kind:
        raise TypeError(
            f"{name} must have the same type to be merged, got {type(a[0]).__name__} and {type(b[0]).__name__}"
        )
    merged = sorted({*a.tolist(), *b.tolist()})
    place = {value: i for i, value in enumerate(merged)}
    union = np.empty(len(merged), dtype=np.result_type(*([part for part in (a, b) if len(part)] or (a, b))))
    union[:] = merged
    in_a, in_b = (np.array([place[value] for value in part.tolist()], dtype=np.int64) for part in (a, b))
    return union, in_a, in_b


def _spread(values: NDArray[Any], places: NDArray[Any], length: int) -> NDArray[Any]:
    result = np.zeros(length, dtype=values.dtype)
    result[places] = values
    return result


def _spread_doc_freq(
    counts: "ClassCounts", rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]
) -> sparse.csc_array:
    doc_freq = counts.doc_freq
    return sparse.csc_array((doc_freq.data, (rows[doc_freq.indices], columns[counts.columns()])), shape=shape)
