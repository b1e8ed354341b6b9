"""Text classification with term weights from troenpy, the dual of Shannon entropy.

The measure itself is the function `troenpy.troenpy`. A star import leaves it out, because it has the package's name.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from troenpy import datasets, experiments, records, report, spark, statistics, tasks, transport, weights
    from troenpy._kernel import kernel_available
    from troenpy.counts import ClassCounts
    from troenpy.experiments import comparison
    from troenpy.features import Block, ClassProfile, CountVectorizer, TermFeatures, TermWeighter, TfPiVectorizer
    from troenpy.information import (
        conditional_troenpy,
        differential_troenpy,
        entropy,
        negative_information,
        positive_information,
        troenpy_gain,
    )
    from troenpy.information import troenpy as troenpy
    from troenpy.models import SparseKNeighborsClassifier, TextKNeighborsClassifier, TroenpyClassifier, settings
    from troenpy.persistence import load, save
    from troenpy.tasks import audit, compare, terms
    from troenpy.transport import TransportClassifier, embeddings
    from troenpy.weights import WEIGHTS, rivals, term_weights

__version__ = "0.1.0"

__all__ = [
    "WEIGHTS",
    "Block",
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
    "audit",
    "compare",
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
    "records",
    "report",
    "rivals",
    "save",
    "settings",
    "spark",
    "statistics",
    "tasks",
    "term_weights",
    "terms",
    "transport",
    "troenpy_gain",
    "weights",
]


# Imported on first use: numpy, scipy and scikit-learn take seconds, which not all commands need.
_MODULES = {
    "_kernel": "kernel_available",
    "counts": "ClassCounts",
    "experiments": "comparison",
    "features": "Block ClassProfile CountVectorizer TermFeatures TermWeighter TfPiVectorizer",
    "information": "conditional_troenpy differential_troenpy entropy negative_information positive_information troenpy"
    " troenpy_gain",
    "models": "SparseKNeighborsClassifier TextKNeighborsClassifier TroenpyClassifier settings",
    "persistence": "load save",
    "tasks": "audit compare terms",
    "transport": "TransportClassifier embeddings",
    "weights": "WEIGHTS rivals term_weights",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import what a public name stands for, on first use."""
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f"troenpy.{_MODULE_OF[name]}"), name)
    elif name in __all__ or name in _MODULES:
        value = importlib.import_module(f"troenpy.{name}")
    else:
        raise AttributeError(f"module 'troenpy' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "troenpy"])
