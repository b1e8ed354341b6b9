"""Tables of methods from raw text, on rows made by hand."""

import numpy as np
import pytest
from made_up_rows import row

from troenpy.experiments import text_tables
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.journal import pack_bits

OURS, VARIANT, SVM, LR = "troenpy", "troenpy, words, C=3", "log TF-IDF, linear SVM", "TF-IDF, logistic regression"
VECTORS = "wordllama, logistic regression"
#: Errors in per cent, on 100 documents.
ERRORS = {
    OURS: {"news": 10, "tweets": 30},
    VARIANT: {"news": 25, "tweets": 45},
    SVM: {"news": 20, "tweets": 10},
    LR: {"news": 30, "tweets": 40},
    VECTORS: {"news": 5, "tweets": 50},
}
ROWS = [row(corpus, method, n) for method, by_corpus in ERRORS.items() for corpus, n in by_corpus.items()]


@pytest.fixture
def comparison():
    return Comparison(ROWS, baseline=OURS)


def test_errors_have_their_mean_rank_and_wins(comparison):
    header, rows = text_tables.errors(comparison)
    assert header == ["method", "news", "tweets", "mean", "rank", "w/t/l"]
    assert rows == [
        [OURS, "10.00", "30.00", "20.00", "1.5", ""],
        [VARIANT, "25.00", "45.00", "35.00", "2.5", "0/0/2"],
        [SVM, "20.00", "**10.00**", "15.00", "1.5", "1/0/1"],
        [LR, "30.00", "40.00", "35.00", "3.0", "0/0/2"],
        [VECTORS, "**5.00**", "50.00", "27.50", "2.5", "0/1/1"],
    ]


def test_variants_of_ours_and_pretrained_methods_leave_the_ranks_of_others_alone(comparison):
    chosen = (OURS, SVM, LR)
    few = Comparison([one for one in ROWS if one.method in chosen], baseline=OURS)
    assert [text_tables.mean_rank(few, name) for name in chosen] == [1.5, 1.5, 3.0]
    assert [text_tables.mean_rank(comparison, name) for name in chosen] == [1.5, 1.5, 3.0]


def test_a_method_that_lacks_a_corpus_has_no_mean_and_no_rank():
    _, rows = text_tables.errors(Comparison([*ROWS[:-1]], baseline=OURS))
    assert rows[-1] == [VECTORS, "**5.00**", "", "", "", "0/1/0"]


def test_losses_are_those_to_methods_of_others_at_p_below_5_percent(comparison):
    said = f"{OURS} loses on tweets to {SVM} (30.00 against 10.00 %, p < 0.0001)."
    assert text_tables.losses(comparison) == said
    best = Comparison(ROWS, baseline=SVM)
    assert text_tables.losses(best) == f"{SVM} loses on news to {VECTORS} (20.00 against 5.00 %, p < 0.0001)."
    alone = Comparison(ROWS[:2], baseline=OURS)
    assert text_tables.losses(alone) == f"{OURS} loses nowhere at p < 0.05."


def test_qualities_are_means_over_splits_of_those_that_have_them():
    values = {"log_loss": 0.5, "calibration_error": 0.1}
    rows = [
        row("news", OURS, 10, seed=0, **values),
        row("news", OURS, 10, seed=1, **{**values, "log_loss": 0.25}),
        row("news", LR, 10, seed=0, **{**values, "log_loss": 0.4}),
        row("news", SVM, 10, seed=0),
    ]
    _, value, shown = text_tables.QUALITIES["log_loss"]
    table = text_tables.qualities(Comparison(rows), value, shown)
    assert table == (["method", "news"], [[OURS, "**0.375**"], [LR, "0.400"]])


def test_the_report_has_a_table_per_corpus_and_those_over_all():
    said = text_tables.report(ROWS)
    titles = ("news: test error, %", "tweets: test error, %", "test error, %", "CPU seconds of fit and predict")
    assert [line for line in said.splitlines() if line in titles] == list(titles)
    assert "Wilson interval; reduction and p against troenpy, McNemar's exact test" in said
    assert (
        "rank: mean rank among the rivals without pretrained weights and troenpy; other methods of ours in its place"
        in said
    )
    assert "log-loss" not in said
    assert said.splitlines()[-1].startswith("troenpy loses on tweets to log TF-IDF")


def test_fewer_splits_are_said():
    rows = [row("news", OURS, 10, seed=seed) for seed in range(3)] + [row("news", VECTORS, 20, seed=0)]
    caption = text_tables.caption(Comparison(rows, baseline=OURS))
    assert caption.endswith("; news: 3 splits, but wordllama, logistic regression 1")


def test_without_our_default_another_of_ours_is_the_baseline():
    assert text_tables.choose_baseline(ROWS) == OURS
    assert text_tables.choose_baseline(ROWS[2:]) == VARIANT
    assert text_tables.choose_baseline(ROWS[4:8]) is None
    assert "loses" not in text_tables.report(ROWS[4:8])


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="there are no rows to show: run some methods first"):
        text_tables.report([])


def test_names_are_code_in_markdown(comparison):
    lines = text_tables.markdown(*text_tables.errors(comparison)).splitlines()
    assert lines[0].startswith("|  | method | news |")
    assert lines[2].startswith("| ours | `troenpy` | 10.00 |")
    assert lines[6].startswith("| pretrained | `wordllama, logistic regression` | **5.00** |")


def test_rows_are_sorted_by_the_registry_and_corpora_keep_their_order():
    rows = text_tables.sort_rows(ROWS)
    assert [one.method for one in rows[::2]] == [LR, SVM, VECTORS, OURS, VARIANT]
    assert [one.corpus for one in rows[:2]] == ["news", "tweets"]


def test_a_tie_is_no_loss():
    correct = pack_bits(np.arange(100)[::-1] >= 12)
    rows = [row("news", OURS, 12), row("news", SVM, 12, correct=correct)]
    assert text_tables.losses(Comparison(rows, baseline=OURS)) == f"{OURS} loses nowhere at p < 0.05."
