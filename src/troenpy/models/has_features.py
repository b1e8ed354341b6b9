"""Base class of both text classifiers: a parameter `features` with a default."""

from typing import Any, Self

from sklearn.base import clone

from troenpy.features.term_features import TermFeatures


class HasFeatures:
    """A text classifier whose `features` are TermFeatures, or None for the default ones.

    Parameters of the default features, such as ``features__words__ngram_range``, can be read, set and searched over.
    """

    features: TermFeatures | None
    n_jobs: int | None

    @staticmethod
    def default_features() -> TermFeatures:
        """Return the default features of this classifier, unfitted."""
        raise NotImplementedError

    def new_features(self) -> TermFeatures:
        """Return unfitted features, with the classifier's `n_jobs` if they have none."""
        features = self.default_features() if self.features is None else self.features
        if not isinstance(features, TermFeatures):
            raise TypeError(
                f"features must be TermFeatures or None, got {features!r}: pass other parameters by name, or"
                " use troenpy.settings.classifier for named settings"
            )
        features = clone(features)
        if features.n_jobs is None:
            features.n_jobs = self.n_jobs
        return features

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Include those of `features`, such as ``features__words__ngram_range``.

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        if deep and self.features is None:
            params |= {f"features__{name}": value for name, value in self.default_features().get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including those of `features`, such as ``features__words__ngram_range=(1, 2)``.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        self
        """
        is_default = params.get("features", self.features) is None
        if is_default and any(name.startswith("features__") for name in params):
            params["features"] = self.default_features()
        before = self.features
        try:
            return super().set_params(**params)  # type: ignore[misc]
        except Exception:
            self.features = before
            raise


def check_features(features: Any) -> TermFeatures:
    """Return features read from a file; raise unless they are TermFeatures."""
    if not isinstance(features, TermFeatures):
        raise TypeError(f"expected TermFeatures, got {type(features).__name__}")
    return features


def check_explained(text: Any, features: TermFeatures) -> None:
    """Raise if a text cannot be explained."""
    for view in features.views_:
        if view.counter is None or view.counter.input != "content":
            way = "counts" if view.counter is None else f"input={view.counter.input!r}"
            raise ValueError(f"explain needs a model fitted on text, but this one was fitted with {way}")
    if not isinstance(text, str):
        raise TypeError(f"explain takes one string, got {type(text).__name__}")
