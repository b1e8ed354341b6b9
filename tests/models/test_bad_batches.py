"""What fit_batches refuses: batches, parameters, and passes that give other documents."""

import numpy as np
import pyarrow as pa
import pytest
from bad_calls import bad_calls
from small_batches import LABELS, SEVERAL, TEXTS, in_batches, linear

from troenpy import TermFeatures, TroenpyClassifier

pytestmark = pytest.mark.usefixtures("small_chunks")

CHANGES = {
    "another text": (lambda texts, labels: (["changed", *texts[1:]], labels), 0),
    "another label": (lambda texts, labels: (texts, [*labels[:-1], "politics"]), 119),
    "a new label": (lambda texts, labels: (texts, [*labels[:80], "new", *labels[81:]]), 80),
    "another order": (lambda texts, labels: ([*texts[:-2], texts[-1], texts[-2]], labels), 118),
    "fewer": (lambda texts, labels: (texts[:70], labels[:70]), 70),
    "more": (lambda texts, labels: ([*texts, "more"], [*labels, "sport"]), 120),
    "none": (lambda texts, labels: ([], []), 0),
}


@pytest.mark.parametrize("n_pass", [2, 3, 5])  # to count, to look for copies, to learn
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

    with pytest.raises(ValueError, match=f"must give the same documents, but document {position} differs .* had 120"):
        linear().fit_batches(batches, shuffle=False)


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
    (
        "one class of a matrix", lambda: [(["a", "b"], np.array([[1, 0], [1, 0]]))], ValueError,
        "at least two classes with documents, got 0",
    ),
    ("no labels at all", lambda: [(["a"], np.zeros((1, 2), int))], ValueError, "at least two classes .*, got none"),
    ("no terms", lambda: [(["?", "!"], ["x", "y"])], ValueError, "no view has a term that is kept"),
    ("dict", lambda: {"a": 1}, TypeError, "batches must be a function .*, got dict"),
    ("string", lambda: "file.csv", TypeError, "batches must be a function .*, got str"),
    ("number of batches", lambda: 3, TypeError, "batches must be a function .*, got int"),
    ("nothing", lambda: lambda: None, TypeError, "the function must return an iterable of .*, got NoneType"),
)  # fmt: skip
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
    ("callback", lambda: linear().fit_batches(BATCHES, callback=3), TypeError, "callback must be a function, got 3"),
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
