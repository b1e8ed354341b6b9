"""Read labels of any kind that scikit-learn accepts into sorted classes and an indicator matrix."""

from collections.abc import Iterable, Mapping, MappingView, Sequence, Set, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from troenpy import _kernel


@dataclass(frozen=True)
class Labels:
    """The classes in ascending order, and which document has which (n x K, int64 ones)."""

    classes: NDArray[Any]
    indicator: sparse.csr_array
    is_list: bool = True  # False if y was an indicator matrix

    def __len__(self) -> int:
        return int(self.indicator.shape[0])

    @cached_property
    def is_single(self) -> bool:
        """Whether every document has exactly one class; `indicator.indices` are then the class numbers."""
        return bool((np.diff(self.indicator.indptr) == 1).all())

    def part(self, documents: NDArray[Any]) -> "Labels":
        """Return the labels of some documents, with all the classes."""
        return Labels(self.classes, self.indicator[documents], self.is_list)


def read_labels(y: Any) -> Labels:
    """Read one label per document, or a multi-label indicator matrix whose classes are the column numbers.

    Labels may be strings, integers, booleans or whole floats, in a list, array, Series or Arrow array; an indicator
    matrix may be dense or sparse. A `Labels` object is returned unchanged.
    """
    if isinstance(y, Labels):
        return y
    _check_order(y)
    if isinstance(y, list) and y and _kernel.native is not None:  # the usual case, without the checks of the others
        numbered = _kernel.native.number_strings(y)
        if numbered is not None:
            return _sorted_labels(*numbered)
    elif isinstance(y, list | tuple) and set(map(type, y)) == {str}:
        return _number_strings(y)
    y = _without_scalars(y)
    if not sparse.issparse(y):
        y = _as_array(y)
    if (y.ndim == 2 and y.shape[1] != 1) or sparse.issparse(y):
        return _read_indicator(y)
    is_plain = y.ndim == 1 and y.dtype.kind in "bi"
    return _number_classes(y if is_plain else _one_per_document(y))


def _number_classes(labels: NDArray[Any]) -> Labels:
    if labels.dtype == object:
        return _number_strings(labels)
    return _labels(*np.unique(labels, return_inverse=True))


def _number_strings(labels: Any) -> Labels:
    # Not np.unique: it sorts all the strings, and a fixed-width array drops trailing NULs.
    distinct = list(set(labels))
    place = {label: number for number, label in enumerate(distinct)}
    return _sorted_labels(distinct, np.fromiter(map(place.__getitem__, labels), np.int64, len(labels)))


def _sorted_labels(distinct: list[str], codes: NDArray[np.int64]) -> Labels:
    """Return labels whose classes are in order, from classes in any order and the number of each document's."""
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return _labels(np.array([*(distinct[i] for i in order), ""], dtype=object)[:-1], ranks[codes])


def _labels(classes: NDArray[Any], codes: NDArray[np.int64]) -> Labels:
    n = len(codes)
    indicator = sparse.csr_array((np.ones(n, np.int64), codes, np.arange(n + 1)), shape=(n, len(classes)))
    return Labels(classes, indicator)


def read_label_sets(sets: Sequence[Iterable[str]]) -> Labels:
    """Read any number of labels for each document.

    Examples
    --------
    >>> labels = read_label_sets([("oil", "grain"), (), ("oil",)])
    >>> labels.classes.tolist(), labels.indicator.toarray().tolist()
    (['grain', 'oil'], [[1, 1], [0, 0], [0, 1]])
    """
    distinct = [sorted(set(labels)) for labels in sets]
    classes = sorted({label for labels in distinct for label in labels})
    place = {label: number for number, label in enumerate(classes)}
    codes = np.array([place[label] for labels in distinct for label in labels], dtype=np.int64)
    borders = np.cumsum([0, *map(len, distinct)])
    indicator = sparse.csr_array((np.ones(len(codes), np.int64), codes, borders), shape=(len(distinct), len(classes)))
    return Labels(np.array([*classes, ""], dtype=object)[:-1], indicator, is_list=False)


def labels_for_sklearn(y: Any) -> Any:
    """Check labels before scikit-learn does: it would convert a list of strings and numbers to strings.

    Numbers and tables are left to scikit-learn's own checks. Strings that end in NUL become an object array, because
    numpy's fixed-width strings drop trailing NULs.
    """
    _check_order(y)
    y = _without_scalars(y)
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
    """Read labels; `reader` is the estimator that the error for y=None names."""
    if y is None:
        raise ValueError(
            f"{reader} learns from labels: it requires y to be passed, but the target y is None. Call fit(texts,"
            " labels) with one label per document; without labels, use scikit-learn's TfidfVectorizer"
        )
    return read_labels(y)


def read_single_labels(y: Any, reader: str) -> Labels:
    """Read labels and check that each document has exactly one."""
    labels = read_required_labels(y, reader)
    if not (labels.is_single and labels.is_list):
        raise ValueError(
            f"{reader} takes one label per document, got an indicator matrix: use TroenpyClassifier for several labels"
        )
    return labels


def check_labels_fit(labels: Labels, documents: Any, *, whole: bool = True) -> None:
    """Check the number of labels, and for swapped arguments.

    `documents` are the documents, or their number. Only a batch (`whole=False`) may be empty or have as many classes
    as documents.
    """
    is_number = isinstance(documents, int)
    if not is_number and (isinstance(documents, str | bytes) or not isinstance(documents, Sized)):
        return  # a single text is an error later; a generator can only be read once
    n_documents, n_labels = documents if is_number else len(documents), len(labels)
    if whole and n_documents == 0 and n_labels == 0:
        raise ValueError("raw_documents must hold at least one document, got none")
    if n_labels != n_documents:
        raise ValueError(f"y must hold one label per document, got {n_labels} labels for {n_documents} documents")
    if n_labels < 2 or not labels.is_single or not whole:
        return
    n_classes, example = len(labels.classes), repr(str(labels.classes[0])[:40])
    if not is_number and labels.classes.dtype == object and not _has_distinct(documents, n_classes):
        raise ValueError(
            f"y has more distinct labels (such as {example}) than there are distinct documents: are the arguments"
            " swapped? Call fit(texts, labels)"
        )
    if n_classes == n_labels:
        raise ValueError(
            f"all {n_labels} labels are different (the first is {example}), so no class has two documents: pass class"
            " labels as y, not ids or texts"
        )


def _has_distinct(documents: Any, n_wanted: int) -> bool:
    """Whether at least this many documents differ; stops early, and at blank or missing documents."""
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
            f"y must hold one label per document in the same order, got an unordered {type(y).__name__}: pass a list"
        )


def _without_scalars(y: Any) -> Any:
    """Return a list without scalars of pyarrow, which numpy would read as bytes; anything else as it is."""
    if not isinstance(y, list | tuple) or not any(hasattr(label, "as_py") for label in y):
        return y
    return [label.as_py() if hasattr(label, "as_py") else label for label in y]


def _as_array(y: Any) -> NDArray[Any]:
    try:
        return np.asarray(y, dtype=object) if _holds_strings(y) else np.asarray(y)
    except ValueError:
        raise _lists_error() from None


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
        labels = _convert_objects(labels)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        _raise_missing(int(np.flatnonzero(np.isnan(labels))[0]))
    if labels.dtype.kind in "UT":
        return labels.astype(object)
    if labels.dtype == object:
        return labels
    if labels.dtype.kind in "uf" and not (np.abs(labels) < 2**63).all():
        _raise_too_large(labels[~(np.abs(labels) < 2**63)][0])
    kind = type_of_target(labels, input_name="y")
    if kind not in ("binary", "multiclass"):
        example = labels[labels != np.trunc(labels)][0] if kind == "continuous" else labels[0]
        raise ValueError(f"y must hold class labels, got {kind} values such as {example}: bin them into classes first")
    return labels


def _holds_strings(y: Any) -> bool:
    """Whether numpy would convert it to strings, turning a missing label into "nan" and dropping trailing NULs."""
    return isinstance(y, Sequence) and any(isinstance(label, str) for label in y)


def _convert_objects(labels: NDArray[np.object_]) -> NDArray[Any]:
    """Convert objects to an array of strings, booleans or integers; a mixture is an error."""
    for plain, dtype in ((str, object), ((bool, np.bool_), bool), ((int, np.integer), np.int64)):
        if all(issubclass(kind, plain) for kind in set(map(type, labels))):
            try:
                return labels.astype(dtype)
            except OverflowError:
                _raise_too_large(max(labels, key=abs))
    if any(isinstance(label, np.ndarray | list | tuple) for label in labels):
        raise _lists_error()
    for position, label in enumerate(labels):
        # pandas' NA first: comparing it with itself gives NA.
        if type(label).__name__ in ("NAType", "NaTType") or label is None or label != label:
            _raise_missing(position)
    kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
    raise ValueError(
        f"labels must be all strings or all integers, got {kinds}: convert y first, e.g. [str(label), ...]"
    )


def _lists_error() -> ValueError:
    return ValueError(
        "y must hold one label per document, got lists of labels: turn them into an indicator matrix, e.g. with"
        " sklearn.preprocessing.MultiLabelBinarizer"
    )


def _raise_missing(position: int) -> None:
    raise ValueError(f"y has no label at position {position}: drop that document or give it a class")


def _raise_too_large(label: Any) -> None:
    raise ValueError(f"labels must be finite and fit 64-bit integers, got {label}: use strings")
