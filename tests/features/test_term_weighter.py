"""TermWeighter: what it learns, what it multiplies, and what it never sees."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from bad_calls import bad_calls
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import on_both
from scipy import sparse
from sklearn import set_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from troenpy import WEIGHTS, ClassCounts, TermWeighter, weights
from troenpy.features import rows

RNG = np.random.default_rng(0)
X = RNG.poisson(0.6, (40, 12))
Y = np.where(X[:, 0] + RNG.poisson(0.5, 40) > 1, "sport", np.where(X[:, 1] > 0, "tech", "news"))
DENSE = X.astype(float)


@parametrize_with_checks(
    [
        TermWeighter(),
        TermWeighter("sqrt(pcf_present)*idf", tf="bm25", norm="hellinger"),
        TermWeighter("rf", tf="log", norm="l1"),
        TermWeighter("cib_ncf_abs", tf="sqrt", norm=None),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_default_is_tf_pi_with_unit_rows():
    result = TermWeighter().fit_transform(sparse.csr_array(X), Y).toarray()
    expected = X * weights.pi(ClassCounts.from_matrix(X, Y))
    length = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(result, expected / np.where(length > 0, length, 1), rtol=1e-12)


@pytest.mark.parametrize(
    ("tf", "expected"),
    [
        ("raw", [[4.0, 0, 1], [0, 2, 0]]),
        ("log", [[1 + np.log(4), 0, 1], [0, 1 + np.log(2), 0]]),
        ("sqrt", [[2.0, 0, 1], [0, np.sqrt(2), 0]]),
        ("binary", [[1.0, 0, 1], [0, 1, 0]]),
        # Lengths 5 and 2, average 3.5: tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 3.5))
        (
            "bm25",
            [
                [4 * 2.2 / (4 + 0.3 + 0.9 * 5 / 3.5), 0, 2.2 / (1 + 0.3 + 0.9 * 5 / 3.5)],
                [0, 2 * 2.2 / (2 + 0.3 + 0.9 * 2 / 3.5), 0],
            ],
        ),
    ],
)
def test_term_frequencies_by_hand(tf, expected):
    counts = [[4, 0, 1], [0, 2, 0]]
    weighter = TermWeighter(lambda c: np.ones(3), tf=tf, norm=None).fit(counts, ["a", "b"])
    for kind in (np.array, sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        result = weighter.transform(kind(counts))
        np.testing.assert_allclose(result if isinstance(result, np.ndarray) else result.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("l2", [[0.6, -0.8], [0, 0]]),
        ("l1", [[3 / 7, -4 / 7], [0, 0]]),
        ("hellinger", [[np.sqrt(3 / 7), -np.sqrt(4 / 7)], [0, 0]]),
        (None, [[3, -4], [0, 0]]),
    ],
)
def test_norms_by_hand_keep_signs_and_rows_of_zeros(norm, expected):
    weighter = TermWeighter(lambda c: np.array([1.0, -1.0]), norm=norm).fit([[3, 4], [0, 1]], ["a", "b"])
    np.testing.assert_allclose(weighter.transform(sparse.csr_array([[3, 4], [0, 0]])).toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("tf", rows.TERM_FREQUENCIES)
@pytest.mark.parametrize("norm", rows.NORMS)
def test_all_matrix_kinds_give_the_same_rows(tf, norm):
    weighter = TermWeighter("pcf_present*idf", tf=tf, norm=norm).fit(X, Y)
    reference = weighter.transform(DENSE)
    unsorted = sparse.csr_array(DENSE)
    for i in range(unsorted.shape[0]):
        row = slice(*unsorted.indptr[i : i + 2])
        unsorted.indices[row], unsorted.data[row] = unsorted.indices[row][::-1].copy(), unsorted.data[row][::-1].copy()
    unsorted.has_sorted_indices = False
    long = sparse.csr_array(DENSE)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    kinds = [sparse.csr_matrix(DENSE), sparse.csc_matrix(DENSE), sparse.coo_array(DENSE), unsorted, long]
    for kind in kinds:
        result = weighter.transform(kind)
        assert result.format == "csr"
        assert result.has_sorted_indices
        assert isinstance(result, sparse.sparray) == isinstance(kind, sparse.sparray)
        np.testing.assert_array_equal(result.toarray(), reference)


@pytest.mark.parametrize("norm", rows.NORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_kernel_and_numpy_weigh_rows_alike(norm, dtype):
    weighter = TermWeighter(norm=norm).fit(X, Y)
    matrix = sparse.csr_array(X.astype(dtype))
    fast, plain = on_both(weighter.transform, matrix)
    assert fast.dtype == plain.dtype == dtype
    np.testing.assert_allclose(fast.toarray(), plain.toarray(), rtol=4 * np.finfo(dtype).eps)


def test_input_is_never_changed():
    matrix = sparse.csr_array((np.array([1.0, 0, 2, 3]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
    TermWeighter(tf="log").fit_transform(matrix, ["a", "b"])
    for array, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(array, old)
    array = DENSE.copy()
    TermWeighter(tf="log").fit(array, Y).transform(array)
    np.testing.assert_array_equal(array, DENSE)


def test_float32_is_kept_and_integers_become_float64():
    weighter = TermWeighter().fit(X, Y)
    assert weighter.transform(X.astype(np.float32)).dtype == np.float32
    assert weighter.transform(sparse.csr_array(X.astype(np.float32))).dtype == np.float32
    assert weighter.transform(X).dtype == np.float64


def test_a_term_seen_only_in_test_documents_does_not_change_the_row():
    weighter = TermWeighter().fit([[1, 2, 0], [3, 1, 0], [1, 0, 0], [2, 0, 0]], ["a", "a", "b", "b"])
    assert weighter.weights_[2] == 0
    np.testing.assert_array_equal(weighter.transform([[1, 2, 9]]), weighter.transform([[1, 2, 0]]))


@pytest.mark.parametrize("scheme", WEIGHTS)
def test_every_scheme_by_name(scheme):
    weighter = TermWeighter(scheme, smoothing=0.5, norm=None).fit(X, Y)
    function = WEIGHTS[scheme]
    takes_smoothing = "smoothing" in function.__kwdefaults__ if function.__kwdefaults__ else False
    expected = function(weighter.counts_, smoothing=0.5) if takes_smoothing else function(weighter.counts_)
    np.testing.assert_array_equal(weighter.weights_, expected)
    np.testing.assert_allclose(weighter.transform(DENSE), DENSE * expected)


@given(
    cuts=st.lists(st.integers(0, 40), max_size=4),
    tf=st.sampled_from(rows.TERM_FREQUENCIES),
    weighted=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_partial_fit_over_any_batches_equals_fit(cuts, tf, weighted):
    sample_weight = RNG.integers(1, 4, len(Y)) / 2 if weighted else None
    whole = TermWeighter(tf=tf).fit(X, Y, sample_weight)
    parts = TermWeighter(tf=tf)
    edges = [0, *sorted(cuts), len(Y)]
    for start, end in pairwise(edges):
        if start < end:
            parts.partial_fit(X[start:end], Y[start:end], None if sample_weight is None else sample_weight[start:end])
    assert parts.counts_ == whole.counts_
    np.testing.assert_array_equal(parts.transform(X), whole.transform(X))


def test_partial_fit_welcomes_new_classes_and_waits_for_the_second():
    weighter = TermWeighter().partial_fit([[1, 0], [2, 1]], ["a", "a"])
    with pytest.raises(ValueError, match="all documents so far are of one class"):
        weighter.transform([[1, 0]])
    weighter.partial_fit([[0, 1]], ["b"]).partial_fit([[0, 2]], ["c"])
    assert weighter.counts_.classes.tolist() == ["a", "b", "c"]
    assert weighter.transform([[1, 0]]).shape == (1, 2)


def test_fit_forgets_what_was_learnt_before():
    weighter = TermWeighter().fit(X, Y)
    weighter.fit(X[:, :5], Y)
    assert weighter.counts_ == ClassCounts.from_matrix(X[:, :5], Y)


def test_sample_weight_equals_repetition():
    times = RNG.integers(0, 4, len(Y))
    for tf in rows.TERM_FREQUENCIES:
        weighted = TermWeighter(tf=tf).fit(X, Y, sample_weight=times)
        repeated = TermWeighter(tf=tf).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
        np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=1e-12)


def test_indicator_matrices_are_labels_too():
    indicator = np.c_[Y == "sport", Y == "tech", X[:, 2] > 0].astype(int)
    dense, sparse_y = (TermWeighter().fit(X, labels) for labels in (indicator, sparse.csr_array(indicator)))
    assert dense.counts_ == sparse_y.counts_
    crossed = TermWeighter(cv=4, random_state=0).fit_transform(X, indicator)
    assert crossed.shape == X.shape


# Cross-fitting.


def cross_fitted_by_hand(splits, sample_weight=None):
    result = np.empty(DENSE.shape)
    for train, test in splits:
        weight = None if sample_weight is None else sample_weight[train]
        result[test] = TermWeighter("idf*pcf", tf="bm25").fit(X[train], Y[train], weight).transform(DENSE[test])
    return result


@pytest.mark.parametrize("as_sparse", [False, True])
def test_fit_transform_weights_each_row_by_the_other_folds(as_sparse):
    folds = list(StratifiedKFold(4, shuffle=True, random_state=5).split(X, Y))
    matrix = sparse.csr_matrix(DENSE) if as_sparse else DENSE
    for cv in (4, StratifiedKFold(4, shuffle=True, random_state=5), folds, iter(folds)):
        weighter = TermWeighter("idf*pcf", tf="bm25", cv=cv, random_state=5)
        result = weighter.fit_transform(matrix, Y)
        assert sparse.issparse(result) == as_sparse
        np.testing.assert_array_equal(result.toarray() if as_sparse else result, cross_fitted_by_hand(folds))
        full = TermWeighter("idf*pcf", tf="bm25").fit(X, Y)
        np.testing.assert_array_equal(weighter.transform(DENSE), full.transform(DENSE))
        assert not np.allclose(cross_fitted_by_hand(folds), full.transform(DENSE))


def test_cross_fitting_takes_sample_weights():
    sample_weight = RNG.uniform(0.5, 2, len(Y))
    folds = list(KFold(5).split(X))
    result = TermWeighter("idf*pcf", tf="bm25", cv=folds).fit_transform(DENSE, Y, sample_weight)
    np.testing.assert_array_equal(result, cross_fitted_by_hand(folds, sample_weight))


def test_fit_then_transform_never_cross_fits():
    crossed, plain = TermWeighter(cv=4, random_state=0), TermWeighter()
    np.testing.assert_array_equal(crossed.fit(X, Y).transform(X), plain.fit(X, Y).transform(X))


def test_a_rows_own_label_does_not_change_its_cross_fitted_row():
    folds = list(KFold(5).split(X))
    test = folds[2][1]
    changed = Y.copy()
    changed[test] = RNG.permutation(changed[test])[::-1]
    assert (changed != Y).any()
    before, after = (TermWeighter(cv=folds).fit_transform(DENSE, labels) for labels in (Y, changed))
    np.testing.assert_array_equal(before[test], after[test])


class Recorder(ClassifierMixin, BaseEstimator):
    """Remember the rows that a pipeline gives it."""

    def fit(self, X, y):
        self.classes_, self.fitted_ = np.unique(y), X
        return self

    def predict(self, X):
        self.predicted_ = X
        return np.repeat(self.classes_[:1], X.shape[0])


def test_pipeline_fit_takes_the_cross_fitted_rows_and_predict_the_full_weights():
    pipeline = make_pipeline(TermWeighter(cv=4, random_state=1), Recorder()).fit(DENSE, Y)
    pipeline.predict(DENSE)
    recorder = pipeline[-1]
    np.testing.assert_array_equal(recorder.fitted_, TermWeighter(cv=4, random_state=1).fit_transform(DENSE, Y))
    np.testing.assert_array_equal(recorder.predicted_, TermWeighter().fit(DENSE, Y).transform(DENSE))
    assert not np.allclose(recorder.fitted_, recorder.predicted_)


def test_an_int_cv_repeats_with_its_random_state():
    first, again = (TermWeighter(cv=4, random_state=3).fit_transform(DENSE, Y) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, TermWeighter(cv=4, random_state=4).fit_transform(DENSE, Y))


def test_splits_may_be_masks_and_splitters_see_the_labels():
    folds = list(KFold(4).split(X))
    masks = [(np.isin(np.arange(40), train), np.isin(np.arange(40), test)) for train, test in folds]
    plain, masked = (TermWeighter(cv=splits).fit_transform(DENSE, Y) for splits in (folds, masks))
    np.testing.assert_array_equal(plain, masked)

    class Splitter(KFold):
        def split(self, X, y=None, groups=None):
            assert set(y) == {"sport", "tech", "news"}
            return super().split(X, y, groups)

    np.testing.assert_array_equal(TermWeighter(cv=Splitter(4)).fit_transform(DENSE, Y), plain)


def test_groups_go_in_as_splits():
    groups = np.arange(len(Y)) // 5
    splits = list(GroupKFold(4).split(X, Y, groups))
    np.testing.assert_array_equal(
        TermWeighter("idf*pcf", tf="bm25", cv=splits).fit_transform(DENSE, Y), cross_fitted_by_hand(splits)
    )


@bad_calls(
    (
        "shuffled",
        lambda: TermWeighter(cv=ShuffleSplit(3, random_state=0)).fit_transform(X, Y),
        ValueError,
        r"every document in exactly one test fold, got \d for document \d+: use",
    ),
    (
        "not all documents",
        lambda: TermWeighter(cv=[([0, 1, 2], [3])]).fit_transform(X, Y),
        ValueError,
        "exactly one test fold",
    ),
    (
        "a fold of one class",
        lambda: TermWeighter(cv=KFold(2)).fit_transform([[1], [2], [1], [2]], ["a", "a", "b", "b"]),
        ValueError,
        "fold 0 of cv: term weights need at least two classes",
    ),
    (
        "one fold",
        lambda: TermWeighter(cv=1).fit_transform(X, Y),
        ValueError,
        r"cv must be between 2 and .* got 1",
    ),
    (
        "no folds",
        lambda: TermWeighter(cv=[]).fit_transform(X, Y),
        ValueError,
        "exactly one test fold, got 0 for document 0",
    ),
    (
        "rows [40]",
        lambda: TermWeighter(cv=[([0, 1, 2], [40])]).fit_transform(X, Y),
        ValueError,
        "cv must return rows between 0 and 39",
    ),
    (
        "rows [-1]",
        lambda: TermWeighter(cv=[([0, 1, 2], [-1])]).fit_transform(X, Y),
        ValueError,
        "cv must return rows between 0 and 39",
    ),
    (
        "rows [0.5]",
        lambda: TermWeighter(cv=[([0, 1, 2], [0.5])]).fit_transform(X, Y),
        ValueError,
        "cv must return rows between 0 and 39",
    ),
    ("text", lambda: TermWeighter(cv="five").fit_transform(X, Y), ValueError, "cv"),
)
def test_cv_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


# Explanations.


def test_explain_gives_the_ledger_of_a_term():
    frame = pd.DataFrame({"goal": [1, 2, 0, 1], "vote": [0, 0, 3, 0], "the": [1, 1, 1, 1], "never": [0, 0, 0, 0]})
    weighter = TermWeighter().fit(frame, ["sport", "sport", "politics", "politics"])
    explanation = weighter.explain("goal")
    assert explanation == weighter.explain(0)
    assert (explanation.term, explanation.documents, explanation.all_documents) == ("goal", 3, 4)
    assert explanation.documents_by_class == {"politics": 1, "sport": 2}
    assert explanation.pcf_present == pytest.approx(2 / 3 * np.log(3 / 2) + 1 / 3 * np.log(3 / 3))
    assert explanation.pcf_all == pytest.approx(np.log(4 / 3))
    assert explanation.idf == pytest.approx(1 + np.log(4 / 4))
    assert explanation.weight == pytest.approx((explanation.pcf_present - explanation.pcf_all) * explanation.idf)
    # Weights: goal -0.017, vote (log 1 - log 4/3)(1 + log 2) = -0.487, the (log 4/3 - log 4/3) = 0.
    assert [weighter.explain(term).rank for term in ("the", "goal", "vote")] == [1, 2, 3]
    assert explanation.n_terms == 3
    unseen = weighter.explain("never")
    assert (unseen.weight, unseen.documents, unseen.documents_by_class) == (0, 0, {"politics": 0, "sport": 0})
    assert str(explanation).splitlines()[0] == "goal"
    assert "PCF_1" in str(explanation)


def test_explain_follows_smoothing_and_says_which_terms_there_are():
    weighter = TermWeighter(smoothing=0.5).fit(pd.DataFrame({"goal": [1, 0], "vote": [0, 1]}), ["a", "b"])
    assert weighter.explain("goal").pcf_present == pytest.approx(np.log(1 / 0.5))
    with pytest.raises(ValueError, match=r"unknown term 'goals': did you mean goal\?"):
        weighter.explain("goals")
    with pytest.raises(ValueError, match="unknown term 'zzz': pass a known term or a column number"):
        weighter.explain("zzz")
    with pytest.raises(ValueError, match="a column number must be between 0 and 1, got 2"):
        weighter.explain(2)


# As a scikit-learn citizen.


def test_feature_names_are_the_columns():
    frame = pd.DataFrame(X, columns=[f"term {i}" for i in range(12)])
    weighter = TermWeighter().set_output(transform="pandas").fit(frame, Y)
    assert weighter.get_feature_names_out().tolist() == frame.columns.tolist()
    assert weighter.counts_.terms.tolist() == frame.columns.tolist()
    assert weighter.transform(frame).columns.tolist() == frame.columns.tolist()
    assert TermWeighter().fit(X, Y).get_feature_names_out()[:2].tolist() == ["x0", "x1"]


def test_clone_pickle_and_parameters():
    weighter = TermWeighter("rf*idf", tf="log", norm="hellinger", smoothing=0.5, cv=3, random_state=1)
    assert clone(weighter).get_params() == weighter.get_params()
    fitted = clone(weighter).set_params(cv=None).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(X), fitted.transform(X))


def test_grid_search_over_schemes():
    pipeline = make_pipeline(TermWeighter(), LogisticRegression())
    search = GridSearchCV(pipeline, {"termweighter__scheme": ["pi", "idf", "rf*idf"]}, cv=3).fit(X, Y)
    assert search.best_params_["termweighter__scheme"] in ("pi", "idf", "rf*idf")


def test_sample_weight_is_routed_through_a_pipeline():
    set_config(enable_metadata_routing=True)
    try:
        weighter = TermWeighter().set_fit_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        times = RNG.integers(1, 3, len(Y))
        pipeline = make_pipeline(weighter, model).fit(X, Y, sample_weight=times)
        assert pipeline[0].counts_ == ClassCounts.from_matrix(X, Y, sample_weight=times)
    finally:
        set_config(enable_metadata_routing=False)


@bad_calls(
    (
        "tf",
        lambda: TermWeighter(tf="idf").fit(X, Y),
        ValueError,
        "tf must be one of raw, log, sqrt, binary, bm25, got 'idf'",
    ),
    (
        "norm",
        lambda: TermWeighter(norm="max").fit(X, Y),
        ValueError,
        "norm must be one of l2, l1, hellinger, None, got 'max'",
    ),
    ("scheme", lambda: TermWeighter("tfidf").fit(X, Y), ValueError, "unknown scheme 'tfidf'"),
    (
        "no labels",
        lambda: TermWeighter().fit(X, None),
        ValueError,
        "requires y to be passed, but the target y is None: pass one label",
    ),
    ("a label missing", lambda: TermWeighter().fit(X, Y[:-1]), ValueError, "inconsistent numbers of samples"),
    (
        "negative, later",
        lambda: TermWeighter().fit(X, Y).transform(-X),
        ValueError,
        "Negative values in data passed to",
    ),
    (
        "other columns",
        lambda: TermWeighter().fit(X, Y).transform([[1, 2, 3]]),
        ValueError,
        "X has 3 features, but TermWeighter is expecting 12",
    ),
    ("not fitted", lambda: TermWeighter().transform(X), NotFittedError, "not fitted yet"),
    ("not fitted, explain", lambda: TermWeighter().explain("goal"), NotFittedError, "not fitted yet"),
)
def test_errors_name_the_parameter_and_the_value(call, error, message):
    with pytest.raises(error, match=message):
        call()
