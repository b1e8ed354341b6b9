"""Write a summary as a self-contained HTML page, as Markdown and as JSON."""

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from troenpy.experiments.tables import caption, markdown_code, markdown_table, markdown_text, p_value, to_markdown
from troenpy.files.drafts import FilePath, write_atomically
from troenpy.report.charts import SHAPES, check_extra, class_mark
from troenpy.report.claims import HELD, NOT_HELD
from troenpy.report.figures import figures
from troenpy.report.maps import MAPS
from troenpy.report.summary import Summary

PAGE, MARKDOWN, JSON = "report.html", "report.md", "report.json"
_GLYPHS = dict(zip(SHAPES, "●■◆▲✚▼▶◀▴↑", strict=True))  # characters for the shapes in a legend
_MANY_CLASSES = 30


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
        [markdown_text(name), *(f"{record[key]:,}" for key in ("n_train", "n_test", "n_terms")), _seeds(record)]
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
    return "# troenpy: report\n" + "".join(f"\n## {title}\n\n{text}" for title, text in parts.items() if text)


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _seeds(record: dict[str, Any]) -> str:
    """Describe which splits were run.

    Examples
    --------
    >>> _seeds({"seeds": [0, 1, 2]}), _seeds({"seeds": [None]}), _seeds({"seeds": [4, 7]})
    ('3 random, seeds 0 to 2', 'given', '2 random, seeds 4, 7')
    """
    seeds = sorted(seed for seed in record["seeds"] if seed is not None)
    if not seeds:
        return "given"
    is_range = len(seeds) > 1 and seeds == list(range(seeds[0], seeds[-1] + 1))
    shown = f"{seeds[0]} to {seeds[-1]}" if is_range else ", ".join(map(str, seeds))
    return f"{len(seeds)} random, seeds {shown}" if len(seeds) > 1 else f"1 random, seed {shown}"


def to_html(summary: Summary) -> str:
    """Return a self-contained page, which needs no network.

    Its content security policy allows only two scripts by checksum, Vega's and our own, so text from a corpus can never
    run. Vega's expressions are interpreted, not compiled.
    """
    check_extra()
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"seeds": _seeds, "p_value": p_value, "percent": _percent}
    scripts = [_safe_script(_vega()), _safe_script(_template("report.js"))]
    projection, terms = summary["projection"], summary["terms"]
    return environment.get_template("report.html").render(
        summary=summary,
        comparison=summary["comparison"],
        caption=caption(summary["comparison"]),
        headline=_headline(summary),
        table=_error_table(summary),
        figures=figures(summary),
        style=_template("report.css"),
        scripts=scripts,
        policy=_policy(scripts),
        projection=projection,
        legend=[] if projection is None else _legend(projection),
        terms=terms,
        n_top=0 if terms is None else 10 if len(terms["classes"]) > _MANY_CLASSES else 20,
        maps=MAPS,
        verdicts={HELD: "held", NOT_HELD: "not-held"},
        in_class=_in_class,
    )


def _template(name: str) -> str:
    return resources.files("troenpy.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _vega() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, in the version that Altair targets."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return str(vl_convert.javascript_bundle(vl_version=version))  # type: ignore[call-arg]


def _safe_script(text: str) -> str:
    """Escape sequences that would end the script element; the script means the same."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--").replace("\r\n", "\n").replace("\r", "\n")


def _policy(scripts: Iterable[str]) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _percent(share: float | None, digits: int = 2) -> str:
    return "" if share is None else f"{100 * share:.{digits}f}"


def _headline(summary: Summary) -> list[tuple[str, str]]:
    """Return the key figures for the top of the page."""
    comparison = summary["comparison"]
    verdicts = [claim["verdict"] for claim in summary["claims"]]
    whole = {name: record for name, record in summary["corpora"].items() if record["train_fraction"] == 1}
    best = [
        min((r for r in comparison["errors"] if r["corpus"] == corpus), key=lambda r: float(r["error"]))["method"]
        for corpus in whole
    ]
    shown = [
        (str(len(comparison["methods"])), "methods" if len(comparison["methods"]) > 1 else "method"),
        (str(len(whole)), "corpora" if len(whole) != 1 else "corpus"),
        (f"{verdicts.count(HELD)} of {len(verdicts)}", "claims of the paper held"),
        (f"{verdicts.count(NOT_HELD)} of {len(verdicts)}", "did not"),
    ]
    if best:
        first = max(dict.fromkeys(best), key=best.count)
        shown.append((first, f"has the lowest error on {best.count(first)} of {len(best)}"))
    return shown


def _error_table(summary: Summary) -> list[dict[str, Any]]:
    """Return one row per method, with its records by corpus."""
    comparison = summary["comparison"]
    records = {(record["corpus"], record["method"]): record for record in comparison["errors"]}
    least = {
        corpus: min(record["error"] for record in comparison["errors"] if record["corpus"] == corpus)
        for corpus in comparison["corpora"]
    }
    return [
        method
        | {
            "errors": [
                None
                if (record := records.get((corpus, method["name"]))) is None
                else record | {"is_least": record["error"] <= least[corpus]}
                for corpus in comparison["corpora"]
            ]
        }
        for method in comparison["methods"]
    ]


def _legend(projection: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of the legend: class, number of documents, colour and shape."""
    entries = []
    for code, name in enumerate(projection["classes"]):
        colour, shape = class_mark(code)
        n_documents = projection["codes"].count(code)
        entries.append(
            {"code": code, "name": name, "n_documents": n_documents, "colour": colour, "glyph": _GLYPHS[shape]}
        )
    return entries


def _in_class(by_class: list[int], code: int) -> int:
    """Return n_iw of a class, from the flat list [class, n_iw, class, n_iw, ...] of a term."""
    return dict(zip(by_class[::2], by_class[1::2], strict=True)).get(code, 0)
