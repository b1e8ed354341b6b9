"""Convert `ClassCounts` to numeric arrays for a file, and back."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from troenpy.files import archive

if TYPE_CHECKING:
    from troenpy.counts.class_counts import ClassCounts


def to_arrays(counts: "ClassCounts") -> archive.Arrays:
    """Return the counts as numeric arrays; strings are encoded."""
    arrays = archive.pack("classes", counts.classes)
    if counts.terms is not None:
        arrays |= archive.pack("terms", counts.terms)
    numbers = {name: array for name, array in plain_arrays(counts).items() if name not in ("classes", "terms")}
    if not counts.is_exact:
        arrays["kept_above"] = np.array([counts.kept_above])
    return {**arrays, **numbers, "n_documents": np.array([counts.n_documents])}


def from_arrays(arrays: archive.Arrays) -> dict[str, Any]:
    """Return the parameters of `ClassCounts` from the result of `to_arrays`, unchecked."""
    doc_freq = arrays["data"], arrays["indices"], arrays["indptr"]
    return {
        "classes": archive.unpack("classes", arrays),
        "n_documents": arrays["n_documents"].item(),
        "n_docs": arrays["n_docs"],
        "doc_freq": sparse.csc_array(doc_freq, shape=(len(arrays["n_docs"]), len(arrays["term_docs"]))),
        "term_docs": arrays["term_docs"],
        "terms": archive.unpack("terms", arrays) if archive.is_packed("terms", arrays) else None,
        "errors": arrays.get("errors"),
        "kept_above": arrays["kept_above"].item() if "kept_above" in arrays else 0,
    }


def plain_arrays(counts: "ClassCounts") -> archive.Arrays:
    """Return all arrays unencoded, names included."""
    doc_freq = counts.doc_freq
    arrays = {
        "classes": counts.classes,
        "n_docs": counts.n_docs,
        "term_docs": counts.term_docs,
        "data": doc_freq.data,
        "indices": doc_freq.indices,
        "indptr": doc_freq.indptr,
    }
    if counts.errors is not None:
        arrays["errors"] = counts.errors
    return arrays if counts.terms is None else {**arrays, "terms": counts.terms}
