"""A few words with vectors drawn at random, bags of them, and topics."""

import numpy as np
from hypothesis import strategies as st

from troenpy.transport.distances import learn_topics
from troenpy.transport.embeddings import WordVectors

WORDS = tuple(f"w{i}" for i in range(12))

bags = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 5), min_size=1, max_size=7)
seeds = st.integers(0, 1000)


def made_up_vectors(seed=0, n_dimensions=3):
    return WordVectors(WORDS, np.random.default_rng(seed).normal(size=(len(WORDS), n_dimensions)))


def made_up_topics():
    generator = np.random.default_rng(0)
    documents = [generator.choice(WORDS[:6] if i % 2 else WORDS[4:], 12) for i in range(60)]
    return learn_topics(documents, made_up_vectors(), n_topics=5, n_words=4, n_steps=50)
