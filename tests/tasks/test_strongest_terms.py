"""The strongest terms of each class, against a plain loop over documents."""

from collections import Counter
from math import log

import numpy as np
import pytest

pytest.importorskip("pyarrow")
from made_up_files import made_up

from troenpy import settings
from troenpy.tasks.strongest_terms import strongest_columns, strongest_terms


def test_they_are_those_of_a_plain_loop():
    rows = made_up(80)
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    model = settings.classifier("linear", C=1).fit(texts, labels)
    sets = [set(text.split()) for text in texts]
    n_w = Counter(word for words in sets for word in words)
    found = strongest_terms(model, 5)
    for name, size in Counter(labels).items():
        n_iw = Counter(word for words, label in zip(sets, labels, strict=True) if label == name for word in words)
        strengths = {
            word: n * log(n * len(texts) / (n_w[word] * size)) * log(len(texts) / n_w[word])
            for word, n in n_iw.items()
            if len(word) > 1
        }
        expected = sorted(strengths, key=lambda word: (-strengths[word], word))[:5]
        assert [round(strengths[word], 9) for word in found[name]] == [round(strengths[word], 9) for word in expected]


def test_a_class_without_documents_and_terms_everywhere_are_no_problem():
    model = settings.classifier("linear", C=1).fit(
        ["aa bb", "aa cc", "aa bb", "aa cc"], np.eye(3, dtype=int)[[0, 1, 0, 1]]
    )
    found = strongest_columns(model.features_.views_[0].counts, 9)
    assert [len(columns) for columns in found] == [1, 1, 0]


def test_punctuation_and_repetitions_are_left_out():
    texts = ["own goal !", "own goal !", "no vote ?", "no vote ?"] * 3
    model = settings.classifier("views", C=1).fit(texts, ["s", "s", "p", "p"] * 3)
    assert sorted(strongest_terms(model)["s"]) in (["goal", "own"], ["own goal"])
