"""Evaluate methods on a split: fit on the counts of the training part, predict the classes of the test part."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy.experiments.grammar import Columns, Method
from troenpy.experiments.splits import INNER_FOLDS, Split
from troenpy.features.class_profile import ClassProfile
from troenpy.features.layout import Layout
from troenpy.features.term_features import TermFeatures
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.full_length import with_full_length, with_zero_column
from troenpy.models.neighbors import SparseKNeighborsClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier
from troenpy.models.votes import vote
from troenpy.transport.distances import TOPIC_DISTANCES, topic_distance, word_distance
from troenpy.transport.pruning import NearestDocuments
from troenpy.transport.topics import Topics

TOLERANCE = 3e-4  # tight enough to predict the same classes as scikit-learn's lbfgs
SVM_TOLERANCE = 1e-2  # coarser than scikit-learn's default: candidates for C differ by a factor of three anyway
#: Candidates for C under "-cv".
STRENGTHS = {"lr": (1.0, 3.0, 10.0, 30.0, 100.0), "svm": (0.1, 0.3, 1.0, 3.0), "nbsvm": (0.1, 0.3, 1.0, 3.0)}
#: Relative cost of the transport methods, in the units of `cost`.
TRANSPORT_COSTS = {"wmd": 900, "wfr": 2000, "hott": 800, "hoftt": 900}
#: scikit-learn's SVM uses one random generator per process, so concurrent fits would not be reproducible.
_SVM = Lock()

Codes = NDArray[np.int64]


def groups(methods: Iterable[Method]) -> list[list[Method]]:
    """Group methods that differ only in k, so that one search serves them all."""
    found: dict[Method, list[Method]] = {}
    for method in methods:
        found.setdefault(method.with_k(1), []).append(method)
    return list(found.values())


def predict(split: Split, group: Sequence[Method], n_processes: int = 1) -> list[Codes]:
    """Predict the class of each test document with each method of a group, as class numbers of the training part.

    Parameters
    ----------
    split : Split
    group : sequence of Method
        Methods that differ only in k.
    n_processes : int, default=1
        Used for optimal transport only.

    Returns
    -------
    list of ndarray of shape (n_test,)

    Examples
    --------
    >>> from troenpy.datasets.corpora import Corpus
    >>> from troenpy.experiments.grammar import read_method
    >>> from troenpy.experiments.splits import count_terms
    >>> texts, labels = ("goal", "goal", "vote", "vote", "goal"), np.array(list("sspps"))
    >>> parts = np.array(["train"] * 4 + ["test"])
    >>> split = count_terms(Corpus("tiny", texts, labels, parts)).split(None)
    >>> predict(split, [read_method("knn1: tf*idf")])
    [array([1])]
    """
    if group[0].is_transport:
        return _by_transport(split, group, n_processes)
    if group[0].model == "knn":
        return _by_neighbours(split, group)
    return [_by_linear_model(split, group[0])]


def cost(method: Method) -> int:
    """Return the rough cost of a method, relative to a neighbour search on one block."""
    if method.is_transport:
        return TRANSPORT_COSTS[method.features[0]]
    n_fits = 1 if method.C is not None else len(STRENGTHS[method.model]) * INNER_FOLDS
    n_blocks = max(1, len(method.blocks))
    return n_blocks * {"knn": 1, "lr": 5 * n_fits, "svm": n_fits, "nbsvm": 5 * n_fits}[method.model]


def _by_neighbours(split: Split, group: Sequence[Method]) -> list[Codes]:
    """Vote among the nearest training documents, leaving out those without a weighted term.

    A row of zeros is at distance 1 from every row of length 1, nearer than all but the most similar documents: the six
    empty training tweets would decide most votes. With a class profile such documents stay, and count as sharing no
    term with any other.
    """
    method, largest = group[0], max(method.k for method in group)
    first = method.columns[0]
    if len(method.columns) == 1 and method.metric == "euclidean" and first.blocks and first.has_term_features_profile:
        model = TextKNeighborsClassifier(_term_features(first), n_neighbors=largest)
        nearest = model.fit(split.train, split.codes).kneighbors(split.test, return_distance=False)
    else:
        nearest = _nearest_rows(split, method, largest)
    codes = split.codes[nearest]
    return [vote(codes[:, : method.k], split.n_classes) for method in group]


def _nearest_rows(split: Split, method: Method, n_neighbors: int) -> NDArray[np.int64]:
    """Return the nearest training documents of each test document, by the sum of the distances in all features."""
    pairs = [_to_compare(split, columns) for columns in method.columns]
    train, test = map(_hstack, zip(*pairs, strict=True))
    train.eliminate_zeros()
    kept = np.flatnonzero(np.diff(train.indptr))
    if n_neighbors > len(kept):
        raise ValueError(
            f"k={n_neighbors} is more than the {len(kept)} training documents with a weighted term: use a smaller k"
        )
    if len(kept) < len(split.codes):
        train = train[kept]
    borders = np.cumsum([0, *(rows.shape[1] for rows, _ in pairs)]).tolist()
    metric: Any = {i: (slice(*border), method.metric) for i, border in enumerate(pairwise(borders))}
    model = SparseKNeighborsClassifier(n_neighbors, metric=method.metric if len(pairs) == 1 else metric)
    nearest = model.fit(train, split.codes[kept]).kneighbors(test, return_distance=False)
    found: NDArray[np.int64] = kept[nearest]
    return found


def _by_transport(split: Split, group: Sequence[Method], n_processes: int) -> list[Codes]:
    """Vote among the nearest training documents by transport; ties are broken as in the original papers.

    Vectors have length 1, and WFR moves words at most pi / 2: in cross-validation of the training parts nothing else
    was clearly better (experiments/transport_settings.py).
    """
    if split.words is None:
        raise ValueError("it needs word vectors: choose glove-50d (an 85 MB download) or a file")
    name, vectors = group[0].features[0], split.words.vectors.normalize()
    if name in TOPIC_DISTANCES:
        distance = topic_distance(name, Topics.learn(split.words.train, vectors))
    else:
        distance = word_distance(name, vectors)
    nearest = NearestDocuments(distance.space, distance.shares(split.words.train))
    largest = max(method.k for method in group)
    _, rows = nearest.search(distance.shares(split.words.test), largest, n_jobs=n_processes)
    codes, n_classes = split.codes[rows], split.n_classes
    ties = "again" if name in TOPIC_DISTANCES else "nearest"
    return [vote(codes[:, : method.k], n_classes, ties=ties) for method in group]


def _to_compare(split: Split, columns: Columns) -> tuple[Any, Any]:
    train, test = _features_of(split, columns)
    if not (columns.blocks and columns.profiles):
        return train, test
    n_blocks, n_terms = len(columns.blocks), split.train.shape[1]
    layout = Layout([(n_blocks, n_terms, train.shape[1] - n_blocks * n_terms)])
    return with_full_length(train, layout), with_zero_column(test)


def _features_of(split: Split, columns: Columns) -> tuple[Any, Any]:
    """Return the feature matrices of the training and the test part, class profiles last."""
    pairs = [split.weighted(block.scheme, tf=block.tf, norm=block.norm) for block in columns.blocks]
    for profile in columns.profiles:
        model = ClassProfile(leave_out=profile.left_out or "document")
        train = model.fit_transform(split.train, split.codes)
        train = model.transform(split.train) if profile.left_out is None else train
        pairs.append(tuple(sparse.csr_array(profile.factor * part) for part in (train, model.transform(split.test))))
    train, test = map(_hstack, zip(*pairs, strict=True))
    return train, test


def _hstack(rows: Sequence[Any]) -> Any:
    return rows[0] if len(rows) == 1 else sparse.hstack(rows, format="csr")


def _term_features(columns: Columns) -> TermFeatures:
    """Return the features for a text classifier, built from counts."""
    if not columns.profiles:
        return TermFeatures([("words", "counts", columns.blocks)])
    (profile,) = columns.profiles
    view = ("words", "counts", (*columns.blocks, "profile"))
    return TermFeatures([view], leave_out=profile.left_out or "document", profile_scale=profile.factor)


def _by_linear_model(split: Split, method: Method) -> Codes:
    fit = {"lr": _by_logistic_regression, "svm": _by_svm, "nbsvm": _by_nb_svm}[method.model]
    C = method.C
    if C is None:
        strengths = STRENGTHS[method.model]
        wrong = sum(
            np.array([np.count_nonzero(predicted != fold.truth) for predicted in fit(fold, method, strengths)])
            for fold in split.folds
        )
        C = strengths[int(np.argmin(wrong))]  # the smallest if tied
    return fit(split, method, [C])[0]


def _by_logistic_regression(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Predict with a TroenpyClassifier for each C, or the most frequent class if all weights are zero."""
    (columns,) = method.columns
    weights = (block.weights(split.counts, smoothing=1.0, pcf=False) for block in columns.blocks)
    if not columns.profiles and not any(weight.any() for weight in weights):
        return [np.full(split.test.shape[0], np.bincount(split.codes).argmax()) for _ in strengths]
    model = TroenpyClassifier(_term_features(columns), tol=TOLERANCE)
    return [model.set_params(C=C).fit(split.train, split.codes).predict(split.test) for C in strengths]


def _by_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Predict with a linear SVM for each C: one class against the rest, squared hinge loss."""
    train, test = _features_of(split, method.columns[0])
    return [_classes(_svm_decisions(train, split.codes, test, C)) for C in strengths]


def _by_nb_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Predict with an NB-SVM for each C: one class against the rest, each with its own term weights."""
    (block,) = method.blocks
    decisions: list[list[Any]] = [[] for _ in strengths]
    for of_class in split.one_against_rest():
        train, test = of_class.weighted("nb", tf=block.tf, norm=block.norm)
        for number, C in enumerate(strengths):
            decisions[number].append(_svm_decisions(train, of_class.codes, test, C))
    return [_classes(np.hstack(by_class)) for by_class in decisions]


def _svm_decisions(train: Any, codes: Codes, test: Any, C: float) -> NDArray[np.float64]:
    from sklearn.svm import LinearSVC  # deferred: slow to import

    with _SVM:
        model = LinearSVC(C=C, tol=SVM_TOLERANCE, max_iter=10_000, random_state=0).fit(train, codes)
    return model.decision_function(test).reshape(test.shape[0], -1)


def _classes(decisions: NDArray[np.float64]) -> Codes:
    """Return the class with the largest decision value; a single column decides for the second of two classes."""
    return (decisions[:, 0] > 0).astype(np.int64) if decisions.shape[1] == 1 else decisions.argmax(axis=1)
