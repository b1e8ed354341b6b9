"""Documents from lists, generators, arrays, Series and Arrow data are the same documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel
from sklearn.feature_extraction.text import CountVectorizer as Reference

import troenpy
from troenpy import TfPiVectorizer, _kernel
from troenpy.features import documents
from troenpy.features.count_vectorizer import CountVectorizer

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


OWN_TOKENIZER = {"tokenizer": str.split, "token_pattern": None}
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
    "arrow table": lambda texts: pa.table({"text": texts}),
    "arrow table chunked": lambda texts: pa.table({"text": pa.chunked_array([texts[:1], [], texts[1:]], pa.string())}),
    "arrow table sliced": lambda texts: pa.table({"text": ["no", *texts, "no"]}).slice(1, len(texts)),
    "arrow table of categories": lambda texts: pa.table({"text": pa.array(texts).dictionary_encode()}),
    "arrow record batch": lambda texts: pa.record_batch({"text": texts}),
    "arrow record batch sliced": lambda texts: pa.record_batch({"text": ["no", *texts, "no"]}).slice(1, len(texts)),
    "arrow reader": lambda texts: pa.table({"text": texts}).to_reader(max_chunksize=2),
    "arrow reader of views": lambda texts: pa.table({"text": pa.array(texts, pa.string_view())}).to_reader(2),
    "arrow reader of categories": lambda texts: pa.table({"text": pa.array(texts).dictionary_encode()}).to_reader(2),
    "arrow reader of bytes": lambda texts: pa.table({"text": [text.encode() for text in texts]}).to_reader(2),
    "arrow table of bytes": lambda texts: pa.table({"text": [text.encode() for text in texts]}),
    "arrow categories of bytes": lambda texts: pa.array([text.encode() for text in texts]).dictionary_encode(),
    "polars frame": lambda texts: pl.DataFrame({"text": texts}),
    "polars frame of categories": lambda texts: pl.DataFrame({"text": pl.Series(texts, dtype=pl.Categorical)}),
    "polars frame sliced": lambda texts: pl.DataFrame({"text": ["no", *texts, "no"]})[1:-1],
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
    with pytest.raises(ValueError, match=r"document 1 is missing .*: drop it, fill it with '', or set nulls='empty'"):
        CountVectorizer().fit(MISSING[source])


def test_nan_is_named_in_scikit_learns_words():
    for source in (["ab", np.nan], np.array(["ab", float("nan")], dtype=object)):
        with pytest.raises(
            ValueError, match=r"document 1 is missing \(nan\): drop it, .* np.nan is an invalid document"
        ):
            CountVectorizer().fit(source)
    with pytest.raises(ValueError, match=r"2 documents are missing \(None\), at 0 and 1: drop them, fill them with"):
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
    ],
)
def test_a_table_is_not_a_column(table):
    with pytest.raises(
        ValueError, match=r"raw_documents must have one dimension, got \w+ of shape .*: pass the column"
    ):
        CountVectorizer().fit(table)
    with pytest.raises(ValueError, match="must have one dimension"):
        CountVectorizer().fit(["ab"]).transform(table)


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("make", [pa.table, pa.record_batch, lambda rows: pa.table(rows).to_reader(), pl.DataFrame])
def test_of_several_columns_none_is_guessed(make):
    message = (
        r"documents must be one column of text, got a table of 2 columns \('id', 'text'\): pass one, e.g. .*\['text'\]"
    )
    with pytest.raises(ValueError, match=message):
        CountVectorizer().fit(make({"id": [1, 2], "text": ["ab", "cd"]}))
    with pytest.raises(ValueError, match="got a table of 2 columns"):
        CountVectorizer(tokenizer=str.split, token_pattern=None).fit(make({"id": [1, 2], "text": ["ab", "cd"]}))
    with pytest.raises(ValueError, match=r"of 20 columns \('c0', .*, 'c7', \.\.\.\): pass one, e.g. table\['c0'\]"):
        CountVectorizer().fit(make({f"c{i}": ["ab"] for i in range(20)}))


@needs_kernel
def test_a_table_of_an_unknown_library():
    assert read(CapsuleOnly(pa.record_batch({"text": TEXTS}))) == TEXTS
    assert read(CapsuleOnly(pa.record_batch({"text": ["no", *TEXTS]}).slice(1))) == TEXTS
    with pytest.raises(ValueError, match=r"got a table of 2 columns \('a', 'b\\n'\): pass one, e.g. table\['a'\]"):
        CountVectorizer().fit(CapsuleOnly(pa.record_batch({"a": ["x"], "b\n": ["y"]})))
    with pytest.raises(ValueError, match="documents must be text, got Arrow data of format 'l': cast the"):
        CountVectorizer().fit(CapsuleOnly(pa.record_batch({"a": [1]})))


@needs_kernel
def test_a_missing_row_of_a_struct_is_a_missing_document():
    column = pa.array(["ab", "cd", None, "ef"])
    rows = pa.StructArray.from_arrays([column], ["text"], mask=pa.array([False, True, False, False]))
    for first in (0, 1):
        expected = ["ab", "", "", "ef"][first:]
        assert list(documents.texts(CapsuleOnly(rows.slice(first)), bytes.decode, "empty")) == expected


def endless(n_batches, read_so_far):
    """A stream of record batches that notes what was read."""
    for i in range(n_batches):
        read_so_far.append(i)
        yield pa.record_batch({"text": [f"word{i} common"] * 2})


@needs_kernel
def test_a_reader_is_read_batch_by_batch(monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 50)
    read_so_far = []
    schema = pa.schema({"text": pa.string()})
    source = pa.RecordBatchReader.from_batches(schema, endless(100, read_so_far))
    batches = documents.batches(source, bytes.decode)
    assert len(next(batches)) == 4
    assert len(read_so_far) < 6
    assert sum(map(len, batches)) == 196
    assert len(read_so_far) == 100


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("n_characters", [1, 40, 1 << 24])
def test_readers_give_the_counts_of_a_list(monkeypatch, n_characters):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", n_characters)
    expected = counts([f"word{i} common" for i in range(20) for _ in range(2)])
    schema = pa.schema({"text": pa.string()})
    assert counts(pa.RecordBatchReader.from_batches(schema, endless(20, []))) == expected
    source = pa.RecordBatchReader.from_batches(schema, endless(20, []))
    labels = ["x", "y"] * 20
    fitted = TfPiVectorizer().fit(source, labels)
    source = pa.RecordBatchReader.from_batches(schema, endless(20, []))
    streamed = TfPiVectorizer().partial_fit(source, labels)
    assert fitted.vocabulary_ == streamed.vocabulary_ == expected[0]
    with pytest.raises(ValueError, match="got 3 labels for 40 documents"):
        TfPiVectorizer().fit(pa.RecordBatchReader.from_batches(schema, endless(20, [])), ["x", "y", "x"])


def fails_halfway():
    yield pa.record_batch({"text": ["ab"]})
    raise RuntimeError("the disk is gone")


@pytest.mark.usefixtures("kernel_or_twin")
def test_a_reader_that_fails_says_why():
    reader = pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), fails_halfway())
    with pytest.raises(RuntimeError, match=r"^.*the disk is gone\.?$"):
        CountVectorizer().fit(reader)


@pytest.mark.usefixtures("kernel_or_twin")
def test_empty_tables_and_readers():
    schema = pa.schema({"text": pa.string()})
    for empty in (
        schema.empty_table(),
        schema.empty_table().to_reader(),
        pl.DataFrame({"text": pl.Series([], dtype=str)}),
    ):
        assert CountVectorizer().fit(["ab"]).transform(empty).shape == (0, 1)


def with_missing(make):
    return make(["ab", None, "cd ab", None])


GAPS = {
    "list": lambda: ["ab", None, "cd ab", np.nan],
    "generator": lambda: iter(["ab", pd.NA, "cd ab", None]),
    "numpy": lambda: np.array(["ab", None, "cd ab", np.nan], dtype=object),
    "pandas": lambda: with_missing(pd.Series),
    "pandas strings": lambda: with_missing(lambda texts: pd.Series(texts, dtype="string")),
    "pandas arrow": lambda: with_missing(lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string()))),
    "polars": lambda: with_missing(pl.Series),
    "polars categories": lambda: with_missing(lambda texts: pl.Series(texts, dtype=pl.Categorical)),
    "polars frame": lambda: with_missing(lambda texts: pl.DataFrame({"text": texts})),
    "arrow": lambda: with_missing(pa.array),
    "arrow view": lambda: with_missing(lambda texts: pa.array(texts, pa.string_view())),
    "arrow bytes": lambda: pa.array([b"ab", None, b"cd ab", None]),
    "arrow dictionary": lambda: with_missing(lambda texts: pa.array(texts).dictionary_encode()),
    "arrow chunked": lambda: pa.chunked_array([["ab"], [None, "cd ab"], [None]]),
    "arrow batch": lambda: with_missing(lambda texts: pa.record_batch({"text": texts})),
    "arrow reader": lambda: with_missing(lambda texts: pa.table({"text": texts}).to_reader(4)),
}


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("source", GAPS)
@pytest.mark.parametrize(
    "parameters", [{}, {"tokenizer": str.split, "token_pattern": None}, {"strip_accents": "ascii"}]
)
def test_missing_documents_may_be_empty_ones(source, parameters):
    full = ["ab", "", "cd ab", ""]
    assert counts(GAPS[source](), nulls="empty", **parameters) == counts(full, **parameters)
    vectorizer = CountVectorizer(nulls="empty", **parameters).fit(["ab cd"])
    assert vectorizer.transform(GAPS[source]()).toarray().tolist() == [[1, 0], [0, 0], [1, 1], [0, 0]]
    with pytest.raises(ValueError, match=r"missing \(\S+\).*: drop .* or set nulls='empty'"):
        CountVectorizer(**parameters).fit(GAPS[source]())


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("source", GAPS)
def test_missing_documents_are_counted(source):
    among = "2 of the first 4 documents" if source in ("generator", "arrow reader") else "2 documents"
    with pytest.raises(ValueError, match=rf"^{among} are missing \(.*\), at 1 and 3: drop them, fill them with ''"):
        CountVectorizer().fit(GAPS[source]())


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize("make", [iter, lambda texts: pa.table({"text": texts}).to_reader(2)])
def test_of_a_stream_the_documents_so_far_are_counted(make, monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 2)
    texts = ["ab cd", "ab cd", None, None, "ab cd ef", None]
    with pytest.raises(ValueError, match=r"^2 of the first 4 documents are missing \(None\), at 2 and 3: drop them"):
        CountVectorizer().fit(make(texts))


def test_only_the_first_of_many_missing_documents_are_named():
    for source in ([None, "ab"] * 10, pa.array([None, "ab"] * 10)):
        with pytest.raises(ValueError, match=r"^10 documents are missing \(None\), the first at 0, 2, 4, 6 and 8:"):
            CountVectorizer().fit(source)


@needs_kernel
def test_empty_ones_are_read_without_python_strings(monkeypatch):
    monkeypatch.delattr(_kernel.native.ArrowTexts, "to_list")
    assert counts(pl.Series(["ab", None]), nulls="empty") == counts(["ab", ""])


def test_a_custom_analyzer_sees_missing_documents_itself_unless_they_are_empty():
    def words(document):
        return ["nothing"] if document is None else document.split()

    assert CountVectorizer(analyzer=words).fit(["ab", None]).vocabulary_ == {"ab": 0, "nothing": 1}
    assert CountVectorizer(analyzer=words, nulls="empty").fit(["ab", None]).vocabulary_ == {"ab": 0}


def test_missing_documents_in_every_estimator(tmp_path):
    texts, labels = ["late goal", None, "late vote", "close vote", None], ["s", "s", "p", "p", "p"]
    full = ["" if text is None else text for text in texts]
    whole = TfPiVectorizer().fit(full, labels)
    batches = TfPiVectorizer(nulls="empty").partial_fit(texts[:2], labels[:2])
    batches.partial_fit(pa.array(texts[2:]), labels[2:])
    assert batches.counts_ == whole.counts_
    for name in ("linear", "knn"):
        options = {} if name == "linear" else {"n_neighbors": 1}
        model = troenpy.settings.classifier(name, nulls="empty", **options).fit(texts, labels)
        expected = troenpy.settings.classifier(name, **options).fit(full, labels).predict(full)
        troenpy.save(model, tmp_path / name)
        for same in (model, troenpy.load(tmp_path / name)):
            assert same.get_params()["features__words__nulls"] == "empty"
            assert same.predict(pl.Series(texts)).tolist() == expected.tolist()
        model.features_.views_[0].counter.set_params(nulls="error")
        with pytest.raises(ValueError, match="2 documents are missing"):
            model.predict(texts)


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
