"""A file of labelled text in a folder of its own."""

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from made_up_files import made_up, write_csv


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def rows():
    return made_up()


@pytest.fixture
def reviews(in_folder, rows):
    return write_csv(Path("reviews.csv"), rows)
