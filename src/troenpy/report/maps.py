"""Maps of documents in the plane: the paper's Figure 3, for pages and files."""

from troenpy.experiments.tables import Record
from troenpy.report import charts
from troenpy.report.charts import Figure, Spec
from troenpy.report.summary import Summary

MAPS = "figure-3"


def figure_3(summary: Summary) -> Figure | None:
    """Draw the maps of documents."""
    projection = summary["projection"]
    if projection is None:
        return None
    n_shown, n_test = projection["n_documents"], projection["n_test"]
    which = "all" if n_shown == n_test else "a random sample of"
    quantities = ("trustworthiness", "silhouette", "silhouette_of_features")
    rows = [
        [view["name"], *("" if view[name] is None else f"{view[name]:.3f}" for name in quantities)]
        for view in projection["views"]
    ]
    said = "; ".join(f"{row[0]}: trustworthiness {row[1]}, silhouette {row[2] or 'none'}" for row in rows)
    return Figure(
        MAPS,
        f"t-SNE of {projection['corpus']} under TF-IDF and under TF-PI (the paper's Figure 3)",
        f"Test documents, {which} {n_shown:,} of {n_test:,} (seed {projection['seed']}), weights learnt from the "
        f"training part; perplexity {projection['perplexity']:.0f}. Trustworthiness is how many neighbours in the map "
        "are also neighbours in the features (1 is best); silhouette, how much nearer documents are to their own "
        "class than to the next (-1 to 1), in the map and in the features. Distances between groups mean little in "
        "such a map.",
        f"Two maps of {n_shown} documents of {len(projection['classes'])} classes. {said}.",
        {view["name"]: charts.scatter(len(projection["classes"])) for view in projection["views"]},
        ["features", "trustworthiness", "silhouette in the map", "silhouette in the features"],
        rows,
    )


def documents(projection: Record, view: Record) -> list[Record]:
    """Return the data of one map, one record per document."""
    columns = zip(view["x"], view["y"], projection["codes"], projection["texts"], strict=True)
    return [
        {"x": x, "y": y, "code": code, "class": projection["classes"][code], "document": text}
        for x, y, code, text in columns
    ]


def side_by_side(projection: Record, figure: Figure, width: int) -> list[Spec]:
    """Return the maps with their documents and a legend, for files."""
    parts = []
    for (name, panel), view in zip(figure.panels.items(), projection["views"], strict=True):
        left_out = ("config", "autosize", "params", "transform")
        part = {key: value for key, value in panel.items() if key not in left_out}
        part |= {"width": width // 2, "title": name, "data": {"values": documents(projection, view)}}
        parts.append(part | {"encoding": _with_legend(part["encoding"], projection["classes"])})
    return parts


def _with_legend(encoding: Spec, classes: list[str]) -> Spec:
    """Show class names instead of numbers in the legend."""
    named = {}
    for channel in ("color", "shape"):
        part = {key: value for key, value in encoding[channel].items() if key != "legend"}
        part |= {"field": "class", "title": None, "scale": encoding[channel]["scale"] | {"domain": classes}}
        named[channel] = part
    return encoding | named
