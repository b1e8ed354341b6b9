"""Turn a comparison into plain dicts for tables and pages: errors, tests against the baseline, ranks."""

from typing import TYPE_CHECKING

from troenpy.experiments import tables
from troenpy.experiments.grammar import name_parts
from troenpy.experiments.significance import ALPHA, rank_groups

if TYPE_CHECKING:
    from troenpy.experiments.comparison import Comparison

TRANSPORT = "transport"  # shown as the model of all methods with word vectors


def compare(comparison: "Comparison") -> tables.Record:
    """Return the errors of a comparison, tests against its baseline, and ranks.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
        `baseline`; `corpora`, their names; `methods`, each with `name`, `model`, `features` and `k` parsed from the
        name, the mean `rank`, and `wins`, the wins, ties and losses against the baseline; `errors`, one record per
        corpus and method; `friedman`, the test of ranks over whole corpora, or None.
    """
    pairs = ((corpus, method) for corpus in comparison.corpora for method in comparison.methods)
    ranks = _ranks(_whole_corpora(comparison))
    return {
        "baseline": comparison.baseline,
        "corpora": comparison.corpora,
        "methods": [_method(comparison, name, ranks) for name in comparison.methods],
        "errors": [_record(comparison, *pair) for pair in pairs if pair in comparison.errors],
        "friedman": ranks,
    }


def _method(comparison: "Comparison", name: str, ranks: tables.Record | None) -> tables.Record:
    has_wins = comparison.baseline not in (None, name)
    is_transport = any(row.vectors is not None for row in comparison.rows if row.method == name)
    return {
        "name": name,
        **name_parts(name),
        **({"model": TRANSPORT} if is_transport else {}),
        "rank": None if ranks is None else ranks["mean_ranks"].get(name),
        "wins": list(comparison.win_tie_loss(name)) if has_wins else None,
    }


def _record(comparison: "Comparison", corpus: str, method: str) -> tables.Record:
    estimate, baseline = comparison.errors[corpus, method], comparison.baseline
    record: tables.Record = {
        "corpus": corpus,
        "method": method,
        "error": estimate.mean,
        "sd": estimate.sd,
        "low": estimate.low,
        "high": estimate.high,
        "interval": estimate.interval,
        "n_splits": estimate.n_splits,
        "n_test": estimate.n_test,
        "seconds": estimate.seconds,
        "reduction": None,
        "p": None,
        "test": None,
    }
    if baseline not in (None, method) and (corpus, baseline) in comparison.errors:
        result = comparison.test(method, str(baseline), corpus)
        record |= {"reduction": comparison.reduction(method, corpus), "p": result.p, "test": result.test}
    return {name: None if value != value else value for name, value in record.items()}  # NaN is not JSON


def _whole_corpora(comparison: "Comparison") -> "Comparison":
    """Keep only the rows of whole corpora, for ranks; all rows if there are none."""
    rows = [row for row in comparison.rows if row.setting == row.corpus]
    has_baseline = comparison.baseline in {row.method for row in rows}
    return type(comparison)(rows, baseline=comparison.baseline if has_baseline else None) if rows else comparison


def _ranks(comparison: "Comparison") -> tables.Record | None:
    friedman = comparison.friedman
    if friedman is None:
        return None
    against = comparison.baseline in comparison.ranked_methods
    mean_ranks = dict(zip(comparison.ranked_methods, friedman.mean_ranks.tolist(), strict=True))
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
        "groups": rank_groups(mean_ranks, pairs, ALPHA),
    }
