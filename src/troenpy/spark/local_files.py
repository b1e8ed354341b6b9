"""Estimators as bytes, and on their way to the executors."""

import hashlib
import tempfile
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

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


class SentModel(NamedTuple):
    """A model on its way to the executors.

    In a classic session it travels in the closure, which Spark broadcasts if it is large: a file that Spark is given
    must stay where it is as long as the session. With Spark Connect it is an artifact of the session, because a closure
    is sent with every request, and a request has at most 128 MB.
    """

    name: str
    content: bytes | None

    @classmethod
    def of(cls, spark: Any, model: Any) -> "SentModel":
        """Prepare a model that `save` accepts for the executors of a session."""
        content = to_bytes(model, for_prediction=True)
        name = f"troenpy-{hashlib.sha256(content).hexdigest()[:32]}.safetensors"
        if not type(spark).__module__.startswith("pyspark.sql.connect"):
            return cls(name, content)
        with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            spark.addArtifacts(str(path), file=True)
        return cls(name, None)


def received(name: str, content: bytes | None) -> Any:
    """Return a sent model, in an executor; a worker keeps the last ones open."""
    if name not in _OPEN:
        _OPEN[name] = _load_artifact(name) if content is None else from_bytes(content)
        while len(_OPEN) > MOST_OPEN:
            _OPEN.popitem(last=False)
    _OPEN.move_to_end(name)
    return _OPEN[name]


def _load_artifact(name: str) -> Any:
    from pyspark import SparkFiles

    return load(SparkFiles.get(name))
