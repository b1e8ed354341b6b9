"""Labelled text to features: term weights from troenpy, the dual of Shannon entropy.

The measure itself is the function `troenpy.troenpy`. It has the package's name, so a star import leaves it out.
"""

import importlib
from typing import TYPE_CHECKING, Any

from troenpy import rivals, settings, weights
from troenpy._kernel import kernel_available
from troenpy.classifier import TroenpyClassifier
from troenpy.counts import ClassCounts
from troenpy.differential import differential_troenpy
from troenpy.features import TermFeatures
from troenpy.information import (
    conditional_troenpy,
    entropy,
    negative_information,
    positive_information,
    troenpy_gain,
)
from troenpy.information import troenpy as troenpy
from troenpy.neighbors import SparseKNeighborsClassifier
from troenpy.persistence import load, save
from troenpy.profile import ClassProfile
from troenpy.schemes import WEIGHTS, term_weights
from troenpy.text import CountVectorizer
from troenpy.text_neighbors import TextKNeighborsClassifier
from troenpy.vectorizer import TfPiVectorizer
from troenpy.weighting import TermWeighter

if TYPE_CHECKING:
    from troenpy import comparison, datasets, embeddings, experiments, report, transport
    from troenpy.transport_classifier import TransportClassifier

__version__ = "0.1.0"

__all__ = [
    "WEIGHTS",
    "ClassCounts",
    "ClassProfile",
    "CountVectorizer",
    "SparseKNeighborsClassifier",
    "TermFeatures",
    "TermWeighter",
    "TextKNeighborsClassifier",
    "TfPiVectorizer",
    "TransportClassifier",
    "TroenpyClassifier",
    "comparison",
    "conditional_troenpy",
    "datasets",
    "differential_troenpy",
    "embeddings",
    "entropy",
    "experiments",
    "kernel_available",
    "load",
    "negative_information",
    "positive_information",
    "report",
    "rivals",
    "save",
    "settings",
    "term_weights",
    "transport",
    "troenpy_gain",
    "weights",
]


def __getattr__(name: str) -> Any:
    """Import the modules of experiments on first use: they would slow down `import troenpy` for everyone else."""
    if name in ("comparison", "datasets", "embeddings", "experiments", "report", "transport"):
        return importlib.import_module(f"troenpy.{name}")
    if name == "TransportClassifier":
        return importlib.import_module("troenpy.transport_classifier").TransportClassifier
    raise AttributeError(f"module 'troenpy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "troenpy"])
