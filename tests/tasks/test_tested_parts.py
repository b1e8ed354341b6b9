"""Which documents are held out: copies and groups stay together, classes are spread, a column is obeyed."""

import numpy as np
import pytest

from troenpy.tasks import tested_parts
from troenpy.tasks.documents import Documents
from troenpy.tasks.tested_parts import drawn_parts, given_parts

pytest.importorskip("pyarrow")


def documents(n, n_texts=None, cells=None):
    texts = [f"text {i % (n_texts or n)}" for i in range(n)]
    return Documents(texts, ["a" if i % 3 else "b" for i in range(n)], cells)


def test_every_document_is_tested_once_in_five_turns():
    found = drawn_parts(documents(100), seed=0)
    assert (found.method, len(found.parts)) == ("5-fold cross-validation", 5)
    assert np.sort(np.concatenate(found.parts)).tolist() == list(range(100))
    for part in found.parts:
        assert abs(len(part) - 20) <= 1
        assert abs(sum(i % 3 == 0 for i in part.tolist()) - 7) <= 1


@pytest.mark.parametrize("n", [200, 3000])
def test_copies_and_groups_are_tested_together(n):
    order = np.random.default_rng(1).permutation(n).tolist()  # pairs of copies and triples of an author: six together
    found = Documents(
        [f"text {i // 2}" for i in order], ["ab"[i % 2] for i in order], [f"author {i // 3}" for i in order]
    )
    for part in drawn_parts(found, seed=0).parts:
        others = np.setdiff1d(np.arange(n), part)
        assert len(part)
        for values in (found.texts, found.cells):
            assert not {values[i] for i in part.tolist()} & {values[i] for i in others.tolist()}


def test_many_documents_are_held_out_once(monkeypatch):
    monkeypatch.setattr(tested_parts, "MOST_TESTED", 300)
    found = drawn_parts(documents(3000), seed=0)
    assert [len(part) for part in found.parts] == [300]
    assert found.method == "held out once"
    assert {i % 3 for i in found.parts[0].tolist()} == {0, 1, 2}


def test_the_seed_decides():
    draws = [np.concatenate(drawn_parts(documents(60), seed).parts).tolist() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_too_few_documents_are_not_tested():
    assert drawn_parts(documents(9), seed=0) is None
    assert drawn_parts(documents(100, n_texts=9), seed=0) is None


def test_a_part_without_which_there_is_one_class_is_left_out():
    found = Documents([f"text {i}" for i in range(20)], ["a"] * 19 + ["b"])
    parts = drawn_parts(found, seed=0).parts
    assert 19 not in np.concatenate(parts)
    assert len(parts) == 4


def test_a_column_decides_what_is_tested():
    found = given_parts(["Train", "test ", "dev", "training", "TEST"], "split")
    assert (found.parts[0].tolist(), found.unused.tolist(), found.is_given) == ([1, 4], [2], True)


@pytest.mark.parametrize("cells", [["train", "train"], ["test", "test"], ["a", "b"]])
def test_a_column_that_does_not_say_it_is_an_error(cells):
    with pytest.raises(
        ValueError, match=r"the column 'fold' must say 'train' for some rows and 'test' for others, got '"
    ):
        given_parts(cells, "fold")
