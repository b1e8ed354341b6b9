"""Named settings: the paper's features and our own recommendations, as features or classifiers in one line."""

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures
from troenpy.features.views import view_of_words
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.default_views import linear_features, neighbour_features
from troenpy.models.text_neighbors import TextKNeighborsClassifier

MODELS: dict[str, Any] = {"knn": TextKNeighborsClassifier, "linear": TroenpyClassifier}


#: What views differ in.
DIFFERENT = ("analyzer", "ngram_range", "token_pattern")


@dataclass(frozen=True)
class Setting:
    """Features, and the model they are meant for."""

    model: Literal["knn", "linear"]
    features: Callable[[], TermFeatures] = field(repr=False)
    use: str


def _words(*blocks: str) -> Callable[[], TermFeatures]:
    return lambda: TermFeatures(view_of_words(*blocks))


#: All settings by name.
SETTINGS: dict[str, Setting] = {
    "paper": Setting("knn", _words("pi"), "the paper's TF-PI, with kNN or any other model"),
    "paper_2b": Setting("linear", _words("pi", "btf", "ecib"), "the paper's TF-PI + 2B; best of all on tweets"),
    "knn": Setting(
        "knn",
        lambda: neighbour_features("words"),
        "for neighbours: words under the Hellinger norm, and twice the class profile",
    ),
    "knn_views": Setting(
        "knn",
        TextKNeighborsClassifier.default_features,
        "the same of tokens with their pairs and of pieces of words: fewer errors, a slower search",
    ),
    "linear": Setting(
        "linear",
        lambda: linear_features("words"),
        "for logistic regression and linear SVMs: two weightings of words, and the class profile",
    ),
    "views": Setting(
        "linear",
        lambda: linear_features("pairs", "pieces"),
        "the same of tokens with their pairs and of pieces of words: any language, short or noisy texts",
    ),
    "auto": Setting("linear", linear_features, "what TroenpyClassifier chooses from: both of these"),
    "plain": Setting("linear", _words("boost"), "for linear models with one column per term"),
}


def features(name: str, **options: Any) -> TermFeatures:
    """Return the features of a setting.

    Parameters
    ----------
    name : {"paper", "paper_2b", "knn", "knn_views", "linear", "views", "auto", "plain"}
        ``SETTINGS[name].use`` describes each.
    **options
        Parameters of `TermFeatures`, and of the CountVectorizer that counts the words, such as
        ``stop_words="english"``; with ``words="counts"``, documents are rows of a matrix of counts.

    Returns
    -------
    TermFeatures

    Examples
    --------
    >>> features("knn", stop_words="english").get_params()["words__blocks"]
    ('certainty_hellinger', 'profile')
    """
    chosen = _setting(name).features()
    return chosen.set_params(**_by_owner(options, chosen))


def classifier(name: str = "linear", **options: Any) -> TroenpyClassifier | TextKNeighborsClassifier:
    """Return a text classifier: the features of a setting, with the model they are meant for.

    Parameters
    ----------
    name : {"paper", "paper_2b", "knn", "knn_views", "linear", "views", "auto", "plain"}, default="linear"
        "paper", "knn" and "knn_views" are seven nearest neighbours, the others logistic regression.
    **options
        Parameters of the classifier, such as ``C=10``; of `TermFeatures`; and of the CountVectorizer that counts the
        words, such as ``ngram_range=(1, 2)``, ``stop_words="english"`` or ``min_df=2``.

    Returns
    -------
    TroenpyClassifier or TextKNeighborsClassifier

    Examples
    --------
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> model = classifier("linear", ngram_range=(1, 2), min_df=2, C=10)
    >>> model.fit(texts, ["sport", "sport", "politics", "politics", "politics"]).predict(["another goal"])
    array(['sport'], dtype=object)
    """
    setting = _setting(name)
    model = MODELS[setting.model](setting.features())
    return model.set_params(**_by_owner(options, model, model.features))


def _by_owner(options: dict[str, Any], *owners: Any) -> dict[str, Any]:
    """Return the options under the names that `set_params` of the first owner expects; each owns the next."""
    prefix, known = "", dict[str, list[str]]()
    for owner in owners:
        for name in owner.get_params():
            known.setdefault(name, [prefix + name])
        prefix += "features__" if owner is not owners[-1] else ""
    counters = {view: counter for view, counter, _ in owners[-1]._views_or_default()}
    for name in CountVectorizer().get_params():
        views = [view for view in counters if not (name == "stop_words" and view == "pieces")]
        known.setdefault(name, [f"{prefix}{view}__{name}" for view in views])
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, 3, cutoff=0.5)
            advice = (
                f"did you mean {' or '.join(near)}?"
                if near
                else f"see {type(owners[0]).__name__}, TermFeatures and CountVectorizer"
            )
            raise TypeError(f"unknown option {name!r}: {advice}")
        if name in DIFFERENT and len(known[name]) > 1:
            raise TypeError(f"the views differ in {name}: set that of one of them, {' or '.join(known[name])}")
    return {full: value for name, value in options.items() for full in known[name]}


def _setting(name: str) -> Setting:
    if not isinstance(name, str) or name not in SETTINGS:
        raise ValueError(f"unknown setting {name!r}; choose one of {', '.join(SETTINGS)}")
    return SETTINGS[name]
