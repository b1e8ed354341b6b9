"""The measures: positive and negative information, entropy and troenpy, of probabilities or estimated from counts."""

from troenpy.information.differential import differential_troenpy
from troenpy.information.measures import (
    conditional_troenpy,
    entropy,
    negative_information,
    positive_information,
    troenpy,
    troenpy_gain,
)

__all__ = [
    "conditional_troenpy",
    "differential_troenpy",
    "entropy",
    "negative_information",
    "positive_information",
    "troenpy",
    "troenpy_gain",
]
