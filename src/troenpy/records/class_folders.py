"""Read a folder of class folders: each file is a document, the folder its label."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from troenpy.display.plain import printable
from troenpy.records.arrow import arrow
from troenpy.records.chunk import BLOCK_BYTES, Chunk, Notices
from troenpy.records.encodings import detect_encoding, encoding_name
from troenpy.records.problems import Fault
from troenpy.records.source import HEAD_BYTES, Source
from troenpy.records.wording import counted

#: Files in a chunk, at most.
N_FILES = 4096
_MARKS = ("utf-16", "utf-32")


def list_files(source: Source, *, needs_label: bool, notices: Notices) -> list[str]:
    """Return the files of a folder, sorted, as paths from there; files outside class folders only without labels."""
    assert source.path is not None  # noqa: S101
    paths = list(_walk(source.path))
    files = [path for path in paths if "/" in path] if needs_label else paths
    if not files and paths:
        raise ValueError(
            f"{source.name} has no class folders: expected a folder per class with a file per document, such as"
            f" {source.name}/sport/1.txt"
        )
    if not files:
        raise ValueError(f"{source.name} is empty: expected a folder per class with a file per document")
    n_left = len(paths) - len(files)
    n_classes = len({path.partition("/")[0] for path in files if "/" in path})
    what = f"{counted(len(files), 'file')} in {counted(n_classes, 'class folder')}"
    outside = f"; {counted(n_left, 'file')} outside of them left out" if n_left else ""
    notices.say(f"{source.name}: {what}{outside}")
    source.size = sum((source.path / path).stat().st_size for path in files)
    return files


def read_folders(source: Source, files: Sequence[str], encoding: str | None, notices: Notices) -> Iterator[Chunk]:
    """Yield a row with text, label and file name for each file."""
    assert source.path is not None  # noqa: S101
    if encoding is None:
        encoding = _detect(source.path, files)
        if encoding != "utf-8":
            notices.say(f"{source.name}: {encoding_name(encoding)}")
    source.position = 0
    start, n_bytes = 0, 0
    contents: list[bytes] = []
    for end, file in enumerate(files, 1):
        contents.append((source.path / file).read_bytes())
        n_bytes += len(contents[-1])
        source.position += len(contents[-1])
        if n_bytes >= BLOCK_BYTES or len(contents) == N_FILES or end == len(files):
            yield _chunk(files[start:end], contents, encoding)
            start, n_bytes, contents = end, 0, []


def _walk(folder: Path) -> Iterator[str]:
    for root, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not _leads_back(Path(root, name)))
        parent = Path(root).relative_to(folder)
        for name in sorted(names):
            if not name.startswith(".") and (Path(root) / name).is_file():
                yield (parent / name).as_posix()


def _leads_back(folder: Path) -> bool:
    """Whether a link leads to a folder that it is in."""
    return folder.is_symlink() and folder.parent.resolve().is_relative_to(folder.resolve())


def _detect(folder: Path, files: Sequence[str]) -> str:
    """Return UTF-8 or the encoding that the first files suggest."""
    sample = bytearray()
    for file in files:
        with (folder / file).open("rb") as opened:
            sample += opened.read(HEAD_BYTES - len(sample)) + b"\n"
        if len(sample) >= HEAD_BYTES:
            break
    encoding = detect_encoding(bytes(sample))
    return "utf-8" if encoding.startswith(_MARKS) else encoding


def _chunk(files: Sequence[str], contents: Sequence[bytes], encoding: str) -> Chunk:
    pa = arrow()
    texts, faults = [], []
    for row, content in enumerate(contents):
        own = detect_encoding(content[:4]) if content[:3] else encoding
        text, is_bad = _decode(content, own if own.startswith(_MARKS) else encoding)
        texts.append(text)
        if is_bad:
            faults.append(Fault(row, "bad encoding", f"the file {printable(files[row])} is not {encoding.upper()}"))
    labels = [_readable(file.partition("/")[0]) if "/" in file else None for file in files]
    columns = {"text": texts, "label": labels, "file": [_readable(file) for file in files]}
    return Chunk(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), faults)


def _decode(content: bytes, encoding: str) -> tuple[str, bool]:
    try:
        return content.decode(encoding).removeprefix("\ufeff"), False
    except UnicodeDecodeError:
        return content.decode(encoding, "replace"), True


def _readable(name: str) -> str:
    """Return a file name without the surrogates that stand for bytes that are not text."""
    return name.encode("utf-8", "replace").decode()
