"""The sample that C and views are chosen from."""

import numpy as np

from troenpy.models import survey
from troenpy.models.document_passes import Chunk, keys_of
from troenpy.models.survey import Sample


def sample_of(texts, size, seed=0):
    sample = Sample(seed)
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        chunk = Chunk(part, np.zeros(len(part), dtype=np.int64))
        sample.add(chunk, keys_of(chunk))
        assert len(sample.texts) <= 2 * survey.MOST_SAMPLED + size
    sample.shrink()
    return sample.texts


def test_the_sample_is_bounded_and_has_all_copies_of_a_text_or_none(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 100)
    texts = [f"text{i % 300}" for i in range(1200)]
    found = sample_of(texts, 40)
    assert 90 < len(found) <= 100
    assert all(found.count(text) == 4 for text in found)
    assert sorted(found) == sorted(sample_of(texts[::-1], 170))
    assert set(found) != set(sample_of(texts, 40, seed=1))


def test_the_characters_of_a_sample_are_bounded(monkeypatch):
    monkeypatch.setattr(survey, "MOST_CHARACTERS", 200)
    texts = [f"text{i}" for i in range(300)]
    assert 150 < sum(map(len, sample_of(texts, 40))) <= 200


def test_a_text_with_too_many_copies_is_not_sampled(monkeypatch):
    monkeypatch.setattr(survey, "MOST_SAMPLED", 100)
    assert len(sample_of(["same"] * 500, 40)) == 0  # nothing to choose from
