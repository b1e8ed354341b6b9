"""Everything there is to say about rows of results, as one plain dict; pages, tables and files only render it.

Errors are shares of the test documents, not per cent; what does not apply is None.
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

Summary = dict[str, Any]

RULES = (
    "Terms are scikit-learn's words of two or more letters, lower case, without its English stop words; tf is the "
    "plain count.",
    "Weights and models see the training part of a split and nothing else, and nothing is tuned.",
    "A corpus with a given split is tested on that; elsewhere splits are random, 80 % training and 20 % test, the same "
    "for all methods.",
    "kNN votes among 7 neighbours if the name says no other number, by Euclidean distance between rows of length 1; a "
    "tie goes to the nearest. Logistic regression has an L2 penalty with C = 1.",
    "Intervals are 95 %: Wilson's for one split, corrected for overlapping training parts (Nadeau and Bengio) over "
    "several. Tests on a corpus are McNemar's exact test or the corrected resampled t-test; over corpora, Friedman's "
    "test and Holm's correction for pairs of ranks.",
    "Seconds are for weighting, fitting and predicting, the mean over splits; reading and counting text, which all "
    "methods share, is not in them. A sample of test documents is drawn at random by the seed.",
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
    """Return all that follows from rows, ready for JSON.

    Parameters
    ----------
    rows : iterable of Row
    baseline : str, optional
        The method that others are measured against; by default kNN on TF-IDF, or else the first in the rows.
    command : str, default=""
        What was typed to get it.
    terms, projection : dict, optional
        From `terms.term_table` and `projection.project`: what takes the text of a corpus.
    notes : sequence of str
        What a reader should know, such as why a part is missing.

    Returns
    -------
    dict
        `versions`, `seeds`, `corpora` by name, `comparison` (see `records.compare`), `claims`, `sweeps` (of k and
        of the training size), `terms`, `projection`, `notes`, and how it was made.
    """
    rows = _ordered(rows)
    if baseline is None and rows:
        known = [row.method for row in rows]
        baseline = TF_IDF if TF_IDF in known else known[0]
    comparison = Comparison(rows, baseline=baseline)
    compared = compare(comparison)
    return {
        "protocol": PROTOCOL,
        "command": command,
        "rules": list(RULES),
        "versions": all_versions(rows),
        "corpora": _corpora(rows),
        "comparison": compared,
        "claims": [asdict(claim) for claim in check_claims(comparison, projection)],
        "sweeps": {"k": _sweep_of_k(compared), "training": _training_sizes(rows, compared)},
        "terms": terms,
        "projection": projection,
        "notes": list(notes),
    }


def _ordered(rows: Iterable[Row]) -> list[Row]:
    """Put rows, which come as they were done, in the order of the catalogue and of our methods, neighbours first."""
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


def _sweep_of_k(compared: Record) -> list[Record]:
    """Return the errors of methods that were run with several numbers of neighbours."""
    read = {method["name"]: method for method in compared["methods"]}
    found: dict[tuple[str, str], list[Record]] = {}
    for record in compared["errors"]:
        method = read[record["method"]]
        if method["k"] is not None:
            point = _point(record, record["corpus"], method["family"], k=method["k"])
            found.setdefault((record["corpus"], method["family"]), []).append(point)
    return [point for points in found.values() if len(points) > 1 for point in sorted(points, key=lambda p: p["k"])]


def _training_sizes(rows: Sequence[Row], compared: Record) -> list[Record]:
    """Return the errors of methods that were run on several parts of the training documents."""
    places = {row.setting: (_whole(row), row.n_train) for row in rows}
    found: dict[tuple[str, str], list[Record]] = {}
    for record in compared["errors"]:
        corpus, n_train = places[record["corpus"]]
        found.setdefault((corpus, record["method"]), []).append(
            _point(record, corpus, record["method"], n_train=n_train)
        )
    return [
        point for points in found.values() if len(points) > 1 for point in sorted(points, key=lambda p: p["n_train"])
    ]


def _whole(row: Row) -> str:
    """Return the setting of a row, had it learnt from all training documents."""
    return replace(row, train_fraction=1.0).setting


def _point(record: Record, corpus: str, method: str, **place: int) -> Record:
    return {"corpus": corpus, "method": method, **place, **{name: record[name] for name in ("error", "low", "high")}}
