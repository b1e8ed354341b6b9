"""Files of counts: the same bytes for the same counts, whole or not at all, and an error for every damage."""

import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from troenpy import ClassCounts
from troenpy.files import archive

X = np.array([[1, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 0]])
Y = ["b", "a", "b", "a"]
COUNTS = ClassCounts.from_matrix(X, Y, terms=["goal", "vote", "coal"])
ODD_TERMS = ["", "\0", "a\0", "a", "\ud800", "naïve", "日本", "🙂", "new\nline"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "counts.safetensors"


def header(**changes):
    return {"kind": "ClassCounts", "version": 1, "n_classes": 2} | changes


def write(path, arrays, text=None):
    """Write a file as a program that knows the checksum would."""
    if text is None:
        archive.write(path, header(), arrays)
    else:
        save_file(arrays, path, metadata={"troenpy": text})


def saved_arrays(path, counts=COUNTS):
    counts.save(path)
    return archive.read(path, "ClassCounts", 2)[1]


# There and back.


@pytest.mark.parametrize("terms", [None, ["goal", "vote", "coal"], ["a\0", "\ud800", "日本"]])
@pytest.mark.parametrize(
    "y", [Y, [7, -2, 7, -2], [2.0, 1.0, 2.0, 1.0], [True, False, True, False], np.eye(4, dtype=int)]
)
@pytest.mark.parametrize("weight", [None, [0.1, 0.2, 0.3, 0.4]])
def test_load_gives_back_what_save_wrote(path, terms, y, weight):
    counts = ClassCounts.from_matrix(X, y, terms=terms, sample_weight=weight)
    counts.save(path)
    loaded = ClassCounts.load(path)
    assert loaded == counts
    assert loaded.classes.dtype == counts.classes.dtype
    assert type(loaded.n_documents) is type(counts.n_documents)
    with pytest.raises(ValueError, match="read-only"):
        loaded.doc_freq.data[0] = 9


def test_odd_terms_and_classes_come_back(path):
    n = len(ODD_TERMS)
    counts = ClassCounts.from_matrix(np.eye(n), ODD_TERMS, terms=ODD_TERMS)
    counts.save(path)
    assert ClassCounts.load(path).terms.tolist() == ODD_TERMS
    assert ClassCounts.load(path).classes.tolist() == sorted(ODD_TERMS)


@pytest.mark.parametrize(
    "counts",
    [
        ClassCounts.from_matrix(np.zeros((2, 0)), ["a", "b"], terms=[]),
        ClassCounts.from_matrix(np.zeros((2, 0)), ["a", "b"]),
        ClassCounts.from_matrix(np.zeros((0, 2)), [], terms=["a", "b"]),
        ClassCounts.from_matrix(np.zeros((0, 2)), np.array([], dtype=object)),
        ClassCounts.from_matrix(np.zeros((2, 3)), ["", ""]),
    ],
)
def test_empty_counts_come_back(path, counts):
    counts.save(path)
    assert ClassCounts.load(path) == counts


@given(strings=st.lists(st.text(st.characters(exclude_categories=())), max_size=8))
def test_strings_come_back_from_their_bytes(strings):
    packed = archive.pack_strings(np.array([*strings, ""], dtype=object)[:-1])
    assert archive.unpack_strings(*packed).tolist() == strings


def test_a_path_may_be_a_string(path):
    COUNTS.save(str(path))
    assert ClassCounts.load(str(path)) == COUNTS


def test_the_file_is_replaced(path):
    path.write_bytes(b"old")
    COUNTS.save(path)
    assert ClassCounts.load(path) == COUNTS
    assert list(path.parent.iterdir()) == [path]


# The same bytes.


def saved_bytes(counts, path):
    counts.save(path)
    return path.read_bytes()


def test_equal_counts_by_other_routes_are_equal_bytes(path):
    terms = np.array(["goal", "vote", "coal"])
    order = np.array([2, 0, 1])  # in sorted order of the terms, as a merge leaves them
    whole = ClassCounts.from_matrix(X[:, order], Y, terms=terms[order])
    merged = ClassCounts.from_matrix(X[:2], Y[:2], terms=terms) + ClassCounts.from_matrix(
        X[2:, order].astype(np.float32), np.array(Y[2:], dtype=object), terms=list(terms[order])
    )
    expected = saved_bytes(whole, path)
    whole.save(path)
    routes = [merged, ClassCounts.load(path), pickle.loads(pickle.dumps(whole))]
    for counts in routes:
        assert counts == whole
        assert saved_bytes(counts, path) == expected


@given(
    data=st.lists(
        st.tuples(st.sets(st.sampled_from("abc"), min_size=1), st.sampled_from("xy")), min_size=2, max_size=6
    ),
    cut=st.integers(1, 5),
)
@settings(max_examples=30, deadline=None)
def test_merged_and_counted_at_once_are_equal_bytes(tmp_path_factory, data, cut):
    def count(documents):
        terms = sorted(set().union(*(words for words, _ in documents)))
        matrix = [[word in words for word in terms] for words, _ in documents]
        return ClassCounts.from_matrix(matrix, [label for _, label in documents], terms=terms)

    path = tmp_path_factory.mktemp("bytes") / "counts"
    cut = min(cut, len(data) - 1)
    assert saved_bytes(count(data[:cut]) + count(data[cut:]), path) == saved_bytes(count(data), path)


def test_negative_zero_is_zero_in_bytes_too(path):
    minus, plus = (ClassCounts.from_matrix([[1], [1]], [zero, 1.0], sample_weight=[1, zero]) for zero in (-0.0, 0.0))
    assert minus == plus
    assert saved_bytes(minus, path) == saved_bytes(plus, path)


def test_other_counts_are_other_bytes(path):
    assert saved_bytes(COUNTS, path) != saved_bytes(COUNTS + COUNTS, path)


SAVE = """
import sys
from troenpy import ClassCounts
X = [[1, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 0]]
ClassCounts.from_matrix(X, ["b", "a", "b", "a"], terms=["goal", "vote", "coal"]).save(sys.argv[1])
"""


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_other_processes_write_the_same_bytes(tmp_path, path, seed):
    other = tmp_path / "other"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", SAVE, str(other)], check=True, env=environment)  # noqa: S603
    assert other.read_bytes() == saved_bytes(COUNTS, path)


# Whole or not at all.


@pytest.mark.parametrize("step", ["fsync", "replace", "interrupt"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(path, monkeypatch, step):
    COUNTS.save(path)
    before = path.read_bytes()

    def fail(*args):
        raise KeyboardInterrupt("stopped") if step == "interrupt" else OSError("disk full")

    if step == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((OSError, KeyboardInterrupt), match=r"disk full|stopped"):
        (COUNTS + COUNTS).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_first_write_leaves_nothing(path, monkeypatch):
    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        COUNTS.save(path)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_the_file_that_is_replaced_keeps_its_mode(path, mode):
    path.write_bytes(b"old")
    path.chmod(mode)
    COUNTS.save(path)
    assert ClassCounts.load(path) == COUNTS
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_private_file_is_never_readable_while_it_is_written(path, monkeypatch):
    path.write_bytes(b"old")
    path.chmod(0o600)
    modes = []
    monkeypatch.setattr(os, "fsync", lambda number: modes.append(stat.S_IMODE(os.fstat(number).st_mode)))
    COUNTS.save(path)
    assert modes == [0o600]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_usual_mode(path, umask, mode):
    before = os.umask(umask)
    try:
        COUNTS.save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_and_its_target_is_written(path, is_there):
    target = path.parent / "elsewhere" / "target"
    target.parent.mkdir()
    if is_there:
        target.write_bytes(b"old")
        target.chmod(0o600)
    path.symlink_to(Path("elsewhere") / "target")
    COUNTS.save(path)
    assert path.is_symlink()
    assert ClassCounts.load(target) == COUNTS
    assert list(target.parent.iterdir()) == [target]
    assert not is_there or stat.S_IMODE(target.stat().st_mode) == 0o600


def test_links_in_a_circle_are_an_error(path):
    path.symlink_to("other")
    (path.parent / "other").symlink_to(path.name)
    with pytest.raises(OSError, match=r"cannot write .*counts\.safetensors: it is a broken link"):
        COUNTS.save(path)
    assert path.is_symlink()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_not_a_file_is_not_replaced(path, make):
    make(path)
    before = path.stat()
    with pytest.raises(OSError, match=r"cannot write .*counts\.safetensors: it is not a file"):
        COUNTS.save(path)
    assert path.stat() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_error_of_the_disk_names_the_file_and_not_the_draft(path, monkeypatch):
    def fail(draft, target):
        raise PermissionError(13, "Permission denied", str(draft))

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*/counts\.safetensors'"):
        COUNTS.save(path)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot write .*counts: the folder .*missing does not exist"):
        COUNTS.save(tmp_path / "missing" / "counts")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"file not found: .*counts"):
        ClassCounts.load(tmp_path / "counts")
    with pytest.raises(IsADirectoryError, match=f"{tmp_path.name} is a folder: pass the path of a file"):
        ClassCounts.load(tmp_path)


# Damage.


@pytest.mark.parametrize("keep", [0, 4, 8, 100, -1])
def test_a_truncated_file_is_an_error(path, keep):
    path.write_bytes(saved_bytes(COUNTS, path)[:keep])
    with pytest.raises(ValueError, match=r"counts\.safetensors is damaged or not a safetensors file"):
        ClassCounts.load(path)


def test_every_flipped_bit_is_an_error_or_changes_nothing(path):
    content = saved_bytes(COUNTS, path)
    unseen = []
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            if ClassCounts.load(path) != COUNTS:
                unseen.append(bit)
        except ValueError as error:
            assert "counts.safetensors" in str(error)  # noqa: PT017
    assert unseen == []


@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: header.update(more=1),
        lambda header, arrays: arrays.update(data=arrays["data"][::-1].copy()),
        lambda header, arrays: arrays.update(data=arrays["data"].astype(np.float64)),
        lambda header, arrays: arrays.update(data=arrays["data"].reshape(2, -1)),
        lambda header, arrays: arrays.update(n_docs=arrays["n_documents"], n_documents=arrays["n_docs"]),
        lambda header, arrays: arrays.pop("terms_bytes"),
        lambda header, arrays: arrays.update(more=np.zeros(0)),
    ],
    ids=["header", "values", "type", "shape", "names", "one less", "one more"],
)
def test_the_checksum_is_of_the_header_and_of_all_that_arrays_are(path, change):
    COUNTS.save(path)
    arrays = load_file(path)
    with safe_open(path, framework="numpy") as file:
        found = json.loads(file.metadata()["troenpy"])
    write(path, arrays, json.dumps(found))
    assert ClassCounts.load(path) == COUNTS
    change(found, arrays)
    write(path, arrays, json.dumps(found))
    with pytest.raises(ValueError, match=r"counts\.safetensors is damaged: its checksum must be \w{8}, got \w{8}"):
        ClassCounts.load(path)


@pytest.mark.parametrize(
    "text", [json.dumps(header()), json.dumps(header(checksum=None)), json.dumps(header(checksum=1))]
)
def test_a_file_without_a_checksum_is_an_error(path, text):
    write(path, saved_arrays(path), text)
    with pytest.raises(ValueError, match=r"counts\.safetensors is damaged: its checksum must be \w{8}, got (none|1)"):
        ClassCounts.load(path)


@pytest.mark.parametrize(
    "array",
    [np.arange(3, dtype=">i4"), np.arange(6).reshape(2, 3).T, np.array(7), np.zeros((0, 2)), np.array([True, False])],
    ids=["byte order", "order of rows", "no dimension", "no values", "bool"],
)
def test_arrays_of_every_form_come_back(path, array):
    archive.write(path, header(), {"a": array})
    np.testing.assert_array_equal(archive.read(path, "ClassCounts", 1)[1]["a"], array)


@pytest.mark.parametrize("content", [b"garbage", b"\xff" * 200, b"PK\x03\x04" + bytes(100), b"{}"])
def test_garbage_is_an_error(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"counts\.safetensors is damaged or not a safetensors file"):
        ClassCounts.load(path)


class Explosive:
    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def test_loading_never_unpickles(path):
    bomb = Explosive()
    bomb.folder = path.parent / "exploded"
    path.write_bytes(pickle.dumps(bomb))
    with pytest.raises(ValueError, match="damaged or not a safetensors file"):
        ClassCounts.load(path)
    np.save(path.with_suffix(".npy"), np.array([bomb], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="damaged or not a safetensors file"):
        ClassCounts.load(path.with_suffix(".npy"))
    assert not bomb.folder.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(header(kind="TermWeighter")), "must be a ClassCounts file, got TermWeighter"),
        ("[]", "must be a ClassCounts file, got something else"),
        ("null", "must be a ClassCounts file, got something else"),
        ("{", "damaged or not a safetensors file"),
        ("[" * 100_000, "damaged or not a safetensors file"),
        ("9" * 5000, "damaged or not a safetensors file"),
        (json.dumps(header(version=3)), "has format version 3, this troenpy reads up to 2: upgrade troenpy"),
        (json.dumps(header(version="1")), "has format version 1, this troenpy reads up to 2"),
        (json.dumps(header(version=None)), "has format version None, this troenpy reads up to 2"),
    ],
    ids=lambda value: value[:40],
)
def test_another_header_is_an_error(path, text, message):
    write(path, saved_arrays(path), text)
    with pytest.raises(ValueError, match=message):
        ClassCounts.load(path)


def test_another_safetensors_file_is_an_error(path):
    save_file({"weight": np.ones(2)}, path)
    with pytest.raises(ValueError, match="must be a ClassCounts file, got something else"):
        ClassCounts.load(path)


# COUNTS: doc_freq [[0, 1, 0], [2, 1, 1]] by columns: data 2 1 1 1, indices 1 0 1 1, indptr 0 1 3 4.
def test_the_tampered_arrays_are_these(path):
    arrays = saved_arrays(path)
    assert {name: array.tolist() for name, array in arrays.items() if "bytes" not in name} == {
        "data": [2, 1, 1, 1],
        "indices": [1, 0, 1, 1],
        "indptr": [0, 1, 3, 4],
        "n_docs": [2, 2],
        "term_docs": [2, 2, 1],
        "n_documents": [4],
        "classes_lengths": [1, 1],
        "terms_lengths": [4, 4, 4],
    }


INTS = {"data", "indices", "indptr", "n_docs", "term_docs", "n_documents", "classes_lengths", "terms_lengths"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("indices", [1, 0, 2, 1], "indices|index values"),
        ("indices", [1, 0, -1, 1], "indices|index values"),
        ("indices", [1, 0, 1], "indices|index values"),
        ("indptr", [0, 3, 1, 4], "indptr|index pointer"),
        ("indptr", [0, 1, 3, 400], "indptr|index pointer|Last value"),
        ("indptr", [1, 1, 3, 4], "indptr|index pointer"),
        ("indptr", [0, 1, 4], "index pointer|indptr"),
        ("data", [-2, 1, 1, 1], "doc_freq must be finite, not negative and at most n_docs"),
        ("data", [2, 1, 1], "indices and data should have the same size|doc_freq"),
        ("data", [9, 1, 1, 1], "doc_freq must be finite, not negative and at most n_docs"),
        ("data", [np.nan, 1, 1, 1], "doc_freq must be finite, not negative and at most n_docs"),
        ("n_docs", [-2, 2], "n_docs must be finite, not negative"),
        ("n_docs", [2, 2, 2], r"classes must have shape \(3,\) to fit doc_freq, got \(2,\)"),
        ("n_docs", [[2, 2]], "indices must be < 1|index values must be < 1"),
        ("term_docs", [2, 2], "index pointer|indptr"),
        ("term_docs", [1, 2, 1], "doc_freq must be finite, not negative and at most term_docs"),
        ("n_documents", [1], "n_docs must be finite, not negative and at most n_documents"),
        ("n_documents", [-1], "n_documents must be between 0 and"),
        ("n_documents", [np.inf], "n_documents must be between 0 and"),
        ("n_documents", [np.nan], "n_documents must be between 0 and"),
        ("n_documents", [4, 4], "size 1"),
        ("classes_lengths", [2, 1], "the lengths of the strings do not add up"),
        ("classes_lengths", [3, -1], "the lengths of the strings do not add up"),
        ("classes_lengths", [2, 0], r"classes must be in ascending order and not repeat, got \['ab', ''\]"),
        ("classes_bytes", [98, 97], r"classes must be in ascending order and not repeat, got \['b', 'a'\]"),
        ("classes_bytes", [97, 255], "can't decode"),
        ("terms_lengths", [4, 8], r"terms must have shape \(3,\) to fit doc_freq, got \(2,\)"),
        ("terms_lengths", [4.0, 4.0, 4.0], "the lengths of the strings do not add up"),
        ("terms_bytes", list(b"goalvotegoal"), "terms must not repeat, got 'goal' twice"),
        ("terms_bytes", [0.0] * 12, "the lengths of the strings do not add up"),
    ],
)
def test_a_tampered_array_is_an_error(path, name, value, message):
    arrays = saved_arrays(path)
    changed = np.array(value)
    arrays[name] = changed.astype(np.uint8) if name.endswith("_bytes") and changed.dtype.kind == "i" else changed
    write(path, arrays)
    with pytest.raises(ValueError, match=rf"counts\.safetensors does not hold valid ClassCounts: .*({message})"):
        ClassCounts.load(path)


@pytest.mark.parametrize("name", sorted(INTS | {"classes_bytes", "terms_bytes"}))
def test_a_missing_array_is_named(path, name):
    arrays = saved_arrays(path)
    del arrays[name]
    write(path, arrays)
    with pytest.raises(ValueError, match=f"does not hold valid ClassCounts: the array '{name}' is missing"):
        ClassCounts.load(path)


def test_an_array_of_a_type_numpy_lacks_is_an_error(path):
    entry = {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}
    text = json.dumps({"__metadata__": {"troenpy": json.dumps(header())}, "data": entry}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(2))
    with pytest.raises(ValueError, match=r"is damaged or not a safetensors file: .*BF16"):
        ClassCounts.load(path)
