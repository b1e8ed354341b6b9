"""Methods on a split: the estimators, fitted on the training part's counts, and the classes they give the test part."""

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
from troenpy.features.term_features import TermFeatures
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.full_length import with_full_length, with_zero_column
from troenpy.models.neighbors import SparseKNeighborsClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier
from troenpy.models.votes import vote
from troenpy.transport.distances import TOPIC_DISTANCES, topic_distance, word_distance
from troenpy.transport.pruning import NearestDocuments
from troenpy.transport.topics import Topics

TOLERANCE = 1e-4  # predictions are then those of scikit-learn's lbfgs (test_experiments.py)
SVM_TOLERANCE = 1e-2  # coarser than scikit-learn's default: C is chosen among steps of three anyway
#: What "-cv" chooses C among.
STRENGTHS = {"lr": (1.0, 3.0, 10.0, 30.0, 100.0), "svm": (0.1, 0.3, 1.0, 3.0), "nbsvm": (0.1, 0.3, 1.0, 3.0)}
#: How long transport takes, as `cost` counts.
TRANSPORT_COSTS = {"wmd": 900, "wfr": 2000, "hott": 800, "hoftt": 900}
#: scikit-learn's SVM draws from one generator for the whole process: fits at the same time would disturb each other.
_SVM = Lock()

Codes = NDArray[np.int64]


def groups(methods: Iterable[Method]) -> list[list[Method]]:
    """Put methods together that differ in k only: one search finds the neighbours of all."""
    found: dict[Method, list[Method]] = {}
    for method in methods:
        found.setdefault(method.with_k(1), []).append(method)
    return list(found.values())


def predict(split: Split, group: Sequence[Method], n_processes: int = 1) -> list[Codes]:
    """Return the class of each test document by each method of a group, as numbers of the training part's classes.

    Parameters
    ----------
    split : Split
    group : sequence of Method
        Methods that differ in k only.
    n_processes : int, default=1
        For a search by optimal transport; all else runs in this one.

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
    """Return how long a method takes, roughly: in blocks of a search for neighbours."""
    if method.is_transport:
        return TRANSPORT_COSTS[method.features[0]]
    n_fits = 1 if method.C is not None else len(STRENGTHS[method.model]) * INNER_FOLDS
    n_blocks = max(1, len(method.blocks))
    return n_blocks * {"knn": 1, "lr": 5 * n_fits, "svm": n_fits, "nbsvm": 5 * n_fits}[method.model]


def _by_neighbours(split: Split, group: Sequence[Method]) -> list[Codes]:
    """Vote among the nearest training documents; one without any weight is nobody's neighbour.

    Its row of zeros would be at distance 1 from every row of length 1, nearer than all documents but the most similar:
    the six empty documents among the training tweets, and no order of cosine, would decide most votes. Beside a class
    profile, a document without weighted terms stays, as one that shares no term with any other.
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
    """Return the nearest training documents of each test document, in the sum of distances of all features."""
    pairs = [_to_compare(split, columns) for columns in method.columns]
    train, test = (
        rows[0] if len(rows) == 1 else sparse.hstack(rows, format="csr") for rows in zip(*pairs, strict=True)
    )
    train.eliminate_zeros()
    kept = np.flatnonzero(np.diff(train.indptr))
    if n_neighbors > len(kept):
        raise ValueError(
            f"{n_neighbors} neighbours are more than the {len(kept)} training documents that have any weight"
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
    """Vote among the nearest training documents by transport; ties as their authors decide them.

    Vectors are of length 1, and WFR's words are not moved further than pi / 2: on folds of training parts nothing else
    was clearly better (experiments/transport_settings.py).
    """
    if split.words is None:
        raise ValueError("it needs word vectors: name them, such as glove-50d (a download of 85 MB), or a file")
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
    train, test = _side_by_side(split, columns)
    if not (columns.blocks and columns.profiles):
        return train, test
    return with_full_length(train, len(columns.blocks), split.train.shape[1]), with_zero_column(test)


def _side_by_side(split: Split, columns: Columns) -> tuple[Any, Any]:
    """Return the columns for the training and the test part, class profiles last."""
    pairs = [split.weighted(block.scheme, tf=block.tf, norm=block.norm) for block in columns.blocks]
    for profile in columns.profiles:
        model = ClassProfile(leave_out=profile.left_out or "document")
        train = model.fit_transform(split.train, split.codes)
        train = model.transform(split.train) if profile.left_out is None else train
        pairs.append(tuple(sparse.csr_array(profile.factor * part) for part in (train, model.transform(split.test))))
    train, test = map(_joined, zip(*pairs, strict=True))
    return train, test


def _joined(rows: Sequence[Any]) -> Any:
    return rows[0] if len(rows) == 1 else sparse.hstack(rows, format="csr")


def _term_features(columns: Columns) -> TermFeatures:
    """Return the features of a classifier of text, made from counts."""
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
        C = strengths[int(np.argmin(wrong))]  # the smallest of equals
    return fit(split, method, [C])[0]


def _by_logistic_regression(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Classify by one TroenpyClassifier for each C; features without any weight leave the most frequent class."""
    (columns,) = method.columns
    weights = (block.weights(split.counts, smoothing=1.0, pcf=False) for block in columns.blocks)
    if not columns.profiles and not any(weight.any() for weight in weights):
        return [np.full(split.test.shape[0], np.bincount(split.codes).argmax()) for _ in strengths]
    model = TroenpyClassifier(_term_features(columns), tol=TOLERANCE)
    return [model.set_params(C=C).fit(split.train, split.codes).predict(split.test) for C in strengths]


def _by_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Classify by one linear SVM for each C: of each class against the rest, squared hinge loss."""
    train, test = _side_by_side(split, method.columns[0])
    return [_classes(_svm_decisions(train, split.codes, test, C)) for C in strengths]


def _by_nb_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Classify by one NB-SVM for each C: each class against the rest on weights of its own."""
    (block,) = method.blocks
    decisions: list[list[Any]] = [[] for _ in strengths]
    for of_class in split.one_against_rest():
        train, test = of_class.weighted("nb", tf=block.tf, norm=block.norm)
        for number, C in enumerate(strengths):
            decisions[number].append(_svm_decisions(train, of_class.codes, test, C))
    return [_classes(np.hstack(by_class)) for by_class in decisions]


def _svm_decisions(train: Any, codes: Codes, test: Any, C: float) -> NDArray[np.float64]:
    from sklearn.svm import LinearSVC  # not needed to import the package

    with _SVM:
        model = LinearSVC(C=C, tol=SVM_TOLERANCE, max_iter=10_000, random_state=0).fit(train, codes)
    return model.decision_function(test).reshape(test.shape[0], -1)


def _classes(decisions: NDArray[np.float64]) -> Codes:
    """Return the class of the largest decision; one decision alone is for the second of two classes."""
    return (decisions[:, 0] > 0).astype(np.int64) if decisions.shape[1] == 1 else decisions.argmax(axis=1)
