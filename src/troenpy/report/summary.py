"""Summarise rows of results in one plain dict, which pages, tables and files only render.

Errors are fractions of the test documents, not per cent; values that do not apply are None.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from troenpy.datasets.catalogue import CATALOGUE
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.grammar import read_methods
from troenpy.experiments.journal import PROTOCOL, Row, all_versions
from troenpy.experiments.methods import ALL_WEIGHTS, BEYOND, PAPER, RIVALS
from troenpy.experiments.records import compare
from troenpy.experiments.tables import Record
from troenpy.report.claims import TF_IDF, check_claims
from troenpy.report.headline import headline

Summary = dict[str, Any]

RULES = (
    "Terms are scikit-learn's words of two or more letters, lower case, without its English stop words; tf is the "
    "plain count.",
    "Weights and models see only the training part of a split, and nothing is tuned.",
    "A corpus with a given split is tested on that; others on random splits, 80 % training and 20 % test, the same for "
    "all methods.",
    "kNN votes among 7 neighbours unless its name gives another number, by Euclidean distance of rows of length 1; a "
    "tie goes to the nearest. Logistic regression has an L2 penalty with C = 1.",
    "Intervals are 95 %: Wilson's for one split, corrected for overlapping training parts (Nadeau and Bengio) over "
    "several. Tests on a corpus are McNemar's exact test or the corrected resampled t-test; over corpora, Friedman's "
    "test and Holm's correction for pairs of ranks.",
    "Seconds are means over splits for weighting, fitting and predicting, without reading and counting text, which all "
    "methods share. Samples of test documents are drawn at random from the seed.",
)


def summarise(
    rows: Iterable[Row],
    *,
    baseline: str | None = None,
    command: str = "",
    terms: Record | None = None,
    projection: Record | None = None,
    notes: Sequence[str] = (),
) -> Summary:
    """Summarise rows in a dict that can be written as JSON.

    Parameters
    ----------
    rows : iterable of Row
    baseline : str, optional
        The method to compare the others with; by default kNN on TF-IDF, or else the first in the rows.
    command : str, default=""
        The command line, for the report.
    terms, projection : dict, optional
        From `term_table` and `project`, which need the text of a corpus.
    notes : sequence of str
        Notes for the reader, such as why a part is missing.

    Returns
    -------
    dict
        `headline` (the answer in a sentence, and the methods that matter), `protocol`, `command`, `rules`, `versions`,
        `corpora` by name, `comparison` (see `records.compare`), `claims`, `sweeps` (over k and the training size),
        `terms`, `projection` and `notes`.
    """
    rows = _sort_rows(rows)
    if baseline is None and rows:
        known = [row.method for row in rows]
        baseline = TF_IDF if TF_IDF in known else known[0]
    comparison = Comparison(rows, baseline=baseline)
    compared = compare(comparison)
    summary = {
        "protocol": PROTOCOL,
        "command": command,
        "rules": list(RULES),
        "versions": all_versions(rows),
        "corpora": _corpora(rows),
        "comparison": compared,
        "claims": [
            asdict(claim) | {"cases": [asdict(case) for case in claim.cases]}
            for claim in check_claims(comparison, projection)
        ],
        "sweeps": {"k": _sweep_of_k(compared), "training": _training_sizes(rows, compared)},
        "terms": terms,
        "projection": projection,
        "notes": list(notes),
    }
    return {"headline": headline(summary), **summary}


def _sort_rows(rows: Iterable[Row]) -> list[Row]:
    """Sort rows, which are in the order of completion, by corpus and method, kNN first."""
    rows = list(rows)
    known = [method.name for method in read_methods(PAPER + RIVALS + BEYOND + ALL_WEIGHTS)]
    methods = _places(known, [row.method for row in rows])
    corpora = _places(list(CATALOGUE), [row.corpus for row in rows])

    def key(row: Row) -> tuple[Any, ...]:
        setting = corpora[row.corpus], row.deduplicated, row.sample or 0, row.train_fraction
        return *setting, not row.method.startswith("knn"), methods[row.method], -1 if row.seed is None else row.seed

    return sorted(rows, key=key)


def _places(known: list[str], found: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(dict.fromkeys([*known, *found]))}


def _corpora(rows: Sequence[Row]) -> dict[str, Record]:
    corpora: dict[str, Record] = {}
    for row in rows:
        entry = CATALOGUE.get(row.corpus)
        record = corpora.setdefault(
            row.setting,
            {
                "corpus": row.corpus,
                "fingerprint": row.fingerprint,
                "deduplicated": row.deduplicated,
                "train_fraction": row.train_fraction,
                "sample": row.sample,
                "n_train": row.n_train,
                "n_test": row.n_test,
                "n_terms": row.n_terms,
                "seeds": [],
                "licence": None if entry is None else entry.licence,
                "source": None if entry is None else entry.source.address,
                "notes": None if entry is None else entry.notes,
            },
        )
        if row.seed not in record["seeds"]:
            record["seeds"].append(row.seed)
    return corpora


def _sweep_of_k(comparison: Record) -> list[Record]:
    """Return the errors of methods that were run with several values of k."""
    read = {method["name"]: method for method in comparison["methods"]}
    found: dict[tuple[str, str], list[Record]] = {}
    for record in comparison["errors"]:
        method = read[record["method"]]
        if method["k"] is not None:
            point = _point(record, record["corpus"], method["family"], k=method["k"])
            found.setdefault((record["corpus"], method["family"]), []).append(point)
    return [point for points in found.values() if len(points) > 1 for point in sorted(points, key=lambda p: p["k"])]


def _training_sizes(rows: Sequence[Row], comparison: Record) -> list[Record]:
    """Return the errors of methods that were trained on several fractions of the training documents."""
    places = {row.setting: (_whole(row), row.n_train) for row in rows}
    found: dict[tuple[str, str], list[Record]] = {}
    for record in comparison["errors"]:
        corpus, n_train = places[record["corpus"]]
        found.setdefault((corpus, record["method"]), []).append(
            _point(record, corpus, record["method"], n_train=n_train)
        )
    return [
        point for points in found.values() if len(points) > 1 for point in sorted(points, key=lambda p: p["n_train"])
    ]


def _whole(row: Row) -> str:
    """Return the setting of a row, ignoring its training fraction."""
    return replace(row, train_fraction=1.0).setting


def _point(record: Record, corpus: str, method: str, **place: int) -> Record:
    return {"corpus": corpus, "method": method, **place, **{name: record[name] for name in ("error", "low", "high")}}
