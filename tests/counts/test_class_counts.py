"""ClassCounts: worked by hand, by every kind of label and matrix, and by addition."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from troenpy import ClassCounts

X = np.array([[1, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 0]])
Y = ["b", "a", "b", "a"]
COUNTS = ClassCounts.from_matrix(X, Y, terms=["goal", "vote", "coal"])


def fields(counts):
    """Give all fields as plain lists."""
    return {
        "classes": counts.classes.tolist(),
        "n_documents": counts.n_documents,
        "n_docs": counts.n_docs.tolist(),
        "doc_freq": counts.doc_freq.toarray().tolist(),
        "term_docs": counts.term_docs.tolist(),
        "terms": None if counts.terms is None else counts.terms.tolist(),
    }


def count_of(n, dtype=np.int64):
    """Build counts of n documents of one class, all with the one term."""
    one = np.array([n], dtype=dtype)
    return ClassCounts(classes=["a"], n_documents=n, n_docs=one, doc_freq=sparse.csc_array([one]), term_docs=one)


# Worked by hand.


def test_worked_example():
    assert fields(COUNTS) == {
        "classes": ["a", "b"],
        "n_documents": 4,
        "n_docs": [2, 2],
        "doc_freq": [[0, 1, 0], [2, 1, 1]],
        "term_docs": [2, 2, 1],
        "terms": ["goal", "vote", "coal"],
    }


def test_worked_example_of_several_labels_and_none():
    # Document 0 has both labels, document 1 the second, document 2 none.
    counts = ClassCounts.from_matrix([[1, 0], [1, 1], [1, 2]], [[1, 1], [0, 1], [0, 0]])
    assert fields(counts) == {
        "classes": [0, 1],
        "n_documents": 3,
        "n_docs": [1, 2],
        "doc_freq": [[1, 0], [2, 1]],
        "term_docs": [3, 2],
        "terms": None,
    }


def test_worked_example_of_weights():
    counts = ClassCounts.from_matrix([[1, 0], [1, 1], [0, 2]], ["a", "b", "b"], sample_weight=[0.5, 2, 0])
    assert fields(counts) == {
        "classes": ["a", "b"],
        "n_documents": 2.5,
        "n_docs": [0.5, 2],
        "doc_freq": [[0.5, 0], [2, 2]],
        "term_docs": [2.5, 2],
        "terms": None,
    }
    assert counts.is_weighted
    assert not COUNTS.is_weighted


def test_no_documents_and_no_terms_are_counts_too():
    assert ClassCounts.from_matrix(np.zeros((0, 3)), []).term_docs.tolist() == [0, 0, 0]
    assert ClassCounts.from_matrix(np.zeros((2, 0)), ["a", "b"], terms=[]).n_docs.tolist() == [1, 1]
    assert ClassCounts.from_matrix(np.zeros((0, 1)), np.zeros((0, 2))).classes.tolist() == [0, 1]


@given(data=st.data(), n=st.integers(1, 8), V=st.integers(1, 4), K=st.integers(2, 4))
@settings(max_examples=60, deadline=None)
def test_equals_the_plain_loop(data, n, V, K):
    matrix = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=V, max_size=V), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.lists(st.integers(0, 1), min_size=K, max_size=K), min_size=n, max_size=n))
    counts = ClassCounts.from_matrix(matrix, labels)
    assert counts.n_documents == n
    assert counts.n_docs.tolist() == [sum(labels[d][i] for d in range(n)) for i in range(K)]
    assert counts.term_docs.tolist() == [sum(matrix[d][w] > 0 for d in range(n)) for w in range(V)]
    assert counts.doc_freq.toarray().tolist() == [
        [sum(matrix[d][w] > 0 and labels[d][i] for d in range(n)) for w in range(V)] for i in range(K)
    ]


# Labels of every kind.


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b", "a"], ["a", "b"]),
        (("b", "a", "b", "a"), ["a", "b"]),
        (np.array(["b", "a", "b", "a"]), ["a", "b"]),
        (np.array(["b", "a", "b", "a"], dtype=object), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], index=[9, 7, 5, 3]), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], dtype="string"), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], dtype="category"), ["a", "b"]),
        (pd.Series(["b", "a", "b", "a"], dtype="object"), ["a", "b"]),
        (pd.Index(["b", "a", "b", "a"]), ["a", "b"]),
        ([7, -2, 7, -2], [-2, 7]),
        (np.array([7, 2, 7, 2], dtype=np.uint8), [2, 7]),
        (np.array([7, 2, 7, 2], dtype=object), [2, 7]),
        (pd.Series([7, 2, 7, 2], dtype="Int64"), [2, 7]),
        (pd.Series([7, 2, 7, 2], dtype="category"), [2, 7]),
        ([True, False, True, False], [False, True]),
        (np.array([True, False, True, False], dtype=object), [False, True]),
        (pd.Series([True, False, True, False], dtype="boolean"), [False, True]),
        ([2.0, 1.0, 2.0, 1.0], [1.0, 2.0]),
        (np.array([2, 1, 2, 1], dtype=np.float32), [1.0, 2.0]),
        (pd.Series([2.0, 1.0, 2.0, 1.0], dtype="Float64"), [1.0, 2.0]),
        (pd.Series(["b", "a", "b", "a"], dtype=pd.ArrowDtype(pa.string())), ["a", "b"]),
        (pa.array(["b", "a", "b", "a"]), ["a", "b"]),
        (pa.array(["b", "a", "b", "a"], pa.string_view()), ["a", "b"]),
        (pa.array(["b", "a", "b", "a"]).dictionary_encode(), ["a", "b"]),
        (pa.chunked_array([["b"], ["a", "b", "a"]]), ["a", "b"]),
        (pa.array([None, "b", "a", "b", "a"]).slice(1), ["a", "b"]),
        (pa.table({"y": ["b", "a", "b", "a"]})["y"].combine_chunks().dictionary_encode(), ["a", "b"]),
        (list(pa.array(["b", "a", "b", "a"])), ["a", "b"]),
        (list(pa.array([7, 2, 7, 2])), [2, 7]),
        (pa.array([7, 2, 7, 2], pa.int8()), [2, 7]),
        (pa.array([7, 2, 7, 2]).dictionary_encode(), [2, 7]),
        (pa.array([True, False, True, False]), [False, True]),
        (pa.array([2.0, 1.0, 2.0, 1.0]), [1.0, 2.0]),
        (pl.Series(["b", "a", "b", "a"]), ["a", "b"]),
        (pl.Series(["b", "a", "b", "a"], dtype=pl.Categorical), ["a", "b"]),
        (pl.Series(["b", "a", "b", "a"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
        (pl.Series([7, 2, 7, 2]), [2, 7]),
        (pl.Series([True, False, True, False]), [False, True]),
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
)
def test_one_label_per_document(y, classes):
    counts = ClassCounts.from_matrix(X, y)
    assert [(type(label), label) for label in counts.classes.tolist()] == [(type(label), label) for label in classes]
    assert counts.n_docs.tolist() == [2, 2]
    assert counts.doc_freq.toarray().tolist() == [[0, 1, 0], [2, 1, 1]]


@pytest.mark.parametrize("make", [list, np.array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array, pd.DataFrame])
@pytest.mark.parametrize("dtype", [int, bool, float])
def test_indicator_of_any_make(make, dtype):
    indicator = np.array([[0, 1], [1, 0], [0, 1], [1, 0]], dtype=dtype)
    counts = ClassCounts.from_matrix(X, make(indicator.tolist() if make is list else indicator))
    assert counts.classes.tolist() == [0, 1]
    assert counts.doc_freq.toarray().tolist() == [[0, 1, 0], [2, 1, 1]]


def test_a_sparse_indicator_with_explicit_zeros():
    entries = np.array([1, 0, 1, 1, 1]), np.array([1, 0, 0, 1, 0]), np.array([0, 2, 3, 4, 5])
    counts = ClassCounts.from_matrix(X, sparse.csr_array(entries, shape=(4, 2)))
    assert counts.n_docs.tolist() == [2, 2]


def test_a_class_without_documents_stays():
    assert ClassCounts.from_matrix([[1], [1]], [[1, 0, 0], [0, 0, 1]]).n_docs.tolist() == [1, 0, 1]


def test_a_column_of_labels_warns_as_scikit_learn_does():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        counts = ClassCounts.from_matrix(X, np.array(Y)[:, np.newaxis], terms=COUNTS.terms)
    assert counts == COUNTS


@pytest.mark.parametrize("make", [list, lambda y: np.array(y, dtype=object)])
def test_labels_differ_by_trailing_nul_and_by_surrogates(make):
    y = ["a", "a\0", "\ud800", "é"]
    assert ClassCounts.from_matrix(X, make(y)).classes.tolist() == ["a", "a\0", "é", "\ud800"]


def test_more_classes_than_half_of_the_documents_do_not_warn():
    assert len(ClassCounts.from_matrix(np.ones((50, 1)), np.arange(50)).classes) == 50


MISSING = [
    ["a", None, "b"],
    ["a", math.nan, "b"],
    [1.0, math.nan, 2.0],
    np.array(["a", None, "b"], dtype=object),
    np.array([1, math.nan, 2], dtype=object),
    pd.Series(["a", None, "b"]),
    pd.Series(["a", None, "b"], dtype="string"),
    pd.Series(["a", None, "b"], dtype="category"),
    pd.Series([1, None, 2], dtype="Int64"),
    pd.Series([True, None, False], dtype="boolean"),
    pd.Series([1, None, 2], dtype="Float64"),
    pd.Series(["a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
    pa.array(["a", None, "b"]),
    pa.array(["a", None, "b"]).dictionary_encode(),
    pa.chunked_array([["a"], [None, "b"]]),
    pa.array([2**60 + 1, None, 2]),
    pa.array([True, None, False]),
    list(pa.array(["a", None, "b"])),
    pl.Series(["a", None, "b"]),
    pl.Series(["a", None, "b"], dtype=pl.Categorical),
    pl.Series([1, None, 2]),
    pl.Series([True, None, False]),
]


@pytest.mark.parametrize("y", MISSING, ids=lambda y: f"{type(y).__name__}-{getattr(y, 'dtype', '')}")
def test_a_missing_label_is_an_error(y):
    with pytest.raises(ValueError, match="y has no label at position 1: drop that document or give it a class"):
        ClassCounts.from_matrix(np.ones((3, 1)), y)


@pytest.mark.parametrize("make", [list, lambda y: np.array(y, dtype=object)])
def test_labels_of_mixed_types_are_an_error(make):
    with pytest.raises(ValueError, match="must be all strings or all integers, got int, str: convert y first"):
        ClassCounts.from_matrix([[1], [1]], make([1, "a"]))


def test_continuous_labels_are_an_error():
    with pytest.raises(ValueError, match=r"got continuous values such as 0\.5: bin them into classes first"):
        ClassCounts.from_matrix([[1], [1]], [1.0, 0.5])


@pytest.mark.parametrize("y", [[[1, 2], [3, 4]], [["a", "b"], ["a", "c"]], [[0.5, 1], [1, 0]]])
def test_several_outputs_are_an_error(y):
    with pytest.raises(ValueError, match=r"or be a 0/1 indicator matrix, got a \(2, 2\) array of type .*-multioutput"):
        ClassCounts.from_matrix([[1], [1]], y)


@pytest.mark.parametrize("y", [[[-1, 1], [1, -1]], [[1, -1], [1, 1]], [[0, -1], [-1, 0]]])
def test_an_indicator_of_other_numbers_is_an_error(y):
    with pytest.raises(ValueError, match="an indicator matrix holds 0 and 1, got -1"):
        ClassCounts.from_matrix([[1], [1]], y)
    with pytest.raises(ValueError, match="an indicator matrix holds 0 and 1, got 2"):
        ClassCounts.from_matrix([[1], [1]], sparse.csr_array([[0, 2], [2, 0]]))


@pytest.mark.parametrize(
    "y",
    [
        *([["a", "b"], ["a"]], [["a"], []], [[1], [1, 2]]),
        *(make([["a", "b"], ["a"]]) for make in (pa.array, pl.Series)),
    ],
)
def test_lists_of_labels_are_an_error_that_names_the_binarizer(y):
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        ClassCounts.from_matrix([[1], [1]], y)


@pytest.mark.parametrize("y", [None, "ab", 3])
def test_a_single_label_is_an_error(y):
    with pytest.raises(ValueError, match="y must hold one label per document, got the single value"):
        ClassCounts.from_matrix([[1], [1]], y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[[1]]], r"shape \(1, 1, 1\)"),
        (np.array(["2020-01-01"], dtype="M8[D]"), r"labels must be strings, integers, .* got dtype datetime64"),
        ([1j], r"labels must be strings, integers, .* got dtype complex128"),
        ([b"a"], r"labels must be strings, integers, .* got dtype \|S1"),
    ],
    ids=["3-d", "dates", "complex", "bytes"],
)
def test_labels_that_are_no_class_names_are_an_error(y, message):
    with pytest.raises(ValueError, match=message):
        ClassCounts.from_matrix([[1]], y)


@pytest.mark.parametrize("y", [[2**70, 1], np.array([2**63, 1], dtype=np.uint64), [math.inf, 1.0]])
def test_a_label_too_large_for_an_integer_is_an_error(y):
    with pytest.raises(ValueError, match=r"labels must be finite and fit 64-bit integers, got .*: use strings"):
        ClassCounts.from_matrix([[1], [1]], y)


# Matrices of every kind.


def as_unsorted_csr(dense):
    matrix = sparse.csr_array(dense)
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[start:end] = matrix.indices[start:end][::-1].copy()
        matrix.data[start:end] = matrix.data[start:end][::-1].copy()
    matrix.has_sorted_indices = False
    return matrix


def with_explicit_zeros(dense):
    columns = np.tile(np.arange(dense.shape[1]), len(dense))
    return sparse.csr_array((dense.ravel(), columns, np.arange(0, dense.size + 1, dense.shape[1])), shape=dense.shape)


def with_duplicates(dense):
    halves = sparse.csr_array(dense)
    return sparse.csr_array(
        (np.repeat(halves.data / 2, 2), np.repeat(halves.indices, 2), 2 * halves.indptr), shape=dense.shape
    )


MAKES = {
    "list": np.ndarray.tolist,
    "float32": lambda a: a.astype(np.float32),
    "bool": lambda a: a > 0,
    "fortran": np.asfortranarray,
    "frame": pd.DataFrame,
    "csr_matrix": sparse.csr_matrix,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "lil": sparse.lil_array,
    "int64 indices": lambda a: sparse.csr_array(
        (sparse.csr_array(a).data, np.nonzero(a)[1].astype(np.int64), sparse.csr_array(a).indptr.astype(np.int64))
    ),
    "unsorted": as_unsorted_csr,
    "explicit zeros": with_explicit_zeros,
    "duplicates": with_duplicates,
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_the_same_counts_from_any_matrix(make):
    assert ClassCounts.from_matrix(make(X), Y, terms=COUNTS.terms) == COUNTS


def test_the_odd_matrices_are_odd():
    assert not as_unsorted_csr(np.ones((2, 2))).has_canonical_format
    assert with_explicit_zeros(X).nnz == X.size
    assert with_duplicates(X).nnz == 2 * np.count_nonzero(X)


@pytest.mark.parametrize("make", [sparse.csr_array, as_unsorted_csr, with_explicit_zeros, with_duplicates])
def test_input_is_not_changed_and_may_be_read_only(make):
    matrix, y, weight = make(X), np.array(Y), np.ones(4)
    parts = [matrix.data, matrix.indices, matrix.indptr, y, weight]
    before = [part.copy() for part in parts]
    for part in parts:
        part.setflags(write=False)
    ClassCounts.from_matrix(matrix, y)
    ClassCounts.from_matrix(matrix, y, sample_weight=weight)
    for part, old in zip(parts, before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_negative_counts_are_an_error():
    for make in (np.array, sparse.csr_array):
        with pytest.raises(
            ValueError, match="Negative values in data passed to X: counts cannot be below zero, got -3"
        ):
            ClassCounts.from_matrix(make([[1, -3]]), ["a"])


@pytest.mark.parametrize("value", ["NaN", "infinity"])
def test_missing_counts_are_an_error(value):
    with pytest.raises(ValueError, match=f"Input X contains {value}"):
        ClassCounts.from_matrix([[1.0, float(value)]], ["a"])


def test_a_matrix_of_another_length_is_an_error():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 3\]"):
        ClassCounts.from_matrix(X, Y[:3])


# Terms and weights.


@pytest.mark.parametrize("make", [list, tuple, iter, np.array, pd.Index, pd.Series, dict.fromkeys])
def test_terms_may_be_any_iterable_of_strings(make):
    terms = ClassCounts.from_matrix(X, Y, terms=make(["goal", "vote", "coal"])).terms
    assert terms.tolist() == ["goal", "vote", "coal"]
    assert {type(term) for term in terms} == {str}


@pytest.mark.parametrize(
    ("terms", "error", "message"),
    [
        (["a", "b"], ValueError, r"terms must have shape \(3,\) to fit doc_freq, got \(2,\)"),
        (["a", "b", "a"], ValueError, "terms must not repeat, got 'a' twice"),
        (["a", "b", 3], TypeError, "terms and class names must be strings, got 3"),
        ("abc", TypeError, "must be a list of strings, got the single string 'abc'"),
    ],
)
def test_terms_must_be_unique_strings_one_per_column(terms, error, message):
    with pytest.raises(error, match=message):
        ClassCounts.from_matrix(X, Y, terms=terms)


@given(
    weights=st.lists(st.integers(0, 5), min_size=4, max_size=4),
    y=st.sampled_from([Y, [[1, 1], [0, 0], [1, 0], [0, 1]]]),
)
def test_sample_weight_is_repetition(weights, y):
    weighted = ClassCounts.from_matrix(X, y, sample_weight=weights)
    padding = ClassCounts.from_matrix(X, y, sample_weight=0)  # a class of weight zero keeps its place
    repeated = ClassCounts.from_matrix(np.repeat(X, weights, axis=0), np.repeat(np.array(y), weights, axis=0))
    assert fields(weighted) == fields(repeated if y is not Y else repeated + padding)


def test_a_weight_of_zero_stores_no_cell():
    counts = ClassCounts.from_matrix([[1, 0], [0, 1]], ["a", "b"], sample_weight=[0, 1])
    assert counts.doc_freq.nnz == 1


def test_one_weight_for_all():
    assert ClassCounts.from_matrix(X, Y, sample_weight=0.5).n_docs.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("weight", [[1, 2], [[1], [1], [1], [1]]])
def test_weights_of_another_shape_are_an_error(weight):
    with pytest.raises(ValueError, match=r"sample_weight must have one entry per document, \(4,\), got \("):
        ClassCounts.from_matrix(X, Y, sample_weight=weight)


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf])
def test_weights_must_be_finite_and_not_negative(weight):
    with pytest.raises(ValueError, match="sample_weight must be 0 or between"):
        ClassCounts.from_matrix(X, Y, sample_weight=[1, 1, weight, 1])


# Addition.

WORDS = ["ant", "bee", "cat", "dog"]


@st.composite
def batches(draw, least=0):
    """Draw documents as sets of words, with a class each."""
    documents = st.tuples(st.sets(st.sampled_from(WORDS)), st.sampled_from("xyz"))
    return draw(st.lists(documents, min_size=least, max_size=6))


def count(documents, terms=None):
    """Count documents over the given terms, or over their own words in sorted order."""
    terms = sorted(set().union(*(words for words, _ in documents))) if terms is None else terms
    matrix = np.array([[word in words for word in terms] for words, _ in documents], dtype=int)
    return ClassCounts.from_matrix(
        matrix.reshape(len(documents), len(terms)), [label for _, label in documents], terms=terms
    )


@given(a=batches(least=1), b=batches(least=1))
def test_counts_of_parts_sum_to_counts_of_the_whole(a, b):
    assert count(a) + count(b) == count(a + b)


@given(a=batches(), b=batches(), terms=st.permutations(WORDS))
def test_counts_of_parts_with_one_vocabulary_keep_its_order(a, b, terms):
    assert fields(count(a, terms) + count(b, terms)) == fields(count(a + b, terms))


@given(a=batches(least=1), b=batches(least=1), first=st.permutations(WORDS), second=st.permutations(WORDS))
def test_other_orders_of_the_vocabulary_sum_by_name(a, b, first, second):
    total = count(a, first) + count(b, second)
    assert total == count(a + b, first if first == second else sorted(WORDS))


@given(a=batches(least=1), b=batches(least=1), c=batches(least=1), orders=st.lists(st.permutations(WORDS), min_size=3))
def test_addition_is_associative_and_commutative(a, b, c, orders):
    a, b, c = (count(documents, order) for documents, order in zip((a, b, c), orders, strict=False))
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a


@given(parts=st.lists(batches(least=1), min_size=1, max_size=4))
def test_sum_adds(parts):
    assert sum(map(count, parts)) == count([document for part in parts for document in part])


def test_without_terms_columns_add_by_place():
    a, b = ClassCounts.from_matrix(X[:1], ["x"]), ClassCounts.from_matrix(X[1:], ["x", "y", "y"])
    assert a + b == ClassCounts.from_matrix(X, ["x", "x", "y", "y"])


def test_weighted_and_unweighted_add_to_weighted():
    weighted = ClassCounts.from_matrix(X[:2], Y[:2], sample_weight=[0.5, 2])
    plain = ClassCounts.from_matrix(X[2:], Y[2:])
    for total in (weighted + plain, plain + weighted):
        assert total == ClassCounts.from_matrix(X, Y, sample_weight=[0.5, 2, 1, 1])
        assert total.is_weighted


def test_addition_does_not_change_its_parts():
    before = pickle.dumps(COUNTS)
    _ = COUNTS + ClassCounts.from_matrix([[1]], ["z"], terms=["ant"])
    assert pickle.dumps(COUNTS) == before


def test_integers_are_exact_beyond_the_digits_of_a_float():
    total = count_of(2**60 + 1) + count_of(2)
    assert fields(total) == {
        "classes": ["a"],
        "n_documents": 2**60 + 3,
        "n_docs": [2**60 + 3],
        "doc_freq": [[2**60 + 3]],
        "term_docs": [2**60 + 3],
        "terms": None,
    }
    assert (count_of(2**62) + count_of(2**62 - 1)).n_docs.tolist() == [2**63 - 1]


def test_more_documents_than_an_integer_holds_are_an_error():
    with pytest.raises(ValueError, match=f"n_documents must be between 0 and {2**63 - 1}, got {2**63}"):
        count_of(2**62) + count_of(2**62)


def test_integer_and_float_classes_add_to_float_in_either_order():
    whole, real = ClassCounts.from_matrix([[1], [1]], [0, 1]), ClassCounts.from_matrix([[1], [0]], [0.0, 1.0])
    assert whole + real == real + whole
    assert (whole + real).classes.dtype == np.float64
    assert (whole + real).n_docs.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("other", "names"),
    [([False, True], "int64 and bool"), (["0", "1"], "int64 and str"), ([True, True], "int64 and bool")],
)
def test_classes_of_other_types_do_not_add(other, names):
    with pytest.raises(TypeError, match=f"classes must have the same type to be merged, got {names}"):
        ClassCounts.from_matrix([[1], [1]], [0, 1]) + ClassCounts.from_matrix([[1], [1]], other)


def test_no_classes_add_to_the_classes_of_the_other_in_either_order():
    nothing = ClassCounts.from_matrix(np.zeros((0, 1)), [])
    no_strings = ClassCounts.from_matrix(np.zeros((0, 1)), np.array([], dtype=object))
    some = ClassCounts.from_matrix([[1]], ["a"])
    assert nothing + some == some + nothing == some
    assert nothing + no_strings == no_strings + nothing


def test_what_does_not_add_says_why():
    with pytest.raises(ValueError, match="cannot add counts with named terms to counts without: give terms= to both"):
        COUNTS + ClassCounts.from_matrix(X, Y)
    with pytest.raises(ValueError, match="cannot add counts with 3 and 1 columns: give terms= to both"):
        ClassCounts.from_matrix(X, Y) + ClassCounts.from_matrix([[1]], ["a"])
    for wrong in (1, "a", None, 0.5):
        with pytest.raises(TypeError, match="unsupported operand"):
            COUNTS + wrong
        with pytest.raises(TypeError, match=r"unsupported operand|can only concatenate"):
            wrong + COUNTS


# The object.


def through_pickle(counts):
    return pickle.loads(pickle.dumps(counts))


@pytest.mark.parametrize("route", [lambda c: c, copy.deepcopy, through_pickle, lambda c: c + c])
def test_cannot_be_changed(route):
    counts = route(COUNTS)
    for name in ("classes", "n_documents", "n_docs", "doc_freq", "term_docs", "terms", "other"):
        with pytest.raises(AttributeError, match=f"ClassCounts are immutable, cannot set {name}"):
            setattr(counts, name, 0)
    cells = counts.doc_freq
    for array in (
        counts.classes,
        counts.n_docs,
        counts.term_docs,
        counts.terms,
        cells.data,
        cells.indices,
        cells.indptr,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    with pytest.raises(ValueError, match="read-only"):
        cells[1, 0] = 5
    with pytest.raises(ValueError, match="read-only"):
        cells.data *= 2
    before = counts.doc_freq.toarray()
    cells.data = cells.data * 2  # of a matrix made anew
    np.testing.assert_array_equal(counts.doc_freq.toarray(), before)


def test_shares_nothing_with_what_it_was_made_of():
    n_docs, term_docs, cells = np.array([2]), np.array([1]), sparse.csc_array([[1]])
    terms = np.array(["a"], dtype=object)
    counts = ClassCounts(classes=["x"], n_documents=2, n_docs=n_docs, doc_freq=cells, term_docs=term_docs, terms=terms)
    n_docs[0], term_docs[0], cells.data[0], terms[0] = 9, 9, 9, "z"
    assert fields(counts) == {
        "classes": ["x"], "n_documents": 2, "n_docs": [2], "doc_freq": [[1]], "term_docs": [1], "terms": ["a"],
    }  # fmt: skip


def changed(**change):
    given = {"classes": ["a", "b"], "n_documents": 4, "n_docs": [2, 2], "doc_freq": np.array([[0, 1], [2, 1]])}
    given |= {"term_docs": [2, 2], "terms": ["u", "v"]}
    return ClassCounts(**(given | change))


@pytest.mark.parametrize(
    "change",
    [
        {"classes": ["a", "c"]},
        {"n_documents": 5},
        {"n_docs": [3, 2]},
        {"doc_freq": np.array([[1, 1], [2, 1]])},
        {"doc_freq": np.array([[0, 2], [2, 1]])},
        {"term_docs": [2, 3]},
        {"terms": ["u", "w"]},
        {"terms": ["v", "u"]},
        {"terms": None},
        {"n_docs": [2.0, 2.0]},
        {"classes": [0, 1]},
    ],
    ids=str,
)
def test_any_other_field_makes_other_counts(change):
    assert changed() == changed()
    assert changed(**change) != changed()


def test_equals_no_other_thing_and_has_no_hash():
    assert COUNTS != 1
    assert (COUNTS == "counts") is False
    with pytest.raises(TypeError, match="unhashable type: 'ClassCounts'"):
        hash(COUNTS)


def test_repr_is_compact():
    assert repr(COUNTS) == "ClassCounts(4 documents, 2 classes, 3 terms, 4 non-zeros)"
    weighted = ClassCounts.from_matrix(X, Y, sample_weight=0.25)
    assert repr(weighted) == "ClassCounts(1 documents, 2 classes, 3 terms, 4 non-zeros, weighted)"
    assert repr(count_of(123_456_789)) == "ClassCounts(123456789 documents, 1 classes, 1 terms, 1 non-zeros)"


@pytest.mark.parametrize("route", [copy.copy, copy.deepcopy, through_pickle])
def test_copies_are_equal(route):
    for counts in (COUNTS, ClassCounts.from_matrix(X, [3, 1, 3, 1], sample_weight=[0.1, 0.2, 0.3, 0.4])):
        assert route(counts) == counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": ["b", "a"]}, r"classes must be in ascending order and not repeat, got \['b', 'a'\]"),
        ({"classes": [1, 1]}, r"classes must be in ascending order and not repeat, got \[1, 1\]"),
        ({"classes": ["a"]}, r"classes must have shape \(2,\) to fit doc_freq, got \(1,\)"),
        ({"n_docs": [2]}, r"n_docs must have shape \(2,\) to fit doc_freq, got \(1,\)"),
        ({"term_docs": [[2, 2]]}, r"term_docs must have shape \(2,\) to fit doc_freq, got \(1, 2\)"),
        ({"terms": ["u"]}, r"terms must have shape \(2,\) to fit doc_freq, got \(1,\)"),
        ({"n_docs": [2, 5]}, "n_docs must be finite, not negative and at most n_documents"),
        ({"n_docs": [-1, 2]}, "n_docs must be finite, not negative and at most n_documents"),
        ({"n_docs": [math.nan, 2]}, "n_docs must be finite, not negative and at most n_documents"),
        ({"term_docs": [2, 5]}, "term_docs must be finite, not negative and at most n_documents"),
        ({"n_docs": [2, 1]}, "doc_freq must be finite, not negative and at most n_docs"),
        ({"term_docs": [1, 2]}, "doc_freq must be finite, not negative and at most term_docs"),
        ({"doc_freq": np.array([[0, -1], [2, 1]])}, "doc_freq must be finite, not negative and at most n_docs"),
        ({"n_documents": math.inf}, r"n_documents must be between 0 and 1e\+115, got inf"),
        ({"n_documents": -1}, f"n_documents must be between 0 and {2**63 - 1}, got -1"),
        ({"n_documents": math.nan}, r"n_documents must be between 0 and 1e\+115, got nan"),
    ],
)
def test_counts_that_cannot_be_are_an_error(change, message):
    with pytest.raises(ValueError, match=message):
        changed(**change)


def test_a_fraction_of_a_document_is_not_cut_off():
    assert changed(n_documents=4.5).n_documents == 4.5
    assert changed(n_documents=4.5).is_weighted


@pytest.mark.parametrize("weight", [None, [0.5, 1.5, 2.0, 1.0]])
def test_documents_of_some_terms(weight):
    counts = ClassCounts.from_matrix(
        [[1, 0, 2, 0], [0, 3, 0, 0], [1, 1, 0, 0], [0, 2, 0, 0]], ["b", "a", "b", "a"], sample_weight=weight
    )
    table = counts.doc_freq.toarray()
    for columns in ([], [1], [3, 0, 3], [0, 1, 2, 3]):
        found = counts.documents_of(np.array(columns, dtype=np.int32))
        assert found.dtype == table.dtype
        np.testing.assert_array_equal(found, table[:, columns].T)
