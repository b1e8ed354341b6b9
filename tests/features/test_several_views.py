"""Several views of the same documents: every part of the library works through all of them."""

import copy
import pickle
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_switch import needs_kernel
from made_up_texts import TOPICS, made_up_texts
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from troenpy import CountVectorizer, TermFeatures, TextKNeighborsClassifier, TroenpyClassifier, load, save
from troenpy._kernel.solver import Part, Rows
from troenpy.models.logistic import Design

TEXTS, LABELS = made_up_texts(90, n_shared=30)
QUERIES = [*made_up_texts(20, n_shared=60, seed=3)[0], "", "nothing here"]
BLOCKS = ("certainty", "boost", "profile")
SEVERAL = np.column_stack([topic == LABELS for topic in TOPICS] + [np.arange(len(LABELS)) % 3 == 0]).astype(int)


def two_views(words=(), pieces=(), blocks=BLOCKS, other_blocks=BLOCKS):
    """A view of words and pairs of words, and one of their pieces, with these options."""
    return [
        ("words", CountVectorizer(**{"ngram_range": (1, 2), **dict(words)}), blocks),
        ("pieces", CountVectorizer(**{"analyzer": "char_wb", "ngram_range": (2, 3), **dict(pieces)}), other_blocks),
    ]


def alone(views, **options):
    """Features of each view by itself."""
    return [TermFeatures([view], **options) for view in views]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_are_those_of_each_view_side_by_side(dtype, n_jobs):
    views = two_views(other_blocks=("pi", "profile"))
    both = TermFeatures(views, leave_out="copies", dtype=dtype, n_jobs=n_jobs)
    each = alone(views, leave_out="copies", dtype=dtype)
    X = both.fit_transform(TEXTS, LABELS)
    expected = sparse.hstack([features.fit_transform(TEXTS, LABELS) for features in each], format="csr")
    np.testing.assert_array_equal(X.toarray(), expected.toarray())
    assert X.has_sorted_indices
    expected = sparse.hstack([features.transform(QUERIES) for features in each])
    np.testing.assert_array_equal(both.transform(QUERIES).toarray(), expected.toarray())
    names = [[f"{view[0]}__{name}" for name in f.get_feature_names_out()] for view, f in zip(views, each, strict=True)]
    assert both.get_feature_names_out().tolist() == [*names[0], *names[1]]
    assert both.n_columns_ == both.layout_.n_columns == X.shape[1]
    assert both.terms().tolist() == [*each[0].terms(), *each[1].terms()]
    some = np.array([1, both.layout_.n_terms - 1, 0])
    assert both.terms_of(some).tolist() == both.terms()[some].tolist()


def test_attributes_of_one_view_name_the_views():
    features = TermFeatures(two_views()).fit(TEXTS, LABELS)
    for name in ("blocks_", "profile_", "weights_", "counts_", "vocabulary_", "count_error_"):
        with pytest.raises(AttributeError, match=r"several views, words, pieces: ask one of them, e.g. views_\[0\]"):
            getattr(features, name)
    assert [view.name for view in features.views_] == ["words", "pieces"]
    assert [view.weights.shape[0] for view in features.views_] == [2, 2]


def as_reader(texts):
    batches = [pa.record_batch([pa.array(part)], names=["text"]) for part in (texts[:40], texts[40:])]
    return pa.RecordBatchReader.from_batches(batches[0].schema, batches)


@pytest.mark.parametrize("source", [iter, as_reader, tuple, pa.array, lambda texts: [text.encode() for text in texts]])
@pytest.mark.parametrize("words", [{}, {"token_pattern": r"\w+"}, {"nulls": "empty"}, {"tokenizer": str.split}])
def test_documents_are_read_once(source, words):
    if "tokenizer" in words:
        words = {**words, "token_pattern": None}
        if isinstance(source(TEXTS)[0] if source in (tuple,) else "", bytes):
            return
    views = two_views(words)
    expected = TermFeatures(views).fit_transform(TEXTS, LABELS)
    features = TermFeatures(views)
    np.testing.assert_array_equal(features.fit_transform(source(TEXTS), LABELS).toarray(), expected.toarray())
    expected = features.transform(TEXTS)
    np.testing.assert_array_equal(features.transform(source(TEXTS)).toarray(), expected.toarray())


def test_coefficients_are_those_of_the_whole_matrix():
    views = two_views(other_blocks=("boost", "profile"))
    model = TroenpyClassifier(TermFeatures(views), C=2.0, tol=1e-8).fit(TEXTS, LABELS)
    X = TermFeatures(views).fit_transform(TEXTS, LABELS)
    rival = LogisticRegression(C=2.0, tol=1e-10, max_iter=5000).fit(X.toarray(), LABELS)
    np.testing.assert_allclose(model.coef_, rival.coef_, atol=2e-5)
    np.testing.assert_allclose(model.intercept_ - model.intercept_.mean(), rival.intercept_, atol=2e-4)
    known = [text for text in QUERIES if model.explain(text).has_known_terms]
    assert len(QUERIES) - 2 <= len(known) < len(QUERIES)
    rows = model.features_.transform(known)
    np.testing.assert_allclose(model.decision_function(known), rows @ model.coef_.T + model.intercept_, atol=1e-5)


@pytest.mark.parametrize("y", [LABELS, LABELS == "sport", SEVERAL], ids=["three classes", "two", "several labels"])
@pytest.mark.parametrize("options", [{}, {"cv": 3}, {"n_jobs": 2}, {"weighted": True}])
def test_both_classifiers_and_their_files(tmp_path, y, options):
    options = dict(options)
    weights = np.random.default_rng(0).integers(1, 4, len(TEXTS)) if options.pop("weighted", False) else None
    model = TroenpyClassifier(TermFeatures(two_views(), leave_out="copies", dtype=np.float32), **options)
    model.fit(TEXTS, y, sample_weight=weights)
    assert (model.predict(TEXTS) == y).mean() > 0.9
    expected = model.predict_proba(QUERIES)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for for_prediction in (False, True):
        save(model, tmp_path / "model", for_prediction=for_prediction)
        copies.append(load(tmp_path / "model"))
    for other in copies:
        np.testing.assert_array_equal(other.predict_proba(QUERIES), expected)
    if weights is not None:
        repeated = clone(model).fit(np.repeat(TEXTS, weights).tolist(), np.repeat(y, weights, axis=0))
        np.testing.assert_allclose(repeated.predict_proba(QUERIES), expected, atol=2e-2)


def test_neighbours(tmp_path):
    views = two_views(blocks=("certainty_hellinger", "profile"), other_blocks=("certainty_hellinger",))
    model = TextKNeighborsClassifier(TermFeatures(views, profile_scale=2.0), n_neighbors=3).fit(TEXTS, LABELS)
    assert (model.predict(TEXTS) == LABELS).mean() > 0.9
    distances, documents = model.kneighbors(QUERIES)
    X = model.features_.transform(QUERIES).toarray()
    rows = TermFeatures(views, profile_scale=2.0).fit_transform(TEXTS, LABELS).toarray()
    found = ((X[:, np.newaxis] - rows[documents]) ** 2).sum(axis=2)
    np.testing.assert_allclose(distances**2, found, atol=1e-9)  # no document lacks a block
    explanation = model.explain(QUERIES[0])
    sums = explanation.apart + explanation.profile - explanation.shared.sum(axis=0)
    np.testing.assert_allclose(sums, explanation.distances**2, atol=1e-9)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(QUERIES), model.predict(QUERIES))


@pytest.mark.parametrize("limits", [{"min_df": 3}, {"min_class_df": 2}, {"min_df": 2, "max_df": 0.5}])
def test_limits_are_those_of_each_view(limits):
    views = two_views(limits, {})
    both = TermFeatures(views).fit(TEXTS, LABELS)
    assert [view.n_terms for view in both.views_] == [
        features.fit(TEXTS, LABELS).views_[0].n_terms for features in alone(views)
    ]
    assert both.views_[0].n_terms < TermFeatures(two_views()).fit(TEXTS, LABELS).views_[0].n_terms


def in_batches(features, size=20):
    for first in range(0, len(TEXTS), size):
        features.partial_fit(TEXTS[first : first + size], LABELS[first : first + size])
    return features


def test_streams_give_what_fit_gives(tmp_path):
    features = in_batches(TermFeatures(two_views({"min_df": 2})))
    expected = TermFeatures(two_views({"min_df": 2})).fit(TEXTS, LABELS).transform(QUERIES)
    np.testing.assert_array_equal(features.transform(QUERIES).toarray(), expected.toarray())
    half = TermFeatures(two_views({"min_df": 2})).partial_fit(TEXTS[:45], LABELS[:45])
    save(half, tmp_path / "half")
    for other in (copy.deepcopy(half), pickle.loads(pickle.dumps(half)), load(tmp_path / "half"), half):
        other.partial_fit(iter(TEXTS[45:]), LABELS[45:])
        np.testing.assert_array_equal(other.transform(QUERIES).toarray(), expected.toarray())


def test_a_bounded_stream_per_view():
    features = in_batches(TermFeatures(two_views({"max_terms": 20}, {"max_terms": 50})))
    assert [view.n_terms for view in features.views_] == [20, 50]
    assert not features.views_[0].counts.is_exact


@needs_kernel
def test_a_batch_that_fails_in_the_second_view_changes_nothing(monkeypatch):
    features = in_batches(TermFeatures(two_views()))
    expected = features.transform(QUERIES).toarray()
    original = CountVectorizer._count

    def fails(counter, *arguments, **options):
        if counter.analyzer == "char_wb":
            raise MemoryError("no more")
        return original(counter, *arguments, **options)

    monkeypatch.setattr(CountVectorizer, "_count", fails)
    with pytest.raises(MemoryError, match="no more"):
        features.partial_fit(TEXTS[:5], LABELS[:5])
    monkeypatch.undo()
    np.testing.assert_array_equal(features.transform(QUERIES).toarray(), expected)
    features.partial_fit(TEXTS[:5], LABELS[:5])
    again = TermFeatures(two_views()).fit([*TEXTS, *TEXTS[:5]], [*LABELS, *LABELS[:5]])
    np.testing.assert_array_equal(features.transform(QUERIES).toarray(), again.transform(QUERIES).toarray())


def test_another_number_of_views_needs_new_features():
    features = in_batches(TermFeatures(two_views()))
    features.set_params(views=two_views()[:1])
    with pytest.raises(ValueError, match="the batches so far had 2 views, got 1: clone the features first"):
        features.partial_fit(TEXTS, LABELS)


def test_parameters_of_views_are_set_and_searched_by_name():
    model = TroenpyClassifier(TermFeatures(two_views()))
    grid = {"features__pieces__ngram_range": [(2, 2), (3, 3)], "features__words__min_df": [1, 2]}
    search = GridSearchCV(model, grid, cv=2).fit(TEXTS, LABELS)
    assert set(search.best_params_) == set(grid)
    assert clone(model).set_params(features__pieces__blocks=("pi",)).features.get_params()["pieces__blocks"] == ("pi",)


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([*two_views(), *two_views()[:1]], "the names of views must differ, got 'words', 'pieces', 'words'"),
        (two_views(other_blocks=("pi", "nope")), "view 'pieces': unknown block 'nope': choose from"),
        (two_views(pieces={"min_df": 91}), "view 'pieces': max_df corresponds to < documents than min_df"),
        (two_views(pieces={"analyzer": "word", "ngram_range": (90, 91)}), "view 'pieces': empty vocabulary"),
        (two_views(pieces={"max_terms": 5}), "view 'pieces': max_terms is only for partial_fit"),
        (two_views({"stop_words": 3}), "stop_words"),
        (two_views(pieces={"vocabulary": []}), "view 'pieces': empty vocabulary passed to fit"),
    ],
)
def test_bad_views_are_one_line(views, message):
    with pytest.raises(ValueError, match=message) as caught:
        TermFeatures(views).fit(TEXTS, LABELS)
    assert "\n" not in str(caught.value)


def test_a_vocabulary_per_view():
    vocabulary = [["goal", "vote", "word1"], ["go", "vo", "al "]]
    views = two_views({"vocabulary": vocabulary[0]}, {"vocabulary": vocabulary[1]})
    features = TermFeatures(views).fit(TEXTS, LABELS)
    assert features.terms().tolist() == [*vocabulary[0], *vocabulary[1]]
    each = sparse.hstack([one.fit(TEXTS, LABELS).transform(QUERIES) for one in alone(views)])
    np.testing.assert_array_equal(features.transform(QUERIES).toarray(), each.toarray())


class TestExplain:
    MODEL = TroenpyClassifier(TermFeatures(two_views(), leave_out="copies", dtype=np.float32)).fit(TEXTS, LABELS)
    TEXT = "A late Goal, the goalkeeper: goals!"

    def test_all_terms_add_up_to_the_decision(self):
        explanation = self.MODEL.explain(self.TEXT)
        total = explanation.intercept + explanation.contributions.sum(axis=0)
        np.testing.assert_allclose(total, explanation.decision, atol=1e-9)
        np.testing.assert_allclose(explanation.decision, self.MODEL.decision_function([self.TEXT])[0], atol=1e-5)
        shown = explanation.intercept + explanation.shown.values.sum(axis=0)
        np.testing.assert_allclose(shown, explanation.decision, atol=1e-9)
        frame = explanation.to_frame()
        assert set(frame["view"]) == {"words", "pieces"}
        assert len(frame) == len(explanation.terms) == len(explanation.views)

    def test_pieces_are_part_of_the_words_they_stand_in(self):
        explanation = self.MODEL.explain(self.TEXT, label="sport")
        names = explanation.shown.names
        assert {"goal", "goalkeeper", "goals"} <= set(names)  # only pieces of the last two are known
        assert not any(name.startswith(" ") for name in names)
        frame = explanation.to_frame().set_index("term")
        own = frame.loc["goal", "sport"] if np.ndim(frame.loc["goal", "sport"]) == 0 else None
        folded = explanation.shown.values[names.index("goal"), list(explanation.classes).index("sport")]
        assert own is None or folded > own
        page = explanation._repr_html_()
        assert page.count("<span") >= 3
        assert "goalkeeper</span>" in page

    def test_one_view_with_the_others_as_a_line(self):
        explanation = self.MODEL.explain(self.TEXT, view="words")
        assert set(explanation.views) == {"words"}
        total = explanation.intercept + explanation.contributions.sum(axis=0) + explanation.rest["pieces"]
        np.testing.assert_allclose(total, explanation.decision, atol=1e-9)
        assert "all of pieces" in str(explanation)
        shown = [float(line.split()[-1]) for line in str(explanation).splitlines()[3:]]
        assert sum(shown[:-1]) == pytest.approx(shown[-1], abs=1e-3)

    def test_an_unknown_view_is_an_error(self):
        with pytest.raises(ValueError, match="view must be one of 'words', 'pieces', got 'chars'"):
            self.MODEL.explain(self.TEXT, view="chars")

    def test_two_classes(self):
        model = TroenpyClassifier(TermFeatures(two_views())).fit(TEXTS, LABELS == "sport")
        explanation = model.explain(self.TEXT, label=True)
        np.testing.assert_allclose(explanation.decision[0], -explanation.decision[1])
        total = explanation.intercept + explanation.shown.values.sum(axis=0)
        np.testing.assert_allclose(total, explanation.decision, atol=1e-9)

    def test_only_pieces(self):
        model = TroenpyClassifier(TermFeatures(two_views()[1:])).fit(TEXTS, LABELS)
        explanation = model.explain(self.TEXT)
        assert explanation.shown.names == explanation.terms.tolist()

    @pytest.mark.parametrize("options", [{}, {"strip_accents": "unicode"}, {"stop_words": ("late",)}])
    @given(text=st.text(st.sampled_from("ago lt½İﬁ\u0301ΣςÉ漢👍🏽!\n"), max_size=30))
    def test_any_text_adds_up(self, options, text):
        model = added_up(tuple(options.items()))
        for document in (text, f"late goal {text} goals", "between words!"):
            explanation = model.explain(document)
            total = explanation.intercept + explanation.shown.values.sum(axis=0)
            np.testing.assert_allclose(total, explanation.decision, atol=1e-9)
            np.testing.assert_allclose(explanation.decision, model.decision_function([document])[0], atol=1e-5)


@cache
def added_up(options):
    texts = [*TEXTS, *(["between words", "½ goal", "İ late ﬁ"] * 4)]
    labels = [*LABELS, *(["science", "sport", "politics"] * 4)]
    options = {key: list(value) if key == "stop_words" else value for key, value in options}
    pieces = {key: value for key, value in options.items() if key != "stop_words"}
    views = two_views({**options, "analyzer": "text"}, {**pieces, "analyzer": "char", "ngram_range": (1, 2)})
    return TroenpyClassifier(TermFeatures(views)).fit(texts, labels)


def test_a_neighbours_terms_name_their_view():
    views = [("a", CountVectorizer(), ("pi",)), ("b", CountVectorizer(analyzer="text"), ("pi",))]
    model = TextKNeighborsClassifier(TermFeatures(views), n_neighbors=2).fit(TEXTS, LABELS)
    assert {"goal (a)", "goal (b)"} <= set(model.explain("goal").terms)


def test_other_settings_between_batches_are_an_error():
    features = in_batches(TermFeatures(two_views()))
    message = "the batches so far were counted with other settings than those of the view 'pieces'"
    with pytest.raises(ValueError, match=message):
        clone_of(features).set_params(pieces__analyzer="word").partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="other settings than those of the view 'pieces'"):
        clone_of(features).set_params(views=two_views()[::-1]).partial_fit(TEXTS, LABELS)
    fewer = clone_of(features).partial_fit(TEXTS, LABELS).set_params(views=two_views()[:1])
    with pytest.raises(ValueError, match="the batches so far had 2 views, got 1"):
        fewer.transform(TEXTS)


def clone_of(features):
    return copy.deepcopy(features)


class OneShot:
    """Documents that can be read once, though not by an iterator."""

    def __init__(self, texts):
        self.texts = iter(texts)

    def __iter__(self):
        return self.texts


@pytest.mark.parametrize("words", [{}, {"lowercase": False}])
def test_what_can_be_read_once_is_read_once(words):
    expected = TermFeatures(two_views(words)).fit(TEXTS, LABELS).transform(QUERIES)
    features = TermFeatures(two_views(words)).fit(OneShot(TEXTS), LABELS)
    np.testing.assert_array_equal(features.transform(OneShot(QUERIES)).toarray(), expected.toarray())
    stream = TermFeatures(two_views(words)).partial_fit(OneShot(TEXTS), LABELS)
    np.testing.assert_array_equal(stream.transform(QUERIES).toarray(), expected.toarray())


@pytest.mark.parametrize("n_blocks", [(1, 3), (2, 1), (4, 2), (2, 2), (3, 2)])
def test_parts_of_any_number_of_blocks_are_not_padded(n_blocks):
    rng = np.random.default_rng(0)
    parts = []
    for n in n_blocks:
        pattern = sparse.csr_array((rng.random((50, 6)) < 0.4).astype(float))
        blocks = [
            sparse.csr_array((rng.random(pattern.nnz), pattern.indices, pattern.indptr), (50, 6)) for _ in range(n)
        ]
        parts.append(Part(sparse.csr_array(sparse.hstack(blocks, format="csr")), n, rng.random((50, 2))))
    whole = np.hstack([column for part in parts for column in (part.X.toarray(), part.tail)])
    rows = Rows(*parts)
    assert rows.n_columns == whole.shape[1]
    m = rng.random((50, 3))
    np.testing.assert_allclose(rows.in_order(rows.combine(m).T).T, whole.T @ m)
    fit = Design(*parts).fit(np.arange(50) % 3, 3, C=1.0, sample_weight=None, tol=1e-8, max_iter=500)
    rival = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(whole, np.arange(50) % 3)
    np.testing.assert_allclose(fit.coef, rival.coef_, atol=1e-4)
