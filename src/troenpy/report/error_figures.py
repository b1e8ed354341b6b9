"""Figures of errors: by corpus and method, relative to the baseline, by rank, by cost, and by parameter."""

from troenpy.experiments.significance import ALPHA
from troenpy.experiments.tables import Record, p_value
from troenpy.report import charts
from troenpy.report.charts import Figure
from troenpy.report.claims import BOTH, BTF, ECIB, LR_ALL, LR_PI, TF_IDF, TF_PI, WITH_PCF
from troenpy.report.summary import Summary

FIGURE_1 = (TF_IDF, TF_PI, LR_PI, LR_ALL)
FIGURE_2 = (BTF, ECIB, BOTH, *WITH_PCF.values())
N_METHODS = 8  # as many as one chart can show clearly
N_RANKED = 40
RANKED_CORPORA = 5  # ranks over fewer corpora say little
LEAST_SECONDS = 1e-4  # for the logarithmic axis


def shown_methods(summary: Summary) -> list[str]:
    """Return the methods of the first figure: the paper's, then those with models that the paper does not use."""
    methods = summary["comparison"]["methods"]
    names = [name for name in FIGURE_1 if name in {method["name"] for method in methods}]
    names += [method["name"] for method in methods if method["model"] not in ("knn", "lr")]
    if len(names) < 2:
        names += [method["name"] for method in methods if method["name"] not in names]
    return names[:N_METHODS]


def figure_1(summary: Summary) -> Figure | None:
    """Draw the errors of the paper's methods, and of models that the paper does not use."""
    title = "Test error by corpus and method (the paper's Figure 1)"
    return _errors(summary, "figure-1", title, shown_methods(summary))


def figure_2(summary: Summary) -> Figure | None:
    """Draw the errors of the paper's settings of BTF and ECIB."""
    run = {record["method"] for record in summary["comparison"]["errors"]}
    title = "Six feature settings under logistic regression (the paper's Figure 2)"
    return _errors(summary, "figure-2", title, [name for name in FIGURE_2 if name in run])


def _errors(summary: Summary, name: str, title: str, methods: list[str]) -> Figure | None:
    values = [
        {"corpus": record["corpus"], "method": record["method"], **_interval(record), "splits": record["n_splits"]}
        for record in _whole(summary)
        if record["method"] in methods
    ]
    if not values:
        return None
    return Figure(
        name,
        title,
        "Points are mean test errors, lines are 95 % intervals. The axis has a square root scale, to spread out low "
        "errors.",
        " ".join(_errors_in_words(corpus, values) for corpus in dict.fromkeys(value["corpus"] for value in values)),
        {"": charts.intervals(values, methods)},
        ["corpus", "method", "error, %", "from", "to", "splits"],
        [list(value.values()) for value in values],
    )


def _errors_in_words(corpus: str, values: list[Record]) -> str:
    errors = [f"{value['method']} {value['error']:.2f} %" for value in values if value["corpus"] == corpus]
    return f"{corpus}: {', '.join(errors)}."


def reductions(summary: Summary) -> Figure | None:
    """Draw the relative error reduction over the baseline."""
    baseline = summary["comparison"]["baseline"]
    methods = [name for name in shown_methods(summary) if name != baseline]
    values = [
        {"corpus": record["corpus"], "method": record["method"], "reduction": _percent(record["reduction"])}
        for record in _whole(summary)
        if record["method"] in methods and record["reduction"] is not None
    ]
    if not values:
        return None
    return Figure(
        "error-reduction",
        f"Error reduction against {baseline}",
        "Relative reduction of the error; negative if the error is higher.",
        " ".join(f"{value['corpus']}, {value['method']}: {value['reduction']:.1f} %." for value in values),
        {"": charts.bars(values, methods, "reduction", "error reduction, %")},
        ["corpus", "method", "reduction, %"],
        [list(value.values()) for value in values],
    )


def ranks(summary: Summary) -> Figure | None:
    """Draw mean ranks over corpora."""
    friedman, baseline = summary["comparison"]["friedman"], summary["comparison"]["baseline"]
    if friedman is None or friedman["n_corpora"] < RANKED_CORPORA:
        return None
    order = sorted(friedman["mean_ranks"], key=lambda method: friedman["mean_ranks"][method])
    shown = [name for place, name in enumerate(order) if place < N_RANKED or name == baseline]
    against = friedman["p_against_baseline"]
    kinds = f"{baseline}, the baseline", f"differs from it, p < {ALPHA}", "does not differ from it"
    values = [
        {
            "method": name,
            "rank": round(friedman["mean_ranks"][name], 3),
            "p": against.get(name),
            "kind": kinds[0] if name == baseline else kinds[1] if against.get(name, 1) < ALPHA else kinds[2],
        }
        for name in shown
    ]
    groups = [[name for name in group if name in shown] for group in friedman["groups"]]
    cut = f" Only the first {N_RANKED} of {len(order)} and the baseline are shown." if len(order) > len(shown) else ""
    return Figure(
        "ranks",
        f"Mean rank over {friedman['n_corpora']} corpora",
        f"Methods joined by a bar on the right do not differ at p < {ALPHA} (all pairs, Holm). Friedman's test: p "
        f"{p_value(friedman['p'])}. Colours show the comparison with the baseline (Holm).{cut}",
        "Best first: " + ", ".join(f"{value['method']} {value['rank']:.1f}" for value in values) + ".",
        {"": charts.ranks(values, [group for group in groups if len(group) > 1], kinds)},
        ["method", "mean rank", "p against the baseline"],
        [[v["method"], f"{v['rank']:.2f}", "" if v["p"] is None else p_value(v["p"])] for v in values],
    )


def costs(summary: Summary) -> Figure | None:
    """Draw errors against seconds."""
    models = {method["name"]: method["model"] for method in summary["comparison"]["methods"]}
    records = _whole(summary)
    if not records:
        return None
    values = [
        {
            "corpus": record["corpus"],
            "method": record["method"],
            "model": models[record["method"]],
            "seconds": max(record["seconds"], LEAST_SECONDS),
            "error": _percent(record["error"]),
            "is_best": is_best,
        }
        for record, is_best in zip(records, _is_pareto_optimal(records), strict=True)
    ]
    return Figure(
        "cost",
        "Cost against error",
        "Wall time per split for weighting, fitting and predicting, against test error. No other method is both faster "
        "and better than those on the dashed line.",
        " ".join(_costs_in_words(corpus, values) for corpus in dict.fromkeys(value["corpus"] for value in values)),
        {"": charts.costs(values)},
        ["corpus", "method", "model", "seconds", "error, %", "on the line"],
        [[*list(value.values())[:-1], "yes" if value["is_best"] else ""] for value in values],
    )


def _costs_in_words(corpus: str, values: list[Record]) -> str:
    best = sorted((v for v in values if v["corpus"] == corpus and v["is_best"]), key=lambda v: float(v["seconds"]))
    shown = ", ".join(f"{v['method']} {v['seconds']:.2g} s and {v['error']:.2f} %" for v in best)
    return f"{corpus}, from the fastest to the best: {shown}."


def _is_pareto_optimal(records: list[Record]) -> list[bool]:
    """Return for each record whether every faster method on its corpus has a higher error."""
    least: dict[str, float] = {}
    is_best = [False] * len(records)
    for place in sorted(range(len(records)), key=lambda i: (records[i]["seconds"], records[i]["error"])):
        record = records[place]
        if record["error"] < least.get(record["corpus"], 2.0):
            is_best[place], least[record["corpus"]] = True, record["error"]
    return is_best


def neighbours(summary: Summary) -> Figure | None:
    """Draw errors against the number of neighbours."""
    return _curves(summary["sweeps"]["k"], "neighbours", "Number of neighbours", "k", "neighbours (k)")


def training_sizes(summary: Summary) -> Figure | None:
    """Draw errors against the size of the training part."""
    title = "Size of the training part"
    return _curves(summary["sweeps"]["training"], "training-size", title, "n_train", "training documents")


def _curves(points: list[Record], name: str, title: str, place: str, axis: str) -> Figure | None:
    if not points:
        return None
    found = list(dict.fromkeys(point["method"] for point in points))
    methods = found[:N_METHODS]
    values = [
        {"corpus": point["corpus"], "method": point["method"], place: point[place], **_interval(point)}
        for point in points
        if point["method"] in methods
    ]
    cut = f" The first {N_METHODS} of {len(found)} methods are shown." if len(found) > N_METHODS else ""
    return Figure(
        name,
        title,
        f"Mean test errors with 95 % intervals.{cut}",
        "; ".join(f"{v['corpus']}, {v['method']}, {v[place]}: {v['error']:.2f} %" for v in values) + ".",
        {"": charts.curves(values, methods, place, axis)},
        ["corpus", "method", axis, "error, %", "from", "to"],
        [list(value.values()) for value in values],
    )


def _whole(summary: Summary) -> list[Record]:
    """Return the errors of methods trained on all training documents."""
    corpora = summary["corpora"]
    return [record for record in summary["comparison"]["errors"] if corpora[record["corpus"]]["train_fraction"] == 1]


def _interval(record: Record) -> Record:
    return {name: _percent(record[name]) for name in ("error", "low", "high")}


def _percent(share: float) -> float:
    return round(100 * share, 4)
