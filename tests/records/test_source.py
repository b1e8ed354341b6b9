"""Files, pipes, standard input: how often each is opened and read, and that all are closed and removed."""

import gc
import gzip
import io
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from troenpy.records import open_records
from troenpy.records.source import Source

CSV = b"text,label\n" + b"a good day,pos\na bad day,neg\n" * 3
EXPECTED = (["a good day", "a bad day"] * 3, ["pos", "neg"] * 3)


@pytest.fixture
def pipe():
    """Make a pipe that a thread fills."""
    threads, files = [], []

    def filled(content, n_at_a_time=7):
        read_end, write_end = os.pipe()

        def fill():
            with os.fdopen(write_end, "wb", buffering=0) as file:
                try:
                    for start in range(0, len(content), n_at_a_time):
                        file.write(content[start : start + n_at_a_time])
                except BrokenPipeError:
                    pass

        threads.append(threading.Thread(target=fill))
        threads[-1].start()
        files.append(os.fdopen(read_end, "rb", buffering=0))
        return files[-1]

    yield filled
    for file in files:
        file.close()
    for thread in threads:
        thread.join()


class OneWay(io.RawIOBase):
    """A stream that returns a few bytes at a time, and counts them."""

    def __init__(self, content):
        self.content, self.position, self.n_ends = content, 0, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self.content[self.position : self.position + min(3, len(buffer))]
        buffer[: len(part)] = part
        self.position += len(part)
        self.n_ends += not part
        return len(part)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files, empty at first."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("content", [CSV, gzip.compress(CSV, mtime=0), pa.compress(CSV, codec="zstd", asbytes=True)])
def test_a_pipe_is_read_once(pipe, content):
    with open_records(pipe(content)) as records:
        assert (records.can_reopen, records.size, records.name) == (False, None, "the stream")
        assert next(records.documents()) == EXPECTED
        with pytest.raises(ValueError, match=r"can be read only once: save it to a file first, or pass spool=True"):
            list(records.batches())


def test_nothing_is_read_twice():
    stream = OneWay(CSV)
    with open_records(stream) as records:
        assert next(records.documents()) == EXPECTED
    assert stream.position == len(CSV)
    assert not stream.closed


@pytest.mark.parametrize("content", [CSV, gzip.compress(CSV, mtime=0)])
def test_a_pipe_that_is_spooled_is_read_often(pipe, temporary, content):
    with open_records(pipe(content), spool=True) as records:
        assert (records.can_reopen, records.size) == (True, len(content))
        assert [next(records.documents()) for _ in range(3)] == [EXPECTED] * 3
        assert list(temporary.iterdir()) == []  # it has no name, so that no end of the process leaves it behind


def test_parquet_from_a_pipe(pipe, temporary):
    buffer = io.BytesIO()
    parquet.write_table(pa.table({"text": EXPECTED[0], "label": EXPECTED[1]}), buffer)
    for spool in (False, True):
        with open_records(pipe(buffer.getvalue(), 100), spool=spool) as records:
            assert next(records.documents()) == EXPECTED
    assert list(temporary.iterdir()) == []
    with pytest.raises(ValueError, match=r"a Parquet file cannot be read compressed as a whole: unpack it first"):
        open_records(io.BytesIO(gzip.compress(buffer.getvalue(), mtime=0)))


def test_an_arrow_stream_from_a_pipe(pipe):
    table, buffer = pa.table({"text": EXPECTED[0], "label": EXPECTED[1]}), io.BytesIO()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    with open_records(pipe(buffer.getvalue())) as records:
        assert next(records.documents()) == EXPECTED


BROKEN = [b"", b"PK\x03\x04", b"text\na\n", gzip.compress(CSV, mtime=0)[:-9], b"text,label\na,x\nb\n"]


@pytest.mark.parametrize("content", BROKEN)
def test_temporary_files_are_removed_after_errors(pipe, temporary, content):
    def read_all():
        with open_records(pipe(content), spool=True) as records:
            list(records.batches())

    with pytest.raises(ValueError, match=r"the stream"):
        read_all()
    assert list(temporary.iterdir()) == []


def test_temporary_files_are_removed_when_records_are_forgotten(pipe, temporary):
    records = open_records(pipe(CSV), spool=True)
    next(records.batches())
    del records
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_no_space_for_a_temporary_file(temporary, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError, match=r"no space to copy the stream to .*temporary: set TMPDIR to another folder"):
        open_records(OneWay(CSV), spool=True)
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("spool", [True, False])
def test_a_named_pipe(tmp_path, spool):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=[CSV])
    thread.start()
    with open_records(path, spool=spool) as records:
        assert next(records.documents()) == EXPECTED
        assert records.can_reopen == spool
        if not spool:
            with pytest.raises(ValueError, match="can be read only once"):
                list(records.batches())
    thread.join()


def test_standard_input(monkeypatch, pipe):
    class Standard:
        buffer = pipe(CSV)

    monkeypatch.setattr(sys, "stdin", Standard)
    with open_records("-") as records:
        assert next(records.documents()) == EXPECTED


@pytest.mark.parametrize("spool", [True, False])
def test_standard_input_of_a_process(spool):
    code = (
        "from troenpy.records import open_records\n"
        f"with open_records('-', spool={spool}) as records:\n"
        "    print(records.name, records.can_reopen, *records.documents())"
    )
    done = subprocess.run([sys.executable, "-c", code], input=CSV, capture_output=True, check=True)  # noqa: S603
    assert done.stdout.decode().split() == ["standard", "input", str(spool), *str(EXPECTED).split()]


@pytest.mark.parametrize("position", [0, 10])
def test_a_file_of_the_user_is_read_from_its_position_and_left_open(tmp_path, position):
    (tmp_path / "x.csv").write_bytes(b"x" * position + CSV)
    with (tmp_path / "x.csv").open("rb") as file:
        file.seek(position)
        with open_records(file) as records:
            assert (records.name, records.size) == (str(tmp_path / "x.csv"), len(CSV))
            first, second = records.documents(), records.documents()
            assert [next(first), next(second)] == [EXPECTED, EXPECTED]
        assert not file.closed


def test_a_file_of_the_gzip_module():
    with gzip.open(io.BytesIO(gzip.compress(CSV, mtime=0))) as file, open_records(file) as records:
        assert [next(records.documents()) for _ in range(2)] == [EXPECTED] * 2


@pytest.mark.parametrize("end", ["", ".gz", ".zst"])
def test_files_are_closed(tmp_path, end):
    path = tmp_path / f"x.csv{end}"
    content = CSV * 10_000
    compress = {"": bytes, ".gz": gzip.compress, ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True)}
    path.write_bytes(compress[end](content))

    def open_files():
        return [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink() and link.readlink() == path]

    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc")
    with open_records(path) as records:
        for _ in records.batches():
            break
        abandoned = records.batches()
        next(abandoned)
    assert open_files() == []
    with pytest.raises(ValueError, match="is not a column") as caught:
        open_records(path, text="missing")
    assert caught.value.__traceback__ is not None  # which holds the frames
    assert open_files() == []
    records = open_records(path)
    records.close()
    records.close()
    assert open_files() == []


def test_position_and_size(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(CSV)
    with open_records(path) as records:
        assert records.size == len(CSV)
        list(records.batches())
        assert records.position == len(CSV)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ("missing.csv", FileNotFoundError, "file not found: missing.csv"),
        ("a long text in place of a name " * 300, FileNotFoundError, "file not found: a long text"),
        ("a\0b", FileNotFoundError, r"file not found: a\\x00b"),
        (
            io.StringIO("text,label"),
            TypeError,
            "source must be a path, '-' or a file .* mode, got StringIO",
        ),
        (b"x.csv", TypeError, "source must be a path, .* got bytes"),
        (None, TypeError, "source must be a path, .* got NoneType"),
        (["x.csv"], TypeError, "source must be a path, .* got list"),
    ],
)
def test_no_source(source, error, message):
    with pytest.raises(error, match=message):
        open_records(source)


@pytest.mark.parametrize(
    ("name", "ending"), [("x.csv", ".csv"), ("X.CSV.GZ", ".csv"), ("x.tsv.zst", ".tsv"), ("x", ""), ("a.b/x.zstd", "")]
)
def test_endings(tmp_path, name, ending):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(CSV)
    assert Source(path).ending == ending
