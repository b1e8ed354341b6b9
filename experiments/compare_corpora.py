"""Compare troenpy with its rivals on your own corpora: errors, tests, ranks, probabilities and seconds.

    python experiments/compare_corpora.py FOLDER...
    python experiments/compare_corpora.py FOLDER --methods rivals troenpy --out rows.jsonl

A corpus is a file of JSON lines, NAME.jsonl.gz, with "text", "label" and "split" ("train", "test" or null; without a
split, 80/20 splits with the seeds 0, 1, ...). Methods are names or groups: rivals, pretrained, ours. Rows that are in
the file already are not computed again, so the same command resumes a run that was stopped; `--table` computes nothing.
"""

import argparse
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from troenpy.datasets import Corpus
from troenpy.display.plain import printable
from troenpy.experiments.journal import Row, read_rows
from troenpy.experiments.text_methods import GROUPS, TextMethod, read_text_methods
from troenpy.experiments.text_runs import run_text_methods
from troenpy.experiments.text_tables import report

ENDING = ".jsonl.gz"
FIELDS = ("text", "label", "split")


def find_files(folders: Sequence[Path], names: Sequence[str] | None) -> list[Path]:
    """Return the files of the corpora, by name if names are given."""
    found: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"{folder} is not a folder: give one with files NAME{ENDING}")
        files = sorted(folder.glob(f"*{ENDING}"))
        if not files:
            raise ValueError(f"{folder} has no corpus: its files must be called NAME{ENDING}")
        for file in files:
            name = file.name.removesuffix(ENDING)
            if name in found and (names is None or name in names):
                raise ValueError(f"two corpora are called {name}, {found[name]} and {file}: rename one")
            found[name] = file
    unknown = [name for name in names or () if name not in found]
    if unknown:
        raise ValueError(f"there is no corpus {unknown[0]!r}: choose from {', '.join(found)}")
    return [found[name] for name in names or found]


def read_corpus(path: Path) -> Corpus:
    """Read a file of JSON lines."""
    documents = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        try:
            for number, line in enumerate(lines, start=1):
                documents.append(read_document(line, f"line {number} of {path}"))
        except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} cannot be read after line {len(documents)}: {error}") from None
    if not documents:
        raise ValueError(f"{path} is empty")
    texts, labels, parts = zip(*documents, strict=True)
    if len({part is None for part in parts}) == 2:
        raise ValueError(f"line {1 + parts.index(None)} of {path} has no split, but other lines have one")
    is_given = parts[0] is not None
    if is_given and len(set(parts)) == 1:
        raise ValueError(f"{path} has documents for {parts[0]!r} only: it needs both parts, or no split")
    return Corpus(path.name.removesuffix(ENDING), texts, np.array(labels), np.array(parts) if is_given else None)


def read_document(line: str, place: str) -> tuple[str, str, str | None]:
    """Return text, label and split."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is not JSON: {error}") from None
    if not isinstance(document, dict) or any(field not in document for field in FIELDS):
        raise ValueError(f"{place} must be an object with {', '.join(FIELDS)}")
    text, label, split = (document[field] for field in FIELDS)
    is_label = isinstance(label, str | int) and not isinstance(label, bool)
    if not (isinstance(text, str) and is_label):
        raise ValueError(f"{place}: text must be a string, and label a string or whole number")
    if split not in ("train", "test", None):
        raise ValueError(f"{place}: split must be 'train', 'test' or null, got {str(split)[:40]!r}")
    return text, str(label), split


def show(row: Row) -> None:
    """Print a new row."""
    split = "" if row.seed is None else f", split {row.seed}"
    print(
        f"{printable(row.corpus)}{split}: {row.method} {100 * row.error:.2f} %, {row.cpu_seconds:.1f} s",
        file=sys.stderr,
        flush=True,
    )


def choose_methods(names: Sequence[str] | None) -> list[TextMethod]:
    """Return the methods of these names, or without names all whose packages are installed."""
    methods = read_text_methods(names or GROUPS)
    left_out = [] if names else [method for method in methods if method.missing]
    for method in left_out:
        print(f"left out: {method.name}; pip install {' '.join(method.packages)}", file=sys.stderr)
    return [method for method in methods if method not in left_out]


def compare(options: argparse.Namespace) -> str:
    """Compute the missing rows, and return the report."""
    files = find_files(options.folders, options.corpora)
    methods = choose_methods(options.methods)
    if options.splits < 1:
        raise ValueError(f"--splits must be 1 or more, got {options.splits}")
    if options.table:
        names = {file.name.removesuffix(ENDING) for file in files}, {method.name for method in methods}
        rows = [row for row in read_rows(options.out) if row.corpus in names[0] and row.method in names[1]]
    else:
        corpora: Iterator[Corpus] = map(read_corpus, files)
        rows = run_text_methods(corpora, methods, splits=options.splits, out=options.out, on_row=show)
    return report(rows, options.baseline)


def main(arguments: Sequence[str] | None = None) -> Any:
    """Print the report, or an error on one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--methods", nargs="+", help="names or groups; default: all whose packages are installed")
    parser.add_argument("--corpora", nargs="+", help="only these")
    parser.add_argument("--splits", type=int, default=5, help="random splits of a corpus without a given one")
    parser.add_argument("--baseline", help="what to test against; default: troenpy")
    parser.add_argument("--out", type=Path, help="file of rows, to resume and to keep")
    parser.add_argument("--table", action="store_true", help="only print the report of the rows in --out")
    options = parser.parse_args(arguments)
    if options.table and options.out is None:
        parser.error("--table needs --out")
    try:
        print(compare(options))
    except (ValueError, ImportError, OSError) as error:
        return printable(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
