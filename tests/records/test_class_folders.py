"""Folders of class folders: which files are documents, their encoding, and what is left out."""

import os

import pytest

from troenpy.records import class_folders, open_records


@pytest.fixture
def folder(tmp_path):
    """A folder with files by path from there."""

    def make(files):
        for name, content in files.items():
            path = tmp_path / "reviews" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "reviews"

    return make


TWO = {"neg/1.txt": "bad", "pos/1.txt": "good"}


def test_each_file_is_a_document_and_its_folder_the_label(read, folder):
    path = folder({**TWO, "pos/2.txt": "two\nlines\r\n", "pos/deep/3.txt": "naïve"})
    found = read(path)
    assert (found.format, found.columns) == ("folder", ["text", "label", "file"])
    assert (found.texts, found.labels) == (["bad", "good", "two\nlines\r\n", "naïve"], ["neg", "pos", "pos", "pos"])
    assert found.notices[0] == f"{path}: 4 files in 2 class folders"


def test_the_third_column_is_the_file(folder):
    with open_records(folder(TWO)) as records:
        assert next(records.batches()).table["file"].to_pylist() == ["neg/1.txt", "pos/1.txt"]


def test_hidden_files_and_files_outside_are_left_out(read, folder):
    hidden = {".git/x.txt": "a", "pos/.DS_Store": "b", "pos/.ipynb_checkpoints/2.txt": "c"}
    path = folder({**TWO, **hidden, "README.txt": "d", "urls.txt": "e"})
    found = read(path)
    assert found.texts == ["bad", "good"]
    assert found.notices[0] == f"{path}: 2 files in 2 class folders; 2 files outside of them left out"


def test_without_labels_files_may_be_anywhere(read, folder):
    found = read(folder({**TWO, "0.txt": "outside"}), needs_label=False)
    assert (sorted(found.texts), found.labels) == (["bad", "good", "outside"], None)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({".hidden": "a"}, r"reviews is empty: expected a folder per class with a file per document"),
        ({"1.txt": "a"}, r"reviews has no class folders: .* such as .*reviews/sport/1\.txt"),
    ],
)
def test_no_documents(folder, files, message):
    with pytest.raises(ValueError, match=message):
        open_records(folder(files))


def test_another_format(folder):
    with pytest.raises(ValueError, match="reviews is a folder, but the format is 'csv'"):
        open_records(folder(TWO), format="csv")


def test_links_to_files_and_folders(read, folder, tmp_path):
    path = folder(TWO)
    other = tmp_path / "other"
    other.mkdir()
    (other / "3.txt").write_text("linked")
    (path / "mixed").symlink_to(other)
    (path / "pos" / "2.txt").symlink_to(other / "3.txt")
    (path / "pos" / "broken.txt").symlink_to(other / "missing.txt")
    (path / "pos" / "round").symlink_to(path)
    found = read(path)
    assert (found.texts, found.labels) == (["linked", "bad", "good", "linked"], ["mixed", "neg", "pos", "pos"])


def test_names_that_are_not_utf8(read, folder):
    path = folder(TWO)
    try:
        (path / os.fsdecode(b"na\xefve")).mkdir()
    except OSError:
        pytest.skip("the file system takes UTF-8 only")
    (path / os.fsdecode(b"na\xefve/\xff.txt")).write_text("odd")
    assert read(path).labels == ["na?ve", "neg", "pos"]


def test_bytes_that_are_not_text(read, folder):
    path = folder({**TWO, "pos/2.txt": b"na\xefve", "pos/3.txt": "naïve", "pos/4.txt": "naïve", "pos/5.txt": ""})
    found = read(path, on_error="skip")
    assert found.texts == ["bad", "good", "", "naïve", "naïve", ""]
    assert found.problems == ["1 row has bytes that are not text: 3", "1 row has no text: 6"]
    message = r"row 3 of .*reviews has bytes that are not text \(the file pos/2\.txt is not UTF-8\)"
    with open_records(path) as records, pytest.raises(ValueError, match=message):
        list(records.batches())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_each_file_may_have_its_own_mark(read, folder, encoding):
    assert read(folder({**TWO, "pos/2.txt": "naïve".encode(encoding)})).texts == ["bad", "good", "naïve"]


def test_windows_1252(read, folder):
    path = folder({**TWO, "pos/2.txt": "naïve".encode("cp1252")})
    found = read(path)
    assert found.texts[-1] == "naïve"
    assert f"{path}: Windows-1252 (guessed: it is not UTF-8)" in found.notices
    assert read(path, encoding="latin-1").texts[-1] == "naïve"


@pytest.mark.parametrize("n_files", [1, 2, 3, 100])
def test_chunks_have_few_files(folder, monkeypatch, n_files):
    monkeypatch.setattr(class_folders, "N_FILES", n_files)
    path = folder({f"{label}/{i}.txt": f"{label} {i}" for label in "ab" for i in range(4)})
    with open_records(path) as records:
        batches = list(records.batches())
        assert records.position == records.size == 8 * len("a 1")
    assert [text for batch in batches for text in batch.texts.to_pylist()] == [
        f"{c} {i}" for c in "ab" for i in range(4)
    ]
    assert max(len(batch.texts) for batch in batches) == min(n_files, 8)


def test_chunks_have_few_bytes(folder, monkeypatch):
    monkeypatch.setattr(class_folders, "BLOCK_BYTES", 10)
    with open_records(folder({f"a/{i}.txt": "x" * 4 for i in range(7)})) as records:
        assert [len(batch.texts) for batch in records.batches()] == [3, 3, 1]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read(folder):
    path = folder(TWO)
    (path / "pos" / "1.txt").chmod(0)
    with pytest.raises(PermissionError, match=r"pos/1\.txt"):
        open_records(path)
