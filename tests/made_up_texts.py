"""Labelled texts drawn at random: words that all topics share, and a few of a topic's own."""

import numpy as np

TOPICS = {
    "politics": ("vote", "parliament", "law", "minister", "party"),
    "science": ("atom", "cell", "theory", "test", "data"),
    "sport": ("goal", "cup", "match", "striker", "team"),
}


def made_up_texts(n_documents, topics=tuple(TOPICS), *, seed=0, n_shared=40, n_words=8, n_own=2):
    """Draw as many texts of each topic, in any order, of n_words out of n_shared words and n_own of the topic's."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.resize(topics, n_documents))
    shared = [f"word{i}" for i in range(n_shared)]
    return [" ".join([*rng.choice(shared, n_words), *rng.choice(TOPICS[label], n_own)]) for label in labels], labels
