"""TroenpyClassifier.fit_batches learns what `fit` learns, whatever the borders of batches."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
import scipy.sparse as sp
from kernel_switch import kernel_off, needs_kernel
from made_up_texts import TOPICS, made_up_texts
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from small_batches import (
    LABELS,
    NEW_LABELS,
    NEW_TEXTS,
    SEVERAL,
    TEXTS,
    assert_equal,
    cut,
    difference,
    in_batches,
    linear,
)

import troenpy
from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier, kernel_available
from troenpy.counts.labels import Labels, read_label_sets
from troenpy.models import batch_fitting, survey

pytestmark = pytest.mark.usefixtures("small_chunks", "accurate")


def assert_same_views(model, whole):
    """Check that two models have the same terms, counts, weights and profiles, bit for bit."""
    assert [view.name for view in model.features_.views_] == [view.name for view in whole.features_.views_]
    for ours, fits in zip(model.features_.views_, whole.features_.views_, strict=True):
        assert ours.named_counts == fits.named_counts
        assert ours.weights.tobytes() == fits.weights.tobytes()
        assert ours.blocks == fits.blocks
        assert ours.length == pytest.approx(fits.length, rel=1e-12)
    new = model.features_.transform(NEW_TEXTS), whole.features_.transform(NEW_TEXTS)
    np.testing.assert_array_equal(new[0].toarray(), new[1].toarray())


# The same as fit


def test_features_choice_and_predictions_are_those_of_fit():
    whole, model = TroenpyClassifier().fit(TEXTS, LABELS), TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    assert model.choice_ == whole.choice_  # every document is in the sample
    assert len(model.choice_.trials) > 3
    assert model.C_ == whole.C_
    assert_same_views(model, whole)
    assert model.classes_.dtype == whole.classes_.dtype
    assert model.coef_.dtype == whole.coef_.dtype
    np.testing.assert_array_equal(model.class_frequencies_, whole.class_frequencies_)
    assert difference(model, whole) < 0.01
    assert model.score(NEW_TEXTS, NEW_LABELS) > 0.9
    assert model.solver_.endswith("in passes")


@pytest.mark.parametrize("views", [("words",), ("pairs", "pieces")])
def test_each_set_of_views(views):
    whole, model = (TroenpyClassifier(candidates=[views], C=3) for _ in range(2))
    whole.fit(TEXTS, LABELS)
    model.fit_batches(in_batches(TEXTS, LABELS))
    assert_same_views(model, whole)
    assert difference(model, whole) < 0.01


def test_documents_may_come_class_by_class():
    order = np.argsort(LABELS, kind="stable")
    texts, labels = [TEXTS[i] for i in order], LABELS[order]
    assert difference(linear().fit_batches(in_batches(texts, labels)), linear().fit(TEXTS, LABELS)) < 0.01


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("y", [LABELS, SEVERAL])
def test_borders_of_batches_change_nothing(monkeypatch, shuffle, y):
    monkeypatch.setattr("troenpy.models.pass_ascent.MOST_PASSES", 5)
    model = linear().fit_batches(in_batches(TEXTS, y, 7), shuffle=shuffle)
    for size in (1, len(TEXTS)):
        assert_equal(model, linear().fit_batches(in_batches(TEXTS, y, size), shuffle=shuffle))


def test_the_number_of_threads_changes_nothing():
    model = TroenpyClassifier(n_jobs=1).fit_batches(in_batches(TEXTS, LABELS))
    threaded = TroenpyClassifier(n_jobs=2).fit_batches(in_batches(TEXTS, LABELS))
    assert_equal(model, threaded)
    assert model.choice_ == threaded.choice_


def test_two_classes():
    texts, labels = made_up_texts(120, ("sport", "politics"), n_words=12)
    whole, model = linear().fit(texts, labels), linear().fit_batches(in_batches(texts, labels))
    assert model.coef_.shape[0] == 1
    assert model.decision_function(texts).shape == (120,)
    assert difference(model, whole, texts) < 0.005


def test_many_classes():
    rng = np.random.default_rng(0)
    labels = np.concatenate([np.arange(150), rng.integers(150, size=300)])  # more than profiles have dense columns
    texts = [f"class{label} class{label} " + " ".join(rng.choice(list("abcdefgh"), 4)) for label in labels]
    whole, model = linear().fit(texts, labels), linear().fit_batches(in_batches(texts, labels, 30))
    assert model.classes_.tolist() == list(range(150))
    assert_same_views(model, whole)
    assert difference(model, whole, texts) < 0.01
    assert model.score(texts, labels) == 1.0


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_indicator_matrices(make):
    y = np.hstack([SEVERAL, np.ones((120, 1), int), np.zeros((120, 1), int)])  # labels that all and no documents have
    whole, model = linear().fit(TEXTS, y), linear().fit_batches(in_batches(TEXTS, make(y)))
    assert_same_views(model, whole)
    assert difference(model, whole) < 0.02
    assert model.intercept_[3:].tolist() == whole.intercept_[3:].tolist() == [np.inf, -np.inf]
    is_clear = np.abs(whole.predict_proba(NEW_TEXTS) - 0.5) > 0.02
    np.testing.assert_array_equal(model.predict(NEW_TEXTS)[is_clear], whole.predict(NEW_TEXTS)[is_clear])


def test_labels_that_all_documents_have_need_no_coefficients():
    y = np.ones((120, 2), int)
    with pytest.warns(UserWarning, match="all weights are zero"):
        whole = linear().fit(TEXTS, y)
    with pytest.warns(UserWarning, match="all weights are zero"):
        model = linear().fit_batches(in_batches(TEXTS, y))
    assert_equal(model, whole)
    assert model.predict(NEW_TEXTS[:2]).tolist() == [[1, 1], [1, 1]]


def test_sets_of_labels_with_names():
    """Labels come in batches with classes of their own, as from records; a document may have none."""
    names = np.array(sorted(TOPICS), dtype=object)
    y = SEVERAL * (np.arange(120) % 5 > 0)[:, np.newaxis]
    sets = [tuple(names[row.astype(bool)]) for row in y]

    def batches():
        for start in range(0, 120, 4):
            yield TEXTS[start : start + 4], read_label_sets(sets[start : start + 4])
            yield [], read_label_sets([])

    whole, model = linear().fit(TEXTS, Labels(names, sp.csr_array(y), is_list=False)), linear().fit_batches(batches)
    assert model.classes_.tolist() == whole.classes_.tolist() == names.tolist()
    assert_same_views(model, whole)
    assert difference(model, whole) < 0.02


@pytest.mark.parametrize("weight", [{"sport": 20.0, "science": 0.5}, {"sport": 0}, "balanced"])
def test_class_weights(weight):
    keep = np.flatnonzero((LABELS != "sport") | (np.arange(120) % 2 == 0))
    texts, labels = [TEXTS[i] for i in keep], LABELS[keep]
    whole = linear(class_weight=weight).fit(texts, labels)
    model = linear(class_weight=weight).fit_batches(in_batches(texts, labels))
    assert difference(model, whole) < 0.02 < difference(linear().fit(texts, labels), whole)
    np.testing.assert_allclose(model.class_frequencies_, whole.class_frequencies_)
    chosen = [TroenpyClassifier(class_weight=weight).fit(texts, labels)]
    chosen.append(TroenpyClassifier(class_weight=weight).fit_batches(in_batches(texts, labels)))
    assert chosen[0].choice_ == chosen[1].choice_


def test_a_class_may_come_in_the_last_batch_only():
    texts, labels = [*TEXTS, "late goal", "late cup"], [*LABELS, "a", "a"]
    whole, model = linear().fit(texts, labels), linear().fit_batches(in_batches(texts, labels, 60))
    assert model.classes_.tolist() == ["a", "politics", "science", "sport"]
    assert_same_views(model, whole)
    assert difference(model, whole) < 0.01


@pytest.mark.parametrize("y", [np.arange(120) % 3 - 1, np.arange(120) % 2 > 0, LABELS.astype(object)])
def test_labels_of_any_type(y):
    whole, model = linear().fit(TEXTS, y), linear().fit_batches(in_batches(TEXTS, y))
    assert model.classes_.dtype == whole.classes_.dtype
    assert model.classes_.tolist() == whole.classes_.tolist()


def test_batches_may_be_empty():
    model = linear().fit_batches(in_batches(TEXTS, LABELS))
    batches = [([], []), (TEXTS[:90], LABELS[:90]), ((), ()), (TEXTS[90:], LABELS[90:]), ([], np.array([], object))]
    assert_equal(linear().fit_batches(batches), model)
    model = linear().fit_batches(in_batches(TEXTS, SEVERAL))
    assert_equal(linear().fit_batches([([], SEVERAL[:0]), (TEXTS, SEVERAL), ([], sp.csr_array(SEVERAL[:0]))]), model)


def test_bytes_and_missing_documents():
    texts = [None, *(text.encode() for text in TEXTS[1:])]
    model = linear(nulls="empty").fit_batches(in_batches(texts, LABELS))
    assert_equal(model, linear().fit_batches(in_batches(["", *TEXTS[1:]], LABELS)))


def test_documents_without_a_known_term_are_counted():
    texts = [*TEXTS, *["?"] * 9, "!"]
    labels = [*LABELS, *["sport"] * 9, "science"]
    whole, model = linear().fit(texts, labels), linear().fit_batches(in_batches(texts, labels))
    np.testing.assert_allclose(model.class_frequencies_, whole.class_frequencies_)
    np.testing.assert_allclose(model.predict_proba(["?"]), whole.predict_proba(["?"]), atol=1e-6)


def test_copies_are_left_out_as_in_fit():
    """Copies have the same terms; their texts may differ, as here in the order of words, in case and in symbols."""
    # Every text twice, once with another label: whoever leaves out one copy only can read the other label.
    rng = np.random.default_rng(0)
    texts = [f"a{i} b{i} c{i % 30}" for i in range(75)] + [f"C{i % 30}, B{i} A{i}!" for i in range(75)]
    labels = np.concatenate([first := rng.integers(3, size=75), (first + rng.integers(2, size=75)) % 3])
    features = TermFeatures([("words", CountVectorizer(), ("btf", "profile"))], leave_out="copies")
    whole, model = (TroenpyClassifier(features, C=3) for _ in range(2))
    whole.fit(texts, labels)
    model.fit_batches(in_batches(texts, labels))
    assert difference(model, whole, texts) < 0.02
    one = TroenpyClassifier(features.set_params(leave_out="document"), C=3)
    assert difference(one.fit_batches(in_batches(texts, labels)), whole, texts) > 0.05


# The sample


def test_the_choice_is_made_from_a_sample(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 90)
    model = TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    assert 80 < model.choice_.n_documents <= 90
    assert len(model.choice_.trials) > 3
    others = TroenpyClassifier(random_state=np.random.RandomState(1)).fit_batches(in_batches(TEXTS, LABELS))
    assert others.choice_ != model.choice_


def test_a_sample_without_all_classes(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 60)
    texts, labels = [*TEXTS, "rare late goal"], [*LABELS, "rare"]
    for weight in ({"rare": 2.0}, {"sport": 0, "politics": 0}):  # of the second, only one class of the sample counts
        for seed in range(2):
            model = TroenpyClassifier(random_state=seed, class_weight=weight).fit_batches(in_batches(texts, labels))
            assert len(model.classes_) == 4
            assert model.choice_.n_documents is None or model.choice_.n_documents <= 60


def test_too_few_documents_to_choose_from():
    texts, labels = TEXTS[:30], LABELS[:30]
    model = TroenpyClassifier().fit_batches(in_batches(texts, labels, 4))
    assert model.choice_ == TroenpyClassifier().fit(texts, labels).choice_
    assert (model.C_, model.choice_.views) == (3, ("pairs", "pieces"))


# Features


@pytest.mark.parametrize(
    "options",
    [
        {"vocabulary": ["goal", "vote", "atom", "cell", "word1"]},
        {"min_df": 10, "max_df": 0.9},
        {"stop_words": ["word1", "word2"], "ngram_range": (1, 2)},
        {"min_class_df": 4},
        {"tokenizer": cut, "token_pattern": None},
        {"analyzer": cut},
        {"analyzer": "char_wb", "ngram_range": (1, 3)},
        {"binary": True},
    ],
    ids=lambda options: next(iter(options)),
)
def test_counters_of_any_kind(options):
    features = TermFeatures([("words", CountVectorizer(**options), ("boost", "profile"))], leave_out="copies")
    whole, model = TroenpyClassifier(features, C=1), TroenpyClassifier(features, C=1)
    whole.fit(TEXTS, LABELS)
    model.fit_batches(in_batches(TEXTS, LABELS))
    assert_same_views(model, whole)
    assert difference(model, whole) < 0.01
    assert features.views[0][1].max_terms is None  # the caller's


def test_without_a_profile():
    features = TermFeatures([("words", CountVectorizer(), ("pi",))], leave_out="copies")
    whole, model = TroenpyClassifier(features, C=1), TroenpyClassifier(features, C=1)
    seen = []
    model.fit_batches(in_batches(TEXTS, LABELS), callback=seen.append)
    assert difference(model, whole.fit(TEXTS, LABELS)) < 0.01
    assert ("counting", 2) not in {(progress.stage, progress.n_pass) for progress in seen}  # no copies to look for


def test_documents_may_be_anything_that_the_analyzer_takes():
    features = TermFeatures([("words", CountVectorizer(analyzer=list), ("boost",))])
    texts = [text.split() for text in TEXTS]
    model = TroenpyClassifier(features, C=3).fit_batches(in_batches(texts, LABELS))
    assert model.score([text.split() for text in NEW_TEXTS], NEW_LABELS) > 0.9


def test_views_that_read_differently():
    own = CountVectorizer(analyzer=cut)
    features = TermFeatures([("words", CountVectorizer(), ("boost",)), ("own", own, ("boost", "profile"))])
    whole, model = (TroenpyClassifier(features, candidates=[("words", "own")], C=3) for _ in range(2))
    model.fit_batches(in_batches(TEXTS, LABELS))
    assert difference(model, whole.fit(TEXTS, LABELS)) < 0.01


def test_max_terms_bounds_each_view():
    model = TroenpyClassifier(C=3, candidates=[("pairs", "pieces")])
    model.fit_batches(in_batches(TEXTS, LABELS), max_terms=40)
    assert [view.n_terms for view in model.features_.views_] == [40, 40]
    assert not any(view.counts.is_exact for view in model.features_.views_)
    streamed = clone(model.features_)  # with the bound
    streamed.partial_fit(TEXTS, LABELS)
    assert [view.n_terms for view in streamed.views_] == [40, 40]
    own = TroenpyClassifier(C=3, candidates=[("words",)]).set_params(features__words__max_terms=30)
    own.fit_batches(in_batches(TEXTS, LABELS), max_terms=40)
    assert own.features_.views_[0].n_terms == 30


def test_a_bound_that_is_not_reached_changes_nothing():
    plain = linear().fit_batches(in_batches(TEXTS, LABELS))
    model = linear().fit_batches(in_batches(TEXTS, LABELS), max_terms=100)
    assert model.features_.views_[0].n_terms < 100
    assert_equal(model, plain)


def test_max_terms_is_chosen_by_what_coefficients_need(monkeypatch):
    monkeypatch.setattr(batch_fitting, "MOST_COEFFICIENTS", 3 * 2 * 25)
    model = TroenpyClassifier(C=3, candidates=[("words",)]).fit_batches(in_batches(TEXTS, LABELS))
    n_blocks = len(model.features_.views_[0].blocks)
    assert model.features_.views_[0].n_terms == 150 // (3 * (n_blocks + 1))  # the profile is one of its blocks
    monkeypatch.setattr(batch_fitting, "MOST_TERMS", 10)
    assert linear().fit_batches(in_batches(TEXTS, LABELS)).features_.views_[0].n_terms == 10


def test_max_iter_and_its_warning():
    with pytest.warns(ConvergenceWarning, match=r"stopped after \d passes: raise max_iter"):
        model = linear(max_iter=2).fit_batches(in_batches(TEXTS, LABELS))
    assert model.n_iter_ == 2 or (not kernel_available() and model.n_iter_ == 3)  # scipy ends the step it has begun


# Where documents come from


def test_arrow_datasets_and_tables():
    table = pa.table({"id": range(120), "body": TEXTS, "topic": pa.array(LABELS.tolist()).dictionary_encode()})
    for shuffle in (True, False):
        plain = linear().fit_batches(in_batches(TEXTS, LABELS), shuffle=shuffle)
        for source in (ds.dataset(table), table):
            model = linear().fit_batches(source, text="body", label="topic", shuffle=shuffle)
            assert_equal(model, plain)
    with pytest.raises(ValueError, match="batches must hold at least one document, got none"):
        linear().fit_batches(ds.dataset(table).filter(ds.field("id") < 0), text="body", label="topic")


@pytest.mark.parametrize("make", [tuple, np.array, pa.array, lambda texts: pa.table({"text": texts})])
def test_texts_of_any_kind(make):
    batches = [(make(TEXTS[:90]), list(LABELS[:90])), (make(TEXTS[90:]), pa.array(LABELS[90:].tolist()).to_pylist())]
    assert_equal(linear().fit_batches(batches), linear().fit_batches(in_batches(TEXTS, LABELS)))


class Source:
    """As records.Records."""

    def documents(self):
        return in_batches(TEXTS, LABELS)()


def test_functions_iterables_and_records():
    model = linear().fit_batches(in_batches(TEXTS, LABELS))
    for source in (in_batches(TEXTS, LABELS)(), list(in_batches(TEXTS, LABELS)()), Source()):
        assert_equal(linear().fit_batches(source), model)
    in_order = linear().fit_batches(in_batches(TEXTS, LABELS), shuffle=False)
    assert_equal(linear().fit_batches(Source(), shuffle=False), in_order)
    with pytest.raises(TypeError, match="because with shuffle=False they are read several times, got generator"):
        linear().fit_batches(in_batches(TEXTS, LABELS)(), shuffle=False)


# What is learnt is a model like any other


@pytest.mark.parametrize("max_terms", [None, 40])
def test_saved_loaded_and_pickled(tmp_path, max_terms):
    model = TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS), max_terms=max_terms)
    troenpy.save(model, tmp_path / "model")
    for copy in (troenpy.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(copy.predict_proba(NEW_TEXTS), model.predict_proba(NEW_TEXTS))
        assert copy.choice_ == model.choice_
        assert repr(copy.explain("a late goal")) == repr(model.explain("a late goal"))
    assert "_stream" not in vars(model.features_)  # the counts of terms that were not kept


def test_explanations_are_those_of_fit():
    whole, model = TroenpyClassifier().fit(TEXTS, LABELS), TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    ours, fits = model.explain("a late goal"), whole.explain("a late goal")
    assert ours.label == fits.label == "sport"
    assert ours.terms[0] == fits.terms[0] == "goal"
    assert ours.probability == pytest.approx(fits.probability, abs=0.01)


def test_a_model_learns_again():
    model = linear().fit_batches(in_batches(TEXTS, LABELS))
    fresh = clone(model)
    assert not hasattr(fresh, "coef_")
    assert_equal(fresh.fit_batches(in_batches(TEXTS, LABELS)), model)
    again = model.fit_batches(in_batches(TEXTS[:100], LABELS[:100]))  # forgets the others
    assert_equal(again, linear().fit_batches(in_batches(TEXTS[:100], LABELS[:100])))
    assert_equal(model.fit(TEXTS, LABELS), linear().fit(TEXTS, LABELS))


@needs_kernel
@pytest.mark.parametrize("y", [LABELS, SEVERAL])
def test_without_the_kernel(y):
    texts, y = TEXTS[:60], y[:60]
    model = linear().fit_batches(in_batches(texts, y))
    with kernel_off():
        twin = linear().fit_batches(in_batches(texts, y))
    assert twin.solver_ == "lbfgs, in passes"
    assert difference(twin, model) < 0.02
