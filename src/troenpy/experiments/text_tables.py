"""Tables of methods from raw text: errors with ranks and tests, probabilities, seconds; and where ours loses."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence

from troenpy.experiments.comparison import Comparison, ErrorEstimate
from troenpy.experiments.journal import Row
from troenpy.experiments.significance import ALPHA, friedman_test
from troenpy.experiments.tables import markdown_code, markdown_table, p_value, text_table
from troenpy.experiments.text_methods import DEFAULT, TEXT_METHODS

Table = tuple[list[str], list[list[str]]]

RANKS = (
    "rank: mean rank among the rivals without pretrained weights and {}; other methods of ours in its place, pretrained"
    " ones as if they joined"
)
#: What the second and third table show of a row: title, value, and how to print it.
QUALITIES: dict[str, tuple[str, Callable[[Row], float | None], str]] = {
    "log_loss": ("log-loss", lambda row: row.log_loss, "{:.3f}"),
    "calibration": ("expected calibration error, %", lambda row: _percent(row.calibration_error), "{:.1f}"),
    "seconds": ("CPU seconds of fit and predict", lambda row: row.cpu_seconds, "{:.2f}"),
}


def choose_baseline(rows: Iterable[Row]) -> str | None:
    """Return the default if it was run, or else the first method of ours."""
    names = dict.fromkeys(row.method for row in rows)
    ours = [name for name in names if _group(name) == "ours"]
    return DEFAULT if DEFAULT in names else ours[0] if ours else None


def sort_rows(rows: Iterable[Row]) -> list[Row]:
    """Return rows in the order of the known methods: rivals, pretrained, ours; otherwise in their own."""
    places = {name: place for place, name in enumerate(TEXT_METHODS)}
    return sorted(rows, key=lambda row: places.get(row.method, len(places)))


def report(rows: Sequence[Row], baseline: str | None = None) -> str:
    """Return all tables as plain text: one per corpus with intervals and tests, then those over all corpora.

    Parameters
    ----------
    rows : sequence of Row
    baseline : str, optional
        What to test against; by default our default.
    """
    if not rows:
        raise ValueError("there are no rows to show: run some methods first")
    comparison = Comparison(sort_rows(rows), baseline=baseline or choose_baseline(rows))
    parts = [
        str(Comparison([row for row in comparison.rows if row.corpus == corpus], baseline=_if_run(comparison, corpus)))
        for corpus in comparison.corpora
    ]
    if len(comparison.corpora) > 1:
        parts.append(f"test error, %\n{text_table(*errors(comparison, '{}'))}\n{caption(comparison)}")
    for title, value, shown in QUALITIES.values():
        table = qualities(comparison, value, shown, "{}")
        parts += [f"{title}\n{text_table(*table)}"] if table[1] else []
    return "\n\n".join([*parts, *filter(None, [losses(comparison)])])


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a table for a page of the docs, with the group of each method in a first column."""
    lines = [[_group(row[0]), markdown_code(row[0]), *row[1:]] for row in rows]
    return markdown_table(["", *header], lines, n_text=2)


def errors(comparison: Comparison, emphasis: str = "**{}**") -> Table:
    """Return errors by method and corpus, the lowest marked, with their mean, mean rank, and wins, ties and losses."""
    corpora, found = comparison.corpora, comparison.errors
    rows = []
    for method in comparison.methods:
        cells = [_marked(found, corpus, method, emphasis) for corpus in corpora]
        is_everywhere = method in comparison.ranked_methods
        mean = statistics.mean(found[corpus, method].mean for corpus in corpora) if is_everywhere else None
        rank = mean_rank(comparison, method)
        has_wins = comparison.baseline not in (None, method)
        wins = "/".join(map(str, comparison.win_tie_loss(method))) if has_wins else ""
        cells += ["" if mean is None else f"{100 * mean:.2f}", "" if rank is None else f"{rank:.1f}", wins]
        rows.append([method, *cells])
    return ["method", *corpora, "mean", "rank", "w/t/l"], rows


def _marked(found: Mapping[tuple[str, str], ErrorEstimate], corpus: str, method: str, emphasis: str) -> str:
    """Return the error in percent, marked if it is the lowest on the corpus."""
    if (corpus, method) not in found:
        return ""
    mean = found[corpus, method].mean
    is_least = mean == min(estimate.mean for (name, _), estimate in found.items() if name == corpus)
    return (emphasis if is_least else "{}").format(f"{100 * mean:.2f}")


def mean_rank(comparison: Comparison, method: str) -> float | None:
    """Return the mean rank of a method among the rivals without pretrained weights and the baseline.

    Another method of ours takes the place of the baseline, and a pretrained one joins them, so that it leaves the ranks
    of the others alone. None without two corpora and three methods, or if the method lacks a corpus.
    """
    is_ours = _group(method) == "ours"
    contest = [name for name in comparison.ranked_methods if _group(name) == "rivals"]
    contest += [name for name in (comparison.baseline,) if name in comparison.ranked_methods and not is_ours]
    contest = list(dict.fromkeys([*contest, method]))
    if method not in comparison.ranked_methods or len(contest) < 3 or len(comparison.corpora) < 2:
        return None
    table = [[comparison.errors[corpus, name].mean for name in contest] for corpus in comparison.corpora]
    return float(friedman_test(table).mean_ranks[contest.index(method)])


def caption(comparison: Comparison) -> str:
    """Say what ranks and wins are, and where a method ran on fewer splits than others."""
    found, parts = comparison.errors, []
    if comparison.baseline is not None:
        against = f"w/t/l: wins, ties, losses against {comparison.baseline} at p < {ALPHA}"
        parts = [RANKS.format(comparison.baseline), against]
    for corpus in comparison.corpora:
        splits = {name: found[corpus, name].n_splits for name in comparison.methods if (corpus, name) in found}
        fewer = [f"{name} {n}" for name, n in splits.items() if n < max(splits.values())]
        parts += [f"{corpus}: {max(splits.values())} splits, but {', '.join(fewer)}"] if fewer else []
    return "; ".join(parts)


def qualities(
    comparison: Comparison, value: Callable[[Row], float | None], shown: str, emphasis: str = "**{}**"
) -> Table:
    """Return the mean over splits of a value by method and corpus, the lowest marked, for the methods that have it."""
    found = means(comparison, value)
    least = {name: min(found[key] for key in found if key[0] == name) for name, _ in found}
    rows = []
    for method in comparison.methods:
        cells = []
        for corpus in comparison.corpora:
            mean = found.get((corpus, method))
            cells.append(
                "" if mean is None else (emphasis if mean == least[corpus] else "{}").format(shown.format(mean))
            )
        rows += [[method, *cells]] if any(cells) else []
    return ["method", *comparison.corpora], rows


def means(comparison: Comparison, value: Callable[[Row], float | None]) -> dict[tuple[str, str], float]:
    """Return the mean over splits of a value by corpus and method, where there is one."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in comparison.rows:
        one = value(row)
        if one is not None:
            found.setdefault((row.setting, row.method), []).append(one)
    return {key: statistics.mean(values) for key, values in found.items()}


def losses(comparison: Comparison) -> str:
    """Return a sentence on where the baseline loses to other people's methods, or nothing without a baseline."""
    ours = comparison.baseline
    if ours is None:
        return ""
    found = []
    for corpus in comparison.corpora:
        for method in comparison.methods:
            if _group(method) == "ours" or not {(corpus, method), (corpus, ours)} <= comparison.errors.keys():
                continue
            test = comparison.test(ours, method, corpus)
            if test.difference > 0 and test.p < ALPHA:
                both = (f"{100 * comparison.errors[corpus, name].mean:.2f}" for name in (ours, method))
                found.append(f"{corpus} to {method} ({' against '.join(both)} %, p {_p(test.p)})")
    return f"{ours} loses on {'; on '.join(found)}." if found else f"{ours} loses nowhere at p < {ALPHA}."


def _p(p: float) -> str:
    shown = p_value(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _if_run(comparison: Comparison, corpus: str) -> str | None:
    """Return the baseline, if it was run on a corpus."""
    return comparison.baseline if (corpus, comparison.baseline) in comparison.errors else None


def _group(method: str) -> str:
    return TEXT_METHODS[method].group if method in TEXT_METHODS else "rivals"


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
