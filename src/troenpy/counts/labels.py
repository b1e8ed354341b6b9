"""Labels of any kind scikit-learn knows, as sorted classes and an indicator matrix of documents by class."""

from collections.abc import Mapping, MappingView, Sequence, Set, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d


@dataclass(frozen=True)
class Labels:
    """The classes in rising order, and which documents have which (n x K, int64 ones)."""

    classes: NDArray[Any]
    indicator: sparse.csr_array
    is_list: bool = True  # one label per document was given, not an indicator matrix

    def __len__(self) -> int:
        return int(self.indicator.shape[0])

    @property
    def is_single(self) -> bool:
        """Whether every document has exactly one class; its number is then in `indicator.indices`."""
        return bool((np.diff(self.indicator.indptr) == 1).all())

    def part(self, documents: NDArray[Any]) -> "Labels":
        """Return the labels of some documents, all classes kept."""
        return Labels(self.classes, self.indicator[documents], self.is_list)


def read_labels(y: Any) -> Labels:
    """Read one label per document, or a multi-label indicator matrix whose classes are the column numbers.

    Labels may be strings, integers, booleans or whole floats; an indicator matrix may be dense or sparse. Labels that
    were read already come back as they are.
    """
    if isinstance(y, Labels):
        return y
    _check_order(y)
    if not sparse.issparse(y):
        y = _as_array(y)
    if (y.ndim == 2 and y.shape[1] != 1) or sparse.issparse(y):
        return _read_indicator(y)
    labels = _one_per_document(y)
    if labels.dtype == object:
        # Not np.unique: it sorts all the strings, and a fixed-width array drops trailing NULs.
        classes = np.array([*sorted(set(labels)), ""], dtype=object)[:-1]
        place = {label: number for number, label in enumerate(classes)}
        codes = np.fromiter(map(place.__getitem__, labels), np.int64, len(labels))
    else:
        classes, codes = np.unique(labels, return_inverse=True)
    n = len(labels)
    indicator = sparse.csr_array((np.ones(n, np.int64), codes, np.arange(n + 1)), shape=(n, len(classes)))
    return Labels(classes, indicator)


def unmixed(y: Any) -> Any:
    """Return labels for scikit-learn's own checks, which turn a list of strings and numbers into strings.

    What is no list of labels is an error; of numbers and tables, scikit-learn says it. Strings that numpy's own would
    not tell apart, for a NUL at their end, become objects.
    """
    _check_order(y)
    if y is None or sparse.issparse(y):
        return y
    labels = _as_array(y)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported in y: labels must be strings, integers or booleans")
    if labels.ndim == 2 or (labels.ndim == 1 and labels.dtype.kind in "biuf"):
        return y
    labels = _one_per_document(labels)
    is_cut = labels.dtype == object and any(label.endswith("\0") for label in labels)
    return labels if is_cut else y


def read_required_labels(y: Any, reader: str) -> Labels:
    """Read the labels that an estimator on text cannot do without."""
    if y is None:
        raise ValueError(
            f"{reader} learns from labels: it requires y to be passed, but the target y is None. fit(texts, labels),"
            " one label per document; without labels, scikit-learn's TfidfVectorizer is the thing to use"
        )
    return read_labels(y)


def read_single_labels(y: Any, reader: str) -> Labels:
    """Read the labels of an estimator that takes one per document."""
    labels = read_required_labels(y, reader)
    if not (labels.is_single and labels.is_list):
        raise ValueError(f"{reader} takes one label per document: use TroenpyClassifier for several")
    return labels


def check_labels_fit(labels: Labels, documents: Any, *, is_whole: bool = True) -> None:
    """Check the number of labels, and for swapped arguments.

    `documents` are the documents, or how many there are; a batch, not the whole, may have a label for each.
    """
    is_number = isinstance(documents, int)
    if not is_number and (isinstance(documents, str | bytes) or not isinstance(documents, Sized)):
        return  # read later, and an error then or a generator that can be read once
    n_documents, n_labels = documents if is_number else len(documents), len(labels)
    if is_whole and n_documents == 0 and n_labels == 0:
        raise ValueError("raw_documents must hold documents to learn from, got none")
    if n_labels != n_documents:
        raise ValueError(f"y must hold one label per document, got {n_labels} labels for {n_documents} documents")
    if n_labels < 2 or not labels.is_single or not is_whole:
        return
    n_classes, example = len(labels.classes), repr(str(labels.classes[0])[:40])
    if not is_number and labels.classes.dtype == object and not _has_distinct(documents, n_classes):
        raise ValueError(
            f"there are more different labels (such as {example}) than different documents: are the arguments swapped?"
            " fit(texts, labels)"
        )
    if n_classes == n_labels:
        raise ValueError(
            f"all {n_labels} labels are different (the first is {example}): a class needs several documents to learn"
            " from; pass the classes as y"
        )


def _has_distinct(documents: Any, n_wanted: int) -> bool:
    """Say whether so many documents differ, looking no further than needed; blank and missing ones may be anything."""
    seen = set()
    for document in documents:
        if not isinstance(document, str | bytes) or not document.strip():
            return True
        seen.add(document)
        if len(seen) >= n_wanted:
            return True
    return False


def _check_order(y: Any) -> None:
    if isinstance(y, Set | Mapping) and not isinstance(y, MappingView):
        raise TypeError(
            f"y must hold one label per document, in their order, and a {type(y).__name__} has none: pass a list"
        )


def _as_array(y: Any) -> NDArray[Any]:
    try:
        return np.asarray(y, dtype=object) if _holds_strings(y) else np.asarray(y)
    except ValueError:
        raise ValueError(
            "y must hold one label per document, got lists of labels: turn them into an indicator matrix, e.g. with"
            " sklearn.preprocessing.MultiLabelBinarizer"
        ) from None


def _read_indicator(y: Any) -> Labels:
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
    return Labels(np.arange(indicator.shape[1]), indicator, is_list=False)


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
        if all(issubclass(kind, plain) for kind in set(map(type, labels))):
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
