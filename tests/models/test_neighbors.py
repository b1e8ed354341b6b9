"""SparseKNeighborsClassifier against brute force: every distance in float64, sorted, ties by row number."""

import pickle
import sys
import threading

import numpy as np
import pytest
from bad_calls import bad_calls
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from interruptions import hears_signals
from kernel_switch import kernel_off, needs_kernel, on_both
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from troenpy import SparseKNeighborsClassifier, TfPiVectorizer
from troenpy._kernel import neighbors as kernel_neighbors
from troenpy.models.metrics import METRICS

BLOCKS = {"first": (slice(0, 3), "euclidean"), "rest": (slice(3, None), "cosine"), "all": (slice(None), "manhattan")}


def in_order(terms):
    """Add up along the last axis, one column after the other."""
    return np.cumsum(terms, axis=-1)[..., -1]


def plain_distances(X, Y, metric):
    """Each metric by its definition, on dense rows."""
    if isinstance(metric, dict):
        return sum(plain_distances(X[:, columns], Y[:, columns], name) for columns, name in metric.values())
    if metric == "manhattan":
        return in_order(np.abs(X[:, None] - Y))
    if metric == "euclidean":
        return np.sqrt(in_order((X[:, None] - Y) ** 2))
    if metric == "hellinger":
        X, Y = (np.sqrt(A / np.where(in_order(A) == 0, 1, in_order(A))[:, None]) for A in (X, Y))
        return np.sqrt(in_order((X[:, None] - Y) ** 2) / 2)
    X, Y = (A / np.sqrt(np.where(in_order(A**2) == 0, 1, in_order(A**2)))[:, None] for A in (X, Y))
    distances = in_order((X[:, None] - Y) ** 2) / 2  # of rows of length 1 this is 1 minus the cosine
    distances[(X == 0).all(axis=1)] = 1
    distances[:, (Y == 0).all(axis=1)] = 1
    return distances


def brute_force(X, Y, metric, k):
    distances = plain_distances(X, Y, metric)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


def assert_brute_force(X, Y, metric, k, **settings):
    knn = SparseKNeighborsClassifier(k, metric=metric, **settings).fit(sparse.csr_array(Y), np.arange(len(Y)) % 3)
    distances, rows = knn.kneighbors(sparse.csr_array(X))
    expected, order = brute_force(X, Y, metric, k)
    np.testing.assert_array_equal(rows, order)
    np.testing.assert_array_equal(distances, expected)


def random_rows(n, n_columns=60, density=0.1, seed=0, low=-3):
    """Small whole numbers, so that many distances are equal, with rows of zeros and repeated rows."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(low, 4, (n, n_columns)) * (rng.random((n, n_columns)) < density)
    rows[rng.random(n) < 0.05] = 0
    repeated = rng.random(n) < 0.2
    rows[repeated] = rows[rng.integers(0, n, repeated.sum())]
    return rows.astype(float)


def text_like_rows(n, n_columns=1000, seed=0):
    """Real numbers; the column j is in about one row of j / 2."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, n_columns)) * (rng.random((n, n_columns)) < 2 / (2 + np.arange(n_columns)))
    return rows * np.exp(rng.normal(size=(n, 1)))


small = st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 0.1, 1e-9, 3e7])


@given(
    arrays(float, st.tuples(st.integers(1, 12), st.just(5)), elements=small),
    arrays(float, st.tuples(st.integers(1, 4), st.just(5)), elements=small),
    st.sampled_from([*METRICS, BLOCKS]),
    st.integers(1, 12),
)
@settings(max_examples=150, deadline=None)
def test_neighbours_are_brute_forces_on_any_rows(Y, X, metric, k):
    if metric == "hellinger":
        X, Y = np.abs(X), np.abs(Y)
    k = min(k, len(Y))
    on_both(assert_brute_force, X, Y, metric, k)


@pytest.mark.parametrize("k", [1, 7, 100])
@pytest.mark.parametrize("metric", [*METRICS, BLOCKS], ids=str)
def test_neighbours_are_brute_forces_among_many_equal_distances(metric, k, kernel_or_twin):
    low = 0 if metric == "hellinger" else -3
    assert_brute_force(random_rows(40, seed=1, low=low), random_rows(300, low=low), metric, k)


@needs_kernel
@pytest.mark.parametrize("metric", [*METRICS, BLOCKS], ids=str)
def test_neighbours_are_brute_forces_on_rows_like_texts(metric):
    X, Y = text_like_rows(20, seed=1), text_like_rows(500)
    if metric == "hellinger":
        X, Y = np.abs(X), np.abs(Y)
    assert_brute_force(X, Y, metric, 7)
    assert_brute_force(X, Y, metric, 100, n_jobs=2)


@needs_kernel
def test_all_training_rows_may_be_asked_for():
    Y = random_rows(500)
    assert_brute_force(random_rows(20, seed=3), Y, "euclidean", 500)


def near_ties(spread, n=400, n_columns=50, seed=0):
    """Queries, and rows that differ by less than the steps of float32, or hardly more."""
    rng = np.random.default_rng(seed)
    row = rng.random(n_columns)
    return rng.random((3, n_columns)), row + spread * rng.normal(size=(n, n_columns))


@pytest.mark.parametrize("spread", [1e-11, 1e-8, 3e-7])
@pytest.mark.parametrize("metric", METRICS)
def test_distances_that_float32_cannot_tell_apart(metric, spread, kernel_or_twin):
    X, Y = near_ties(spread)
    _, order = brute_force(X, Y, metric, 7)
    _, in_float32 = brute_force(X.astype(np.float32), Y.astype(np.float32), metric, 7)
    assert (order != in_float32).any(axis=1).all()  # the example is as hard as it says
    assert_brute_force(X, Y, metric, 7)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e150, 1e160])
def test_values_far_beyond_float32(scale, kernel_or_twin):
    X, Y = random_rows(10, seed=5), random_rows(80, seed=6)
    with np.errstate(over="ignore"):
        assert_brute_force(X * scale, Y * scale, "euclidean", 7)
        assert_brute_force(X * scale, Y, "euclidean", 7)
        assert_brute_force(X, Y * scale, "manhattan", 7)
    cosine = SparseKNeighborsClassifier(7, metric="cosine")
    tiny = cosine.fit(Y * 2.0**-800, np.zeros(80)).kneighbors(X * 2.0**600)
    np.testing.assert_array_equal(tiny, brute_force(X, Y, "cosine", 7))


@needs_kernel
def test_a_row_far_longer_than_the_others_costs_no_precision():
    Y = text_like_rows(300)
    Y[17] *= 1e12
    assert_brute_force(text_like_rows(20, seed=2), Y, "euclidean", 7)
    assert_brute_force(text_like_rows(20, seed=2), Y, "manhattan", 7)


@needs_kernel
def test_kernel_and_twin_agree_to_the_last_bit_whatever_the_threads():
    X, Y = sparse.csr_array(text_like_rows(64, seed=8)), sparse.csr_array(text_like_rows(900, seed=9))
    knn = SparseKNeighborsClassifier(9, metric="cosine").fit(Y, np.arange(900) % 5)
    expected = knn.kneighbors(X)
    for n_jobs in (1, 2, 5, -1):
        np.testing.assert_array_equal(knn.set_params(n_jobs=n_jobs).kneighbors(X), expected)
    with kernel_off():
        twin = clone(knn).fit(Y, np.arange(900) % 5)
        np.testing.assert_array_equal(twin.kneighbors(X), expected)


def test_neighbours_of_the_training_rows_leave_themselves_out(kernel_or_twin):
    Y = random_rows(120)
    knn = SparseKNeighborsClassifier(5, metric="manhattan").fit(Y, np.arange(120) % 2)
    distances, rows = knn.kneighbors()
    plain = plain_distances(Y, Y, "manhattan")
    np.fill_diagonal(plain, np.inf)
    order = np.argsort(plain, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(rows, order)
    np.testing.assert_array_equal(distances, np.take_along_axis(plain, order, axis=1))
    assert len(knn.predict(None)) == 120


def test_twin_works_in_blocks(without_kernel, monkeypatch):
    monkeypatch.setattr(kernel_neighbors, "DISTANCES_PER_BLOCK", 700)
    assert_brute_force(random_rows(40, seed=1), random_rows(300), "euclidean", 7)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_distances_and_shares_are_scikit_learns(metric, weights, kernel_or_twin):
    X, Y = text_like_rows(40, 300, seed=1), text_like_rows(200, 300)
    y = np.arange(200) % 4
    ours = SparseKNeighborsClassifier(7, metric=metric, weights=weights).fit(sparse.csr_array(Y), y)
    theirs = KNeighborsClassifier(7, metric=metric, weights=weights, algorithm="brute").fit(Y, y)
    np.testing.assert_allclose(ours.kneighbors(X)[0], theirs.kneighbors(X)[0], rtol=1e-9)
    np.testing.assert_array_equal(ours.kneighbors(X)[1], theirs.kneighbors(X)[1])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-15)


def test_neighbours_at_distance_zero_outvote_all_others():
    knn = SparseKNeighborsClassifier(3, weights="distance").fit([[0.0], [1.0], [1.1]], ["a", "b", "b"])
    np.testing.assert_array_equal(knn.predict_proba([[0.0]]), [[1, 0]])


def test_tied_classes_go_to_the_nearest_of_their_neighbours():
    # Distances 1 (c), 2 (a), 3 (b), 4 (b), 5 (a): a and b have two votes each, and the nearest of those is a's.
    knn = SparseKNeighborsClassifier(5).fit([[1], [2], [3], [4], [5], [50]], ["c", "b", "a", "a", "b", "c"])
    assert knn.predict([[0]]).tolist() == ["b"]
    shares = knn.predict_proba([[0]])[0]
    assert shares.tolist() == [0.4, np.nextafter(0.4, 1), 0.2]


def test_equal_distances_go_by_row_number():
    knn = SparseKNeighborsClassifier(2).fit([[1], [-1], [1], [-1]], ["b", "a", "a", "a"])
    assert knn.kneighbors([[0]])[1].tolist() == [[0, 1]]
    assert knn.predict([[0]]).tolist() == ["b"]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_largest_share_is_the_predicted_class(weights):
    X, Y = random_rows(300, seed=1), random_rows(300)
    knn = SparseKNeighborsClassifier(6, weights=weights).fit(Y, np.arange(300) % 5)
    shares = knn.predict_proba(X)
    np.testing.assert_array_equal(knn.classes_[shares.argmax(axis=1)], knn.predict(X))
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_votes_are_counted_in_blocks(monkeypatch):
    X, Y = random_rows(100, seed=1), random_rows(300)
    knn = SparseKNeighborsClassifier(6).fit(Y, np.arange(300) // 3)
    expected = knn.predict(X), knn.predict_proba(X)
    monkeypatch.setattr("troenpy.models.votes.VOTES_PER_BLOCK", 700)
    np.testing.assert_array_equal(knn.predict(X), expected[0])
    np.testing.assert_array_equal(knn.predict_proba(X), expected[1])


def test_unsorted_and_repeated_indices_count_as_their_sum(kernel_or_twin):
    Y = random_rows(80)
    rng = np.random.default_rng(0)
    cells = sparse.coo_array(np.where(Y == 0, 0, Y - 7))
    data, row, col = np.r_[cells.data, np.full(cells.nnz, 7.0)], np.tile(cells.row, 2), np.tile(cells.col, 2)
    shuffled = rng.permutation(len(data))
    shuffled = shuffled[np.argsort(row[shuffled], kind="stable")]
    indptr = np.r_[0, np.cumsum(np.bincount(row, minlength=80))]
    messy = sparse.csr_array((data[shuffled], col[shuffled], indptr), shape=Y.shape)
    messy.has_canonical_format = True  # a wrong flag, as some operations leave behind
    before = messy.data.copy(), messy.indices.copy()
    for metric in ("manhattan", "euclidean"):
        knn = SparseKNeighborsClassifier(7, metric=metric).fit(messy, np.arange(80) % 2)
        np.testing.assert_array_equal(knn.kneighbors(messy), brute_force(Y, Y, metric, 7))
    np.testing.assert_array_equal(messy.data, before[0])
    np.testing.assert_array_equal(messy.indices, before[1])


def test_dense_sparse_and_single_precision_input_are_the_same():
    X, Y = random_rows(20, seed=1), random_rows(100)
    knn = SparseKNeighborsClassifier()
    expected = knn.fit(Y, np.arange(100) % 3).kneighbors(X)
    for form in (sparse.csc_array, sparse.coo_matrix, np.float32, sparse.csr_matrix):
        np.testing.assert_array_equal(knn.fit(form(Y), np.arange(100) % 3).kneighbors(form(X)), expected)


def test_the_model_keeps_its_own_rows():
    Y = sparse.csr_array(random_rows(100))
    knn = SparseKNeighborsClassifier(1).fit(Y, np.arange(100) % 3)
    expected = knn.kneighbors(Y)
    given_rows = Y.copy()
    Y.data[:] = 5
    np.testing.assert_array_equal(knn.kneighbors(given_rows), expected)


@pytest.mark.parametrize("labels", [["x", "y", "x"], [3, 1, 3], [True, False, True], [0.0, 1.0, 0.0]])
def test_labels_of_any_kind(labels):
    knn = SparseKNeighborsClassifier(1).fit([[0], [5], [9]], np.array(labels))
    np.testing.assert_array_equal(knn.predict([[0], [4], [8]]), labels)
    np.testing.assert_array_equal(knn.classes_, np.unique(labels))


def test_sum_of_distances_in_two_blocks_of_columns():
    # From row 0: 5 + |1 - 1|; from row 1: 0 + |1 - 7|.
    metric = {"a": (slice(0, 2), "euclidean"), "b": (slice(2, None), "manhattan")}
    knn = SparseKNeighborsClassifier(2, metric=metric).fit([[0, 0, 1], [3, 4, 7]], ["near", "far"])
    distances, rows = knn.kneighbors([[3, 4, 1]])
    assert distances.tolist() == [[5, 6]]
    assert rows.tolist() == [[0, 1]]


def test_a_slice_may_go_backwards():
    X = np.random.default_rng(0).poisson(1.0, (20, 6))
    for backwards, forwards in [(slice(None, None, -1), slice(None)), (slice(None, None, -2), slice(1, None, 2))]:
        metric = {"a": (forwards, "euclidean"), "b": (slice(1), "manhattan")}
        reverse = {"a": (backwards, "euclidean"), "b": (slice(1), "manhattan")}
        one, other = (SparseKNeighborsClassifier(3, metric=m).fit(X, X[:, 0]) for m in (metric, reverse))
        np.testing.assert_array_equal(one.kneighbors(X), other.kneighbors(X))


def test_pipeline_clone_grid_search_and_pickle():
    texts = ["late goal wins cup", "striker scores goal", "cup final today"] * 4
    texts += ["vote was close", "parliament will vote", "new law passed"] * 4
    labels = ["sport"] * 12 + ["politics"] * 12
    model = make_pipeline(TfPiVectorizer(), SparseKNeighborsClassifier(3, metric={"all": (slice(None), "cosine")}))
    metrics = ["euclidean", {"left": (slice(0, 4), "manhattan"), "right": (slice(4, None), "euclidean")}]
    search = GridSearchCV(model, {"sparsekneighborsclassifier__metric": metrics}, cv=2).fit(texts, labels)
    assert search.best_score_ > 0.9
    assert clone(model)[-1].metric == model[-1].metric
    loaded = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(loaded.predict_proba(texts), search.predict_proba(texts))


def test_model_from_where_there_is_no_kernel():
    X, Y = random_rows(20, seed=1), random_rows(100)
    with kernel_off():
        stored = pickle.dumps(SparseKNeighborsClassifier().fit(Y, np.arange(100) % 3))
    np.testing.assert_array_equal(pickle.loads(stored).kneighbors(X), brute_force(X, Y, "euclidean", 7))


@parametrize_with_checks([SparseKNeighborsClassifier(metric=metric) for metric in METRICS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


TWO_ROWS = [[1.0, 2.0], [3.0, 4.0]], [0, 1]


@bad_calls(
    (
        "metric",
        lambda: SparseKNeighborsClassifier(metric="l3").fit(*TWO_ROWS),
        ValueError,
        r"metric must be one of euclidean, cosine, manhattan, hellinger.*got 'l3'",
    ),
    (
        "metric of a block",
        lambda: SparseKNeighborsClassifier(metric={"a": (slice(1), 5)}).fit(*TWO_ROWS),
        ValueError,
        r"metric\['a'\] must be one of euclidean.*got 5",
    ),
    (
        "columns of a block",
        lambda: SparseKNeighborsClassifier(metric={"a": (slice(2, 9), "cosine")}).fit(*TWO_ROWS),
        ValueError,
        r"metric\['a'\] must select at least one column, got slice\(2, 9, None\) of 2",
    ),
    (
        "no block",
        lambda: SparseKNeighborsClassifier(metric={"a": "cosine"}).fit(*TWO_ROWS),
        TypeError,
        r"metric\['a'\] must be a tuple of a slice of columns and a metric name",
    ),
    (
        "weights",
        lambda: SparseKNeighborsClassifier(weights="half").fit(*TWO_ROWS),
        ValueError,
        "weights must be 'uniform' or 'distance', got 'half'",
    ),
    (
        "negative",
        lambda: SparseKNeighborsClassifier(metric="hellinger").fit([[1, 2], [3, -4]], [0, 1]),
        ValueError,
        r"Negative values in data passed to the metric 'hellinger'.*-4",
    ),
    ("not fitted", lambda: SparseKNeighborsClassifier().kneighbors(TWO_ROWS[0]), NotFittedError, "not fitted yet"),
    (
        "other columns",
        lambda: SparseKNeighborsClassifier(1).fit(*TWO_ROWS).predict([[1, 2, 3]]),
        ValueError,
        "X has 3 features, but SparseKNeighborsClassifier is expecting 2",
    ),
)
def test_errors_say_what_is_wrong(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("asked", [(None, 3), ([[1.0, 2.0]], 3), (None, 2), ([[1.0, 2.0]], 0), ([[1.0, 2.0]], -1)])
def test_errors_about_the_number_of_neighbours_are_scikit_learns(asked):
    X, y = TWO_ROWS
    with pytest.raises(ValueError, match="Expected n_neighbors") as theirs:
        KNeighborsClassifier(algorithm="brute").fit(X, y).kneighbors(*asked)
    with pytest.raises(ValueError, match="Expected n_neighbors") as ours:
        SparseKNeighborsClassifier().fit(X, y).kneighbors(*asked)
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(TypeError, match="n_neighbors does not take <class 'float'> value, enter integer value"):
        SparseKNeighborsClassifier().fit(X, y).kneighbors(X, 1.5)


@needs_kernel
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_stops_a_search():
    setup = """
import numpy as np, scipy.sparse as sp
from troenpy import SparseKNeighborsClassifier
X = sp.csr_array(np.random.default_rng(0).random((10000, 50)))
knn = SparseKNeighborsClassifier(5000, n_jobs=2).fit(X, np.arange(10000) % 2)
"""
    assert hears_signals(setup, "knn.kneighbors(X)")


@needs_kernel
def test_other_threads_run_meanwhile():
    X = sparse.csr_array(text_like_rows(3000))
    knn = SparseKNeighborsClassifier().fit(X, np.arange(3000) % 2)
    results = [None] * 3
    expected = knn.kneighbors(X[:200])

    def search(i):
        results[i] = knn.kneighbors(X[:200])

    threads = [threading.Thread(target=search, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)
