"""Products of documents with coefficients by the kernel, which are those of the matrix of features to the bit."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_texts import made_up_texts
from some_views import words

from troenpy import Block, TermFeatures, TroenpyClassifier, kernel_available

TEXTS, LABELS = made_up_texts(120, n_shared=60, n_words=20, n_own=2)
QUERIES = [*made_up_texts(30, n_shared=80, n_words=20, n_own=2, seed=7)[0], "", "nothing known", TEXTS[0] * 300]
FEATURES = {
    "linear": TermFeatures(words("certainty", "boost", "profile"), leave_out="copies", dtype=np.float32),
    "without a profile": TermFeatures(words("pi", "btf")),
    "only a profile": TermFeatures(words("profile"), profile_scale=3.0),
    "hellinger and a scaled profile": TermFeatures(
        words("certainty_hellinger", "profile"), profile_scale=2.0, dtype=np.float32
    ),
    "every tf and norm": TermFeatures(
        words(Block("a", "idf", tf="sqrt", norm="l1"), Block("b", "rf", tf="raw", norm=None), Block("c", tf="binary"))
    ),
    "pairs of words": TermFeatures(words("boost", "profile", ngram_range=(1, 2), min_df=2)),
    "characters": TermFeatures(words("boost", "profile", analyzer="char_wb", ngram_range=(2, 4)), dtype=np.float32),
    "stop words and accents": TermFeatures(words("pi", stop_words=["word1"], strip_accents="unicode")),
    "presence": TermFeatures(words("boost", "profile", binary=True)),
    "a vocabulary": TermFeatures(words("boost", vocabulary=sorted({word for text in TEXTS for word in text.split()}))),
    "one more smoothing": TermFeatures(words("boost", "profile"), smoothing=0.3),
}
needs_kernel = pytest.mark.skipif(not kernel_available(), reason="without the kernel there is one way only")


def by_matrix(model, documents):
    """Return the decision values by way of the features' matrix."""
    rows = model.features_.transform(documents)
    values = model._multiply(rows, model.intercept_, slice(0, rows.shape[0]))
    has_terms = [np.diff(view.counter.transform(documents).indptr) > 0 for view in model.features_.views_]
    logs = np.log([np.mean(np.array(LABELS) == name) for name in model.classes_])  # of no known term: by rule
    values[~np.any(has_terms, axis=0)] = logs - logs.mean()
    return values


@pytest.fixture(scope="module")
def models():
    return {name: TroenpyClassifier(features).fit(TEXTS, LABELS) for name, features in FEATURES.items()}


def decisions(model, documents):
    return np.concatenate([*model._decisions(documents)])


@needs_kernel
@pytest.mark.parametrize("name", FEATURES)
def test_they_are_those_of_the_matrix_to_the_bit(models, name):
    model = models[name]
    coef = model._coef_by_feature()
    assert model.features_._scores(QUERIES, coef, 1000, 1) is not None
    np.testing.assert_array_equal(decisions(model, QUERIES), by_matrix(model, QUERIES))


@needs_kernel
@pytest.mark.parametrize("name", ["linear", "pairs of words", "characters"])
@given(documents=st.lists(st.text(st.sampled_from("word1 goal\nßé漢")), max_size=5))
def test_any_text_scores_the_same(models, name, documents):
    model = models[name]
    np.testing.assert_array_equal(decisions(model, documents), by_matrix(model, documents))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "documents",
    [
        list(QUERIES),
        tuple(QUERIES),
        np.array(QUERIES, dtype=object),
        pa.array(QUERIES),
        pa.chunked_array([QUERIES[:5], [], QUERIES[5:]]),
        [text.encode() for text in QUERIES],
    ],
    ids=lambda documents: type(documents).__name__,
)
def test_every_kind_of_collection(models, documents, n_jobs):
    model = models["linear"]
    expected = decisions(model, QUERIES)
    model.set_params(n_jobs=n_jobs)
    np.testing.assert_array_equal(decisions(model, documents), expected)
    np.testing.assert_array_equal(decisions(model, (text for text in QUERIES)), expected)


@pytest.mark.parametrize("documents", [[], (), np.array([], dtype=object), pa.array([], pa.string())])
def test_no_documents(models, documents):
    model = models["linear"]
    assert model.decision_function(documents).shape == (0, len(model.classes_))
    assert model.predict(documents).shape == (0,)


@pytest.mark.parametrize("documents", [list(QUERIES), pa.array(QUERIES)])
def test_a_few_documents_at_a_time(models, documents):
    model = models["linear"]
    coef = model._coef_by_feature()
    scores = model.features_._scores(documents, coef, 4, 1)
    if scores is None:
        assert not kernel_available()
        return
    parts = list(scores)
    assert [len(part.values) for part in parts] == [4] * (len(QUERIES) // 4) + [len(QUERIES) % 4] * (
        len(QUERIES) % 4 > 0
    )
    unknown = [QUERIES.index(""), QUERIES.index("nothing known")]
    found = np.concatenate([part.values for part in parts]) + model.intercept_
    np.testing.assert_array_equal(np.flatnonzero(np.concatenate([part.known for part in parts]) == 0), unknown)
    np.testing.assert_array_equal(np.delete(found, unknown, 0), np.delete(decisions(model, QUERIES), unknown, 0))


def test_other_features_take_the_matrix(models):
    for features in (
        TermFeatures(words(Block("bm25", "idf", tf="bm25"))),
        TermFeatures(words("boost", token_pattern=r"\w+")),  # noqa: S106
        TermFeatures(words("boost", tokenizer=str.split, token_pattern=None)),
    ):
        model = TroenpyClassifier(features).fit(TEXTS, LABELS)
        assert model.features_._scores(QUERIES, model._coef_by_feature(), 1000, 1) is None
        np.testing.assert_array_equal(decisions(model, QUERIES), by_matrix(model, QUERIES))


@needs_kernel
def test_the_kernel_checks_what_it_is_given(models):
    view = models["linear"].features_.views_[0]
    index, coef = view.counter._index(), models["linear"]._coef_by_feature()
    known = lambda rows: np.zeros(len(rows), dtype=np.uint8)  # noqa: E731
    counter, like = view.counter._new_counter(1, index), np.empty(0, dtype=np.float32)
    for wrong, out in ((coef[:-1], np.zeros((1, 3))), (coef, np.zeros((1, 1))), (coef, np.zeros((2, 3)))):
        fresh = view.counter._new_counter(1, index)
        with pytest.raises(ValueError, match="do not fit each other"):
            view.scorer.add_scores_of_texts(fresh, ["a"], False, np.ascontiguousarray(wrong), out, known(out), like, 1)
    with pytest.raises(ValueError, match="do not fit each other"):
        view.scorer.add_scores_of_texts(view.counter._new_counter(1, index), ["a"], False, coef, np.zeros((1, 3)),
                                        known([]), like, 1)  # fmt: skip
    counter.add(["a", "b"])
    with pytest.raises(ValueError, match="do not fit each other"):
        view.scorer.add_scores(counter.rows(), False, 1, coef, np.zeros((2, coef.shape[1])), known("ab"), like, 1)
