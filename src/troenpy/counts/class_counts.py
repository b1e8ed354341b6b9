"""ClassCounts, the one statistic: documents per class, documents per class and term.

Every weight is a function of it, and it adds: counts of two sets of documents are the sum of their counts.
"""

from collections import Counter
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.counting import LARGEST_TOTAL, LEAST_WEIGHT, documents_by_class, present_terms, read_weights
from troenpy.counts.labels import Labels, read_labels
from troenpy.files import archive


class ClassCounts:
    """Documents per class, documents per term, documents per class and term: all that a weight may know.

    Counts are int64, so that addition is exact; float64 if documents have weights. A document with several
    labels, or none, counts once in `n_documents` and `term_docs`, and once for each of its classes elsewhere.
    The object and its arrays cannot be changed.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes in rising order.
    n_documents : int or float
        Documents in all.
    n_docs : ndarray of shape (K,)
        Documents of each class.
    doc_freq : sparse array of shape (K, V)
        Documents of each class that hold each term; kept as CSC.
    term_docs : ndarray of shape (V,)
        Documents that hold each term.
    terms : sequence of V strings, optional
        Names of the columns. Without them, only counts with equally many columns add.

    Examples
    --------
    >>> a = ClassCounts.from_matrix([[1, 0], [2, 1], [0, 3]], ["x", "x", "y"], terms=["goal", "vote"])
    >>> a.doc_freq.toarray()
    array([[2, 1],
           [0, 1]])
    >>> b = ClassCounts.from_matrix([[1, 1]], ["z"], terms=["coal", "vote"])
    >>> (a + b).terms.tolist(), (a + b).term_docs.tolist()
    (['coal', 'goal', 'vote'], [1, 2, 3])
    """

    __slots__ = ("_data", "_indices", "_indptr", "classes", "n_docs", "n_documents", "term_docs", "terms")

    classes: NDArray[Any]
    n_documents: int | float
    n_docs: NDArray[Any]
    term_docs: NDArray[Any]
    terms: NDArray[np.object_] | None
    _data: NDArray[Any]
    _indices: NDArray[Any]
    _indptr: NDArray[Any]

    FILE_VERSION: ClassVar[int] = 1

    def __init__(
        self,
        classes: Any,
        n_documents: int | float,
        n_docs: Any,
        doc_freq: Any,
        term_docs: Any,
        terms: Any = None,
    ) -> None:
        if not isinstance(n_documents, Real) or isinstance(n_documents, bool):
            raise TypeError(f"n_documents must be a number, got {n_documents!r}")
        largest = np.iinfo(np.int64).max if isinstance(n_documents, Integral) else LARGEST_TOTAL
        if not 0 <= n_documents <= largest:
            raise ValueError(f"n_documents must not be negative nor above {largest}, got {n_documents}")
        if 0 < n_documents < LEAST_WEIGHT:
            raise ValueError(f"n_documents must be 0 or at least {LEAST_WEIGHT:g}, got {n_documents}")
        n_docs, term_docs = _numbers("n_docs", n_docs, 1), _numbers("term_docs", term_docs, 1)
        doc_freq = _numbers("doc_freq", doc_freq, 2)
        dtype = np.result_type(np.asarray(n_documents), n_docs, term_docs, doc_freq.dtype, np.int64)
        cells = sparse.csc_array(doc_freq, dtype=dtype, copy=True)
        cells.check_format(full_check=True)
        cells.sum_duplicates()
        cells.eliminate_zeros()
        self._fill(
            classes=_class_array(classes),
            n_documents=dtype.type(n_documents).item(),
            n_docs=np.array(n_docs, dtype=dtype),
            cells=cells,
            term_docs=np.array(term_docs, dtype=dtype),
            terms=None if terms is None else _string_array(terms),
        )
        self._check(*cells.shape)

    def _fill(self, *, cells: sparse.csc_array, **values: Any) -> None:
        """Take over arrays that nobody else holds."""
        index = np.int32 if max(*cells.shape, cells.nnz) < 2**31 else np.int64
        values["_data"] = cells.data
        values["_indices"], values["_indptr"] = (a.astype(index, copy=False) for a in (cells.indices, cells.indptr))
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"ClassCounts cannot be changed, so {name} cannot be set: add counts, or make new ones")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def _check(self, n_classes: int, n_terms: int) -> None:
        for name, length in (("classes", n_classes), ("n_docs", n_classes), ("term_docs", n_terms), ("terms", n_terms)):
            array = getattr(self, name)
            if array is not None and array.shape != (length,):
                raise ValueError(f"{name} must have shape ({length},) to fit doc_freq, got {array.shape}")
        if not all(self.classes[1:] > self.classes[:-1]):
            raise ValueError(f"classes must rise and not repeat, got {self.classes.tolist()}")
        if self.terms is not None and len(set(self.terms)) < n_terms:
            twice = next(term for term, times in Counter(self.terms).items() if times > 1)
            raise ValueError(f"terms must not repeat, got {twice!r} twice")
        slack = 1 + 1e-9 if self.is_weighted else 1  # sums of weights in another order differ by rounding
        bounds = (
            ("n_docs", self.n_docs, "n_documents", self.n_documents),
            ("term_docs", self.term_docs, "n_documents", self.n_documents),
            ("doc_freq", self._data, "n_docs", self.n_docs[self._indices]),
            ("doc_freq", self._data, "term_docs", self.term_docs[self.columns()]),
        )
        for part, smaller, whole, larger in bounds:
            # NaN fails both comparisons, and no whole is infinite.
            is_wrong = ~((smaller >= 0) & (smaller <= larger * slack))
            if is_wrong.any():
                wrong = smaller[is_wrong][0]
                raise ValueError(f"{part} must be finite, not negative and at most {whole}, got {wrong}")
            is_tiny = (smaller > 0) & (smaller < LEAST_WEIGHT / slack)
            if is_tiny.any():
                raise ValueError(f"{part} must be 0 or at least {LEAST_WEIGHT:g}, got {smaller[is_tiny][0]}")

    @classmethod
    def from_matrix(
        cls, X: Any, y: Any, *, sample_weight: Any = None, terms: Iterable[str] | None = None
    ) -> "ClassCounts":
        """Count a matrix of documents by terms; a term is in a document where the entry is positive.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Counts, or anything else that is positive where a term is present.
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            One label per document, or a 0/1 matrix of several or none.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each one counts for.
        terms : iterable of str, optional
            Names of the columns.

        Returns
        -------
        ClassCounts
        """
        present, labels = present_terms(X), read_labels(y)
        if len(labels) != present.shape[0]:
            sizes = [present.shape[0], len(labels)]
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {sizes} in X and y")
        counts = cls.from_present(present, labels, read_weights(sample_weight, len(labels)), terms)
        counts._check(len(labels.classes), present.shape[1])
        return counts

    @classmethod
    def from_present(
        cls,
        present: Any,
        labels: Labels,
        weights: NDArray[np.float64] | None,
        terms: Iterable[str] | None = None,
        *,
        n_threads: int = 1,
    ) -> "ClassCounts":
        """Do the work of `from_matrix` on canonical CSR of positive values, labels and weights known to be sound.

        Parameters
        ----------
        present : CSR of shape (n_documents, n_terms)
        labels : Labels
        weights : ndarray of shape (n_documents,) or None
        terms : iterable of str, optional
        n_threads : int, default=1

        Returns
        -------
        ClassCounts
        """
        cells, term_docs = documents_by_class(present, labels, weights, n_threads)
        counts = object.__new__(cls)
        counts._fill(
            classes=_class_array(labels.classes),
            n_documents=len(labels) if weights is None else float(weights.sum()),
            n_docs=labels.indicator.sum(axis=0) if weights is None else weights @ labels.indicator,
            cells=cells,
            term_docs=term_docs,
            terms=None if terms is None else _string_array(terms),
        )
        return counts

    @property
    def doc_freq(self) -> sparse.csc_array:
        """Documents of each class that hold each term, K x V; made anew, so that changing it changes no counts."""
        shape = len(self.n_docs), len(self.term_docs)
        cells = sparse.csc_array((self._data, self._indices, self._indptr), shape=shape)
        cells.has_canonical_format = True
        return cells

    def select(self, columns: Any) -> "ClassCounts":
        """Keep some terms.

        Parameters
        ----------
        columns : array-like of int or bool
            The columns to keep, in this order, or a mask of them.

        Returns
        -------
        ClassCounts
        """
        chosen = np.asarray(columns)
        n_terms = len(self.term_docs)
        is_mask = chosen.dtype == bool and chosen.shape == (n_terms,)
        is_list = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or not chosen.size)
        if not is_mask and not (is_list and ((chosen >= -n_terms) & (chosen < n_terms)).all()):
            raise IndexError(f"columns must be numbers below {n_terms}, or a mask of them, got {columns!r:.60}")
        chosen = chosen if is_mask else chosen.astype(np.int64)
        return ClassCounts(
            classes=self.classes,
            n_documents=self.n_documents,
            n_docs=self.n_docs,
            doc_freq=self.doc_freq[:, chosen],
            term_docs=self.term_docs[chosen],
            terms=None if self.terms is None else self.terms[chosen],
        )

    def with_terms(self, terms: Iterable[str]) -> "ClassCounts":
        """Name the columns.

        Parameters
        ----------
        terms : iterable of V strings

        Returns
        -------
        ClassCounts
        """
        return ClassCounts(self.classes, self.n_documents, self.n_docs, self.doc_freq, self.term_docs, terms)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of sample weights."""
        return bool(self.term_docs.dtype.kind == "f")

    def columns(self) -> NDArray[Any]:
        """Return the column of each stored cell of `doc_freq`, beside its `indices` (the class) and `data`."""
        starts = self._indptr
        return np.repeat(np.arange(len(starts) - 1, dtype=starts.dtype), np.diff(starts))

    def __add__(self, other: object) -> "ClassCounts":
        if not isinstance(other, ClassCounts):
            return NotImplemented
        classes, *class_maps = _merge(self.classes, other.classes, "classes")
        terms, *term_maps = self._merge_terms(other)
        shape = len(classes), self.doc_freq.shape[1] if terms is None else len(terms)
        (a, rows_a, columns_a), (b, rows_b, columns_b) = zip((self, other), class_maps, term_maps, strict=True)
        return ClassCounts(
            classes=classes,
            n_documents=a.n_documents + b.n_documents,
            n_docs=_spread(a.n_docs, rows_a, shape[0]) + _spread(b.n_docs, rows_b, shape[0]),
            doc_freq=_spread_cells(a, rows_a, columns_a, shape) + _spread_cells(b, rows_b, columns_b, shape),
            term_docs=_spread(a.term_docs, columns_a, shape[1]) + _spread(b.term_docs, columns_b, shape[1]),
            terms=terms,
        )

    def _merge_terms(self, other: "ClassCounts") -> tuple[NDArray[Any] | None, NDArray[Any], NDArray[Any]]:
        if self.terms is not None and other.terms is not None:
            return _merge(self.terms, other.terms, "terms")
        if self.terms is not None or other.terms is not None:
            raise ValueError("counts with named terms and counts without do not add: give terms= to both")
        ours, theirs = self.doc_freq.shape[1], other.doc_freq.shape[1]
        if ours != theirs:
            raise ValueError(
                f"counts of {ours} and {theirs} columns do not add: give terms= to both, so that columns can be"
                " matched by name"
            )
        return None, np.arange(ours), np.arange(ours)

    def __radd__(self, other: object) -> "ClassCounts":
        """Let `sum` start from its zero."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        ours, theirs = self._arrays(), other._arrays()
        return (
            self.n_documents == other.n_documents
            and ours.keys() == theirs.keys()
            and all(
                ours[name].dtype == theirs[name].dtype and np.array_equal(ours[name], theirs[name]) for name in ours
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        n_classes, n_terms = self.doc_freq.shape
        documents = f"{self.n_documents:g}" if self.is_weighted else self.n_documents
        return (
            f"ClassCounts({documents} documents, {n_classes} classes, {n_terms} terms,"
            f" {self.doc_freq.nnz} non-zeros{', weighted' if self.is_weighted else ''})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.classes, self.n_documents, self.n_docs, self.doc_freq, self.term_docs, self.terms
        return ClassCounts, fields

    def save(self, path: archive.FilePath) -> None:
        """Write one safetensors file; equal counts give equal bytes.

        Parameters
        ----------
        path : path-like
            The file; one that is there is replaced, whole or not at all.
        """
        archive.write(path, {"kind": "ClassCounts", "version": self.FILE_VERSION}, self.to_arrays())

    @classmethod
    def load(cls, path: archive.FilePath) -> "ClassCounts":
        """Read what `save` wrote; nothing in the file is run, everything is checked.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        ClassCounts
        """
        _, arrays = archive.read(path, "ClassCounts", cls.FILE_VERSION)
        try:
            return cls.from_arrays(arrays)
        except (KeyError, ValueError, TypeError) as error:
            raise ValueError(f"{path} does not hold sound ClassCounts: {archive.reason(error)}") from None

    def to_arrays(self) -> archive.Arrays:
        """Return everything as arrays of numbers, for a file."""
        arrays = archive.packed("classes", self.classes)
        if self.terms is not None:
            arrays |= archive.packed("terms", self.terms)
        numbers = {name: array for name, array in self._arrays().items() if name not in ("classes", "terms")}
        return {**arrays, **numbers, "n_documents": np.array([self.n_documents])}

    @classmethod
    def from_arrays(cls, arrays: archive.Arrays) -> "ClassCounts":
        """Undo `to_arrays`; everything is checked."""
        cells = arrays["data"], arrays["indices"], arrays["indptr"]
        return cls(
            classes=archive.unpacked("classes", arrays),
            n_documents=arrays["n_documents"].item(),
            n_docs=arrays["n_docs"],
            doc_freq=sparse.csc_array(cells, shape=(len(arrays["n_docs"]), len(arrays["term_docs"]))),
            term_docs=arrays["term_docs"],
            terms=archive.unpacked("terms", arrays) if archive.is_packed("terms", arrays) else None,
        )

    def _arrays(self) -> archive.Arrays:
        arrays = {
            "classes": self.classes,
            "n_docs": self.n_docs,
            "term_docs": self.term_docs,
            "data": self._data,
            "indices": self._indices,
            "indptr": self._indptr,
        }
        return arrays if self.terms is None else {**arrays, "terms": self.terms}


def _numbers(name: str, values: Any, n_dimensions: int) -> Any:
    """Return counts as an array, or as the sparse matrix that they are."""
    try:
        array = values if sparse.issparse(values) else np.asarray(values)
    except ValueError:
        array = np.empty(())  # rows of different lengths
    is_table = array.ndim == 2 or n_dimensions == 1  # of a list, the shape is checked later
    if not is_table or array.dtype.kind not in "biuf":
        what = {1: "a list", 2: "a matrix"}[n_dimensions]
        raise TypeError(f"{name} must be {what} of numbers, got {' '.join(repr(values).split()):.60}")
    return array


def _string_array(strings: Any) -> NDArray[np.object_]:
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
    array[:] = listed if kinds <= {str} else [str(string) for string in listed]  # numpy's own become plain ones
    return array


def _class_array(classes: Any) -> NDArray[Any]:
    """Give classes one type per kind, so that equal classes are equal bytes."""
    array = np.asarray(classes)
    if array.dtype.kind == "f":
        array = array + 0.0  # -0.0 becomes 0.0
    one_type = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}.get(array.dtype.kind)
    return _string_array(classes) if one_type is None else array.astype(one_type)


def _merge(a: NDArray[Any], b: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the sorted union and where each entry of `a` and of `b` stands in it; equal arrays keep their order."""
    if a.dtype == b.dtype and np.array_equal(a, b):
        return a, np.arange(len(a)), np.arange(len(b))
    if len(a) and len(b) and (a.dtype.kind in "Ob" or b.dtype.kind in "Ob") and a.dtype.kind != b.dtype.kind:
        raise TypeError(f"{name} of types {type(a[0]).__name__} and {type(b[0]).__name__} do not merge")
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


def _spread_cells(
    counts: ClassCounts, rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]
) -> sparse.csc_array:
    cells = counts.doc_freq
    return sparse.csc_array((cells.data, (rows[cells.indices], columns[counts.columns()])), shape=shape)
