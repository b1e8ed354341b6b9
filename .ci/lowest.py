"""Print the lowest versions that pyproject.toml allows for the package and its tests, as pip constraints."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
requirements = project["dependencies"] + project["optional-dependencies"]["test"]
for requirement in requirements:
    name, version = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement).groups()  # type: ignore[union-attr]
    print(f"{name}=={version}")
