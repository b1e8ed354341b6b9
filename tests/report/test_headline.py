"""The answer in a sentence: the numbers of the rows, in words that fit them."""

import pytest
from made_up_rows import row

from troenpy.experiments.grammar import read_methods
from troenpy.experiments.methods import ALL_WEIGHTS, BEYOND, USUAL
from troenpy.report.claims import SEVEN, TF_IDF, TF_PI
from troenpy.report.selection import KEY, N_KEY, OURS, key_methods
from troenpy.report.summary import summarise

N_TEST = 1000


def sentence(errors, **options):
    """The sentence for errors by corpus and method."""
    rows = [row(corpus, method, n, n_test=N_TEST) for corpus, found in errors.items() for method, n in found.items()]
    return summarise(rows, **options)["headline"]["sentence"]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (
            {TF_IDF: 121, TF_PI: 72, OURS: 31},
            "On Reuters R8, nearest neighbours on TF-PI make 40 % fewer errors than on TF-IDF; "
            "with our settings 74 % fewer.",
        ),
        (
            {TF_IDF: 100, TF_PI: 150, OURS: 40},
            "On Reuters R8, nearest neighbours on TF-PI make 50 % more errors than on TF-IDF; "
            "with our settings 60 % fewer.",
        ),
        (
            {TF_IDF: 100, TF_PI: 97, OURS: 102},
            "On Reuters R8, nearest neighbours on TF-PI make about as many errors as on TF-IDF (3 % fewer, p = 0.25); "
            "with our settings about as many (2 % more, p = 0.50).",
        ),
        (
            {TF_IDF: 100, TF_PI: 100},
            "On Reuters R8, nearest neighbours on TF-PI make about as many errors as on TF-IDF (p = 1.00).",
        ),
        (
            {TF_IDF: 100, OURS: 50},
            "On Reuters R8, nearest neighbours with our settings make 50 % fewer errors than on TF-IDF.",
        ),
        (
            {TF_IDF: 0, TF_PI: 10},
            "On Reuters R8, nearest neighbours on TF-PI make errors on 1.0 % of the documents, and none on TF-IDF.",
        ),
    ],
)
def test_on_one_corpus(errors, expected):
    assert sentence({"r8": errors}) == expected


def test_over_corpora_it_is_the_mean_of_the_reductions():
    errors = {corpus: {TF_IDF: 100, TF_PI: 50 + 10 * place, OURS: 20} for place, corpus in enumerate(SEVEN)}
    assert sentence(errors) == (
        "On average over seven corpora, nearest neighbours on TF-PI make 20 % fewer errors than on TF-IDF (fewer on "
        "5 of 7); with our settings 80 % fewer (on all 7)."
    )


def test_over_corpora_a_note_says_what_is_a_mean():
    errors = {corpus: {TF_IDF: 100 * (place + 1), TF_PI: 50 + 60 * place} for place, corpus in enumerate(SEVEN)}
    rows = [row(c, m, n, n_test=N_TEST) for c, found in errors.items() for m, n in found.items()]
    found = summarise(rows)["headline"]
    assert found["note"] == "A percentage is the mean of the changes on each corpus, not the change of the mean errors."
    assert summarise(rows[:2])["headline"]["note"] == ""
    assert summarise(rows[::2])["headline"]["note"] == ""


def test_the_detail_tells_the_baseline_and_the_best():
    errors = {"lr: tf*pi": 63, "lr: btf": 44, "lr: tf": 80}
    rows = [row("r8", method, n, n_test=N_TEST) for method, n in errors.items()]
    found = summarise(rows, baseline="lr: tf*pi")["headline"]
    assert found["detail"] == "Test errors with logistic regression: 6.3 % on TF-PI, 4.4 % on BTF."


def test_two_corpora_are_both():
    errors = {corpus: {TF_IDF: 100, TF_PI: 60} for corpus in SEVEN[:2]}
    assert sentence(errors).endswith("40 % fewer errors than on TF-IDF (fewer on both).")


def test_where_the_mean_is_small_it_says_so():
    errors = {corpus: {TF_IDF: 1000, TF_PI: 999 if place else 1003} for place, corpus in enumerate(SEVEN[:3])}
    rows = [row(c, m, n, n_test=5000) for c, found in errors.items() for m, n in found.items()]
    assert summarise(rows)["headline"]["sentence"] == (
        "On average over three corpora, nearest neighbours on TF-PI make about as many errors as on TF-IDF (fewer on "
        "2 of 3)."
    )


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({"knn: tf": 100}, "nearest neighbours on TF make errors on 10.0 % of the test documents (95 % interval 8.3"),
        ({"lr: tf*idf": 100}, "logistic regression on TF-IDF makes errors on 10.0 % of the test documents"),
        ({"lr: tf*idf": 100, "my own": 40}, "my own makes 60 % fewer errors than logistic regression on TF-IDF."),
        ({"lr: tf*idf": 40, "my own": 90}, "no other method makes fewer errors than logistic regression on TF-IDF."),
        ({TF_IDF: 90, "lr: tf": 45}, "logistic regression on TF makes 50 % fewer errors than nearest neighbours on"),
    ],
)  # fmt: skip
def test_without_the_papers_methods_it_is_about_what_there_is(errors, expected):
    assert sentence({"mine": errors}).startswith(f"On mine, {expected}")


def test_another_baseline_is_what_it_compares_with():
    errors = {"r8": {TF_IDF: 120, TF_PI: 70, "lr: tf*idf": 54, OURS: 31}}
    assert sentence(errors, baseline="lr: tf*idf") == (
        "On Reuters R8, nearest neighbours with our settings make 43 % fewer errors than logistic regression on TF-IDF."
    )


def test_a_baseline_on_other_corpora_is_no_comparison():
    said = sentence({"r8": {TF_IDF: 120}, "classic": {TF_PI: 30}})
    assert "%" not in said or "fewer" not in said


def test_parts_of_the_training_documents_and_samples_do_not_count():
    rows = [row("r8", TF_IDF, 120, n_test=N_TEST), row("r8", TF_PI, 60, n_test=N_TEST)]
    parts = [row("r8", name, 500, n_test=N_TEST, train_fraction=0.5) for name in (TF_IDF, TF_PI)]
    assert summarise(rows + parts)["headline"] == summarise(rows)["headline"]
    alone = summarise(parts)["headline"]["sentence"]
    assert alone.startswith("On Reuters R8, 0.5 of training, nearest neighbours on TF-PI make about as many")


class TestTheMethodsThatMatter:
    def test_of_many_they_are_twelve_at_most_with_the_baseline_and_the_best(self):
        methods = [method.name for method in read_methods((*USUAL, *BEYOND, *ALL_WEIGHTS))]
        rows = [row("r8", name, 200 - place, n_test=N_TEST) for place, name in enumerate(methods)]
        found = key_methods(summarise(rows))
        assert len(found) <= N_KEY
        assert {methods[-1], *(name for name in KEY if name in methods)} == set(found)

    def test_the_baseline_comes_first_in_its_family(self):
        rows = [row("r8", name, 9) for name in (TF_PI, OURS, TF_IDF, "lr: tf*idf")]
        assert key_methods(summarise(rows)) == [TF_IDF, TF_PI, OURS, "lr: tf*idf"]

    def test_of_unknown_methods_they_are_the_best(self):
        rows = [row("mine", f"method {n}", n + 1) for n in range(30)]
        found = key_methods(summarise(rows, baseline="method 20"))
        assert found == ["method 20", *(f"method {n}" for n in range(N_KEY - 1))]
