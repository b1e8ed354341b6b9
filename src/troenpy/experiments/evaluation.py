"""Methods on a split: weighted rows, a model fitted on the training part, the classes it gives the test part."""

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from troenpy._kernel.neighbors import Space, build_index, nearest_rows
from troenpy.experiments.grammar import Columns, Method
from troenpy.experiments.splits import INNER_FOLDS, Split
from troenpy.models.logistic import Design, fit_logistic
from troenpy.models.metrics import METRICS
from troenpy.models.text_neighbors import with_full_length, with_zero_column
from troenpy.models.votes import vote
from troenpy.transport.distances import TOPIC_DISTANCES, topic_distance, word_distance
from troenpy.transport.pruning import NearestDocuments
from troenpy.transport.topics import Topics

TOLERANCE = 3e-4  # predictions are then those of scikit-learn's lbfgs (test_experiments.py)
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
    pairs = [_to_compare(split, columns) for columns in method.columns]
    train, test = ([METRICS[method.metric](_without_zeros(rows)) for rows in part] for part in zip(*pairs, strict=True))
    kept = np.flatnonzero(sum(np.diff(rows.indptr) for rows in train))
    if largest > len(kept):
        raise ValueError(f"{largest} neighbours are more than the {len(kept)} training documents that have any weight")
    if len(kept) < len(split.codes):
        train = [rows[kept] for rows in train]
    spaces = [Space(rows, method.metric) for rows in train]
    _, nearest = nearest_rows(spaces, build_index(spaces), test, largest)
    codes = split.codes[kept[nearest]]
    return [vote(codes[:, : method.k], len(split.counts.classes)) for method in group]


def _by_transport(split: Split, group: Sequence[Method], n_processes: int) -> list[Codes]:
    """Vote among the nearest training documents by transport; ties as their authors decide them.

    Vectors are of length 1, and WFR's words are not moved further than pi / 2: on folds of training parts nothing else
    was clearly better (experiments/transport_settings.py).
    """
    if split.words is None:
        raise ValueError("it needs word vectors: name them, such as glove-50d (a download of 85 MB), or a file")
    name, vectors = group[0].features[0], split.words.vectors.of_length_one()
    if name in TOPIC_DISTANCES:
        distance = topic_distance(name, Topics.learnt(split.words.train, vectors))
    else:
        distance = word_distance(name, vectors)
    nearest = NearestDocuments(distance.space, distance.shares(split.words.train))
    largest = max(method.k for method in group)
    _, rows = nearest.search(distance.shares(split.words.test), largest, n_jobs=n_processes)
    codes, n_classes = split.codes[rows], len(split.counts.classes)
    ties = "again" if name in TOPIC_DISTANCES else "nearest"
    return [vote(codes[:, : method.k], n_classes, ties=ties) for method in group]


def _to_compare(split: Split, columns: Columns) -> tuple[Any, Any]:
    train, test = _side_by_side(split, columns)
    if not (columns.blocks and columns.profiles):
        return train, test
    return with_full_length(train, len(columns.blocks), split.train.shape[1]), with_zero_column(test)


def _without_zeros(rows: Any) -> sparse.csr_array:
    rows.eliminate_zeros()
    return sparse.csr_array(rows)


def _side_by_side(split: Split, columns: Columns) -> tuple[Any, Any]:
    """Return the columns for the training and the test part, class profiles last."""
    pairs = [split.rows(block.tf, block.scheme, block.norm) for block in columns.blocks]
    for profile in columns.profiles:
        both = split.profiles(profile.left_out)
        pairs.append(tuple(sparse.csr_array(profile.factor * part) for part in both))
    train, test = (sparse.hstack(part, format="csr") for part in zip(*pairs, strict=True))
    return train, test


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
    """Classify by one logistic regression for each C."""
    (columns,) = method.columns
    train, test = _side_by_side(split, columns)
    n_blocks, n_classes = len(columns.blocks), len(split.counts.classes)
    end = n_blocks * split.train.shape[1]
    design = (
        Design(train[:, :end], max(1, n_blocks), tail=train[:, end:]) if columns.profiles else Design(train, n_blocks)
    )
    predictions = []
    for C in strengths:
        coef, intercept, _ = fit_logistic(design, split.codes, n_classes, C=C, tol=TOLERANCE)
        predictions.append(_classes(np.asarray(test @ coef.T) + intercept))
    return predictions


def _by_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Classify by one linear SVM for each C: of each class against the rest, squared hinge loss."""
    train, test = _side_by_side(split, method.columns[0])
    return [_classes(_svm_decisions(train, split.codes, test, C)) for C in strengths]


def _by_nb_svm(split: Split, method: Method, strengths: Sequence[float]) -> list[Codes]:
    """Classify by one NB-SVM for each C: each class against the rest on weights of its own."""
    (block,) = method.blocks
    decisions: list[list[Any]] = [[] for _ in strengths]
    for of_class in split.one_against_rest():
        train, test = of_class.rows(block.tf, "nb", block.norm)
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
