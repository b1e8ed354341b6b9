"""Topics of a corpus: found by Gibbs sampling, apart by the transport of their heaviest words, mixed in documents.

Topics are learnt by tomotopy from training documents alone, over the words that these have. What a document is mixed
of is then worked out by scikit-learn's variational inference with these topics held fixed, for training and other
documents alike: it depends on the document's words only, so that equal documents are mixed equally.
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
from troenpy.transport.grounds import Rows, Table, Words, shared_places
from troenpy.transport.vectors import WordVectors

TOPIC_PRIOR, WORD_PRIOR = 0.1, 0.01


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics over the words of the documents they were learnt from; other words say nothing of a document.

    Parameters
    ----------
    vectors : WordVectors
        Of the words that are counted.
    columns : ndarray of int
        The places among them of the words that topics are over.
    mixing : LatentDirichletAllocation
        Tells what a document is mixed of.
    distances : ndarray of shape (n_topics, n_topics)
        The Word Mover's Distance between topics, each cut to its heaviest words.
    """

    vectors: WordVectors
    columns: Rows
    mixing: Any
    distances: Floats

    @classmethod
    def learnt(
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
            One for each column.
        n_topics, n_words : int
            How many topics, and how many words of each count in its distance to others.
        n_steps : int
            Rounds of Gibbs sampling.
        seed : int
            The same seed gives the same topics, on processors that have the same vector instructions.
        """
        for name, value in (("n_topics", n_topics), ("n_words", n_words), ("n_steps", n_steps)):
            check_count(name, value)
        if not counts.nnz:
            raise ValueError(f"none of the {counts.shape[0]} documents has a word with a vector: there are no topics")
        is_broken = counts.data != np.floor(counts.data)
        if is_broken.any():
            raise ValueError(f"topics are learnt from whole counts of words, got {counts.data[is_broken][0]:g}")
        from sklearn.decomposition import LatentDirichletAllocation  # not needed to import the package

        columns = np.unique(counts.indices).astype(np.int64)
        counts = sparse.csr_array(counts[:, columns])
        weights = _sampled(counts, n_topics, n_steps, seed)
        mixing = LatentDirichletAllocation(n_topics, doc_topic_prior=TOPIC_PRIOR, topic_word_prior=WORD_PRIOR)
        mixing.n_features_in_ = counts.shape[1]
        mixing.components_, mixing.doc_topic_prior_, mixing.topic_word_prior_ = weights, TOPIC_PRIOR, WORD_PRIOR
        mixing.exp_dirichlet_component_ = np.exp(psi(weights) - psi(weights.sum(axis=1, keepdims=True)))
        return cls(vectors, columns, mixing, _apart(weights, Words(vectors.vectors[columns]), n_words))

    def proportions(self, counts: sparse.csr_array) -> Floats:
        """Return what each document is mixed of: rows that sum to 1; zeros where there is no word of the topics."""
        known = sparse.csr_array(counts[:, self.columns])
        proportions = np.asarray(self.mixing.transform(known), dtype=np.float64)
        proportions[np.diff(known.indptr) == 0] = 0
        return proportions

    @property
    def ground(self) -> Table:
        """Topics as points."""
        return Table(self.distances)


def kept_proportions(proportions: Floats) -> Floats:
    """Forget parts below 1 / (number of topics + 1), as HOTT does, and let the others sum to 1."""
    kept = np.where(proportions < 1 / (proportions.shape[1] + 1), 0.0, proportions)
    sums = kept.sum(axis=1, keepdims=True)
    return kept / np.where(sums > 0, sums, 1)


def _sampled(counts: sparse.csr_array, n_topics: int, n_steps: int, seed: int) -> Floats:
    """Return how often each topic was drawn for each word, prior included."""
    try:
        with warnings.catch_warnings(action="ignore"):  # its binary modules warn as they are imported
            import tomotopy
    except ImportError:
        raise ImportError("topics need tomotopy: pip install 'troenpy[transport]'", name="tomotopy") from None
    model = tomotopy.LDAModel(k=n_topics, alpha=TOPIC_PRIOR, eta=WORD_PRIOR, seed=seed)
    for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        if end > start:
            model.add_doc(np.repeat(counts.indices[start:end], counts.data[start:end].astype(np.int64)).astype(str))
    model.optim_interval = 0  # keep the priors
    for _ in range(n_steps):  # one by one: other threads, and Ctrl-C, have to wait for each
        model.train(1, workers=1)  # more workers would make the result depend on their number
    weights = np.full((n_topics, counts.shape[1]), WORD_PRIOR)
    columns = np.array(model.used_vocabs, dtype=np.int64)
    for topic in range(n_topics):
        weights[topic, columns] = model.get_topic_word_dist(topic, normalize=False)
    return weights


def _apart(weights: Floats, words: Words, n_words: int) -> Floats:
    """Return the distance of each topic from each other."""
    heaviest = [np.sort(np.argsort(-topic, kind="stable")[:n_words]) for topic in weights]
    shares = [topic[kept] / topic[kept].sum() for topic, kept in zip(weights, heaviest, strict=True)]
    distances = np.zeros((len(weights), len(weights)))
    for i, j in zip(*np.tril_indices(len(weights), -1), strict=True):
        costs, common = words.distances_from(heaviest[j])(heaviest[i]), shared_places(heaviest[i], heaviest[j])
        distances[i, j] = distances[j, i] = Balanced().solve(shares[i], shares[j], costs, common).cost
    return distances
