"""One fitted object, read by eight threads at once, gives what it gives to one."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from threading import Barrier

import numpy as np
import pytest
from made_up_texts import made_up_texts
from scipy import sparse
from some_views import words

from troenpy import (
    SparseKNeighborsClassifier,
    TermFeatures,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
    load,
    save,
)

N_THREADS = 8
N_TIMES = 12


draw = partial(made_up_texts, n_shared=400, n_words=25, n_own=1)
TEXTS, LABELS = draw(300)
#: Every thread asks for other documents, and for another number of them.
QUERIES = [draw(5 + 20 * number, seed=1 + number)[0] for number in range(N_THREADS)]


def from_all_threads(functions):
    """Run a function in each thread, all at once and several times."""
    barrier = Barrier(len(functions))

    def work(function):
        barrier.wait()
        return [function() for _ in range(N_TIMES)]

    with ThreadPoolExecutor(len(functions)) as pool:
        return [future.result() for future in [pool.submit(work, function) for function in functions]]


def plain(result):
    """What can be compared: arrays, or what is shown."""
    if sparse.issparse(result):
        return result.toarray().tolist()
    if isinstance(result, tuple):
        return [plain(part) for part in result]
    return result.tolist() if isinstance(result, np.ndarray) else str(result)


def assert_the_same_alone(calls):
    alone = [plain(call()) for call in calls]
    for expected, results in zip(alone, from_all_threads(calls), strict=True):
        assert all(plain(result) == expected for result in results)


def knn(n_jobs):
    vectorizer = TfPiVectorizer().fit(TEXTS, LABELS)
    fitted = SparseKNeighborsClassifier(n_jobs=n_jobs).fit(vectorizer.transform(TEXTS), LABELS)
    return [partial(fitted.kneighbors, vectorizer.transform(query)) for query in QUERIES]


def calls(estimator, *names):
    fitted = estimator.fit(TEXTS, LABELS)
    return [partial(getattr(fitted, name), query) for name, query in zip(cycle(names), QUERIES, strict=False)]


def explain_and(estimator, *names):
    """Every other thread explains one text."""
    others = calls(estimator, *names)
    return [partial(estimator.explain, query[0]) if i % 2 else others[i] for i, query in enumerate(QUERIES)]


def in_batches(n_jobs):
    vectorizer = TfPiVectorizer(n_jobs=n_jobs)
    for start in range(0, 300, 50):
        vectorizer.partial_fit(TEXTS[start : start + 50], LABELS[start : start + 50])
    assert vectorizer.transform(TEXTS[:1]).nnz  # the weights are made on first use
    return [partial(vectorizer.transform, query) for query in QUERIES]


SHARED = {
    "vectorizer": lambda n_jobs: calls(TfPiVectorizer(ngram_range=(1, 2), n_jobs=n_jobs), "transform"),
    "batches": in_batches,
    "features": lambda n_jobs: calls(TermFeatures(words("certainty", "boost", "profile"), n_jobs=n_jobs), "transform"),
    "classifier": lambda n_jobs: calls(TroenpyClassifier(n_jobs=n_jobs), "predict", "predict_proba"),
    "explanations": lambda n_jobs: explain_and(TroenpyClassifier(n_jobs=n_jobs), "decision_function"),
    "rows": knn,
    "text neighbours": lambda n_jobs: calls(TextKNeighborsClassifier(n_jobs=n_jobs), "predict", "kneighbors"),
    "neighbours explained": lambda n_jobs: explain_and(TextKNeighborsClassifier(n_jobs=n_jobs), "predict_proba"),
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", SHARED)
def test_one_fitted_object_serves_eight_threads(name, n_jobs):
    assert_the_same_alone(SHARED[name](n_jobs))


@pytest.mark.parametrize("estimator", [TroenpyClassifier(), TextKNeighborsClassifier()])
def test_a_loaded_model_is_first_used_by_eight_threads(tmp_path, estimator):
    """The first use prepares the tables of the profile and of the neighbours."""
    alone = [plain(call()) for call in calls(estimator, "predict", "predict_proba")]
    save(estimator, tmp_path / "model")
    again = load(tmp_path / "model")
    names = cycle(["predict", "predict_proba"])
    at_once = [partial(getattr(again, name), query) for name, query in zip(names, QUERIES, strict=False)]
    for expected, results in zip(alone, from_all_threads(at_once), strict=True):
        assert all(plain(result) == expected for result in results)
