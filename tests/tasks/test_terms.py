"""The terms of classes: every number against a plain loop over documents, and texts and labels of any kind."""

import itertools
import json

import numpy as np
import pytest
from made_up_files import COMMON, WORDS, made_up, write_csv
from scipy import stats

import troenpy
from troenpy import CountVectorizer, tasks
from troenpy.features.grouped_counter import text_hashes
from troenpy.statistics import Comparison, critical_value, jackknife_error, log_odds_ratio, mark_strength
from troenpy.tasks.term_tests import TermTests
from troenpy.tasks.text_sample import TextSample
from troenpy.weights import term_weights

ROWS = made_up(150)
TEXTS, LABELS = [row["text"] for row in ROWS], [row["label"] for row in ROWS]
CLASSES = ["food", "politics", "sport"]


def rows_of(found, **keys):
    rows = [row for one in found.classes for row in one.rows()]
    return [row for row in rows if all(row[name] == value for name, value in keys.items())]


def has(term):
    return np.array([term in text.split() for text in TEXTS])


@pytest.fixture(scope="module")
def found():
    return troenpy.terms(TEXTS, LABELS, fdr=1, limit=None)


def test_the_words_of_a_class_mark_it():
    found = troenpy.terms(TEXTS, LABELS)
    for name, terms in found.top(5).items():
        assert set(terms) == set(WORDS[name].split())
    assert len({row["term"] for row in rows_of(found)} & set(COMMON)) <= 2  # of 17; the false-discovery rate is 5 %


@pytest.mark.usefixtures("kernel_or_twin")
def test_every_number_is_that_of_a_plain_loop():
    found = troenpy.terms(TEXTS, LABELS, fdr=1, limit=None)
    labels, terms = np.array(LABELS), sorted({word for text in TEXTS for word in text.split() if len(word) > 1})
    p = {}
    for name, term in itertools.product(CLASSES, terms):
        a, b = int((has(term) & (labels == name)).sum()), int((has(term) & (labels != name)).sum())
        p[name, term] = stats.fisher_exact([[a, 50 - a], [b, 100 - b]])[1]
    q = dict(zip(p, stats.false_discovery_control(list(p.values())), strict=True))
    rows = rows_of(found)
    assert found.n_tests == len(p) == 3 * found.n_tested
    assert len({(row["class"], row["term"]) for row in rows}) == len(rows) == found.n_discoveries
    even = {pair for pair in p if pair not in {(row["class"], row["term"]) for row in rows}}
    assert all(3 * (has(term) & (labels == name)).sum() == has(term).sum() for name, term in even)
    for row in rows:
        name, term = row["class"], row["term"]
        a, b = int((has(term) & (labels == name)).sum()), int((has(term) & (labels != name)).sum())
        assert (row["documents"], row["reference_documents"]) == (a, b)
        assert (row["share"], row["reference_share"]) == (a / 50, b / 100)
        assert row["p"] == pytest.approx(p[name, term], rel=1e-11)
        assert row["q"] == pytest.approx(q[name, term], rel=1e-11)
        sign = 1 if row["direction"] == "more" else -1
        assert sign * (2 * a - b) > 0
        odds = log_odds_ratio(Comparison(a, 50, b, 100))
        assert (row["log_odds"], row["log_odds_low"], row["log_odds_high"]) == pytest.approx((odds.value, *odds.ends()))
        assert row["strength"] == pytest.approx(float(mark_strength(Comparison(a, 50, b, 100), sign)))
    for one in found.classes:
        for columns in (one.more, one.less):
            assert columns["strength"] == sorted(columns["strength"], reverse=True)
            assert columns["rank"] == [*range(1, len(columns["rank"]) + 1)]
            assert all(low <= rank <= high for low, rank, high in zip(
                columns["rank_low"], columns["rank"], columns["rank_high"], strict=True))  # fmt: skip


def test_weights_and_their_intervals_are_those_without_each_group(found):
    vectorizer = CountVectorizer().fit(TEXTS)
    X, groups = vectorizer.transform(TEXTS), (text_hashes(TEXTS) % np.uint64(20)).astype(int)

    def weights(chosen):
        counts = troenpy.ClassCounts.from_matrix(X[chosen], np.array(LABELS)[chosen])
        return term_weights(counts, "pi")

    whole = weights(np.ones(150, dtype=bool))
    width = critical_value(20) * jackknife_error([weights(groups != group) for group in range(20)])
    place = vectorizer.vocabulary_
    for row in rows_of(found):
        column = place[row["term"]]
        assert row["weight"] == pytest.approx(whole[column])
        assert row["weight_high"] - row["weight"] == pytest.approx(width[column])


def test_counts_of_the_terms_compare_any_two_classes(found):
    labels, plain = np.array(LABELS), found.to_dict()["class_counts"]
    assert (plain["classes"], plain["documents"]) == (CLASSES, [50, 50, 50])
    assert set(plain["terms"]) == {row["term"] for row in rows_of(found)}
    for term, (numbers, documents) in plain["terms"].items():
        by_class = [int((has(term) & (labels == name)).sum()) for name in CLASSES]
        assert dict(zip(numbers, documents, strict=True)) == {k: n for k, n in enumerate(by_class) if n}


def test_any_scheme():
    found = troenpy.terms(TEXTS, LABELS, scheme="sqrt(certainty)*idf")
    vectorizer = troenpy.TfPiVectorizer(scheme="sqrt(certainty)*idf").fit(TEXTS, LABELS)
    for row in rows_of(found):
        assert row["weight"] == pytest.approx(vectorizer.explain(row["term"]).weight)
    assert troenpy.terms(TEXTS, LABELS, scheme=troenpy.weights.idf).scheme == "idf"


def test_an_example_shows_the_term_in_a_document_of_its_side(found):
    for row in rows_of(found):
        example = row["example"]
        if row["documents" if row["direction"] == "more" else "reference_documents"]:
            assert example.term == row["term"]
            places = [i for i, text in enumerate(TEXTS) if str(example) == text]
            assert places
            assert any((LABELS[i] == row["class"]) == (row["direction"] == "more") for i in places)


def test_order_and_batches_do_not_matter(found, monkeypatch):
    monkeypatch.setattr(tasks.class_terms, "N_AT_ONCE", 13)
    order = np.random.default_rng(0).permutation(150)
    other = troenpy.terms([TEXTS[i] for i in order], [LABELS[i] for i in order], fdr=1, limit=None)
    assert other.to_dict() == found.to_dict()


def test_a_class_as_the_reference():
    found = troenpy.terms(TEXTS, LABELS, reference="food", fdr=1, limit=None)
    assert [one.name for one in found.classes] == ["politics", "sport"]
    goal = next(iter(rows_of(found, term="goal", **{"class": "sport"})))
    labels = np.array(LABELS)
    assert goal["reference_documents"] == (has("goal") & (labels == "food")).sum()
    assert {one.n_reference for one in found.classes} == {50}
    a, b = goal["documents"], goal["reference_documents"]
    assert goal["p"] == pytest.approx(stats.fisher_exact([[a, 50 - a], [b, 50 - b]])[1])
    frequent = [
        (has(t) & (labels == name)).sum() + (has(t) & (labels == "food")).sum() >= 2
        for name in ("politics", "sport")
        for t in {w for text in TEXTS for w in text.split() if len(w) > 1}
    ]
    assert found.n_tests == sum(frequent)


def test_other_texts_as_the_reference():
    others = [text for text, label in zip(TEXTS, LABELS, strict=True) if label == "food"]
    own = [(text, label) for text, label in zip(TEXTS, LABELS, strict=True) if label != "food"]
    found = troenpy.terms([text for text, _ in own], [label for _, label in own], reference=others)
    expected = troenpy.terms(TEXTS, LABELS, reference="food")
    assert [one.to_dict() for one in found.classes] == [one.to_dict() for one in expected.classes]
    assert (found.n_documents, found.reference) == (100, "other texts")
    alone = troenpy.terms([text for text, _ in own], [0] * 100, reference=others)
    assert [one.n_documents for one in alone.classes] == [100]
    assert set() < set(alone.top(12)[0]) <= {*WORDS["politics"].split(), *WORDS["sport"].split()}


@pytest.mark.parametrize("labels", [["a", "reference"], [3, 4], [True, False], [0.0, 1.0]])
def test_other_texts_next_to_labels_of_any_kind(labels):
    found = troenpy.terms(["late goal", "own goal"] * 20, np.tile(labels, 20).tolist(), reference=["a vote"] * 30)
    assert sorted(found.top()) == sorted(np.asarray(labels).tolist())
    assert all("goal" in terms for terms in found.top().values())
    less = found.classes[0].less
    assert (less["term"], str(less["example"][0])) == (["vote"], "a vote")


def test_examples_of_rarer_terms_are_from_the_reference():
    found = troenpy.terms(TEXTS, LABELS, reference="food", fdr=1, limit=None)
    of_food = {text for text, label in zip(TEXTS, LABELS, strict=True) if label == "food"}
    rarer = rows_of(found, direction="less")
    assert rarer
    assert all(str(row["example"]) in of_food for row in rarer)


def test_documents_with_several_labels_or_none():
    sets = [[label, "even"] if i % 2 == 0 else [label] if i % 3 else [] for i, label in enumerate(LABELS)]
    found = troenpy.terms(TEXTS, sets, fdr=1, limit=None)
    sport = np.array(["sport" in labels for labels in sets])
    goal = next(iter(rows_of(found, term="goal", **{"class": "sport"})))
    assert goal["documents"] == (has("goal") & sport).sum()
    assert goal["reference_documents"] == (has("goal") & ~sport).sum()
    indicator = np.array([[name in labels for name in ("even", *CLASSES)] for labels in sets]).astype(int)
    by_matrix = troenpy.terms(TEXTS, indicator, fdr=1, limit=None)
    assert [one.more["term"] for one in by_matrix.classes] == [one.more["term"] for one in found.classes]
    against = troenpy.terms(TEXTS, sets, reference="even", fdr=1, limit=None)
    only_sport = np.array(["sport" in labels and "even" not in labels for labels in sets])
    sizes = {one.name: one.n_documents for one in against.classes}
    assert sizes["sport"] == only_sport.sum()
    assert {one.n_reference for one in against.classes} == {75}


def test_a_class_with_three_documents():
    texts = [*TEXTS, "the treaty again", "a treaty of two", "a new treaty"]
    found = troenpy.terms(texts, [*LABELS, "law", "law", "law"])
    law = found.classes[-1]
    assert (law.name, law.n_documents, law.more["term"]) == ("law", 3, ["treaty"])
    assert law.more["rank_low"] == law.more["rank_high"] == [1]


@pytest.mark.parametrize("labels", [["x", "y"], [1, 2], [True, False], np.array([0.0, 1.0])])
def test_labels_of_any_kind(labels):
    found = troenpy.terms(["late goal", "own vote"] * 20, np.tile(labels, 20).tolist())
    assert [one.name for one in found.classes] == sorted(np.asarray(labels).tolist())
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.only([str(np.asarray(labels).tolist()[1])]).classes[0].n_more == 2


def columns_of_every_kind():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    yield pd.Series(TEXTS), pd.Series(LABELS)
    yield pd.Series(TEXTS, index=range(150, 300)), pd.Categorical(LABELS)
    yield pl.Series(TEXTS), pl.Series(LABELS)
    yield pa.array(TEXTS), pa.array(LABELS)
    yield pa.chunked_array([TEXTS[:70], TEXTS[70:]]), pa.chunked_array([LABELS])
    yield pa.table({"text": TEXTS}), np.array(LABELS)
    yield np.array(TEXTS), tuple(LABELS)
    yield iter(TEXTS), LABELS


def test_columns_of_every_kind(found):
    for texts, labels in columns_of_every_kind():
        assert troenpy.terms(texts, labels, fdr=1, limit=None).to_dict() == found.to_dict()


def test_without_spaces_between_words_terms_are_letters_and_pairs():
    found = troenpy.terms(["房间很大。", "服务很差！"] * 20, ["好", "坏"] * 20)
    assert found.view == "pairs"
    assert "很 大" in found.only(["好"]).classes[0].more["term"]
    assert "\n  大 " not in str(found)  # a letter of the pair that is shown
    assert found.notices == [
        "texts in a script without spaces between words: terms are letters and pairs (view 'pairs')"
    ]


def test_views_and_ngrams():
    assert "own goal" in troenpy.terms(["own goal", "the vote"] * 9, [0, 1] * 9, ngrams=(1, 2)).classes[0].more["term"]
    pieces = troenpy.terms(["own goal", "the vote"] * 9, [0, 1] * 9, view="pieces")
    assert " goa" in pieces.classes[0].more["term"]
    own = troenpy.terms(["own goal", "the vote"] * 9, [0, 1] * 9, view=CountVectorizer(stop_words=["the"]))
    assert own.classes[1].more["term"] == ["vote"]


def test_shuffled_labels_have_discoveries_as_rarely_as_promised():
    """Of 200 shuffles at most 5 % and two standard errors, whatever `min_class_df` leaves out."""
    rng, n_found, X = np.random.default_rng(0), {2: 0, 5: 0}, CountVectorizer().fit_transform(TEXTS)
    for _ in range(200):
        counts = troenpy.ClassCounts.from_matrix(X, rng.permutation(LABELS))
        for least in n_found:
            n_found[least] += any(len(one.columns) for one in TermTests(counts, least).discoveries(0.05))
    assert max(n_found.values()) <= 200 * (0.05 + 2 * np.sqrt(0.05 * 0.95 / 200))
    assert any(len(one.columns) for one in TermTests(troenpy.ClassCounts.from_matrix(X, LABELS), 2).discoveries(0.05))


def test_a_share_of_the_documents_of_a_class():
    found = troenpy.terms(TEXTS, LABELS, min_class_df=0.3, fdr=1, limit=None)
    labels = np.array(LABELS)
    words = {word for text in TEXTS for word in text.split() if len(word) > 1}
    assert found.n_tested == sum(max((has(w) & (labels == name)).sum() for name in CLASSES) >= 15 for w in words)
    assert found.n_tests == 3 * sum(has(w).sum() >= 15 for w in words)


def test_bounded_terms_keep_the_frequent_ones():
    texts = [f"{text} {number}x" for number, text in enumerate(TEXTS)]
    found = troenpy.terms(texts, LABELS, max_terms=60)
    assert {name: set(terms) for name, terms in found.top(5).items()} == {n: set(w.split()) for n, w in WORDS.items()}
    assert "more than 60 terms: some of those in up to" in found.notices[0]


def test_nothing_significant_is_said():
    found = troenpy.terms(["a goal", "the goal"] * 5, [0, 1] * 5, view="words", min_class_df=1)
    assert found.n_discoveries == 2
    found = troenpy.terms(["own goal", "late goal", "late goal", "own goal"], [0, 1, 0, 1])
    assert found.n_discoveries == 0
    assert str(found).count("no term is significantly more frequent here") == 2
    assert found.to_frame().empty


HOSTILE = ["<script>alert(1)</script>", "a\nb\x1b[2J", "\ud800", "", "🙂" * 30, "rest", "class"]


def test_hostile_names_and_texts(tmp_path):
    texts = [f"word{number} {word} \ud800 <b>" for number, word in enumerate(["goal", "vote", "vote", "law"] * 35)]
    found = troenpy.terms(texts, [HOSTILE[i % 7 if i % 3 else 0] for i in range(140)], fdr=1)
    assert {one.name for one in found.classes} == set(HOSTILE)
    assert "\x1b" not in str(found)
    assert "\ud800" not in str(found)
    assert "<script>" not in found._repr_html_()
    assert len(found.to_frame()) > 0
    for name in ("x.csv", "x.tsv", "x.jsonl", "x.parquet"):
        found.save(tmp_path / name)
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["class"] for line in lines} <= {*HOSTILE[:2], "\\ud800", *HOSTILE[3:]}


def test_the_sample_of_texts_is_bounded_and_does_not_depend_on_order():
    texts = [f"text {number} " + "x" * (number % 50) for number in range(500)]
    numbers = [(number % 3,) if number % 7 else () for number in range(500)]
    samples = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(500)
        sample = TextSample(limit=2000)
        for places in np.array_split(order, 9):
            chosen = [texts[i] for i in places]
            sample.add(chosen, text_hashes(chosen).tolist(), [numbers[i] for i in places])
        samples.append([sample.of_class(number) for number in (-1, 0, 1, 2)])
    assert samples[0] == samples[1] == samples[2]
    assert all(0 < sum(len(one.text) for one in of_class) <= 500 for of_class in samples[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "word"}, "view must be auto, words, pairs, pieces or a CountVectorizer, got 'word'"),
        ({"scheme": "tfidf"}, r"unknown scheme 'tfidf' \(did you mean"),
        ({"fdr": 0}, "fdr must be a positive, finite number, got 0"),
        ({"fdr": 1.5}, "fdr must be above 0 and at most 1, got 1.5"),
        ({"prior": -1}, "prior must be a positive, finite number, got -1"),
        ({"limit": 0}, "limit must be a whole number of at least 1, got 0"),
        ({"min_class_df": 0}, "min_class_df must be None, a whole number"),
        ({"min_class_df": 1000}, "no term is in min_class_df=1000 documents of a class: lower it"),
        ({"ngrams": (2, 1)}, r"ngrams must be at least 1 and in order, got \(2, 1\)"),
        (
            {"reference": "sports"},
            "reference 'sports' is neither 'rest', nor a file, nor a class; did you mean 'sport'",
        ),
        ({"max_terms": 0}, "max_terms must be a whole number of at least 1, got 0"),
    ],
)
def test_errors_name_the_parameter(options, message):
    with pytest.raises(ValueError, match=message):
        troenpy.terms(TEXTS, LABELS, **options)


def test_errors_about_texts_and_labels():
    with pytest.raises(ValueError, match="one label per document, got 149 labels for 150 documents"):
        troenpy.terms(TEXTS, LABELS[:-1])
    with pytest.raises(ValueError, match="y must hold one label per document, got 149 labels for 150 documents"):
        troenpy.terms(iter(TEXTS), LABELS[:-1])
    with pytest.raises(ValueError, match="all documents are of class 'x': there must be two, or other texts"):
        troenpy.terms(TEXTS, ["x"] * 150)
    with pytest.raises(ValueError, match=r"document 1 is missing \(None\)"):
        troenpy.terms(["a", None, "b"], ["x", "y", "y"])
    with pytest.raises(ValueError, match="there is no class 'spor'"):
        troenpy.terms(TEXTS, LABELS).only(["spor"])
    with pytest.raises(ValueError, match=r"terms are written to \.csv"):
        troenpy.terms(TEXTS, LABELS).save("x.xlsx")


def test_no_cell_of_a_csv_is_a_formula(tmp_path):
    texts = [f"{text} {'+1' if label == 'sport' else ''}" for text, label in zip(TEXTS, LABELS, strict=True)]
    found = troenpy.terms(texts, [f"={label}" for label in LABELS], view="pairs")
    assert any(term.startswith("+") for one in found.classes for term in one.more["term"])
    found.save(tmp_path / "x.csv")
    found.save(tmp_path / "x.jsonl")
    cells = [cell for line in (tmp_path / "x.csv").read_text().splitlines() for cell in line.split(",")[:3]]
    assert "'=sport" in cells
    assert not [cell for cell in cells if cell.strip('"').startswith(("=", "+", "-", "@"))]
    first = json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])
    assert first["class"].startswith("=")


def test_notices_are_heard_while_a_large_file_is_read(tmp_path, monkeypatch):
    path, events = tmp_path / "x.json", []
    path.write_text(json.dumps(ROWS), encoding="utf-8")

    def heard():
        events.clear()
        found = tasks.terms_file(path, on_notice=events.append, callback=lambda step: events.append(step.text))
        assert [line for line in events if line not in ("reading", "testing terms")] == found.notices
        return [events.index(line) for line in found.notices]

    assert min(heard()) > events.index("testing terms")  # so errors of a small file are one line
    monkeypatch.setattr("troenpy.records.json_array.N_ROWS", 40)
    assert min(heard()) == 1
    assert events.count("reading") > 2


def test_outputs_replace_no_input(tmp_path):
    path, other = tmp_path / "x.csv", tmp_path / "other.csv"
    write_csv(path, ROWS)
    write_csv(other, ROWS)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"the terms would replace the file, .*x\.csv: choose another name"):
        tasks.terms_file(path, path)
    with pytest.raises(ValueError, match="the terms would replace the reference"):
        tasks.terms_file(path, other, reference=str(other))
    assert path.read_bytes() == before
    tasks.terms_file(path, tmp_path / "terms.csv", classes=["sport"])
    lines = (tmp_path / "terms.csv").read_text(encoding="utf-8").splitlines()
    assert {line.split(",")[0] for line in lines[1:]} == {"sport"}
