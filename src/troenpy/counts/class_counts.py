"""ClassCounts: documents per class, per term, and per class and term.

Every weight is a function of this one statistic. Counts add: A + B are the counts of both sets of documents.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_frequency import check_min_class_df, frequent_in_some_class
from troenpy.counts.counting import check_row_labels, documents_by_class, present_terms, read_weights
from troenpy.counts.fields import check_fields, check_total, class_array, read_columns, read_numbers, string_array
from troenpy.counts.labels import Labels, read_labels
from troenpy.counts.merging import sum_fields
from troenpy.counts.saved import from_arrays, plain_arrays, to_arrays
from troenpy.files import archive
from troenpy.files.drafts import FilePath
from troenpy.fitting.parameters import check_whole


class ClassCounts:
    """Documents per class, per term, and per class and term: every weight is a function of this one statistic.

    Counts are int64, so that addition is exact, or float64 if documents have weights. A document with several labels,
    or none, counts once in `n_documents` and `term_docs`, and once per class in `n_docs` and `doc_freq`. The object
    and its arrays are immutable.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The classes in ascending order.
    n_documents : int or float
        Total number of documents.
    n_docs : ndarray of shape (K,)
        Documents per class.
    doc_freq : sparse array of shape (K, V)
        Documents per class and term; stored as CSC.
    term_docs : ndarray of shape (V,)
        Documents per term.
    terms : sequence of V strings, optional
        Names of the columns. Without them, counts only add if they have the same number of columns.
    errors : ndarray of shape (V,), optional
        How many documents of each term may be missing, if the counts are lower bounds, as from a stream with
        `max_terms`. None if the counts are exact. They may be missing in any class.
    kept_above : int or float, default=0
        If the counts are inexact: a term that is not among them is in at most this many documents.

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

    __slots__ = (
        "_data", "_indices", "_indptr", "classes", "errors", "kept_above", "n_docs", "n_documents", "term_docs", "terms"
    )  # fmt: skip

    classes: NDArray[Any]
    n_documents: int | float
    n_docs: NDArray[Any]
    term_docs: NDArray[Any]
    terms: NDArray[np.object_] | None
    errors: NDArray[Any] | None
    kept_above: int | float
    _data: NDArray[Any]
    _indices: NDArray[Any]
    _indptr: NDArray[Any]

    FILE_VERSION: ClassVar[int] = 2  # version 1: integers were not packed

    def __init__(
        self,
        classes: Any,
        n_documents: int | float,
        n_docs: Any,
        doc_freq: Any,
        term_docs: Any,
        terms: Any = None,
        errors: Any = None,
        kept_above: int | float = 0,
    ) -> None:
        check_total(n_documents)
        n_docs, term_docs = read_numbers("n_docs", n_docs, 1), read_numbers("term_docs", term_docs, 1)
        doc_freq = read_numbers("doc_freq", doc_freq, 2)
        dtype = np.result_type(np.asarray(n_documents), n_docs, term_docs, doc_freq.dtype, np.int64)
        matrix = sparse.csc_array(doc_freq, dtype=dtype, copy=True)
        matrix.check_format(full_check=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        self._fill(
            classes=class_array(classes),
            n_documents=dtype.type(n_documents).item(),
            n_docs=np.array(n_docs, dtype=dtype),
            doc_freq=matrix,
            term_docs=np.array(term_docs, dtype=dtype),
            terms=None if terms is None else string_array(terms),
            errors=None if errors is None else np.array(read_numbers("errors", errors, 1), dtype=dtype),
            kept_above=kept_above,
        )
        check_fields(self, *matrix.shape)

    def _fill(self, *, doc_freq: sparse.csc_array, **values: Any) -> None:
        """Set the fields to arrays that nobody else refers to, and make them read-only."""
        index = np.int32 if max(*doc_freq.shape, doc_freq.nnz) < 2**31 else np.int64
        values["_data"] = doc_freq.data
        values["_indices"], values["_indptr"] = (
            a.astype(index, copy=False) for a in (doc_freq.indices, doc_freq.indptr)
        )
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"ClassCounts are immutable, cannot set {name}: add counts or create new ones")

    __delattr__ = __setattr__  # type: ignore[assignment]

    @classmethod
    def from_matrix(
        cls, X: Any, y: Any, *, sample_weight: Any = None, terms: Iterable[str] | None = None
    ) -> "ClassCounts":
        """Count the rows of a document-term matrix; a positive entry means that the document has the term.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_terms)
            Counts, or any other values that are positive where a term is present.
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            One label per document, or a 0/1 matrix for any number of labels per document.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each document counts as.
        terms : iterable of str, optional
            Names of the columns.

        Returns
        -------
        ClassCounts
        """
        present, labels = present_terms(X), read_labels(y)
        check_row_labels(labels, present.shape[0])
        counts = cls.from_present(present, labels, read_weights(sample_weight, len(labels)), terms)
        check_fields(counts, len(labels.classes), present.shape[1])
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
        """Count a matrix as `from_matrix` does, without any checks.

        Parameters
        ----------
        present : CSR of shape (n_documents, n_terms)
            Canonical, with positive values only.
        labels : Labels
        weights : ndarray of shape (n_documents,) or None
        terms : iterable of str, optional
        n_threads : int, default=1

        Returns
        -------
        ClassCounts
        """
        doc_freq, term_docs = documents_by_class(present, labels, weights, n_threads)
        counts = object.__new__(cls)
        counts._fill(
            classes=class_array(labels.classes),
            n_documents=len(labels) if weights is None else float(weights.sum()),
            n_docs=labels.indicator.sum(axis=0) if weights is None else weights @ labels.indicator,
            doc_freq=doc_freq,
            term_docs=term_docs,
            terms=None if terms is None else string_array(terms),
            errors=None,
            kept_above=0,
        )
        return counts

    @classmethod
    def from_files(
        cls,
        paths: Any,
        *,
        counter: Any = None,
        text: Any = None,
        label: Any = None,
        separator: str | None = None,
        format: str | None = None,  # noqa: A002 (as in records.open_records)
        delimiter: str | None = None,
        encoding: str | None = None,
        on_error: str = "stop",
        max_terms: int | None = None,
        n_jobs: int | None = None,
        checkpoint: FilePath | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> "ClassCounts":
        r"""Count the documents of files, which need not fit in memory: the same counts as of all documents at once.

        Memory holds the counts, once for each process, and a few batches of documents. It needs pyarrow: ``pip install
        'troenpy[records]'``.

        Parameters
        ----------
        paths : path-like or iterable of path-like
            Files of labelled text in any format of :func:`troenpy.records.open_records`.
        counter : CountVectorizer, optional
            How to count terms; by default words. Its `n_jobs` does not matter.
        text, label, separator, format, delimiter, encoding, on_error
            How to read each file, as in :func:`troenpy.records.open_records`.
        max_terms : int, optional
            Keep at most this many terms, in each process and at the end. If there are more, counts of rare terms are
            lower bounds (see `errors`), and which of them are kept depends on `n_jobs`.
        n_jobs : int, optional
            Number of processes, each of which reads files of its own: None is one, -1 one per processor.
        checkpoint : path-like, optional
            A folder for the counts so far, which are written now and then: if the process is killed, the same call goes
            on from there. It is created if needed, and deleted at the end.
        callback : callable, optional
            Called now and then with an object that has the attributes `n_documents`, `n_bytes`, `total` and `done`.

        Returns
        -------
        ClassCounts
            With names of terms.

        Raises
        ------
        ValueError
            For a broken row, naming file and row, unless ``on_error="skip"``; for a checkpoint of other files, of other
            settings or of files that have changed since; if there are no documents.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "games.csv"
        >>> _ = path.write_text("text,label\nlate goal,sport\nown goal,sport\nlate vote,politics\n")
        >>> counts = ClassCounts.from_files([path])
        >>> counts.terms.tolist(), counts.doc_freq.toarray().tolist()
        (['goal', 'late', 'own', 'vote'], [[0, 1, 0, 1], [2, 1, 1, 0]])
        >>> folder.cleanup()
        """
        from troenpy.tasks.counting_files import count_files  # readers and counters know of counts, not the reverse

        return count_files(
            paths,
            counter=counter,
            max_terms=max_terms,
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            callback=callback,
            text=text,
            label=label,
            separator=separator,
            format=format,
            delimiter=delimiter,
            encoding=encoding,
            on_error=on_error,
        )

    @classmethod
    def from_sums(cls, **fields: Any) -> "ClassCounts":
        """Create counts from the fields of the constructor, without any checks.

        Parameters
        ----------
        **fields
            All of one dtype, int64 or float64, in arrays that nobody else refers to; `doc_freq` is a CSC array with
            sorted indices and without stored zeros.

        Returns
        -------
        ClassCounts
        """
        counts = object.__new__(cls)
        counts._fill(**{"terms": None, "errors": None, "kept_above": 0, **fields})
        return counts

    @property
    def doc_freq(self) -> sparse.csc_array:
        """Documents per class and term, K x V; a new matrix on every access, so editing it leaves the counts alone."""
        shape = len(self.n_docs), len(self.term_docs)
        doc_freq = sparse.csc_array((self._data, self._indices, self._indptr), shape=shape)
        doc_freq.has_canonical_format = True
        return doc_freq

    def select(self, columns: Any = None, *, min_class_df: float | None = None) -> "ClassCounts":
        """Return the counts of some of the terms.

        Parameters
        ----------
        columns : array-like of int or bool, optional
            The columns to keep, in this order, or a boolean mask; by default all.
        min_class_df : int or float in (0, 1], optional
            Of these, keep the terms that some class has in at least this many of its documents: a number (int), or a
            fraction of the documents of that class (float).

        Returns
        -------
        ClassCounts

        Examples
        --------
        >>> counts = ClassCounts.from_matrix([[1, 0, 1], [1, 0, 0], [1, 0, 0], [1, 1, 0]], ["x", "x", "x", "y"])
        >>> counts.select(min_class_df=0.5).term_docs.tolist()
        [4, 1]
        """
        check_min_class_df(min_class_df)
        chosen = np.arange(len(self.term_docs)) if columns is None else read_columns(columns, len(self.term_docs))
        if min_class_df is not None:
            chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
            chosen = chosen[frequent_in_some_class(self, min_class_df)[chosen]]
        return ClassCounts(
            classes=self.classes,
            n_documents=self.n_documents,
            n_docs=self.n_docs,
            doc_freq=self.doc_freq[:, chosen],
            term_docs=self.term_docs[chosen],
            terms=None if self.terms is None else self.terms[chosen],
            errors=None if self.errors is None else self.errors[chosen],
            kept_above=self.kept_above,
        )

    def documents_of(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Return the documents per class of some of the terms, reading only these.

        Parameters
        ----------
        columns : ndarray of int, of shape (n,)

        Returns
        -------
        ndarray of shape (n, K)
        """
        starts = self._indptr[columns]
        lengths = self._indptr[columns + 1] - starts
        row = np.repeat(np.arange(len(columns)), lengths)
        cell = np.arange(len(row)) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        table = np.zeros((len(columns), len(self.n_docs)), dtype=self._data.dtype)
        table[row, self._indices[cell]] = self._data[cell]
        return table

    def prune(self, max_terms: int) -> "ClassCounts":
        """Keep the terms that may be in the most documents, e.g. after adding the counts of two bounded streams.

        Parameters
        ----------
        max_terms : int
            How many terms to keep. Of terms with the same upper bound `term_docs + errors`, the first ones stay.

        Returns
        -------
        ClassCounts
            Inexact, if a term had to go; `kept_above` and `errors` still hold.

        Examples
        --------
        >>> counts = ClassCounts.from_matrix([[1, 1, 0], [1, 0, 0], [1, 1, 1]], ["x", "x", "y"], terms=["a", "b", "c"])
        >>> pruned = counts.prune(2)
        >>> pruned.terms.tolist(), pruned.kept_above
        (['a', 'b'], 1)
        """
        max_terms = check_whole("max_terms", max_terms, least=1)
        if len(self.term_docs) <= max_terms:
            return self
        errors = np.zeros_like(self.term_docs) if self.errors is None else self.errors
        order = np.argsort(-(self.term_docs + errors), kind="stable")
        kept, dropped = np.sort(order[:max_terms]), order[max_terms]
        chosen = self.select(kept)
        return chosen._with(
            errors=errors[kept], kept_above=max(self.kept_above, (self.term_docs + errors)[dropped].item())
        )

    def _with(self, **changes: Any) -> "ClassCounts":
        names = "classes", "n_documents", "n_docs", "doc_freq", "term_docs", "terms", "errors", "kept_above"
        return ClassCounts(**{**{name: getattr(self, name) for name in names}, **changes})

    @property
    def is_exact(self) -> bool:
        """Whether no document is missing; if not, the counts are lower bounds, and `errors` says by how much."""
        return self.errors is None

    def without_terms(self) -> "ClassCounts":
        """Return the same counts without names of columns."""
        return self if self.terms is None else self._with(terms=None)

    def with_terms(self, terms: Iterable[str]) -> "ClassCounts":
        """Return the same counts with named columns.

        Parameters
        ----------
        terms : iterable of V strings

        Returns
        -------
        ClassCounts
        """
        return self._with(terms=terms)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are sums of sample weights."""
        return bool(self.term_docs.dtype.kind == "f")

    def columns(self) -> NDArray[Any]:
        """Return the column of each stored entry of `doc_freq`; its `indices` are the classes."""
        starts = self._indptr
        return np.repeat(np.arange(len(starts) - 1, dtype=starts.dtype), np.diff(starts))

    def __add__(self, other: object) -> "ClassCounts":
        return ClassCounts(**sum_fields(self, other)) if isinstance(other, ClassCounts) else NotImplemented

    def __radd__(self, other: object) -> "ClassCounts":
        """Support `sum`, which starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassCounts):
            return NotImplemented
        ours, theirs = plain_arrays(self), plain_arrays(other)
        return (
            self.n_documents == other.n_documents
            and self.kept_above == other.kept_above
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
            f" {self.doc_freq.nnz} non-zeros{', weighted' if self.is_weighted else ''}"
            f"{'' if self.is_exact else f', inexact by up to {self.kept_above:g} documents'})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.classes, self.n_documents, self.n_docs, self.doc_freq, self.term_docs, self.terms
        return ClassCounts, (*fields, self.errors, self.kept_above)

    def save(self, path: FilePath) -> None:
        """Write one safetensors file; equal counts give equal bytes.

        Parameters
        ----------
        path : path-like
            The file to write; an existing file is replaced atomically.
        """
        archive.write(path, {"kind": "ClassCounts", "version": self.FILE_VERSION}, self.to_arrays())

    @classmethod
    def load(cls, path: FilePath) -> "ClassCounts":
        """Read a file written by `save`. Everything is validated, and no code in the file is run.

        Parameters
        ----------
        path : path-like
            The file to read.

        Returns
        -------
        ClassCounts
        """
        _, arrays = archive.read(path, "ClassCounts", cls.FILE_VERSION)
        try:
            return cls.from_arrays(arrays)
        except (KeyError, ValueError, TypeError) as error:
            raise ValueError(f"{path} does not hold valid ClassCounts: {archive.reason(error)}") from None

    def to_arrays(self) -> archive.Arrays:
        """Return the counts as numeric arrays, for a file."""
        return to_arrays(self)

    @classmethod
    def from_arrays(cls, arrays: archive.Arrays) -> "ClassCounts":
        """Rebuild the counts from the result of `to_arrays`; everything is validated."""
        return cls(**from_arrays(arrays))
