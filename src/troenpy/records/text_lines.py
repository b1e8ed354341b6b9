"""Read lines of plain text: a text on each line, without labels."""

from collections.abc import Iterator

from troenpy.records.arrow import arrow
from troenpy.records.chunk import BLOCK_BYTES, Chunk
from troenpy.records.lines import line_blocks
from troenpy.records.problems import Fault
from troenpy.records.streams import Stream


def read_text_lines(stream: Stream, name: str, block_bytes: int = BLOCK_BYTES) -> Iterator[Chunk]:
    """Yield a row for each line; blank lines are rows too, so that row n is line n."""
    pa = arrow()
    for block in line_blocks(stream, name, block_bytes):
        lines = block.content.removesuffix(b"\n").split(b"\n")
        texts = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in lines]
        faults = [
            Fault(row, "bad encoding")
            for row, text in enumerate(texts)
            if "\ufffd" in text and lines[row].removesuffix(b"\r") != text.encode()
        ]
        yield Chunk(pa.table({"text": pa.array(texts, pa.string())}), faults, lambda row, at=block.first_line: at + row)  # type: ignore[misc]
