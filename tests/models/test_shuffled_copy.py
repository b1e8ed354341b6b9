"""ShuffledCopy: documents in a temporary file, in random order."""

import numpy as np
import pytest

from troenpy.models import shuffled_copy
from troenpy.models.shuffled_copy import ShuffledCopy


def shuffled(documents, size):
    """Return documents and their numbers in the order of the copy, after adding them in parts of this size."""
    copy = ShuffledCopy()
    for start in range(0, len(documents), size):
        copy.add(documents[start : start + size])
    numbers = copy.shuffle(np.arange(len(documents)))
    found = list(copy.documents())
    assert found == list(copy.documents())
    copy.close()
    return found, numbers.tolist()


@pytest.mark.parametrize("size", [1, 7, 100])
def test_documents_keep_their_numbers(monkeypatch, size):
    monkeypatch.setattr(shuffled_copy, "GROUP_CHARACTERS", 20)
    documents = ["", "a\ud800b", *map(str, range(97)), b"bytes \xff", ["any", "thing"]]
    found, numbers = shuffled(documents, size)
    assert sorted(numbers) == list(range(101))
    assert found == [documents[number] for number in numbers]
    assert numbers != sorted(numbers)
    assert (found, numbers) == shuffled(documents, size)


def test_long_documents_share_a_group():
    """Or else its place in the file and in the order would take up many bytes for each."""
    documents = [str(number) * shuffled_copy.GROUP_CHARACTERS for number in range(64)]
    _, numbers = shuffled(documents, 64)
    assert len(set(np.array(numbers).reshape(-1, shuffled_copy.GROUP_DOCUMENTS)[:, 0] % 8)) == 1


def test_no_documents():
    assert shuffled([], 1) == ([], [])
