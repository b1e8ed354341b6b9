"""Draw the figures of a summary, the paper's and our own, and write them to files."""

import re
from pathlib import Path

from troenpy.files.drafts import FilePath, write_atomically
from troenpy.report.charts import CHOICE, Figure, Spec, check_extra
from troenpy.report.error_figures import (
    FIGURE_1,
    FIGURE_2,
    costs,
    figure_1,
    figure_2,
    neighbours,
    ranks,
    reductions,
    shown_methods,
    training_sizes,
)
from troenpy.report.maps import figure_3, side_by_side
from troenpy.report.summary import Summary

__all__ = ["FIGURE_1", "FIGURE_2", "Figure", "figures", "shown_methods", "write_figures"]

_WIDTH = 640


def figures(summary: Summary) -> list[Figure]:
    """Return the figures that a summary has data for.

    Parameters
    ----------
    summary : dict
        From `summarise`.

    Returns
    -------
    list of Figure
    """
    makers = (figure_1, figure_2, figure_3, reductions, ranks, costs, neighbours, training_sizes)
    return [figure for maker in makers if (figure := maker(summary)) is not None]


def write_figures(summary: Summary, folder: FilePath) -> list[Path]:
    """Write each figure as PNG and SVG, on a white background.

    Parameters
    ----------
    summary : dict
    folder : path-like
        Created if necessary.

    Returns
    -------
    list of Path
    """
    check_extra()
    import vl_convert

    Path(folder).mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures(summary):
        for name, spec in _figure_files(summary, figure).items():
            contents = {
                "svg": vl_convert.vegalite_to_svg(spec).encode(),
                "png": vl_convert.vegalite_to_png(spec, scale=2),
            }
            for ending, content in contents.items():
                path = Path(folder) / f"{name}.{ending}"
                write_atomically(path, content)
                written.append(path)
    return written


def _figure_files(summary: Summary, figure: Figure) -> dict[str, Spec]:
    """Return fixed-width figures by file name; where the page has a menu of corpora, one for each."""
    import altair

    schema: Spec = {"$schema": altair.SCHEMA_URL}
    panels = list(figure.panels.values())
    config = panels[0]["config"] | {"background": "white"}
    if len(panels) > 1:
        parts = side_by_side(summary["projection"], figure, _WIDTH)
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
    """Turn text into part of a file name.

    Examples
    --------
    >>> _file_name("r8, sample of 50/..")
    'r8-sample-of-50'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:60]
