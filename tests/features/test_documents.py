"""Documents from lists, generators, arrays, Series and Arrow data are the same documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel
from sklearn.feature_extraction.text import CountVectorizer as Reference

from troenpy import _kernel
from troenpy.features import documents
from troenpy.features.count_vectorizer import CountVectorizer

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


TEXTS = ["the cat", "", "the cat and the dog in a much longer document", "été ΑΣ 中文 👍 中文", "cat"]


def read(source):
    """All documents as Python strings, through the reader that the kernel uses."""
    return list(documents.texts(source, bytes.decode))


def counts(source, **settings):
    vectorizer = CountVectorizer(**settings)
    X = vectorizer.fit_transform(source)
    return vectorizer.vocabulary_, X.toarray().tolist()


class CapsuleOnly:
    """Arrow data of a library we know nothing about."""

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        return self.array.__arrow_c_array__(requested_schema)


SOURCES = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "dict keys": lambda texts: dict.fromkeys(texts).keys(),
    "numpy objects": lambda texts: np.array(texts, dtype=object),
    "numpy strings": np.array,
    "numpy objects, strided": lambda texts: np.array([[t, "no"] for t in texts], dtype=object)[:, 0],
    "bytes": lambda texts: [t.encode() for t in texts],
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas strings": lambda texts: pd.Series(texts, dtype="string"),
    "pandas arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
    "pandas, odd index": lambda texts: pd.Series(texts, index=range(10, 10 + len(texts))),
    "polars": pl.Series,
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "polars sliced": lambda texts: pl.Series(["no", *texts, "no"])[1:-1],
    "polars chunked": lambda texts: pl.Series(texts[:2]).append(pl.Series(texts[2:])),
    "arrow string": lambda texts: pa.array(texts, pa.string()),
    "arrow large string": lambda texts: pa.array(texts, pa.large_string()),
    "arrow string view": lambda texts: pa.array(texts, pa.string_view()),
    "arrow sliced": lambda texts: pa.array(["no", "no", *texts, "no"]).slice(2, len(texts)),
    "arrow view sliced": lambda texts: pa.array(["no", *texts, "no"], pa.string_view()).slice(1, len(texts)),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "arrow dictionary sliced": lambda texts: pa.array(["no", *texts]).dictionary_encode().slice(1),
    "arrow chunked": lambda texts: pa.chunked_array([texts[:1], [], texts[1:]], pa.string()),
    "arrow with no nulls in its bitmap": lambda texts: pa.array([None, *texts]).slice(1),
    "arrow column": lambda texts: pa.table({"text": texts})["text"],
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_documents(source):
    assert read(SOURCES[source](TEXTS)) == TEXTS


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_source_gives_the_same_counts(source, n_jobs):
    assert counts(SOURCES[source](TEXTS), n_jobs=n_jobs) == counts(TEXTS)


def test_numpy_string_dtype():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this numpy has no string dtype")
    assert read(np.array(TEXTS, dtype=np.dtypes.StringDType())) == TEXTS


@needs_kernel
def test_an_unknown_library_with_arrow_data():
    for array in (pa.array(TEXTS), pa.array(TEXTS, pa.string_view()), pa.array(TEXTS).dictionary_encode()):
        assert read(CapsuleOnly(array)) == TEXTS
        assert counts(CapsuleOnly(array)) == counts(TEXTS)


@needs_kernel
def test_arrow_is_read_without_python_strings(monkeypatch):
    monkeypatch.delattr(_kernel.native.ArrowTexts, "to_list")
    assert counts(pl.Series(TEXTS)) == counts(TEXTS)


def test_without_the_kernel_arrow_is_converted(without_kernel):
    for source in ("polars", "arrow string view", "arrow dictionary", "pandas strings", "polars categories"):
        assert counts(SOURCES[source](TEXTS)) == counts(TEXTS)
    with pytest.raises(TypeError, match=r"CapsuleOnly can only be read as Arrow data, which needs the compiled kernel"):
        read(CapsuleOnly(pa.array(TEXTS)))


@pytest.mark.parametrize(
    "index",
    [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()],
)
@needs_kernel
def test_dictionary_indices_of_every_type(index):
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0, 2, 1], index), pa.array(["ab", "cd", "ef"]))
    assert read(array) == ["cd", "ab", "ef", "cd"]


utf8_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(
    st.lists(st.one_of(utf8_text, st.text(st.sampled_from("aB ΣİÉ中👍.\0"), max_size=90)), min_size=1, max_size=10),
    st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]),
    st.integers(0, 3),
    st.sampled_from(["word", "char", "char_wb"]),
    st.sampled_from([1, 2]),
)
@settings(max_examples=300, deadline=None)
def test_arrow_has_the_tokens_of_python_strings(texts, layout, n_before, analyzer, n_jobs):
    array = pa.array([*["before"] * n_before, *texts, "after"], layout).slice(n_before, len(texts))
    reference = Reference(analyzer=analyzer)
    vectorizer = CountVectorizer(analyzer=analyzer, n_jobs=n_jobs)
    try:
        expected = reference.fit_transform(texts)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            vectorizer.fit_transform(array)
        return
    X = vectorizer.fit_transform(array)
    assert vectorizer.vocabulary_ == reference.vocabulary_
    assert X.toarray().tolist() == expected.toarray().tolist()


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff",
        b"ab\xc3",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf5\x80\x80\x80",
        b"\xe0\x80\x80",
        b"a" * 70 + b"\xe4\xb8",
    ],
)
@needs_kernel
def test_arrow_data_that_is_not_utf8(broken):
    array = pa.array([b"fine", broken], pa.binary()).view(pa.string())
    with pytest.raises(ValueError, match="document 1 is not valid UTF-8: decode it to str first"):
        CountVectorizer().fit(array)


def test_bytes_are_decoded_as_scikit_learn_does():
    documents_in_latin1 = ["été ab".encode("latin-1")]
    assert CountVectorizer(encoding="latin-1").fit(documents_in_latin1).vocabulary_ == {"ab": 0, "été": 1}
    assert CountVectorizer(decode_error="ignore").fit(documents_in_latin1).vocabulary_ == {"ab": 0}
    with pytest.raises(UnicodeDecodeError, match="invalid continuation byte"):
        CountVectorizer().fit(documents_in_latin1)


class ReadOnce:
    """A source that can be read once, and counts how often it is."""

    def __init__(self, texts):
        self.texts = texts
        self.n_read = 0

    def __iter__(self):
        for text in self.texts:
            self.n_read += 1
            yield text


@pytest.mark.parametrize("parameters", [{}, {"token_pattern": r"\w+"}, {"tokenizer": str.split, "token_pattern": None}])
def test_a_generator_is_read_exactly_once(parameters):
    source = ReadOnce(TEXTS)
    assert counts(source, **parameters) == counts(TEXTS, **parameters)
    assert source.n_read == len(TEXTS)


def test_a_generator_is_read_in_batches(monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 5)
    assert len(list(documents.batches(iter(TEXTS), bytes.decode))) > 2
    assert counts(iter(TEXTS)) == counts(TEXTS)
    with pytest.raises(ValueError, match="document 5 is missing"):
        CountVectorizer().fit(iter([*TEXTS, None]))


class Word(str):
    """A str, as enumerations and numpy have them."""

    __slots__ = ()

    def __str__(self):
        return "something else"


def test_a_subclass_of_str_is_the_text_it_holds():
    assert read([Word("ab cd"), np.str_("ef")]) == ["ab cd", "ef"]
    assert counts([Word("ab cd"), np.str_("ef")]) == counts(["ab cd", "ef"])


MISSING = {
    "None": ["ab", None],
    "generator": iter(["ab", None]),
    "pandas NA": pd.Series(["ab", pd.NA], dtype="string"),
    "pandas NA object": pd.Series(["ab", pd.NA], dtype=object),
    "pandas NaT": ["ab", pd.NaT],
    "pandas categories": pd.Series(["ab", None], dtype="category"),
    "pandas arrow": pd.Series(["ab", None], dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series(["ab", None]),
    "arrow": pa.array(["ab", None]),
    "arrow view": pa.array(["ab", None], pa.string_view()),
    "arrow dictionary": pa.array(["ab", None]).dictionary_encode(),
    "arrow null in the dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["ab", None])),
    "arrow chunked": pa.chunked_array([["ab"], [None, "cd"]]),
    "arrow sliced": pa.array([None, "ab", None]).slice(1),
}


@pytest.mark.parametrize("source", MISSING)
def test_a_missing_document_is_named(source):
    with pytest.raises(ValueError, match=r"document 1 is missing .*: drop it or fill it, e.g. with ''"):
        CountVectorizer().fit(MISSING[source])


def test_nan_is_named_in_scikit_learns_words():
    for source in (["ab", np.nan], np.array(["ab", float("nan")], dtype=object)):
        with pytest.raises(
            ValueError, match=r"document 1 is missing \(nan\): drop it or .* np.nan is an invalid document"
        ):
            CountVectorizer().fit(source)
    with pytest.raises(ValueError, match="document 0 is missing"):
        CountVectorizer().fit(pa.nulls(2))


@pytest.mark.parametrize("document", [3, 2.5, ["ab"], {"text": "ab"}, object, bytearray(b"ab")])
def test_what_is_not_text_is_named(document):
    with pytest.raises(TypeError, match=r"documents must be str or bytes, got \w+ for document 1 \(.*\): convert it"):
        CountVectorizer().fit(["ab", document])
    with pytest.raises(TypeError, match=r"documents must be str or bytes, got .* for document 1"):
        CountVectorizer(token_pattern=r"\w+").fit(["ab", document])  # noqa: S106


def test_numbers_are_named():
    with pytest.raises(TypeError, match="documents must be str or bytes, got int for document 0"):
        CountVectorizer().fit(np.arange(3))
    with pytest.raises(TypeError, match="documents must be str or bytes, got int for document 0"):
        CountVectorizer().fit(pd.Series([1, 2]))


@needs_kernel
def test_arrow_numbers_are_named():
    for numbers in (pa.array([1, 2]), pl.Series([1, 2]), pa.array([1]).dictionary_encode()):
        with pytest.raises(TypeError, match="documents must be str or bytes, got int for document 0"):
            CountVectorizer().fit(numbers)


@pytest.mark.parametrize(
    "table",
    [
        np.array([["ab"], ["cd"]]),
        np.array("ab"),
        pd.DataFrame({"text": ["ab", "cd"]}),
        pl.DataFrame({"text": ["ab", "cd"]}),
        pa.table({"text": ["ab", "cd"]}),
    ],
)
def test_a_table_is_not_a_column(table):
    with pytest.raises(
        ValueError, match=r"raw_documents must have one dimension, got \w+ of shape .*: pass the column"
    ):
        CountVectorizer().fit(table)
    with pytest.raises(ValueError, match="must have one dimension"):
        CountVectorizer().fit(["ab"]).transform(table)


@needs_kernel
def test_a_stream_of_tables_is_not_a_column():
    reader = pa.table({"text": ["ab"]}).to_reader()
    with pytest.raises(ValueError, match="documents must be one column of text, got a table: pass the column"):
        CountVectorizer().fit(reader)


@pytest.mark.parametrize("text", ["one text", b"one text"])
def test_a_single_text_is_not_a_collection(text):
    message = r"Iterable over raw text documents expected, \w+ object received. For one document pass \[text\]"
    with pytest.raises(ValueError, match=message):
        CountVectorizer().fit(text)
    with pytest.raises(ValueError, match=message):
        CountVectorizer().fit(["ab"]).transform(text)


def test_a_custom_analyzer_takes_documents_of_any_kind():
    vectorizer = CountVectorizer(analyzer=list)
    assert vectorizer.fit([["ab"], ["cd"]]).vocabulary_ == {"ab": 0, "cd": 1}


def test_a_custom_tokenizer_takes_arrow_data():
    settings = {"tokenizer": str.split, "token_pattern": None}
    assert counts(pl.Series(TEXTS), **settings) == counts(TEXTS, **settings)


@pytest.mark.parametrize("make", [pl.Series, pa.array, lambda texts: pa.array(texts, pa.large_binary())])
def test_bytes_in_arrow_data_are_decoded_as_scikit_learn_does(make):
    series = make(["café aa".encode("latin-1"), b"bb"])
    assert sorted(CountVectorizer(encoding="latin-1").fit(series).vocabulary_) == ["aa", "bb", "café"]
    with pytest.raises(UnicodeDecodeError, match="utf-8"):
        CountVectorizer().fit(series)
