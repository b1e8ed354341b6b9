"""What both classifiers of text share: features that are a parameter, with a default of their own."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from sklearn.base import clone

from troenpy.features.term_features import TermFeatures


class HasFeatures:
    """A classifier of text whose `features` are TermFeatures, or None for its own, changed by ``features__...``."""

    default_features: ClassVar[Mapping[str, Any]]
    features: TermFeatures | None
    n_jobs: int | None

    def new_features(self) -> TermFeatures:
        """Return unfitted features; they take the threads of the classifier if they say none."""
        if self.features is None:
            features = TermFeatures(**self.default_features)
        elif isinstance(self.features, TermFeatures):
            features = clone(self.features)
        else:
            raise TypeError(
                f"features must be a TermFeatures or None, got {self.features!r}: give other parameters by name, and"
                " get named settings from troenpy.settings.classifier"
            )
        if features.n_jobs is None:
            features.n_jobs = self.n_jobs
        return features

    @staticmethod
    def check_explained(text: Any, features: TermFeatures) -> None:
        """Raise unless this is a text that can be explained."""
        if features.input != "content":
            raise ValueError(f"explain takes a text, and this model was fitted with input={features.input!r}")
        if not isinstance(text, str):
            raise TypeError(f"explain takes one text, got {type(text).__name__}")

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of `features` as ``features__ngram_range=(1, 2)``, of the default ones too.

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
            params["features"] = TermFeatures(**self.default_features)
        return super().set_params(**params)  # type: ignore[misc]


def checked_features(features: Any) -> TermFeatures:
    """Return the features that a file says a classifier has, if that is what they are."""
    if not isinstance(features, TermFeatures):
        raise TypeError(f"expected TermFeatures, got {type(features).__name__}")
    return features
