"""Rivals that scikit-learn lacks, as classifiers of raw text: NB-SVM and fastText."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from troenpy.features.count_vectorizer import CountVectorizer

#: Starts a label in fastText's files. No token does: one that has a letter has no other symbol.
LABEL = "<class>"


class NBSVM(ClassifierMixin, BaseEstimator):
    """NB-SVM (Wang & Manning 2012): binary n-grams times the log-count ratio of a class, one class against the rest.

    Rows are L2-normalised before weighting. Normalised afterwards, a document has the same length for a class that its
    terms say nothing about, and decisions of different classes are less comparable.
    """

    def __init__(self, ngram_range: tuple[int, int] = (1, 2), C: float = 1.0) -> None:
        self.ngram_range = ngram_range
        self.C = C

    def fit(self, raw_documents: Sequence[str], y: ArrayLike) -> Self:
        """Fit one linear SVM per class, or one for two classes."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.counter_ = CountVectorizer(ngram_range=self.ngram_range, binary=True, dtype=np.float64)
        X = normalize(self.counter_.fit_transform(raw_documents))
        chosen = range(len(self.classes_)) if len(self.classes_) > 2 else (1,)
        self.models_ = []
        for is_class in (codes == code for code in chosen):
            ratios = sparse.diags_array(log_count_ratios(X.sign(), is_class))
            model = LinearSVC(C=self.C, random_state=0, max_iter=10_000)
            self.models_.append((ratios, model.fit(X @ ratios, is_class)))
        return self

    def decision_function(self, raw_documents: Sequence[str]) -> NDArray[np.float64]:
        """Return one decision value per class; for two classes, one."""
        X = normalize(self.counter_.transform(raw_documents))
        decisions = [model.decision_function(X @ ratios) for ratios, model in self.models_]
        return decisions[0] if len(decisions) == 1 else np.column_stack(decisions)

    def predict(self, raw_documents: Sequence[str]) -> NDArray[Any]:
        """Return the class of each document."""
        decisions = self.decision_function(raw_documents)
        codes = (decisions > 0).astype(np.int64) if decisions.ndim == 1 else decisions.argmax(axis=1)
        return self.classes_[codes]


def log_count_ratios(X: Any, is_class: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the log of the share of each term in a class over its share in the rest, each count plus one.

    Examples
    --------
    >>> X = sparse.csr_array([[1, 0], [1, 1], [0, 1]])
    >>> log_count_ratios(X, np.array([True, True, False])).round(4).tolist()  # log 3/5 / 1/3, log 2/5 / 2/3
    [0.5878, -0.5108]
    """
    shares = []
    for part in (is_class, ~is_class):
        smoothed = np.asarray(X[np.flatnonzero(part)].sum(axis=0), dtype=np.float64).ravel() + 1
        shares.append(np.log(smoothed / smoothed.sum()))
    return shares[0] - shares[1]


class FastTextClassifier(ClassifierMixin, BaseEstimator):
    """fastText's supervised model, on one thread so that the seed decides the result.

    Texts are cut into lower-case words and punctuation, as its tutorial recommends, and scripts without spaces into
    letters. They are shuffled, since it reads them in order and would forget the first classes of a sorted file.
    """

    def __init__(self, epoch: int = 25, lr: float = 0.5, n_words: int = 2, dim: int = 100, seed: int = 0) -> None:
        self.epoch = epoch
        self.lr = lr
        self.n_words = n_words
        self.dim = dim
        self.seed = seed

    def fit(self, raw_documents: Sequence[str], y: ArrayLike) -> Self:
        """Train on a temporary file, which fastText needs."""
        import fasttext  # deferred: an optional package

        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.analyze_ = CountVectorizer(analyzer="text").build_analyzer()
        lines = [f"{LABEL}{code} {line}\n" for code, line in zip(codes, self._lines(raw_documents), strict=True)]
        order = np.random.default_rng(self.seed).permutation(len(lines))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.txt"
            path.write_text("".join(lines[i] for i in order), encoding="utf-8")
            options = {"epoch": self.epoch, "lr": self.lr, "wordNgrams": self.n_words, "dim": self.dim}
            self.model_ = fasttext.train_supervised(
                input=str(path), label=LABEL, thread=1, seed=self.seed, verbose=0, **options
            )
        return self

    def predict_proba(self, raw_documents: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each class."""
        found, values = self.model_.predict(self._lines(raw_documents), k=len(self.classes_))
        probabilities = np.zeros((len(found), len(self.classes_)))
        for row, labels, given in zip(probabilities, found, values, strict=True):
            row[[int(label.removeprefix(LABEL)) for label in labels]] = given
        return normalize(probabilities, norm="l1")  # fastText's sum to 1 only nearly

    def predict(self, raw_documents: Sequence[str]) -> NDArray[Any]:
        """Return the class of each document."""
        return self.classes_[self.predict_proba(raw_documents).argmax(axis=1)]

    def _lines(self, raw_documents: Sequence[str]) -> list[str]:
        return [" ".join(self.analyze_(text)) for text in raw_documents]
