"""TroenpyClassifier.fit_batches: close to fit, the same for any batches, refuses what it cannot do, leaves nothing."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import weakref
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
import scipy.sparse as sp
from bad_calls import bad_calls
from interruptions import Interrupted, answers
from kernel_switch import kernel_off, needs_kernel
from made_up_texts import TOPICS, made_up_texts
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import troenpy
from troenpy import CountVectorizer, TermFeatures, TroenpyClassifier, settings
from troenpy.counts.labels import Labels, read_labels
from troenpy.features import checkpoints
from troenpy.features.class_profile import ClassProfile
from troenpy.models import batch_fitting, document_passes, logistic, pass_ascent, shuffled_copy, survey
from troenpy.models.document_passes import Chunk, keys_of
from troenpy.models.survey import Copies, Sample

TEXTS, LABELS = made_up_texts(200, n_words=12, n_own=1)
NEW_TEXTS, NEW_LABELS = made_up_texts(100, seed=1, n_words=12, n_own=1)
SEVERAL = np.array([[topic in (label, other) for topic in TOPICS] for label, other in zip(LABELS, LABELS[::-1])]) * 1  # noqa: B905


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch, tmp_path):
    """Let few documents be several chunks and groups, and temporary files be in a folder of their own."""
    monkeypatch.setattr(document_passes, "CHUNK_CHARACTERS", 2000)
    monkeypatch.setattr(shuffled_copy, "GROUP_CHARACTERS", 300)
    # Both solvers go on until they are close to the optimum, and so to each other.
    monkeypatch.setattr(pass_ascent, "SETTLED", 1e-6)
    monkeypatch.setattr(pass_ascent, "MOST_PASSES", 300)
    monkeypatch.setattr(logistic, "SETTLED", 1e-6)
    monkeypatch.setattr(logistic, "SETTLED_ACCURACY", 1e-3)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield
    assert not list((tmp_path / "temporary").iterdir())


def in_batches(texts, labels, size=50):
    """Return a function that returns the documents in batches."""
    return lambda: ((texts[i : i + size], labels[i : i + size]) for i in range(0, len(texts), size))


def linear(**options):
    return settings.classifier("linear", C=3, **options)


def difference(model, other, texts=NEW_TEXTS):
    return np.abs(model.predict_proba(texts) - other.predict_proba(texts)).max()


def assert_equal(model, other):
    for name in ("coef_", "intercept_", "class_frequencies_"):
        assert getattr(model, name).tobytes() == getattr(other, name).tobytes()


# Like fit


def test_predictions_and_choice_are_those_of_fit():
    whole, model = TroenpyClassifier().fit(TEXTS, LABELS), TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    assert difference(model, whole) < 0.005
    assert model.score(NEW_TEXTS, NEW_LABELS) == 1.0
    assert model.choice_ == whole.choice_  # every document is in the sample
    assert model.C_ == whole.C_
    assert model.features_.counts_ == whole.features_.counts_ if len(whole.features_.views_) == 1 else True
    for ours, fits in zip(model.features_.views_, whole.features_.views_, strict=True):
        assert ours.counts.doc_freq.toarray().tolist() == fits.counts.doc_freq.toarray().tolist()
    np.testing.assert_array_equal(model.class_frequencies_, whole.class_frequencies_)
    assert model.solver_.endswith("in passes")


def test_documents_may_come_class_by_class():
    order = np.argsort(LABELS, kind="stable")
    texts, labels = [TEXTS[i] for i in order], LABELS[order]
    whole = linear().fit(TEXTS, LABELS)
    assert difference(linear().fit_batches(in_batches(texts, labels)), whole) < 0.01


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("y", [LABELS, SEVERAL])
def test_borders_of_batches_change_nothing(shuffle, y):
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
    assert difference(model, whole, texts) < 0.005


def test_many_classes():
    rng = np.random.default_rng(0)
    labels = rng.integers(60, size=400)
    texts = [f"class{label} class{label} " + " ".join(rng.choice(list("abcdefgh"), 4)) for label in labels]
    whole, model = linear().fit(texts, labels), linear().fit_batches(in_batches(texts, labels, 30))
    assert model.classes_.tolist() == list(range(60))
    assert difference(model, whole, texts) < 0.01
    assert model.score(texts, labels) == 1.0


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_indicator_matrices(make):
    y = np.hstack([SEVERAL, np.ones((200, 1), int), np.zeros((200, 1), int)])  # labels that all and no documents have
    whole, model = linear().fit(TEXTS, y), linear().fit_batches(in_batches(TEXTS, make(y)))
    assert difference(model, whole) < 0.01
    assert model.intercept_[3:].tolist() == whole.intercept_[3:].tolist() == [np.inf, -np.inf]
    np.testing.assert_array_equal(model.predict(NEW_TEXTS), whole.predict(NEW_TEXTS))


def test_labels_that_all_documents_have_need_no_coefficients():
    y = np.ones((200, 2), int)
    with pytest.warns(UserWarning, match="all weights are zero"):
        whole = linear().fit(TEXTS, y)
    with pytest.warns(UserWarning, match="all weights are zero"):
        model = linear().fit_batches(in_batches(TEXTS, y))
    assert_equal(model, whole)
    assert model.predict(NEW_TEXTS[:2]).tolist() == [[1, 1], [1, 1]]


def test_labels_with_names_and_several_for_a_document():
    names = np.array(sorted(TOPICS), dtype=object)

    def batches():
        for start in range(0, 200, 40):
            rows = sp.csr_array(SEVERAL[start : start + 40])
            yield TEXTS[start : start + 40], Labels(names, rows)

    whole, model = linear().fit(TEXTS, Labels(names, sp.csr_array(SEVERAL))), linear().fit_batches(batches)
    assert model.classes_.tolist() == whole.classes_.tolist() == names.tolist()
    assert difference(model, whole) < 0.01


def test_a_document_may_have_no_label():
    y = SEVERAL * (np.arange(200) % 5 > 0)[:, np.newaxis]
    assert difference(linear().fit_batches(in_batches(TEXTS, y, 7)), linear().fit(TEXTS, y)) < 0.01


@pytest.mark.parametrize("weight", [{"sport": 20.0, "science": 0.5}, {"sport": 0}, "balanced"])
def test_class_weights(weight):
    keep = np.flatnonzero((LABELS != "sport") | (np.arange(200) % 4 == 0))
    texts, labels = [TEXTS[i] for i in keep], LABELS[keep]
    whole = linear(class_weight=weight).fit(texts, labels)
    model = linear(class_weight=weight).fit_batches(in_batches(texts, labels))
    assert difference(model, whole) < 0.01 < difference(linear().fit(texts, labels), whole)
    np.testing.assert_allclose(model.class_frequencies_, whole.class_frequencies_)
    chosen = [TroenpyClassifier(class_weight=weight).fit(texts, labels)]
    chosen.append(TroenpyClassifier(class_weight=weight).fit_batches(in_batches(texts, labels)))
    assert chosen[0].choice_ == chosen[1].choice_


def test_new_classes_may_come_in_a_later_batch():
    texts, labels = [*TEXTS, "late goal", "late cup"], [*LABELS, "a", "a"]
    model = linear().fit_batches(in_batches(texts, labels, 101))
    assert model.classes_.tolist() == ["a", "politics", "science", "sport"]
    assert difference(model, linear().fit(texts, labels)) < 0.01


def test_batches_may_be_empty():
    batches = [([], []), (TEXTS[:90], LABELS[:90]), ((), ()), (TEXTS[90:], LABELS[90:]), ([], np.array([], object))]
    assert_equal(linear().fit_batches(batches), linear().fit_batches(in_batches(TEXTS, LABELS)))


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


def test_copies_of_a_text_are_left_out_as_in_fit():
    # Every text twice, once with another label: whoever leaves out one copy only can read the other label.
    rng = np.random.default_rng(0)
    texts = [f"a{i} b{i} c{i % 30}" for i in range(150)] * 2
    labels = np.concatenate([first := rng.integers(3, size=150), (first + rng.integers(2, size=150)) % 3])
    features = TermFeatures([("words", CountVectorizer(), ("btf", "profile"))], leave_out="copies")
    whole, model = (TroenpyClassifier(features, C=3) for _ in range(2))
    whole.fit(texts, labels)
    model.fit_batches(in_batches(texts, labels))
    assert difference(model, whole, texts) < 0.02
    one = TroenpyClassifier(features.set_params(leave_out="document"), C=3).fit(texts, labels)
    assert difference(one, whole, texts) > 0.05


def document_keys(texts, numbers):
    chunk = Chunk(texts, np.asarray(numbers, dtype=np.int64))
    return chunk, keys_of(chunk)


@pytest.mark.parametrize("at_once", [1, 3, 1 << 20])
def test_copies_are_the_texts_that_are_equal(monkeypatch, at_once):
    monkeypatch.setattr(survey, "KEYS_AT_ONCE", at_once)
    rng = np.random.default_rng(at_once)
    texts = [f"text{i}" for i in rng.integers(20, size=40)]
    numbers = rng.integers(4, size=40)
    indicator = sp.csr_array(np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0]]))
    chunk, keys = document_keys(texts, numbers)
    X = CountVectorizer().fit_transform(texts)
    labels = Labels(np.arange(3), sp.csr_array(indicator[numbers]), is_list=False)
    expected = ClassProfile(leave_out="copies").labels_left_out(X, labels, None)
    found = Copies(keys, indicator).left_out(chunk, keys)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    assert (found.sum(axis=1) > indicator[numbers].sum(axis=1)).any()
    chunk, keys = document_keys(["a", "b"], [0, 2])
    np.testing.assert_array_equal(Copies(keys, indicator).left_out(chunk, keys).toarray(), [[1, 0, 0], [0, 1, 1]])


# The sample


def sample_of(texts, size, seed=0):
    sample = Sample(seed)
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        sample.add(*document_keys(part, np.zeros(len(part))))
        assert len(sample.texts) <= 2 * survey.MOST_SAMPLED + size
    sample.shrink()
    return sample.texts


def test_the_sample_is_bounded_and_has_all_copies_of_a_text_or_none(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 100)
    texts = [f"text{i % 300}" for i in range(1200)]
    found = sample_of(texts, 40)
    assert 90 < len(found) <= 100
    assert all(found.count(text) == 4 for text in found)
    assert sorted(found) == sorted(sample_of(texts[::-1], 170))
    assert set(found) != set(sample_of(texts, 40, seed=1))
    monkeypatch.setattr(survey, "MOST_CHARACTERS", 200)
    assert 100 < sum(map(len, sample_of(texts, 40))) <= 200
    assert len(sample_of(["same"] * 500, 40)) == 0  # nothing to choose from


def test_the_choice_is_made_from_a_sample(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 90)
    model = TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    assert 80 < model.choice_.n_documents <= 90
    assert len(model.choice_.trials) > 3
    others = TroenpyClassifier(random_state=1).fit_batches(in_batches(TEXTS, LABELS))
    assert others.choice_ != model.choice_
    again = TroenpyClassifier(random_state=np.random.RandomState(1)).fit_batches(in_batches(TEXTS, LABELS))
    assert again.choice_.n_documents <= 90


def test_a_sample_without_all_classes(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 60)
    texts, labels = [*TEXTS, "rare late goal"], [*LABELS, "rare"]
    for seed in range(3):
        weighted = TroenpyClassifier(random_state=seed, class_weight={"rare": 2.0}).fit_batches(
            in_batches(texts, labels)
        )
        assert len(weighted.classes_) == 4
        assert weighted.choice_.n_documents <= 60


def test_too_few_documents_to_choose_from():
    texts, labels = TEXTS[:30], LABELS[:30]
    model = TroenpyClassifier().fit_batches(in_batches(texts, labels, 4))
    assert model.choice_ == TroenpyClassifier().fit(texts, labels).choice_
    assert (model.C_, model.choice_.views) == (3, ("pairs", "pieces"))


# Features


def cut(text):
    return text.split("o")


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
@pytest.mark.parametrize("blocks", [("boost", "profile"), ("pi",)])
def test_counters_of_any_kind(options, blocks):
    features = TermFeatures([("words", CountVectorizer(**options), blocks)], leave_out="copies")
    whole, model = TroenpyClassifier(features, C=3), TroenpyClassifier(features, C=3)
    whole.fit(TEXTS, LABELS)
    model.fit_batches(in_batches(TEXTS, LABELS))
    assert model.features_.vocabulary_ == whole.features_.vocabulary_
    assert difference(model, whole) < 0.01
    assert features.views[0][1].max_terms is None  # the caller's


def test_documents_may_be_anything_that_the_analyzer_takes():
    features = TermFeatures([("words", CountVectorizer(analyzer=list), ("boost",))])
    texts = [text.split() for text in TEXTS]
    model = TroenpyClassifier(features, C=3).fit_batches(in_batches(texts, LABELS))
    assert model.score([text.split() for text in NEW_TEXTS], NEW_LABELS) > 0.9


def test_views_that_read_differently():
    features = TermFeatures(
        [
            ("words", CountVectorizer(), ("boost",)),
            ("own", CountVectorizer(analyzer=cut), ("boost", "profile")),
        ]
    )
    whole = TroenpyClassifier(features, candidates=[("words", "own")], C=3).fit(TEXTS, LABELS)
    model = TroenpyClassifier(features, candidates=[("words", "own")], C=3).fit_batches(in_batches(TEXTS, LABELS))
    assert difference(model, whole) < 0.01


def test_max_terms_bounds_each_view():
    model = TroenpyClassifier(C=3).fit_batches(in_batches(TEXTS, LABELS), max_terms=40)
    assert model.choice_.views == ("pairs", "pieces") or len(model.choice_.views) == 1
    assert all(view.n_terms == 40 for view in model.features_.views_)
    assert not model.features_.views_[0].counts.is_exact
    assert model.score(NEW_TEXTS, NEW_LABELS) > 0.4
    own = TroenpyClassifier(C=3, candidates=[("words",)]).set_params(features__words__max_terms=30)
    own.fit_batches(in_batches(TEXTS, LABELS), max_terms=40)
    assert own.features_.views_[0].n_terms == 30


def test_max_terms_is_chosen_by_what_coefficients_need(monkeypatch):
    monkeypatch.setattr(batch_fitting, "MOST_COEFFICIENTS", 3 * 2 * 25)
    model = TroenpyClassifier(C=3, candidates=[("words",)]).fit_batches(in_batches(TEXTS, LABELS))
    n_blocks = len(model.features_.views_[0].blocks)
    assert model.features_.views_[0].n_terms == 150 // (3 * (n_blocks + 1))  # the profile is one of its blocks
    monkeypatch.setattr(batch_fitting, "MOST_TERMS", 10)
    assert linear().fit_batches(in_batches(TEXTS, LABELS)).features_.views_[0].n_terms == 10


def test_max_iter_and_its_warning():
    with pytest.warns(ConvergenceWarning, match="stopped after 2 passes: raise max_iter"):
        model = linear(max_iter=2).fit_batches(in_batches(TEXTS, LABELS))
    assert model.n_iter_ == 2


# Where documents come from


def test_arrow_datasets_and_tables():
    table = pa.table({"id": range(200), "body": TEXTS, "topic": pa.array(LABELS.tolist()).dictionary_encode()})
    plain = linear().fit_batches(in_batches(TEXTS, LABELS))
    for source in (ds.dataset(table), table, ds.dataset(table.slice(0, 90)).filter(ds.field("id") < 0)):
        if source is not table and source.count_rows() == 0:
            with pytest.raises(ValueError, match="batches must hold at least one document, got none"):
                linear().fit_batches(source, text="body", label="topic")
            continue
        assert_equal(linear().fit_batches(source, text="body", label="topic"), plain)
        assert_equal(linear().fit_batches(source, text="body", label="topic", shuffle=False), plain_unshuffled())


def plain_unshuffled():
    return linear().fit_batches(in_batches(TEXTS, LABELS), shuffle=False)


@pytest.mark.parametrize("make", [list, tuple, np.array, pa.array, lambda texts: pa.table({"text": texts})])
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
    assert_equal(linear().fit_batches(Source(), shuffle=False), plain_unshuffled())
    with pytest.raises(TypeError, match="because with shuffle=False they are read several times, got generator"):
        linear().fit_batches(in_batches(TEXTS, LABELS)(), shuffle=False)


CHANGES = {
    "another text": (lambda texts, labels: (["changed", *texts[1:]], labels), 0),
    "another label": (lambda texts, labels: (texts, [*labels[:-1], "politics"]), 199),
    "a new label": (lambda texts, labels: (texts, [*labels[:120], "new", *labels[121:]]), 120),
    "another order": (lambda texts, labels: ([*texts[:-2], texts[-1], texts[-2]], labels), 198),
    "fewer": (lambda texts, labels: (texts[:150], labels[:150]), 150),
    "more": (lambda texts, labels: ([*texts, "more"], [*labels, "sport"]), 200),
    "none": (lambda texts, labels: ([], []), 0),
}


@pytest.mark.parametrize("n_pass", [2, 3, 4])
@pytest.mark.parametrize("change", CHANGES)
def test_every_pass_must_give_the_same_documents(change, n_pass):
    change, position = CHANGES[change]
    labels, n_read = LABELS.tolist(), 0
    labels[-1] = "sport"

    def batches():
        nonlocal n_read
        n_read += 1
        texts, y = change(TEXTS, labels) if n_read == n_pass else (TEXTS, labels)
        return in_batches(texts, y)()

    with pytest.raises(ValueError, match=f"must give the same documents, but document {position} differs .* had 200"):
        linear().fit_batches(batches, shuffle=False)


# What is wrong with a batch, and what cannot be


def second(texts, y):
    """Return batches of which the second is this one."""
    return [(["a goal", "a vote"], ["x", "y"]), (texts, y)]


@bad_calls(
    ("missing text", lambda: second(["a", None], ["x", "y"]), ValueError, "batch 2: document 1 is missing"),
    ("number", lambda: second(["a", 1], ["x", "y"]), TypeError, "batch 2: documents must be str or bytes, got int"),
    ("bytes", lambda: second([b"\xff"], ["x"]), UnicodeDecodeError, r"in document 0: set encoding=.* \(batch 2\)"),
    ("lengths", lambda: second(["a"], ["x", "y"]), ValueError, "batch 2: y must hold one label per document, got 2"),
    ("no labels", lambda: second(["a"], None), ValueError, "batch 2: TroenpyClassifier learns from labels"),
    ("missing label", lambda: second(["a", "b"], ["x", None]), ValueError, "batch 2: y has no label at position 1"),
    ("mixed labels", lambda: second(["a", "b"], [1, 2]), TypeError, "batch 2: classes must have the same type"),
    ("a text", lambda: second("a goal", ["x"]), ValueError, "batch 2: Iterable over raw text documents expected"),
    ("table", lambda: second(pa.table({"a": ["b"], "c": ["d"]}), ["x"]), ValueError, "batch 2: .* table of 2 columns"),
    ("set", lambda: second({"a"}, ["x"]), TypeError, "batch 2: raw_documents must be ordered"),
    ("no pair", lambda: [*second(["a"], ["x"]), ["a"]], ValueError, "batch 3: a batch must be a pair .* list of leng"),
    ("no tuple", lambda: ["ab"], ValueError, "batch 1: a batch must be a pair of texts and labels, got str"),
    ("no documents", lambda: [([], [])], ValueError, "batches must hold at least one document, got none"),
    ("one class", lambda: [(["a goal"], ["x"])], ValueError, "at least two classes with documents, got 'x'"),
    ("no terms", lambda: [(["?", "!"], ["x", "y"])], ValueError, "no view has a term that is kept"),
    ("dict", lambda: {"a": 1}, TypeError, "batches must be a function .*, got dict"),
    ("string", lambda: "file.csv", TypeError, "batches must be a function .*, got str"),
    ("number of batches", lambda: 3, TypeError, "batches must be a function .*, got int"),
)
def test_bad_batches(call, error, message):
    for shuffle in (True, False):
        with pytest.raises(error, match=message):
            linear().fit_batches(call(), shuffle=shuffle)


def counts_view():
    return TroenpyClassifier(TermFeatures([("words", "counts", ("pi",))]))


BATCHES = in_batches(TEXTS, LABELS)
DATASET = pa.table({"text": TEXTS, "label": LABELS.tolist()})


@bad_calls(
    ("cv", lambda: linear(cv=3).fit_batches(BATCHES), ValueError, "cv cannot be used with fit_batches"),
    ("tol", lambda: linear(tol=0.1).fit_batches(BATCHES), ValueError, "tol must be None, got 0.1"),
    ("max_iter", lambda: linear(max_iter=0).fit_batches(BATCHES), ValueError, "max_iter must be"),
    (
        "max_features", lambda: linear(max_features=5).fit_batches(BATCHES), ValueError,
        "max_features cannot be used with fit_batches",
    ),
    ("counts", lambda: counts_view().fit_batches(BATCHES), ValueError, "fit_batches takes texts, .* use fit"),
    ("files", lambda: linear(input="file").fit_batches(BATCHES), ValueError, "input='file' cannot be used with fit_b"),
    ("max_terms", lambda: linear().fit_batches(BATCHES, max_terms=0), ValueError, "max_terms must be"),
    ("shuffle", lambda: linear().fit_batches(BATCHES, shuffle="no"), (ValueError, TypeError), "shuffle must be"),
    (
        "class_weight", lambda: linear(class_weight="balanced").fit_batches(in_batches(TEXTS, SEVERAL)), ValueError,
        "class_weight does not support multi-label",
    ),
    (
        "weight of one class", lambda: linear(class_weight={"sport": 0, "science": 0}).fit_batches(BATCHES), ValueError,
        "class_weight must leave two classes",
    ),
    (
        "no such column", lambda: linear().fit_batches(DATASET, text="body", label="label"), ValueError,
        "text must name a column of the dataset, one of text, label; got 'body'",
    ),
    (
        "no label column", lambda: linear().fit_batches(DATASET, text="text"), ValueError,
        "label must name a column of the dataset, one of text, label; got None",
    ),
    (
        "columns of nothing", lambda: linear().fit_batches(BATCHES, text="text"), ValueError,
        "text and label name columns of an Arrow dataset, got function as batches",
    ),
    (
        "no folder", lambda: linear().fit_batches(BATCHES, checkpoint="no such folder/x"), FileNotFoundError,
        "the folder .*no such folder does not exist",
    ),
)  # fmt: skip
def test_what_cannot_be(call, error, message):
    with pytest.raises(error, match=message):
        call()


# Callbacks, and what is left behind


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("kernel", [True, False])
def test_the_callback_follows_the_passes(shuffle, kernel):
    seen = []
    model = TroenpyClassifier(candidates=[("words",)])
    if kernel:
        model.fit_batches(in_batches(TEXTS, LABELS), shuffle=shuffle, callback=seen.append)
    else:
        with kernel_off():
            model.fit_batches(in_batches(TEXTS, LABELS), shuffle=shuffle, callback=seen.append)
    stages = list(dict.fromkeys((progress.stage, progress.n_pass) for progress in seen))
    learning = [("learning", n) for n in range(1, model.n_iter_ + 1)]
    assert stages == [("reading", 0), ("choosing", 0), ("counting", 0), *learning]
    for stage, n_pass in stages:
        within = [progress for progress in seen if (progress.stage, progress.n_pass) == (stage, n_pass)]
        numbers = [progress.n_documents for progress in within]
        assert numbers == sorted(set(numbers))
        assert {progress.total for progress in within} == {None if stage == "reading" else 200}
        if stage != "choosing":
            assert numbers[-1] == 200
            assert len(numbers) > 5
            assert within[-1].done == (None if stage == "reading" else 1.0)


class Recorded:
    """Temporary files, and whether they are closed."""

    def __init__(self, monkeypatch):
        self.files, create = [], tempfile.TemporaryFile

        def record(*arguments, **options):
            self.files.append(create(*arguments, **options))
            return self.files[-1]

        monkeypatch.setattr(tempfile, "TemporaryFile", record)

    def are_closed(self):
        return all(file.closed for file in self.files)


def test_an_error_in_the_callback_changes_nothing(monkeypatch):
    model = linear().fit(NEW_TEXTS, NEW_LABELS)
    before, files, calls = answers(model, TEXTS), Recorded(monkeypatch), []
    linear().fit_batches(in_batches(TEXTS, LABELS), callback=calls.append)
    assert len(files.files) == 2

    def stop_at(number):
        left = iter(range(number))

        def stop(progress):
            if next(left, None) is None:
                raise RuntimeError("enough")

        return stop

    for number in range(0, len(calls), 5):
        with pytest.raises(RuntimeError, match="enough"):
            model.fit_batches(in_batches(TEXTS, LABELS), callback=stop_at(number))
        assert answers(model, TEXTS) == before
        assert files.are_closed()


@pytest.mark.parametrize("shuffle", [True, False])
def test_an_interruption_at_any_call_changes_nothing(monkeypatch, shuffle):
    texts, labels = TEXTS[:60], LABELS[:60]
    model = linear().fit(NEW_TEXTS, NEW_LABELS)
    before, files = answers(model, TEXTS), Recorded(monkeypatch)
    with Interrupted(at=0) as calls:
        linear().fit_batches(in_batches(texts, labels), shuffle=shuffle)
    for at in range(1, calls.n_calls, calls.n_calls // 40):
        with pytest.raises(KeyboardInterrupt), Interrupted(at):
            model.fit_batches(in_batches(texts, labels), shuffle=shuffle)
        assert answers(model, TEXTS) == before
        assert files.are_closed()


def test_a_model_of_batches_is_a_model(tmp_path):
    model = TroenpyClassifier().fit_batches(in_batches(TEXTS, LABELS))
    troenpy.save(model, tmp_path / "model")
    for copy in (troenpy.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(copy.predict_proba(NEW_TEXTS), model.predict_proba(NEW_TEXTS))
        assert copy.choice_ == model.choice_
    fresh = clone(model)
    assert not hasattr(fresh, "coef_")
    assert_equal(fresh.fit_batches(in_batches(TEXTS, LABELS)), model)
    assert model.explain("a late goal").label == "sport"
    again = model.fit_batches(in_batches(TEXTS[:100], LABELS[:100]))  # forgets the others
    assert_equal(again, TroenpyClassifier().fit_batches(in_batches(TEXTS[:100], LABELS[:100])))


@needs_kernel
@pytest.mark.parametrize("y", [LABELS, SEVERAL])
def test_without_the_kernel(y):
    model = TroenpyClassifier().fit_batches(in_batches(TEXTS, y))
    with kernel_off():
        twin = TroenpyClassifier().fit_batches(in_batches(TEXTS, y))
    assert twin.solver_ == "lbfgs, in passes"
    assert (twin.choice_.views, twin.C_) == (model.choice_.views, model.C_)
    assert difference(twin, model) < 0.02


def test_chunks_are_all_that_is_held():
    alive, most, sizes = weakref.WeakSet(), 0, []

    class Texts(list):
        __hash__ = object.__hash__

    def batches():
        nonlocal most
        for texts, labels in in_batches(TEXTS * 5, list(LABELS) * 5, 20)():
            alive.add(held := Texts(texts))
            most = max(most, len(alive))
            yield held, labels
            del held

    gc.collect()
    linear().fit_batches(batches, shuffle=False, callback=lambda progress: sizes.append(progress.n_documents))
    assert most <= 2
    longest = max(map(len, TEXTS))
    held = [end - start for start, end in pairwise(sizes) if end > start]
    assert max(held) * min(map(len, TEXTS)) <= 2000 + longest


# Checkpoints

RUN = """
import os, signal, sys
import numpy as np
from made_up_texts import made_up_texts
from troenpy import TroenpyClassifier
from troenpy.features import checkpoints
from troenpy.features.term_features import TermFeatures
from troenpy.models import document_passes, shuffled_copy

document_passes.CHUNK_CHARACTERS, shuffled_copy.GROUP_CHARACTERS = 2000, 300
checkpoints.SECONDS_BETWEEN = checkpoints.TIMES_WRITING = 0.0
out, checkpoint, max_terms, shuffle, kill_at = sys.argv[1:]
texts, labels = made_up_texts(200, n_words=12, n_own=1)
n_counted = n_told = 0
add = TermFeatures.partial_fit

def count(self, raw_documents, *others):
    global n_counted
    n_counted += 1
    return add(self, raw_documents, *others)

def tell(progress):
    global n_told
    n_told += progress.stage == "counting"
    if n_told == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)

TermFeatures.partial_fit = count
batches = [(texts[i:i + 30], labels[i:i + 30]) for i in range(0, 200, 30)]
model = TroenpyClassifier(C=3, candidates=[("words", "pieces")])
model.fit_batches(batches, max_terms=eval(max_terms), shuffle=eval(shuffle), checkpoint=eval(checkpoint), callback=tell)
views = model.features_.views_
arrays = {f"{view.name}{name}": value for view in views for name, value in view.counts.to_arrays().items()}
np.savez(out, coef=model.coef_, intercept=model.intercept_, n_counted=n_counted, **arrays)
"""


def run(folder, checkpoint, max_terms, shuffle, kill_at=0):
    """Learn in a process of its own; return what it wrote, or None if it was killed."""
    script, out = folder / "run.py", folder / f"{kill_at}-{checkpoint is None}.npz"
    script.write_text(RUN)
    call = [sys.executable, script, out, repr(checkpoint), repr(max_terms), repr(shuffle), str(kill_at)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    found = subprocess.run(call, env=environment, capture_output=True, text=True)  # noqa: S603
    if kill_at:
        assert found.returncode == -signal.SIGKILL
        return None
    assert found.returncode == 0, found.stderr
    return dict(np.load(out, allow_pickle=False))


@pytest.mark.parametrize(("max_terms", "shuffle"), [(None, True), (60, False)])
def test_a_killed_process_goes_on_from_its_checkpoint(tmp_path, max_terms, shuffle):
    checkpoint = str(tmp_path / "counts")
    whole = run(tmp_path, None, max_terms, shuffle)
    run(tmp_path, checkpoint, max_terms, shuffle, kill_at=5)
    run(tmp_path, checkpoint, max_terms, shuffle, kill_at=8)  # the second time after what was counted the first time
    resumed = run(tmp_path, checkpoint, max_terms, shuffle)
    assert resumed.pop("n_counted") == whole.pop("n_counted") - 7
    assert resumed.keys() == whole.keys()
    for name in whole:
        np.testing.assert_array_equal(resumed[name], whole[name])
    assert not Path(checkpoint).exists()


@pytest.fixture
def stopped(monkeypatch, tmp_path):
    """Return the path of a checkpoint after some chunks, and a function that makes the same call with changes."""
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoints, "TIMES_WRITING", 0.0)
    path = tmp_path / "counts"

    def learn(texts=TEXTS, labels=LABELS, callback=None, max_terms=None, **options):
        model = linear(**options)
        return model.fit_batches(in_batches(texts, labels), checkpoint=path, callback=callback, max_terms=max_terms)

    def stop(progress):
        if progress.stage == "counting" and progress.n_documents > 90:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        learn(callback=stop)
    return path, learn


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"texts": ["another", *TEXTS[1:]]}, "documents"),
        ({"labels": [*LABELS[1:], LABELS[0]]}, "documents"),
        ({"texts": TEXTS[:40], "labels": LABELS[:40]}, "documents"),
        ({"ngram_range": (1, 2)}, "settings"),
        ({"vocabulary": ["goal", "vote"]}, "settings"),
        ({"encoding": "latin-1"}, "settings"),
        ({"tokenizer": cut, "token_pattern": None}, "settings"),
        ({"max_terms": 50}, "settings"),
    ],
)
def test_a_checkpoint_of_another_call(stopped, change, what):
    path, learn = stopped
    content = path.read_bytes()
    with pytest.raises(ValueError, match=f"^{path} has counts of other {what}: delete it, or name another checkpoint$"):
        learn(**change)
    assert path.read_bytes() == content


@pytest.mark.parametrize("change", [{"min_df": 2}, {"max_df": 0.9}, {"n_jobs": 2}, {"C": 10}])
def test_what_does_not_change_the_counts_may_change(stopped, change):
    path, learn = stopped
    model = learn(**change)
    assert_equal(model, linear(**change).fit_batches(in_batches(TEXTS, LABELS)))
    assert not path.exists()


def test_functions_are_the_same_in_another_process():
    ours = checkpoints.settings_digest([CountVectorizer(tokenizer=cut, stop_words=frozenset(TOPICS))])
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_batches import *\n"
        "print(checkpoints.settings_digest([CountVectorizer(tokenizer=cut, stop_words=frozenset(TOPICS))]))"
    )
    here = Path(__file__).parent
    call = [sys.executable, "-c", code, str(here), str(here.parent)]
    assert subprocess.run(call, capture_output=True, text=True, check=True).stdout.strip() == ours  # noqa: S603
    assert ours != checkpoints.settings_digest([CountVectorizer(tokenizer=str.split, stop_words=frozenset(TOPICS))])


def test_a_damaged_checkpoint(stopped):
    path, learn = stopped
    content = path.read_bytes()
    for wrong in (content[:-9], b"", content[:200] + bytes([content[200] ^ 1]) + content[201:]):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=f"^{path} is damaged") as caught:
            learn()
        assert "\n" not in str(caught.value)
    linear().fit(TEXTS, LABELS).features_.counts_.save(path)
    with pytest.raises(ValueError, match=f"{path} must be a checkpoint file, got ClassCounts"):
        learn()


def test_a_checkpoint_is_written_whole_or_not_at_all(stopped, monkeypatch):
    path, learn = stopped
    content = path.read_bytes()

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left on device"):
            learn()
    assert path.read_bytes() == content
    assert sorted(path.parent.iterdir()) == [path, path.parent / "temporary"]
    assert_equal(learn(), linear().fit_batches(in_batches(TEXTS, LABELS)))
    assert not path.exists()


def test_checkpoints_are_written_now_and_then(monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(checkpoints.archive, "write", lambda path, *content: written.append(path))
    linear().fit_batches(in_batches(TEXTS, LABELS), checkpoint=tmp_path / "counts")
    assert not written  # it took less than half a minute
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    linear().fit_batches(in_batches(TEXTS, LABELS), checkpoint=tmp_path / "counts")
    assert 1 <= len(written) <= 15


def test_labels_are_numbered_alike_for_any_batches():
    read = [read_labels(LABELS[:3].tolist()), read_labels(LABELS[3:9].tolist())]
    assert read[0].is_list
