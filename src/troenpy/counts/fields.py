"""Convert the parameters of `ClassCounts` to arrays, and check that they are consistent."""

from collections import Counter
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.counting import LARGEST_TOTAL, SMALLEST_WEIGHT

if TYPE_CHECKING:
    from troenpy.counts.class_counts import ClassCounts


def check_total(n_documents: int | float) -> None:
    """Raise unless this can be a number of documents, or a sum of their weights."""
    if not isinstance(n_documents, Real) or isinstance(n_documents, bool):
        raise TypeError(f"n_documents must be a number, got {n_documents!r}")
    largest = np.iinfo(np.int64).max if isinstance(n_documents, Integral) else LARGEST_TOTAL
    if not 0 <= n_documents <= largest:
        raise ValueError(f"n_documents must be between 0 and {largest}, got {n_documents}")
    if 0 < n_documents < SMALLEST_WEIGHT:
        raise ValueError(f"n_documents must be 0 or at least {SMALLEST_WEIGHT:g}, got {n_documents}")


def check_kept_above(counts: "ClassCounts") -> None:
    """Raise unless no error exceeds `kept_above`, which is 0 for exact counts."""
    most = counts.kept_above
    if not isinstance(most, Real) or isinstance(most, bool) or not 0 <= most < np.inf:
        raise ValueError(f"kept_above must be a finite number and not negative, got {most!r}")
    if counts.errors is None:
        if most > 0:
            raise ValueError(f"kept_above must be 0 for exact counts, got {most}: give errors, too")
        return
    is_wrong = ~((counts.errors >= 0) & (counts.errors <= most * (1 + 1e-9)))
    if is_wrong.any():
        raise ValueError(f"errors must be between 0 and kept_above, {most}, got {counts.errors[is_wrong][0]}")


def read_numbers(name: str, values: Any, n_dimensions: int) -> Any:
    """Convert counts to an array; a sparse matrix is returned unchanged."""
    try:
        array = values if sparse.issparse(values) else np.asarray(values)
    except ValueError:
        array = np.empty(())  # rows of different lengths
    is_table = array.ndim == 2 or n_dimensions == 1  # check_fields checks the shape of a list
    if not is_table or array.dtype.kind not in "biuf":
        what = {1: "a list", 2: "a matrix"}[n_dimensions]
        raise TypeError(f"{name} must be {what} of numbers, got {' '.join(repr(values).split()):.60}")
    return array


def string_array(strings: Any) -> NDArray[np.object_]:
    """Convert terms or class names to an object array of str."""
    if isinstance(strings, str):
        raise TypeError(f"terms must be a list of strings, got the single string {strings!r}")
    if not isinstance(strings, Iterable):
        raise TypeError(f"terms and class names must be a list of strings, got {strings!r}")
    listed = list(strings)
    kinds = set(map(type, listed))
    if not all(issubclass(kind, str) for kind in kinds):
        wrong = next(string for string in listed if not isinstance(string, str))
        raise TypeError(f"terms and class names must be strings, got {wrong!r}")
    array = np.empty(len(listed), dtype=object)
    array[:] = listed if kinds <= {str} else [str(string) for string in listed]  # np.str_ becomes str
    return array


def class_array(classes: Any) -> NDArray[Any]:
    """Convert classes to int64, float64, bool or str, so that equal classes give equal bytes."""
    array = np.asarray(classes)
    if array.dtype.kind == "f":
        array = array + 0.0  # -0.0 becomes 0.0
    one_type = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}.get(array.dtype.kind)
    return string_array(classes) if one_type is None else array.astype(one_type)


def read_columns(columns: Any, n_terms: int) -> NDArray[Any]:
    """Convert column numbers or a mask to an array, and check them."""
    chosen = np.asarray(columns)
    is_mask = chosen.dtype == bool and chosen.shape == (n_terms,)
    is_list = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not chosen.size)
    if not is_mask and not (is_list and ((chosen >= -n_terms) & (chosen < n_terms)).all()):
        raise IndexError(f"columns must be numbers below {n_terms}, or a mask of that length, got {columns!r:.60}")
    return chosen if is_mask else chosen.astype(np.int64)


def check_fields(counts: "ClassCounts", n_classes: int, n_terms: int) -> None:
    """Raise unless the lengths match, classes and terms do not repeat, and no count exceeds its total."""
    lengths = {"classes": n_classes, "n_docs": n_classes, "term_docs": n_terms, "terms": n_terms, "errors": n_terms}
    for name, length in lengths.items():
        array = getattr(counts, name)
        if array is not None and array.shape != (length,):
            raise ValueError(f"{name} must have shape ({length},) to fit doc_freq, got {array.shape}")
    if not all(counts.classes[1:] > counts.classes[:-1]):
        raise ValueError(f"classes must be in ascending order and not repeat, got {counts.classes.tolist()}")
    if counts.terms is not None and len(set(counts.terms)) < n_terms:
        twice = next(term for term, times in Counter(counts.terms).items() if times > 1)
        raise ValueError(f"terms must not repeat, got {twice!r} twice")
    slack = 1 + 1e-9  # sums of weights in a different order differ by rounding
    doc_freq = counts.doc_freq
    check_kept_above(counts)
    bounds = (
        ("n_docs", counts.n_docs, "n_documents", counts.n_documents),
        ("term_docs", counts.term_docs, "n_documents", counts.n_documents),
        ("doc_freq", doc_freq.data, "n_docs", counts.n_docs[doc_freq.indices]),
        ("doc_freq", doc_freq.data, "term_docs", counts.term_docs[counts.columns()]),
    )
    for part, smaller, whole, larger in bounds:
        # NaN fails both comparisons, and no total is infinite.
        is_wrong = ~((smaller >= 0) & (smaller <= (larger * slack if counts.is_weighted else larger)))
        if is_wrong.any():
            wrong = smaller[is_wrong][0]
            raise ValueError(f"{part} must be finite, not negative and at most {whole}, got {wrong}")
        if not counts.is_weighted:
            continue
        is_tiny = (smaller > 0) & (smaller < SMALLEST_WEIGHT / slack)
        if is_tiny.any():
            raise ValueError(f"{part} must be 0 or at least {SMALLEST_WEIGHT:g}, got {smaller[is_tiny][0]}")
