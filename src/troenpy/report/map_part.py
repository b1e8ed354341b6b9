"""The maps of documents on the page, and their numbers in words."""

from typing import Any

from troenpy.report.names import corpus_name
from troenpy.report.parts import DocumentMap, MapView


def map_part(projection: dict[str, Any]) -> DocumentMap:
    """Return the maps of `projection.project`."""
    views = [MapView(view["name"], _view_said(view), view["x"], view["y"]) for view in projection["views"]]
    label = f"Map of {projection['n_documents']:,} documents of {len(projection['classes'])} classes."
    return DocumentMap(label, projection["classes"], projection["codes"], projection["texts"], views)


def _view_said(view: dict[str, Any]) -> str:
    """Say the two numbers of a map in words.

    Examples
    --------
    >>> _view_said({"silhouette": 0.312, "silhouette_of_features": 0.05, "trustworthiness": 0.953})
    'Silhouette of the classes 0.31 in the map, 0.05 in the features; trustworthiness of the map 0.95.'
    """
    trust = f"trustworthiness of the map {view['trustworthiness']:.2f}."
    if view["silhouette"] is None:
        return trust.capitalize()
    silhouettes = f"{view['silhouette']:.2f} in the map, {view['silhouette_of_features']:.2f} in the features"
    return f"Silhouette of the classes {silhouettes}; {trust}"


def map_title(projection: dict[str, Any]) -> str:
    """Say on which features the classes hold together better, in the map and in the features themselves."""
    views = {view["scheme"]: view for view in projection["views"]}
    corpus = corpus_name(projection["corpus"])
    if any(view["silhouette"] is None for view in views.values()):
        return f"Maps of {corpus} on TF-IDF and TF-PI"
    in_map, in_features = (
        "tighter" if views["pi"][name] > views["idf"][name] else "looser"
        for name in ("silhouette", "silhouette_of_features")
    )
    if in_map == in_features:
        return f"The classes of {corpus} are {in_map} on TF-PI than on TF-IDF"
    return f"On TF-PI the classes of {corpus} are {in_features} than on TF-IDF, though {in_map} in the map"


def map_said(projection: dict[str, Any]) -> str:
    """Say what the maps show, and how to read their numbers."""
    n_shown, n_test = projection["n_documents"], projection["n_test"]
    which = f"All {n_test:,} test documents" if n_shown == n_test else f"{n_shown:,} of {n_test:,} test documents"
    return (
        f"{which} placed by t-SNE, so that documents with like terms lie near each other (the paper's Figure 3). The "
        "silhouette says how much nearer documents are to their own class than to the next, from −1 to 1; the "
        "trustworthiness, how many neighbours in the map are neighbours in the features, up to 1. Distances between "
        f"groups mean little. Seed {projection['seed']}, perplexity {projection['perplexity']:.0f}, weights from the "
        "training part."
    )
