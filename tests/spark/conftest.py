"""Spark for its tests: one session for each process, and a reason to skip where pyspark or Java is missing.

With TROENPY_SPARK=required, as in .ci/run, nothing is skipped: what is missing is an error.
"""

import os
import shutil
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from made_up_texts import made_up_texts

FOLDER = Path(__file__).parent
#: How pytest reports a socket that is closed by the garbage collector.
UNCLOSED = "Exception ignored in. <socket.socket"
#: What makes Spark small and quick to start; modes are set by each session.
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}


def missing():
    """Return why Spark cannot run here, or None."""
    modules = [name for name in ("pyspark", "pyarrow", "pandas", "grpc") if find_spec(name) is None]
    if modules:
        return f"{', '.join(modules)} not installed: pip install 'troenpy[spark]'"
    has_java = shutil.which("java") is not None or "JAVA_HOME" in os.environ
    return None if has_java else "there is no Java: apt-get install openjdk-17-jre-headless"


def pytest_collection_modifyitems(config, items):
    reason = missing()
    if reason is not None and os.environ.get("TROENPY_SPARK") == "required":
        raise pytest.UsageError(f"TROENPY_SPARK=required, but {reason}")
    for item in items:
        if FOLDER not in item.path.parents:
            continue
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
        elif version("pyspark").startswith("4.0."):  # it leaves the sockets of toArrow to the garbage collector
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{UNCLOSED}:pytest.PytestUnraisableExceptionWarning"))
        if config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group("spark"))  # one JVM, with --dist loadgroup


@pytest.fixture(scope="session", autouse=True)
def this_python():
    """Let Spark's workers run this Python."""
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    yield
    os.environ.pop("PYSPARK_PYTHON")
    if before is not None:
        os.environ["PYSPARK_PYTHON"] = before


@pytest.fixture(scope="session")
def spark(this_python):
    """A session with two threads."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("troenpy's tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def texts_and_labels():
    """300 texts of three classes, some of them odd."""
    texts, labels = made_up_texts(300, seed=3)
    odd = ["", "  ", "GOAL Goal goal", "größe 👩🏽‍🚀 🇩🇪 日本 <b>vote</b>", "a\x00b nul", "x" * 300]
    return [*odd, *texts], [*labels[:6].tolist(), *labels.tolist()]


@pytest.fixture(scope="session")
def df(spark, texts_and_labels):
    """The same texts in a DataFrame of three partitions."""
    return spark.createDataFrame(list(zip(*texts_and_labels, strict=True)), ["text", "label"]).repartition(3).cache()
