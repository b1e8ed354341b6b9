"""Our CountVectorizer equals scikit-learn's: vocabulary, matrix, errors, warnings."""

import pickle
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from interruptions import hears_signals
from kernel_switch import needs_kernel
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

from troenpy import _kernel
from troenpy.features.count_vectorizer import CountVectorizer


def outcome(vectorizer, documents, others):
    """All that can be observed: vocabulary, matrices and warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            matrices = [vectorizer.fit_transform(documents), vectorizer.transform(others)]
        except ValueError as error:
            return type(error), str(error), [str(w.message) for w in caught]
    return vectorizer.vocabulary_, [parts(X) for X in matrices], [str(w.message) for w in caught]


def parts(X):
    X = X.copy()
    X.sort_indices()
    dtypes = X.data.dtype, X.indices.dtype, X.indptr.dtype
    return type(X), X.shape, dtypes, X.indptr.tolist(), X.indices.tolist(), X.data.tolist()


def assert_same(documents, others=None, n_jobs=None, **settings):
    others = documents if others is None else others
    ours, theirs = CountVectorizer(**settings, n_jobs=n_jobs), Reference(**settings)
    assert outcome(ours, documents, others) == outcome(theirs, documents, others)
    if hasattr(theirs, "vocabulary_"):
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    return ours


# Few letters make words that meet again; the rest is what breaks: case pairs that change length or depend on
# context, combining marks, joiners, spaces of all sizes, digits and letters of several planes, surrogates, NUL.
ODD = "ab Ab_19.\n\t\x00\x1c\x85\xa0éÉßµΣσςİıǅſKÅȺⱥ́̈ͅـה中文字　 \u200b٣½²ªʰ①Ⅷ𝒳𐐀𐐨👍\ud800\udfff\uffff"
odd_text = st.text(st.sampled_from(ODD), max_size=40)
any_text = st.one_of(odd_text, st.text(max_size=30), st.text(st.sampled_from("ab "), max_size=60))
corpora = st.lists(any_text, max_size=8)
ranges = st.tuples(st.integers(1, 4), st.integers(1, 4)).map(sorted).map(tuple)


@given(
    corpora,
    corpora,
    st.fixed_dictionaries(
        {
            "analyzer": st.sampled_from(["word", "char", "char_wb"]),
            "lowercase": st.booleans(),
            "ngram_range": ranges,
            "binary": st.booleans(),
            "dtype": st.sampled_from([np.int64, np.int32, np.float32, np.float64, np.uint8, bool]),
            "strip_accents": st.sampled_from([None, None, "ascii", "unicode"]),
        }
    ),
    st.sampled_from([None, 1, 2, 3, -1]),
)
@settings(max_examples=400, deadline=None)
def test_counts_equal_scikit_learns(documents, others, parameters, n_jobs):
    if parameters["analyzer"] != "word":
        parameters["token_pattern"] = Reference().token_pattern
    assert_same(documents, others, n_jobs, **parameters)


@given(
    st.lists(st.text(st.sampled_from("abcde  "), max_size=30), min_size=1, max_size=12),
    st.fixed_dictionaries(
        {
            "min_df": st.sampled_from([1, 2, 3, 0.0, 0.25, 0.5]),
            "max_df": st.sampled_from([1.0, 0.9, 0.5, 1, 2, 5]),
            "max_features": st.sampled_from([None, 1, 2, 3, 5, 30]),
            "ngram_range": ranges,
            "analyzer": st.sampled_from(["word", "char", "char_wb"]),
            "stop_words": st.sampled_from([None, ["ab", "ba", "aaaa"], ["a b", "AB"], []]),
            "binary": st.booleans(),
            "dtype": st.sampled_from([np.int64, np.float32, np.float64, np.uint8]),
        }
    ),
    st.sampled_from([None, 2]),
)
@settings(max_examples=400, deadline=None)
def test_the_choice_of_terms_equals_scikit_learns(documents, parameters, n_jobs):
    assert_same(documents, n_jobs=n_jobs, **parameters)


@given(
    corpora,
    st.one_of(
        st.lists(any_text, max_size=6),
        st.sets(any_text, max_size=6),
        st.lists(any_text, max_size=6, unique=True).map(lambda terms: {t: i for i, t in enumerate(terms)}),
        st.just({"ab": 1, "ba": 0}),
        st.just({"ab": 0, "ba": 0}),
        st.just({"ab": 2}),
        st.just(["ab", 3, None, b"ba"]),
    ),
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from(["word", "char"]),
)
@settings(max_examples=200, deadline=None)
def test_a_given_vocabulary_equals_scikit_learns(documents, vocabulary, ngram_range, analyzer):
    try:
        assert_same(documents, vocabulary=vocabulary, ngram_range=ngram_range, analyzer=analyzer)
    except TypeError:  # terms that are not text, when scikit-learn looks for upper case in them
        with pytest.raises(TypeError):
            Reference(vocabulary=vocabulary).fit_transform(documents)


CODE_POINTS = [chr(c) for c in range(sys.maxunicode + 1)]


@pytest.mark.parametrize("n_made_up", [0, 20_000])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "settings", [{}, {"ngram_range": (1, 3)}, {"ngram_range": (2, 2)}, {"analyzer": "char", "ngram_range": (2, 4)}]
)
def test_a_vocabulary_of_any_size_is_found(english_like, settings, n_jobs, n_made_up):
    # Small beside the terms of the documents it is looked up in the tables, else the terms are looked up in it.
    odd = ["", " ", "the  and", " the", "the ", "x" * 40, "x" * 40 + " the", "éé", "\ud800\ud800", "the\0and"]
    documents = [*english_like[:20], "éé éé \ud800\ud800 " + "x" * 40 + " the " * 3, *odd]
    terms = sorted(Reference(**settings).fit(english_like[10:30]).vocabulary_)[::2]
    made_up = [f"made{i} up" for i in range(n_made_up)]
    vocabulary = {term: i for i, term in enumerate([*odd, *made_up, *(t for t in terms if t not in odd)])}
    settings = {**settings, "vocabulary": vocabulary, "stop_words": None if "analyzer" in settings else ["and"]}
    vectorizer = assert_same(documents, documents[:2], n_jobs=n_jobs, **settings)
    assert vectorizer.transform(documents).nnz > 100


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point(analyzer, lowercase):
    """Alone, doubled, after and before letters of both cases: lower case may depend on neighbours."""
    case = "{0} {0}{0} x{0} {0}y Z{0}w" if analyzer == "word" else "{0}{0} x{0}"
    cases = [case.format(c) for c in CODE_POINTS]
    documents = ["\n".join(cases[i : i + 32]) for i in range(0, len(cases), 32)]
    ours = CountVectorizer(analyzer=analyzer, lowercase=lowercase, n_jobs=2)
    theirs = Reference(analyzer=analyzer, lowercase=lowercase)
    X, Y = ours.fit_transform(documents), theirs.fit_transform(documents)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (X != Y).nnz == 0


@pytest.mark.parametrize("length", [1, 7, 8, 14, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 5000])
@pytest.mark.parametrize("letter", ["a", "é", "中", "𝒳"])
def test_words_of_any_length(length, letter):
    """The borders of the inline key, of blocks and of long terms; words that differ at the end."""
    word = letter * length
    assert_same([f"{word} {word}b {word}c", f"b{word} {word}", word, word + " "], ngram_range=(1, 2))
    assert_same([word, f" {word}\n\n{word}b"], analyzer="char", ngram_range=(length, length + 1))
    assert_same([word, f" {word}\n\n{word}b"], analyzer="char_wb", ngram_range=(length, length + 1))


def test_a_word_across_blocks_in_every_form_of_str():
    for widest in ("", "é", "中", "👍"):
        for offset in range(60, 70):
            assert_same([widest + "." * offset + "Word wORD_" + "é" * (widest != "") + " end"], ngram_range=(1, 2))


@pytest.mark.parametrize("text", ["ΑΣ", "ΑΣ.", "ΑΣΑ", "Σ", "ΣΑΣ ΑΣ", "ͅΑΣͅΑ", "İstanbul İİ", "AΣ\u00ad", "Å ÅÅ KK"])
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_lower_case_that_is_not_one_to_one(text, analyzer):
    assert_same([text, text * 2, "x" * 70 + text], analyzer=analyzer, ngram_range=(1, 3), n_jobs=2)


def test_many_documents_on_threads(english_like):
    expected = outcome(Reference(ngram_range=(1, 2)), english_like, english_like[:500])
    for n_jobs in (1, 2, 3, 5):
        assert outcome(CountVectorizer(ngram_range=(1, 2), n_jobs=n_jobs), english_like, english_like[:500]) == expected


@pytest.fixture(scope="module")
def english_like():
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyzABCé中  ,."))
    return ["".join(rng.choice(letters, 300)) for _ in range(6000)]


def test_stop_words_of_any_kind():
    documents = ["The cat sat on the mat", "a counterrevolutionary characterisation of the cat", "été ETE"]
    for stop_words in ("english", ["cat"], ["characterisation", "the"], {"été"}, ["", "a\0", 3], ["don't"]):
        assert_same(documents, stop_words=stop_words, ngram_range=(1, 3))
        assert_same(documents, stop_words=stop_words, lowercase=False)


def test_max_features_breaks_ties_as_scikit_learn(english_like):
    for dtype in (np.int64, np.int32, np.float64, np.float32, np.uint8):
        for max_features in (10, 100, 5000):
            assert_same(english_like[:300], max_features=max_features, dtype=dtype)
            assert_same(english_like[:300], max_features=max_features, dtype=dtype, binary=True)


@pytest.mark.parametrize(
    ("documents", "settings", "message"),
    [
        (["a", "?"], {}, "empty vocabulary; perhaps the documents only contain stop words"),
        ([], {}, "empty vocabulary"),
        (["the"], {"stop_words": "english"}, "empty vocabulary"),
        (["ab", "cd"], {"min_df": 2}, "After pruning, no terms remain"),
        (["ab", "cd"], {"min_df": 2, "max_df": 1}, "max_df corresponds to < documents than min_df"),
        (["ab"], {"ngram_range": (2, 1)}, "lower boundary larger than the upper boundary"),
        (["ab"], {"vocabulary": []}, "empty vocabulary passed to fit"),
        (["ab"], {"vocabulary": {"ab": 1}}, "doesn't contain index 0"),
        (["ab"], {"stop_words": "klingon"}, "stop_words"),
        (["ab"], {"min_df": -1}, "min_df"),
        (["ab"], {"analyzer": "syllable"}, "analyzer"),
    ],
)
def test_errors_are_scikit_learns(documents, settings, message):
    for vectorizer in (CountVectorizer(**settings), Reference(**settings)):
        with pytest.raises(ValueError, match=message):
            vectorizer.fit_transform(documents)


def test_warnings_are_scikit_learns():
    for parameters in (
        {"stop_words": ["don't"]},
        {"vocabulary": ["AB"]},
        {"analyzer": "char", "stop_words": "english"},
        {"tokenizer": str.split},
        {"analyzer": "char", "ngram_range": (1, 2), "tokenizer": str.split},
    ):
        ours, theirs = CountVectorizer(**parameters), Reference(**parameters)
        documents = ["don't do ab"]
        caught = outcome(theirs, documents, documents)[-1]
        assert caught
        assert outcome(ours, documents, documents)[-1] == caught


def test_transform_before_fit():
    with pytest.raises(sklearn.exceptions.NotFittedError, match="Vocabulary not fitted or provided"):
        CountVectorizer().transform(["ab"])
    X = CountVectorizer(vocabulary=["cd", "ab"]).transform(["ab ab cd", "x"])
    assert X.toarray().tolist() == [[1, 2], [0, 0]]


def test_a_changed_vocabulary_counts_as_scikit_learns():
    """Users map several words to one column; scikit-learn then adds their counts."""
    documents = ["car automobile car", "bike", ""]
    matrices = []
    for vectorizer in (CountVectorizer(), Reference(), CountVectorizer(binary=True), Reference(binary=True)):
        vectorizer.fit(documents)
        vectorizer.vocabulary_ = {"automobile": 1, "car": 1, "bike": 0}
        matrices.append(parts(vectorizer.transform(documents)))
    assert matrices[0] == matrices[1]
    assert matrices[2] == matrices[3]


@needs_kernel
def test_a_vocabulary_beyond_its_columns_is_an_error():
    vectorizer = CountVectorizer().fit(["ab cd"])
    vectorizer.vocabulary_ = {"ab": 7}
    with pytest.raises(ValueError, match="vocabulary_ gives column 7, but has only 1 terms"):
        vectorizer.transform(["ab"])


def test_matrix_is_canonical():
    X = CountVectorizer().fit_transform(["b a c b ab ba", "zz yy xx ab"])
    assert X.has_sorted_indices
    assert X.has_canonical_format
    X.has_sorted_indices = False
    indices = X.indices.copy()
    X.sort_indices()
    assert X.indices.tolist() == indices.tolist()


def test_sparse_arrays_when_scikit_learn_is_asked_for_them():
    if "sparse_interface" not in sklearn.get_config():
        pytest.skip("this scikit-learn gives matrices only")
    with sklearn.config_context(sparse_interface="sparray"):
        assert isinstance(CountVectorizer().fit_transform(["ab"]), sp.csr_array)
        assert_same(["ab cd", "cd"])
        assert_same(["ab cd", "cd"], n_jobs=2)


class Recorder:
    """Counts how often the kernel is asked."""

    def __init__(self, monkeypatch):
        self.n_calls = 0
        original = _kernel.native.TermCounter

        def counted(**settings):
            self.n_calls += 1
            return original(**settings)

        monkeypatch.setattr(_kernel.native, "TermCounter", counted)


@pytest.fixture
def kernel_calls(monkeypatch):
    return Recorder(monkeypatch)


@needs_kernel
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"lowercase": False},
        {"ngram_range": (2, 3)},
        {"analyzer": "char"},
        {"analyzer": "char_wb"},
        {"stop_words": "english"},
        {"min_df": 1, "max_df": 0.9, "max_features": 3},
        {"vocabulary": ["ab"]},
        {"binary": True, "dtype": np.float32},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii"},
        {"n_jobs": 2},
    ],
)
def test_settings_the_kernel_takes(settings, kernel_calls):
    CountVectorizer(**settings).fit_transform(["ab cd", "efg"])
    assert kernel_calls.n_calls == 1


class OwnAnalyzer(CountVectorizer):
    def build_analyzer(self):
        return str.split


class OwnNgrams(CountVectorizer):
    def _word_ngrams(self, tokens, stop_words=None):
        return [*tokens, "extra"]


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(tokenizer=str.split, token_pattern=None),
        CountVectorizer(preprocessor=str.swapcase),
        CountVectorizer(token_pattern=r"\w+"),  # noqa: S106
        CountVectorizer(token_pattern=r"(?u)\b(\w)\w+\b"),  # noqa: S106
        CountVectorizer(analyzer=str.split),
        CountVectorizer(strip_accents=str.title),
        OwnAnalyzer(),
        OwnNgrams(),
    ],
)
@needs_kernel
def test_settings_that_scikit_learn_takes(vectorizer, kernel_calls):
    reference = Reference(**{k: v for k, v in vectorizer.get_params().items() if k in Reference().get_params()})
    for step in ("build_analyzer", "_word_ngrams"):
        if step in vars(type(vectorizer)):
            setattr(reference, step, getattr(vectorizer, step))
    documents = ["Ab cd a-b", "efg Ab"]
    assert parts(vectorizer.fit_transform(documents)) == parts(reference.fit_transform(documents))
    assert vectorizer.vocabulary_ == reference.vocabulary_
    assert parts(vectorizer.transform(documents)) == parts(reference.transform(documents))
    assert kernel_calls.n_calls == 0


def test_a_step_replaced_on_the_instance():
    vectorizer = CountVectorizer()
    vectorizer.build_analyzer = lambda: str.split
    assert vectorizer.fit(["a-b c"]).vocabulary_ == {"a-b": 0, "c": 1}


def test_files(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("ab cd", encoding="utf-8")
    assert CountVectorizer(input="filename").fit([str(path)]).vocabulary_ == {"ab": 0, "cd": 1}
    with path.open() as file:
        assert CountVectorizer(input="file").fit([file]).vocabulary_ == {"ab": 0, "cd": 1}


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_n_jobs_is_checked(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None or an int from -4096 to 4096 other than 0, got"):
        CountVectorizer(n_jobs=n_jobs).fit(["ab"])


def test_it_is_an_estimator():
    vectorizer = CountVectorizer(ngram_range=(1, 2), n_jobs=2, min_df=2)
    assert vectorizer.get_params()["n_jobs"] == 2
    assert set(vectorizer.get_params()) == {*Reference().get_params(), "max_terms", "min_class_df", "n_jobs", "nulls"}
    assert clone(vectorizer).set_params(n_jobs=1).get_params()["ngram_range"] == (1, 2)
    assert "CountVectorizer" in estimator_html_repr(vectorizer)
    documents = ["ab cd ab", "ab cd", "ef"]
    fitted = vectorizer.fit(documents)
    assert fitted is vectorizer
    again = pickle.loads(pickle.dumps(fitted))
    assert again.vocabulary_ == fitted.vocabulary_ == {"ab": 0, "ab cd": 1, "cd": 2}
    assert parts(again.transform(documents)) == parts(fitted.transform(documents))
    assert vectorizer.fit(["xy xy", "xy"]).vocabulary_ == {"xy": 0}
    assert make_pipeline(CountVectorizer()).fit_transform(documents).shape == (3, 3)


def test_input_is_unchanged():
    documents = ["Ab cd", "EF"]
    CountVectorizer().fit_transform(documents)
    assert documents == ["Ab cd", "EF"]


def test_inverse_transform_gives_the_terms_back():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(["cd ab", "ef"])
    assert [terms.tolist() for terms in vectorizer.inverse_transform(X)] == [["ab", "cd"], ["ef"]]


@needs_kernel
def test_a_list_may_change_while_it_is_counted():
    documents = ["".join(f"word{i} " for i in range(2000)) for _ in range(200)]
    expected = CountVectorizer().fit_transform(list(documents)).sum()
    stop = threading.Event()

    def disturb():
        while not stop.is_set():
            kept = documents.pop()
            documents.append("".join(list(kept)))

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(10):
            n_documents, total = CountVectorizer(n_jobs=2).fit_transform(documents).shape[0], 0
            assert n_documents in (199, 200)
            total = CountVectorizer(n_jobs=2).fit_transform(documents).sum()
            assert total in (expected, expected // 200 * 199)
    finally:
        stop.set()
        thread.join()


@needs_kernel
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(
    "documents",
    [
        "[' '.join(f'w{i}x{j}' for j in range(100)) for i in range(400)] * 2000",
        "[' '.join(map(str, range(10**6, 2 * 10**6)))]",
        "['ab ' * 100, 'é ' * 100_000_000]",
    ],
    ids=["many", "of many terms", "of many words"],
)
def test_ctrl_c_stops_the_count(documents, n_threads):
    settings = "analyzer='word', lowercase=True, min_n=1, max_n=3, stop_words=[]"
    setup = (
        "from troenpy._kernel import native\n"
        f"documents, counter = {documents}, native.TermCounter({settings}, n_threads={n_threads})"
    )
    assert hears_signals(setup, "counter.add(documents)")


def test_a_call_that_does_not_listen_is_told_apart():
    assert not hears_signals("import hashlib", "hashlib.sha256(bytes(10**7))")


@needs_kernel
def test_other_threads_run_while_the_kernel_counts():
    documents = ["some words " * 1000] * 500
    n_steps = 0
    done = threading.Event()

    def step():
        nonlocal n_steps
        while not done.is_set():
            n_steps += 1
            time.sleep(0.001)

    def steps_meanwhile():
        before = n_steps
        CountVectorizer().fit_transform(documents)
        return n_steps - before

    thread = threading.Thread(target=step)
    thread.start()
    try:
        assert any(steps_meanwhile() >= 3 for _ in range(100))  # a busy machine may let none be done for a while
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "vocabulary",
    [
        {"b": 1, "a": 0},
        {"a": 2, "b": 0, "c": 1},
        {"a": 0, "b": 0},
        {"a": 0, "b": 5},
        {"a": True, "b": 0},
        {None: 1, "a": 0},
    ],
)
def test_names_stand_in_the_order_of_columns_whatever_the_vocabulary(vocabulary):
    ours, theirs = CountVectorizer(), Reference()
    ours.vocabulary_ = theirs.vocabulary_ = vocabulary
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
