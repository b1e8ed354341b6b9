"""TermFeatures: blocks side by side, equal to TermWeighter block by block."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from bad_calls import bad_calls
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from some_views import counted, words

from troenpy import Block, ClassCounts, ClassProfile, TermFeatures, TermWeighter, weights

TEXTS = [
    "late goal wins the cup",
    "the striker scores a late goal goal",
    "a goal, the cup",
    "the vote was close",
    "parliament will vote today: vote!",
    "no vote, no parliament",
    "atoms and électrons",
    "an atom today",
    "",
]
LABELS = ["sport"] * 3 + ["politics"] * 3 + ["science"] * 3
RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.7, (30, 8)).astype(float)
Y = RNG.integers(0, 3, 30)

# The six bars of the paper's Figure 2.
BARS = [(blocks, pcf) for pcf in (False, True) for blocks in (("btf",), ("ecib",), ("btf", "ecib"))]


def block_by_hand(name, X, y, *, pcf=False):
    """Give one block from TermWeighter and numpy."""
    factor = weights.pcf if pcf else lambda counts: 1.0
    if name == "pi":
        return TermWeighter("pi").fit_transform(X, y)
    if name == "btf":
        return TermWeighter(lambda c: np.where(c.term_docs > 0, 1.0, 0.0) * factor(c), tf="binary").fit_transform(X, y)
    return TermWeighter(lambda c: weights.__dict__[name](c) * factor(c)).fit_transform(X, y)


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize(("blocks", "pcf"), [*BARS, (("pi", "btf", "ecib"), False), (("ecib_abs", "pi"), True)])
def test_blocks_are_weighted_counts_side_by_side(blocks, pcf):
    names = {"ecib": ["cib_ncf", "cib_pcf"], "ecib_abs": ["cib_ncf_abs", "cib_pcf_abs"]}
    parts = [part for block in blocks for part in names.get(block, [block])]
    vectorizer = SklearnCountVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    expected = np.hstack([block_by_hand(part, X, LABELS, pcf=pcf and part != "pi").toarray() for part in parts])
    features = TermFeatures(words(*blocks), pcf=pcf)
    result = features.fit_transform(TEXTS, LABELS)
    assert result.format == "csr"
    assert result.has_canonical_format
    np.testing.assert_allclose(result.toarray(), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(features.transform(TEXTS).toarray(), expected, rtol=1e-12, atol=1e-15)
    terms = vectorizer.get_feature_names_out()
    assert features.get_feature_names_out().tolist() == [f"{part}__{term}" for part in parts for term in terms]
    from_counts = TermFeatures(counted(*blocks), pcf=pcf)
    np.testing.assert_allclose(from_counts.fit_transform(X, LABELS).toarray(), expected, rtol=1e-12, atol=1e-15)
    assert from_counts.get_feature_names_out()[0] == f"{parts[0]}__x0"
    assert features.counts_ == ClassCounts.from_matrix(X, LABELS, terms=terms)


@pytest.mark.parametrize(
    ("block", "how"),
    [
        ("certainty", {"scheme": "sqrt(certainty*idf)", "tf": "log"}),
        ("certainty_hellinger", {"scheme": "sqrt(certainty*idf)", "norm": "hellinger"}),
        ("boost", {"scheme": "pcf_boost*idf", "tf": "log"}),
    ],
)
def test_blocks_beyond_the_paper_are_weighters(block, how):
    X = sparse.csr_array(COUNTS)
    result = TermFeatures(counted(block), smoothing=0.5).fit_transform(X, Y)
    expected = TermWeighter(smoothing=0.5, **how).fit_transform(X, Y)
    np.testing.assert_allclose(result.toarray(), expected.toarray(), rtol=1e-12)


# The class profile.


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("blocks", [("pi", "btf", "profile"), ("certainty", "boost", "profile"), ("profile",)])
def test_profile_is_a_block_of_its_own_and_training_rows_leave_themselves_out(dtype, blocks):
    documents, labels = [*TEXTS, TEXTS[0]], [*LABELS, "politics"]
    vectorizer = SklearnCountVectorizer(dtype=dtype)
    X = vectorizer.fit_transform(documents)
    close = {"rtol": 1e-5 if dtype is np.float32 else 1e-12, "atol": 1e-15}
    for how in ({}, {"leave_out": "copies", "smoothing": 0.3}):
        features = TermFeatures(words(*blocks), dtype=dtype, profile_scale=2, **how)
        result = features.fit_transform(documents, labels)
        assert result.dtype == dtype
        assert result.has_canonical_format
        assert result.shape[1] == features.n_columns_ == len(features.get_feature_names_out())
        profile = ClassProfile(**how)
        np.testing.assert_allclose(result.toarray()[:, -3:], 2 * profile.fit_transform(X, labels), **close)
        new = ["a late vote", "nothing known", *TEXTS]
        np.testing.assert_allclose(
            features.transform(new).toarray()[:, -3:], 2 * profile.transform(vectorizer.transform(new)), **close
        )
        if len(blocks) > 1:
            terms = TermFeatures(words(*blocks[:-1]), dtype=dtype, smoothing=features.smoothing).fit(documents, labels)
            np.testing.assert_array_equal(result.toarray()[:, :-3], terms.transform(documents).toarray())
    assert features.get_feature_names_out()[-3:].tolist() == ["profile__politics", "profile__science", "profile__sport"]
    from_counts = TermFeatures(counted(*blocks), profile_scale=2, **how).fit_transform(X, labels)
    np.testing.assert_array_equal(from_counts.toarray(), result.toarray())


def test_the_profile_of_a_training_row_does_not_depend_on_its_own_labels_or_the_folds():
    members = np.eye(4, dtype=int)[RNG.integers(0, 4, 30)] | np.eye(4, dtype=int)[RNG.integers(0, 4, 30)]
    changed = members.copy()
    changed[7] = 1 - changed[7]
    for cv in (None, KFold(3)):
        features = TermFeatures(counted("btf", "profile"), cv=cv)
        before, after = (features.fit_transform(COUNTS, labels).toarray()[7, -4:] for labels in (members, changed))
        np.testing.assert_allclose(after, before, rtol=1e-12)
    weight = RNG.uniform(0.5, 2, 30)
    expected = ClassProfile().fit_transform(COUNTS, members, weight)
    np.testing.assert_array_equal(features.fit_transform(COUNTS, members, weight).toarray()[:, -4:], expected)


def test_profile_of_many_classes_is_sparse():
    rows = sparse.random(900, 400, density=0.02, format="csr", random_state=0)
    labels = np.arange(900) % 300
    result = TermFeatures(counted("btf", "profile")).fit_transform(rows, labels)
    expected = ClassProfile().fit_transform(rows, labels)
    assert sparse.issparse(expected)
    np.testing.assert_array_equal(result[:, 400:].toarray(), expected.toarray())
    np.testing.assert_array_equal(
        result[:, :400].toarray(), TermFeatures(counted("btf")).fit_transform(rows, labels).toarray()
    )


LEAKAGE = "fit_transform profiles each training row without itself, so it is not fit, then transform"
DIFFERS = {"check_transformer_general": LEAKAGE, "check_transformer_data_not_an_array": LEAKAGE}


@parametrize_with_checks([TermFeatures(counted("certainty", "profile"))], expected_failed_checks=lambda _: DIFFERS)
def test_scikit_learns_own_checks_with_the_profile(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="dropped")
        check(estimator)


@pytest.mark.parametrize("document", ["a late goal: goal", "nothing known", ""])
@pytest.mark.parametrize(
    "blocks", [("pi", "btf"), ("certainty", "boost", "profile"), ("profile",), (Block("mine", "idf", "bm25"), "btf")]
)
def test_parts_of_terms_sum_to_the_row(document, blocks):
    features = TermFeatures(words(*blocks)).fit(TEXTS, LABELS)
    ((held, parts),) = features._parts_by_term(document)
    row, rest = features.transform([document]).toarray()[0], parts.toarray()[-1]
    np.testing.assert_allclose(parts.sum(axis=0), row, rtol=1e-12, atol=1e-15)
    known = ["goal", "late"] if "goal" in document else []
    assert features.terms()[held].tolist() == features.terms_of(held).tolist() == known
    assert rest.any() == ("profile" in blocks and "goal" not in document)
    for number, name in enumerate(known):  # a term contributes to its own columns and to the profile
        columns = features.get_feature_names_out()[parts[[number]].nonzero()[1]].tolist()
        assert all(column.endswith(f"__{name}") or column.startswith("profile__") for column in columns)


def test_parts_of_terms_of_many_classes():
    labels = [f"class{number}" for number in [*range(299), 0]]
    features = TermFeatures(words("btf", "profile")).fit([f"late goal{number}" for number in range(300)], labels)
    ((_, parts),) = features._parts_by_term("late goal3")
    np.testing.assert_allclose(parts.sum(axis=0), features.transform(["late goal3"]).toarray()[0], rtol=1e-12)


def test_default_is_pi_and_the_2b_features():
    assert TermFeatures().get_params()["words__blocks"] == ("pi", "btf", "ecib")
    assert [block.name for block in TermFeatures().fit(TEXTS, LABELS).blocks_] == ["pi", "btf", "cib_ncf", "cib_pcf"]


@parametrize_with_checks([TermFeatures(counted("pi", "btf", "ecib")), TermFeatures(counted("btf", "ecib_abs"))])
def test_scikit_learns_own_checks_on_counts(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="dropped")
        check(estimator)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array, pd.DataFrame])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_counts_of_every_kind_are_read_and_not_changed(kind, dtype):
    matrix = kind(COUNTS.astype(dtype))
    if kind is pd.DataFrame:
        matrix.columns = [f"term {i}" for i in range(8)]
    before = matrix.copy()
    features = TermFeatures(counted("pi", "btf", "ecib"))
    result = features.fit_transform(matrix, Y)
    assert result.dtype == (np.float64 if dtype is np.int64 else dtype)
    assert isinstance(result, sparse.spmatrix) == (kind is sparse.csr_matrix)
    expected = TermFeatures(counted("pi", "btf", "ecib")).fit_transform(COUNTS, Y).toarray()
    np.testing.assert_allclose(result.toarray(), expected, rtol=1e-5 if dtype is np.float32 else 1e-12)
    assert abs(before - matrix).sum().sum() == 0
    if kind is pd.DataFrame:
        assert features.get_feature_names_out()[0] == "pi__term 0"


def test_counts_inside_a_larger_array_are_not_written_over():
    stored = sparse.csr_array(COUNTS)
    room = np.concatenate([np.full(10 * stored.nnz, 7.0), stored.data])
    columns = np.concatenate([np.full(10 * stored.nnz, 7, dtype=np.int32), stored.indices])
    matrix = sparse.csr_array((room[-stored.nnz :], columns[-stored.nnz :], stored.indptr), shape=stored.shape)
    TermFeatures(counted("pi", "btf", "ecib")).fit_transform(matrix, Y)
    assert (room[: 10 * stored.nnz] == 7).all()
    np.testing.assert_array_equal(matrix.toarray(), COUNTS)


@pytest.mark.parametrize("source", ["text", "counts"])
def test_cross_fitting_weights_each_row_by_the_other_folds(source):
    documents, labels = (TEXTS, np.array(LABELS)) if source == "text" else (COUNTS, Y)
    X = SklearnCountVectorizer().fit_transform(documents).toarray() if source == "text" else documents
    folds = list(KFold(3, shuffle=True, random_state=1).split(X))
    views = counted("pi", "btf") if source == "counts" else words("pi", "btf")
    features = TermFeatures(views, cv=folds)
    result = features.fit_transform(documents, labels).toarray()
    for train, test in folds:
        alone = TermFeatures(counted("pi", "btf")).fit(X[train], labels[train])
        np.testing.assert_allclose(result[test], alone.transform(X[test]).toarray(), rtol=1e-12, atol=1e-15)
    full = TermFeatures(views).fit(documents, labels)
    np.testing.assert_array_equal(features.transform(documents).toarray(), full.transform(documents).toarray())


def test_sample_weight_equals_repetition():
    times = RNG.integers(1, 4, 30)
    weighted = TermFeatures(counted("pi", "btf", "ecib")).fit(COUNTS, Y, sample_weight=times)
    repeated = TermFeatures(counted("pi", "btf", "ecib")).fit(np.repeat(COUNTS, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-12)


def test_ecib_on_two_balanced_classes_is_left_out_with_one_warning():
    texts, labels = TEXTS[:6], LABELS[:6]
    features = TermFeatures()
    with pytest.warns(UserWarning, match=r"dropped cib_ncf, cib_pcf: all weights are zero.* use 'ecib_abs'") as seen:
        X = features.fit_transform(texts, labels)
    assert len(seen) == 1
    assert [block.name for block in features.blocks_] == ["pi", "btf"]
    assert X.shape[1] == 2 * len(features.vocabulary_)
    np.testing.assert_array_equal(X.toarray(), TermFeatures(words("pi", "btf")).fit_transform(texts, labels).toarray())
    assert TermFeatures(words("ecib_abs")).fit(texts, labels).weights_.all(axis=1).any()
    with pytest.raises(ValueError, match="no block is left: dropped cib_ncf, cib_pcf: all weights are zero"):
        TermFeatures(words("ecib")).fit(texts, labels)


def test_float32_from_text():
    X = TermFeatures(dtype=np.float32).fit_transform(TEXTS, LABELS)
    assert X.dtype == np.float32
    np.testing.assert_allclose(X.toarray(), TermFeatures().fit_transform(TEXTS, LABELS).toarray(), rtol=1e-5)


def test_text_options_reach_the_counter():
    features = TermFeatures(words("btf", ngram_range=(1, 2), stop_words="english", min_df=2), n_jobs=2)
    features.fit(TEXTS, LABELS)
    expected = SklearnCountVectorizer(ngram_range=(1, 2), stop_words="english", min_df=2).fit(TEXTS)
    assert features.vocabulary_ == expected.vocabulary_


def test_clone_pickle_pipeline_and_grid_search():
    features = TermFeatures(words("pi", "ecib", ngram_range=(1, 2)), pcf=True)
    assert str(clone(features).get_params()) == str(features.get_params())
    features.fit(TEXTS, LABELS)
    again = pickle.loads(pickle.dumps(features))
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), features.transform(TEXTS).toarray())
    model = make_pipeline(TermFeatures(), LogisticRegression())
    search = GridSearchCV(model, {"termfeatures__words__blocks": [("pi",), ("btf", "ecib")]}, cv=3)
    assert search.fit(TEXTS * 3, LABELS * 3).best_score_ > 0.8


@bad_calls(
    (
        "unknown block",
        lambda: TermFeatures(words("bft")).fit(TEXTS, LABELS),
        ValueError,
        r"unknown block 'bft': choose from pi, btf, ecib, ecib_abs, .*, profile",
    ),
    (
        "profile_scale",
        lambda: TermFeatures(words("pi", "profile"), profile_scale=0).fit(TEXTS, LABELS),
        ValueError,
        "profile_scale must be a positive, finite number, got 0",
    ),
    (
        "leave_out",
        lambda: TermFeatures(words("pi", "profile"), leave_out="nothing").fit(TEXTS, LABELS),
        ValueError,
        "leave_out must be 'document' or 'copies', got 'nothing'",
    ),
    ("no labels", lambda: TermFeatures().fit(TEXTS), ValueError, "TermFeatures learns from labels"),
    ("a label missing", lambda: TermFeatures().fit(TEXTS, LABELS[:-1]), ValueError, "got 8 labels for 9 documents"),
    (
        "a label missing, counts",
        lambda: TermFeatures(counted("pi", "btf", "ecib")).fit(COUNTS, Y[:-1]),
        ValueError,
        "got 29 labels for 30 documents",
    ),
    ("not fitted", lambda: TermFeatures().transform(TEXTS), NotFittedError, "not fitted yet"),
    (
        "a fold of one class",
        lambda: TermFeatures(counted("pi", "btf"), cv=KFold(2)).fit_transform(COUNTS[:4], [0, 0, 1, 1]),
        ValueError,
        "fold 0 of cv: term weights need at least two classes",
    ),
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_counts_are_named_once_and_again_after_a_refit():
    features = TermFeatures().fit(TEXTS, LABELS)
    assert features.counts_ is features.counts_
    features.fit(["goal cup", "vote", "vote cup"], ["a", "b", "b"])
    assert features.counts_.terms.tolist() == ["cup", "goal", "vote"]
