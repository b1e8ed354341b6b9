"""TermFeatures: feature blocks side by side, the paper's and our own, from one scan and one ClassCounts."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy._kernel.matrix import return_free_memory, stack_blocks
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import matrix_errors, present_terms, read_weights
from troenpy.counts.labels import Labels, check_labels_fit, read_required_labels
from troenpy.features.class_profile import ClassProfile, LeaveOut
from troenpy.features.count_vectorizer import DEFAULT_TOKEN_PATTERN, CountVectorizer, Room
from troenpy.features.documents import check_collection
from troenpy.features.folds import folds
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_flag, check_float_type, check_positive
from troenpy.fitting.transaction import all_or_nothing
from troenpy.information.estimators import check_smoothing
from troenpy.weights.cells import Floats
from troenpy.weights.schemes import term_weights


@dataclass(frozen=True)
class Block:
    """One block of columns: tf x weight, normalised by row."""

    name: str
    tf: Literal["raw", "log", "sqrt", "binary"]
    scheme: str | None  # None weighs every term 1
    takes_pcf: bool  # whether `pcf=True` multiplies it
    norm: Literal["l2", "hellinger"] = "l2"

    def weights(self, counts: ClassCounts, *, smoothing: float, pcf: bool) -> Floats:
        """Return one weight per term; zero for a term that no document holds."""
        weight = np.ones(len(counts.term_docs))
        if self.scheme is not None:
            weight = weight * term_weights(counts, self.scheme, smoothing=smoothing)
        if pcf and self.takes_pcf:
            weight = weight * term_weights(counts, "pcf", smoothing=smoothing)
        return np.where(counts.term_docs > 0, weight, 0.0)


#: The blocks of terms by name; ECIB is two.
BLOCKS: dict[str, tuple[Block, ...]] = {
    "pi": (Block("pi", "raw", "pi", takes_pcf=False),),
    "btf": (Block("btf", "binary", None, takes_pcf=True),),
    "ecib": (Block("cib_ncf", "raw", "cib_ncf", takes_pcf=True), Block("cib_pcf", "raw", "cib_pcf", takes_pcf=True)),
    "ecib_abs": (
        Block("cib_ncf_abs", "raw", "cib_ncf_abs", takes_pcf=True),
        Block("cib_pcf_abs", "raw", "cib_pcf_abs", takes_pcf=True),
    ),
    "certainty": (Block("certainty", "log", "sqrt(certainty*idf)", takes_pcf=False),),
    "certainty_hellinger": (
        Block("certainty_hellinger", "raw", "sqrt(certainty*idf)", takes_pcf=False, norm="hellinger"),
    ),
    "boost": (Block("boost", "log", "pcf_boost*idf", takes_pcf=False),),
}
#: The name of the block that has one column per class, not per term.
PROFILE = "profile"


class TermFeatures(TransformerMixin, BaseEstimator):
    """Turn documents and labels into features: the paper's TF-PI, BTF and ECIB, and our own, side by side.

    Each block is a weighted copy of the term counts, L2-normalised by row, except the class profile, which has one
    column per class. All blocks come from one scan of the text and one `ClassCounts`, into one sparse matrix.

    Parameters
    ----------
    blocks : sequence of names, default=("pi", "btf", "ecib")
        Which blocks, in this order. Of the paper:

        - "pi": TF-PI;
        - "btf": presence of terms;
        - "ecib": term counts times CIB-NCF and times CIB-PCF, two blocks; "btf" and "ecib" are its 2B features;
        - "ecib_abs": the same with absolute values inside CIB's sum.

        Beyond the paper:

        - "certainty": (1 + log tf) sqrt(certainty x IDF);
        - "certainty_hellinger": tf sqrt(certainty x IDF), square roots of its shares of the row;
        - "boost": (1 + log tf) (1 + PCF_1) IDF;
        - "profile": the columns of :class:`ClassProfile`, which must come last. Training rows are profiled without
          themselves, so ``fit_transform(X, y)`` is then not ``fit(X, y).transform(X)``: its Notes say why.

        A block without any weight other than zero, as ECIB on two classes of equal size, is left out with a warning.
    pcf : bool, default=False
        Multiply BTF and ECIB by the PCF weight.
    leave_out : {"document", "copies"}, default="document"
        What "profile" leaves out for a training row: the document, or it and all documents with the same counts.
    profile_scale : float, default=1.0
        What the columns of "profile" are multiplied by, for models to which distances matter.
    smoothing : float, default=1.0
        For the weights that take it, see `troenpy.weights`, and for "profile".
    cv : None, int, splitter or iterable of splits, default=None
        Cross-fitting in `fit_transform`: each training row is weighted by what the other folds say, so that it has not
        seen its own label. :class:`TermWeighter` says when that matters.
    random_state : int, RandomState instance or None, default=None
        Shuffles the folds of an int `cv`.
    input : {"content", "filename", "file", "counts"}, default="content"
        Whether documents are texts, names of files, open files, or rows of a matrix of counts.
    encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words, token_pattern, \
ngram_range, analyzer, max_df, min_df, max_features, vocabulary, binary
        As in :class:`CountVectorizer`: how text becomes counts.
    dtype : float32 or float64, default=float64
        Of the matrix, if it is made from text; counts keep theirs.
    n_jobs : int or None, default=None
        Threads that read text: None is one, -1 is all processors.

    Attributes
    ----------
    blocks_ : list of Block
        The blocks of terms that were not left out.
    profile_ : ClassProfile or None
        The class profile, if it is one of the blocks.
    weights_ : ndarray of shape (n_blocks, n_terms)
        The weight of each term in each block.
    counts_ : ClassCounts
        Documents per class and term.
    vocabulary_ : dict
        The number of each term, if made from text.

    Examples
    --------
    >>> from troenpy import TermFeatures
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> features = TermFeatures(blocks=("pi", "btf"))
    >>> X = features.fit_transform(texts, ["sport", "sport", "politics", "politics", "politics"])
    >>> X.shape
    (5, 12)
    >>> features.get_feature_names_out()[[1, 7]].tolist()
    ['pi__goal', 'btf__goal']
    """

    # `raw_documents` is data, not routable metadata.
    __metadata_request__fit = {"raw_documents": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"raw_documents": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        blocks: tuple[str, ...] = ("pi", "btf", "ecib"),
        *,
        pcf: bool = False,
        leave_out: LeaveOut = "document",
        profile_scale: float = 1.0,
        smoothing: float = 1.0,
        cv: Any = None,
        random_state: Any = None,
        input: str = "content",  # noqa: A002
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = DEFAULT_TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.blocks = blocks
        self.pcf = pcf
        self.leave_out = leave_out
        self.profile_scale = profile_scale
        self.smoothing = smoothing
        self.cv = cv
        self.random_state = random_state
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the vocabulary, the class counts and the weights of each block.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts
        y : array-like of shape (n_documents,), or indicator matrix of shape (n_documents, n_classes)
            The labels.
        sample_weight : array-like of shape (n_documents,), optional
            How many documents each one counts for.

        Returns
        -------
        self
        """
        self._fit(raw_documents, y, sample_weight)
        return self

    @all_or_nothing
    def fit_transform(self, raw_documents: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit, then return the features of the same documents.

        With `cv`, the blocks of terms of each document are weighted by the other folds only; the class profile always
        leaves the document out.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`.

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_blocks * n_terms), and a column per class with "profile"
        """
        return self.rows_of_training(raw_documents, y, sample_weight)

    def rows_of_training(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Do the work of `fit_transform`, always as a matrix, whatever `set_output` wants."""
        return self.join(*self.fit_parts(raw_documents, y, sample_weight))

    @all_or_nothing
    def fit_parts(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> tuple[Any, ...]:
        """Do the work of `fit_transform` up to the matrix: for models that read counts and profile apart.

        Parameters
        ----------
        raw_documents, y, sample_weight
            As in `fit`.

        Returns
        -------
        parts : tuple
            What `join` takes: counts, sets of weights, the set of each row, and the class profile or None.
        """
        X, labels, weights = self._fit(raw_documents, y, sample_weight)
        profile = None
        if self.profile_ is not None:
            left_out = self.profile_.labels_left_out(X, labels, weights)
            profile = self._scaled(self.profile_.profile(X, left_out, n_threads=job_count(self.n_jobs)))
        if self.cv is None:
            return X, self.weights_[np.newaxis], np.zeros(X.shape[0], dtype=np.int64), profile
        sets = np.empty(X.shape[0], dtype=np.int64)
        fold_weights = []
        for number, (train, test) in enumerate(folds(self.cv, self.random_state, X, labels)):
            counts = ClassCounts.from_present(X[train], labels.part(train), None if weights is None else weights[train])
            try:
                fold_weights.append([self._block_weights(block, counts) for block in self.blocks_])
            except ValueError as error:
                raise ValueError(f"fold {number} of cv: {error}") from None
            sets[test] = number
        return X, np.array(fold_weights).reshape(-1, *self.weights_.shape), sets, profile

    def transform(self, raw_documents: Any) -> Any:
        """Return the features of documents, by the weights of all the training documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, array, Series or Arrow string data; or a matrix of counts

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_blocks * n_terms), and a column per class with "profile"
            Column indices ascend in every row.
        """
        return self.rows_of(raw_documents)

    def rows_of(self, raw_documents: Any) -> Any:
        """Do the work of `transform`, always as a matrix, whatever `set_output` wants."""
        check_is_fitted(self, "weights_")
        if self.input == "counts":
            X = self._read_counts(raw_documents, reset=False)
        else:
            X = self._counter.counts_of(raw_documents, self._room(self.blocks_, len(self._counts.classes)))
        profile = None
        if self.profile_ is not None:
            profile = self._scaled(self.profile_.profile(X, n_threads=job_count(self.n_jobs)))
        return self.join(X, self.weights_[np.newaxis], np.zeros(X.shape[0], dtype=np.int64), profile)

    def parts_by_term(self, document: Any) -> tuple[NDArray[Any], sparse.csr_array, Floats]:
        """Return what each term of a document adds to each column of its row.

        A column of the class profile is the root of a sum over the terms: each takes its portion of the sum.

        Parameters
        ----------
        document : str, or whatever one document is

        Returns
        -------
        terms : ndarray of shape (n_held,)
            The numbers of the terms that the document holds.
        parts : CSR array of shape (n_held, n_columns)
        rest : ndarray of shape (n_columns,)
            What no term adds: the class profile of a document without known terms. The row is the sum of both.
        """
        check_is_fitted(self, "weights_")
        row = self.rows_of([document])
        one = [document]
        counts = self._read_counts(one, reset=False) if self.input == "counts" else self._counter.counts_of(one)
        n_terms, held = counts.shape[1], counts.indices
        is_term = row.indices < n_terms * len(self.blocks_)
        columns = row.indices[is_term]
        cells = row.data[is_term].astype(np.float64), (np.searchsorted(held, columns % max(n_terms, 1)), columns)
        parts = sparse.csr_array(cells, shape=(len(held), n_terms * len(self.blocks_)))
        rest = np.zeros(self.n_columns_)
        if self.profile_ is not None:
            portions = self.profile_.portions(counts)
            profile = row[:, [*range(parts.shape[1], self.n_columns_)]].toarray().astype(np.float64)[0]
            rest[parts.shape[1] :] = 0.0 if portions.any() else profile
            parts = sparse.csr_array(sparse.hstack([parts, sparse.csr_array(portions * profile)]))
        return held, parts, rest

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns: block, two underscores, term or class.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : array of str objects
        """
        check_is_fitted(self, "weights_")
        terms = self.terms()
        names = [f"{block.name}__{term}" for block in self.blocks_ for term in terms]
        if self.profile_ is not None:
            names += self.profile_.get_feature_names_out().tolist()
        return np.array([*names, ""], dtype=object)[:-1]

    def terms(self) -> NDArray[np.object_]:
        """Return the terms, the columns of each block."""
        if self.input != "counts":
            return self._counter.get_feature_names_out()
        names = getattr(self, "feature_names_in_", None)
        return np.array([f"x{i}" for i in range(self.n_features_in_)], dtype=object) if names is None else names

    def new_counter(self) -> CountVectorizer:
        """Return an unfitted CountVectorizer with the parameters of this."""
        return CountVectorizer(**{name: getattr(self, name) for name in CountVectorizer().get_params()})

    def new_profile(self) -> ClassProfile:
        """Return an unfitted ClassProfile with the parameters of this."""
        return ClassProfile(smoothing=self.smoothing, leave_out=self.leave_out)

    @property
    def n_columns_(self) -> int:
        """The number of columns of all blocks."""
        check_is_fitted(self, "weights_")
        return self.weights_.size + (0 if self.profile_ is None else len(self._counts.classes))

    @property
    def counts_(self) -> ClassCounts:
        """Documents per class and term."""
        check_is_fitted(self, "weights_")
        return self._counts.with_terms(self.terms())

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The number of each term."""
        check_is_fitted(self, "_counter")
        return self._counter.vocabulary_

    def _fit(self, raw_documents: Any, y: Any, sample_weight: Any) -> tuple[Any, Labels, NDArray[np.float64] | None]:
        """Learn everything; return the counts, labels and sample weights."""
        blocks = self._chosen_blocks()
        check_smoothing(self.smoothing)
        job_count(self.n_jobs)
        if self.input == "counts":
            X = self._read_counts(raw_documents, reset=True)
            labels = read_required_labels(y, "TermFeatures")
        else:
            check_float_type(self.dtype)
            check_collection(raw_documents)
            labels = read_required_labels(y, "TermFeatures")
            check_labels_fit(labels, raw_documents)
            self._counter = self.new_counter()
            X = self._counter.fit_counts(raw_documents, self._room(blocks, len(labels.classes)))
        if X.shape[0] != len(labels):
            check_labels_fit(labels, X.shape[0])
        weights = read_weights(sample_weight, len(labels))
        if weights is not None and 0 < weights.sum() < 1:
            raise ValueError(
                f"sample_weight must sum to a document at least, got a sum of {weights.sum():g}: weights are numbers of"
                " documents, so scale them to a mean of 1"
            )
        self._counts = ClassCounts.from_present(X, labels, weights)
        self.profile_ = self.new_profile().learn(self._counts) if PROFILE in self.blocks else None
        self._choose(blocks)
        return X, labels, weights

    def _chosen_blocks(self) -> list[Block]:
        if not isinstance(self.blocks, list | tuple) or not all(isinstance(name, str) for name in self.blocks):
            raise ValueError(f"blocks must be a sequence of names such as ('pi', 'btf'), got {self.blocks!r}")
        if not self.blocks:
            raise ValueError("blocks must name at least one block, such as ('pi', 'btf'), got none")
        unknown = [name for name in self.blocks if name not in BLOCKS and name != PROFILE]
        if unknown:
            raise ValueError(f"unknown block {unknown[0]!r}; known are {', '.join([*BLOCKS, PROFILE])}")
        if len(set(self.blocks)) < len(self.blocks):
            raise ValueError(f"blocks must not repeat, got {self.blocks!r}")
        if PROFILE in self.blocks[:-1]:
            raise ValueError(f"the block {PROFILE!r} must come last, got {self.blocks!r}")
        check_positive("profile_scale", self.profile_scale)
        check_flag("pcf", self.pcf)
        return [block for name in self.blocks if name != PROFILE for block in BLOCKS[name]]

    def _block_weights(self, block: Block, counts: ClassCounts) -> Floats:
        return block.weights(counts, smoothing=self.smoothing, pcf=self.pcf)

    def _choose(self, blocks: list[Block]) -> None:
        """Keep the blocks that have weights, with one warning for the others."""
        weights = [self._block_weights(block, self._counts) for block in blocks]
        kept = [bool(weight.any()) for weight in weights]
        if not all(kept):
            left_out = ", ".join(block.name for block, is_kept in zip(blocks, kept, strict=True) if not is_kept)
            message = f"all weights of {left_out} are zero, so it is left out"
            if "cib_ncf" in left_out:
                message += ". On two classes of equal size this is so for ECIB: use 'ecib_abs' there"
            if not any(kept) and self.profile_ is None:
                raise ValueError(f"no block remains: {message}")
            warnings.warn(message, UserWarning, stacklevel=5)
        self.blocks_ = [block for block, is_kept in zip(blocks, kept, strict=True) if is_kept]
        kept_weights = [weight for weight, is_kept in zip(weights, kept, strict=True) if is_kept]
        self.weights_ = np.array(kept_weights).reshape(len(kept_weights), len(self._counts.term_docs))

    def _read_counts(self, X: Any, *, reset: bool) -> Any:
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        rows = present_terms(X)
        return sparse.csr_matrix(rows) if isinstance(X, sparse.spmatrix) else rows

    def _room(self, blocks: list[Block], n_classes: int) -> Room:
        """Return the room for the result around counts that it is to be written over; a sparse profile is joined."""
        has_dense_profile = PROFILE in self.blocks and n_classes <= self.new_profile().max_dense
        return Room(max(1, len(blocks)), n_classes if blocks and has_dense_profile else 0)

    def _scaled(self, profile: Any) -> Any:
        return profile if self.profile_scale == 1 else profile * profile.dtype.type(self.profile_scale)

    def join(self, X: Any, weights: NDArray[np.float64], sets: NDArray[np.int64], profile: Any = None) -> Any:
        """Write the blocks side by side.

        Parameters
        ----------
        X : CSR of shape (n_documents, n_terms)
            Counts; if they were read from text, the result may be written over them.
        weights : ndarray of shape (n_sets, n_blocks, n_terms)
        sets : ndarray of shape (n_documents,)
            Which set of weights each row takes.
        profile : {ndarray, CSR array} of shape (n_documents, n_classes), optional

        Returns
        -------
        X : CSR matrix of shape (n_documents, n_columns)
        """
        return_free_memory()
        tail = profile if isinstance(profile, np.ndarray) else np.empty((X.shape[0], 0), dtype=X.dtype)
        n_blocks, n_tail = len(self.blocks_), tail.shape[1]
        n_values = n_blocks * X.nnz + tail.size
        index = np.int32 if max(n_values, n_blocks * X.shape[1] + n_tail) < 2**31 else np.int64
        X.indices, X.indptr = (array.astype(index, copy=False) for array in (X.indices, X.indptr))
        # Counts of a user's are not ours to write over.
        new = np.empty_like if self.input == "counts" or not n_blocks else _widened
        out, out_indices = (new(array, shape=n_values) for array in (X.data, X.indices))
        how: list[tuple[str, str]] = [(block.tf, block.norm) for block in self.blocks_]
        arrays, results = (X.data, X.indices, X.indptr), {"out": out, "out_indices": out_indices}
        stack_blocks(*arrays, weights, sets, how, **results, tail=tail, n_threads=job_count(self.n_jobs))
        indptr = n_blocks * X.indptr + n_tail * np.arange(len(X.indptr), dtype=index)
        shape = X.shape[0], n_blocks * X.shape[1] + n_tail
        rows = type(X)((out, out_indices, indptr), shape=shape, copy=False)
        rows.has_canonical_format = True
        if profile is None or n_tail:
            return rows
        return type(X)(sparse.hstack([rows, profile], format="csr"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        takes_counts = self.input == "counts"
        tags.input_tags.sparse = tags.input_tags.two_d_array = tags.input_tags.positive_only = takes_counts
        tags.input_tags.string = not takes_counts
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class HasFeatures:
    """A classifier of text whose `features` are TermFeatures, or None for its own, changed by ``features__...``."""

    default_features: ClassVar[Mapping[str, Any]]
    features: TermFeatures | None
    n_jobs: int | None

    def new_features(self) -> TermFeatures:
        """Return unfitted features; they take the threads of the classifier if they say none."""
        if self.features is None:
            features = TermFeatures(**self.default_features)
        elif isinstance(self.features, TermFeatures):
            features = clone(self.features)
        else:
            raise TypeError(
                f"features must be a TermFeatures or None, got {self.features!r}: give other parameters by name, and"
                " get named settings from troenpy.settings.classifier"
            )
        if features.n_jobs is None:
            features.n_jobs = self.n_jobs
        return features

    @staticmethod
    def check_explained(text: Any, features: TermFeatures) -> None:
        """Raise unless this is a text that can be explained."""
        if features.input != "content":
            raise ValueError(f"explain takes a text, and this model was fitted with input={features.input!r}")
        if not isinstance(text, str):
            raise TypeError(f"explain takes one text, got {type(text).__name__}")

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of `features` as ``features__ngram_range=(1, 2)``, of the default ones too.

        Parameters
        ----------
        **params
            By name.

        Returns
        -------
        self
        """
        is_default = params.get("features", self.features) is None
        if is_default and any(name.startswith("features__") for name in params):
            params["features"] = TermFeatures(**self.default_features)
        return super().set_params(**params)  # type: ignore[misc]


def _widened(values: NDArray[Any], *, shape: int) -> NDArray[Any]:
    """Return the start of the array that CountVectorizer left room in, the values at its end; or a new array."""
    whole = values.base
    if isinstance(whole, np.ndarray) and whole.dtype == values.dtype and whole.ndim == 1 and whole.size >= shape:
        return whole[:shape]
    return np.empty_like(values, shape=shape)
