"""A few documents in small batches, for tests of `fit_batches`."""

import numpy as np
from made_up_texts import TOPICS, made_up_texts

from troenpy import settings

TEXTS, LABELS = made_up_texts(120, n_words=12, n_own=1)
NEW_TEXTS, NEW_LABELS = made_up_texts(60, seed=1, n_words=12, n_own=1)
#: Several labels for a document: its own, and one of another document.
SEVERAL = np.array([[topic in (label, other) for topic in TOPICS] for label, other in zip(LABELS, LABELS[::-1])]) * 1  # noqa: B905


def in_batches(texts, labels, size=50):
    """Return a function that returns the documents in batches."""
    return lambda: ((texts[i : i + size], labels[i : i + size]) for i in range(0, len(texts), size))


def linear(**options):
    """Return a classifier without a choice."""
    return settings.classifier("linear", **{"C": 3, **options})


def difference(model, other, texts=NEW_TEXTS):
    """Return the largest difference between the probabilities of two models."""
    return np.abs(model.predict_proba(texts) - other.predict_proba(texts)).max()


def assert_equal(model, other):
    """Check that two models have the same bits."""
    for name in ("coef_", "intercept_", "class_frequencies_"):
        assert getattr(model, name).tobytes() == getattr(other, name).tobytes()


def cut(text):
    """Cut a text into parts: an analyzer or tokenizer of the user's own."""
    return text.split("o")
