"""ClassCounts.from_files: counts of files of any kind, by any number of processes, are those of all documents."""

import gzip
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bad_calls import bad_calls
from made_up_texts import made_up_texts

from troenpy import ClassCounts, CountVectorizer
from troenpy.counts.labels import read_label_sets
from troenpy.features import checkpoints
from troenpy.files import processes
from troenpy.fitting.jobs import job_count
from troenpy.records import csv_table
from troenpy.tasks import counting_files, file_group
from troenpy.tasks.file_group import CountedFile, FileGroup

# A thread of loky may still look for work that was given up; pytest would make its KeyError a failure.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

TEXTS, LABELS = made_up_texts(90)
needs_processors = pytest.mark.skipif(job_count(2) < 2, reason="one processor counts all files in one part")
PARTS = [slice(0, 40), slice(40, 41), slice(41, 90)]


@pytest.fixture
def small_batches(monkeypatch):
    """Let a few rows be several batches, and every batch be followed by a checkpoint."""
    monkeypatch.setattr(csv_table.read_csv, "__defaults__", (500,))
    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoints, "TIMES_WRITING", 0.0)


def write_csv(path, texts, labels):
    rows = "".join(f'"{text}",{label}\n' for text, label in zip(texts, labels, strict=True))
    path.write_text(f"text,label\n{rows}")


def write_json(path, texts, labels):
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))


def write_gzip(path, texts, labels):
    write_csv(path, texts, labels)
    path.write_bytes(gzip.compress(path.read_bytes()))


def write_parquet(path, texts, labels):
    pq.write_table(pa.table({"text": texts, "label": list(labels)}), path)


def write_folders(path, texts, labels):
    for number, (text, label) in enumerate(zip(texts, labels, strict=True)):
        (path / label).mkdir(parents=True, exist_ok=True)
        (path / label / f"{number:03}.txt").write_text(text)


WRITERS = {
    "csv": write_csv,
    "jsonl": write_json,
    "csv.gz": write_gzip,
    "parquet": write_parquet,
    "folder": write_folders,
}


@pytest.fixture
def files(tmp_path):
    """Return the paths of three CSV files: the second has a single document, and so a single class."""
    return write_files(tmp_path, ["csv"] * 3)


def write_files(folder, kinds, labels=LABELS):
    paths = [folder / f"{number}.{kind}" for number, kind in enumerate(kinds)]
    for path, kind, part in zip(paths, kinds, PARTS, strict=False):
        WRITERS[kind](path, TEXTS[part], labels[part])
    return paths


def in_memory(labels=LABELS, **options):
    counter = CountVectorizer(**options)
    X = counter.fit_transform(TEXTS, labels)
    return ClassCounts.from_matrix(X, labels, terms=counter.get_feature_names_out())


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kinds", [["csv"] * 3, ["parquet", "csv.gz", "jsonl"], ["folder", "csv", "csv"]])
def test_counts_are_those_in_memory(tmp_path, kinds, n_jobs):
    counts = ClassCounts.from_files(write_files(tmp_path, kinds), n_jobs=n_jobs)
    assert counts == in_memory()
    assert counts.doc_freq.dtype == np.int64
    assert counts.is_exact


def test_borders_of_batches_change_nothing(small_batches, files):
    seen = []
    assert ClassCounts.from_files(files, callback=seen.append) == in_memory()
    assert len(seen) > 10


def test_one_file(files):
    part = PARTS[0]
    counter = CountVectorizer()
    X = counter.fit_transform(TEXTS[part])
    expected = ClassCounts.from_matrix(X, LABELS[part], terms=counter.get_feature_names_out())
    for paths in (files[0], str(files[0]), [files[0]], iter([files[0]])):
        assert ClassCounts.from_files(paths, n_jobs=2) == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_labels(tmp_path, n_jobs):
    sets = [tuple(sorted({label, other})) for label, other in zip(LABELS, LABELS[::-1], strict=True)]
    paths = write_files(tmp_path, ["csv"] * 3, np.array(["|".join(labels) for labels in sets]))
    assert ClassCounts.from_files(paths, separator="|", n_jobs=n_jobs) == in_memory(read_label_sets(sets))


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 2), "min_df": 2},
        {"min_class_df": 3},
        {"vocabulary": ["goal", "vote", "nothing"]},
        {"analyzer": str.split},
        {"analyzer": "char_wb", "max_df": 0.5},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_counter(files, options, n_jobs):
    counter = CountVectorizer(**options)
    before = repr(counter.get_params())
    assert ClassCounts.from_files(files, counter=counter, n_jobs=n_jobs) == in_memory(**options)
    assert repr(counter.get_params()) == before
    assert not hasattr(counter, "vocabulary_")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_max_terms_bounds_the_terms(files, n_jobs):
    exact, counts = in_memory(), ClassCounts.from_files(files, max_terms=15, n_jobs=n_jobs)
    assert len(counts.terms) == 15
    assert (counts.n_documents, counts.n_docs.tolist()) == (exact.n_documents, exact.n_docs.tolist())
    documents = dict(zip(exact.terms.tolist(), exact.term_docs.tolist(), strict=True))
    for term, least, error in zip(counts.terms, counts.term_docs, counts.errors, strict=True):
        assert least <= documents.pop(term) <= least + error
    assert max(documents.values()) <= counts.kept_above
    assert ClassCounts.from_files(files, max_terms=1000, n_jobs=n_jobs) == exact


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_callback_is_told_of_everything(monkeypatch, files, n_jobs):
    monkeypatch.setattr(processes, "SECONDS_BETWEEN", 0.001)
    seen = []
    ClassCounts.from_files(files, n_jobs=n_jobs, callback=seen.append)
    documents, read = [progress.n_documents for progress in seen], [progress.n_bytes for progress in seen]
    assert documents == sorted(documents)
    assert read == sorted(read)
    assert documents[-1] == 90
    assert read[-1] == seen[-1].total == sum(path.stat().st_size for path in files)
    assert seen[-1].done == 1.0


# What is wrong with files


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_broken_row_is_named(tmp_path, files, n_jobs):
    files[2].write_text(files[2].read_text() + '" ",sport\n')
    before = set(tmp_path.iterdir())
    with pytest.raises(ValueError, match=rf"^row 50 \(line 51\) of {files[2]} has no text: mend it, or skip such"):
        ClassCounts.from_files(files, n_jobs=n_jobs)
    assert set(tmp_path.iterdir()) == before
    assert ClassCounts.from_files(files, on_error="skip", n_jobs=n_jobs) == in_memory()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_broken_file_is_named(tmp_path, n_jobs):
    files = write_files(tmp_path, ["csv", "csv", "csv.gz"])
    files[2].write_bytes(files[2].read_bytes()[:-20])
    with pytest.raises(ValueError, match=f"^{files[2]} is cut off: its end is missing"):
        ClassCounts.from_files(files, n_jobs=n_jobs)


def of_files(**options):
    def call(files):
        ClassCounts.from_files(files, **options)

    return call


@bad_calls(
    ("no files", lambda files: ClassCounts.from_files([]), ValueError, "paths must name at least one file, got none"),
    ("number", lambda files: ClassCounts.from_files(3), TypeError, "paths must be names of files, got int"),
    ("stream", lambda files: ClassCounts.from_files(["-"]), TypeError, "paths must be names of files, got '-' among"),
    ("no path", lambda files: ClassCounts.from_files([3]), TypeError, "paths must be names of files, got 3 among them"),
    ("twice", lambda files: ClassCounts.from_files([*files, files[0]]), ValueError, "once, got .*0.csv twice"),
    ("missing", lambda files: ClassCounts.from_files(["no.csv"]), FileNotFoundError, "^file not found: no.csv$"),
    ("counter", of_files(counter="word"), TypeError, "counter must be a CountVectorizer, got str"),
    (
        "max_features", of_files(counter=CountVectorizer(max_features=3)), ValueError,
        "max_features cannot be used with from_files",
    ),
    ("input", of_files(counter=CountVectorizer(input="filename")), ValueError, "input='filename' cannot be used with"),
    ("max_terms", of_files(max_terms=0), ValueError, "max_terms must be a whole number of at least 1, got 0"),
    ("n_jobs", of_files(n_jobs=0), ValueError, "n_jobs must be None or an int"),
    ("callback", of_files(callback=3), TypeError, "callback must be a function, got 3"),
    ("column", of_files(label="topic"), ValueError, "label 'topic' is not a column of .*0.csv"),
    ("format", of_files(format="xml"), ValueError, "unknown format 'xml'"),
)  # fmt: skip
def test_what_cannot_be(files, call, error, message):
    with pytest.raises(error, match=message):
        call(files)


def test_files_without_documents(tmp_path):
    (tmp_path / "none.csv").write_text("text,label\n")
    with pytest.raises(ValueError, match=f"there is no document in {tmp_path / 'none.csv'}"):
        ClassCounts.from_files([tmp_path / "none.csv"], text="text", label="label")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_in_the_callback_ends_all_work(files, error, n_jobs):
    def stop(progress):
        raise error

    with pytest.raises(error):
        ClassCounts.from_files(files, n_jobs=n_jobs, callback=stop)
    assert ClassCounts.from_files(files, n_jobs=n_jobs) == in_memory()  # the processes work again


# Checkpoints

KILLED = """
import os, signal, sys
from pathlib import Path
from troenpy import ClassCounts
from troenpy.features import checkpoints
from troenpy.records import csv_table

checkpoints.SECONDS_BETWEEN = checkpoints.TIMES_WRITING = 0.0
csv_table.read_csv.__defaults__ = (500,)
write, n_written = checkpoints.Checkpoint.write, 0

def write_and_die(self, *given):
    global n_written
    write(self, *given)
    n_written += 1
    if n_written == int(sys.argv[2]):
        os.kill(os.getpid(), int(sys.argv[3]))

checkpoints.Checkpoint.write = write_and_die
max_terms = eval(sys.argv[4])
ClassCounts.from_files(sys.argv[5:], checkpoint=sys.argv[1], max_terms=max_terms)
"""


def count_and_die(folder, n_written, files, number=signal.SIGKILL, max_terms=None):
    """Count in a process of its own that sends itself a signal after so many checkpoints; return its errors."""
    call = [sys.executable, "-c", KILLED, folder, str(n_written), str(int(number)), repr(max_terms), *files]
    found = subprocess.run(call, capture_output=True, text=True, check=False)  # noqa: S603
    assert found.returncode != 0, found.stderr
    return found


@pytest.mark.parametrize("max_terms", [None, 20])
def test_a_killed_process_goes_on_from_its_checkpoint(monkeypatch, tmp_path, files, max_terms):
    folder, n_documents = tmp_path / "counts", 0
    whole = ClassCounts.from_files(files, max_terms=max_terms)
    assert count_and_die(folder, 2, files, max_terms=max_terms).returncode == -signal.SIGKILL
    assert count_and_die(folder, 4, files, max_terms=max_terms).returncode == -signal.SIGKILL
    add = file_group.add_documents

    def count(stream, counter, texts, *others):
        nonlocal n_documents
        n_documents += len(texts)
        return add(stream, counter, texts, *others)

    monkeypatch.setattr(file_group, "add_documents", count)
    assert ClassCounts.from_files(files, checkpoint=folder, max_terms=max_terms) == whole
    assert 0 < n_documents < 60
    assert not folder.exists()


def test_ctrl_c_keeps_the_checkpoint(tmp_path, files):
    folder = tmp_path / "counts"
    assert "KeyboardInterrupt" in count_and_die(folder, 3, files, signal.SIGINT).stderr
    assert [path.name for path in folder.iterdir()] == ["part-0"]
    assert ClassCounts.from_files(files, checkpoint=folder) == in_memory()


@pytest.fixture
def stopped(small_batches, tmp_path, files):
    """Return a checkpoint after some batches."""

    def stop(progress):
        if progress.n_documents > 50:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ClassCounts.from_files(files, checkpoint=tmp_path / "counts", callback=stop)
    return tmp_path / "counts"


@needs_processors
def test_each_process_goes_on_from_its_part(small_batches, tmp_path, files):
    folder = tmp_path / "counts"
    folder.mkdir()
    options = {"text": None, "label": None, "separator": None, "format": None, "delimiter": None, "encoding": None}
    states = [CountedFile.of(str(path)) for path in files]

    def stop(n_documents, n_bytes):
        raise RuntimeError("enough")

    for number, of_group in enumerate(counting_files._share(states, 2)):
        checkpoints_of = FileGroup(
            of_group, CountVectorizer(), options | {"on_error": "stop"}, folder / f"part-{number}"
        )
        left = iter(range(3))
        with pytest.raises(RuntimeError, match="enough"):
            checkpoints_of.count(lambda *so_far, left=left: stop(*so_far) if next(left, None) is None else None)
    parts = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert parts.keys() == {"part-0", "part-1"}
    assert ClassCounts.from_files(files, checkpoint=folder, n_jobs=2) == in_memory()
    folder.mkdir()
    for name, content in parts.items():
        (folder / name).write_bytes(content)
    os.utime(files[0], ns=(0, 0))
    with pytest.raises(ValueError, match=r"0\.csv has changed since .*part-"):
        ClassCounts.from_files(files, checkpoint=folder, n_jobs=2)


def test_a_process_ends_when_nobody_waits_for_it(small_batches, files):
    states = [CountedFile.of(str(path)) for path in files]
    with pytest.raises(SystemExit, match="the process that started this one is gone"):
        FileGroup(states, CountVectorizer(), {}, process=-1).count(lambda *so_far: None)


def test_every_place_to_go_on_from(small_batches, tmp_path, files):
    seen = []
    ClassCounts.from_files(files, callback=seen.append)
    for number in range(len(seen)):
        left = iter(range(number))

        def stop(progress, left=left):
            if next(left, None) is None:
                raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            ClassCounts.from_files(files, checkpoint=tmp_path / "counts", callback=stop)
        assert ClassCounts.from_files(files, checkpoint=tmp_path / "counts") == in_memory()


def change_time(files):
    os.utime(files[2], ns=(0, 0))
    return files


def change_size(files):
    files[0].write_text(files[0].read_text() + "more,sport\n")
    return files


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda files: files[:2], {}, "part-0 has counts of other files: delete it, or name another checkpoint$"),
        (lambda files: files[::-1], {}, "part-0 has counts of other files: delete it"),
        (change_time, {}, "2.csv has changed since .*part-0 was written: delete that, or name another checkpoint$"),
        (change_size, {}, "0.csv has changed since .*part-0 was written"),
        (list, {"max_terms": 10}, "part-0 has counts of other settings: delete it"),
        (list, {"on_error": "skip"}, "part-0 has counts of other settings: delete it"),
        (list, {"counter": CountVectorizer(ngram_range=(1, 2))}, "part-0 has counts of other settings: delete it"),
        pytest.param(list, {"n_jobs": 2}, "part-0 has counts of other files", marks=needs_processors),
    ],
)
def test_a_checkpoint_of_another_call(stopped, files, change, options, message):
    content = (stopped / "part-0").read_bytes()
    with pytest.raises(ValueError, match=message):
        ClassCounts.from_files(change(files), checkpoint=stopped, **options)
    assert (stopped / "part-0").read_bytes() == content


def test_what_does_not_change_the_counts_may_change(stopped, files):
    counter = CountVectorizer(min_df=2, n_jobs=2)
    assert ClassCounts.from_files(files, checkpoint=stopped, counter=counter) == in_memory(min_df=2)


def test_a_folder_with_other_files_is_refused(tmp_path, files):
    with pytest.raises(ValueError, match=r"must be a folder for nothing else, but .* holds [0-2]\.csv"):
        ClassCounts.from_files(files, checkpoint=tmp_path)
    with pytest.raises(ValueError, match=r"must be a folder or not exist, but .*0\.csv is a file"):
        ClassCounts.from_files(files, checkpoint=files[0])
    with pytest.raises(FileNotFoundError, match=r"the folder .*nowhere does not exist"):
        ClassCounts.from_files(files, checkpoint=tmp_path / "nowhere" / "counts")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_damaged_checkpoint(stopped, files):
    (stopped / "part-0").write_bytes(b"")
    with pytest.raises(ValueError, match="part-0 is damaged"):
        ClassCounts.from_files(files, checkpoint=stopped)
