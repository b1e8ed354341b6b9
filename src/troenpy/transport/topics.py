"""Topics of a corpus, the distances between them, and the topic proportions of documents.

tomotopy learns the topics by Gibbs sampling, from the training documents and their words only. scikit-learn's
variational inference, with the topics held fixed, then gives the topic proportions of training and test documents
alike: they depend only on the words of the document, so equal documents get equal proportions.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import psi

from troenpy.fitting.parameters import check_count
from troenpy.transport.balanced import Balanced
from troenpy.transport.couplings import Floats
from troenpy.transport.points import DistanceTable, Rows, Words, shared_places
from troenpy.transport.vectors import WordVectors

TOPIC_PRIOR, WORD_PRIOR = 0.1, 0.01


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics over the words of the documents they were learnt from; other words are ignored.

    Parameters
    ----------
    vectors : WordVectors
        One vector for each counted word.
    columns : ndarray of int
        The rows of `vectors` whose words the topics cover.
    mixing : LatentDirichletAllocation
        Infers the topic proportions of a document.
    distances : ndarray of shape (n_topics, n_topics)
        Word Mover's Distances between topics, each truncated to its heaviest words.
    """

    vectors: WordVectors
    columns: Rows
    mixing: Any
    distances: Floats

    @classmethod
    def learn(
        cls,
        counts: sparse.csr_array,
        vectors: WordVectors,
        *,
        n_topics: int = 70,
        n_words: int = 20,
        n_steps: int = 1000,
        seed: int = 0,
    ) -> Self:
        """Learn topics from counts of words.

        Parameters
        ----------
        counts : CSR matrix of shape (n_documents, n_words)
            Whole numbers.
        vectors : WordVectors
            One vector for each column.
        n_topics, n_words : int
            Number of topics, and number of words per topic used for distances between topics.
        n_steps : int
            Rounds of Gibbs sampling.
        seed : int
            The same seed gives the same topics on processors with the same vector instructions.
        """
        for name, value in (("n_topics", n_topics), ("n_words", n_words), ("n_steps", n_steps)):
            check_count(name, value)
        if not counts.nnz:
            raise ValueError(
                f"none of the {counts.shape[0]} documents has a word with a vector: "
                "use vectors that cover their vocabulary"
            )
        is_fractional = counts.data != np.floor(counts.data)
        if is_fractional.any():
            raise ValueError(f"word counts must be whole to learn topics, got {counts.data[is_fractional][0]:g}")
        from sklearn.decomposition import LatentDirichletAllocation  # deferred: slow to import

        columns = np.unique(counts.indices).astype(np.int64)
        counts = sparse.csr_array(counts[:, columns])
        weights = _sample_topics(counts, n_topics, n_steps, seed)
        mixing = LatentDirichletAllocation(n_topics, doc_topic_prior=TOPIC_PRIOR, topic_word_prior=WORD_PRIOR)
        mixing.n_features_in_ = counts.shape[1]
        mixing.components_, mixing.doc_topic_prior_, mixing.topic_word_prior_ = weights, TOPIC_PRIOR, WORD_PRIOR
        mixing.exp_dirichlet_component_ = np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True)))
        return cls(vectors, columns, mixing, _topic_distances(weights, Words(vectors.vectors[columns]), n_words))

    def proportions(self, counts: sparse.csr_array) -> Floats:
        """Return the topic proportions of each document: rows sum to 1, or are all zero without a known word."""
        known = sparse.csr_array(counts[:, self.columns])
        proportions = np.asarray(self.mixing.transform(known), dtype=np.float64)
        proportions[np.diff(known.indptr) == 0] = 0
        return proportions

    @property
    def points(self) -> DistanceTable:
        """The topics as points for transport."""
        return DistanceTable(self.distances)


def drop_small_topics(proportions: Floats) -> Floats:
    """Drop proportions below 1 / (number of topics + 1), as HOTT does, and rescale the rest to sum to 1."""
    kept = np.where(proportions < 1 / (proportions.shape[1] + 1), 0.0, proportions)
    sums = kept.sum(axis=1, keepdims=True)
    return kept / np.where(sums > 0, sums, 1)


def _sample_topics(counts: sparse.csr_array, n_topics: int, n_steps: int, seed: int) -> Floats:
    """Return the topic-word counts after Gibbs sampling, prior included."""
    try:
        with warnings.catch_warnings(action="ignore"):  # its binary modules warn on import
            import tomotopy
    except ImportError:
        raise ImportError("topics need tomotopy: pip install 'troenpy[transport]'", name="tomotopy") from None
    model = tomotopy.LDAModel(k=n_topics, alpha=TOPIC_PRIOR, eta=WORD_PRIOR, seed=seed)
    for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        if end > start:
            model.add_doc(np.repeat(counts.indices[start:end], counts.data[start:end].astype(np.int64)).astype(str))
    model.optim_interval = 0  # keep the priors
    for _ in range(n_steps):  # one at a time, so that other threads and Ctrl-C get their turn
        model.train(1, workers=1)  # with more workers, results would depend on their number
    weights = np.full((n_topics, counts.shape[1]), WORD_PRIOR)
    columns = np.array(model.used_vocabs, dtype=np.int64)
    for topic in range(n_topics):
        weights[topic, columns] = model.get_topic_word_dist(topic, normalize=False)
    return weights


def _topic_distances(weights: Floats, words: Words, n_words: int) -> Floats:
    """Return the distances between all pairs of topics."""
    heaviest = [np.sort(np.argsort(-topic, kind="stable")[:n_words]) for topic in weights]
    shares = [topic[kept] / topic[kept].sum() for topic, kept in zip(weights, heaviest, strict=True)]
    distances = np.zeros((len(weights), len(weights)))
    for i, j in zip(*np.tril_indices(len(weights), -1), strict=True):
        costs, common = words.distances_from(heaviest[j])(heaviest[i]), shared_places(heaviest[i], heaviest[j])
        distances[i, j] = distances[j, i] = Balanced().solve(shares[i], shares[j], costs, common).cost
    return distances
