"""Broken rows are counted and named by kind."""

import pytest

from troenpy.records import Problems
from troenpy.records.problems import FIXES, PHRASES, Fault


def test_nothing():
    assert (Problems().total, Problems().lines(), Problems().to_dict()) == (0, [], {"total": 0, "kinds": {}})


def test_five_rows_of_each_kind_are_named():
    problems = Problems()
    problems.add("no text", [1, 2, 3])
    problems.add("no label", [4])
    problems.add("no text", [1005, 6, 7])
    problems.add("no text", iter([8]))
    assert problems.lines() == ["7 rows have no text, the first: 1, 2, 3, 1,005 and 6", "1 row has no label: 4"]
    kinds = {"no text": {"rows": 7, "first": [1, 2, 3, 1005, 6]}, "no label": {"rows": 1, "first": [4]}}
    assert problems.to_dict() == {"total": 8, "kinds": kinds}


@pytest.mark.parametrize("kind", PHRASES)
def test_every_kind_has_an_error_with_a_next_step(kind):
    problems = Problems()
    problems.add(kind, [1])
    assert problems.lines()[0].startswith("1 row ")
    problems.add(kind, [2])
    assert problems.lines()[0].startswith("2 rows ")
    message = str(Fault(0, kind, "detail").error("x.csv", 12, 14))
    assert message.startswith("row 12 (line 14) of x.csv ")
    assert "(detail)" in message
    assert message.endswith("or skip such rows with on_error='skip' (--on-error skip)")
    assert FIXES.get(kind, "mend it") in message


def test_an_error_without_line_and_detail():
    message = "row 3 of x.parquet has no text: mend it, or skip such rows with on_error='skip' (--on-error skip)"
    assert str(Fault(9, "no text").error("x.parquet", 3, None)) == message
