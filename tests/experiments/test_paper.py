"""The paper's settings on R8 give the errors that earlier, throwaway code gave.

English stop words removed; k = 7, L2-normalised rows, Euclidean distance; logistic regression with C = 1, by
scikit-learn's lbfgs. Needs the corpus: TROENPY_DATA names the folder of r8.jsonl.gz.
"""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from some_views import words

from troenpy import SparseKNeighborsClassifier, TermFeatures, TfPiVectorizer

FILE = Path(os.environ.get("TROENPY_DATA", ".")) / "r8.jsonl.gz"
pytestmark = pytest.mark.skipif(not FILE.is_file(), reason="TROENPY_DATA names no folder with r8.jsonl.gz")


@pytest.fixture(scope="module")
def r8():
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    parts = [[row for row in rows if row["split"] == split] for split in ("train", "test")]
    return [([row["text"] for row in part], np.array([row["label"] for row in part])) for part in parts]


def error(features, model, r8):
    (texts, labels), (test_texts, test_labels) = r8
    model.fit(features.fit_transform(texts, labels), labels)
    return 100 * np.mean(model.predict(features.transform(test_texts)) != test_labels)


@pytest.mark.parametrize(("scheme", "expected"), [("idf", 12.1), ("pi", 7.2)])
def test_nearest_neighbours_on_r8(r8, scheme, expected):
    features = TfPiVectorizer(scheme=scheme, stop_words="english")
    assert error(features, SparseKNeighborsClassifier(7), r8) == pytest.approx(expected, abs=0.5)


def test_tf_pi_and_2b_with_logistic_regression_on_r8(r8):
    features = TermFeatures(words("pi", "btf", "ecib", stop_words="english"))
    model = LogisticRegression(C=1.0, solver="lbfgs", max_iter=1000)
    assert error(features, model, r8) == pytest.approx(2.9, abs=0.5)
