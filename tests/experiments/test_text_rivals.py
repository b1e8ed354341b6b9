"""NB-SVM against the formula, and fastText's adapter on a small stand-in for it."""

import sys
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from troenpy.experiments.text_rivals import LABEL, NBSVM, FastTextClassifier, log_count_ratios

TEXTS = ["late goal", "own goal", "close vote", "no vote", "heavy rain", "late rain"] * 4
LABELS = ["sport", "sport", "politics", "politics", "weather", "weather"] * 4


def test_log_count_ratios_are_those_of_a_loop():
    X = sparse.csr_array((np.random.default_rng(0).random((12, 7)) < 0.4).astype(np.float64))
    is_class, counts = np.arange(12) < 5, X.toarray()
    expected = []
    for term in range(7):
        shares = [(counts[part, term].sum() + 1) / (counts[part].sum() + 7) for part in (is_class, ~is_class)]
        expected.append(np.log(shares[0] / shares[1]))
    assert log_count_ratios(X, is_class) == pytest.approx(expected)


def test_nb_svm_of_two_classes_is_a_linear_svm_on_weighted_rows():
    texts, labels = TEXTS[:4], LABELS[:4]
    model = NBSVM(ngram_range=(1, 1)).fit(texts, labels)
    present = np.array([[0, 1, 1, 0, 0, 0], [0, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 1]]) / np.sqrt(2)
    ratios = [np.log(n) for n in (1 / 2, 3, 2, 1 / 2, 2, 1 / 3)]  # both classes have four terms: no difference of sizes
    order = [model.counter_.vocabulary_[term] for term in ("close", "goal", "late", "no", "own", "vote")]
    assert order == sorted(order)
    expected = LinearSVC(random_state=0, max_iter=10_000).fit(present * ratios, [True, True, False, False])
    assert model.decision_function(texts) == pytest.approx(expected.decision_function(present * ratios), abs=1e-3)
    assert model.predict(texts).tolist() == labels


def test_nb_svm_of_three_classes_has_a_decision_for_each():
    model = NBSVM().fit(TEXTS, LABELS)
    assert model.decision_function(TEXTS).shape == (24, 3)
    assert model.predict(["goal", "vote", "rain"]).tolist() == ["sport", "politics", "weather"]


class FakeFastText:
    """Learns which label a word stands with, and remembers its options; probabilities sum to 1 only nearly."""

    def train_supervised(self, input, **options):  # noqa: A002 (fastText's name)
        self.options = options
        with open(input, encoding="utf-8") as file:  # noqa: PTH123
            self.lines = file.read().splitlines()
        self.words = {}
        for line in self.lines:
            label, *words = line.split(" ")
            for word in words:
                self.words.setdefault(word, Counter())[label] += 1
        return self

    def predict(self, lines, k):
        found = [sum((self.words.get(word, Counter()) for word in line.split(" ")), Counter()) for line in lines]
        best = [counter.most_common(k) for counter in found]
        values = [
            1.00001 * np.array([n / counter.total() for _, n in top]) for top, counter in zip(best, found, strict=True)
        ]
        return [[label for label, _ in top] for top in best], values


@pytest.fixture
def fake_fast_text(monkeypatch):
    fake = FakeFastText()
    monkeypatch.setitem(sys.modules, "fasttext", fake)
    return fake


def test_fast_text_gets_words_and_symbols_in_random_order_on_one_thread(fake_fast_text):
    texts = ["Late goal!\nNow", "No vote: <class>1"] * 10
    FastTextClassifier().fit(texts, ["sport", "politics"] * 10)
    lines = {f"{LABEL}1 late goal ! now", f"{LABEL}0 no vote : < class > 1"}
    assert set(fake_fast_text.lines) == lines
    assert fake_fast_text.lines[:2] * 10 != fake_fast_text.lines
    expected = {"epoch": 25, "lr": 0.5, "wordNgrams": 2, "dim": 100, "thread": 1, "seed": 0, "label": LABEL}
    assert expected.items() <= fake_fast_text.options.items()


@pytest.mark.usefixtures("fake_fast_text")
def test_fast_text_has_a_column_per_class_also_for_those_it_does_not_return():
    model = FastTextClassifier().fit(TEXTS, LABELS)
    assert model.classes_.tolist() == ["politics", "sport", "weather"]
    assert model.predict_proba(["late", "vote"]) == pytest.approx(np.array([[0, 0.5, 0.5], [1, 0, 0]]), rel=1e-9)
    assert model.predict(["own goal", "vote"]).tolist() == ["sport", "politics"]
