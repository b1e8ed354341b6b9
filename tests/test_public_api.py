"""The public surface is itself a promise."""

import importlib.metadata
import pkgutil
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest

import troenpy

ROOT = Path(__file__).parent.parent

OPTIONAL = "typer jinja2 pooch rich pyarrow ot tomotopy pyspark pandas polars matplotlib sklearn.model_selection"
EXPORTED = """
    WEIGHTS Block ClassCounts ClassProfile CountVectorizer SparseKNeighborsClassifier TermFeatures TermWeighter
    TextKNeighborsClassifier TfPiVectorizer TransportClassifier TroenpyClassifier audit compare comparison
    conditional_troenpy datasets differential_troenpy embeddings entropy experiments kernel_available load
    negative_information positive_information records report rivals save settings
    spark statistics tasks term_weights terms transport troenpy_gain weights
"""


def test_exported_names():
    assert set(troenpy.__all__) == set(EXPORTED.split())
    assert all(hasattr(troenpy, name) for name in troenpy.__all__)


def run(code):
    """Return what a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def test_a_star_import_does_not_replace_the_package_by_its_function():
    names = {}
    exec("import troenpy\nfrom troenpy import *", names)  # noqa: S102
    assert names["troenpy"] is troenpy
    assert names["TfPiVectorizer"] is troenpy.TfPiVectorizer


def test_the_function_has_the_packages_name():
    from troenpy import troenpy as function

    assert function is troenpy.troenpy
    assert function([1 / 2, 1 / 2]) == pytest.approx(0.6931, abs=1e-4)


def test_dir_lists_the_public_names():
    assert dir(troenpy) == sorted([*EXPORTED.split(), "__version__", "troenpy"])


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'troenpy' has no attribute 'reports'"):
        _ = troenpy.reports


def test_packages_are_attributes_too():
    assert run("import troenpy; print(troenpy.models.__name__, troenpy.information.__name__)") == (
        "troenpy.models troenpy.information"
    )


def test_pickles_name_the_classes_that_the_package_has():
    code = "import pickle, troenpy; print(pickle.loads(pickle.dumps(troenpy.ClassCounts)) is troenpy.ClassCounts)"
    assert run(code) == "True"


def test_importing_it_alone_takes_no_numpy():
    assert run("import sys, troenpy; print('numpy' in sys.modules)") == "False"


def test_modules_are_imported_when_they_are_first_used():
    code = (
        "import sys, troenpy; before = 'troenpy.report' in sys.modules;"
        "print(before, troenpy.report.__name__, 'jinja2' in sys.modules)"
    )
    assert run(code) == "False troenpy.report False"


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))])
def test_pages_name_only_attributes_that_the_package_has(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```{eval-rst}.*?```", "", text, flags=re.DOTALL)
    names = set(re.findall(r"\btroenpy\.([a-z]\w*(?:\.\w+)*)", text))
    assert {name for name in names if name.split(".")[0] not in dir(troenpy)} == set()
    assert all(pkgutil.resolve_name(f"troenpy.{name}") for name in names)  # imports modules on the way


def test_every_public_name_is_documented_with_an_example():
    for name in [*troenpy.__all__, "troenpy"]:
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
    assert run(code) == "[]"


def test_no_dependency_is_installed_that_no_module_uses():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    parts = re.fullmatch(r"troenpy\[(.+)\]", extras["all"][0])[1].split(",")
    requirements = project["dependencies"] + [requirement for part in parts for requirement in extras[part]]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}
    modules = {"POT": "ot", "scikit-learn": "sklearn", "vl-convert-python": "vl_convert"}
    code = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    unused = {
        name
        for name in names
        if not re.search(rf"(?:from|import) {modules.get(name, name)}\b|\"{modules.get(name, name)}\"", code)
    }
    assert unused == {"psutil"}  # joblib's
