"""Labels of any kind scikit-learn knows, as sorted classes and an indicator matrix of documents by class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d


def read_labels(y: Any) -> tuple[NDArray[Any], sparse.csr_array]:
    """Return the classes in rising order and the indicator matrix, documents x classes, int64.

    One label per document (strings, integers, booleans, whole floats), or a multi-label indicator matrix, dense or
    sparse, whose classes are the column numbers.
    """
    if not sparse.issparse(y):
        y = _as_array(y)
    if (y.ndim == 2 and y.shape[1] != 1) or sparse.issparse(y):
        return _read_indicator(y)
    labels = _one_per_document(y)
    if labels.dtype == object:
        # Not np.unique: it sorts all the strings, and a fixed-width array drops trailing NULs.
        numbers: dict[str, int] = {}
        first_seen = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), np.int64, len(labels))
        classes = np.array([*sorted(numbers), ""], dtype=object)[:-1]
        rank = np.empty(len(classes), dtype=np.int64)
        rank[[numbers[label] for label in classes]] = np.arange(len(classes))
        codes = rank[first_seen]
    else:
        classes, codes = np.unique(labels, return_inverse=True)
    n = len(labels)
    indicator = sparse.csr_array((np.ones(n, np.int64), codes, np.arange(n + 1)), shape=(n, len(classes)))
    return classes, indicator


def _as_array(y: Any) -> NDArray[Any]:
    try:
        return np.asarray(y, dtype=object) if _holds_strings(y) else np.asarray(y)
    except ValueError:
        raise ValueError(
            "y must hold one label per document, got lists of labels: turn them into an indicator matrix, e.g. with"
            " sklearn.preprocessing.MultiLabelBinarizer"
        ) from None


def _read_indicator(y: Any) -> tuple[NDArray[Any], sparse.csr_array]:
    kind = type_of_target(y, input_name="y")
    if kind != "multilabel-indicator":
        raise ValueError(
            f"y must hold one label per document or be a 0/1 indicator matrix, got a {y.shape} array of type {kind}"
        )
    indicator = sparse.csr_array(y)
    wrong = indicator.data[(indicator.data != 0) & (indicator.data != 1)]
    if wrong.size:
        raise ValueError(f"an indicator matrix holds 0 and 1, got {wrong[0]}")
    indicator = sparse.csr_array((indicator != 0).astype(np.int64))
    indicator.sum_duplicates()
    return np.arange(indicator.shape[1]), indicator


def _one_per_document(labels: NDArray[Any]) -> NDArray[Any]:
    if labels.ndim == 0:
        raise ValueError(f"y must hold one label per document, got the single value {labels.item()!r}")
    if labels.ndim > 2:
        raise ValueError(f"y must hold one label per document or be an indicator matrix, got shape {labels.shape}")
    if labels.dtype.kind not in "OUTbiuf":
        raise ValueError(f"labels must be strings, integers, booleans or whole floats, got dtype {labels.dtype}")
    labels = column_or_1d(labels, warn=True)
    if labels.dtype.kind == "O":
        labels = _objects(labels)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        _missing(int(np.flatnonzero(np.isnan(labels))[0]))
    if labels.dtype.kind in "UT":
        return labels.astype(object)
    if labels.dtype == object:
        return labels
    if labels.dtype.kind in "uf" and not (np.abs(labels) < 2**63).all():
        _too_large(labels[~(np.abs(labels) < 2**63)][0])
    kind = type_of_target(labels, input_name="y")
    if kind not in ("binary", "multiclass"):
        example = labels[labels != np.trunc(labels)][0] if kind == "continuous" else labels[0]
        raise ValueError(f"y must hold class labels, got {kind} values such as {example}: bin them into classes first")
    return labels


def _holds_strings(y: Any) -> bool:
    """Say whether numpy would make strings of it: of a missing label the class "nan", and without trailing NULs."""
    return isinstance(y, Sequence) and any(isinstance(label, str) for label in y)


def _objects(labels: NDArray[np.object_]) -> NDArray[Any]:
    """Check that all are strings, or give integers and booleans a type of their own."""
    for plain, dtype in ((str, object), ((bool, np.bool_), bool), ((int, np.integer), np.int64)):
        if all(isinstance(label, plain) for label in labels):
            try:
                return labels.astype(dtype)
            except OverflowError:
                _too_large(max(labels, key=abs))
    for position, label in enumerate(labels):
        # pandas' NA first: it is neither equal to itself nor not.
        if type(label).__name__ in ("NAType", "NaTType") or label is None or label != label:
            _missing(position)
    kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
    raise ValueError(
        f"labels must be all strings or all integers, got {kinds}: convert y first, e.g. [str(label), ...]"
    )


def _missing(position: int) -> None:
    raise ValueError(f"y has no label at position {position}: drop that document or give it a class")


def _too_large(label: Any) -> None:
    raise ValueError(f"labels must be finite and fit 64-bit integers, got {label}: use strings")
