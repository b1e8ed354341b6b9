"""The public surface is itself a promise."""

import importlib.metadata
import subprocess
import sys
import types

import troenpy

OPTIONAL = "typer jinja2 altair pooch rich pyarrow ot tomotopy pyspark pandas polars matplotlib sklearn.model_selection"
EXPORTED = """
    WEIGHTS ClassCounts ClassProfile CountVectorizer SparseKNeighborsClassifier TermFeatures TermWeighter
    TextKNeighborsClassifier TfPiVectorizer TransportClassifier TroenpyClassifier comparison conditional_troenpy
    datasets differential_troenpy embeddings entropy experiments kernel_available load
    negative_information positive_information rivals save settings
    term_weights transport troenpy troenpy_gain weights
"""


def test_exported_names():
    assert set(troenpy.__all__) == set(EXPORTED.split())
    assert all(hasattr(troenpy, name) for name in troenpy.__all__)


def test_every_public_name_is_documented_with_an_example():
    for name in troenpy.__all__:
        thing = getattr(troenpy, name)
        if isinstance(thing, types.ModuleType | dict):
            continue
        assert thing.__doc__, name
        assert ">>>" in thing.__doc__, name
    for thing in (
        troenpy.datasets.load,
        troenpy.experiments.run,
        troenpy.comparison.Comparison,
        troenpy.embeddings.load,
        troenpy.transport.wmd,
    ):
        assert ">>>" in thing.__doc__, thing
    for name, weight in troenpy.WEIGHTS.items():
        assert ">>>" in (weight.__doc__ or ""), name


def test_version_is_the_packages():
    assert troenpy.__version__ == importlib.metadata.version("troenpy")


def test_importing_loads_no_optional_dependency():
    code = (
        "import sys, sklearn.feature_extraction.text; before = set(sys.modules); import troenpy;"
        f"print(sorted(set({OPTIONAL!r}.split()) & (set(sys.modules) - before)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert loaded.stdout.strip() == "[]"
