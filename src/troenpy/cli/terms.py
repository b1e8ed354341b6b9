"""`troenpy terms`: say which words mark each class."""

from typing import Annotated, Literal

import typer

from troenpy.cli.console import keep_interrupts, note, one_line_errors, print_json, print_text
from troenpy.cli.options import (
    READING,
    TESTING_TERMS,
    Delimiter,
    Encoding,
    Format,
    Jobs,
    Json,
    Label,
    OnErrorStop,
    Quiet,
    Separator,
    Text,
    read_delimiter,
    read_limit,
    read_ngrams,
    read_number,
)
from troenpy.cli.outputs import print_written
from troenpy.cli.steps import shown_steps
from troenpy.fitting.parameters import check_whole
from troenpy.statistics.log_odds import PRIOR
from troenpy.tasks.class_terms import terms_file
from troenpy.tasks.term_options import MOST_TERMS
from troenpy.tasks.terms_tables import N_SHOWN


def terms_command(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            "-o",
            help="Where to write the terms: .html, a page; .csv, .tsv, .jsonl or .parquet; or several.",
        ),
    ] = None,
    text: Text = None,
    label: Label = None,
    separator: Separator = None,
    format_: Format = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    on_error: OnErrorStop = "stop",
    reference: Annotated[
        str,
        typer.Option(help="What to compare with: rest, a class, or a file of texts.", rich_help_panel=TESTING_TERMS),
    ] = "rest",
    view: Annotated[
        Literal["auto", "words", "pairs", "pieces"],
        typer.Option(help="What a term is; pieces are of words.", rich_help_panel=TESTING_TERMS),
    ] = "auto",
    ngrams: Annotated[
        str | None, typer.Option(help="Words in a term, such as 2 or 1,3.", rich_help_panel=TESTING_TERMS)
    ] = None,
    min_class_df: Annotated[
        str,
        typer.Option(
            help="Fewest documents of a term in some class: a number or a fraction.", rich_help_panel=TESTING_TERMS
        ),
    ] = "2",
    fdr: Annotated[
        float, typer.Option(help="False-discovery rate of the terms; 1 keeps all.", rich_help_panel=TESTING_TERMS)
    ] = 0.05,
    prior: Annotated[
        float, typer.Option(help="Pseudo-documents that shrink log-odds.", rich_help_panel=TESTING_TERMS)
    ] = PRIOR,
    scheme: Annotated[
        str, typer.Option(help="Of the weights, such as idf or sqrt(certainty)*idf.", rich_help_panel=TESTING_TERMS)
    ] = "pi",
    limit: Annotated[
        str, typer.Option(help="Terms of a class to write, and as many that are rarer in it; or all.")
    ] = "100",
    top: Annotated[int, typer.Option(help="Terms of a class to print.")] = N_SHOWN,
    classes: Annotated[
        list[str] | None, typer.Option("--class", help="Print and write this class only; repeat it for several.")
    ] = None,
    max_terms: Annotated[int, typer.Option(help="Terms to count at most.", rich_help_panel=READING)] = MOST_TERMS,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the terms that mark each class of FILE, with tests, intervals and examples.

    FILE is read as by `troenpy train`, once, and may be larger than memory; - is standard input. Each class is compared
    with all other documents, or with --reference: documents with the term in both, log-odds with a 95 % interval, the
    weight by a scheme, and between which ranks the term may be. Terms are tested by Fisher's exact test, and those
    within the false-discovery rate over all terms and classes are kept, the strongest first. --out writes more of them,
    with p-values, terms that the class has less often, and examples in context: as a table, or as a page to search them
    and to compare any two classes.
    """
    with one_line_errors("stopped" if not out else "stopped: no terms are written"):
        keep_interrupts()
        check_whole("top", top, least=1)
        with shown_steps(quiet=quiet) as show:
            result = terms_file(
                file,
                out or None,
                text=text,
                label=label,
                separator=separator,
                format=format_,
                delimiter=read_delimiter(delimiter),
                encoding=encoding,
                on_error=on_error,
                reference=reference,
                scheme=scheme,
                view=view,
                ngrams=read_ngrams(ngrams),
                min_class_df=read_number("min-class-df", min_class_df) or 0,
                fdr=fdr,
                prior=prior,
                limit=None if limit == "all" else read_limit(limit),
                classes=classes or None,
                max_terms=max_terms,
                jobs=jobs,
                callback=lambda step: show(step.text, step.done, ""),
                on_notice=None if quiet else note,
            )
        if as_json:
            print_json(result.to_dict())
        elif not quiet:
            print_text(result.text(top))
            print_written(out or [])
