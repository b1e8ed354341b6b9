"""TermFeatures: feature blocks side by side, the paper's and our own, from one scan and one ClassCounts."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from troenpy._kernel.matrix import return_free_memory
from troenpy.counts.class_counts import ClassCounts
from troenpy.counts.counting import matrix_errors, present_terms, read_weights
from troenpy.counts.labels import Labels, check_labels_fit, read_required_labels
from troenpy.features.blocks import BLOCKS, PROFILE, Block, Parts
from troenpy.features.class_profile import ClassProfile, LeaveOut
from troenpy.features.count_vectorizer import DEFAULT_TOKEN_PATTERN, CountedRows, CountVectorizer, Room
from troenpy.features.documents import check_collection
from troenpy.features.folds import folds
from troenpy.files import archive
from troenpy.files.saved import Saved, arrays_at, below, checked
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_flag, check_float_type, check_positive
from troenpy.fitting.transaction import all_or_nothing
from troenpy.information.estimators import check_smoothing
from troenpy.weights.cells import Floats


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
        return self._training_rows(raw_documents, y, sample_weight)

    def _training_rows(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Do the work of `fit_transform`, always as a matrix, whatever `set_output` wants."""
        parts = self._fit_parts(raw_documents, y, sample_weight)
        return_free_memory()  # before the largest array is taken
        return parts.side_by_side(n_threads=job_count(self.n_jobs))

    @all_or_nothing
    def _fit_parts(self, raw_documents: Any, y: Any, sample_weight: ArrayLike | None = None) -> Parts:
        """Do the work of `fit_transform` up to the matrix: for models that read blocks and profile apart."""
        rows, labels, weights = self._fit(raw_documents, y, sample_weight)
        X, profile = rows.matrix, None
        if self.profile_ is not None:
            left_out = self.profile_.labels_left_out(X, labels, weights)
            profile = self._scaled(self.profile_.profile(X, left_out, n_threads=job_count(self.n_jobs)))
        if self.cv is None:
            return self._parts(rows, profile)
        sets = np.empty(X.shape[0], dtype=np.int64)
        fold_weights = []
        for number, (train, test) in enumerate(folds(self.cv, self.random_state, X, labels)):
            counts = ClassCounts.from_present(X[train], labels.part(train), None if weights is None else weights[train])
            try:
                fold_weights.append([self._block_weights(block, counts) for block in self.blocks_])
            except ValueError as error:
                raise ValueError(f"fold {number} of cv: {error}") from None
            sets[test] = number
        by_fold = np.array(fold_weights).reshape(-1, *self.weights_.shape)
        return Parts(rows, self.input != "counts", self.blocks_, by_fold, sets, profile)

    def _parts(self, rows: CountedRows, profile: Any) -> Parts:
        """Return the parts of documents that are all weighted by the weights learnt."""
        sets = np.zeros(rows.matrix.shape[0], dtype=np.int64)
        return Parts(rows, self.input != "counts", self.blocks_, self.weights_[np.newaxis], sets, profile)

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
        return self._rows_of(raw_documents)

    def _rows_of(self, raw_documents: Any) -> Any:
        """Do the work of `transform`, always as a matrix, whatever `set_output` wants."""
        check_is_fitted(self, "weights_")
        rows = self._counted(raw_documents, self._room(self.blocks_, len(self._counts.classes)))
        profile, n_threads = None, job_count(self.n_jobs)
        if self.profile_ is not None:
            profile = self._scaled(self.profile_.profile(rows.matrix, n_threads=n_threads))
        return self._parts(rows, profile).side_by_side(n_threads=n_threads)

    def _counted(self, raw_documents: Any, room: Room = Room()) -> CountedRows:  # noqa: B008 (immutable)
        """Count the terms of new documents."""
        if self.input == "counts":
            return self._read_counts(raw_documents, reset=False)
        return self._counter._rows(raw_documents, room)

    def _parts_by_term(self, document: Any) -> tuple[NDArray[Any], sparse.csr_array, Floats]:
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
        row, counts = self._rows_of([document]), self._counted([document]).matrix
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

    def _new_counter(self) -> CountVectorizer:
        """Return an unfitted CountVectorizer with the parameters of this."""
        return CountVectorizer(**{name: getattr(self, name) for name in CountVectorizer().get_params()})

    def _new_profile(self) -> ClassProfile:
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
        if not hasattr(self, "_named_counts"):
            self._named_counts = self._counts.with_terms(self.terms())
        return self._named_counts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The number of each term."""
        check_is_fitted(self, "_counter")
        return self._counter.vocabulary_

    def _fit(self, raw_documents: Any, y: Any, sample_weight: Any) -> tuple[CountedRows, Labels, Floats | None]:
        """Learn everything; return the counts, labels and sample weights."""
        blocks = self._chosen_blocks()
        check_smoothing(self.smoothing)
        job_count(self.n_jobs)
        if self.input == "counts":
            rows = self._read_counts(raw_documents, reset=True)
            labels = read_required_labels(y, "TermFeatures")
        else:
            check_float_type(self.dtype)
            check_collection(raw_documents)
            labels = read_required_labels(y, "TermFeatures")
            check_labels_fit(labels, raw_documents)
            self._counter = self._new_counter()
            rows = self._counter._fit_rows(raw_documents, self._room(blocks, len(labels.classes)))
        if rows.matrix.shape[0] != len(labels):
            check_labels_fit(labels, rows.matrix.shape[0])
        weights = read_weights(sample_weight, len(labels))
        if weights is not None and 0 < weights.sum() < 1:
            raise ValueError(
                f"sample_weight must sum to a document at least, got a sum of {weights.sum():g}: weights are numbers of"
                " documents, so scale them to a mean of 1"
            )
        self._counts = ClassCounts.from_present(rows.matrix, labels, weights)
        self.__dict__.pop("_named_counts", None)
        self.profile_ = self._new_profile().learn(self._counts) if PROFILE in self.blocks else None
        self._choose(blocks)
        return rows, labels, weights

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not hasattr(self, "weights_"):
            return None
        arrays = {"weights": self.weights_, **below("counts.", self._counts.to_arrays())}
        counter = None if self.input == "counts" else self._counter._saved()
        if counter is not None:
            arrays |= below("counter.", counter.arrays)
        if hasattr(self, "feature_names_in_"):
            arrays |= archive.packed("names", self.feature_names_in_)
        blocks = [block.name for block in self.blocks_]
        return Saved({"blocks": blocks, "counter": None if counter is None else counter.state}, arrays)

    def _restore(self, saved: Saved) -> None:
        """Take back what `_saved` returned; everything is checked."""
        known = {block.name: block for blocks in BLOCKS.values() for block in blocks}
        self.blocks_ = [known[name] for name in saved.state["blocks"]]
        self._counts = ClassCounts.from_arrays(arrays_at("counts.", saved.arrays))
        n_terms = len(self._counts.term_docs)
        self.weights_ = checked(saved.arrays["weights"], (len(self.blocks_), n_terms))
        self.profile_ = self._new_profile().learn(self._counts) if PROFILE in self.blocks else None
        if self.input == "counts":
            self.n_features_in_ = n_terms
        else:
            self._counter = self._new_counter()
            if saved.state["counter"] is not None:
                self._counter._restore(Saved(saved.state["counter"], arrays_at("counter.", saved.arrays)))
            if len(self.vocabulary_) != n_terms:
                raise ValueError("vocabulary and counts differ in size")
        if archive.is_packed("names", saved.arrays):
            self.feature_names_in_ = archive.unpacked("names", saved.arrays)

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

    def _read_counts(self, X: Any, *, reset: bool) -> CountedRows:
        with matrix_errors():
            X = validate_data(
                self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=reset, ensure_non_negative=True
            )
        rows: Any = present_terms(X)
        rows = sparse.csr_matrix(rows) if isinstance(X, sparse.spmatrix) else rows
        return CountedRows(rows, rows.data, rows.indices)

    def _room(self, blocks: list[Block], n_classes: int) -> Room:
        """Return the room for the result around counts that it is to be written over; a sparse profile is joined."""
        has_dense_profile = PROFILE in self.blocks and n_classes <= self._new_profile().max_dense
        return Room(max(1, len(blocks)), n_classes if blocks and has_dense_profile else 0)

    def _scaled(self, profile: Any) -> Any:
        return profile if self.profile_scale == 1 else profile * profile.dtype.type(self.profile_scale)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        takes_counts = self.input == "counts"
        tags.input_tags.sparse = tags.input_tags.two_d_array = tags.input_tags.positive_only = takes_counts
        tags.input_tags.string = not takes_counts
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
