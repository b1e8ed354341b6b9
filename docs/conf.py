"""How the documentation is built: sphinx-build -W docs docs/build."""

import re
from importlib import metadata
from typing import Any

project = "troenpy"
copyright = "the troenpy developers"  # noqa: A001 (Sphinx's name)
release = metadata.version("troenpy")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
exclude_patterns = ["build"]
html_theme = "furo"
html_title = f"troenpy {release}"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the parameters' own words have them
napoleon_google_docstring = False
autodoc_mock_imports = ["pyspark"]  # 450 MB that only troenpy.spark needs


def _as_text(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Let docstrings be read as they are written: stars, bars and underscores of formulas are no markup."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            line = re.sub(r"(?<![`*])\*(?![`*])", r"\*", line).replace("|", r"\|")
            lines[number] = re.sub(r"(?<=\w)_(?=[^\w`]|$)", r"\_", line)


def setup(app: Any) -> None:
    """Register the above."""
    app.connect("autodoc-process-docstring", _as_text, priority=900)  # after napoleon
