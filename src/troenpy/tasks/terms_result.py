"""The result of `terms`: the terms that mark each class, as a table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from troenpy.counts.class_counts import ClassCounts
from troenpy.display import data_frame, printable
from troenpy.files.drafts import FilePath, check_target, draft, write_atomically
from troenpy.records.arrow import arrow
from troenpy.records.wording import listed, quoted
from troenpy.report.parts.shell import check_extra
from troenpy.report.terms_page import N_TERMS, terms_page
from troenpy.tasks.contexts import Example, Wanted
from troenpy.tasks.row_writers import WRITERS, CsvWriter, writer_for
from troenpy.tasks.spreadsheets import protected
from troenpy.tasks.terms_tables import N_SHOWN, shown_places, terms_as_html, terms_as_text

#: Classes that an error names.
N_LISTED = 10
#: What is known of a term, in the order of the columns of files.
WHOLE = ("rank", "rank_low", "rank_high", "documents", "reference_documents")
NUMBERS = ("share", "reference_share", "log_odds", "log_odds_low", "log_odds_high", "p", "q", "strength", "dispersion")
WEIGHTS = ("weight", "weight_low", "weight_high")
PAGES = (".html", ".htm")
MORE, LESS = "more", "less"


@dataclass(frozen=True, eq=False)
class ClassTerms:
    """The terms that mark a class, the strongest first.

    Attributes
    ----------
    name : str, int or bool
        Of the class.
    n_documents, n_reference : int
        Documents of the class, and those that it is compared with.
    n_more, n_less : int
        How many terms the class has significantly more often, and less often.
    more, less : dict of lists
        What is known of these terms, by name: "term", "rank", "share" and so on; at most `limit` of each.
    """

    name: Any
    n_documents: int
    n_reference: int
    n_more: int
    n_less: int
    more: dict[str, list[Any]]
    less: dict[str, list[Any]]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the terms, those that the class has more often first."""
        for direction, columns in ((MORE, self.more), (LESS, self.less)):
            for values in zip(*columns.values(), strict=True):
                yield {"class": self.name, "direction": direction, **dict(zip(columns, values, strict=True))}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [{**row, "example": row["example"] and row["example"]._asdict()} for row in self.rows()]
        for row in rows:
            del row["class"]
        sizes = {"documents": self.n_documents, "reference_documents": self.n_reference}
        return {"name": self.name, **sizes, "n_more": self.n_more, "n_less": self.n_less, "terms": rows}


@dataclass(frozen=True, eq=False)
class Terms:
    """Which terms mark each class; `print` shows the strongest, `save` writes all.

    Attributes
    ----------
    classes : list of ClassTerms
        Largest class first. Each has a `name`; `n_documents`, and `n_reference` that it is compared with; `n_more` and
        `n_less`, the terms that it has significantly more and less often; and `more` and `less`, what is known of the
        strongest of these, as lists by name: "term", "rank", "share" and so on.
    class_counts : ClassCounts
        Documents per class of all these terms, to compare any two classes.
    source : str
        Where the documents come from.
    reference : str
        What each class is compared with.
    view : str
    ngrams : (int, int)
    scheme : str
        Of the weights.
    n_documents, n_classes : int
    n_tested : int
        The terms that were tested.
    n_tests : int
        The pairs of term and class that were tested, for the false-discovery rate.
    n_discoveries : int
        How many of these pairs differ significantly.
    fdr : float
        The false-discovery rate.
    prior : float
        Pseudo-documents of the log-odds.
    n_groups : int
        Of the jackknife.
    notices, warnings : list of str
    """

    classes: list[ClassTerms]
    class_counts: ClassCounts
    source: str
    reference: str
    view: str
    ngrams: tuple[int, int]
    scheme: str
    n_documents: int
    n_classes: int
    n_tested: int
    n_tests: int
    n_discoveries: int
    fdr: float
    prior: float
    n_groups: int
    notices: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def top(self, n_terms: int = N_SHOWN) -> dict[Any, list[str]]:
        """Return the strongest terms of each class, those that it has more often.

        Parameters
        ----------
        n_terms : int, default=10
            Of n-grams, only those that share no word with a stronger one are among them.
        """
        return {
            one.name: [one.more["term"][place] for place in shown_places(self, one.more, n_terms)]
            for one in self.classes
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        known = {name: value for name, value in vars(self).items() if name not in ("classes", "class_counts")}
        found = {**known, "ngrams": list(self.ngrams)}
        return _without_nan(
            {
                **found,
                "class_counts": _plain_counts(self.class_counts),
                "classes": [one.to_dict() for one in self.classes],
            }
        )

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each class and term.

        Returns
        -------
        pandas.DataFrame
        """
        columns = self._columns()
        return data_frame(list(columns), list(columns.values()))

    def save(self, path: FilePath) -> None:
        """Write the rows of all classes: CSV, TSV, JSON lines, Parquet or an HTML page, by the ending of the name.

        In CSV and TSV, text that a spreadsheet would take for a formula starts with an apostrophe.

        The page searches terms, shows them in context, and compares any two classes; it needs no network, and the extra
        `report`.

        Parameters
        ----------
        path : path-like
            An existing file is replaced at the end.
        """
        check_out(path)
        if Path(path).suffix.lower() in PAGES:
            n_top = max(most for _, most in N_TERMS)
            write_atomically(path, terms_page(self.to_dict(), self.top(n_top)).encode("utf-8"))
            return
        make, pa = writer_for(Path(path)), arrow()
        columns = {name: _valid(name, values) for name, values in self._columns().items()}
        with draft(path) as file:
            writer = make(file)
            if isinstance(writer, CsvWriter):
                columns |= {name: list(map(protected, columns[name])) for name in ("class", "term", "example")}
            table = pa.table({name: pa.array(values, _type(name)) for name, values in columns.items()})
            writer.write(writer.encode(table))
            writer.close()

    def _columns(self) -> dict[str, list[Any]]:
        names = ("class", "direction", "term", *WHOLE[:4], "share", *WHOLE[4:], *NUMBERS[1:], *WEIGHTS, "example")
        rows = [row for one in self.classes for row in one.rows()]
        return {name: [str(row[name] or "") if name == "example" else row[name] for row in rows] for name in names}

    def only(self, names: Iterable[Any]) -> "Terms":
        """Return the terms of some classes; all were tested.

        Parameters
        ----------
        names : iterable
        """
        wanted, known = list(names), [one.name for one in self.classes]
        places = [find_class(known, name) for name in wanted]
        if None in places:
            shown = listed([quoted(name) for name in known[:N_LISTED]] + ["others"] * (len(known) > N_LISTED))
            raise ValueError(f"there is no class {quoted(wanted[places.index(None)])} (the classes: {shown})")
        return replace(self, classes=[self.classes[place] for place in places if place is not None])

    def text(self, n_terms: int = N_SHOWN) -> str:
        """Return the strongest terms as text.

        Parameters
        ----------
        n_terms : int, default=10
            Terms of each class; of many classes, those that fit on one line.
        """
        return terms_as_text(self, n_terms)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return terms_as_html(self)


def check_out(path: FilePath) -> None:
    """Raise, before anything is read, if terms cannot be written to a path.

    Examples
    --------
    >>> check_out("terms.csv")
    >>> check_out("terms.xlsx")
    Traceback (most recent call last):
        ...
    ValueError: terms are written to .csv, .tsv, .tab, .jsonl, .ndjson, .parquet or .html, not to terms.xlsx
    """
    ending = Path(path).suffix.lower()
    if ending in PAGES:
        check_extra()
    elif ending not in WRITERS:
        known = listed([*WRITERS, PAGES[0]], "or")
        raise ValueError(f"terms are written to {known}, not to {printable(Path(path).name)}")
    check_target(path)


def _type(name: str) -> Any:
    pa = arrow()
    return pa.int64() if name in WHOLE else pa.float64() if name in (*NUMBERS, *WEIGHTS) else pa.string()


def _valid(name: str, values: list[Any]) -> list[Any]:
    """Return cells for a file; text without lone surrogates, which UTF-8 does not have."""
    if name in (*NUMBERS, *WEIGHTS):
        return [None if np.isnan(value) else value for value in values]
    if name in WHOLE:
        return values
    return [str(value).encode("utf-8", "backslashreplace").decode("utf-8") for value in values]


def _without_nan(value: Any) -> Any:
    """Return data with None in place of numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _without_nan(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def columns_of(values: Mapping[str, Any], of: Wanted, examples: Mapping[Any, Example]) -> dict[str, list[Any]]:
    """Return what is known of some terms as plain lists, with their examples."""
    plain = {name: np.asarray(column).tolist() for name, column in values.items()}
    found = [examples.get((of.number, of.is_inside, term)) for term in of.terms]
    return {"term": list(of.terms), **plain, "example": found}


def _plain_counts(counts: ClassCounts) -> dict[str, Any]:
    """Return counts as plain data: of each term, the numbers of its classes and its documents in them."""
    borders, doc_freq = counts.doc_freq.indptr.tolist(), counts.doc_freq
    numbers, values = doc_freq.indices.tolist(), doc_freq.data.tolist()
    terms = [] if counts.terms is None else counts.terms.tolist()
    return {
        "classes": counts.classes.tolist(),
        "documents": counts.n_docs.tolist(),
        "terms": {term: [numbers[i:j], values[i:j]] for term, (i, j) in zip(terms, pairwise(borders), strict=True)},
    }


def find_class(classes: list[Any], name: Any) -> int | None:
    """Return the number of a class by its name, or the text of it.

    Examples
    --------
    >>> find_class([1, 2], 2), find_class([1, 2], "2"), find_class([1, 2], "3")
    (1, 1, None)
    """
    same = [i for i, one in enumerate(classes) if one == name] or [
        i for i, one in enumerate(classes) if str(one) == name
    ]
    return same[0] if same else None
