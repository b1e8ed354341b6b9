"""Write a summary as a self-contained HTML page, as Markdown and as JSON."""

import json
from pathlib import Path

from troenpy.experiments.tables import caption, markdown_code, markdown_table, markdown_text, to_markdown
from troenpy.files.drafts import FilePath, write_atomically
from troenpy.report.results_page import results_page
from troenpy.report.summary import Summary
from troenpy.report.view import splits_run

PAGE, MARKDOWN, JSON = "report.html", "report.md", "report.json"


def write_report(summary: Summary, folder: FilePath, *, with_page: bool = True) -> list[Path]:
    """Write a summary as JSON, Markdown and an HTML page; each file is replaced atomically.

    Parameters
    ----------
    summary : dict
        From `summarise`.
    folder : path-like
        An existing folder.
    with_page : bool, default=True
        Write the HTML page too, which needs the extra `report`.

    Returns
    -------
    list of Path
        The files written, page first.
    """
    texts = {MARKDOWN: to_report_markdown(summary), JSON: to_json(summary)}
    if with_page:
        texts = {PAGE: to_html(summary)} | texts
    for name, text in texts.items():
        write_atomically(Path(folder) / name, text.encode("utf-8", "replace"))
    return [Path(folder) / name for name in texts]


def to_json(summary: Summary) -> str:
    """Return a summary as JSON text."""
    return json.dumps(summary, indent=1, allow_nan=False) + "\n"


def to_report_markdown(summary: Summary) -> str:
    """Return the claims, errors, corpora and protocol as Markdown."""
    comparison = summary["comparison"]
    claims = [[markdown_text(claim[name]) for name in ("text", "verdict", "evidence")] for claim in summary["claims"]]
    corpora = [
        [markdown_text(name), *(f"{record[key]:,}" for key in ("n_train", "n_test", "n_terms")), splits_run(record)]
        for name, record in summary["corpora"].items()
    ]
    sources = [
        f"- {markdown_text(name)}: {markdown_text(record['source'])}; {markdown_text(record['licence'])}"
        for name, record in summary["corpora"].items()
        if record["source"]
    ]
    made = [f"- {markdown_text(f'{name} {version}')}" for name, version in summary["versions"].items()]
    parts = {
        "What the paper claims": markdown_table(["claim", "verdict", "evidence"], claims, n_text=3),
        "Test error, %": f"{to_markdown(comparison)}\n{markdown_text(caption(comparison))}\n",
        "Corpora": markdown_table(["corpus", "training", "test", "terms", "splits"], corpora),
        "Sources and licences": _lines(sources),
        "Protocol": _lines([f"- {markdown_text(rule)}" for rule in summary["rules"]]),
        "Versions": _lines(made + ([f"- {markdown_code(summary['command'])}"] if summary["command"] else [])),
        "Notes": _lines([f"- {markdown_text(note)}" for note in summary["notes"]]),
    }
    said = [summary["headline"][name] for name in ("sentence", "note", "detail")]
    answer = "".join(f"\n{markdown_text(text)}\n" for text in said if text)
    return f"# troenpy: report\n{answer}" + "".join(f"\n## {title}\n\n{text}" for title, text in parts.items() if text)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def to_html(summary: Summary) -> str:
    """Return a self-contained page, which needs no network; see `results_page` for what it shows."""
    return results_page(summary)
