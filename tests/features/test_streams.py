"""Streams: `partial_fit` in any batches gives the counts of `fit`, goes on after copies and files, and names what is
wrong with a batch; the kernel's way and the plain way agree."""

import copy
import pickle
from itertools import chain, pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import kernel_off, needs_kernel, on_both
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from some_views import counted, words

from troenpy import ClassProfile, CountVectorizer, TermFeatures, TermWeighter, TfPiVectorizer, load, save
from troenpy.features import row_streams
from troenpy.features.streams import KernelStream, PlainStream

LETTERS = st.sampled_from(["aa", "bb", "cc", "dd", "aaaaaaaaaaaaaaaaaaaa", "éé", "Bb"])
DOCUMENTS = st.lists(st.lists(LETTERS, max_size=6).map(" ".join), min_size=1, max_size=12)
TEXTS = ["late goal", "own goal", "late vote", "close vote", "no vote", "late late show"]
LABELS = list("ssppps")


def in_batches(model, X, y, cuts, sample_weight=None):
    for start, end in pairwise(sorted({0, *(cut for cut in cuts if cut < len(y)), len(y)})):
        weight = None if sample_weight is None else sample_weight[start:end]
        model.partial_fit(X[start:end], y[start:end], weight)
    return model


@given(
    texts=DOCUMENTS,
    cuts=st.lists(st.integers(1, 11), max_size=5),
    counting=st.sampled_from(
        [{}, {"ngram_range": (1, 2)}, {"ngram_range": (2, 3)}, {"analyzer": "char", "ngram_range": (2, 2)},
         {"analyzer": "char_wb", "ngram_range": (1, 3)}, {"binary": True}, {"vocabulary": ["cc", "aa"]},
         {"stop_words": ["bb"]}, {"max_terms": 3}, {"max_terms": 3, "ngram_range": (1, 2), "binary": True}]
    ),
    n_jobs=st.sampled_from([1, 2]),
    labelling=st.sampled_from(["strings", "numbers", "several", "weighted"]),
    data=st.data(),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_the_kernel_the_plain_way_and_fit_give_the_same_counts(texts, cuts, counting, n_jobs, labelling, data):
    n = len(texts)
    y = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weight = (1 + np.arange(n) % 3) / 2 if labelling == "weighted" else None
    labels = [f"class {label}" for label in y] if labelling == "strings" else np.array(y)
    if labelling == "several":
        labels = (np.array(y)[:, np.newaxis] >> np.arange(2)) & 1

    def tally():
        return in_batches(TfPiVectorizer(**counting, n_jobs=n_jobs), texts, labels, cuts, weight)._stream.tally()

    by_kernel, plain = on_both(tally)
    assert by_kernel.counts == plain.counts
    for name in ("n_documents", "n_batches"):
        assert getattr(by_kernel, name) == getattr(plain, name)
    assert by_kernel.total_length == plain.total_length
    if by_kernel.terms is not None:
        assert by_kernel.terms.names().tolist() == plain.terms.names().tolist()
        np.testing.assert_array_equal(by_kernel.frequency, plain.frequency)
        np.testing.assert_array_equal(by_kernel.occurrences, plain.occurrences)
    if by_kernel.summary is not None:
        np.testing.assert_array_equal(by_kernel.summary.order, plain.summary.order)
        np.testing.assert_array_equal(by_kernel.summary.errors, plain.summary.errors)
        assert by_kernel.summary.kept_above == plain.summary.kept_above
        return
    try:
        X = CountVectorizer(**counting).fit_transform(texts)
    except ValueError:
        assert len(by_kernel.frequency) == 0
        return
    expected = TermWeighter()._count(X.astype(float), labels, weight)
    assert (by_kernel.counts, by_kernel.total_length) == expected


@given(
    weighted=st.lists(st.booleans(), min_size=2, max_size=4),
    copied=st.integers(0, 4),
    counting=st.sampled_from([{}, {"max_terms": 4}, {"vocabulary": ["late", "goal"]}]),
)
@settings(max_examples=40, deadline=None)
def test_weights_may_come_and_go_between_batches(weighted, copied, counting):
    weights = [np.array([0.1, 0.7, 1.3, 2.0, 0.3, 5.0]) if is_weighted else None for is_weighted in weighted]

    def tally():
        vectorizer = TfPiVectorizer(**counting)
        for number, weight in enumerate(weights):
            if number == copied:
                vectorizer = pickle.loads(pickle.dumps(vectorizer))
            vectorizer.partial_fit(TEXTS, LABELS, weight)
        return vectorizer._stream.tally()

    by_kernel, plain = on_both(tally)
    assert by_kernel.counts.is_weighted == plain.counts.is_weighted == any(weighted)
    for name in ("n_documents", "n_docs", "term_docs"):
        np.testing.assert_allclose(getattr(by_kernel.counts, name), getattr(plain.counts, name))
    np.testing.assert_allclose(by_kernel.counts.doc_freq.toarray(), plain.counts.doc_freq.toarray())
    if by_kernel.counts.errors is not None:
        np.testing.assert_allclose(by_kernel.counts.errors, plain.counts.errors)
    assert by_kernel.total_length == pytest.approx(plain.total_length)


@given(
    rows=st.integers(1, 12),
    cuts=st.lists(st.integers(1, 11), max_size=5),
    weighted=st.booleans(),
    several=st.booleans(),
    many=st.sampled_from([1, 10, 1 << 22]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_rows_in_any_batches_give_the_counts_of_fit(rows, cuts, weighted, several, many, seed):
    rng = np.random.default_rng(seed)
    X = sparse.csr_matrix(rng.integers(0, 3, (rows, 5)).astype(float))
    y = rng.integers(0, 2, (rows, 3)) if several else rng.choice(list("cab"), rows).tolist()
    weight = rng.integers(0, 5, rows) / 2 if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_streams, "MANY_ENTRIES", many)
        by_kernel, plain = on_both(lambda: in_batches(TermWeighter(), X, y, cuts, weight)._stream.tally())
    expected = TermWeighter()._count(X, y, weight)
    assert (by_kernel.counts, by_kernel.total_length) == expected
    assert (plain.counts, plain.total_length) == expected
    profile = in_batches(ClassProfile(), X, y, cuts, weight)
    assert profile.counts_ == expected[0]


# TermFeatures


BLOCKS = ("pi", "btf", "certainty", "profile")


@given(
    order=st.permutations(range(12)),
    cuts=st.lists(st.integers(1, 11), max_size=4),
    counting=st.sampled_from([{}, {"min_df": 2}, {"ngram_range": (1, 2)}, {"vocabulary": ["vote", "goal"]}, "counts"]),
    weighted=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_features_in_any_batches_are_those_of_fit(order, cuts, counting, weighted):
    texts, labels = [(TEXTS * 2)[i] for i in order], [(LABELS * 2)[i] for i in order]
    views, X, new = (
        words(*BLOCKS, **counting) if counting != "counts" else counted(*BLOCKS),
        texts,
        ["own goal vote", ""],
    )
    if counting == "counts":
        counter = CountVectorizer(dtype=float).fit(TEXTS)
        X, new = counter.transform(texts), counter.transform(new)
    weight = (1 + np.arange(12) % 3) / 2 if weighted else None
    whole, parts = TermFeatures(views).fit(X, labels, weight), in_batches(TermFeatures(views), X, labels, cuts, weight)
    assert parts.counts_ == whole.counts_
    np.testing.assert_array_equal(parts.weights_, whole.weights_)
    assert parts.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    difference = parts.transform(new) - whole.transform(new)
    assert np.abs(difference).max() < 1e-12


def test_features_of_a_stream_wait_until_they_can_be_weighted():
    features = TermFeatures(words("pi", "btf", min_df=2))
    with pytest.raises(NotFittedError, match="This TermFeatures instance is not fitted yet"):
        features.transform(["goal"])
    features.partial_fit(["goal cup"], ["sport"])
    with pytest.raises(NotFittedError, match="no weights yet: the 1 documents so far are of one class"):
        features.transform(["goal"])
    assert not hasattr(features, "views_")
    features.partial_fit(["goal vote", "vote cup"], ["politics", "politics"])
    assert features.terms().tolist() == ["cup", "goal", "vote"]
    again = features.fit(TEXTS, LABELS)
    assert again.counts_ == TermFeatures(words("pi", "btf", min_df=2)).fit(TEXTS, LABELS).counts_
    with pytest.raises(ValueError, match="partial_fit cannot be called after fit"):
        again.partial_fit(TEXTS, LABELS)


def test_features_of_rows_go_on_after_fit():
    X = np.array([[1, 0, 1], [2, 0, 0], [0, 1, 1], [0, 3, 0]])
    features = TermFeatures(counted("pi", "btf")).fit(X, list("aabb")).partial_fit(X, list("aabb"))
    assert features.counts_ == TermFeatures(counted("pi", "btf")).fit(np.vstack([X, X]), list("aabbaabb")).counts_


# Lives of a stream


def estimators():
    X = CountVectorizer(dtype=float).fit_transform(TEXTS)
    yield TfPiVectorizer(), TEXTS
    yield TfPiVectorizer(max_terms=3), TEXTS
    yield TfPiVectorizer(vocabulary=["goal", "late", "vote"]), TEXTS
    yield TermFeatures(words("pi", "btf")), TEXTS
    yield TermFeatures(words("pi", "btf", max_terms=3)), TEXTS
    yield TermFeatures(counted("pi", "btf")), X
    yield TermWeighter(), X
    yield ClassProfile(), X


each_estimator = pytest.mark.parametrize(("model", "X"), list(estimators()), ids=lambda value: repr(value)[:60])


def through_a_file(model, path):
    save(model, path)
    return load(path)


@each_estimator
@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle", "save"])
@pytest.mark.parametrize("first", [1, 3])
def test_a_copy_in_mid_stream_goes_on_by_itself(model, X, way, first, tmp_path):
    model = clone(model).partial_fit(X[:first], LABELS[:first])
    copied = {
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda m: pickle.loads(pickle.dumps(m)),
        "save": lambda m: through_a_file(m, tmp_path / "stream"),
    }[way](model)
    whole = clone(model).partial_fit(X[:first], LABELS[:first]).partial_fit(X[first:], LABELS[first:])
    other = clone(model).partial_fit(X[:first], LABELS[:first]).partial_fit(X[1:5], LABELS[1:5])
    copied.partial_fit(X[1:5], LABELS[1:5])
    model.partial_fit(X[first:], LABELS[first:])
    assert copied.counts_ == other.counts_
    assert model.counts_ == whole.counts_
    new = X[:2]
    for one, same in ((copied, other), (model, whole)):
        difference = one.transform(new) - same.transform(new)
        assert np.abs(difference).max() < 1e-12


@each_estimator
def test_reading_does_not_disturb_the_stream(model, X):
    model, once = clone(model), clone(model)
    for start in range(0, 6, 2):
        model.partial_fit(X[start : start + 2], LABELS[start : start + 2])
        once.partial_fit(X[start : start + 2], LABELS[start : start + 2])
        if start:
            assert model.counts_.n_documents == start + 2
    assert model.counts_ == once.counts_


@needs_kernel
def test_a_stream_changes_between_the_kernel_and_the_plain_way():
    vectorizer = TfPiVectorizer().partial_fit(TEXTS[:2], LABELS[:2])
    assert isinstance(vectorizer._stream, KernelStream)
    with kernel_off():
        vectorizer.partial_fit(TEXTS[2:4], LABELS[2:4])
    assert isinstance(vectorizer._stream, PlainStream)
    vectorizer.partial_fit(TEXTS[4:], LABELS[4:])
    assert isinstance(vectorizer._stream, KernelStream)
    assert vectorizer.counts_ == TfPiVectorizer().fit(TEXTS, LABELS).counts_


@pytest.mark.parametrize(
    "make", [list, tuple, iter, np.array, pa.array, pl.Series, lambda texts: (text for text in texts)]
)
def test_batches_of_any_kind(make):
    for model in (TfPiVectorizer(), TermFeatures(words("pi"))):
        for start in (0, 3):
            model.partial_fit(make(TEXTS[start : start + 3]), LABELS[start : start + 3])
        assert model.counts_ == clone(model).fit(TEXTS, LABELS).counts_


def test_classes_of_other_types_do_not_mix():
    for model, X in ((TfPiVectorizer(), TEXTS), (TermWeighter(), [[1, 0]] * 6)):
        model.partial_fit(X, LABELS)
        for labels in ([1, 2, 3, 1, 2, 3], [True, False] * 3):
            with pytest.raises(TypeError, match="batch 2: classes must have the same type to be merged"):
                model.partial_fit(X, labels)
        assert model.counts_.n_documents == 6
    mixed = TfPiVectorizer().partial_fit(TEXTS, [1, 2] * 3).partial_fit(TEXTS, [2.0, 5.0] * 3)
    assert mixed.counts_.classes.tolist() == [1.0, 2.0, 5.0]


def test_the_vocabulary_and_the_bound_stay_the_same():
    vectorizer = TfPiVectorizer(max_terms=5).partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="batch 2: max_terms must stay the same in all batches, 5, got 6"):
        vectorizer.set_params(max_terms=6).partial_fit(TEXTS, LABELS)
    vectorizer = TfPiVectorizer(vocabulary=["goal", "vote"]).partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="batch 2: the batches so far have 2 terms, got 1"):
        vectorizer.set_params(vocabulary=["goal"]).partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="batch 2: the batches so far had a vocabulary"):
        vectorizer.set_params(vocabulary=None).partial_fit(TEXTS, LABELS)


# Bad input in the thousandth batch


def wrong_batches(X):
    """Yield wrong documents and labels, and what the error says."""
    if isinstance(X, list):
        yield [*X[:2], None, *X[3:]], LABELS, r"document 2 is missing \(None\)"
        yield [*X[:3], 7, *X[4:]], LABELS, "documents must be str or bytes, got int for document 3"
    else:
        for value, message in ((-1, "Negative values in data"), (np.nan, "Input X contains NaN")):
            wrong = X.copy()
            wrong[3, 1] = value
            yield wrong, LABELS, f"row 3: {message}"
            yield sparse.csr_array(wrong), LABELS, f"row 3: {message}"
    yield X, LABELS[:-1], "(one label per document, got 5 labels for 6|inconsistent numbers of samples: .6, 5.)"
    yield X, [*LABELS[:2], None, *LABELS[3:]], "y has no label at position 2"


@pytest.mark.parametrize(
    "model", [TfPiVectorizer(), TermFeatures(words("pi", "btf")), TermWeighter(), ClassProfile()], ids=repr
)
def test_bad_input_in_the_thousandth_batch_names_the_batch_and_keeps_the_state(model):
    takes_text = isinstance(model, TfPiVectorizer | TermFeatures)
    X = TEXTS if takes_text else CountVectorizer(dtype=float).fit_transform(TEXTS).toarray()
    model = clone(model)
    for _ in range(999):
        model.partial_fit(X[:2], ["s", "p"])
    for documents, labels, message in wrong_batches(X):
        with pytest.raises((ValueError, TypeError), match=f"^batch 1000: .*{message}"):
            model.partial_fit(documents, labels)
        assert model.counts_.n_documents == 2 * 999
    with pytest.raises(ValueError, match=r"^batch 1000: sample_weight must be 0 or between .* for document 1"):
        model.partial_fit(X[:2], ["s", "p"], [1.0, -1.0])
    model.partial_fit(X, LABELS)
    whole = [*X[:2]] * 999
    expected = clone(model).fit([*whole, *X] if takes_text else np.vstack([*whole, *X]), ["s", "p"] * 999 + LABELS)
    assert model.counts_ == expected.counts_


def test_bytes_that_cannot_be_decoded_name_the_batch():
    with pytest.raises(UnicodeDecodeError, match=r"in document 1: set encoding= .* \(batch 1\)"):
        TfPiVectorizer().partial_fit([b"late goal", b"\xff"], ["a", "b"])


# The kernel's tally


def new_counter(texts):
    from troenpy import _kernel

    counter = _kernel.native.TermCounter(analyzer="word", lowercase=True, min_n=1, max_n=1, stop_words=[], n_threads=2)
    counter.add(texts)
    return counter


@needs_kernel
def test_a_batch_counts_once_it_is_known_to_belong():
    from troenpy import _kernel

    tally = _kernel.native.TermTally(0)

    def hold(texts):
        tally.hold(new_counter(texts), np.arange(len(texts) + 1), np.zeros(len(texts), int), np.empty(0), 1, False)

    hold(["aa bb"])
    tally.settle(0, 1)  # the stream has no batch: it was interrupted
    hold(["aa cc"])
    tally.settle(1, 1)
    text, _, _, _, (frequency, *_) = tally.counts(np.zeros(1, int), 1)
    assert (text.tobytes(), frequency.tolist()) == (b"aacc", [1, 1])
    hold(["aa"])
    for wrong in (0, 3):
        with pytest.raises(ValueError, match="this tally has other batches than the stream"):
            tally.settle(wrong, 1)
    tally.settle(2, 2)
    assert tally.counts(np.zeros(1, int), 1)[4][0].tolist() == [2, 1]


@needs_kernel
def test_the_tally_checks_what_it_is_given():
    from troenpy import _kernel

    tally, none = _kernel.native.TermTally(0), np.empty(0)
    with pytest.raises(ValueError, match="documents and labels differ in number"):
        tally.hold(new_counter(["aa"]), np.arange(3), np.zeros(2, int), none, 1, False)
    with pytest.raises(IndexError, match="a class is out of range"):
        tally.hold(new_counter(["aa"]), np.arange(2), np.ones(1, int), none, 1, False)
    with pytest.raises(ValueError, match="weights and documents differ in number"):
        tally.hold(new_counter(["aa"]), np.arange(2), np.zeros(1, int), np.ones(2), 1, False)
    with pytest.raises(ValueError, match="indptr does not ascend"):
        tally.hold(new_counter(["aa"]), np.array([1, 0]), np.zeros(1, int), none, 1, False)


@needs_kernel
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30)), min_size=1, max_size=30), min_size=1, max_size=6
    )
)
@settings(max_examples=60, deadline=None)
def test_many_classes_that_appear_one_by_one(batches):
    """The blocks of cells grow, and classes that have the same home in a block find each other."""
    texts = [[f"word{term % 7} longword{'x' * term}" for term, _ in batch] for batch in batches]
    labels = [[code for _, code in batch] for batch in batches]
    model = TfPiVectorizer()
    for some_texts, some_labels in zip(texts, labels, strict=True):
        model.partial_fit(some_texts, some_labels)
    X = CountVectorizer(dtype=float).fit_transform(chain(*texts))
    assert model._stream.tally().counts == TermWeighter()._count(X, [*chain(*labels)], None)[0]


@pytest.mark.parametrize(("name", "value"), [("min_class_df", 2.5), ("nulls", "skip")])
def test_parameters_of_the_counter_are_checked_with_the_first_batch(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*, got"):
        TermFeatures().set_params(**{f"words__{name}": value}).partial_fit(["late goal", "vote"], ["a", "b"])


def test_features_saved_for_prediction_learn_no_more(tmp_path):
    features = TermFeatures([("words", CountVectorizer(), ("boost",))]).fit(["goal", "vote", "cup"], ["a", "b", "b"])
    save(features, tmp_path / "model", for_prediction=True)
    with pytest.raises(NotFittedError, match="saved with for_prediction=True"):
        load(tmp_path / "model").partial_fit(["goal"], ["a"])
