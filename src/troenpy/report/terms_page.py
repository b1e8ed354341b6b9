"""The page of `terms`: which terms mark each class, all of them to search, and any two classes against each other."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from troenpy.experiments.tables import p_value
from troenpy.records.wording import counted
from troenpy.report.parts import Cell, ClassPlane, Column, Dot, DotChart, Table, TableRow, TermSearch, render_page
from troenpy.report.term_rows import MOST_CHARACTERS, shown, term_rows
from troenpy.report.terms_wording import Found, against, commands, cut_said, detail, rules, said, sentence, shown_text

#: No page is larger.
MOST_BYTES = 3_000_000
#: Classes with their own chart, and classes on the page.
MOST_CHARTS, MOST_CLASSES = 9, 400
#: Terms of a chart, by the number of charts; more charts have fewer terms, so that they fit on a screen.
N_TERMS = ((2, 9), (4, 7), (6, 5), (9, 4))
N_LESS, N_LISTED = 5, 6


class ClassCard(NamedTuple):
    """The first screen of a class: its strongest terms as dots, and terms that it has less often."""

    name: str
    address: str
    about: str
    chart: DotChart | None
    less: list[tuple[str, str]]


def terms_page(found: Found, top: Mapping[Any, Sequence[str]] | None = None) -> str:
    """Return a self-contained page, which needs no network.

    Parameters
    ----------
    found : mapping
        From `Terms.to_dict`.
    top : mapping, optional
        The strongest terms of each class that are shown first; those of the class in their order, if it is not given.

    Returns
    -------
    str
        At most 3 MB as UTF-8: the first terms of each class and direction, as many as fit.
    """
    n_classes, n_characters = MOST_CLASSES, MOST_CHARACTERS
    while True:
        page = _page(found, top or {}, n_classes, n_characters)
        if len(page.encode("utf-8", "replace")) <= MOST_BYTES or n_classes <= 1:
            return page
        n_classes, n_characters = max(n_classes // 2, 1), n_characters // 2


def _page(found: Found, top: Mapping[Any, Sequence[str]], n_classes: int, n_characters: int) -> str:
    data = term_rows(found, n_classes, n_characters)
    cards = _cards(found, top)
    classes = _class_table(found["classes"][:n_classes], top) if len(found["classes"]) > len(cards) else None
    source = said(PurePath(found["source"]).name)
    return render_page(
        "terms.html",
        title=f"troenpy terms: {source}",
        kicker=f"troenpy terms · {source}",
        sentence=sentence(found),
        detail=detail(found),
        cards=cards,
        n_left_out=len(found["classes"]) - len(cards),
        next_commands=commands(found["source"]),
        search=TermSearch(data, scheme=found["scheme"], against=against(found), is_rest=found["reference"] == "rest"),
        plane=ClassPlane(data["classes"]) if len(data["classes"]) > 1 else None,
        classes=classes,
        cut=cut_said(found, data),
        rules=rules(found),
        warnings=[shown_text(line) for line in found["warnings"]],
        notices=[shown_text(line) for line in found["notices"]],
    )


def _cards(found: Found, top: Mapping[Any, Sequence[str]]) -> list[ClassCard]:
    classes = found["classes"][:MOST_CHARTS]
    n_terms = next((n for most, n in N_TERMS if len(classes) <= most), 3)
    chosen = [_strongest(one, top, n_terms) for one in classes]
    ends = [(row["log_odds_low"], row["log_odds_high"]) for rows in chosen for row in rows]
    lowest = min([0.0, *(low for low, _ in ends)])
    highest = max([0.0, *(high for _, high in ends)])
    return [
        ClassCard(
            shown(one["name"]),
            _class_address(one),
            f"{counted(one['documents'], 'document')} · {counted(one['n_more'], 'term')} more, {one['n_less']:,} less",
            _chart(one, rows, lowest, highest) if rows else None,
            [(shown(row["term"]), _address(row["term"])) for row in _direction(one, "less")[:N_LESS]],
        )
        for one, rows in zip(classes, chosen, strict=True)
    ]


def _chart(one: Found, rows: Sequence[Found], lowest: float, highest: float) -> DotChart:
    dots = [
        Dot(
            shown(row["term"]),
            row["log_odds"],
            row["log_odds_low"],
            row["log_odds_high"],
            address=_address(row["term"]),
            about=_about(row),
        )
        for row in rows
    ]
    label = f"Strongest terms of {shown(one['name'])}"
    return DotChart(label, dots, axis="log-odds", first="term", lowest=lowest, highest=highest)


def _about(row: Found) -> str:
    """Return what hovering says of a term, besides its log-odds."""
    shares = f"in {100 * row['share']:.1f} % of its documents, {100 * row['reference_share']:.1f} % of the others"
    q = p_value(row["q"])
    ranks = "-".join(f"{rank:,}" for rank in sorted({row["rank_low"], row["rank_high"]}))
    return f"{shares}\nq {q if q.startswith('<') else f'= {q}'}, rank {ranks}"


def _strongest(one: Found, top: Mapping[Any, Sequence[str]], n_terms: int) -> list[Found]:
    rows = {row["term"]: row for row in _direction(one, "more")}
    return [rows[term] for term in top.get(one["name"], rows) if term in rows][:n_terms]


def _direction(one: Found, direction: str) -> list[Found]:
    return [row for row in one["terms"] if row["direction"] == direction]


def _address(term: str) -> str:
    return f"#term={quote(shown(term), safe='')}"


def _class_address(one: Found) -> str:
    return f"#class={quote(shown(one['name']), safe='')}"


def _class_table(classes: Sequence[Found], top: Mapping[Any, Sequence[str]]) -> Table:
    columns = [
        Column("class", "text"),
        Column("documents", digits=0, has_bars=True),
        Column("terms more often", digits=0, has_bars=True),
        Column("less often", digits=0),
        Column("strongest terms", "text"),
    ]
    rows = [
        TableRow(
            [
                Cell(shown(one["name"])),
                *(Cell(one[name]) for name in ("documents", "n_more", "n_less")),
                Cell(", ".join(shown(row["term"]) for row in _strongest(one, top, N_LISTED))),
            ],
            address=_class_address(one),
        )
        for one in classes
    ]
    return Table("classes-table", "Classes and their strongest terms", columns, rows)
