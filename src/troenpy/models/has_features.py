"""What both classifiers of text share: features that are a parameter, with a default of their own."""

from typing import Any, Self

from sklearn.base import clone

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.term_features import TermFeatures


class HasFeatures:
    """A classifier of text whose `features` are TermFeatures, or None for its own.

    None is a real object wherever that matters: ``features__words__ngram_range`` is among the parameters, can be set,
    and can be searched over.
    """

    features: TermFeatures | None
    n_jobs: int | None

    @staticmethod
    def default_features() -> TermFeatures:
        """Return the features of this classifier if none are given, unfitted."""
        raise NotImplementedError

    def new_features(self) -> TermFeatures:
        """Return unfitted features; they take the threads of the classifier if they say none."""
        features = self.default_features() if self.features is None else self.features
        if not isinstance(features, TermFeatures):
            raise TypeError(
                f"features must be a TermFeatures or None, got {features!r}: give other parameters by name, and"
                " get named settings from troenpy.settings.classifier"
            )
        features = clone(features)
        if features.n_jobs is None:
            features.n_jobs = self.n_jobs
        return features

    @staticmethod
    def explained_counter(text: Any, features: TermFeatures) -> CountVectorizer:
        """Return what counts the terms of a text that is to be explained, if it can be."""
        counter = features.views_[0].counter
        if counter is None or counter.input != "content":
            way = "counts" if counter is None else f"input={counter.input!r}"
            raise ValueError(f"explain takes a text, and this model was fitted with {way}")
        if not isinstance(text, str):
            raise TypeError(f"explain takes one text, got {type(text).__name__}")
        return counter

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            With those of `features`, such as ``features__words__ngram_range``.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        if deep and self.features is None:
            params |= {f"features__{name}": value for name, value in self.default_features().get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of `features` as ``features__words__ngram_range=(1, 2)``, of the default ones too.

        Parameters
        ----------
        **params
            By name.

        Returns
        -------
        self
        """
        is_default = params.get("features", self.features) is None
        if is_default and any(name.startswith("features__") for name in params):
            params["features"] = self.default_features()
        return super().set_params(**params)  # type: ignore[misc]


def checked_features(features: Any) -> TermFeatures:
    """Return the features that a file says a classifier has, if that is what they are."""
    if not isinstance(features, TermFeatures):
        raise TypeError(f"expected TermFeatures, got {type(features).__name__}")
    return features
