"""Terms and t-SNE of small corpora: every number against the functions that it should come from."""

import dataclasses
import json
from inspect import signature

import numpy as np
import pytest

import troenpy
from troenpy.datasets.corpora import Corpus
from troenpy.experiments.splits import count_terms
from troenpy.report import projection
from troenpy.report.projection import first_words, project
from troenpy.report.reproduction import Reproduction
from troenpy.report.terms import CORE, term_table


def corpus(n_documents=200, n_classes=4, *, is_split=True, n_words=60):
    rng = np.random.default_rng(0)
    labels = rng.integers(n_classes, size=n_documents)
    texts = tuple(
        " ".join(f"word{n}" for n in [*rng.integers(n_words, size=6), *[n_words + label] * 2]) for label in labels
    )
    split = np.where(np.arange(n_documents) < n_documents // 2, "train", "test") if is_split else None
    return Corpus("made up", texts, np.array([f"class {label:03}" for label in labels]), split)


class TestTermTable:
    def table(self, given, **options):
        return term_table(given, count_terms(given), **options)

    @pytest.mark.parametrize("is_split", [True, False])
    def test_every_number_is_that_of_the_training_part(self, is_split):
        given = corpus(is_split=is_split)
        counted = count_terms(given)
        train, _ = counted.parts(None if is_split else 0)
        fitted = troenpy.TfPiVectorizer(stop_words="english").fit([given.texts[i] for i in train], given.labels[train])
        found = self.table(given)
        assert found["part"] == ("the given split" if is_split else "the random split of seed 0")
        assert found["terms"] == sorted(fitted.vocabulary_)
        for place, term in enumerate(found["terms"]):
            explanation = fitted.explain(term)
            row = found["rows"][place]
            cells = found["counts"][row]
            by_class = {found["classes"][code]: n for code, n in zip(cells[::2], cells[1::2], strict=True)}
            assert by_class == {name: n for name, n in explanation.documents_by_class.items() if n}
            assert found["documents"][row] == explanation.documents
            weights = {name: values[row] for name, values in found["weights"].items()}
            assert weights["pi"] == pytest.approx(explanation.weight, rel=1e-4)
            assert weights["idf"] == pytest.approx(explanation.idf, rel=1e-4)
            assert weights["pcf_present"] == pytest.approx(explanation.pcf_present, rel=1e-4)
            assert found["pcf_all"] == pytest.approx(explanation.pcf_all, rel=1e-4)
        assert list(found["weights"]) == list(troenpy.WEIGHTS)

    def test_terms_with_equal_counts_share_a_row_and_only_they(self):
        found = self.table(corpus(n_words=2000))
        rows = [tuple(cells) for cells in found["counts"]]
        assert len(set(rows)) == len(rows) == len(found["documents"]) < len(found["terms"])
        assert {len(values) for values in found["weights"].values()} == {len(rows)}
        assert set(found["rows"]) == set(range(len(rows)))

    @pytest.mark.parametrize("scheme", ["certainty", "pi"])
    def test_what_marks_a_class_is_frequent_there_and_not_elsewhere(self, scheme):
        """A term that occurs once, in the class only, has a large weight, and marks less than one that occurs often."""
        texts = ["wheat crop", "wheat crop", "wheat rare", "oil crude", "oil crude", "oil wheat"]
        labels = np.array(["grain"] * 3 + ["crude"] * 3)
        given = Corpus("small", tuple(texts), labels, np.array(["train"] * 6))
        found = self.table(given, scheme=scheme, n_top=9)
        tops = {
            name: [found["terms"][place] for place in top]
            for name, top in zip(found["classes"], found["top"], strict=True)
        }
        assert tops["grain"].index("crop") < tops["grain"].index("rare")
        assert tops["crude"][0] == "oil"
        assert found["scheme"] == scheme

    def test_terms_are_quoted_from_documents_of_the_class(self):
        found = self.table(corpus(), n_top=1)
        quoted = found["contexts"]["word60"]
        assert len(quoted) == 2
        assert {code for code, _ in quoted} == {0}
        assert all("word60" in text for _, text in quoted)

    def test_a_corpus_is_not_quoted_without_a_licence_for_it(self):
        assert self.table(dataclasses.replace(corpus(), quotable=False), n_top=1)["contexts"] == {}

    def test_the_top_terms_of_a_class_are_its_own(self):
        found = self.table(corpus(), n_top=1)
        assert [found["terms"][top[0]] for top in found["top"]] == ["word60", "word61", "word62", "word63"]

    def test_the_order_is_by_weight_documents_and_share(self):
        found = self.table(corpus(), n_top=8)
        for code, top in enumerate(found["top"]):
            scores = {}
            for place, row in enumerate(found["rows"]):
                documents = dict(zip(found["counts"][row][::2], found["counts"][row][1::2], strict=True))
                if code in documents:
                    weight = found["weights"]["certainty"][row]
                    scores[place] = weight * documents[code] ** 2 / found["documents"][row]
            best = sorted(scores.values(), reverse=True)[:8]
            assert [scores[place] for place in top] == pytest.approx(best, rel=1e-3)

    def test_without_room_for_all_terms_the_most_frequent_and_the_marks_are_kept(self):
        given = corpus(2000, 100, n_words=1500)
        whole, part = self.table(given, n_top=3), self.table(given, n_top=3, n_characters=30_000)
        assert len(part["classes"]) == 100
        assert {len(top) for top in part["top"]} == {3}
        assert len(part["terms"]) < len(whole["terms"]) == whole["n_terms"] == part["n_terms"]
        assert len(json.dumps(part | {"contexts": {}, "top": []})) < 30_000 + 300 * 250
        assert set(part["weights"]) == set(CORE) < set(whole["weights"])

        def documents(table):
            return {term: table["documents"][row] for term, row in zip(table["terms"], table["rows"], strict=True)}

        marks = {part["terms"][place] for top in part["top"] for place in top}
        least = min(n for term, n in documents(part).items() if term not in marks)
        assert all(n <= least for term, n in documents(whole).items() if term not in documents(part))

    def test_one_class_is_an_error(self):
        with pytest.raises(ValueError, match="at least two classes with documents"):
            self.table(corpus(n_classes=1))


def test_the_page_says_whether_it_quotes_documents(tmp_path):
    given = dataclasses.replace(corpus(), licence="none stated")
    for quotable, said in [(True, "quote documents of made up: check"), (False, "are not quoted; its licence: none")]:
        shown = dataclasses.replace(given, quotable=quotable)
        (note,) = Reproduction([], tmp_path, corpus=shown, counted=count_terms(shown)).with_terms().notes
        assert said in note


class TestProjection:
    def test_documents_without_a_licence_to_quote_them_have_numbers(self):
        given = corpus()
        quoted = project(given, count_terms(given), n_documents=9)
        found = project(dataclasses.replace(given, quotable=False), count_terms(given), n_documents=9)
        places = [[first_words(text) for text in given.texts].index(text) for text in quoted["texts"]]
        assert found["texts"] == [f"document {place + 1}" for place in places]
        assert found["views"] == quoted["views"]

    def test_numbers_are_scikit_learns_on_the_documents_shown(self):
        from sklearn.manifold import trustworthiness
        from sklearn.metrics import silhouette_score

        given = corpus()
        counted = count_terms(given)
        found = project(given, counted, n_documents=40)
        _, test = counted.parts(None)
        chosen = [int(i) for i in test if first_words(given.texts[i]) in found["texts"]]
        assert len(chosen) == found["n_documents"] == 40
        assert (found["n_test"], found["corpus"], found["seed"]) == (100, "made up", 0)
        assert [found["classes"][code] for code in found["codes"]] == given.labels[chosen].tolist()
        places = [test.tolist().index(i) for i in chosen]
        for view in found["views"]:
            rows = counted.split(None).weighted(view["scheme"])[1][places]
            layout = np.column_stack([view["x"], view["y"]])
            assert view["trustworthiness"] == pytest.approx(trustworthiness(rows, layout, n_neighbors=7), abs=0.01)
            assert view["silhouette"] == pytest.approx(silhouette_score(layout, found["codes"]), abs=0.01)
            expected = silhouette_score(rows, found["codes"], metric="cosine")
            assert view["silhouette_of_features"] == pytest.approx(expected)

    def test_the_same_seed_draws_the_same_and_another_does_not(self):
        given = corpus()
        counted = count_terms(given)
        first, again, other = (project(given, counted, n_documents=30, seed=seed) for seed in (0, 0, 1))
        assert first == again
        assert first["texts"] != other["texts"]

    @pytest.mark.parametrize(("wanted", "expected"), [(20, 20), (None, 30), (10**6, 30)])
    def test_of_many_documents_a_sample(self, wanted, expected, monkeypatch):
        monkeypatch.setattr(projection, "MOST", 30)
        given = corpus()
        found = project(given, count_terms(given), n_documents=wanted)
        assert len(set(found["texts"])) == len(found["texts"]) == found["n_documents"] == expected
        places = [[first_words(text) for text in given.texts].index(text) for text in found["texts"]]
        assert places == sorted(places)
        assert max(places) > 190

    def test_a_thousand_documents_are_shown_and_eight_thousand_at_most(self):
        assert signature(project).parameters["n_documents"].default == 1000
        assert projection.MOST == 8000

    def test_one_class_has_no_silhouette(self):
        labels = np.array(["a"] * 40 + ["b"] * 10)
        split = np.array((["train"] * 20 + ["test"] * 20) + ["train"] * 10)
        given = Corpus("one", tuple(f"word{i % 7} other{i % 5} third" for i in range(50)), labels, split)
        found = project(given, count_terms(given))
        assert [view["silhouette"] for view in found["views"]] == [None, None]

    def test_too_few_documents_are_an_error(self):
        split = np.array(["train", "train", "test"])
        given = Corpus("few", ("a goal", "the vote", "own goal"), np.array(["s", "p", "s"]), split)
        with pytest.raises(ValueError, match="at least four test documents, few has 1"):
            project(given, count_terms(given))

    def test_documents_without_any_term_have_their_place(self):
        given = corpus()
        texts = tuple("" if i % 10 == 0 else text for i, text in enumerate(given.texts))
        changed = Corpus("gaps", texts, given.labels, given.split)
        found = project(changed, count_terms(changed), n_documents=None)
        assert found["n_documents"] == 100
        assert np.isfinite([view["x"] for view in found["views"]]).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("a  b\n c", "a b c"),
        ("x" * 100, "x" * 80 + "…"),
        ("word " * 30, "word " * 15 + "word…"),
    ],
)
def test_first_words(text, expected):
    assert first_words(text) == expected
