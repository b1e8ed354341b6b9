"""Estimators as bytes, and as files that Spark copies to its executors."""

import hashlib
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

from troenpy.persistence import load, save

#: Models that a Python worker keeps open.
_OPEN: OrderedDict[str, Any] = OrderedDict()
MOST_OPEN = 4


def to_bytes(model: Any, *, for_prediction: bool = False) -> bytes:
    """Return what `save` writes."""
    with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
        path = Path(folder) / "model.safetensors"
        save(model, path, for_prediction=for_prediction)
        return path.read_bytes()


def from_bytes(content: bytes) -> Any:
    """Return what `load` reads."""
    with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
        path = Path(folder) / "model.safetensors"
        path.write_bytes(content)
        return load(path)


def send(spark: Any, model: Any) -> str:
    """Send a model to the executors of a session; return its name there.

    Parameters
    ----------
    spark : SparkSession
    model : estimator
        What `save` accepts. Equal models are sent once.

    Returns
    -------
    str
    """
    content = to_bytes(model, for_prediction=True)
    name = f"troenpy-{hashlib.sha256(content).hexdigest()[:32]}.safetensors"
    with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        spark.addArtifacts(str(path), file=True)
    return name


def received(name: str) -> Any:
    """Return the model that `send` sent, in an executor; it is mapped into memory and kept open."""
    from pyspark import SparkFiles

    path = SparkFiles.get(name)
    if path not in _OPEN:
        _OPEN[path] = load(path)
        while len(_OPEN) > MOST_OPEN:
            _OPEN.popitem(last=False)
    _OPEN.move_to_end(path)
    return _OPEN[path]
