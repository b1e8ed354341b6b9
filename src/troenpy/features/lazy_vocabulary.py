"""The vocabulary of a vectorizer: packed terms, which become a dict when someone asks for it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from troenpy.features.term_list import TermList, terms_of
from troenpy.files.saved import Saved


class LazyVocabulary:
    """The part of CountVectorizer that holds its terms: packed in `_terms`, or as a dict in `_vocabulary`."""

    fixed_vocabulary_: bool
    _terms: TermList
    _vocabulary: dict[Any, Any]
    get_feature_names_out: Callable[..., NDArray[np.object_]]

    def names_of(self, columns: Any) -> NDArray[np.object_]:
        """Return the terms of some columns, without making the strings of all.

        Parameters
        ----------
        columns : array-like of int

        Returns
        -------
        terms : array of str objects
        """
        self._settle()
        terms = self.__dict__.get("_terms")
        return self.get_feature_names_out()[columns] if terms is None else terms.names(columns)

    @property
    def vocabulary_(self) -> dict[Any, Any]:
        """The column of each term.

        The dict is made when it is first asked for; from then on it is what counts, as it may be changed.
        """
        self._settle()
        terms = self.__dict__.get("_terms")
        if terms is not None:
            self.vocabulary_ = terms.columns()
        if "_vocabulary" not in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'vocabulary_': it is not fitted yet")
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: dict[Any, Any]) -> None:
        self._vocabulary = vocabulary
        self.__dict__.pop("_terms", None)

    @vocabulary_.deleter
    def vocabulary_(self) -> None:
        self.__dict__.pop("_terms", None)
        self.__dict__.pop("_vocabulary", None)

    def _pack_terms(self) -> None:
        """Replace the dict by packed terms, if it has no gaps."""
        terms = terms_of(self.vocabulary_)
        if terms is not None:
            self._set_terms(terms)

    def _set_terms(self, terms: TermList) -> None:
        """Set the terms, without a dict."""
        self._terms = terms
        self.__dict__.pop("_vocabulary", None)

    def _prefer_frequent(self, frequencies: NDArray[Any]) -> None:
        """Tell how many documents each term has: frequent terms are found faster then."""
        if "_terms" in self.__dict__:
            self._terms.frequencies = frequencies

    def _settle(self) -> None:
        """Learn what is pending, in a subclass that learns in batches."""

    def _n_terms(self) -> int:
        """Return the number of terms, without making the dict."""
        self._settle()
        terms = self.__dict__.get("_terms")
        return len(self.vocabulary_) if terms is None else len(terms)

    def _check_vocabulary(self) -> None:
        """Raise unless there is a vocabulary, as scikit-learn does."""
        self._settle()
        if "_terms" not in self.__dict__:
            super()._check_vocabulary()  # type: ignore[misc]

    def __sklearn_is_fitted__(self) -> bool:
        self._settle()
        return not self.__dict__.keys().isdisjoint(("_terms", "_vocabulary"))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        if "vocabulary_" in self.__dict__:  # pickled before the dict was made on demand
            self._vocabulary = self.__dict__.pop("vocabulary_")

    def _saved(self) -> Saved | None:
        """Return the fitted state for a file."""
        if not self.__sklearn_is_fitted__():
            return None
        state = {"is_fixed": bool(self.fixed_vocabulary_)}
        if "_terms" in self.__dict__:
            return Saved(state, self._terms.to_arrays())
        terms = terms_of(self.vocabulary_)
        if terms is None:
            raise TypeError("cannot save a vocabulary with gaps or with terms that are not strings: use pickle")
        return Saved(state, terms.to_arrays())

    def _restore(self, saved: Saved) -> None:
        """Restore the result of `_saved`; everything is validated."""
        self._set_terms(TermList.from_arrays(saved.arrays["terms_bytes"], saved.arrays["terms_lengths"]))
        self.fixed_vocabulary_ = bool(saved.state["is_fixed"])
