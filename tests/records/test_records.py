"""Open files: batches, documents, passes, memory, and what happens without pyarrow."""

import io
import subprocess
import sys

import numpy as np
import pytest

from troenpy.records import csv_table, formats, open_records
from troenpy.records.chunk import BLOCK_BYTES

CSV = b"id,text,label,prediction\n" + b"".join(b"%d,text %d,%d,old\n" % (i, i, i % 2) for i in range(100))


def test_batches_have_all_columns_and_row_numbers(block_bytes):
    with open_records(io.BytesIO(CSV)) as records:
        batches = list(records.batches())
    assert [batch.first_row for batch in batches] == [
        1,
        *(1 + np.cumsum([len(b.texts) for b in batches])[:-1]).tolist(),
    ]
    assert batches[0].table.column_names == ["id", "text", "label", "prediction"]
    assert [cell for batch in batches for cell in batch.table["id"].to_pylist()] == [str(i) for i in range(100)]
    assert not any(batch.is_broken.any() for batch in batches)


def test_every_pass_is_the_same(block_bytes):
    with open_records(io.BytesIO(CSV + b",,\n"), on_error="skip") as records:
        first = list(records.documents())
        problems = records.problems.lines()
        for batch in records.batches():
            assert batch.first_row == 1
            break
        assert list(records.documents()) == first
        assert records.problems.lines() == problems == ["1 row has too many or too few cells: 101"]


def test_documents_leave_broken_rows_out():
    with open_records(io.BytesIO(b"text,label\na,x\n,y\nc,x\n"), on_error="skip") as records:
        assert list(records.documents()) == [(["a", "c"], ["x", "x"])]


def test_rows_before_the_broken_one_are_not_lost_when_it_is_in_a_later_block(monkeypatch):
    monkeypatch.setattr(formats, "read_csv", lambda *args: csv_table.read_csv(*args, block_bytes=100))
    with open_records(io.BytesIO(CSV + b"1,2\n")) as records:
        batches = records.batches()
        assert next(batches).first_row == 1
        with pytest.raises(ValueError, match=r"row 101 \(line 102\) of the stream has too many or too few cells"):
            list(batches)


class Endless(io.RawIOBase):
    """Rows without end; it counts what was read."""

    def __init__(self, start, rows):
        self.rest, self.rows, self.n_bytes = start, rows, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        rest = self.rest + self.rows * (len(buffer) // len(self.rows) + 1)
        buffer[:], self.rest = rest[: len(buffer)], rest[len(buffer) :]
        self.n_bytes += len(buffer)
        return len(buffer)


@pytest.mark.parametrize(
    ("start", "rows"),
    [
        (b"text,label\n", b"a good day,pos\na bad day,neg\n"),
        (b"text\tlabel\n", b"a good day\tpos\na bad day\tneg\n"),
        (b"", b'{"text": "a good day", "label": "pos"}\n'),
        (b"[", b'{"text": "a good day", "label": "pos"},\n'),
        (b"", b"__label__pos a good day\n"),
    ],
)
def test_a_batch_reads_a_bounded_part_of_a_file(start, rows):
    stream = Endless(start, rows)
    with open_records(stream) as records:
        batches = records.batches()
        for n_batches in range(1, 4):
            batch = next(batches)
            assert stream.n_bytes <= (2 + n_batches) * BLOCK_BYTES
            assert batch.table.nbytes <= 2 * BLOCK_BYTES
        batches.close()


def test_without_pyarrow_the_error_has_the_line_that_installs_it():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from troenpy.records import open_records\n"
        "try:\n"
        "    open_records('missing.csv')\n"
        "except ImportError as error:\n"
        "    print(error, error.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603
    assert done.stdout == "reading files needs pyarrow: pip install 'troenpy[records]' pyarrow\n"
