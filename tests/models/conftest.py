"""Fixtures for tests of `fit_batches`."""

import tempfile

import pytest

from troenpy.models import document_passes, logistic, pass_ascent, shuffled_copy


@pytest.fixture
def small_chunks(monkeypatch, tmp_path):
    """Let few documents be several chunks and groups; check that no temporary file is left behind."""
    monkeypatch.setattr(document_passes, "CHUNK_CHARACTERS", 2000)
    monkeypatch.setattr(shuffled_copy, "GROUP_CHARACTERS", 300)
    monkeypatch.setattr(shuffled_copy, "GROUP_DOCUMENTS", 2)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    yield
    assert not list((tmp_path / "temporary").iterdir())


@pytest.fixture
def accurate(monkeypatch):
    """Let the solvers of `fit` and `fit_batches` go on until they are close to the optimum, and so to each other."""
    monkeypatch.setattr(pass_ascent, "SETTLED", 1e-5)
    monkeypatch.setattr(pass_ascent, "MOST_PASSES", 300)
    monkeypatch.setattr(logistic, "SETTLED", 1e-6)
    monkeypatch.setattr(logistic, "SETTLED_ACCURACY", 1e-3)
