"""Count a corpus once, and select its splits: rows of the matrix, and the columns that occur in the training part."""

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.counts.class_counts import ClassCounts
from troenpy.datasets.corpora import Corpus
from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.rows import Norm, TermFrequency, equal_rows
from troenpy.features.term_weighter import TermWeighter
from troenpy.transport.vectors import WordVectors
from troenpy.weights.count_table import Floats

TEST_SIZE = 0.2
INNER_FOLDS = 3

Documents = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Counts of the words that have vectors, including words that occur only in the test part.

    Parameters
    ----------
    vectors : WordVectors
        One vector per column.
    train, test : CSR arrays
    """

    vectors: WordVectors
    train: sparse.csr_array
    test: sparse.csr_array


@dataclass(frozen=True, eq=False)
class Split:
    """Counts of a training and a test part, over the terms of the training part only.

    Parameters
    ----------
    train, test : CSR matrices
        Term counts.
    codes : ndarray of shape (n_train,)
        The class of each training document, in [0, number of classes in the training part).
    truth : ndarray of shape (n_test,)
        The class of each test document; -1 if the training part lacks it.
    counts : ClassCounts
        Class counts of the training part.
    words : WordCounts, optional
        The same documents, for methods with word vectors.
    """

    train: Any
    test: Any
    codes: NDArray[np.int64]
    truth: NDArray[np.int64]
    counts: ClassCounts
    words: WordCounts | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes in the training part."""
        return len(self.counts.classes)

    def weighted(self, scheme: str | None, *, tf: TermFrequency = "raw", norm: Norm | None = "l2") -> tuple[Any, Any]:
        """Return the weighted rows of the training and the test part; without a scheme, every weight is 1."""
        weighter = TermWeighter(scheme or unweighted, tf=tf, norm=norm).learn(self.counts, float(self.train.sum()))
        return weighter.weigh(self.train), weighter.weigh(self.test)

    def fold_numbers(self) -> Documents:
        """Assign each training document to a random fold, with copies in the same fold."""
        documents, copies = np.unique(equal_rows(self.train), return_inverse=True)
        return (np.random.default_rng(0).permutation(len(documents)) % INNER_FOLDS)[copies]

    @cached_property
    def folds(self) -> list["Split"]:
        """Inner cross-validation splits of the training part, for choosing parameters."""
        fold = self.fold_numbers()
        parts = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(INNER_FOLDS)]
        return [split_counts(self.train, self.codes, *part) for part in parts if all(map(len, part))]

    def one_against_rest(self) -> Iterator["Split"]:
        """Yield a binary split for each class: 1 for the class, 0 for the rest."""
        for i in range(len(self.counts.classes)):
            codes, truth = ((of == i).astype(np.int64) for of in (self.codes, self.truth))
            yield Split(self.train, self.test, codes, truth, ClassCounts.from_matrix(self.train, codes))


@dataclass(frozen=True, eq=False)
class CountedCorpus:
    """The terms of every document of a corpus, counted once for all splits.

    Parameters
    ----------
    counts : CSR matrix of shape (n_documents, n_terms)
    terms : tuple of str
    labels : ndarray of shape (n_documents,)
    given : ndarray of "train" and "test", or None
    vectors : WordVectors, optional
        Vectors of some of the terms.
    """

    counts: Any
    terms: tuple[str, ...]
    labels: NDArray[Any]
    given: NDArray[np.str_] | None
    vectors: WordVectors | None = None

    def parts(
        self, seed: int | None, train_fraction: float = 1.0, sample: int | None = None
    ) -> tuple[Documents, Documents]:
        """Return the row numbers of the training and the test documents.

        Parameters
        ----------
        seed : int or None
            Seed of a random 80/20 split; None for the given split.
        train_fraction : float, default=1.0
            Fraction of the training documents to keep, drawn with the same seed (0 for the given split). Smaller
            fractions are subsets of larger ones.
        sample : int, optional
            Number of test documents to keep, drawn in the same way; all of them if there are no more.
        """
        if seed is None:
            if self.given is None:
                raise ValueError("this corpus has no given split: pass a seed for a random one")
            train, test = (np.flatnonzero(self.given == part) for part in ("train", "test"))
        else:
            from sklearn.model_selection import train_test_split

            train, test = train_test_split(np.arange(len(self.labels)), test_size=TEST_SIZE, random_state=seed)
        if sample is not None and sample < len(test):
            test = _draw(test, sample, seed)
        if train_fraction == 1:
            return train, test
        return _draw(train, max(1, round(train_fraction * len(train))), seed), test

    def split(self, seed: int | None, train_fraction: float = 1.0, sample: int | None = None) -> Split:
        """Select a split; see `parts`."""
        train, test = self.parts(seed, train_fraction, sample)
        split = split_counts(self.counts, self.labels, train, test)
        if self.vectors is None:
            return split
        columns, vectors = self.vectors.select(self.terms)
        counts = sparse.csr_array(self.counts)
        return replace(split, words=WordCounts(vectors, counts[train][:, columns], counts[test][:, columns]))


def unweighted(counts: ClassCounts) -> Floats:
    """Weight every term 1; a scheme for TermWeighter."""
    return np.ones(len(counts.term_docs))


def _draw(documents: Documents, n: int, seed: int | None) -> Documents:
    """Draw n documents at random, in their original order."""
    return documents[np.sort(np.random.default_rng(seed or 0).permutation(len(documents))[:n])]


def split_counts(counts: Any, labels: NDArray[Any], train: Documents, test: Documents) -> Split:
    """Select the rows of both parts, and the columns that occur in the training part."""
    classes, codes = np.unique(labels[train], return_inverse=True)
    place = np.searchsorted(classes, labels[test]).clip(max=len(classes) - 1)
    truth = np.where(classes[place] == labels[test], place, -1)
    rows = counts[train]
    occurs = np.bincount(rows.indices, minlength=rows.shape[1]) > 0
    rows = rows[:, occurs]
    return Split(rows, counts[test][:, occurs], codes, truth, ClassCounts.from_matrix(rows, codes))


def count_terms(corpus: Corpus, *, n_jobs: int = 1) -> CountedCorpus:
    """Count the terms of a corpus: words as in scikit-learn, without its English stop words.

    Examples
    --------
    >>> corpus = Corpus("tiny", ("a late goal", "the vote"), np.array(["s", "p"]))
    >>> count_terms(corpus).counts.toarray()
    array([[1., 1., 0.],
           [0., 0., 1.]])
    """
    counter = CountVectorizer(stop_words="english", dtype=np.float64, n_jobs=n_jobs)
    counts = counter.fit_transform(corpus.texts)
    terms = tuple(counter.get_feature_names_out().tolist())
    return CountedCorpus(counts, terms, np.asarray(corpus.labels), corpus.split)


def n_test_documents(corpus: Corpus) -> int:
    """Return the number of test documents in a split."""
    return math.ceil(TEST_SIZE * len(corpus.texts)) if corpus.split is None else int(np.sum(corpus.split == "test"))


def deduplicate(corpus: Corpus) -> Corpus:
    """Keep the first copy of each text, and drop texts that occur with different labels.

    Examples
    --------
    >>> texts, labels = ("a", "b", "a", "c", "c"), np.array(["x", "y", "x", "x", "y"])
    >>> deduplicate(Corpus("tiny", texts, labels)).texts
    ('a', 'b')
    """
    first: dict[str, int] = {}
    seen: dict[str, set[str]] = {}
    for number, (text, label) in enumerate(zip(corpus.texts, corpus.labels, strict=True)):
        first.setdefault(text, number)
        seen.setdefault(text, set()).add(str(label))
    kept = np.array([number for text, number in first.items() if len(seen[text]) == 1], dtype=np.int64)
    return replace(
        corpus,
        texts=tuple(corpus.texts[number] for number in kept),
        labels=corpus.labels[kept],
        split=None if corpus.split is None else corpus.split[kept],
        ids=None if corpus.ids is None else corpus.ids[kept],
    )


def fingerprint(corpus: Corpus) -> str:
    """Return a short checksum of the texts, labels and split, to tell apart corpora with the same name."""
    split = [None] * len(corpus.texts) if corpus.split is None else corpus.split.tolist()
    digest = hashlib.sha256()
    for document in zip(corpus.texts, corpus.labels.tolist(), split, strict=True):
        digest.update(json.dumps(document).encode())
    return digest.hexdigest()[:16]
