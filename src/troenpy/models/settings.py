"""Named settings: the paper's features and our own recommendations, each one line from text to features or labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from troenpy.features.term_features import TermFeatures
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier


@dataclass(frozen=True)
class Setting:
    """Features, and the model that they are meant for."""

    model: Literal["knn", "linear"]
    features: Mapping[str, Any] = field(hash=False)
    use: str


#: All settings by name.
SETTINGS: dict[str, Setting] = {
    "paper": Setting("knn", {"blocks": ("pi",)}, "the paper's TF-PI, with kNN or any other model"),
    "paper_2b": Setting("linear", {"blocks": ("pi", "btf", "ecib")}, "the paper's TF-PI + 2B; best of all on tweets"),
    "knn": Setting(
        "knn",
        TextKNeighborsClassifier.default_features,
        "for neighbours: terms under the Hellinger norm beside twice the class profile",
    ),
    "linear": Setting(
        "linear",
        TroenpyClassifier.default_features,
        "for logistic regression and linear SVMs: two weightings beside the class profile",
    ),
    "plain": Setting(
        "linear",
        {"blocks": ("boost",)},
        "for linear models that are to have one column per term",
    ),
}


def features(name: str, **options: Any) -> TermFeatures:
    """Return the features of a setting.

    Parameters
    ----------
    name : {"paper", "paper_2b", "knn", "linear", "plain"}
        ``SETTINGS[name].use`` says what for.
    **options
        Other parameters of `TermFeatures`, such as stop words or ``input="counts"``.

    Returns
    -------
    TermFeatures

    Examples
    --------
    >>> features("knn", stop_words="english").blocks
    ('certainty_hellinger', 'profile')
    """
    return TermFeatures(**{**_setting(name).features, **options})


def classifier(name: str = "linear", **options: Any) -> TroenpyClassifier | TextKNeighborsClassifier:
    """Return a classifier of text: the features of a setting and the model that they are meant for.

    Parameters
    ----------
    name : {"paper", "paper_2b", "knn", "linear", "plain"}, default="linear"
        "paper" and "knn" vote by the seven nearest documents, the others are logistic regressions with an explanation.
    **options
        Other parameters of `TermFeatures`, such as ``ngram_range=(1, 2)`` or ``stop_words="english"``.

    Returns
    -------
    TroenpyClassifier or TextKNeighborsClassifier

    Examples
    --------
    >>> texts = ["late goal", "own goal", "late vote", "close vote", "no vote"]
    >>> model = classifier("linear").fit(texts, ["sport", "sport", "politics", "politics", "politics"])
    >>> model.predict(["another goal"])
    array(['sport'], dtype=object)
    """
    chosen = features(name, **options)
    model = TroenpyClassifier if _setting(name).model == "linear" else TextKNeighborsClassifier
    return model(chosen, n_jobs=chosen.n_jobs)


def _setting(name: str) -> Setting:
    if not isinstance(name, str) or name not in SETTINGS:
        raise ValueError(f"unknown setting {name!r}; known are {', '.join(SETTINGS)}")
    return SETTINGS[name]
