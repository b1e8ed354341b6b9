"""`ClassCounts` as arrays of numbers, for a file, and back."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from troenpy.files import archive

if TYPE_CHECKING:
    from troenpy.counts.class_counts import ClassCounts


def to_arrays(counts: "ClassCounts") -> archive.Arrays:
    """Return everything as arrays of numbers."""
    arrays = archive.packed("classes", counts.classes)
    if counts.terms is not None:
        arrays |= archive.packed("terms", counts.terms)
    numbers = {name: array for name, array in plain_arrays(counts).items() if name not in ("classes", "terms")}
    return {**arrays, **numbers, "n_documents": np.array([counts.n_documents])}


def from_arrays(arrays: archive.Arrays) -> dict[str, Any]:
    """Return the parameters of `ClassCounts` from what `to_arrays` returned; nothing is checked yet."""
    cells = arrays["data"], arrays["indices"], arrays["indptr"]
    return {
        "classes": archive.unpacked("classes", arrays),
        "n_documents": arrays["n_documents"].item(),
        "n_docs": arrays["n_docs"],
        "doc_freq": sparse.csc_array(cells, shape=(len(arrays["n_docs"]), len(arrays["term_docs"]))),
        "term_docs": arrays["term_docs"],
        "terms": archive.unpacked("terms", arrays) if archive.is_packed("terms", arrays) else None,
    }


def plain_arrays(counts: "ClassCounts") -> archive.Arrays:
    """Return the arrays as they are, those of names included."""
    cells = counts.doc_freq
    arrays = {
        "classes": counts.classes,
        "n_docs": counts.n_docs,
        "term_docs": counts.term_docs,
        "data": cells.data,
        "indices": cells.indices,
        "indptr": cells.indptr,
    }
    return arrays if counts.terms is None else {**arrays, "terms": counts.terms}
