"""Fit local estimators to counts that were collected from the cluster, as they fit themselves to a stream."""

from typing import Any

import numpy as np

from troenpy.features.count_vectorizer import CountVectorizer
from troenpy.features.streams import PlainStream, ViewStreams
from troenpy.features.tallies import Tally
from troenpy.features.term_features import TermFeatures
from troenpy.features.tfpi_vectorizer import TfPiVectorizer
from troenpy.features.views import View
from troenpy.weights.count_table import check_two_classes


def counter_of(vectorizer: TfPiVectorizer) -> CountVectorizer:
    """Return a counter with the parameters of a vectorizer."""
    return CountVectorizer(**{name: getattr(vectorizer, name) for name in CountVectorizer._get_param_names()})


def fit_vectorizer(vectorizer: TfPiVectorizer, tally: Tally) -> TfPiVectorizer:
    """Fit a vectorizer to the counts of its terms, and return it."""
    _check(tally)
    vectorizer._stream = PlainStream((tally,))
    vectorizer._settle()
    del vectorizer._stream  # as after `fit`: there is nothing to continue
    return vectorizer


def fit_features(features: TermFeatures, views: list[View], tallies: list[Tally]) -> TermFeatures:
    """Fit features to the counts of the terms of their views, and return them."""
    for view, tally in zip(views, tallies, strict=True):
        _check(tally, view.prefix)
    streams: Any = tuple(PlainStream((tally,)) for tally in tallies)
    features._stream = ViewStreams(streams, tuple(view.kind() for view in views))
    features._settle()
    del features._stream
    return features


def _check(tally: Tally, prefix: str = "") -> None:
    check_two_classes(tally.counts.classes[np.flatnonzero(tally.counts.n_docs)])
    if not len(tally.frequency):
        raise ValueError(f"{prefix}no term is within min_df, max_df and min_class_df: loosen them")
