"""Unfitted classifiers from the options that people set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from troenpy.display import printable
from troenpy.files.drafts import FilePath
from troenpy.fitting.jobs import job_count
from troenpy.fitting.parameters import check_positive, check_whole
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.default_views import default_counters, linear_features, neighbour_features
from troenpy.models.text_neighbors import TextKNeighborsClassifier

MODELS = ("linear", "knn")
#: The views that cut a text into whole words or tokens.
OF_WORDS = ("words", "pairs")
#: The views of neighbours, if none are named.
NEIGHBOUR_VIEWS = ("pairs", "pieces")

Candidates = Sequence[Sequence[str]]


def new_classifier(
    model: str = "linear",
    *,
    views: Candidates | None = None,
    ngrams: tuple[int, int] | None = None,
    stop_words: str | Sequence[str] | None = None,
    min_df: float | None = None,
    C: float | str = "auto",
    seed: int = 0,
    jobs: int | None = -1,
) -> TroenpyClassifier | TextKNeighborsClassifier:
    """Return the classifier that `train` fits.

    Parameters
    ----------
    model : {"linear", "knn"}, default="linear"
        TroenpyClassifier or TextKNeighborsClassifier.
    views : sequence of sequences of {"words", "pairs", "pieces"}, optional
        The sets of views to choose from, such as ``[("words",), ("pairs", "pieces")]``; "knn" takes one.
    ngrams : (int, int), optional
        The least and the largest number of words in a term, instead of what the views "words" and "pairs" have.
    stop_words : "english", sequence of str, or path, optional
        Words to leave out; a file has one word in each line. Pieces of words ignore it.
    min_df : int or float, optional
        The least number of documents of a term, or their fraction.
    C : float or "auto", default="auto"
    seed : int, default=0
    jobs : int or None, default=-1

    Examples
    --------
    >>> new_classifier(views=[("words",)], ngrams=(1, 3), C=1).get_params()["features__words__ngram_range"]
    (1, 3)
    """
    if model not in MODELS:
        raise ValueError(f"model must be 'linear' or 'knn', got {model!r}")
    _check_numbers(C, seed, jobs)
    _check_min_df(min_df)
    if model == "linear" and views is None and ngrams is not None:
        views = [("pairs",), ("pairs", "pieces")]
    chosen = None if views is None else [tuple(names) for names in views]
    names = _names(chosen)
    options: dict[str, Any] = {}
    for name in names or (default_counters() if model == "linear" else NEIGHBOUR_VIEWS):
        if name in OF_WORDS and ngrams is not None:
            options[f"features__{name}__ngram_range"] = checked_ngrams(ngrams)
        if name in OF_WORDS and stop_words is not None:
            options[f"features__{name}__stop_words"] = _read_stop_words(stop_words)
        if min_df is not None:
            options[f"features__{name}__min_df"] = min_df
    if model == "linear":
        features = None if chosen is None and not options else linear_features(*names)
        return TroenpyClassifier(features, candidates=chosen, C=C, random_state=seed, n_jobs=jobs).set_params(**options)
    if C != "auto":
        raise ValueError(f"C belongs to model 'linear', got C={C} with model 'knn'")
    if chosen is not None and len(chosen) > 1:
        raise ValueError("model 'knn' does not choose its views: name one set of them")
    features = neighbour_features(*(names or NEIGHBOUR_VIEWS))
    return TextKNeighborsClassifier(features, n_jobs=jobs).set_params(**options)


def _check_numbers(C: float | str, seed: int, jobs: int | None) -> None:
    """Raise before anything is read, not when it is learnt from."""
    if not isinstance(C, str):
        check_positive("C", C)
    if check_whole("seed", seed) >= 1 << 32:
        raise ValueError(f"seed must be less than 2**32, got {seed}")
    job_count(jobs)


def _check_min_df(min_df: float | None) -> None:
    """Raise unless it is a number of documents, or a share of them."""
    is_share = isinstance(min_df, float) and 0 <= min_df <= 1
    if min_df is not None and not is_share:
        try:
            check_whole("min_df", min_df, least=1)
        except ValueError:
            raise ValueError(
                f"min_df must be a whole number of documents, 1 or more, or a share between 0 and 1, got {min_df!r}"
            ) from None


def read_views(text: str) -> list[tuple[str, ...]]:
    """Read sets of views from a line.

    Examples
    --------
    >>> read_views("words,pairs+pieces")
    [('words',), ('pairs', 'pieces')]
    """
    return [tuple(part.strip() for part in names.split("+")) for names in text.split(",")]


def _names(candidates: Candidates | None) -> list[str]:
    """Return all views of some sets, in the usual order; none without sets."""
    known = [*default_counters()]
    given = [name for names in candidates or () for name in names]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"views must be among {', '.join(known)}, got {printable(str(unknown[0]))!r}")
    return [name for name in known if name in given]


def checked_ngrams(ngrams: Any) -> tuple[int, int]:
    """Return the least and the largest number of words in a term, or raise."""
    if not (isinstance(ngrams, tuple | list) and len(ngrams) == 2 and all(type(n) is int for n in ngrams)):
        raise ValueError(f"ngrams must be two whole numbers such as (1, 2), got {ngrams!r}")
    if not 1 <= ngrams[0] <= ngrams[1]:
        raise ValueError(f"ngrams must be at least 1 and in order, got {ngrams!r}")
    return ngrams[0], ngrams[1]


def _read_stop_words(stop_words: str | FilePath | Sequence[str]) -> str | list[str]:
    if stop_words == "english":
        return "english"
    if not isinstance(stop_words, str | Path):
        return list(stop_words)  # type: ignore[arg-type]
    path = Path(stop_words)
    if not path.is_file():
        raise FileNotFoundError(f"stop_words must be 'english' or a file with one word in each line, got {path}")
    return [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
