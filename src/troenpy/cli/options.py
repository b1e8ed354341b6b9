"""Options that several commands share, and the code that reads them."""

from typing import Annotated, Literal, TypeAlias

import typer

READING, LEARNING, TESTING = "What to read", "What to learn", "How to measure the error"
TESTING_TERMS = "How to test terms"

Text: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--text", help="Column of text; repeat it to join several. Guessed if obvious.", rich_help_panel=READING
    ),
]
Label: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--label", help="Column of labels; repeat it for several. Guessed if obvious.", rich_help_panel=READING
    ),
]
Separator: TypeAlias = Annotated[
    str | None, typer.Option(help="Between several labels in a cell.", rich_help_panel=READING)
]
Format: TypeAlias = Annotated[
    Literal["csv", "tsv", "jsonl", "json", "parquet", "arrow", "fasttext", "txt", "folder"] | None,
    typer.Option("--format", help="By default found by content and name.", rich_help_panel=READING),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Of CSV, such as ';' or tab; by default found by content.", rich_help_panel=READING),
]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option(help="Of text, such as cp1252; by default found by content.", rich_help_panel=READING)
]
OnError: TypeAlias = Literal["stop", "skip"]
OnErrorStop: TypeAlias = Annotated[
    OnError, typer.Option(help="Stop at a broken row, or skip and count it.", rich_help_panel=READING)
]
Jobs: TypeAlias = Annotated[int, typer.Option(help="Number of threads; -1 means one per processor.")]
Processes: TypeAlias = Annotated[int, typer.Option("--jobs", help="Number of processes; -1 means one per processor.")]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print errors only, and warnings of what an output lacks.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def read_delimiter(given: str | None) -> str | None:
    r"""Return a delimiter; the words and escapes that people type for a tab are one.

    Examples
    --------
    >>> read_delimiter("tab"), read_delimiter(r"\t"), read_delimiter(";")
    ('\t', '\t', ';')
    """
    return "\t" if given in ("tab", "\\t") else given


def read_ngrams(given: str | None) -> tuple[int, int] | None:
    """Read lengths of n-grams.

    Examples
    --------
    >>> read_ngrams("2"), read_ngrams("1,3"), read_ngrams("1-2")
    ((1, 2), (1, 3), (1, 2))
    """
    if given is None:
        return None
    parts = given.replace("-", ",").split(",")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):
        raise ValueError(f"ngrams must be one or two whole numbers, such as 2 or 1,2; got {given!r:.40}")
    numbers = [int(part) for part in parts]
    return (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def read_number(option: str, given: str | None) -> float | None:
    """Read a whole number or a fraction, as scikit-learn tells them apart.

    Examples
    --------
    >>> read_number("min-df", "2"), read_number("min-df", "0.01")
    (2, 0.01)
    """
    if given is None:
        return None
    try:
        return int(given) if given.strip().lstrip("+-").isdecimal() else float(given)
    except ValueError:
        raise ValueError(f"{option} must be a number, got {given!r:.40}") from None


def read_limit(given: str) -> int | None:
    """Read a whole number, or "all".

    Examples
    --------
    >>> read_limit("100"), read_limit("all")
    (100, None)
    """
    if given == "all":
        return None
    if not given.strip().isdecimal():
        raise ValueError(f"limit must be a whole number or all, got {given!r:.40}")
    return int(given)


def read_strength(given: str) -> float | str:
    """Read C: a number, or "auto".

    Examples
    --------
    >>> read_strength("auto"), read_strength("0.5")
    ('auto', 0.5)
    """
    if given == "auto":
        return given
    try:
        return float(given)
    except ValueError:
        raise ValueError(f"C must be a positive number or auto, got {given!r:.40}") from None
