"""The paper's settings on R8 give the errors that earlier, throwaway code gave.

English stop words removed; k = 7, L2-normalised rows, Euclidean distance; logistic regression with C = 1, by
scikit-learn's lbfgs. Needs the corpus, in the cache or in the folder that TROENPY_DATA names; nothing is downloaded.
"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from some_views import words

from troenpy import SparseKNeighborsClassifier, TermFeatures, TfPiVectorizer, datasets

IS_HERE = {corpus.name: corpus.present for corpus in datasets.available()}["r8"]
pytestmark = [
    pytest.mark.full_corpus,
    pytest.mark.skipif(not IS_HERE, reason="r8 is not here yet: troenpy reproduce, or datasets.load('r8'), caches it"),
]


@pytest.fixture(scope="module")
def r8():
    corpus = datasets.load("r8")
    parts = [corpus.split == name for name in ("train", "test")]
    return [(np.array(corpus.texts, dtype=object)[part], corpus.labels[part]) for part in parts]


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
