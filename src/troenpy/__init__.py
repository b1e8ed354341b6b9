"""Text classification with term weights from troenpy, the dual of Shannon entropy.

The measure itself is the function `troenpy.troenpy`. A star import leaves it out, because it has the package's name.
"""

import importlib
from typing import TYPE_CHECKING, Any

from troenpy import weights
from troenpy._kernel import kernel_available
from troenpy.counts import ClassCounts
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
from troenpy.weights import WEIGHTS, rivals, term_weights

if TYPE_CHECKING:
    from troenpy import datasets, experiments, records, report, spark, statistics, tasks, transport
    from troenpy.experiments import comparison
    from troenpy.tasks import audit, compare, terms
    from troenpy.transport import TransportClassifier, embeddings

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


# Imported on first use, because they would slow down `import troenpy`.
_LATER = {
    "TransportClassifier": "troenpy.transport",
    "audit": "troenpy.tasks",
    "compare": "troenpy.tasks",
    "comparison": "troenpy.experiments",
    "datasets": "troenpy",
    "embeddings": "troenpy.transport",
    "experiments": "troenpy",
    "records": "troenpy",
    "report": "troenpy",
    "spark": "troenpy",
    "statistics": "troenpy",
    "tasks": "troenpy",
    "terms": "troenpy.tasks",
    "transport": "troenpy",
}


def __getattr__(name: str) -> Any:
    """Import the slower packages on first use."""
    if name not in _LATER:
        raise AttributeError(f"module 'troenpy' has no attribute {name!r}")
    if _LATER[name] == "troenpy":
        return importlib.import_module(f"troenpy.{name}")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "troenpy"])
