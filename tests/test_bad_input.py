"""The catalogue of bad input: public API -> one line that says what is wrong, with what value, and what to do.

One table. An entry is what is called, the type of the error, and the line that a user reads. No entry may end in a
traceback from numpy, scipy, pandas or the kernel with words of their own, and none in silence.
"""

import re
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.preprocessing import Normalizer
from some_views import counted, words

import troenpy
from troenpy import (
    WEIGHTS,
    Block,
    ClassCounts,
    ClassProfile,
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TermWeighter,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
    datasets,
    experiments,
    rivals,
    settings,
    term_weights,
    weights,
)

TEXTS = ["late goal", "own goal", "late vote", "close vote", "no vote"]
LABELS = ["s", "s", "p", "p", "p"]
COUNTS = np.array([[1, 0, 1], [2, 0, 1], [0, 1, 1], [0, 3, 1], [0, 1, 2]])
NAN = float("nan")


def neighbors(**parameters: Any) -> TextKNeighborsClassifier:
    return TextKNeighborsClassifier(**{"n_neighbors": 1, **parameters})


def nearest(**parameters: Any) -> SparseKNeighborsClassifier:
    return SparseKNeighborsClassifier(**{"n_neighbors": 1, **parameters})


def view(blocks: Any = ("pi",), **parameters: Any) -> TermFeatures:
    return TermFeatures([("words", CountVectorizer(**parameters), blocks)])


def of_counts(**parameters: Any) -> TermFeatures:
    return TermFeatures(counted("pi", "btf", "ecib"), **parameters)


ON_TEXT = {
    "TroenpyClassifier": TroenpyClassifier,
    "TextKNeighborsClassifier": neighbors,
    "TfPiVectorizer": TfPiVectorizer,
    "TermFeatures": TermFeatures,
}
ON_COUNTS = {
    "TermWeighter": TermWeighter,
    "ClassProfile": ClassProfile,
    "TermFeatures(counts)": of_counts,
    "SparseKNeighborsClassifier": nearest,
}
ESTIMATORS = ON_TEXT | ON_COUNTS
WITH_WEIGHTS = [name for name in ESTIMATORS if "KNeighbors" not in name]


def data(name: str) -> Any:
    return COUNTS if name in ON_COUNTS else TEXTS


class Entry(NamedTuple):
    """A call that must fail, and the line it must fail with."""

    id: str
    call: Any
    error: type[Exception]
    line: str


def fails_halfway():
    yield "late goal"
    raise RuntimeError("the disk is gone")


# What is no collection of texts; fit and predict say the same, all estimators on text say the same.
DOCUMENTS = [
    ("None", lambda: None, TypeError, r"raw_documents must be texts in a list, array or Series, got NoneType \(None\)"),
    ("5", lambda: 5, TypeError, r"raw_documents must be texts in a list, array or Series, got int \(5\)"),
    ("function", lambda: len, TypeError, r"raw_documents must be texts .* got builtin_function_or_method"),
    ("text", lambda: "one text", ValueError, r"string object received. For one document pass \[text\]"),
    ("bytes", lambda: b"one text", ValueError, r"bytes object received. For one document pass \[text\]"),
    ("set", lambda: set(TEXTS), TypeError, "raw_documents must be ordered, .* got a set: pass a list"),
    ("frozenset", lambda: frozenset(TEXTS), TypeError, "must be ordered, .* got a frozenset: pass a list"),
    ("dict", lambda: dict.fromkeys(TEXTS), TypeError, "must be ordered, .* got a dict: pass a list"),
    ("frame", lambda: pd.DataFrame({"t": TEXTS}), ValueError, r"one dimension, got DataFrame of shape \(5, 1\): pass"),
    ("table", lambda: np.array(TEXTS)[:, None], ValueError, r"one dimension, got ndarray of shape \(5, 1\): pass"),
    ("scalar", lambda: np.array("late goal"), ValueError, r"one dimension, got ndarray of shape \(\): pass"),
    (
        "csr",
        lambda: sparse.csr_array(COUNTS),
        ValueError,
        r"got csr_array of shape \(5, 3\): for counts, use TermWeighter",
    ),
    ("all None", lambda: [None] * 5, ValueError, r"5 documents are missing \(None\), at 0, 1, 2, 3 and 4: drop"),
    ("one None", lambda: ["a", None, "b", "c", "d"], ValueError, r"document 1 is missing \(None\): drop it, fill"),
    ("NaN", lambda: ["a", NAN, "b", "c", "d"], ValueError, r"document 1 is missing \(nan\): drop it, fill it"),
    ("NA", lambda: ["a", pd.NA, "b", "c", "d"], ValueError, r"document 1 is missing \(<NA>\): drop it, fill it"),
    ("NaT", lambda: ["a", pd.NaT, "b", "c", "d"], ValueError, r"document 1 is missing \(NaT\): drop it, fill it"),
    (
        "six missing",
        lambda: [None, "a", None, NAN, None, None, None, "b"],
        ValueError,
        r"(6 documents are missing \(None\), the first at 0, 2, 3, 4 and 5: drop them, fill)|got 5 labels for 8 doc",
    ),
    (
        "a table of two columns",
        lambda: pa.table({"id": [1, 2], "text": ["a", "b"]}),
        ValueError,
        r"documents must be one column of text, got a table of 2 columns \('id', 'text'\): pass one, e.g. table\['text",
    ),
    (
        "a reader of two columns",
        lambda: pa.table({"id": [1, 2], "body": ["a", "b"]}).to_reader(),
        ValueError,
        r"one column of text, got a table of 2 columns \('id', 'body'\): pass one, e.g. table\['id'\]",
    ),
    (
        "a polars frame without columns",
        lambda: pl.DataFrame(),
        ValueError,
        "documents must be one column of text, got a table without columns",
    ),
    ("ints", lambda: [1, 2, 3, 4, 5], TypeError, r"documents must be str or bytes, got int for document 0 \(1\): con"),
    (
        "lists",
        lambda: [["late goal"]] * 5,
        TypeError,
        r"got list for document 0 \(\['late goal'\]\): con",
    ),
    ("not UTF-8", lambda: ["a", b"\xff"] * 2 + ["b"], UnicodeDecodeError, "byte 0xff .* in document 1: set enc"),
    ("a generator that fails", fails_halfway, RuntimeError, "^the disk is gone$"),
]
DOCUMENTS_TO_FIT = [
    ("empty texts", lambda: [""] * 5, ValueError, "empty vocabulary; perhaps the documents only contain stop words"),
]

# What is no list of labels; all estimators say the same, or scikit-learn's words where its checks ask for them.
LABELS_BY_ALL = [
    (
        "set",
        set(LABELS),
        TypeError,
        "y must hold one label per document in the same order, got an unordered set",
    ),
    ("dict", dict(enumerate(LABELS)), TypeError, "y must hold one label .* got an unordered dict: pass a list"),
    ("mixed", ["a", 1, "b", 2, "a"], ValueError, "labels must be all strings or all integers, got int, str: convert y"),
    ("objects", [object()] * 5, ValueError, "labels must be all strings or all integers, got object: convert y first"),
    ("None in y", ["s", "s", None, "p", "p"], ValueError, "y has no label at position 2: drop that document or give"),
    ("NaN in y", ["s", "s", NAN, "p", "p"], ValueError, "y has no label at position 2: drop that document or give it"),
    ("NA in y", ["s", "s", pd.NA, "p", "p"], ValueError, "y has no label at position 2: drop that document or give"),
    ("lists", [["s"], ["s", "p"], ["p"], ["p"], ["p"]], ValueError, "got lists of labels: .*MultiLabelBinarizer"),
    ("bytes", [b"s", b"s", b"p", b"p", b"p"], ValueError, "labels must be strings, .* got dtype .S1"),
    ("dates", np.array(["2020-01-01"] * 5, "M8[D]"), ValueError, r"labels must be strings, .* got dtype datetime64"),
    ("huge", [2**70, 1, 2**70, 1, 1], ValueError, "labels must be finite and fit 64-bit integers, got 1180591620717"),
    ("one text", "sspp", ValueError, "y must hold one label per document, got the single value 'sspp'"),
    (
        "generator",
        (label for label in LABELS),
        ValueError,
        "y must hold one label per document, got the single value <g",
    ),
    (
        "3-d",
        np.array(LABELS)[:, None, None],
        ValueError,
        r"y must hold one label per document .* got shape \(5, 1, 1\)",
    ),
    ("None", None, ValueError, "requires y to be passed, but the target y is None"),
    ("complex", [1j, 2j, 1j, 2j, 1j], ValueError, "labels must be strings, integers"),
    (
        "pairs",
        [["s", "p"]] * 5,
        ValueError,
        r"y (must hold one label .* got a|should be a 1d array, .*of shape) \(5, 2\)",
    ),
    (
        "continuous",
        [0.1, 0.2, 0.3, 0.4, 0.5],
        ValueError,
        "got continuous values such as 0.1|Unknown label type: contin",
    ),
    ("NaN among floats", [1.0, 1.0, NAN, 2.0, 2.0], ValueError, "y has no label at position 2|Input y contains NaN"),
    ("infinite", [np.inf, 1.0, 2.0, 1.0, 1.0], ValueError, "got inf: use strings|Input y contains infinity"),
    ("short", LABELS[:3], ValueError, r"got 3 labels for 5 documents|inconsistent numbers of samples: \[5, 3\]"),
    ("none", [], ValueError, r"got 0 labels for 5 documents|inconsistent numbers of samples: \[5, 0\]"),
]
ONE_CLASS = r"term weights need at least two classes with documents, got one class \('s'\)"

SAMPLE_WEIGHTS = [
    ("negative", [-1, 1, 1, 1, 1], "sample_weight must be 0 or between .* got -1 for document 0"),
    ("NaN", [1, NAN, 1, 1, 1], "sample_weight must be 0 or between .* got nan for document 1"),
    ("infinite", [1, 1, np.inf, 1, 1], "sample_weight must be 0 or between .* got inf for document 2"),
    ("1e308", 1e308, r"between 1e-100 and 1e\+100, got 1e\+308 for document 0"),
    ("1e-300", 1e-300, r"between 1e-100 and 1e\+100, got 1e-300 for document 0"),
    ("short", [1, 1], r"sample_weight must have one entry per document, \(5,\), got \(2,\)"),
    ("2-d", [[1] * 5], r"sample_weight must have one entry per document, \(5,\), got \(1, 5\)"),
    ("strings", list("abcde"), r"sample_weight must hold one number per document, got \['a', 'b'"),
    ("dict", {0: 1}, r"sample_weight must hold one number per document, got \{0: 1\}"),
    ("complex", [1j] * 5, r"sample_weight must hold one number per document, got \[1j"),
    ("all zero", [0] * 5, r"at least two classes with documents, got none \(or all sample weights are zero\)"),
]

# What is no matrix of counts.
MATRICES = [
    ("None", None, ValueError, "X: Expected 2D array, got scalar array instead"),
    ("5", 5, ValueError, "X: Expected 2D array, got scalar array instead"),
    ("1-d", [1, 2, 3], ValueError, "X: Expected 2D array, got 1D array instead: Reshape your data"),
    ("3-d", np.ones((5, 3, 1)), ValueError, "X: Found array with dim 3"),
    (
        "texts",
        TEXTS,
        ValueError,
        "X must be a numeric document-term matrix: could not convert string to float",
    ),
    ("set", {1, 2}, TypeError, "X must be a numeric document-term matrix: .* not 'set'"),
    (
        "rows of different lengths",
        [[1], [1, 2], [1], [1], [1]],
        ValueError,
        "X must be a numeric document-term matrix: ",
    ),
    ("complex", COUNTS * 1j, ValueError, "X must be a numeric document-term matrix: Complex data not supported"),
    ("NaN", [[NAN, 1, 1]] * 5, ValueError, "Input X contains NaN. Fill missing counts, e.g. with 0"),
    ("infinite", [[np.inf, 1, 1]] * 5, ValueError, "Input X contains infinity"),
    ("no rows", np.zeros((0, 3)), ValueError, r"X: Found array with 0 sample\(s\)"),
    ("no columns", np.zeros((5, 0)), ValueError, r"X: Found array with 0 feature\(s\)"),
]

# Parameters: the estimator, the parameter, the value, the line. Fitted by fit_transform where there is one.
POSITIVE = "must be a positive, finite number, got"
N_JOBS = "n_jobs must be None or an int from -4096 to 4096 other than 0, got"
SMOOTHING = "smoothing must be positive and finite, got"
FOLDS = "cv must be between 2 and the number of documents, 5, got"
NOT_WHOLE = "n_neighbors does not take <class '.*'> value, enter integer value, got"
PARAMETERS = [
    *((TroenpyClassifier, "C", value, f"C {POSITIVE} {value!r}") for value in ("x", 0, NAN, -1, np.inf, None, True)),
    *(
        (TroenpyClassifier, "tol", value, f"tol must be a finite number and not .* {value!r}")
        for value in (-1, "x", NAN)
    ),
    *(
        (TroenpyClassifier, "max_iter", value, f"max_iter must be a whole number of at least 0, got {value!r}")
        for value in (-1, 2.5, "x", None)
    ),
    (TroenpyClassifier, "class_weight", 5, "class_weight must be a dict, 'balanced' or None, got 5"),
    (TroenpyClassifier, "class_weight", "balance", "class_weight must be a dict, 'balanced' or None, got 'balance'"),
    (TroenpyClassifier, "class_weight", {"s": -1}, r"class_weight\['s'\] must be a finite number .* got -1"),
    (TroenpyClassifier, "class_weight", {"s": NAN}, r"class_weight\['s'\] must be a finite number .* got nan"),
    (
        TroenpyClassifier,
        "class_weight",
        {"typo": 2},
        "class_weight must name classes, got 'typo'; the classes are 'p', 's'",
    ),
    (TroenpyClassifier, "features", "linear", "features must be TermFeatures or None, got 'linear': pass other"),
    (neighbors, "features", 3, "features must be TermFeatures or None, got 3: pass other parameters by name"),
    *((make, "n_jobs", 2**32, f"{N_JOBS} 4294967296") for make in (*ON_TEXT.values(), nearest)),
    *((make, "n_jobs", 0, f"{N_JOBS} 0: -1 uses all") for make in (*ON_TEXT.values(), nearest)),
    *((make, "n_jobs", "2", f"{N_JOBS} '2': -1 uses all") for make in (*ON_TEXT.values(), nearest)),
    *((make, "n_neighbors", 0, "Expected n_neighbors > 0. Got 0") for make in (neighbors, nearest)),
    *((make, "n_neighbors", 2.5, f"{NOT_WHOLE} 2.5") for make in (neighbors, nearest)),
    *((make, "n_neighbors", True, f"{NOT_WHOLE} True") for make in (neighbors, nearest)),
    (neighbors, "n_neighbors", 6, "n_neighbors=6 is more than the 5 training documents: ask for fewer neighbours"),
    *((make, "weights", "x", "weights must be 'uniform' or 'distance', got 'x'") for make in (neighbors, nearest)),
    (nearest, "metric", "x", "metric must be one of euclidean, cosine, manhattan, hellinger, .* got 'x'"),
    (nearest, "metric", {}, "metric must have at least one block of columns, got {}"),
    (nearest, "metric", {"a": 3}, r"metric\['a'\] must be a tuple of a slice of columns and a metric name, got 3"),
    *(
        (make, "smoothing", value, re.escape(f"{SMOOTHING} {value!r}:"))
        for make in (TermFeatures, TfPiVectorizer, TermWeighter, ClassProfile)
        for value in (0, -1, "x", np.inf, True)
    ),
    (TermFeatures, "dtype", int, "dtype must be float32 or float64, got <class 'int'>"),
    (TfPiVectorizer, "dtype", None, "dtype must be float32 or float64, got None"),
    (TermFeatures, "dtype", "x", "dtype must be float32 or float64, got 'x'"),
    (
        TermFeatures,
        "views",
        ("pi", "btf"),
        r"views must be \(name, CountV.* triples, got \('pi', 'btf'\): write",
    ),
    (TermFeatures, "views", [], r"views must be \(name, CountVectorizer, blocks\) triples, got \[\]: write"),
    (TermFeatures, "views", 3, r"views must be .* triples, got 3: write \[\('words', CountVectorizer\(\)"),
    (TermFeatures, "views", [("words", "counts")], "views must be .* triples, got"),
    (TermFeatures, "views", [(1, "counts", ("pi",))], "views must be .* triples, got"),
    (TermFeatures, "views", counted("pi") * 2, "the names of views must differ, got 'words', 'words'"),
    (
        TermFeatures,
        "views",
        [*counted("pi"), ("pieces", CountVectorizer(), ("pi",))],
        "a view of 'counts' must be the only one, got 'words', 'pieces'",
    ),
    (
        TermFeatures,
        "views",
        [("", "counts", ("pi",))],
        "the name of a view must be a non-empty string without '__'.* got ''",
    ),
    (
        TermFeatures,
        "views",
        [("a__b", "counts", ("pi",))],
        "view must be a non-empty string without '__'.* got 'a__b'",
    ),
    (
        TermFeatures,
        "views",
        [("a", "count", ("pi",))],
        "the view 'a' must have a CountVectorizer of .* got 'count': write",
    ),
    (
        TermFeatures,
        "views",
        [("a", TfPiVectorizer(), ("pi",))],
        "the view 'a' must have a CountVect.*, got TfPi",
    ),
    (
        TermFeatures,
        "views",
        [("a", CountVectorizer, ("pi",))],
        "the view 'a' must have a CountVec.*, got <cl",
    ),
    (view, "blocks", (Block("", "pi"),), "the name of a block must be a non-empty string .* got ''"),
    (view, "blocks", (Block("profile"),), "the name of a block must be a non-empty string .* got 'profile'"),
    (view, "blocks", (Block("a__b"),), "the name of a block must be a non-empty string without '__'.* got 'a__b'"),
    (view, "blocks", Block("a"), "blocks must be a list or tuple of names and Blocks.* got Block"),
    (TermFeatures, "views", [("cv", "counts", ("pi",))], "the name of a view must not be a parameter of TermFe.* 'cv'"),
    (
        TroenpyClassifier,
        "class_weight",
        {"s": 0},
        "class_weight must leave two classes a positive weight, got {'s': 0}",
    ),
    (view, "blocks", (Block("x", "no_such"),), "no_such"),
    (view, "blocks", (Block("x", tf="tf"),), "tf must be one of raw, log, .* got 'tf'"),
    (view, "blocks", (Block("x", norm="l3"),), "norm must be one of l2, .* got 'l3'"),
    (view, "blocks", ("pi", Block("pi")), r"blocks must not repeat, got \('pi', 'pi'\)"),
    (view, "blocks", ("x",), "unknown block 'x': choose from pi, btf, ecib, ecib_abs, certainty"),
    (view, "blocks", (), "blocks must name at least one block"),
    (view, "blocks", "pi", "blocks must be a list or tuple of names and Blocks.* got 'pi'"),
    (view, "blocks", None, "blocks must be a list or tuple of names and Blocks.* got None"),
    (view, "blocks", {"pi"}, "blocks must be a list or tuple of names and Blocks.* got {'pi'}"),
    (view, "blocks", ("pi", "pi"), r"blocks must not repeat, got \('pi', 'pi'\)"),
    (view, "blocks", ("profile", "pi"), r"the block 'profile' must come last and only once, got \('profile', 'pi'\)"),
    (TermFeatures, "pcf", "x", "pcf must be True or False, got 'x'"),
    (TermFeatures, "profile_scale", 0, f"profile_scale {POSITIVE} 0"),
    (ClassProfile, "leave_out", "x", "leave_out must be 'document' or 'copies', got 'x'"),
    (ClassProfile, "max_dense", "x", "max_dense must be a whole number of at least 0, got 'x'"),
    *(
        (make, name, value, line)
        for make in (CountVectorizer, TfPiVectorizer, view)
        for name, value, line in (
            ("ngram_range", (2, 1), r"ngram_range=\(2, 1\) lower boundary larger than the upper boundary"),
            ("ngram_range", (1,), r"ngram_range must be two whole numbers, such as \(1, 2\), got \(1,\)"),
            ("ngram_range", (1, "2"), r"ngram_range must be two whole numbers, such as \(1, 2\), got \(1, '2'\)"),
            ("ngram_range", 5, "'ngram_range' parameter of .* must be an instance of 'tuple'. Got 5"),
            ("analyzer", "x", "'analyzer' parameter of .* must be a str among .* Got 'x'"),
            ("max_df", -1, "'max_df' parameter of .* must be a float in the range .* Got -1"),
            ("min_df", 6, "max_df corresponds to < documents than min_df"),
            ("max_features", 0, "'max_features' parameter of .* Got 0"),
            ("vocabulary", ["a", "a"], "Duplicate term in vocabulary: 'a'"),
            ("vocabulary", [], "empty vocabulary passed to fit"),
            ("vocabulary", "abc", "vocabulary must be a mapping or a list of terms, got a single string, 'abc'"),
            ("vocabulary", [1, 2], "vocabulary must hold strings, got 1"),
            ("stop_words", "french", "'stop_words' parameter of .* must be a str among {'english'}.* Got 'french'"),
            ("token_pattern", "(", r"token_pattern must be a regular expression, got '\(': missing"),
            ("token_pattern", None, "token_pattern must be a regular expression, got None: set it, or"),
            *(
                ("min_class_df", value, f"min_class_df must be None, a whole number of .* or a share .* got {value!r}")
                for value in (0, -1, 0.0, -0.5, 1.5, NAN, np.inf, True, "x")
            ),
            ("min_class_df", 4, "After pruning, no terms remain. Try a lower min_df or min_class_df or a higher max"),
            *(("nulls", value, f"nulls must be 'error' or 'empty', got {value!r}") for value in ("x", None, True)),
            ("decode_error", "x", "'decode_error' parameter of .* must be a str among .* Got 'x'"),
            ("input", "x", "'input' parameter of .* must be a str among .* Got 'x'"),
        )
    ),
    *(
        (make, name, value, line)
        for make in (TfPiVectorizer, TermWeighter)
        for name, value, line in (
            ("scheme", "idff", r"unknown scheme 'idff' \(did you mean idf\?\): choose from idf, pcf"),
            ("scheme", "pi+idf", r"cannot read scheme 'pi\+idf': write names of weights with \* and sqrt\(\)"),
            ("scheme", None, "scheme must be a name, an expression or a function, got None"),
            (
                "scheme",
                lambda counts: np.full(len(counts.term_docs), NAN),
                "must return finite weights, got nan",
            ),
            ("scheme", lambda counts: np.ones(9), r"must return one number per term, shape \(\d,\), got \(9,\)"),
            ("scheme", lambda counts: "x", "must return one number per term, got 'x'"),
            ("tf", "x", "tf must be one of raw, log, sqrt, binary, bm25, got 'x'"),
            ("norm", "x", "norm must be one of l2, l1, hellinger, None, got 'x'"),
        )
    ),
    (TfPiVectorizer, "scheme", "sqrt(pcf)", r"scheme 'sqrt\(pcf\)' takes the square root of negative weights"),
    *(
        (make, "cv", value, line)
        for make in (TroenpyClassifier, TermFeatures, TfPiVectorizer, TermWeighter)
        for value, line in (
            (1, f"{FOLDS} 1"),
            (7, f"{FOLDS} 7"),
            (True, f"{FOLDS} True"),
            ("x", "Expected `?cv`? as an integer, .* Got x"),
            (
                ShuffleSplit(3, random_state=0),
                "must put every document in exactly one test fold, got . for",
            ),
            ([([0, 1], [99])], "cv must return rows between 0 and 4, got 99 to 99"),
            ([(1,)], "cv cannot split the 5 documents: not enough values"),
        )
    ),
]
TYPE_ERRORS = {
    *("features='linear'", "features=3", "n_neighbors=2.5", "n_neighbors=True", "scheme=None", "pcf='x'"),
    *("vocabulary='abc'", "vocabulary=[1, 2]", "metric={'a': 3}"),
}


def fitted(make: Any, name: str, value: Any) -> Any:
    estimator = make(**{name: value})
    X = COUNTS if make in (TermWeighter, ClassProfile, nearest) else TEXTS
    if hasattr(estimator, "fit_transform"):
        return estimator.fit_transform(X, LABELS)
    return estimator.fit(X, LABELS)


GOOD = {"classes": ["a", "b"], "n_documents": 3, "n_docs": [2, 1], "doc_freq": [[2, 1], [0, 1]], "term_docs": [2, 2]}
CLASS_COUNTS = [
    ({"n_documents": -1}, ValueError, "n_documents must be between 0 and .* got -1"),
    ({"n_documents": "x"}, TypeError, "n_documents must be a number, got 'x'"),
    ({"n_documents": np.inf}, ValueError, r"n_documents must be between 0 and 1e\+115, got inf"),
    ({"n_documents": 1e300}, ValueError, r"n_documents must be between 0 and 1e\+115, got 1e\+300"),
    ({"n_documents": 2**70}, ValueError, "n_documents must be between 0 and 9223372036854775807, got 118"),
    ({"n_docs": [2]}, ValueError, r"n_docs must have shape \(2,\) to fit doc_freq, got \(1,\)"),
    ({"n_docs": [2, -1]}, ValueError, "n_docs must be finite, not negative and at most n_documents, got -1"),
    ({"n_docs": "x"}, TypeError, "n_docs must be a list of numbers, got 'x'"),
    ({"n_docs": [2, 1e-300]}, ValueError, "n_docs must be 0 or at least 1e-100, got 1e-300"),
    ({"doc_freq": [[3, 1], [0, 1]]}, ValueError, "doc_freq must be finite, not negative and at most n_docs, got 3"),
    ({"doc_freq": [[NAN, 1], [0, 1]]}, ValueError, "doc_freq must be finite, .* got nan"),
    ({"doc_freq": [2, 1]}, TypeError, r"doc_freq must be a matrix of numbers, got \[2, 1\]"),
    ({"doc_freq": [[2, 1], [0]]}, TypeError, r"doc_freq must be a matrix of numbers, got \[\[2, 1\], \[0\]\]"),
    ({"doc_freq": sparse.csr_array([[2j, 1], [0, 1]])}, TypeError, "doc_freq must be a matrix of numbers, got <"),
    ({"term_docs": [9, 9]}, ValueError, "term_docs must be finite, not negative and at most n_documents, got 9"),
    ({"classes": ["b", "a"]}, ValueError, r"classes must be in ascending order and not repeat, got \['b', 'a'\]"),
    ({"classes": ["a"]}, ValueError, r"classes must have shape \(2,\) to fit doc_freq, got \(1,\)"),
    ({"classes": ["a", 1]}, TypeError, "terms and class names must be strings, got 1"),
    ({"classes": None}, TypeError, "terms and class names must be a list of strings, got None"),
    ({"terms": ["x", "x"]}, ValueError, "terms must not repeat, got 'x' twice"),
    ({"terms": "xy"}, TypeError, "terms must be a list of strings, got the single string 'xy'"),
    ({"terms": 5}, TypeError, "terms and class names must be a list of strings, got 5"),
]
counts = ClassCounts(**GOOD)

MEASURES = [
    ([-1, 2], {}, ValueError, "probabilities and counts must not be negative, got -1.0"),
    ([], {}, ValueError, r"a distribution needs at least one outcome, got shape \(0,\) with axis 0"),
    (5, {}, ValueError, "a distribution needs at least one dimension, got a single number"),
    ([0, 0], {}, ValueError, "the distribution sums to zero and cannot be normalised: drop it"),
    ([np.inf, 1], {}, ValueError, "probabilities and counts, and their sum, must be finite, got inf"),
    ("x", {}, TypeError, "a distribution must be an array of real numbers, got dtype <U1"),
    (None, {}, TypeError, "a distribution must be an array of real numbers, got dtype object"),
    ([[1, 2], [3]], {}, ValueError, "a distribution must be an array of real numbers, got rows of different lengths"),
    ([1, 2], {"base": 1}, ValueError, "base must be positive, finite and not 1, got 1"),
    ([1, 2], {"base": "x"}, ValueError, "base must be positive, finite and not 1, got 'x'"),
    ([1, 2], {"axis": 3}, ValueError, "axis 3 is out of bounds for array of dimension 1"),
    ([1, 2], {"axis": "x"}, TypeError, "axis must be None, a whole number or a tuple of them, got 'x'"),
    ([1, 2], {"nan_policy": "x"}, ValueError, "nan_policy must be one of propagate, omit, raise, got 'x'"),
]
TROENPY = [
    ({"estimator": "x"}, "estimator must be one of plugin, add_one, dirichlet, posterior_mean, got 'x'"),
    ({"estimator": "add_one", "smoothing": 0}, f"{SMOOTHING} 0"),
    ({"prior": [1, 1]}, "prior is for the estimators dirichlet and posterior_mean, not for plugin"),
    ({"estimator": "dirichlet", "prior": [1]}, r"prior must have one entry per outcome, shape \(2,\), got \(1,\)"),
]
NO_COUNTS = "counts must be ClassCounts, got ndarray: create them with ClassCounts.from_matrix"

TINY = ("late goal", "own goal", "close vote", "no vote") * 5


def corpus(**changes: Any) -> experiments.Corpus:
    return experiments.Corpus(
        **{"name": "tiny", "texts": TINY, "labels": np.array(["s", "s", "p", "p"] * 5), **changes}
    )


def run(corpora: Any = None, methods: Any = ("knn: tf*idf",), splits: Any = 1, **options: Any) -> Any:
    return experiments.run([corpus()] if corpora is None else corpora, methods, splits, **options)


def saved(tmp_path: Any) -> Any:
    counts.save(tmp_path / "counts")
    return tmp_path / "counts"


def for_prediction(tmp_path: Any, model: Any) -> Any:
    troenpy.save(model, tmp_path / "model", for_prediction=True)
    return troenpy.load(tmp_path / "model")


def not_a_model(tmp_path: Any) -> Any:
    (tmp_path / "junk").write_bytes(b"no model")
    return tmp_path / "junk"


def transport(distance: str = "wmd", **parameters: Any) -> Any:
    vectors = troenpy.embeddings.WordVectors(["late", "goal", "own", "vote"], np.eye(4))
    return troenpy.TransportClassifier(distance, **{"vectors": vectors, "n_neighbors": 1, **parameters})


TRANSPORT = [
    (
        "vectors",
        lambda: transport(vectors=None).fit(TEXTS, LABELS),
        TypeError,
        "vectors must be WordVectors, got NoneType",
    ),
    ("distance", lambda: transport("x").fit(TEXTS, LABELS), ValueError, "distance must be one of wmd, wfr, .* got 'x'"),
    ("ties", lambda: transport(ties="x").fit(TEXTS, LABELS), ValueError, "ties must be 'nearest' or 'again', got 'x'"),
    ("n_neighbors", lambda: transport(n_neighbors=0).fit(TEXTS, LABELS), ValueError, "Expected n_neighbors > 0. Got 0"),
    (
        "k above n",
        lambda: transport(n_neighbors=9).fit(TEXTS, LABELS).predict(TEXTS),
        ValueError,
        "n_neighbors=9 is more than",
    ),
    ("documents", lambda: transport().fit(set(TEXTS), LABELS), TypeError, "must be ordered, .* got a set"),
    (
        "no known word",
        lambda: transport().fit(["zzz"] * 5, LABELS),
        ValueError,
        "none of the 5 documents has a word with",
    ),
    (
        "y mixed",
        lambda: transport().fit(TEXTS, ["a", 1, "b", 2, "a"]),
        ValueError,
        "labels must be all strings or all int",
    ),
    ("y short", lambda: transport().fit(TEXTS, LABELS[:3]), ValueError, "got 3 labels for 5 documents"),
    ("before fit", lambda: transport().predict(TEXTS), NotFittedError, "is not fitted yet"),
]

NOT_FITTED = r"(?i)this .* is not fitted yet|Vocabulary not fitted or provided"

# A call may take the folder that the test has.
TABLE = [
    *(
        Entry(f"{name}.fit: documents {what}", lambda make=make, bad=bad: make().fit(bad(), LABELS), error, line)
        for what, bad, error, line in DOCUMENTS + DOCUMENTS_TO_FIT
        for name, make in ON_TEXT.items()
    ),
    *(
        Entry(f"{name}: new documents {what}", lambda name=name, bad=bad: applied(model(name), bad()), error, line)
        for what, bad, error, line in DOCUMENTS
        for name in ON_TEXT
    ),
    *(
        Entry(f"CountVectorizer.fit: documents {what}", lambda bad=bad: CountVectorizer().fit(bad()), error, line)
        for what, bad, error, line in DOCUMENTS + DOCUMENTS_TO_FIT
    ),
    *(
        Entry(
            f"{name}.fit: no documents",
            lambda make=make: make().fit([], []),
            ValueError,
            "raw_documents must hold at least",
        )
        for name, make in ON_TEXT.items()
    ),
    *(
        Entry(f"{name}.fit: y {what}", lambda make=make, name=name, y=y: make().fit(data(name), y), error, line)
        for what, y, error, line in LABELS_BY_ALL
        for name, make in ESTIMATORS.items()
    ),
    *(
        Entry(f"{name}.fit: one class", lambda m=make, name=name: m().fit(data(name), ["s"] * 5), ValueError, ONE_CLASS)
        for name, make in ESTIMATORS.items()
        if name != "SparseKNeighborsClassifier"
    ),
    *(
        Entry(
            f"{name}.fit: all labels differ",
            lambda make=make: make().fit(TEXTS, list("abcde")),
            ValueError,
            "all 5 labels are different .the first is 'a'., so no class has two documents",
        )
        for name, make in ON_TEXT.items()
    ),
    *(
        Entry(
            f"{name}.fit: swapped arguments",
            lambda make=make: make().fit(LABELS, TEXTS),
            ValueError,
            r"more distinct labels .* distinct documents: are the arguments swapped\? Call fit\(texts, labels\)",
        )
        for name, make in ON_TEXT.items()
    ),
    *(
        Entry(
            f"{name}.fit: sample_weight {what}",
            lambda name=name, w=w: ESTIMATORS[name]().fit(data(name), LABELS, sample_weight=w),
            ValueError,
            line,
        )
        for what, w, line in SAMPLE_WEIGHTS
        for name in WITH_WEIGHTS
    ),
    *(
        Entry(f"{name}.fit: X {what}", lambda make=make, X=X: make().fit(X, LABELS), error, line)
        for what, X, error, line in MATRICES
        for name, make in ON_COUNTS.items()
    ),
    *(
        Entry(
            f"{name}.fit: negative counts",
            lambda make=make: make().fit(-COUNTS, LABELS),
            ValueError,
            "Negative values in data passed to X",
        )
        for name, make in ON_COUNTS.items()
        if name != "SparseKNeighborsClassifier"
    ),
    *(
        Entry(
            f"{make.__name__}({name}={value!r:.30})",
            lambda make=make, name=name, value=value: fitted(make, name, value),
            TypeError if f"{name}={value!r:.30}" in TYPE_ERRORS else ValueError,
            line,
        )
        for make, name, value, line in PARAMETERS
    ),
    *(
        Entry(
            f"{name}.{method} before fit",
            lambda make=make, name=name, method=method: getattr(make(), method)(data(name)),
            NotFittedError,
            NOT_FITTED,
        )
        for name, make in {**ESTIMATORS, "CountVectorizer": CountVectorizer}.items()
        for method in ("transform", "predict", "predict_proba", "decision_function", "kneighbors", "explain")
        if hasattr(make(), method)
    ),
    *(
        Entry(
            f"{name}: predict or transform after a fit that failed",
            lambda name=name: after_failure(name),
            NotFittedError,
            NOT_FITTED,
        )
        for name in ESTIMATORS
    ),
    *(
        Entry(f"ClassCounts({change!r:.40})", lambda change=change: ClassCounts(**{**GOOD, **change}), error, line)
        for change, error, line in CLASS_COUNTS
    ),
    *(
        Entry(f"ClassCounts.from_matrix: X {what}", lambda X=X: ClassCounts.from_matrix(X, LABELS), error, line)
        for what, X, error, line in MATRICES
        if what not in ("texts", "set", "no rows", "no columns")
    ),
    Entry(
        "ClassCounts.from_matrix: X texts",
        lambda: ClassCounts.from_matrix([["a"]] * 5, LABELS),
        ValueError,
        "X must be a numeric document-term matrix: dtype='numeric' is not compatible with arrays of bytes/strings",
    ),
    Entry(
        "ClassCounts.from_matrix: another length",
        lambda: ClassCounts.from_matrix(COUNTS, ["a"]),
        ValueError,
        r"inconsistent numbers of samples: \[5, 1\] in X and y",
    ),
    Entry(
        "ClassCounts: tiny",
        lambda: ClassCounts(["a", "b"], 2e-300, [1e-300, 1e-300], [[1e-300], [0]], [1e-300]),
        ValueError,
        "n_documents must be 0 or at least 1e-100, got 2e-300",
    ),
    Entry(
        "ClassCounts: sum beyond 1e115", lambda: huge() + huge(), ValueError, r"between 0 and 1e\+115, got 1.6e\+115"
    ),
    Entry("ClassCounts + 5", lambda: counts + 5, TypeError, "unsupported operand .*'ClassCounts' and 'int'"),
    Entry(
        "ClassCounts + other columns",
        lambda: counts + ClassCounts.from_matrix([[1]], ["a"]),
        ValueError,
        "cannot add counts with 2 and 1 columns: give terms= to both",
    ),
    Entry(
        "ClassCounts + other classes",
        lambda: counts + ClassCounts.from_matrix([[1, 1]], [1]),
        TypeError,
        "classes must have the same type to be merged, got str and int64",
    ),
    Entry(
        "ClassCounts.select([9])", lambda: counts.select([9]), IndexError, r"columns must be numbers below 2, .*\[9\]"
    ),
    Entry(
        "ClassCounts.select(0.5)", lambda: counts.select([0.5]), IndexError, r"columns must be numbers .* got \[0.5\]"
    ),
    *(
        Entry(
            f"ClassCounts.select(min_class_df={value!r})",
            lambda value=value: counts.select(min_class_df=value),
            ValueError,
            f"min_class_df must be None, a whole number of .* or a share .* got {value!r}",
        )
        for value in (0, -1, 1.5, NAN, True, "x")
    ),
    Entry(
        "CountVectorizer(nulls='empty', input='filename')",
        lambda: CountVectorizer(nulls="empty", input="filename").fit(["no such file"]),
        ValueError,
        "nulls='empty' needs input='content', got input='filename': drop missing documents",
    ),
    Entry(
        "TfPiVectorizer.partial_fit: nulls",
        lambda: TfPiVectorizer(nulls="drop").partial_fit(TEXTS, LABELS),
        ValueError,
        "nulls must be 'error' or 'empty', got 'drop'",
    ),
    Entry(
        "CountVectorizer(tokenizer): documents missing",
        lambda: CountVectorizer(tokenizer=str.split, token_pattern=None).fit(["a", None]),
        ValueError,
        r"document 1 is missing \(None\): drop it, fill it with '', or set nulls='empty'",
    ),
    Entry(
        "CountVectorizer(min_class_df=2) without labels",
        lambda: CountVectorizer(min_class_df=2).fit(TEXTS),
        ValueError,
        r"min_class_df needs labels, got min_class_df=2 and no y: call fit\(texts, labels\), or use min_df",
    ),
    Entry(
        "CountVectorizer(min_class_df=2): labels of another length",
        lambda: CountVectorizer(min_class_df=2).fit(iter(TEXTS), LABELS[:3]),
        ValueError,
        "y must hold one label per document, got 3 labels for 5 documents",
    ),
    *(
        Entry(
            f"TfPiVectorizer(min_class_df={value!r}).partial_fit",
            lambda value=value: TfPiVectorizer(min_class_df=value).partial_fit(TEXTS, LABELS),
            ValueError,
            f"min_class_df must be None, a whole number of .* got {value!r}",
        )
        for value in (0, 1.5, "x")
    ),
    Entry("ClassCounts.with_terms(5)", lambda: counts.with_terms(5), TypeError, "terms .* a list of strings, got 5"),
    *(
        Entry(
            f"{measure.__name__}({pk!r}, {how})",
            lambda measure=measure, pk=pk, how=how: measure(pk, **how),
            error,
            line,
        )
        for measure in (troenpy.troenpy, troenpy.entropy)
        for pk, how, error, line in MEASURES
    ),
    *(
        Entry(f"troenpy({how})", lambda how=how: troenpy.troenpy([1, 2], **how), ValueError, line)
        for how, line in TROENPY
    ),
    *(
        Entry(
            f"{measure.__name__}(1.5)",
            lambda measure=measure: measure(1.5),
            ValueError,
            "a probability must lie between 0 and 1, got 1.5",
        )
        for measure in (troenpy.positive_information, troenpy.negative_information)
    ),
    *(
        Entry(
            f"{measure.__name__}: one dimension",
            lambda measure=measure: measure([1, 2]),
            ValueError,
            "a joint table needs an axis of outcomes and one of conditions, got 1 dimensions",
        )
        for measure in (troenpy.conditional_troenpy, troenpy.troenpy_gain)
    ),
    Entry(
        "differential_troenpy('x')",
        lambda: troenpy.differential_troenpy("x"),
        TypeError,
        "density must be a frozen scipy.stats distribution or a function, got str",
    ),
    Entry(
        "differential_troenpy: support",
        lambda: troenpy.differential_troenpy(lambda x: 0.5, 5),
        ValueError,
        r"support must be ascending numbers, .*, got 5",
    ),
    *(
        Entry(f"WEIGHTS[{name!r}] of a matrix", lambda weight=weight: weight(COUNTS), TypeError, NO_COUNTS)
        for name, weight in WEIGHTS.items()
    ),
    Entry("term_weights of a matrix", lambda: term_weights(COUNTS), TypeError, NO_COUNTS),
    Entry("term_weights: scheme", lambda: term_weights(counts, "pcf_bost"), ValueError, "did you mean pcf_boost"),
    Entry(
        "TermWeighter.learn(5)", lambda: TermWeighter().learn(5, 1.0), TypeError, "counts must be ClassCounts, got int"
    ),
    Entry("ClassProfile.learn(5)", lambda: ClassProfile().learn(5), TypeError, "counts must be ClassCounts, got int"),
    Entry(
        "weights.pcf: prior", lambda: weights.pcf(counts, prior="x"), ValueError, "prior must be 'uniform' or 'classes'"
    ),
    Entry("weights.pi: one class", lambda: weights.pi(ClassCounts.from_matrix([[1]], ["s"])), ValueError, ONE_CLASS),
    Entry("rivals.re: bias=2", lambda: rivals.re(counts, bias=2), ValueError, "bias must lie between 0 and 1, got 2"),
    Entry("rivals.re: bias='x'", lambda: rivals.re(counts, bias="x"), ValueError, "bias must be a finite .* got 'x'"),
    Entry("rivals.igm: strength", lambda: rivals.igm(counts, strength=NAN), ValueError, "strength must be .* got nan"),
    Entry(
        "settings.classifier('x')",
        lambda: settings.classifier("x"),
        ValueError,
        "unknown setting 'x'; choose one of paper",
    ),
    Entry(
        "settings.features([])", lambda: settings.features([]), ValueError, r"unknown setting \[\]; choose one of paper"
    ),
    Entry(
        "settings: option",
        lambda: settings.classifier("knn", ngrams=2),
        TypeError,
        "unknown option 'ngrams': did you mean",
    ),
    Entry(
        "datasets.load('r9')",
        lambda: datasets.load("r9"),
        ValueError,
        "unknown corpus 'r9'; choose one of bbcsport, twi",
    ),
    Entry(
        "datasets.load(['r8'])", lambda: datasets.load(["r8"]), ValueError, r"unknown corpus \['r8'\]; choose one of"
    ),
    Entry(
        "Corpus: labels",
        lambda: corpus(labels=np.array(["s"])),
        ValueError,
        "labels must have one entry for each of the 20 documents, got shape .1,.",
    ),
    Entry(
        "Corpus: split",
        lambda: corpus(split=np.array(["train"])),
        ValueError,
        "split must have one entry for each of the 20",
    ),
    Entry("load: a number", lambda: troenpy.load(5), TypeError, "path must be a file name, got 5"),
    Entry("load: a folder", lambda: troenpy.load("/"), IsADirectoryError, "/ is a folder: pass the path of a file"),
    Entry(
        "save: no path",
        lambda: troenpy.save(TermWeighter(), None),
        TypeError,
        "path must be a file name, got None",
    ),
    Entry("run: corpora", lambda: run("r8"), TypeError, r"corpora must be a list, got 'r8': write \['r8'\]"),
    Entry("run: corpus", lambda: run([5]), TypeError, "a corpus must be a name or a Corpus, got int: .*Corpus"),
    Entry(
        "run: methods",
        lambda: run(methods="knn: tf*idf"),
        TypeError,
        "methods must be .* got the string 'knn: tf.idf'",
    ),
    Entry(
        "run: method",
        lambda: run(methods=["tf*pi"]),
        ValueError,
        r"cannot read method 'tf\*pi': write it like 'knn: tf",
    ),
    Entry("run: method 5", lambda: run(methods=[5]), TypeError, "a method must be a name such as .* got int: to"),
    Entry("run: splits=0", lambda: run(splits=0), ValueError, "splits must be 1 or more, got 0"),
    Entry("run: splits='x'", lambda: run(splits="x"), ValueError, "splits must be a number .* or seeds .* got 'x'"),
    Entry(
        "run: train_fractions", lambda: run(train_fractions=[2]), ValueError, r"train_fractions must be .* got \[2\]"
    ),
    Entry("run: ks", lambda: run(ks=[0]), ValueError, r"ks must be whole numbers of 1 or more, got \[0\]"),
    Entry("run: sample", lambda: run(sample=0), ValueError, "Expected sample > 0. Got 0"),
    Entry("run: n_jobs", lambda: run(n_jobs=0), ValueError, f"{N_JOBS} 0"),
    Entry(
        "load: no file", lambda tmp_path: troenpy.load(tmp_path / "none"), FileNotFoundError, "file not found: .*none"
    ),
    Entry(
        "load: junk", lambda tmp_path: troenpy.load(not_a_model(tmp_path)), ValueError, "damaged or not a safetensors"
    ),
    Entry(
        "load: counts",
        lambda tmp_path: troenpy.load(saved(tmp_path)),
        ValueError,
        "must be a model file, got ClassCounts",
    ),
    Entry("ClassCounts.load: junk", lambda tmp_path: ClassCounts.load(not_a_model(tmp_path)), ValueError, "is damaged"),
    Entry(
        "save: 5", lambda tmp_path: troenpy.save(5, tmp_path / "m"), TypeError, "save takes one of .* got int: use pic"
    ),
    Entry(
        "save: for_prediction",
        lambda tmp_path: troenpy.save(TfPiVectorizer(), tmp_path / "m", for_prediction="yes"),
        TypeError,
        "for_prediction must be True or False, got 'yes'",
    ),
    Entry(
        "counts_ left out",
        lambda tmp_path: for_prediction(tmp_path, TermFeatures(words("pi")).fit(TEXTS, LABELS)).counts_,
        NotFittedError,
        "this model was saved with for_prediction=True, without its class counts: .*load a model that was saved with",
    ),
    Entry(
        "partial_fit with counts left out",
        lambda tmp_path: for_prediction(tmp_path, TfPiVectorizer().fit(TEXTS, LABELS)).partial_fit(TEXTS, LABELS),
        NotFittedError,
        "this model was saved with for_prediction=True, without its class counts: for counts_, partial_fit or the exp",
    ),
    Entry(
        "save: a function",
        lambda tmp_path: troenpy.save(TfPiVectorizer(tokenizer=str.split), tmp_path / "m"),
        TypeError,
        "tokenizer of TfPiVectorizer is a function, which cannot be saved",
    ),
    Entry(
        "save: no folder",
        lambda tmp_path: troenpy.save(model("TermFeatures"), tmp_path / "a" / "b"),
        FileNotFoundError,
        "the folder .*a does not exist",
    ),
    *(
        Entry(
            f"{name}.explain({text!r})",
            lambda name=name, text=text: model(name).explain(text),
            TypeError,
            "explain takes one string, got",
        )
        for name in ("TroenpyClassifier", "TextKNeighborsClassifier")
        for text in (None, 5, ["late goal"])
    ),
    *(
        Entry(
            f"explain: label {label!r}",
            lambda label=label: model("TroenpyClassifier").explain("late goal", label=label),
            ValueError,
            re.escape(f"label must be one of the classes 'p', 's', got {label!r}"),
        )
        for label in ("x", 5, ["s"], NAN)
    ),
    *(
        Entry(
            f"TfPiVectorizer.explain({term!r})",
            lambda term=term: model("TfPiVectorizer").explain(term),
            ValueError,
            line,
        )
        for term, line in (
            ("gola", r"unknown term 'gola': did you mean goal\?"),
            ("zzz", "unknown term 'zzz': pass a known term or a column number"),
            (99, "a column number must be between 0 and 5, got 99"),
            (-1, "a column number must be between 0 and 5, got -1"),
            (1.5, "unknown term 1.5"),
            (True, "unknown term True"),
            (None, "unknown term None"),
        )
    ),
    Entry("TermWeighter.explain(9)", lambda: model("TermWeighter").explain(9), ValueError, "column .* 0 and 2, got 9"),
    Entry(
        "kneighbors: more than there are",
        lambda: model("TextKNeighborsClassifier").kneighbors(TEXTS, 6),
        ValueError,
        "Expected n_neighbors <= n_samples_fit, but n_neighbors = 6, n_samples_fit = 5",
    ),
    Entry(
        "SparseKNeighborsClassifier: k above n",
        lambda: nearest(n_neighbors=6).fit(COUNTS, LABELS).predict(COUNTS),
        ValueError,
        "Expected n_neighbors <= n_samples_fit, but n_neighbors = 6, n_samples_fit = 5",
    ),
    Entry(
        "hellinger: negative",
        lambda: nearest(metric="hellinger").fit(-COUNTS, LABELS),
        ValueError,
        "Negative values in data passed to the metric 'hellinger'",
    ),
    Entry(
        "TermWeighter: other columns",
        lambda: model("TermWeighter").transform([[1, 2]]),
        ValueError,
        "X has 2 features, but TermWeighter is expecting 3",
    ),
    Entry(
        "partial_fit: max_features",
        lambda: TfPiVectorizer(max_features=2).partial_fit(TEXTS, LABELS),
        ValueError,
        "max_features cannot be used with partial_fit",
    ),
    Entry(
        "partial_fit: cv", lambda: TfPiVectorizer(cv=2).partial_fit(TEXTS, LABELS), ValueError, "cv cannot be used with"
    ),
    Entry(
        "partial_fit: after fit",
        lambda: TfPiVectorizer().fit(TEXTS, LABELS).partial_fit(TEXTS, LABELS),
        ValueError,
        "partial_fit cannot be called after fit",
    ),
    Entry(
        "partial_fit: a wrong document",
        lambda: TfPiVectorizer().partial_fit(TEXTS, LABELS).partial_fit([*TEXTS[:4], None], LABELS),
        ValueError,
        r"batch 2: document 4 is missing \(None\)",
    ),
    Entry(
        "partial_fit: labels of another length",
        lambda: TermFeatures().partial_fit(TEXTS, LABELS[:-1]),
        ValueError,
        "batch 1: y must hold one label per document, got 4 labels for 5 documents",
    ),
    Entry(
        "partial_fit: a wrong row",
        lambda: TermWeighter().partial_fit(COUNTS, LABELS).partial_fit(-COUNTS, LABELS),
        ValueError,
        r"batch 2: row 0: Negative values in data",
    ),
    Entry(
        "partial_fit: max_terms",
        lambda: TfPiVectorizer(max_terms=0).partial_fit(TEXTS, LABELS),
        ValueError,
        "max_terms must be a whole number of at least 1, got 0",
    ),
    Entry(
        "partial_fit: another max_terms",
        lambda: (
            TfPiVectorizer(max_terms=5).partial_fit(TEXTS, LABELS).set_params(max_terms=6).partial_fit(TEXTS, LABELS)
        ),
        ValueError,
        "batch 2: max_terms must stay the same in all batches, 5, got 6",
    ),
    Entry(
        "fit: max_terms",
        lambda: TfPiVectorizer(max_terms=5).fit(TEXTS, LABELS),
        ValueError,
        "max_terms is only for partial_fit, got max_terms=5: use max_features with fit",
    ),
    Entry(
        "partial_fit: one class",
        lambda: TfPiVectorizer().partial_fit(TEXTS, ["s"] * 5).transform(TEXTS),
        NotFittedError,
        "there are no weights yet: the 5 documents so far are of one class",
    ),
    Entry(
        "sample weights of less than a document",
        lambda: TroenpyClassifier().fit(TEXTS, LABELS, sample_weight=0.01),
        ValueError,
        "sample_weight must sum to at least 1, got 0.05: .* scale them to a mean of 1",
    ),
    Entry(
        "sample weights of less than a document, TfPiVectorizer",
        lambda: TfPiVectorizer(scheme="sqrt(certainty*idf)").fit(TEXTS, LABELS, sample_weight=0.01),
        ValueError,
        "the sample weights sum to 0.05 documents, and IDF can be negative below one; scale them",
    ),
    Entry(
        "random_state='x'",
        lambda: TermFeatures(cv=2, random_state="x").fit_transform(TEXTS, LABELS),
        ValueError,
        "random_state must be None, an int from 0 .* got 'x'",
    ),
    Entry(
        "encoding='x'",
        lambda: CountVectorizer(encoding="x").fit([b"late goal"]),
        ValueError,
        "encoding must be one that Python knows, .*: unknown encoding: x",
    ),
    *(
        Entry(f"TransportClassifier: {what}", call, error, line)
        for what, call, error, line in TRANSPORT
        if find_spec("ot") is not None
    ),
    Entry("set_params", lambda: TroenpyClassifier().set_params(c=1), ValueError, "Invalid parameter 'c' for estimator"),
]


def model(name: str) -> Any:
    return ESTIMATORS[name]().fit(data(name), LABELS)


def applied(estimator: Any, X: Any) -> Any:
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.transform(X)


def after_failure(name: str) -> Any:
    estimator = ESTIMATORS[name]()
    with pytest.raises(ValueError, match="labels"):
        estimator.fit(data(name), ["a", 1, "b", 2, "a"])
    return applied(estimator, data(name))


def huge() -> ClassCounts:
    return ClassCounts(["a", "b"], 8e114, [4e114, 4e114], [[1e100], [0]], [1e100])


@pytest.mark.parametrize("entry", TABLE, ids=[entry.id for entry in TABLE])
def test_one_line_says_what_is_wrong(entry, tmp_path):
    takes_folder = "tmp_path" in entry.call.__code__.co_varnames[: entry.call.__code__.co_argcount]
    with pytest.raises(entry.error, match=entry.line) as raised:
        entry.call(tmp_path) if takes_folder else entry.call()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 320


def test_the_catalogue_is_large():
    assert len(TABLE) > 500
    assert len({entry.id for entry in TABLE}) > 0.95 * len(TABLE)


# What looks bad and is not.


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(
    "make", [list, lambda y: np.array(y, dtype=object), pd.Series], ids=["list", "array", "Series"]
)
def test_labels_that_differ_in_a_trailing_nul_are_two_classes(name, make):
    labels = make(["a\0", "a\0", "a", "a", "a"])
    estimator = ESTIMATORS[name]().fit(data(name), labels)
    classes = estimator.classes_ if hasattr(estimator, "classes_") else estimator.counts_.classes
    assert list(classes) == ["a", "a\0"]


@pytest.mark.parametrize("make", [TroenpyClassifier, neighbors], ids=["TroenpyClassifier", "TextKNeighborsClassifier"])
@pytest.mark.parametrize("labels", [LABELS, ["s", "s", "p", "p", "x"]], ids=["two classes", "three"])
def test_no_documents_have_no_predictions(make, labels):
    model, n_classes = make().fit(TEXTS, labels), len(set(labels))
    assert model.predict([]).shape == (0,)
    assert model.predict([]).dtype == model.classes_.dtype
    assert model.predict_proba([]).shape == (0, n_classes)
    if hasattr(model, "decision_function"):
        assert model.decision_function([]).shape == ((0,) if n_classes == 2 else (0, n_classes))
    else:
        distances, documents = model.kneighbors([], n_neighbors=3)
        assert distances.shape == documents.shape == (0, 3)


@pytest.mark.parametrize("make", [TroenpyClassifier, neighbors], ids=["TroenpyClassifier", "TextKNeighborsClassifier"])
def test_a_grid_search_over_the_parameters_of_the_default_features(make):
    search = GridSearchCV(make(), {"features__pairs__ngram_range": [(1, 1), (1, 2)]}, cv=2, error_score="raise")
    search.fit(TEXTS * 2, LABELS * 2)
    assert search.best_params_["features__pairs__ngram_range"] in [(1, 1), (1, 2)]


# set_output is for the user's own steps; what is inside ours takes no notice.


@pytest.fixture
def pandas_output():
    with sklearn.config_context(transform_output="pandas"):
        yield


@pytest.mark.parametrize("make", [TroenpyClassifier, neighbors], ids=["TroenpyClassifier", "TextKNeighborsClassifier"])
def test_classifiers_of_text_take_no_notice_of_pandas_output(make, pandas_output):
    with sklearn.config_context(transform_output="default"):
        expected = make().fit(TEXTS, LABELS).predict_proba(TEXTS)
    np.testing.assert_array_equal(make().fit(TEXTS, LABELS).predict_proba(TEXTS), expected)


@pytest.mark.parametrize("make", [TroenpyClassifier, neighbors], ids=["TroenpyClassifier", "TextKNeighborsClassifier"])
def test_classifiers_of_text_take_no_notice_of_set_output_of_their_features(make):
    features = TermFeatures(words("pi", "profile"))
    expected = make(features=features).fit(TEXTS, LABELS).predict_proba(TEXTS)
    model = make(features=TermFeatures(words("pi", "profile")).set_output(transform="pandas"))
    np.testing.assert_array_equal(model.fit(TEXTS, LABELS).predict_proba(TEXTS), expected)


def test_the_vectorizer_of_text_gives_a_sparse_matrix_as_scikit_learns_does(pandas_output):
    X = TfPiVectorizer().fit_transform(TEXTS, LABELS)
    assert sparse.issparse(X)
    assert (TfPiVectorizer().fit(TEXTS, LABELS).transform(TEXTS) != X).nnz == 0


def test_weighted_rows_of_an_array_are_a_frame(pandas_output):
    weighter = TermWeighter().fit(COUNTS, LABELS)
    assert isinstance(weighter.transform(COUNTS), pd.DataFrame)
    assert list(weighter.fit_transform(COUNTS, LABELS).columns) == ["x0", "x1", "x2"]


@pytest.mark.parametrize("method", ["transform", "fit_transform"])
def test_weighted_rows_of_a_sparse_matrix_are_no_frame_as_those_of_scikit_learns_normalizer(method, pandas_output):
    X = sparse.csr_matrix(COUNTS)
    weighter = TermWeighter().fit(X, LABELS)  # fit gives no rows, so it works
    line = "The transformer outputs a scipy sparse matrix"
    with pytest.raises(ValueError, match=line) as theirs:
        getattr(Normalizer().fit(X), method)(X)
    with pytest.raises(ValueError, match=line) as ours:
        weighter.transform(X) if method == "transform" else weighter.fit_transform(X, LABELS)
    assert str(ours.value) == str(theirs.value)
