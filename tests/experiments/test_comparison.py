"""Intervals, tests and ranks against scipy and worked examples; comparisons and claims on rows made by hand."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up_rows import row
from scipy import stats

from troenpy.experiments import significance, tables
from troenpy.experiments.comparison import Comparison
from troenpy.experiments.grammar import read_methods
from troenpy.experiments.journal import versions
from troenpy.experiments.methods import PAPER, RIVALS
from troenpy.experiments.records import compare
from troenpy.report import claims
from troenpy.report.claims import HELD, NOT_HELD, SEVEN, check_claims, is_tested

errors_of_splits = st.lists(st.integers(0, 500).map(lambda n_wrong: n_wrong / 500), min_size=2, max_size=8)


class TestSignificance:
    @pytest.mark.parametrize(("n_wrong", "n_test"), [(5, 50), (0, 10), (10, 10), (265, 2189)])
    def test_wilson_is_the_formula(self, n_wrong, n_test):
        z, p, n = stats.norm.ppf(0.975), n_wrong / n_test, n_test
        middle, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        expected = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
        assert significance.wilson_interval(n_wrong, n_test) == pytest.approx(expected, abs=1e-12)

    def test_the_resampled_interval_is_the_formula(self):
        errors = [0.10, 0.12, 0.11, 0.13]  # mean 0.115, variance 0.0005/3
        half = 3.182446305 * np.sqrt((1 / 4 + 1 / 4) * 0.0005 / 3)
        low, high = significance.resampled_interval(errors, 0.25)
        assert (low, high) == pytest.approx((0.115 - half, 0.115 + half), abs=1e-9)

    @given(errors_of_splits, st.randoms())
    def test_without_correction_the_t_test_is_scipys_paired_one(self, errors, order):
        others = errors.copy()
        order.shuffle(others)
        differences = np.array(errors) - others
        if np.std(differences) < 1e-6:
            return
        ours = significance.resampled_t_test(errors, others, 0.0)
        assert ours.p == pytest.approx(stats.ttest_rel(errors, others).pvalue, rel=1e-6, abs=1e-12)

    def test_the_corrected_t_test_is_the_closed_form_of_two_degrees_of_freedom(self):
        t = 0.02 / np.sqrt((1 / 3 + 1 / 4) * 0.0001)
        result = significance.resampled_t_test([0.11, 0.12, 0.13], [0.10, 0.10, 0.10], 0.25)
        assert result.p == pytest.approx(1 - t / np.sqrt(2 + t**2), rel=1e-9)

    def test_the_correction_makes_it_harder_to_differ(self):
        errors, others = [0.10, 0.12, 0.11], [0.13, 0.14, 0.15]
        plain, corrected = (significance.resampled_t_test(errors, others, ratio).p for ratio in (0.0, 0.25))
        assert plain < 0.05 < corrected

    def test_differences_without_spread(self):
        assert significance.resampled_t_test([0.1, 0.2], [0.1, 0.2], 0.25).p == 1.0
        assert significance.resampled_t_test([0.1, 0.2], [0.2, 0.3], 0.25).p == 0.0

    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
    def test_mcnemar_sums_the_binomial_tail(self, pairs):
        ours, theirs = np.array(pairs).T
        b, c = (ours & ~theirs).sum(), (theirs & ~ours).sum()
        tail = min(1.0, 2 * stats.binom.cdf(min(b, c), b + c, 0.5)) if b + c else 1.0
        result = significance.mcnemar_test(ours, theirs)
        assert result.p == pytest.approx(tail, rel=1e-9)
        assert result.difference == pytest.approx(theirs.mean() - ours.mean())

    def test_friedman_of_demsars_example(self):
        # Demšar 2006, table 6: AUC of C4.5 and three variants on fourteen data sets; printed there are the mean ranks
        # 3.143, 2.000, 2.893, 1.964 and the statistic 9.28 without correction for ties.
        table = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ]
        errors = 1 - np.array(table)
        result = significance.friedman_test(errors)
        np.testing.assert_allclose(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
        expected = stats.friedmanchisquare(*errors.T)
        assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
        plain = 12 * 14 / (4 * 5) * (np.sum(result.mean_ranks**2) - 4 * 5**2 / 4)
        assert plain == pytest.approx(9.28, abs=0.01)
        # With C4.5 as control, p = 0.016, 0.019 and 0.607 there; Holm takes three, two and one times that.
        pairs = significance.rank_pairs(result.mean_ranks, 14, control=0)
        assert [pairs[0, 3], pairs[0, 1], pairs[0, 2]] == pytest.approx([3 * 0.0157, 3 * 0.0157, 0.607], abs=3e-3)

    def test_friedman_of_methods_that_are_equal_everywhere(self):
        result = significance.friedman_test([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2]])
        assert (result.mean_ranks.tolist(), result.p) == ([2, 2, 2], 1.0)

    def test_holm_by_hand(self):
        assert significance.holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])
        assert significance.holm([0.9, 0.8]) == [1.0, 1.0]

    def test_all_pairs_are_corrected_for_their_number(self):
        ranks = [1.0, 2.0, 3.0]
        z = 1 / np.sqrt(3 * 4 / (6 * 10))
        pairs = significance.rank_pairs(ranks, 10)
        assert pairs[0, 2] == pytest.approx(3 * 2 * stats.norm.sf(2 * z))
        assert pairs[0, 1] == pairs[1, 2] == pytest.approx(2 * 2 * stats.norm.sf(z))


class TestComparison:
    ROWS = (
        [row("given", "base", 40), row("given", "good", 10), row("given", "same", 40), row("given", "bad", 90)]
        + [row("drawn", "base", 20 + seed % 2, seed=seed) for seed in range(5)]
        + [row("drawn", "good", 5 + seed % 3, seed=seed) for seed in range(5)]
        + [row("drawn", "same", 20 + (seed + 1) % 2, seed=seed) for seed in range(5)]
        + [row("drawn", "bad", 50 + seed, seed=seed) for seed in range(5)]
    )

    def test_one_split_has_wilsons_interval(self):
        cell = Comparison(self.ROWS).errors["given", "base"]
        assert (cell.mean, cell.interval, cell.n_splits, cell.n_test) == (0.4, "Wilson", 1, 100)
        assert (cell.low, cell.high) == significance.wilson_interval(40, 100)
        assert np.isnan(cell.sd)

    def test_several_splits_have_the_corrected_one(self):
        cell = Comparison(self.ROWS).errors["drawn", "good"]
        errors = [0.05, 0.06, 0.07, 0.05, 0.06]
        assert (cell.mean, cell.sd) == pytest.approx((np.mean(errors), np.std(errors, ddof=1)))
        assert (cell.low, cell.high) == significance.resampled_interval(errors, 0.25)
        assert (cell.interval, cell.n_splits) == ("Nadeau-Bengio", 5)

    def test_the_test_fits_the_splits(self):
        result = Comparison(self.ROWS)
        assert result.test("good", "base", "given").test == "McNemar, exact"
        assert result.test("good", "base", "given").p == pytest.approx(2 / 2**30)
        assert result.test("good", "base", "drawn").test == "corrected resampled t"
        assert len(result.tests("drawn")) == 6
        assert result.tests("given")["base", "good"].difference == pytest.approx(0.3)

    def test_tests_are_on_the_splits_in_common(self):
        rows = [row("c", "a", 10 * seed, seed=seed) for seed in (1, 2, 3)]
        rows += [row("c", "b", 10 * seed + 5, seed=seed) for seed in (2, 3, 4)]
        assert Comparison(rows).test("a", "b", "c").difference == pytest.approx(-0.05)
        with pytest.raises(ValueError, match="'a' and 'b' share no split of c: run both"):
            Comparison([rows[0], rows[-1]]).test("a", "b", "c")

    def test_win_tie_loss_and_reduction(self):
        result = Comparison(self.ROWS, baseline="base")
        assert result.win_tie_loss("good") == (2, 0, 0)
        assert result.win_tie_loss("same") == (0, 2, 0)
        assert result.win_tie_loss("bad") == (0, 0, 2)
        assert result.reduction("good", "given") == pytest.approx(0.75)
        assert result.reduction("bad", "given") == pytest.approx(-1.25)

    def test_a_baseline_that_never_errs_has_no_reduction(self):
        result = Comparison([row("c", "a", 0), row("c", "b", 1)], baseline="a")
        assert np.isnan(result.reduction("b", "c"))
        assert compare(result)["errors"][1]["reduction"] is None

    def test_ranks_are_over_methods_run_everywhere(self):
        result = Comparison([*self.ROWS, row("given", "only here", 1)], baseline="base")
        assert result.ranked_methods == ["base", "good", "same", "bad"]
        assert result.friedman.mean_ranks.tolist() == [2.25, 1.0, 2.75, 4.0]
        assert len(result.rank_pairs()) == 6
        assert list(result.rank_pairs(against_baseline=True)) == [("base", "good"), ("base", "same"), ("base", "bad")]

    def test_no_ranks_of_one_corpus_or_of_variants_of_one(self):
        assert Comparison(self.ROWS[:4]).friedman is None
        assert Comparison(self.ROWS[:4]).rank_pairs() == {}
        twice = [*self.ROWS[:4], *(replace(one, deduplicated=True) for one in self.ROWS[:4])]
        assert Comparison(twice).corpora == ["given", "given, deduplicated"]
        assert Comparison(twice).friedman is None

    def test_parts_of_the_training_documents_are_settings_of_their_own(self):
        rows = [row("c", "a", 10), row("c", "a", 30, train_fraction=0.1)]
        assert Comparison(rows).corpora == ["c", "c, 0.1 of training"]

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([], "there are no rows to compare"),
            ([row("c", "a", 1), row("c", "a", 2)], "each corpus, split and method may have one row, got two for"),
            (
                [row("c", "a", 1), row("c", "b", 1, versions=versions() | {"numpy": "0.9"})],
                "different versions of numpy cannot be compared",
            ),
            ([row("c", "a", 1), row("c", "b", 1, fingerprint="x")], "rows for c come from different documents"),
        ],
    )
    def test_rows_that_do_not_compare(self, rows, message):
        with pytest.raises(ValueError, match=message):
            Comparison(rows)

    def test_the_baseline_must_be_there(self):
        with pytest.raises(ValueError, match="baseline 'x' was not run: choose one of base, good, same, bad"):
            Comparison(self.ROWS, baseline="x")
        with pytest.raises(ValueError, match="this needs a baseline: pass one, such as Comparison"):
            Comparison(self.ROWS).win_tie_loss("good")


class TestTables:
    RESULT = compare(Comparison(TestComparison.ROWS, baseline="base"))

    def test_markdown(self):
        assert tables.to_markdown(self.RESULT).splitlines() == [
            "| method | given | drawn | rank | w/t/l |",
            "| --- | ---: | ---: | ---: | ---: |",
            "| `base` | 40.00 | 20.40 | 2.2 |  |",
            "| `good` | **10.00** | **5.80** | 1.0 | 2/0/0 |",
            "| `same` | 40.00 | 20.60 | 2.8 | 0/2/0 |",
            "| `bad` | 90.00 | 52.00 | 4.0 | 0/0/2 |",
        ]

    def test_markdown_shows_names_and_runs_none(self):
        rows = [row("<img src=x>|", name, 1) for name in ("a`<b>`", "b|c")]
        shown = tables.to_markdown(compare(Comparison(rows)))
        assert shown.splitlines()[0] == "| method | &lt;img src=x&gt;\\| |"
        assert [line.split(" | ")[0] for line in shown.splitlines()[2:]] == ["| `a'<b>'`", "| `b\\|c`"]

    def test_markdown_with_notes_in_front(self):
        lines = tables.to_markdown(self.RESULT, {"good": "ours"}).splitlines()
        assert lines[0].startswith("|  | method | given |")
        assert lines[1].startswith("| --- | --- | ---: |")
        assert [line.split("`")[0] for line in lines[2:]] == ["|  | ", "| ours | ", "|  | ", "|  | "]

    def test_csv_reads_back(self):
        read = list(csv.DictReader(io.StringIO(tables.to_csv(self.RESULT))))
        assert len(read) == 8
        good = read[1]
        assert (good["corpus"], good["method"], float(good["error"]), good["sd"]) == ("given", "good", 0.1, "")
        assert float(good["reduction"]) == pytest.approx(0.75)
        assert (good["test"], good["interval"]) == ("McNemar, exact", "Wilson")
        assert read[0]["p"] == ""

    def test_the_dict_is_plain(self):
        read = json.loads(json.dumps(self.RESULT, allow_nan=False))
        assert read == self.RESULT
        assert read["baseline"] == "base"
        assert read["friedman"]["mean_ranks"]["good"] == 1.0
        assert set(read["friedman"]["p_against_baseline"]) == {"good", "same", "bad"}
        assert len(read["friedman"]["p_of_pairs"]) == 6

    def test_without_baseline_and_ranks(self):
        read = compare(Comparison(TestComparison.ROWS[:2]))
        assert (read["baseline"], read["friedman"], read["errors"][0]["p"]) == (None, None, None)

    def test_csv_has_no_formula_and_numbers_stay_numbers(self):
        names = ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "\r=1", 'a,"b"', "\x1b[2J", "knn: tf", "＝1"]
        rows = [row("=cmd()", name, number, n_test=10) for number, name in enumerate(names)]
        read = list(csv.DictReader(io.StringIO(tables.to_csv(compare(Comparison(rows, baseline="-1"))))))
        assert {one["corpus"] for one in read} == {"'=cmd()"}
        assert [one["method"] for one in read] == [
            "'=HYPERLINK(1)", "'+1", "'-1", "'@x", "'\\t=1", "'\\r=1", 'a,"b"', "\\x1b[2J", "knn: tf", "'＝1"
        ]  # fmt: skip
        assert [float(one["error"]) for one in read] == [number / 10 for number in range(10)]
        assert float(read[9]["reduction"]) == pytest.approx(-3.5)

    def test_markdown_shows_control_characters_and_obeys_none(self):
        shown = tables.to_markdown(compare(Comparison([row("a\x1b[31m", "b\x07\u202e", 1)])))
        assert "| method | a\\\\x1b\\[31m |" in shown
        assert "`b\\x07\\u202e`" in shown

    LATEX = r"""\begin{tabular}{lrrrr}
\toprule
method & given & drawn & rank & w/t/l \\
\midrule
base & 40.00 & 20.40 & 2.2 &  \\
good & \textbf{10.00} & \textbf{5.80} & 1.0 & 2/0/0 \\
same & 40.00 & 20.60 & 2.8 & 0/2/0 \\
bad & 90.00 & 52.00 & 4.0 & 0/0/2 \\
\bottomrule
\end{tabular}
"""

    def test_latex(self):
        assert tables.to_latex(self.RESULT) == self.LATEX
        assert Comparison(TestComparison.ROWS, baseline="base").to_latex() == self.LATEX

    def test_latex_shows_names_and_runs_none(self):
        names = [r"\input{x}", "a_b & 5% #1 $x$ ~^", "[2cm]", "*", "<|>", "\x1b\n"]
        shown = tables.to_latex(compare(Comparison([row("{c}", name, 1) for name in names])))
        assert r"method & \{c\} \\" in shown
        assert [line.rsplit(" & ", 1)[0] for line in shown.splitlines()[4:-2]] == [
            r"\textbackslash{}input\{x\}",
            r"a\_b \& 5\% \#1 \$x\$ \textasciitilde{}\textasciicircum{}",
            "{[}2cm]",
            "{*}",
            r"\textless{}\textbar{}\textgreater{}",
            r"\textbackslash{}x1b\textbackslash{}n",
        ]

    def test_a_comparison_prints_its_table(self):
        several = str(Comparison(TestComparison.ROWS, baseline="base")).splitlines()
        assert several[:5] == [
            "test error, %",
            "method  given  drawn  rank  w/t/l",
            "base    40.00  20.40   2.2",
            "good    10.00   5.80   1.0  2/0/0",
            "same    40.00  20.60   2.8  0/2/0",
        ]
        assert several[-1].startswith("w/t/l: wins, ties, losses against base")
        one = str(Comparison(TestComparison.ROWS[:2], baseline="base")).splitlines()
        assert one[0] == "given: test error, %"
        assert one[1].split("  ")[0] == "method"
        assert one[3].endswith("75.0 %  < 0.0001")
        hostile = str(Comparison([row("c\x1b", "m\n\u202e", 1)]))
        assert "c\\x1b: test error" in hostile
        assert "m\\n\\u202e" in hostile

    def test_a_notebook_shows_its_table(self):
        shown = Comparison(TestComparison.ROWS, baseline="base")._repr_html_()
        assert shown.startswith("<table>")
        assert "<td>good</td><td style='text-align:right'><b>10.00</b></td>" in shown
        hostile = Comparison([row("<script>c</script>", "<img src=x>&\x1b", 1)])._repr_html_()
        assert "&lt;script&gt;" in hostile
        assert "&lt;img src=x&gt;&amp;\\x1b" in hostile
        assert "<script" not in hostile
        assert "<img" not in hostile

    def test_a_comparison_as_text(self):
        result = Comparison(TestComparison.ROWS, baseline="base")
        assert repr(result) == "<Comparison: 4 methods on 2 corpora, against base>"
        assert repr(Comparison(TestComparison.ROWS[:1])) == "<Comparison: 1 method on 1 corpus>"
        assert result.to_markdown() == tables.to_markdown(self.RESULT)
        assert result.to_csv() == tables.to_csv(self.RESULT)


class TestClaims:
    def errors(self, **changes):
        """Errors per 1000 documents that make every testable claim hold, by method; then changed."""
        table = {
            "knn: tf*idf": 200,
            "knn: tf*pi": 140,
            "knn: tf*ncf*idf": 210,
            "lr: tf*pi": 120,
            "lr: tf*pi + btf + ecib": 100,
            "lr: btf": 150,
            "lr: ecib": 130,
            "lr: btf + ecib": 110,
            "lr: btf*pcf": 140,
            "lr: ecib*pcf": 120,
            "lr: btf*pcf + ecib*pcf": 100,
        }
        return {
            (corpus, method): changes.get(corpus, {}).get(method, n_wrong)
            for corpus in SEVEN
            for method, n_wrong in table.items()
        }

    HOLDING = {  # noqa: RUF012
        "r8": {"knn: tf*pi": 90, "lr: tf*pi": 80, "lr: tf*pi + btf + ecib": 70},
        "twitter": {"knn: tf*pi": 190, "lr: btf + ecib": 140},
        "bbcsport": {"knn: tf*pi": 180, "lr: tf*pi + btf + ecib": 125},
        "20news": {"lr: ecib": 160},
    }

    def verdicts(self, errors, corpora=SEVEN):
        rows = [
            row(corpus, method, n_wrong, n_test=1000)
            for (corpus, method), n_wrong in errors.items()
            if corpus in corpora
        ]
        return {claim.text: claim for claim in check_claims(Comparison(rows))}

    def test_all_hold(self):
        found = self.verdicts(self.errors(**self.HOLDING))
        needed = [claim.verdict for claim in found.values() if not is_tested(claim.verdict)]
        assert needed == ["needs more methods", "needs t-SNE of R8", "needs a benchmark"]
        assert {claim.verdict for claim in found.values()} == {HELD, *needed}
        assert found["on R8 TF-PI reduces the error of kNN by 53.4 %"].evidence == "55.0 %"
        assert found["on average TF-PI reduces the error of kNN by 22.9 %"].evidence == "27.1 % on average over 7 of 7"

    @pytest.mark.parametrize(
        ("changes", "text", "evidence"),
        [
            (
                {"classic": {"knn: tf*pi": 201}},
                "kNN has a lower error on TF-PI than on TF-IDF on all seven corpora",
                "lower on 6 of 7 (6 of them with p < 0.05); classic 20.10 against 20.00 %",
            ),
            ({"r8": {"knn: tf*pi": 100, "lr: tf*pi": 80}}, "on R8 TF-PI reduces the error of kNN by 53.4 %", "50.0 %"),
            (
                {"twitter": {"knn: tf*pi": 10}},
                "on Twitter and BBCsport TF-PI reduces the error of kNN only slightly",
                "twitter 95.0 %",
            ),
            (
                {"bbcsport": {"lr: tf*pi + btf + ecib": 110}},
                "adding the 2B features hurts on BBCsport",
                "bbcsport 11.00 against 12.00 %, p = 0.002",
            ),
            (
                {"20news": {"lr: ecib": 140}},
                "ECIB alone has a lower error than BTF alone on all but 20news",
                "lower on 7 of 7",
            ),
            (
                {"twitter": {"lr: btf + ecib": 130}},
                "BTF and ECIB together are not always better than one alone",
                "worse together than the better one alone on 0 of 7",
            ),
        ],
    )
    def test_what_contradicts_a_claim(self, changes, text, evidence):
        claim = self.verdicts(self.errors(**self.HOLDING | changes))[text]
        assert claim.verdict == NOT_HELD
        assert evidence in claim.evidence

    def test_claims_about_most_corpora(self):
        worse = {corpus: {"lr: tf*pi + btf + ecib": 130, "lr: btf*pcf": 160, "lr: ecib*pcf": 165} for corpus in SEVEN}
        found = self.verdicts(self.errors(**worse))
        assert found["adding the 2B features to TF-PI helps on most corpora"].verdict == NOT_HELD
        assert found["weighting BTF and ECIB by PCF mostly helps"].verdict == NOT_HELD
        assert "7 of 21 cases" in found["weighting BTF and ECIB by PCF mostly helps"].evidence

    def test_one_corpus_can_contradict_but_not_confirm(self):
        text = "kNN has a lower error on TF-PI than on TF-IDF on all seven corpora"
        found = self.verdicts(self.errors(), ["r8"])[text]
        assert (found.verdict, found.command) == ("needs 7 corpora", "troenpy reproduce --datasets all")
        assert [(case.name, round(case.change, 3)) for case in found.cases] == [("r8", -0.3)]
        assert self.verdicts(self.errors(r8={"knn: tf*pi": 300}), ["r8"])[text].verdict == NOT_HELD

    def test_nothing_is_testable_without_its_methods(self):
        found = check_claims(Comparison([row("r8", "knn: tf", 1)]))
        assert all(claim.verdict.startswith("needs ") for claim in found)
        assert all(claim.command for claim in found)
        assert found[0].evidence == "not run"

    def test_the_methods_of_the_claims_are_run_by_default(self):
        names = {method.name for method in read_methods(PAPER + RIVALS)}
        assert {claims.TF_IDF, claims.TF_PI, claims.TF_NI, claims.LR_PI, claims.LR_ALL} <= names
        assert {*claims.WITH_PCF, *claims.WITH_PCF.values()} <= names
