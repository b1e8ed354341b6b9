"""t-SNE of the test part of a corpus under TF-IDF and TF-PI, with measures of quality."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from troenpy.datasets.corpora import Corpus
from troenpy.experiments.splits import CountedCorpus
from troenpy.report.terms import FIRST_SEED

SAMPLE = 1000
MOST = 8000  # the quality measures compare all pairs of documents
N_NEIGHBORS = 7  # for trustworthiness; the k of the experiments
N_CHARACTERS = 80
VIEWS = {"idf": "TF-IDF", "pi": "TF-PI"}


def project(
    corpus: Corpus, counted: CountedCorpus, *, n_documents: int | None = SAMPLE, seed: int = 0
) -> dict[str, Any]:
    """Map test documents to the plane under TF-IDF and TF-PI, with weights learnt from the training part.

    Parameters
    ----------
    corpus : Corpus
    counted : CountedCorpus
        The same corpus, from `count_terms`.
    n_documents : int or None, default=1000
        Number of test documents, drawn at random if there are more; None takes all, up to 8,000.
    seed : int, default=0
        Seed for drawing documents and for t-SNE.

    Returns
    -------
    dict
        `corpus`, `n_documents` of `n_test`, `seed`, `perplexity`; `classes`, `codes` and `texts`, the first words of
        each document, or its number if the licence does not let a page quote it; `views`, one each for TF-IDF and TF-
        PI, with `x`, `y`, and three measures. `trustworthiness` is how many of the 7 neighbours in the map are also
        neighbours in the features (1 is best). `silhouette` is how much nearer a document is to its own class than to
        the next in the map (-1 to 1), `silhouette_of_features` the same in the features, by cosine distance; both are
        None with too few documents or classes.

    Raises
    ------
    ValueError
        If there are fewer than four test documents.
    """
    given = None if counted.given is not None else FIRST_SEED
    _, test = counted.parts(given)
    chosen = _sample(len(test), n_documents, seed)
    if len(chosen) < 4:
        raise ValueError(f"t-SNE needs at least four test documents, {corpus.name} has {len(chosen)}")
    split = counted.split(given)
    classes, codes = np.unique(np.asarray(corpus.labels)[test[chosen]].astype(str), return_inverse=True)
    from sklearn.manifold import TSNE  # noqa: F401 (its thread pool must be loaded before it is limited)

    with threadpool_limits(1):  # its threads synchronise at every step: on a busy machine that takes minutes
        views = [
            {"scheme": scheme, "name": name, **_view(split.weighted(scheme)[1][chosen], codes, seed)}
            for scheme, name in VIEWS.items()
        ]
    return {
        "corpus": corpus.name,
        "n_documents": len(chosen),
        "n_test": len(test),
        "seed": seed,
        "perplexity": _perplexity(len(chosen)),
        "classes": classes.tolist(),
        "codes": codes.tolist(),
        "texts": [
            first_words(corpus.texts[number]) if corpus.quotable else f"document {number + 1:,}"
            for number in test[chosen]
        ],
        "views": views,
    }


def first_words(text: str, n_characters: int = N_CHARACTERS) -> str:
    r"""Return the beginning of a text on one line.

    Examples
    --------
    >>> first_words("The vote  was\nclose", 10)
    'The vote…'
    """
    line = " ".join(text[: 4 * n_characters].split())
    if len(line) <= n_characters:
        return line
    cut = line[: n_characters + 1].rpartition(" ")[0] or line[:n_characters]
    return f"{cut}…"


def _sample(n_test: int, n_documents: int | None, seed: int) -> NDArray[np.int64]:
    size = min(n_test, MOST if n_documents is None else min(n_documents, MOST))
    return np.sort(np.random.default_rng(seed).permutation(n_test)[:size])


def _perplexity(n_documents: int) -> float:
    return float(min(30.0, (n_documents - 1) / 3))


def _view(rows: Any, codes: NDArray[np.int64], seed: int) -> dict[str, Any]:
    from sklearn.manifold import TSNE, trustworthiness
    from sklearn.metrics import silhouette_score

    n_documents = rows.shape[0]
    perplexity = _perplexity(n_documents)
    layout = TSNE(perplexity=perplexity, init=_start(rows, seed), random_state=seed).fit_transform(rows)
    n_neighbors = min(N_NEIGHBORS, (n_documents - 1) // 2)
    has_classes = 1 < len(np.unique(codes)) < n_documents
    return {
        "x": [round(float(value), 2) for value in layout[:, 0]],
        "y": [round(float(value), 2) for value in layout[:, 1]],
        "trustworthiness": float(trustworthiness(rows, layout, n_neighbors=n_neighbors)),
        "silhouette": float(silhouette_score(layout, codes)) if has_classes else None,
        "silhouette_of_features": float(silhouette_score(rows, codes, metric="cosine")) if has_classes else None,
    }


def _start(rows: Any, seed: int) -> Any:
    """Initialise with the first two principal directions, as scikit-learn does for dense rows."""
    if rows.shape[1] <= 2:
        return "random"
    from sklearn.decomposition import TruncatedSVD

    plane = TruncatedSVD(n_components=2, random_state=seed).fit_transform(rows)
    spread = float(plane[:, 0].std())
    return "random" if spread == 0 else (plane / spread * 1e-4).astype(np.float32)
