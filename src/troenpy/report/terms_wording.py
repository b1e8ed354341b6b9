"""The sentences of the page of `terms`: the answer, how it was computed, what is left out, what to type next."""

import shlex
from collections.abc import Mapping
from typing import Any

from troenpy.display.plain import visible
from troenpy.records.wording import counted
from troenpy.report.term_rows import shown

LONGEST_SAID = 40

Found = Mapping[str, Any]


def said(name: Any) -> str:
    """Return a name for a sentence: short, and in its own direction of writing.

    Examples
    --------
    >>> said("acq") == "\u2068acq\u2069"
    True
    """
    text = " ".join(shown(name).split())
    text = text if len(text) <= LONGEST_SAID else f"{text[: LONGEST_SAID - 1]}…"
    return f"\u2068{visible(text)}\u2069"  # again: the cut may have left an isolate open


def shown_text(line: str) -> str:
    """Return a line for a page, without lone surrogates."""
    return line.encode("utf-8", "backslashreplace").decode("utf-8")


def sentence(found: Found) -> str:
    """Return the answer: how many terms mark which classes.

    Examples
    --------
    >>> classes = [{"name": "ham", "n_more": 2}, {"name": "spam", "n_more": 1}]
    >>> print(sentence({"classes": classes, "n_documents": 30, "n_classes": 2}).translate({0x2068: "", 0x2069: ""}))
    In 30 documents, 2 terms mark ham and 1 marks spam.
    """
    classes = sorted(found["classes"], key=lambda one: -one["n_more"])
    documents = counted(found["n_documents"], "document")
    most, least = classes[0], classes[-1]
    if not most["n_more"]:
        return f"In {documents} of {counted(found['n_classes'], 'class', 'classes')}, no term marks a class."
    if len(classes) <= 2:
        parts = [
            f"{counted(one['n_more'], 'term') if place == 0 else format(one['n_more'], ',')} "
            f"{'marks' if one['n_more'] == 1 else 'mark'} {said(one['name'])}"
            for place, one in enumerate(classes)
        ]
        return f"In {documents}, {' and '.join(parts)}."
    n_none = sum(not one["n_more"] for one in classes)
    first = f"In {documents} of {found['n_classes']:,} classes, "
    each = "each" if len(classes) == found["n_classes"] else f"each of these {len(classes):,}"
    if n_none:
        rest = f"no term marks {said(least['name'])}" if n_none == 1 else f"{n_none:,} classes have none"
        return f"{first}up to {counted(most['n_more'], 'term')} mark a class ({said(most['name'])}); {rest}."
    return (
        f"{first}{each} is marked by {least['n_more']:,} ({said(least['name'])}) to "
        f"{counted(most['n_more'], 'term')} ({said(most['name'])})."
    )


def detail(found: Found) -> str:
    """Say what it means that a term marks a class, and how many tests that took."""
    return (
        f"A term marks a class if significantly more of its documents have it than of {against(found)}: "
        f"{counted(found['n_tests'], 'pair')} of term and class were tested, and {found['n_discoveries']:,} differ "
        f"(false-discovery rate {found['fdr']:g}). Dots are log-odds, lines their 95 % intervals: 0 is equal odds, "
        "2.3 is ten times the odds."
    )


def against(found: Found) -> str:
    """Say what classes are compared with."""
    return "all other documents" if found["reference"] == "rest" else said(found["reference"])


def commands(source: str) -> list[tuple[str, str]]:
    """Return what to type next."""
    is_file = source not in ("texts", "standard input", "the stream")
    file = shlex.quote(shown_text(f"./{source}" if source.startswith("-") else source)) if is_file else "your.csv"
    return [
        ("All terms as a table:", f"troenpy terms {file} -o terms.csv"),
        ("Labels that are probably wrong:", f"troenpy audit {file} -o doubtful.csv"),
        ("A classifier:", f"troenpy train {file} -o your.model"),
    ]


def cut_said(found: Found, data: Mapping[str, Any]) -> str:
    """Say which terms, examples and classes are on the page."""
    cut, n_classes = data["cut"], len(found["classes"])
    lines = []
    if data["n_described"] < n_classes:
        lines.append(f"Of {n_classes:,} classes, the {data['n_described']:,} largest are on this page.")
    longest = max([max(one["n_more"], one["n_less"]) for one in found["classes"]], default=0)
    n_terms = min(cut["n_terms"], cut["n_most"])
    if n_terms < longest:
        lines.append(
            f"Of each class, the page has the strongest {counted(n_terms, 'term')} that it has more often, and as many "
            "that it has less often; -o terms.csv with --limit all has all of them."
        )
    if cut["n_examples"] < n_terms:
        lines.append(f"To stay below 3 MB, only the first {cut['n_examples']:,} have an example.")
    return " ".join(lines)


def rules(found: Found) -> list[str]:
    """Say how the numbers were computed, a sentence or two each."""
    least, most = found["ngrams"]
    words = f"{least} to {most} in a row" if most > least else "one by one" if most == 1 else f"{most} in a row"
    return [
        f"Terms: {shown(found['view'])}, {words}; {found['n_tested']:,} were tested, each in every class. Documents "
        "are counted, not words: a term counts once in a document.",
        f"Each class is compared with {against(found)}. p is Fisher's exact test; q is the false-discovery rate over "
        f"all pairs of term and class (Benjamini and Hochberg). Terms with q up to {found['fdr']:g} are shown.",
        f"Log-odds: how much larger the odds of the term are in the class, as a natural logarithm, with "
        f"{found['prior']:g} pseudo-documents or more as a prior (Monroe, Colaresi and Quinn 2008).",
        "Order: by strength, the share of the documents of the class that have the term, times the lower end of the "
        "interval of the logarithm of that share over the others', times how rare the term is.",
        f"Ranks and weights have 95 % intervals from a jackknife over {found['n_groups']} groups of documents; a rank "
        "of 1–6 is one of the first six. Weights are of the scheme "
        f"{shown(found['scheme'])}, one for all classes.",
        "Dispersion: 0 if the documents with the term are spread evenly over these groups, near 1 if all are in one.",
    ]
