"""Reproduce the paper's experiments: run, compare, check its claims, and write the report."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from troenpy import datasets
from troenpy.datasets.corpora import Corpus
from troenpy.experiments import methods
from troenpy.experiments.journal import Row, read_rows
from troenpy.experiments.runs import RunOptions, run_with
from troenpy.experiments.splits import CountedCorpus, count_terms, deduplicate, fingerprint
from troenpy.files.drafts import FilePath
from troenpy.report.page import write_report
from troenpy.report.projection import SAMPLE, project
from troenpy.report.summary import Summary, summarise
from troenpy.report.terms import term_table

ROWS = "rows.jsonl"
FEW_SPLITS, ALL_SPLITS = 5, 50
FIRST_CHOICE = "r8"  # the corpus whose terms and t-SNE are shown, if it was run


@dataclass(frozen=True)
class Reproduction:
    """The rows of a run, and what the report shows: terms and t-SNE of one corpus, and notes."""

    rows: list[Row]
    folder: Path
    command: str = ""
    baseline: str | None = None
    page: bool = True
    corpus: Corpus | None = None
    counted: CountedCorpus | None = None
    terms: dict[str, Any] | None = None
    projection: dict[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def summary(self) -> Summary:
        """The content of the report, as one plain dict."""
        return summarise(
            self.rows,
            baseline=self.baseline,
            command=self.command,
            terms=self.terms,
            projection=self.projection,
            notes=self.notes,
        )

    def write(self) -> list[Path]:
        """Write the page, Markdown and JSON; return the files, page first."""
        return write_report(self.summary, self.folder, with_page=self.page)

    def with_terms(self) -> "Reproduction":
        """Add the terms of the corpus."""
        if self.corpus is None or self.counted is None:
            return self
        try:
            terms = term_table(self.corpus, self.counted)
        except ValueError as error:
            return replace(self, notes=(*self.notes, f"no terms: {error}"))
        return replace(self, terms=terms, notes=self._notes_with_licence())

    def with_projection(self, *, full: bool = False) -> "Reproduction":
        """Add t-SNE of a sample of the test documents, or of all of them."""
        if self.corpus is None or self.counted is None:
            return self
        try:
            projection = project(self.corpus, self.counted, n_documents=None if full else SAMPLE)
        except ValueError as error:
            return replace(self, notes=(*self.notes, f"no t-SNE: {error}"))
        return replace(self, projection=projection, notes=self._notes_with_licence())

    def _notes_with_licence(self) -> tuple[str, ...]:
        """Add whether the page quotes documents, once."""
        if self.corpus is None:
            return self.notes
        name = self.corpus.name
        note = (
            f"The map and the terms quote documents of {name}: check its licence before you share the page."
            if self.corpus.quotable
            else f"Documents of {name} are not quoted; its licence: {self.corpus.licence or 'none stated'}."
        )
        return self.notes if note in self.notes else (*self.notes, note)


def corpus_names(chosen: str) -> list[str]:
    """Parse names of corpora, separated by commas; "all" means all seven.

    Examples
    --------
    >>> corpus_names("r8, classic")
    ['r8', 'classic']
    """
    known = [listing.name for listing in datasets.available()]
    names = known if chosen.strip() == "all" else list(dict.fromkeys(chosen.replace(",", " ").split()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"unknown corpus {', '.join(unknown) or chosen!r}; choose one of {', '.join(known)}, or all")
    return names


def reproduce(
    corpora: Iterable[str] = ("r8",),
    *,
    out: FilePath,
    full: bool = False,
    beyond: bool = False,
    chosen: Sequence[str] = (),
    splits: int | None = None,
    options: RunOptions | None = None,
    command: str = "",
    page: bool = True,
) -> Reproduction:
    """Run the paper's methods, their rivals and our settings, and check the paper's claims.

    Parameters
    ----------
    corpora : iterable of str, default=("r8",)
    out : path-like
        Folder for the results: `rows.jsonl` holds the rows, from which a stopped run resumes; `report.html`,
        `report.md` and `report.json` are built from them.
    full : bool, default=False
        Also run every weight, with 50 random splits instead of 5.
    beyond : bool, default=False
        Also run the ablations of our settings, and more linear rivals.
    chosen : sequence of str
        Run these methods instead.
    splits : int, optional
        Number of random splits for corpora without a given split.
    options : RunOptions, optional
        Options for the run; its own `out` is ignored.
    command : str, default=""
        The command line, for the report.
    page : bool, default=True
        Write the HTML page too, which needs the extra `report`.

    Returns
    -------
    Reproduction
        Without t-SNE, the slowest part: `with_projection` adds it.
    """
    names = tuple(chosen) or methods.USUAL
    if not chosen:
        names += (methods.ALL_WEIGHTS if full else ()) + (methods.BEYOND if beyond else ())
    options = replace(options or RunOptions(n_jobs=-1), out=Path(out) / ROWS)
    load = cache(options.load)  # shared by the run and the page
    n_splits = (ALL_SPLITS if full else FEW_SPLITS) if splits is None else splits
    rows = run_with(options, corpora, names, n_splits, load)
    corpus, note = _text_of(rows, load) if page else (None, "")
    counted = None if corpus is None else count_terms(corpus)
    result = Reproduction(
        rows, Path(out), command, page=page, corpus=corpus, counted=counted, notes=(note,) if note else ()
    ).with_terms()
    result.write()
    return result


def rebuild(
    path: FilePath,
    *,
    out: FilePath | None = None,
    baseline: str | None = None,
    with_corpus: bool = True,
    data_dir: FilePath | None = None,
    command: str = "",
    page: bool = True,
) -> Reproduction:
    """Rebuild the report from rows.

    Parameters
    ----------
    path : path-like
        A file of rows, or a folder with `rows.jsonl`.
    out : path-like, optional
        Folder for the report; by default that of the rows.
    baseline : str, optional
        The method to compare the others with; by default kNN on TF-IDF, or else the first.
    with_corpus : bool, default=True
        Add the terms of a corpus that is on this machine; nothing is downloaded.
    data_dir, command, page
        As in `reproduce`.

    Returns
    -------
    Reproduction
    """
    file = Path(path) / ROWS if Path(path).is_dir() else Path(path)
    rows = read_rows(file)
    if not rows:
        raise ValueError(f"{file} has no rows: run troenpy reproduce first")
    folder = file.parent if out is None else Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    corpus, note = None, "Built from rows only: terms and t-SNE need the text of a corpus."
    if with_corpus:
        present = {listing.name for listing in datasets.available(data_dir=data_dir) if listing.present}
        corpus, note = _text_of(rows, RunOptions(data_dir=data_dir).load, present)
    notes = (note,) if note else ()
    counted = None if corpus is None else count_terms(corpus)
    result = Reproduction(rows, folder, command, baseline, page, corpus, counted, notes=notes).with_terms()
    result.write()
    return result


def _text_of(
    rows: Sequence[Row], load: Callable[[str], Corpus], present: Iterable[str] | None = None
) -> tuple[Corpus | None, str]:
    """Return the corpus to show, as it was run, or None and a note that says why."""
    found = {row.corpus: row for row in sorted(rows, key=lambda row: row.deduplicated, reverse=True)}
    here = [name for name in found if present is None or name in present]
    if not here:
        wanted = ", ".join(found)
        return None, f"Terms and t-SNE need the text of a corpus, but none of {wanted} was found: set TROENPY_DATA."
    name = FIRST_CHOICE if FIRST_CHOICE in here else here[0]
    corpus = load(name)
    if found[name].deduplicated:
        corpus = deduplicate(corpus)
    if fingerprint(corpus) != found[name].fingerprint:
        return None, f"No terms and no t-SNE: the corpus {name} on this machine differs from the one in the rows."
    return corpus, ""
