"""Executors that lack troenpy, or have another version, say so, with the line that helps."""

import pytest

from troenpy import spark as on_spark
from troenpy.spark.executors import in_executors

# Python runs it before anything else: it makes an import fail, as if troenpy were not installed.
HIDE_TROENPY = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "troenpy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""


def test_an_executor_without_troenpy(spark, df, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(HIDE_TROENPY)
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path))
    expected = (
        r"^troenpy cannot be imported there \(No module named 'troenpy'\): run pip install 'troenpy\[spark\]==.*' with"
        r" the Python of the executors, which spark\.pyspark\.python or PYSPARK_PYTHON names$"
    )
    with pytest.raises(ImportError, match=expected):
        on_spark.class_counts(df)


def test_an_executor_with_another_version(df):
    from troenpy.spark.executors import clear_errors

    run = in_executors("partition_counts:count_partition", [], "string", driver_version="9.9")
    expected = r"^its troenpy is 0\.\d+\.\d+, but that of the driver is 9\.9: run pip install 'troenpy==9\.9' with"
    with pytest.raises(ImportError, match=expected), clear_errors():
        df.mapInArrow(run, "text string").collect()


def test_other_errors_of_spark_stay_as_they_are(df):
    from pyspark.errors import PySparkException

    from troenpy.spark.executors import clear_errors

    def fail(batches):
        raise OSError("disk full")
        yield

    with pytest.raises(PySparkException, match="disk full"), clear_errors():
        df.mapInArrow(fail, "text string").collect()


def test_an_error_that_takes_other_arguments_is_told_as_its_kind(spark):
    rows = spark.sql("select 'late goal' as text, cast(X'FF61' as string) as label union all select 'vote', 'politics'")
    with pytest.raises(ValueError, match=r"^'utf-8' codec can't decode byte 0xff in position 0: invalid start byte$"):
        on_spark.class_counts(rows)


def test_without_pyspark_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql.types", None)
    with pytest.raises(
        ImportError, match=r"^troenpy\.spark\.class_counts needs pyspark 4.*pip install 'troenpy\[spark\]'"
    ):
        _ = on_spark.class_counts


def test_names():
    assert dir(on_spark) == on_spark.__all__
    with pytest.raises(AttributeError, match=r"^module 'troenpy\.spark' has no attribute 'rdd': it has .*class_counts"):
        _ = on_spark.rdd
