"""Counts, features and predictions on a Spark DataFrame, with the same results as in memory.

Nothing here uses a SparkContext, an RDD or a broadcast of its own, so it also works with Spark Connect. pyspark is
imported when a name is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from troenpy.spark.class_counts import class_counts

__all__ = ["class_counts"]

#: Where the names are defined.
_LATER = {
    "class_counts": "class_counts",
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
    found = getattr(importlib.import_module(f"troenpy.spark.{_LATER[name]}"), name)
    globals()[name] = found  # also where a module has the same name
    return found


def __dir__() -> list[str]:
    return __all__
