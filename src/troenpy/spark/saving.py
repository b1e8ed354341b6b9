"""Save and load our stages with Spark's MLWriter and MLReader, wherever Spark can write.

A stage is its metadata, as of Spark's own stages, and the file of the local estimator, in the rows of a Parquet file.
"""

from typing import Any

from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter

from troenpy.spark.local_files import from_bytes, to_bytes

#: Bytes of a row.
PIECE = 1 << 24


class SavedStage(MLWritable, MLReadable):
    """A stage with a local estimator: `_local_estimator` returns it, `_take` takes it back."""

    def write(self) -> Any:
        """Return a writer: ``stage.write().overwrite().save(path)``."""
        return _Writer(self)

    @classmethod
    def read(cls) -> Any:
        """Return a reader: ``Stage.read().load(path)``, or ``Stage.load(path)``."""
        return _Reader(cls)


class _Writer(MLWriter):
    def __init__(self, stage: Any) -> None:
        super().__init__()
        self._stage = stage

    def save(self, path: str) -> None:
        """Save the stage; Spark's own way of overwriting does not work with Spark Connect."""
        spark, mode = self.sparkSession, "overwrite" if self.shouldOverwrite else "error"
        metadata = DefaultParamsWriter._get_metadata_to_save(self._stage, spark, None, self._stage._column_params())
        frame = spark.createDataFrame([(metadata,)], "value string")
        frame.coalesce(1).write.mode(mode).text(f"{path}/metadata")
        content = to_bytes(self._stage._local_estimator())
        pieces = [(n, bytearray(content[n : n + PIECE])) for n in range(0, len(content), PIECE)]
        frame = spark.createDataFrame(pieces, "start long, content binary")
        frame.coalesce(1).write.mode(mode).parquet(f"{path}/model")


class _Reader(MLReader):
    def __init__(self, cls: Any) -> None:
        super().__init__()
        self._cls = cls

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        rows = self.sparkSession.read.parquet(f"{path}/model").orderBy("start").collect()
        stage = self._cls()
        stage._resetUid(metadata["uid"])
        stage._take(from_bytes(b"".join(row["content"] for row in rows)))
        stage._set(**metadata["paramMap"])
        return stage
