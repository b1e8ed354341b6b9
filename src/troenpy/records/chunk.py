"""What every format yields: a table of all columns, the faults of its rows, and where its rows start in the file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from troenpy.records.arrow import Table
from troenpy.records.problems import Fault
from troenpy.records.wording import counted

#: JSON text by key, of the rows that have keys without a column: a key that no object of the first rows has.
LateKeys: TypeAlias = Mapping[int, Mapping[str, str]]

#: How much of a file is read at a time.
BLOCK_BYTES = 1 << 24
#: A record may be longer than a block, but not longer than this.
RECORD_BYTES = 1 << 28
#: How many rows determine columns, types and guesses.
N_SAMPLED = 1000


def _unknown_line(row: int) -> int | None:
    return None


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file. The first chunk of a file may have no rows: its schema names the columns."""

    table: Table
    faults: Sequence[Fault] = ()
    #: The line where a row of this chunk, counted from 0, starts.
    line_of: Callable[[int], int | None] = _unknown_line
    late_keys: LateKeys = field(default_factory=dict)


class Notices(list[str]):
    """What was sniffed or guessed, one line each; nothing is said twice."""

    _listener: Callable[[str], Any] | None = None

    def listen(self, listener: Callable[[str], Any]) -> None:
        """Let a function hear all lines: those that were said, now, and others as soon as they are."""
        self._listener = listener
        for line in self:
            listener(line)

    def say(self, line: str) -> None:
        """Append a line unless it is there."""
        if line not in self:
            self.append(line)
            if self._listener is not None:
                self._listener(line)


def check_record(n_bytes: int, name: str, number: int, line: int, hint: str) -> None:
    """Raise if the part of a file that holds no end of a record is too long."""
    if n_bytes > RECORD_BYTES:
        limit = counted(RECORD_BYTES >> 20, "MB", "MB")
        raise ValueError(f"row {number} (line {line}) of {name} does not end within {limit}: {hint}")
