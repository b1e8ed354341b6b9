"""Errors, precision and recall against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

from troenpy.tasks.evaluation import evaluate

pytest.importorskip("pyarrow")


def test_a_worked_example():
    found = evaluate("by hand", ["a", "a", "b", "c"], ["a", "b", "b", "b"])
    assert (found.n_documents, found.n_wrong, found.error) == (4, 2, 0.5)
    a, b, c = found.classes
    assert (a.precision, a.recall, a.f1) == (1.0, 0.5, pytest.approx(2 / 3))
    assert (b.precision, b.recall) == (pytest.approx(1 / 3), 1.0)
    assert (c.precision, c.recall, c.f1) == (None, 0.0, 0.0)
    assert found.confused == (("a", "b", 1), ("c", "b", 1))


def test_it_equals_scikit_learn():
    rng = np.random.default_rng(0)
    true, given = (rng.choice(list("abcd"), 200).tolist() for _ in range(2))
    found = evaluate("drawn", true, given)
    precision, recall, f1, n_documents = metrics.precision_recall_fscore_support(true, given)
    assert [one.precision for one in found.classes] == pytest.approx(precision)
    assert [one.recall for one in found.classes] == pytest.approx(recall)
    assert [one.f1 for one in found.classes] == pytest.approx(f1)
    assert [one.n_documents for one in found.classes] == n_documents.tolist()
    assert found.error == pytest.approx(1 - metrics.accuracy_score(true, given))
    confusion = metrics.confusion_matrix(true, given, labels=list("abcd"))
    for one, other, n in found.confused:
        assert confusion["abcd".index(one), "abcd".index(other)] == n
    assert [n for *_, n in found.confused] == sorted((n for *_, n in found.confused), reverse=True)


def test_with_several_labels_a_document_is_right_if_all_are():
    found = evaluate("sets", [("a", "b"), ("a",), ()], [("b", "a"), ("a", "b"), ()])
    assert (found.n_wrong, found.confused) == (1, ())
    assert "1 of 3 documents (all whose labels are not exactly the right ones), sets" in str(found)
    assert [(one.name, one.n_documents, one.n_predicted, one.n_correct) for one in found.classes] == [
        ("a", 2, 2, 2),
        ("b", 1, 2, 1),
    ]


def test_the_interval_is_wilsons():
    found = evaluate("ten", ["a"] * 10, ["a"] * 9 + ["b"])
    assert found.interval == pytest.approx((0.01788, 0.40415), abs=1e-4)
    assert found.to_dict()["interval"] == list(found.interval)
