"""ClassProfile: what it sums, and what it leaves out."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from bad_calls import bad_calls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import set_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from troenpy import ClassCounts, ClassProfile
from troenpy.features.rows import equal_rows

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
RNG = np.random.default_rng(0)
X = RNG.poisson(0.6, (40, 12))
Y = np.where(X[:, 0] + RNG.poisson(0.5, 40) > 1, "sport", np.where(X[:, 1] > 0, "tech", "news"))


def indicator_of(y):
    y = np.asarray(y)
    return y if y.ndim == 2 else (y[:, np.newaxis] == np.unique(y)).astype(int)


def loop_profile(document, X, members, weight, rows, s):
    """Profile a document by some rows of the training data, IDF by all of them; with the classes that share a term."""
    n, K = sum(weight), len(members[0])
    C = [sum(weight[d] * members[d][i] for d in rows) for i in range(K)]
    c = [v / sum(C) if sum(C) else 1 / K for v in C]
    z, total, shares = [0.0] * K, 0.0, [False] * K
    for w, tf in enumerate(document):
        all_holders = sum(weight[d] for d in range(len(X)) if X[d][w])
        if not tf or not all_holders:
            continue
        a = tf * max(0.0, 1 + math.log(n / (1 + all_holders)))
        held = [sum(weight[d] * members[d][i] for d in rows if X[d][w]) for i in range(K)]
        total += a
        for i in range(K):
            z[i] += a * (held[i] + s * c[i]) / (sum(held) + s)
            shares[i] |= held[i] > 0
    return [math.sqrt(v / total) for v in z] if total else [math.sqrt(v) for v in c], shares


def loop_profiles(X, y, weight=None, *, documents=None, copies=False, s=1.0):
    """Profile documents; None are the training documents, each without itself or its copies."""
    members = indicator_of(y).tolist()
    weight = [1] * len(X) if weight is None else list(weight)
    result = []
    for number, document in enumerate(np.asarray(X if documents is None else documents).tolist()):
        rows = range(len(X))
        if documents is None:
            rows = [d for d in rows if d != number and not (copies and X[d].tolist() == document)]
        result.append(loop_profile(document, X.tolist(), members, weight, rows, s))
    profiles, shares = zip(*result, strict=True)
    return np.array(profiles), np.array(shares)


@st.composite
def corpora(draw):
    """Draw counts and labels, one or several or none per document, with copies, empty rows and one-document terms."""
    n, V = draw(st.integers(2, 9)), draw(st.integers(1, 5))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 2), min_size=V, max_size=V), min_size=n, max_size=n)))
    if draw(st.booleans()):
        K = draw(st.integers(2, 4))
        row = st.lists(st.integers(0, 1), min_size=K, max_size=K)
        y = np.array(draw(st.lists(row, min_size=n, max_size=n).filter(lambda Y: (np.sum(Y, axis=0) > 0).sum() > 1)))
    else:
        y = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(lambda y: len(set(y)) > 1)))
    return X, y


def as_array(result):
    return result.toarray() if sparse.issparse(result) else result


@pytest.mark.usefixtures("kernel_or_twin")
@given(
    corpus=corpora(),
    copies=st.booleans(),
    s=st.sampled_from([0.3, 1.0, 3.0]),
    weights_seed=st.none() | st.integers(0, 9),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equals_the_plain_loop(corpus, copies, s, weights_seed):
    X, y = corpus
    weight = None if weights_seed is None else np.random.default_rng(weights_seed).integers(1, 9, len(X)) / 4
    new = np.vstack([X, np.eye(X.shape[1], dtype=int)])
    for max_dense in (256, 1):
        profile = ClassProfile(smoothing=s, leave_out="copies" if copies else "document", max_dense=max_dense)
        trained = profile.fit_transform(sparse.csr_array(X), y, weight)
        assert sparse.issparse(trained) == (max_dense == 1)
        for result, (expected, shares) in (
            (trained, loop_profiles(X, y, weight, copies=copies, s=s)),
            (profile.transform(new), loop_profiles(X, y, weight, documents=new, s=s)),
        ):
            if max_dense == 1:
                assert result.has_canonical_format
                np.testing.assert_array_equal(result.toarray() > 0, shares)
                expected = np.where(shares, expected, 0.0)
            else:
                np.testing.assert_allclose((expected**2).sum(axis=1), 1, rtol=1e-12)
            np.testing.assert_allclose(as_array(result), expected, **CLOSE)


def test_worked_example():
    # Terms in 2 and 3 of 4 documents: IDF 1 + log 4/3 and 1 + log 4/4.
    X, y = [[2, 0], [1, 1], [0, 1], [0, 3]], ["a", "a", "b", "b"]
    profile = ClassProfile().fit(X, y)
    a, b = 1 + math.log(4 / 3), 1.0
    np.testing.assert_allclose(profile.idf_, [a, b])
    of_first, of_second = (2 + 1 / 2) / 3, (1 + 1 / 2) / 4  # class a among the documents with each term
    expected = [of_first, (a * of_first + b * of_second) / (a + b), of_second, of_second]
    np.testing.assert_allclose(profile.transform(X)[:, 0] ** 2, expected)
    np.testing.assert_allclose(profile.transform(X)[:, 1] ** 2, 1 - np.array(expected))
    # Without the first document: c = 1/3, 2/3; its term is left in one document, of class a.
    # Without the second: its first term is left in one document of a, its second in two of b. And so on.
    left_out = [
        (1 + 1 / 3) / 2,
        (a * (1 + 1 / 3) / 2 + b * (0 + 1 / 3) / 3) / (a + b),
        (1 + 2 / 3) / 3,
        (1 + 2 / 3) / 3,
    ]
    np.testing.assert_allclose(ClassProfile().fit_transform(X, y)[:, 0] ** 2, left_out)


@given(corpus=corpora(), copies=st.booleans(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_training_row_does_not_depend_on_its_own_label(corpus, copies, data):
    X, y = corpus
    X, y = np.vstack([X, X[:2]]), np.concatenate([y, y[:2]])
    row = data.draw(st.integers(0, len(X) - 1))
    members = indicator_of(y)
    changed = members.copy()
    same = (X[row] == X).all(axis=1) if copies else np.arange(len(X)) == row
    for d in np.flatnonzero(same):
        changed[d] = data.draw(st.permutations(members[d].tolist())) if y.ndim == 1 else 1 - members[d]
    if (changed.sum(axis=0) > 0).sum() < 2:
        return
    for max_dense in (256, 1):
        profile = ClassProfile(leave_out="copies" if copies else "document", max_dense=max_dense)
        before, after = (as_array(profile.fit_transform(X, labels))[row] for labels in (members, changed))
        np.testing.assert_allclose(after, before, **CLOSE)
        np.testing.assert_array_equal(after > 0, before > 0)


def test_the_rows_of_fit_then_transform_do_depend_on_their_labels():
    other = np.where(np.arange(40) == 3, np.where(Y == "sport", "tech", "sport"), Y)
    before, after = (ClassProfile().fit(X, labels).transform(X)[3] for labels in (Y, other))
    assert abs(before - after).max() > 0.05


def test_random_labels_show_in_the_rows_only_if_they_are_not_left_out():
    rng = np.random.default_rng(1)
    words, labels = rng.poisson(0.02, (300, 2000)), rng.integers(0, 2, 300)
    own = np.arange(300), labels
    assert (ClassProfile().fit(words, labels).transform(words)[own] ** 2).mean() > 0.55
    assert (ClassProfile().fit_transform(words, labels)[own] ** 2).mean() < 0.51


def test_copies_are_left_out_together():
    X, y = [[1, 1], [1, 1], [1, 0], [0, 1]], ["a", "a", "b", "b"]
    # Both terms are left in one document each, of b, and so are the classes.
    assert ClassProfile(leave_out="copies").fit_transform(X, y)[:2].tolist() == [[0, 1], [0, 1]]
    assert (ClassProfile().fit_transform(X, y)[:2, 0] > 0).all()
    everything = ClassProfile(leave_out="copies").fit_transform([[1], [1]], ["a", "b"])
    np.testing.assert_allclose(everything**2, 0.5)


@given(st.lists(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=3, max_size=3), min_size=1, max_size=12))
@settings(deadline=None)
def test_equal_rows_have_one_number(rows):
    numbers = equal_rows(sparse.csr_array(np.array(rows, dtype=float)))
    assert [[a == b for a in numbers] for b in numbers] == [[a == b for a in rows] for b in rows]


def test_rows_of_the_same_mark_are_compared(monkeypatch):
    class Zeros:
        def random(self, size):
            return np.zeros(size)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Zeros())
    assert equal_rows(sparse.csr_array([[1, 2], [0, 1], [1, 2], [0, 2]])).tolist() == [0, 1, 0, 3]


def test_a_document_without_known_terms_has_the_class_distribution():
    train = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0]]
    profile = ClassProfile()
    trained = profile.fit_transform(train, ["a", "a", "a", "b"])
    np.testing.assert_allclose(profile.transform([[0, 0, 0], [0, 0, 5]]) ** 2, [[3 / 4, 1 / 4]] * 2)
    np.testing.assert_allclose(trained[3] ** 2, [1, 0])  # what remains are three documents of a
    np.testing.assert_array_equal(profile.transform([[2, 1, 5]]), profile.transform([[2, 1, 0]]))
    assert ClassProfile(max_dense=1).fit(train, ["a", "a", "a", "b"]).transform([[0, 0, 5]]).nnz == 0


@given(cuts=st.lists(st.integers(0, 40), max_size=4), weighted=st.booleans())
@settings(max_examples=30, deadline=None)
def test_partial_fit_and_merged_counts_equal_fit(cuts, weighted):
    weight = RNG.integers(1, 4, len(Y)) / 2 if weighted else None
    whole = ClassProfile().fit(X, Y, weight)
    parts, merged = ClassProfile(), 0
    for start, end in pairwise([0, *sorted(cuts), len(Y)]):
        if start < end:
            batch = X[start:end], Y[start:end], None if weight is None else weight[start:end]
            parts.partial_fit(*batch)
            merged += ClassCounts.from_matrix(batch[0], batch[1], sample_weight=batch[2])
    assert parts.counts_ == merged == whole.counts_
    np.testing.assert_array_equal(parts.transform(X), whole.transform(X))
    np.testing.assert_array_equal(ClassProfile().learn(merged).transform(X), whole.transform(X))


def test_partial_fit_welcomes_new_classes_and_waits_for_the_second():
    profile = ClassProfile().partial_fit([[1, 0], [2, 1]], ["a", "a"])
    with pytest.raises(ValueError, match="all documents so far are of one class"):
        profile.transform([[1, 0]])
    profile.partial_fit([[0, 1]], ["b"]).partial_fit([[0, 2]], ["c"])
    assert profile.get_feature_names_out().tolist() == ["profile__a", "profile__b", "profile__c"]
    assert profile.transform([[1, 0]]).shape == (1, 3)


def test_sample_weight_equals_repetition():
    times = RNG.integers(0, 4, len(Y))
    weighted = ClassProfile().fit(X, Y, times)
    repeated = ClassProfile().fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), rtol=1e-12)


def test_sparse_result_of_many_classes_and_its_memory():
    # 3,000 classes x 40,000 terms would be 960 MB dense, 6,000 documents x 3,000 classes 144 MB.
    n, K, V = 6000, 3000, 40_000
    rng = np.random.default_rng(3)
    rows = sparse.csr_array((np.ones(n * 10), (np.repeat(np.arange(n), 10), rng.integers(0, V, n * 10))), shape=(n, V))
    labels = np.arange(n) % K
    result = ClassProfile().fit_transform(rows, labels)
    assert sparse.issparse(result)
    assert result.nnz < 30 * n
    dense = ClassProfile(max_dense=K).fit_transform(rows, labels)
    stored = result.toarray() > 0
    np.testing.assert_allclose(result.toarray()[stored], dense[stored], **CLOSE)
    assert dense[~stored].max() < 0.05  # the prior's share
    assert ((result**2).sum(axis=1) < 1).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array, pd.DataFrame])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_counts_of_every_kind_are_read_and_not_changed(kind, dtype):
    matrix = kind(X.astype(dtype))
    if kind is pd.DataFrame:
        matrix.columns = [f"term {i}" for i in range(12)]
    before = matrix.copy()
    result = ClassProfile().fit_transform(matrix, Y)
    assert result.dtype == (np.float32 if dtype is np.float32 else np.float64)
    tolerance = {"rtol": 1e-5} if dtype is np.float32 else CLOSE
    np.testing.assert_allclose(result, loop_profiles(X, Y)[0], **tolerance)
    assert abs(before - matrix).sum().sum() == 0


def test_does_not_depend_on_the_order_of_documents_or_the_names_of_classes():
    order = RNG.permutation(len(Y))
    plain = ClassProfile().fit_transform(X, Y)
    moved = ClassProfile().fit_transform(X[order], np.char.add("class ", Y)[order])
    np.testing.assert_allclose(moved, plain[order], rtol=1e-14)


# As a scikit-learn citizen.

LEAKAGE = "fit_transform profiles each training row without itself, so it is not fit, then transform"
DIFFERS = {"check_transformer_general": LEAKAGE, "check_transformer_data_not_an_array": LEAKAGE}


@parametrize_with_checks(
    [ClassProfile(), ClassProfile(leave_out="copies", smoothing=0.5)], expected_failed_checks=lambda _: DIFFERS
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_pipeline_fits_on_rows_without_themselves_and_predicts_with_all():
    pipeline = make_pipeline(ClassProfile(), LogisticRegression()).fit(X, Y)
    expected = LogisticRegression().fit(ClassProfile().fit_transform(X, Y), Y)
    np.testing.assert_array_equal(pipeline[-1].coef_, expected.coef_)
    np.testing.assert_array_equal(pipeline.predict(X), expected.predict(ClassProfile().fit(X, Y).transform(X)))


def test_clone_pickle_frames_and_grid_search():
    profile = ClassProfile(smoothing=0.3, leave_out="copies", max_dense=9)
    assert clone(profile).get_params() == profile.get_params()
    profile.fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(profile)).transform(X), profile.transform(X))
    frame = pd.DataFrame(X, columns=[f"term {i}" for i in range(12)])
    named = ClassProfile().set_output(transform="pandas").fit(frame, Y)
    assert named.counts_.terms.tolist() == frame.columns.tolist()
    assert named.transform(frame).columns.tolist() == ["profile__news", "profile__sport", "profile__tech"]
    search = GridSearchCV(
        make_pipeline(ClassProfile(), LogisticRegression()), {"classprofile__smoothing": [0.3, 1]}, cv=3
    )
    assert search.fit(X, Y).best_params_["classprofile__smoothing"] in (0.3, 1)


def test_sample_weight_is_routed_through_a_pipeline():
    set_config(enable_metadata_routing=True)
    try:
        profile = ClassProfile().set_fit_request(sample_weight=True)
        times = RNG.integers(1, 3, len(Y))
        model = LogisticRegression().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(profile, model).fit(X, Y, sample_weight=times)
        assert pipeline[0].counts_ == ClassCounts.from_matrix(X, Y, sample_weight=times)
    finally:
        set_config(enable_metadata_routing=False)


@bad_calls(
    (
        "leave_out",
        lambda: ClassProfile(leave_out="itself").fit(X, Y),
        ValueError,
        "leave_out must be 'document' or 'copies', got 'itself'",
    ),
    (
        "no labels",
        lambda: ClassProfile().fit(X, None),
        ValueError,
        "requires y to be passed, but the target y is None: pass one label",
    ),
    ("a label missing", lambda: ClassProfile().fit_transform(X, Y[:-1]), ValueError, "inconsistent numbers of samples"),
    (
        "other columns",
        lambda: ClassProfile().fit(X, Y).transform([[1, 2, 3]]),
        ValueError,
        "X has 3 features, but ClassProfile is expecting 12",
    ),
    ("not fitted", lambda: ClassProfile().transform(X), NotFittedError, "not fitted yet"),
)
def test_errors_name_the_parameter_and_the_value(call, error, message):
    with pytest.raises(error, match=message):
        call()
