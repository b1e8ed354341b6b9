"""The packed terms of a vocabulary: against scikit-learn's dict, whatever happens between fit and transform."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel, on_both
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer as Reference
from sklearn.utils.validation import check_is_fitted

from troenpy import CountVectorizer, TfPiVectorizer, load, save
from troenpy.features.term_list import IndexKind, TermList

LEARNED = [
    "the late goal of the cup",
    "a vote in the late night",
    "goal goal",
    "",
    "internationalisierungsmaßnahmen today",
]
NEW = [
    "late goal cup",
    "the unknown late goal",
    "vote unknown in the night",
    "x",
    "",
    "internationalisierungsmaßnahmen ß",
]
WORDS = st.lists(
    st.sampled_from(["goal", "late", "the", "Ünïcode", "a", "\ud800b", "x_y", "internationalisierung", "日本語", "ĲĲ"]),
    max_size=8,
).map(" ".join)
SETTINGS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"stop_words": ["the", "of"], "ngram_range": (1, 3)},
    {"analyzer": "char", "ngram_range": (2, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 5)},
    {"min_df": 2},
    {"ngram_range": (1, 2), "max_features": 3},
    {"binary": True},
]


def same(X, Y):
    Y.sort_indices()
    np.testing.assert_array_equal(X.toarray(), Y.toarray())
    np.testing.assert_array_equal(X.indices, Y.indices)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_new_documents_are_counted_as_by_the_dict(options, n_jobs):
    fitted, reference = CountVectorizer(**options, n_jobs=n_jobs).fit(LEARNED), Reference(**options).fit(LEARNED)
    for documents in (NEW, LEARNED, [], NEW[:1]):
        same(fitted.transform(documents), reference.transform(documents))
    restored = pickle.loads(pickle.dumps(fitted))
    same(restored.transform(NEW), reference.transform(NEW))
    assert restored.vocabulary_ == fitted.vocabulary_ == reference.vocabulary_
    same(fitted.transform(NEW), reference.transform(NEW))  # by the dict now


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(WORDS, max_size=12), st.sampled_from(SETTINGS[:6]))
def test_any_documents(learned, new, options):
    try:
        reference = Reference(**options).fit(learned)
    except ValueError:
        return
    many = learned * 3
    for n_jobs in (1, 2):
        same(CountVectorizer(**options, n_jobs=n_jobs).fit(many).transform(new), reference.transform(new))


@needs_kernel
def test_terms_of_several_workers_make_one_index(tmp_path):
    texts = [f"late goal {'x' * (number % 40)}{number} of word{number % 7}" * 400 for number in range(300)]  # 5 MB
    options = {"ngram_range": (1, 2), "stop_words": ["of"]}
    reference = Reference(**options).fit(texts)
    fitted = CountVectorizer(**options, n_jobs=3).fit(texts)
    new = [texts[0][:100], texts[299][:100], "goal of late goal"]
    same(fitted.transform(new), reference.transform(new))
    assert fitted.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()
    save(fitted, tmp_path / "model.safetensors")
    same(load(tmp_path / "model.safetensors").transform(new), reference.transform(new))


@needs_kernel
def test_our_own_code_asks_for_no_dict(tmp_path):
    labels = ["a", "b", "a", "b", "a"]
    fitted = TfPiVectorizer().fit(LEARNED, labels)
    fitted.transform(NEW)
    fitted.get_feature_names_out()
    fitted.explain("goal")
    check_is_fitted(fitted)
    save(fitted, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    loaded.transform(NEW)
    for vectorizer in (fitted, loaded, copy.deepcopy(fitted)):
        assert "_terms" in vars(vectorizer)
        assert "_vocabulary" not in vars(vectorizer)


def test_a_dict_that_was_asked_for_may_be_changed():
    fitted, reference = CountVectorizer().fit(LEARNED), Reference().fit(LEARNED)
    for vectorizer in (fitted, reference):
        vocabulary = vectorizer.vocabulary_
        vocabulary["unknown"] = vocabulary.pop("late")
    same(fitted.transform(NEW), reference.transform(NEW))
    fitted.vocabulary_ = reference.vocabulary_ = {"goal": 1, "late": 0}
    same(fitted.transform(NEW), reference.transform(NEW))
    assert fitted.get_feature_names_out().tolist() == ["late", "goal"]
    del fitted.vocabulary_
    with pytest.raises(NotFittedError):
        fitted.transform(NEW)


@pytest.mark.parametrize(
    "change",
    [
        {"stop_words": ["late"]},
        {"ngram_range": (1, 1)},
        {"ngram_range": (2, 2)},
        {"analyzer": "char", "ngram_range": (3, 4)},
        {"lowercase": False},
    ],
    ids=str,
)
def test_settings_changed_after_fit_hold(change):
    options = {"ngram_range": (1, 2), "stop_words": ["of"]}
    fitted, reference = CountVectorizer(**options).fit(LEARNED), Reference(**options).fit(LEARNED)
    fitted.transform(NEW)
    same(fitted.set_params(**change).transform(NEW), reference.set_params(**change).transform(NEW))
    same(fitted.set_params(**options).transform(NEW), reference.set_params(**options).transform(NEW))


def test_one_vectorizer_in_many_threads():
    documents = [" ".join(LEARNED), *NEW]
    fitted = CountVectorizer(ngram_range=(1, 2)).fit(LEARNED * 20)
    expected = [fitted.transform([text]).toarray().tolist() for text in documents]
    again = CountVectorizer(ngram_range=(1, 2)).fit(LEARNED * 20)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: again.transform([documents[i % 7]]).toarray().tolist(), range(700)))
    assert found == expected * 100


@needs_kernel
def test_a_document_that_fails_leaves_nothing_behind():
    pa = pytest.importorskip("pyarrow")
    fitted = CountVectorizer().fit(LEARNED)
    data = b"late goal cup\xff"
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, len(data)], np.int32)), pa.py_buffer(data)]
    )
    expected = Reference().fit(LEARNED).transform(NEW)
    for _ in range(3):
        with pytest.raises(ValueError, match="document 0 is not valid UTF-8"):
            fitted.transform(broken)
        same(fitted.transform(NEW), expected)


def test_pickles_of_before_hold_the_dict():
    fitted = CountVectorizer().fit(LEARNED)
    state = {**CountVectorizer().__getstate__(), "vocabulary_": dict(fitted.vocabulary_), "fixed_vocabulary_": False}
    old = CountVectorizer.__new__(CountVectorizer)
    old.__setstate__(state)
    assert old.vocabulary_ == fitted.vocabulary_
    same(old.transform(NEW), fitted.transform(NEW))


@given(st.lists(st.text(), unique=True))
def test_packed_terms_come_back(names):
    def of(names):
        terms = TermList.of(names)
        arrays = terms.to_arrays()
        again = TermList.from_arrays(arrays["terms_bytes"], arrays["terms_lengths"])
        return [
            terms.names().tolist(),
            again.names().tolist(),
            list(again.columns()),
            again.names(range(len(names))).tolist(),
        ]

    assert on_both(of, names) == [[names] * 4] * 2


BAD_ARRAYS = {
    "lengths do not sum": (b"abc", [1, 1], "lengths of the terms must sum"),
    "negative length": (b"abc", [4, -1], "lengths of the terms must sum"),
    "not UTF-8": (b"ab\xff", [1, 2], "can't decode byte"),
    "cut within a character": ("aß".encode(), [2, 1], "middle of a character"),
    "duplicates": (b"abab", [2, 2], "duplicate terms"),
    "duplicates out of order": (b"cabab", [1, 2, 2], "duplicate terms"),
    "floats": (b"ab", [1.0, 1.0], "whole numbers"),
}


@pytest.mark.parametrize(("text", "lengths", "message"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_bad_arrays_of_a_file_are_refused(text, lengths, message):
    def read():
        with pytest.raises((ValueError, TypeError), match=message):
            TermList.from_arrays(np.frombuffer(text, np.uint8), np.array(lengths))

    on_both(read)


@needs_kernel
def test_frequent_terms_come_first_in_an_index_and_change_nothing(monkeypatch):
    monkeypatch.setattr("troenpy.features.term_list.MOST_FREQUENT", 3)
    fitted = CountVectorizer(ngram_range=(1, 2)).fit(LEARNED)
    expected = fitted.transform(NEW)
    again = pickle.loads(pickle.dumps(fitted))
    again._terms.frequencies = np.arange(len(again._terms))[::-1]
    again._terms.index(IndexKind(True))
    same(again.transform(NEW), expected)
