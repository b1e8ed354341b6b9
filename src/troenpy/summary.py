"""Everything there is to say about rows of results, as one plain dict; pages, tables and files only render it.

Errors are shares of the test documents, not per cent; what does not apply is None.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from troenpy.catalogue import CATALOGUE
from troenpy.claims import TF_IDF, check_claims
from troenpy.comparison import ALPHA, Comparison
from troenpy.journal import PROTOCOL, Row, all_versions
from troenpy.methods import ALL_WEIGHTS, BEYOND, DEFAULT_K, PAPER, RIVALS, read_methods

TRANSPORT = "transport"  # the model of methods that have word vectors, whatever votes in the end

Summary = dict[str, Any]
Record = dict[str, Any]

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
        `versions`, `seeds`, `corpora` by name, `comparison` (see `compare`), `claims`, `sweeps` (of k and of the
        training size), `terms`, `projection`, `notes`, and how it was made.
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


def compare(comparison: Comparison) -> Record:
    """Return the errors of a comparison, tests against its baseline, and ranks.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
        `baseline`; `corpora`, names; `methods`, each with `name`, `model`, `features` and `k` as far as the name
        tells, mean `rank`, and `wins`: on how many corpora it beats, ties with and loses to the baseline; `errors`, one
        record per corpus and method; `friedman`, the test of ranks over corpora as they are, or None.
    """
    pairs = ((corpus, method) for corpus in comparison.corpora for method in comparison.methods)
    ranks = _ranks(_unchanged(comparison))
    return {
        "baseline": comparison.baseline,
        "corpora": comparison.corpora,
        "methods": [_method(comparison, name, ranks) for name in comparison.methods],
        "errors": [_record(comparison, *pair) for pair in pairs if pair in comparison.cells],
        "friedman": ranks,
    }


def _method(comparison: Comparison, name: str, ranks: Record | None) -> Record:
    has_wins = comparison.baseline not in (None, name)
    is_transport = any(row.vectors is not None for row in comparison.rows if row.method == name)
    return {
        "name": name,
        **_read(name),
        **({"model": TRANSPORT} if is_transport else {}),
        "rank": None if ranks is None else ranks["mean_ranks"].get(name),
        "wins": list(comparison.win_tie_loss(name)) if has_wins else None,
    }


def _read(name: str) -> Record:
    """Take a name apart, "knn3-manhattan: tf" for instance; of a name that is built otherwise, all is `features`."""
    parts = re.fullmatch(r"([A-Za-z_]+)(\d*)([^:]*): *(.*)", name, flags=re.DOTALL)
    if parts is None:
        return {"model": "other", "features": name, "k": None, "family": name}
    model, digits, rest, features = parts.groups()
    k = int(digits) if digits else DEFAULT_K if model == "knn" else None
    return {"model": model, "features": features, "k": k, "family": f"{model}{rest}: {features}"}


def _record(comparison: Comparison, corpus: str, method: str) -> Record:
    cell, baseline = comparison.cells[corpus, method], comparison.baseline
    record: Record = {
        "corpus": corpus,
        "method": method,
        "error": cell.mean,
        "sd": cell.sd,
        "low": cell.low,
        "high": cell.high,
        "interval": cell.interval,
        "n_splits": cell.n_splits,
        "n_test": cell.n_test,
        "seconds": cell.seconds,
        "reduction": None,
        "p": None,
        "test": None,
    }
    if baseline not in (None, method) and (corpus, baseline) in comparison.cells:
        result = comparison.test(method, str(baseline), corpus)
        record |= {"reduction": comparison.reduction(method, corpus), "p": result.p, "test": result.test}
    return {name: None if value != value else value for name, value in record.items()}  # NaN is not JSON


def _unchanged(comparison: Comparison) -> Comparison:
    """Leave each corpus once, for ranks: as it is, without its samples and parts, if it was run as it is."""
    rows = [row for row in comparison.rows if row.setting == row.corpus]
    has_baseline = comparison.baseline in {row.method for row in rows}
    return Comparison(rows, baseline=comparison.baseline if has_baseline else None) if rows else comparison


def _ranks(comparison: Comparison) -> Record | None:
    friedman = comparison.friedman
    if friedman is None:
        return None
    against = comparison.baseline in comparison.ranked
    mean_ranks = dict(zip(comparison.ranked, friedman.mean_ranks.tolist(), strict=True))
    pairs = comparison.rank_pairs()
    return {
        "n_corpora": len(comparison.corpora),
        "statistic": friedman.statistic,
        "p": friedman.p,
        "mean_ranks": mean_ranks,
        "p_against_baseline": {
            other: p for (_, other), p in (comparison.rank_pairs(against_baseline=True) if against else {}).items()
        },
        "p_of_pairs": [[a, b, p] for (a, b), p in pairs.items()],
        "groups": _groups(mean_ranks, pairs),
    }


def _groups(mean_ranks: dict[str, float], pairs: dict[tuple[str, str], float]) -> list[list[str]]:
    """Return the largest runs of neighbours by rank of which no two differ; runs, for p falls with the distance."""
    order = sorted(mean_ranks, key=lambda method: mean_ranks[method])
    p = {frozenset(pair): value for pair, value in pairs.items()}
    groups: list[list[str]] = []
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and p[frozenset((order[start], order[end]))] >= ALPHA:
            end += 1
        if end > reached and end - start > 1:
            groups.append(order[start:end])
        reached = max(reached, end)
    return groups


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
