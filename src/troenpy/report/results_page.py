"""The page of results: the answer first, then the claims that were tested, charts, the table, terms, the protocol."""

from typing import Any

from troenpy.report.claim_parts import commands, open_claims, tested_claims, what_is_open
from troenpy.report.claims import ALL_CORPORA, SEVEN
from troenpy.report.dot_charts import N_RANKED, all_chart, key_chart, rank_chart
from troenpy.report.error_table import error_table
from troenpy.report.map_part import map_part, map_said, map_title
from troenpy.report.names import corpus_name
from troenpy.report.parts import (
    Cell,
    Column,
    Panels,
    Table,
    TableRow,
    TermExplorer,
    render_page,
)
from troenpy.report.plane_charts import cost_chart, sweep_chart
from troenpy.report.summary import Summary
from troenpy.report.view import View, splits_run


def results_page(summary: Summary) -> str:
    """Return the page of a summary as HTML."""
    view = View(summary)
    friedman, terms, projection = (
        summary["comparison"]["friedman"], summary["terms"], summary["projection"],
    )  # fmt: skip
    ranks, curves = rank_chart(view), _curves(view)
    document_map = None if projection is None else map_part(projection)
    return render_page(
        "results.html",
        title=f"troenpy: {', '.join(map(corpus_name, view.main))[:80]}",
        summary=summary,
        headline=summary["headline"],
        kicker=_kicker(view),
        choices=view.choices(),
        key_chart=key_chart(view),
        all_chart=all_chart(view),
        cost_chart=cost_chart(view),
        rank_chart=ranks,
        friedman=friedman,
        n_ranked=N_RANKED,
        n_methods=len(view.names),
        curves=curves,
        map=document_map,
        map_title="" if projection is None else map_title(projection),
        map_said="" if projection is None else map_said(projection),
        table=error_table(view),
        explorer=None if terms is None else TermExplorer(terms),
        terms_of="" if terms is None else corpus_name(terms["corpus"]),
        terms_said="" if terms is None else _terms_said(terms),
        corpora=_corpora(summary),
        next_commands=_next(view),
        sections=_sections(view, ranks is not None, curves, document_map is not None),
        **_claims(summary, view),
    )


def _kicker(view: View) -> str:
    where = corpus_name(view.main[0]) if len(view.main) == 1 else f"{len(view.main)} corpora"
    n_test = sum(view.summary["corpora"][corpus]["n_test"] for corpus in view.main)
    n_methods = len(view.names)
    methods = "1 method" if n_methods == 1 else f"{n_methods} methods"
    return f"troenpy results · {where} · {n_test:,} test documents · {methods}"


def _next(view: View) -> list[tuple[str, str]]:
    """Return what to type next: our classifier on one's own file, and the run that says more."""
    has_seven = set(SEVEN) <= set(view.summary["corpora"])
    more = (
        ("Every weight, and 50 random splits:", f"{ALL_CORPORA} --full")
        if has_seven
        else ("All seven corpora of the paper:", ALL_CORPORA)
    )
    return [("Your own file of texts and labels:", "troenpy train your.csv -o your.model"), more]


def _claims(summary: Summary, view: View) -> dict[str, Any]:
    tested, left = tested_claims(summary), open_claims(summary)
    by_command = commands(left)
    n_held = sum(claim.mark == "held" for claim in tested)
    is_ours = not tested and not set(SEVEN) & {record["corpus"] for record in summary["corpora"].values()}
    title = (
        f"The paper's claims: {n_held} of {len(tested)} tested here held"
        if tested
        else "The paper's claims are about other corpora" if is_ours else "The paper's claims"
    )  # fmt: skip
    return {
        "tested": tested,
        "open_by_command": by_command,
        "what_is_open": what_is_open(left),
        "claims_title": title,
    }


def _curves(view: View) -> list[tuple[str, str, Panels]]:
    sweeps = view.summary["sweeps"]
    training = sweep_chart(view, sweeps["training"], "n_train", "training documents", x_log=True)
    neighbours = sweep_chart(view, sweeps["k"], "k", "neighbours (k)", x_log=False)
    found = [
        ("training-size", "How many training documents it takes", training),
        ("neighbours", "How many neighbours vote", neighbours),
    ]
    return [(anchor, title, chart) for anchor, title, chart in found if chart is not None]


def _sections(
    view: View, has_ranks: bool, curves: list[tuple[str, str, Panels]], has_map: bool
) -> list[tuple[str, str]]:
    every = {
        "claims": ("The paper's claims", True),
        "methods": ("All methods", set(view.key) != set(view.names)),
        "cost": ("Cost", cost_chart(view) is not None),
        "ranks": ("Ranks", has_ranks),
        **{anchor: (title, True) for anchor, title, _ in curves},
        "map": ("Map of documents", has_map),
        "errors": ("Table", True),
        "terms": ("Terms", view.summary["terms"] is not None),
        "made": ("How this was measured", True),
    }
    shown = [(anchor, name) for anchor, (name, is_shown) in every.items() if is_shown]
    if not tested_claims(view.summary):  # then they stand near the end
        shown.insert(-1, shown.pop(0))
    return shown


def _terms_said(terms: dict[str, Any]) -> str:
    n_shown, n_terms = len(terms["terms"]), terms["n_terms"]
    which = f"all {n_terms:,} terms" if n_shown == n_terms else f"{n_shown:,} of {n_terms:,} terms, the most frequent"
    return f"From the {terms['n_documents']:,} training documents of {terms['part']}: {which}."


def _corpora(summary: Summary) -> Table:
    columns = [
        Column("corpus", "text"), Column("training", digits=0), Column("test", digits=0), Column("terms", digits=0),
        *(Column(name, "text") for name in ("splits", "source", "licence", "edition", "checksum")),
    ]  # fmt: skip
    rows = [
        TableRow(
            [
                Cell(corpus_name(name)),
                *(Cell(record[key]) for key in ("n_train", "n_test", "n_terms")),
                Cell(splits_run(record)),
                Cell(record["source"] or "your own"),
                *(Cell(record[key] or "") for key in ("licence", "notes", "fingerprint")),
            ]
        )
        for name, record in summary["corpora"].items()
    ]
    return Table("corpora", "Corpora", columns, rows, has_tools=False)
