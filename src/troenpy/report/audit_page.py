"""The page of `audit`: how many labels are wrong, which rows to review and why, copies and classes that disagree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from troenpy.display import printable
from troenpy.report.parts import Cell, Column, Doubt, DoubtList, NearText, Table, TableRow, render_page

Found = Mapping[str, Any]

#: The rows of the page take at most so many bytes, which keeps it under 3 MB; each has so many besides its texts.
MOST_BYTES, BYTES_OF_A_ROW, BYTES_OF_A_PIECE = 2_600_000, 1_200, 13
#: Longer texts, names and terms are cut.
MOST_TEXT, MOST_NAME, MOST_TERM = 2_000, 80, 40
MOST_PAIRS, MOST_COPIES, MOST_LABELS = 100, 200, 6
#: Pairs of classes in the answer.
N_PAIRS = 4
N_CLASSES = 20


def audit_page(found: Found) -> str:
    """Return the page of an audit, given as plain data, as HTML."""
    view = _View(found)
    shown = {"copies": bool(found["contradictions"]), "pairs": bool(found["pairs"])}
    names = {
        "rows": "Doubtful rows",
        "copies": "Copies that disagree",
        "pairs": "Confused classes",
        "made": "How this was found",
    }
    return render_page(
        "audit.html",
        title=f"troenpy audit: {view.source}"[:100],
        found=found,
        view=view,
        sections=[(anchor, name) for anchor, name in names.items() if shown.get(anchor, True)],
    )


class _View:
    """What the page says."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self.source = printable(str(found["source"]))
        self.doubts = DoubtList("doubtful", "Doubtful rows, the least probable labels first", _doubts(found))

    @property
    def kicker(self) -> str:
        found = self._found
        return f"troenpy audit · {self.source} · {found['n_documents']:,} documents · {len(found['classes']):,} classes"

    @property
    def sentence(self) -> str:
        """The share of wrong labels, and what to review."""
        share, n = self._found["wrong_share"], len(self._found["suspects"])
        if not n:
            return "No label is doubtful: of each text, the given label is the most probable one"
        low, high = f"{100 * share['low']:.1f}", f"{100 * share['high']:.1f}"
        rows = "1 row" if n == 1 else f"{n:,} rows"
        return (
            f"About {100 * share['share']:.1f} % of the labels are wrong (95 % interval {low} to {high} %): review"
            f" {rows}, {self._found['n_likely']:,} of them likely to be wrong"
        )

    @property
    def details(self) -> list[str]:
        """How the estimate is to be read."""
        found = self._found
        lines = [
            f"Models that have not seen the text would label {100 * found['error']:.1f} % of the rows otherwise. The"
            " estimated share is too high where classes are hard to tell apart: look at rows before you believe it."
        ]
        return lines if found["suspects"] else []

    @property
    def confused(self) -> list[tuple[str, str, int, str]]:
        """What is doubted most: given label, suggestion, rows, and the numbers of both for the filters."""
        seen = Counter((_name(one["label"]), _name(one["suggested"])) for one in self._found["suspects"])
        on_page = {(one.label, one.suggested) for one in self.doubts.doubts}
        codes = self.doubts.codes
        return [
            (*pair, n, f"{codes[pair[0]]} {codes[pair[1]]}")
            for pair, n in seen.most_common(N_PAIRS)
            if n > 1 and pair in on_page
        ]

    @property
    def commands(self) -> list[tuple[str, str]]:
        """What to type next, with what it is for."""
        return [(one["about"], one["command"]) for one in self._found["commands"]]

    @property
    def cut(self) -> str:
        """Say which rows are left out."""
        n_shown, n = len(self.doubts.doubts), len(self._found["suspects"])
        if n_shown == n:
            return ""
        return (
            f"These are the first {n_shown:,} of {n:,} rows, those with the least probable labels: more do not fit into"
            " a page of 3 MB. The CSV has all of them."
        )

    def copies(self) -> Table:
        """Return the texts that occur with different labels."""
        columns = [Column("text", "text"), Column("labels", "text"), Column("rows", "text")]
        rows = []
        for one in self._found["contradictions"][:MOST_COPIES]:
            labels = Counter(map(_name, one["labels"])).most_common(MOST_LABELS)
            numbers = ", ".join(f"{row:,}" for row in one["rows"][:12]) + (" …" if len(one["rows"]) > 12 else "")
            counts = ", ".join(f"{name} {n:,}" for name, n in labels)
            rows.append(TableRow([Cell(_cut(_line(one["text"]), 160)), Cell(counts), Cell(numbers)]))
        return Table("copies-table", "Texts with different labels", columns, rows)

    @property
    def copies_said(self) -> str:
        found = self._found["contradictions"]
        n_rows = sum(len(one["rows"]) for one in found)
        texts = "1 text occurs" if len(found) == 1 else f"{len(found):,} texts occur"
        more = f" The first {MOST_COPIES} are shown." if len(found) > MOST_COPIES else ""
        return f"{texts} with different labels, in {n_rows:,} rows: at least one label of each is wrong.{more}"

    def pairs(self) -> Table:
        """Return the pairs of classes that are confused."""
        columns = [
            Column("first class", "text"),
            Column("second class", "text"),
            Column("first as second", digits=0, about="documents of the first predicted as the second", has_bars=True),
            Column("second as first", digits=0, about="documents of the second predicted as the first", has_bars=True),
            Column("of first", digits=0, about="documents of the first class"),
            Column("of second", digits=0, about="documents of the second class"),
            Column("confused, %", digits=1, about="of twice the smaller class"),
            Column("what to do", "text"),
        ]
        rows = [
            TableRow(
                [
                    Cell(_name(one["first"])),
                    Cell(_name(one["second"])),
                    *(Cell(one[key]) for key in ("first_as_second", "second_as_first", "n_first", "n_second")),
                    Cell(100 * one["share"]),
                    Cell(one["advice"]),
                ]
            )
            for one in self._found["pairs"][:MOST_PAIRS]
        ]
        return Table("pairs-table", "Confused classes", columns, rows)

    @property
    def pairs_said(self) -> str:
        n = len(self._found["pairs"])
        which = f"The first {MOST_PAIRS} of {n:,} pairs" if n > MOST_PAIRS else "Pairs"
        return f"{which} of classes that are taken for each other, the largest share of both first."

    def measured(self) -> list[str]:
        """Say how the doubts were found."""
        found = self._found
        rules = [
            f"Probabilities: {printable(found['tested'])}. Each text is judged by a model that has learnt from other"
            " texts only; copies of a text are judged together.",
            "A row is doubtful if another class is more probable than its label, or if copies of the text outvote it."
            " It is likely to be wrong if confident learning (Northcutt et al. 2021) counts it as wrong: if the other"
            " class is as probable as it usually is for texts of that class.",
            "The estimated share of wrong labels is that of confident learning; its interval is of a bootstrap over"
            " texts, and says nothing about how good the models are.",
            "Terms against a label speak for the suggested class instead, in units of log odds; they are marked in the"
            " text. Below are the nearest texts by TF-IDF, in which labels have no part, with row and similarity (at"
            " most 1).",
            f"Texts are cut after {MOST_TEXT:,} characters, names of classes after {MOST_NAME}.",
        ]
        small = found["not_judged"]
        if small:
            names = ", ".join(f"{_name(name)} ({n:,})" for name, n in [*small.items()][:N_CLASSES])
            more = f" and {len(small) - N_CLASSES:,} more" if len(small) > N_CLASSES else ""
            rules.append(f"Not judged, with too few different texts: {names}{more}.")
        return [*rules, *map(printable, found["notices"])]


def _doubts(found: Found) -> list[Doubt]:
    """Return the rows that fit, the most doubtful first."""
    doubts: list[Doubt] = []
    left = MOST_BYTES
    for one in found["suspects"]:
        doubt = _doubt(one)
        left -= _n_bytes(doubt)
        if left < 0:
            break
        doubts.append(doubt)
    return doubts


def _doubt(one: Found) -> Doubt:
    return Doubt(
        row=one["row"],
        label=_name(one["label"]),
        suggested=_name(one["suggested"]),
        p_label=one["p_label"],
        p_suggested=one["p_suggested"],
        text=_cut(one["text"].strip(), MOST_TEXT),
        is_likely=one["is_likely"],
        against=[(_cut(_line(term), MOST_TERM), value) for term, value in one["against"]],
        nearest=[
            NearText(near["row"], _listed(near["labels"]), near["similarity"], _line(near["text"]))
            for near in one["nearest"]
        ],
        copies=_listed([f"{_name(name)} {n:,}" for name, n in one["copies"].items()]),
    )


def _n_bytes(doubt: Doubt) -> int:
    """Return about how many bytes a row takes: escaped text is longer, and so is a marked one."""
    near = [text for one in doubt.nearest for text in (one.labels, one.text)]
    texts = [doubt.text, doubt.copies, *(2 * [doubt.label]), doubt.suggested, *near, *(t for t, _ in doubt.against)]
    n_pieces = len(doubt.begins) + len(doubt.rest)
    n_bytes = sum(len(escape(text).encode("utf-8", "replace")) for text in texts)
    return BYTES_OF_A_ROW + BYTES_OF_A_PIECE * n_pieces + n_bytes


def _listed(names: Sequence[Any]) -> str:
    more = f" and {len(names) - MOST_LABELS:,} more" if len(names) > MOST_LABELS else ""
    return ", ".join(map(_name, names[:MOST_LABELS])) + more


def _name(value: Any) -> str:
    return _cut(_line(str(value)), MOST_NAME) or "(empty)"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
