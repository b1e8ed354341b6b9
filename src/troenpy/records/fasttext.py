"""Read fastText's format: lines of labels, each with the prefix __label__, and text."""

from collections.abc import Iterator

from troenpy.records.arrow import arrow
from troenpy.records.chunk import BLOCK_BYTES, Chunk
from troenpy.records.lines import line_blocks
from troenpy.records.problems import Fault
from troenpy.records.streams import Stream

PREFIX = "__label__"


def read_fasttext(stream: Stream, name: str, block_bytes: int = BLOCK_BYTES) -> Iterator[Chunk]:
    """Yield a row with label and text for each line; several labels are separated by spaces."""
    pa = arrow()
    is_empty = True
    for block in line_blocks(stream, name, block_bytes):
        labels, texts, faults = [], [], []
        for row, line in enumerate(block.lines):
            label, text = split_labels(line.decode("utf-8", "replace").removesuffix("\r"))
            labels.append(label)
            texts.append(text)
            if "\ufffd" in text + label and not _is_utf8(line):
                faults.append(Fault(row, "bad encoding"))
        if block.lines:
            is_empty = False
            table = pa.table({"label": pa.array(labels, pa.string()), "text": pa.array(texts, pa.string())})
            yield Chunk(table, faults, block.line_of)
    if is_empty:
        raise ValueError(f"{name} is empty")


def split_labels(line: str) -> tuple[str, str]:
    """Return the labels at the start of a line, separated by spaces, and the rest.

    Examples
    --------
    >>> split_labels("__label__a __label__b a good day")
    ('a b', 'a good day')
    """
    labels = []
    rest = line.lstrip()
    while rest.startswith(PREFIX):
        first, *others = rest.split(maxsplit=1)
        labels.append(first.removeprefix(PREFIX))
        rest = others[0] if others else ""
    return " ".join(filter(None, labels)), rest


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
