"""The figures of a summary as files: PNG and SVG, on white."""

import re
from pathlib import Path

from troenpy.experiments.tables import Record
from troenpy.files import archive
from troenpy.files.archive import FilePath
from troenpy.report.charts import CHOICE, Spec, check_extra
from troenpy.report.figures import Figure, documents, figures
from troenpy.report.summary import Summary

_WIDTH = 640


def write_figures(summary: Summary, folder: FilePath) -> list[Path]:
    """Write each figure as PNG and SVG, on white.

    Parameters
    ----------
    summary : dict
    folder : path-like
        It is made if it is not there.

    Returns
    -------
    list of Path
    """
    check_extra()
    import vl_convert

    Path(folder).mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures(summary):
        for name, spec in _whole_figures(summary, figure).items():
            contents = {
                "svg": vl_convert.vegalite_to_svg(spec).encode(),
                "png": vl_convert.vegalite_to_png(spec, scale=2),
            }
            for ending, content in contents.items():
                path = Path(folder) / f"{name}.{ending}"
                archive.write_whole(path, content)
                written.append(path)
    return written


def _whole_figures(summary: Summary, figure: Figure) -> dict[str, Spec]:
    """Return a figure by the name of its file, of a fixed width; where a page lets choose a corpus, one for each."""
    import altair

    schema: Spec = {"$schema": altair.SCHEMA_URL}
    panels = list(figure.panels.values())
    config = panels[0]["config"] | {"background": "white"}
    if len(panels) > 1:
        parts = _maps(summary["projection"], figure)
        return {figure.name: schema | {"hconcat": parts, "config": config, "title": figure.title}}
    whole: Spec = schema | panels[0] | {"width": _WIDTH, "config": config, "title": figure.title}
    choices = [param for param in whole.get("params", []) if param["name"] == CHOICE]
    if not choices:
        return {figure.name: whole}
    others = [param for param in whole["params"] if param["name"] != CHOICE]
    return {
        f"{figure.name}-{number}-{_file_name(corpus)}": whole
        | {"params": [*others, {"name": CHOICE, "value": corpus}], "title": f"{figure.title}: {corpus}"}
        for number, corpus in enumerate(choices[0]["bind"]["options"], start=1)
    }


def _file_name(text: str) -> str:
    """Return text as a part of a file's name.

    Examples
    --------
    >>> _file_name("r8, sample of 50/..")
    'r8-sample-of-50'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:60]


def _maps(projection: Record, figure: Figure) -> list[Spec]:
    """Return the maps with their documents, and with the legend that a page has beside them."""
    parts = []
    for (name, panel), view in zip(figure.panels.items(), projection["views"], strict=True):
        left_out = ("config", "autosize", "params", "transform")
        part = {key: value for key, value in panel.items() if key not in left_out}
        part |= {"width": _WIDTH // 2, "title": name, "data": {"values": documents(projection, view)}}
        parts.append(part | {"encoding": _with_legend(part["encoding"], projection["classes"])})
    return parts


def _with_legend(encoding: Spec, classes: list[str]) -> Spec:
    """Name the classes in the legend in place of their numbers."""
    named = {}
    for channel in ("color", "shape"):
        part = {key: value for key, value in encoding[channel].items() if key != "legend"}
        part |= {"field": "class", "title": None, "scale": encoding[channel]["scale"] | {"domain": classes}}
        named[channel] = part
    return encoding | named
