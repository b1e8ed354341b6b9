"""Classifiers for text and sparse rows: nearest neighbours, logistic regression, explanations, named settings."""

from troenpy.models import settings
from troenpy.models.choice import Choice, Trial
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.explanation import Explanation, NeighborExplanation
from troenpy.models.neighbors import SparseKNeighborsClassifier
from troenpy.models.text_neighbors import TextKNeighborsClassifier

__all__ = [
    "Choice",
    "Explanation",
    "NeighborExplanation",
    "SparseKNeighborsClassifier",
    "TextKNeighborsClassifier",
    "Trial",
    "TroenpyClassifier",
    "settings",
]
