"""Fitted views as TermFeatures shows them: names of columns, terms, and the attributes of a single view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from troenpy.counts.class_counts import ClassCounts
from troenpy.features.blocks import Block
from troenpy.features.class_profile import ClassProfile
from troenpy.features.count_error import CountError
from troenpy.features.fitted_view import FittedView
from troenpy.features.layout import Layout
from troenpy.weights.count_table import Floats


class HasViews:
    """An estimator with fitted `_views`, or a `_stream` from which `_settle` fits them."""

    _views: list[FittedView]
    _layout: Layout
    _stream: Any

    def _set_views(self, views: list[FittedView]) -> None:
        self._layout = Layout([(len(view.blocks), view.n_terms, view.n_classes) for view in views])
        self._views = views  # last: from now on they are used

    def _settle(self) -> None:
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns, ``block__term`` or ``profile__class``; with several views, after their name.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : array of str objects
        """
        views = self._fitted_views()
        if len(views) == 1:
            return np.array([*views[0].names(), ""], dtype=object)[:-1]
        return np.array([f"{view.name}__{name}" for view in views for name in view.names()], dtype=object)

    def terms(self) -> NDArray[np.object_]:
        """Return the terms, in the column order of each block; those of several views one after the other."""
        return np.concatenate([view.terms() for view in self._fitted_views()])

    def terms_of(self, numbers: NDArray[Any]) -> NDArray[np.object_]:
        """Return some of the terms."""
        views = self._fitted_views()
        if len(views) == 1:
            return views[0].terms_of(numbers)
        names, of_view = np.empty(len(numbers), dtype=object), self.layout_.view_of(numbers)
        for number, view in enumerate(views):
            is_own = of_view == number
            names[is_own] = view.terms_of(numbers[is_own] - self.layout_.terms(number).start)
        return names

    @property
    def layout_(self) -> Layout:
        """Which column belongs to which view, block and term."""
        self._fitted_views()
        return self._layout

    @property
    def n_columns_(self) -> int:
        """The total number of columns."""
        return sum(view.n_columns for view in self._fitted_views())

    @property
    def blocks_(self) -> list[Block]:
        """The blocks of terms that were not dropped."""
        return self._only_view("blocks").blocks

    @property
    def profile_(self) -> ClassProfile | None:
        """The fitted class profile, if "profile" is one of the blocks."""
        return self._only_view("profile").profile

    @property
    def weights_(self) -> Floats:
        """The weight of each term in each block."""
        return self._only_view("weights").weights

    @property
    def counts_(self) -> ClassCounts:
        """Documents per class and term."""
        return self._only_view("named_counts").named_counts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term within a block."""
        counter = self._only_view("counter.vocabulary_").counter
        if counter is None:
            raise AttributeError("TermFeatures fitted on counts has no vocabulary_: use terms() for the column names")
        return counter.vocabulary_

    @property
    def count_error_(self) -> CountError:
        """How many documents of a term may be missing, and which terms are certainly kept, with `max_terms`."""
        return CountError.of(self._only_view("counts").counts)

    @property
    def views_(self) -> list[FittedView]:
        """The fitted views."""
        self._settle()
        if "_views" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no views_ yet: call fit first")
        return self._views

    def __sklearn_is_fitted__(self) -> bool:
        return "_views" in vars(self) or "_stream" in vars(self)

    def _only_view(self, attribute: str) -> FittedView:
        views = self._fitted_views()
        if len(views) > 1:
            names = ", ".join(view.name for view in views)
            raise AttributeError(f"there are several views, {names}: ask one of them, e.g. views_[0].{attribute}")
        return views[0]

    def _fitted_views(self) -> list[FittedView]:
        self._settle()
        if "_views" not in vars(self) and hasattr(self, "_stream"):
            raise NotFittedError(
                f"there are no weights yet: the {self._stream.n_documents} documents so far are of one class, or no"
                " term is within min_df and max_df. Call partial_fit with more documents"
            )
        if "_views" not in vars(self):  # check_is_fitted takes longer than weighting a document
            check_is_fitted(self)
        return self.views_
