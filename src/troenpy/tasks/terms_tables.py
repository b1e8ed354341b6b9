"""The terms of classes as text of 80 columns, and as HTML."""

import html
from typing import TYPE_CHECKING, Any

from troenpy.display import html_table, printable, text_table
from troenpy.records.wording import counted
from troenpy.tasks.strongest_terms import without_repetition
from troenpy.tasks.training_result import WIDTH, cut, percent, shortened, wrapped

if TYPE_CHECKING:
    from troenpy.tasks.terms_result import ClassTerms, Terms

#: Terms of a class that are printed; of those that it has less often, fewer.
N_SHOWN, N_LESS_SHOWN = 10, 6
#: More classes than this get one line each.
MOST_TABLES = 10
#: And at most so many are shown.
MOST_LINES = 200


def terms_as_text(found: "Terms", n_terms: int) -> str:
    """Return the strongest terms: a table for each class, or of many classes a line."""
    lines = [*_title(found), ""]
    if len(found.classes) > MOST_TABLES:
        return "\n".join([*lines, *_class_lines(found, n_terms)])
    for one in found.classes:
        lines += [*_class_table(found, one, n_terms), ""]
    return "\n".join(lines[:-1])


def terms_as_html(found: "Terms") -> str:
    """Return the strongest terms as tables for a notebook."""
    title = "<br>".join(html.escape(line) for line in _title(found))
    tables = "".join(
        f"<h4>{html.escape(_heading(one))}</h4>{html_table(_header(), _rows(found, one, N_SHOWN))}"
        for one in found.classes[:MOST_LINES]
    )
    return f"<div><p>{title}</p>{tables}</div>"


def _title(found: "Terms") -> list[str]:
    sizes = f"{counted(found.n_documents, 'document')} of {counted(found.n_classes, 'class', 'classes')}"
    tests = f"{counted(found.n_tests, 'pair')} of term and class tested, {found.n_discoveries:,} differ"
    against = "all other documents" if found.reference == "rest" else shortened(found.reference)
    return [
        *wrapped([f"{printable(found.source)}:", f"{sizes},", "each", "compared", "with", against]),
        f"{tests} (false-discovery rate {found.fdr:g})",
    ]


def _heading(one: "ClassTerms") -> str:
    sizes = f"{counted(one.n_documents, 'document')}, {counted(one.n_more, 'term')} more often, {one.n_less:,} less"
    return f"{shortened(str(one.name))}: {sizes}"


def _header() -> list[str]:
    return ["term", "documents", "share", "others'", "log-odds", "weight", "rank"]


def _rows(found: "Terms", one: "ClassTerms", n_terms: int) -> list[list[str]]:
    columns, rows = one.more, list[list[str]]()
    for i in shown_places(found, one.more, n_terms):
        odds, error = columns["log_odds"][i], columns["log_odds_high"][i] - columns["log_odds"][i]
        ranks = sorted({columns["rank_low"][i], columns["rank_high"][i]})
        rows.append(
            [
                printable(columns["term"][i]),
                f"{columns['documents'][i]:,}",
                percent(columns["share"][i]),
                percent(columns["reference_share"][i]),
                f"{odds:.1f} ± {error:.1f}",
                f"{columns['weight'][i]:.3g}",
                "-".join(map(str, ranks)),
            ]
        )
    return rows


def shown_places(found: "Terms", columns: dict[str, list[Any]], n_terms: int) -> list[int]:
    """Return which terms are shown: of n-grams only those that say something new."""
    terms = columns["term"]
    if found.ngrams[1] == 1 or found.view == "pieces":
        return list(range(min(n_terms, len(terms))))
    place = {term: i for i, term in enumerate(terms)}
    return [place[term] for term in without_repetition(terms)][:n_terms]


def _class_table(found: "Terms", one: "ClassTerms", n_terms: int) -> list[str]:
    lines = [_heading(one)]
    rows = _rows(found, one, n_terms)
    if rows:
        lines += _fitting([_header(), *rows])
    else:
        lines.append("  no term is significantly more frequent here")
    less = [one.less["term"][i] for i in shown_places(found, one.less, N_LESS_SHOWN)]
    if less:
        lines += [f"  {line}" for line in wrapped(["less often:", *_with_commas(less)], WIDTH - 2)]
    return lines


def _fitting(rows: list[list[str]]) -> list[str]:
    """Return a table of 80 columns, whose terms are cut if they are long."""
    others = sum(2 + max(map(len, column)) for column in list(zip(*rows, strict=True))[1:])
    return text_table([[cut(row[0], WIDTH - 2 - others), *row[1:]] for row in rows])


def _class_lines(found: "Terms", n_terms: int) -> list[str]:
    """Return a line for each class."""
    shown = found.classes[:MOST_LINES]
    header = ["class", "documents", "terms", "|"]
    rows = [[shortened(str(one.name)), f"{one.n_documents:,}", f"{one.n_more:,}", "|"] for one in shown]
    lines = [line.removesuffix("|") for line in text_table([header, *rows], indent="")]
    strongest = [[one.more["term"][i] for i in shown_places(found, one.more, n_terms)] for one in shown]
    texts = ["strongest terms", *(", ".join(map(printable, terms)) for terms in strongest)]
    joined = [f"{line}{cut(text, WIDTH - len(line))}".rstrip() for line, text in zip(lines, texts, strict=True)]
    more = len(found.classes) - len(shown)
    return [*joined, *([f"and {more:,} more classes"] if more > 0 else [])]


def _with_commas(terms: list[str]) -> list[str]:
    shown = [cut(printable(term), 20) for term in terms]
    return [*(f"{term}," for term in shown[:-1]), shown[-1]]
