"""gzip and Zstandard: several members, files that are cut off or damaged."""

import gzip
import io

import pyarrow as pa
import pytest

from troenpy.records import open_records

CSV = b"text,label\n" + b"".join(b"a good day %d,%d\n" % (i, i % 2) for i in range(20_000))
HALVES = CSV[: len(CSV) // 2], CSV[len(CSV) // 2 :]


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


@pytest.fixture(params=[gzip.compress, zstd], ids=["gzip", "zstd"])
def compress(request):
    return request.param


def n_rows(content):
    with open_records(io.BytesIO(content)) as records:
        return sum(len(batch.texts) for batch in records.batches())


def test_several_members(compress):
    assert n_rows(b"".join(map(compress, HALVES))) == 20_000


def test_gzip_with_zeros_at_its_end():
    assert n_rows(gzip.compress(CSV) + bytes(512)) == 20_000


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99, 0.9999])
def test_cut_off(compress, share):
    content = compress(CSV)
    with pytest.raises(ValueError, match="the stream is cut off: its end is missing, copy or download it again"):
        n_rows(content[: int(len(content) * share)])


def test_a_second_member_that_is_cut_off(compress):
    first, second = map(compress, HALVES)
    with pytest.raises(ValueError, match="the stream is cut off"):
        n_rows(first + second[:-20])


def test_damaged(compress):
    content = compress(CSV)
    with pytest.raises(ValueError, match="the stream is damaged"):
        n_rows(content[:20] + b"\xff" * 100 + content[120:])


def test_garbage_after_the_end(compress):
    with pytest.raises(ValueError, match="the stream is damaged"):
        n_rows(compress(CSV) + b"garbage")


def test_nothing_in_it(compress):
    with pytest.raises(ValueError, match="the stream is empty"):
        n_rows(compress(b""))


def test_a_workbook_that_is_compressed(compress):
    with pytest.raises(ValueError, match="the stream is binary data, not text"):
        n_rows(compress(b"PK\x03\x04" + bytes(range(32)) * 10))
