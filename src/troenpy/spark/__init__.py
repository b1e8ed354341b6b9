"""Counts, features and predictions on a Spark DataFrame, with the same results as in memory.

Nothing here uses a SparkContext, an RDD or a broadcast of its own, so it also works with Spark Connect. pyspark is
imported when a name is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from troenpy.spark.counting import class_counts
    from troenpy.spark.prediction import predict
    from troenpy.spark.term_features import TermFeatures, TermFeaturesModel
    from troenpy.spark.tfpi import TfPi, TfPiModel
    from troenpy.spark.training import train

__all__ = ["TermFeatures", "TermFeaturesModel", "TfPi", "TfPiModel", "class_counts", "predict", "train"]

#: Where the names are defined.
_LATER = {
    "TermFeatures": "term_features",
    "TermFeaturesModel": "term_features",
    "TfPi": "tfpi",
    "TfPiModel": "tfpi",
    "class_counts": "counting",
    "predict": "prediction",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name not in _LATER:
        raise AttributeError(f"module 'troenpy.spark' has no attribute {name!r}: it has {', '.join(__all__)}")
    try:
        importlib.import_module("pyspark.sql.types")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"troenpy.spark.{name} needs pyspark 4, which is not installed: pip install 'troenpy[spark]'"
        ) from error
    return getattr(importlib.import_module(f"troenpy.spark.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return __all__
