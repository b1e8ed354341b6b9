"""train: what it learns, measures, says and saves."""

import io
import json
import re

import numpy as np
import pytest

pytest.importorskip("pyarrow")
from made_up_files import made_up, write_csv, write_lines

import troenpy
from troenpy import TroenpyClassifier, tasks
from troenpy.models.default_views import linear_features
from troenpy.tasks import learning, train
from troenpy.tasks.new_models import new_classifier


def texts_and_labels(rows):
    return [row["text"] for row in rows], [row["label"] for row in rows]


def test_the_model_is_that_of_the_class_and_is_saved(reviews, rows):
    result = train(reviews, "reviews.model")
    expected = TroenpyClassifier(n_jobs=-1).fit(*texts_and_labels(rows))
    for model in (result.model, troenpy.load("reviews.model")):
        assert np.array_equal(model.coef_, expected.coef_)
        assert (model.predict(["the keeper saves a goal"]) == ["sport"]).all()
    assert result.about.n_documents == 120
    assert result.about.n_by_class == {"food": 40, "politics": 40, "sport": 40}
    assert result.notices == [
        "reviews.csv: CSV, separated by commas",
        "reviews.csv: text from column 'text', label from column 'label'",
    ]


def test_the_error_is_that_of_models_that_did_not_see_the_documents(reviews, rows):
    result = train(reviews, C=3)
    from troenpy.tasks.documents import Documents
    from troenpy.tasks.tested_parts import drawn_parts

    texts, labels = texts_and_labels(rows)
    parts = drawn_parts(Documents(texts, labels), seed=0).parts
    n_wrong = 0
    for part in parts:
        learnt = np.setdiff1d(np.arange(len(texts)), part)
        model = new_classifier(C=3).fit([texts[i] for i in learnt], [labels[i] for i in learnt])
        n_wrong += (model.predict([texts[i] for i in part]) != [labels[i] for i in part]).sum()
    assert (result.evaluation.n_documents, result.evaluation.n_wrong) == (120, n_wrong)
    assert result.evaluation.method == "5-fold cross-validation"
    assert result.evaluation.error < 0.5


def test_a_test_file(reviews, in_folder):
    write_lines(in_folder / "test.jsonl", made_up(45, seed=5))
    result = train(reviews, test="test.jsonl", C=3)
    assert (result.evaluation.method, result.evaluation.n_documents) == ("test.jsonl", 45)
    assert result.about.n_documents == 120


def test_a_split_column(in_folder):
    rows = made_up(90)
    for number, row in enumerate(rows):
        row["part"] = "dev" if number >= 80 else "test" if number % 4 == 0 else "train"
    write_csv(in_folder / "x.csv", rows)
    result = train("x.csv", split_column="part", C=3)
    assert (result.evaluation.n_documents, result.about.n_documents) == (20, 60)
    assert "warning: 10 rows with 'dev' in column 'part' left out: neither train nor test" in result.notices
    learnt = [row for row in rows if row["part"] == "train"]
    expected = new_classifier(C=3).fit(*texts_and_labels(learnt))
    assert np.array_equal(result.model.coef_, expected.coef_)
    tested = [row for row in rows if row["part"] == "test"]
    texts, labels = texts_and_labels(tested)
    assert result.evaluation.n_wrong == (expected.predict(texts) != labels).sum()


def test_the_baseline_is_the_class_most_frequent_in_training(in_folder):
    learnt = [{**row, "part": "train"} for row in made_up(60) if row["label"] != "food" or int(row["id"]) < 30]
    tested = [{**row, "part": "test"} for row in made_up(30, seed=1) if row["label"] == "food" or int(row["id"]) < 9]
    write_csv(in_folder / "x.csv", [*learnt, *tested])
    right = sum(row["label"] == "politics" for row in tested) / len(tested)
    said = str(train("x.csv", split_column="part", C=3))
    assert f"(always predicting politics would be wrong for {100 * (1 - right):.2f} %)" in said


def test_a_split_column_of_something_else(reviews):
    with pytest.raises(
        ValueError, match=r"the column 'label' must say 'train' for some rows .*, got 'food', 'politics'"
    ):
        train(reviews, split_column="label")


def test_groups_are_not_torn(in_folder, monkeypatch):
    rows = made_up(120)
    for number, row in enumerate(rows):
        row["author"] = f"author {number // 6}"
    write_csv(in_folder / "x.csv", rows)
    seen = []
    original = learning.predicted_labels
    monkeypatch.setattr(learning, "predicted_labels", lambda model, texts: seen.append(texts) or original(model, texts))
    train("x.csv", group_column="author", C=3)
    authors = [{row["author"] for row in rows if row["text"] in texts} for texts in seen]
    assert len(authors) == 5
    assert sum(map(len, authors)) == len(set.union(*authors)) == 20


def test_several_labels(in_folder):
    rows = made_up(90)
    for row in rows:
        row["label"] += "; new" if " new " in f" {row['text']} " else ""
    write_csv(in_folder / "x.csv", rows)
    result = train("x.csv", "x.model", separator=";", C=3)
    assert result.model.classes_.tolist() == ["food", "new", "politics", "sport"]
    assert result.evaluation.confused == ()
    assert "baseline" not in str(result)
    assert result.about.separator == ";"
    predicted = tasks.predict("x.model", io.BytesIO(b"id,text\n1,the new goal of the keeper\n")).to_frame()
    assert predicted["prediction"].tolist() == ["new;sport"]


def test_neighbours(reviews):
    result = train(reviews, "k.model", model="knn", ngrams=(1, 1))
    assert type(troenpy.load("k.model")).__name__ == "TextKNeighborsClassifier"
    assert "TextKNeighborsClassifier of pairs + pieces\n" in str(result)
    assert result.evaluation.error < 0.5


def test_a_classifier_of_ones_own(reviews):
    given = TroenpyClassifier(linear_features("words"), C=1)
    result = train(reviews, model=given)
    assert result.model.C_ == 1
    assert [view.name for view in result.model.features_.views_] == ["words"]
    assert not hasattr(given, "classes_")
    with pytest.raises(ValueError, match="C cannot be set for a classifier: set its own parameters"):
        train(reviews, model=given, C=2)
    with pytest.raises(TypeError, match="model must be 'linear', 'knn' or a text classifier of troenpy, got list"):
        train(reviews, model=[])


def test_the_summary_fits_80_columns(in_folder):
    rows = made_up(60)
    for row in rows:
        row["label"] = f"{row['label']} with a name that is longer than any table can show\x1b[2J"
    write_csv(in_folder / "x.csv", rows)
    shown = str(train("x.csv", "a file with a long name.model", C=3))
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    assert "sport with a name t…" in shown
    assert re.search(r"^\(always predicting .* would be wrong for 66\.67 %\)$", shown, flags=re.MULTILINE)


def test_the_result_as_data(reviews):
    result = train(reviews, "x.model", C=3)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["C"] == 3
    assert found["views"] == ["pairs", "pieces"]
    assert found["evaluation"]["n_documents"] == 120
    assert set(found["terms"]) == {"food", "politics", "sport"}
    assert set(found["terms"]["food"]) & {"salt", "oven", "soup", "rice", "oil"}
    frame = result.to_frame()
    assert frame["class"].tolist() == ["food", "politics", "sport"]
    assert frame["recall"].tolist() == [one.recall for one in result.evaluation.classes]
    assert result._repr_html_().count("<tr>") == 4


@pytest.mark.parametrize("is_pipe", [False, True])
def test_in_passes_it_learns_nearly_the_same(reviews, rows, is_pipe):
    source = Pipe(reviews.read_bytes()) if is_pipe else reviews
    told = []
    result = train(source, "p.model", in_memory=False, C=3, callback=lambda step: told.append(step.text))
    assert result.about.in_passes
    assert any("learnt from in passes" in notice for notice in result.notices)
    n_tested = result.evaluation.n_documents
    assert 5 <= n_tested <= 60
    assert result.about.n_documents == 120 - n_tested
    assert result.evaluation.method == "held out once"
    texts, labels = texts_and_labels(rows)
    model = troenpy.load("p.model")
    assert (model.predict(texts) != labels).mean() < 0.4
    for stage in ("reading", "counting terms", "learning, pass 1", "measuring the error", "saving the model"):
        assert stage in told


class Pipe(io.RawIOBase):
    """A file that cannot seek."""

    def __init__(self, content):
        super().__init__()
        self._rest = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self._rest.readinto(buffer)


def test_a_large_file_goes_in_passes_by_itself(reviews, monkeypatch):
    monkeypatch.setattr(learning, "MOST_CHARACTERS", 1000)
    assert train(reviews, C=3).about.in_passes
    assert not train(reviews, C=3, in_memory=True).about.in_passes
    with pytest.raises(ValueError, match=r"reviews.csv is too large for model 'knn', .* or\s+in_memory=True"):
        train(reviews, model="knn")


def test_in_passes_with_a_split_column_and_groups(in_folder):
    rows = made_up(120)
    for number, row in enumerate(rows):
        row["part"] = "dev" if number >= 110 else "test" if number % 4 == 0 else "train"
        row["author"] = f"author {number // 6}"
    write_csv(in_folder / "x.csv", rows)
    result = train("x.csv", split_column="part", in_memory=False, C=3)
    assert (result.evaluation.n_documents, result.about.n_documents) == (28, 82)
    assert result.about.n_by_class == {"food": 27, "politics": 28, "sport": 27}
    result = train("x.csv", group_column="author", in_memory=False, C=3)
    assert result.evaluation.n_documents % 6 == 0


def test_too_few_to_measure(in_folder):
    write_csv(in_folder / "x.csv", made_up(8))
    result = train("x.csv", "x.model")
    assert result.evaluation is None
    assert "too few documents to measure the error: the model is not tested" in result.notices
    assert tasks.info("x.model").about.evaluation is None
    assert max(map(len, str(tasks.info("x.model")).splitlines())) <= 80


BROKEN = 'text,label\na goal,sport\n,sport\na vote,politics\nthe cup,sport\nthe law,\n"x",y,z\nthe tax,politics\n'


def test_broken_rows_stop_it_or_are_counted(in_folder):
    (in_folder / "x.csv").write_text(BROKEN)
    with pytest.raises(ValueError, match=r"row 2 \(line 3\) of x.csv has no text: mend it, or skip"):
        train("x.csv", "x.model")
    assert not (in_folder / "x.model").exists()
    result = train("x.csv", "x.model", on_error="skip")
    assert (result.about.n_documents, result.about.n_skipped) == (4, 3)
    assert "1 row has no label: 5" in result.warnings
    assert "1 row has too many or too few cells: 6" in result.warnings


@pytest.mark.parametrize("argument", ["out", "test"])
def test_the_same_file_is_not_overwritten(reviews, argument):
    before = reviews.read_bytes()
    if argument == "out":
        with pytest.raises(ValueError, match=r"the model would replace the file it is learnt from, ./reviews.csv"):
            train(reviews, "./reviews.csv")
    else:
        with pytest.raises(ValueError, match="split_column says which rows are for testing"):
            train(reviews, test=reviews, split_column="label")
    assert reviews.read_bytes() == before


def test_an_interruption_leaves_the_old_model(reviews, in_folder):
    (in_folder / "x.model").write_bytes(b"old")

    def interrupt(step):
        if step.text == "saving the model":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(reviews, "x.model", C=3, callback=interrupt)
    assert (in_folder / "x.model").read_bytes() == b"old"
    assert sorted(path.name for path in in_folder.iterdir()) == ["reviews.csv", "x.model"]


def test_the_test_file_has_other_labels(reviews, in_folder):
    write_csv(in_folder / "test.csv", [{"text": "a goal", "label": "sport"}, {"text": "a tree", "label": "forest"}])
    result = train(reviews, test="test.csv", C=3)
    assert result.evaluation.n_documents == 2
    assert {one.name: one.recall for one in result.evaluation.classes}["forest"] == 0.0


class TestOptions:
    def test_words_in_a_term(self):
        params = new_classifier(ngrams=(1, 3)).get_params()
        assert params["features__pairs__ngram_range"] == (1, 3)
        assert params["candidates"] == [("pairs",), ("pairs", "pieces")]

    def test_stop_words_and_min_df(self, in_folder):
        (in_folder / "words.txt").write_text("the\n\n a \n", encoding="utf-8-sig")
        params = new_classifier(stop_words="words.txt", min_df=2).get_params()
        assert params["features__words__stop_words"] == params["features__pairs__stop_words"] == ["the", "a"]
        assert {params[f"features__{name}__min_df"] for name in ("words", "pairs", "pieces")} == {2}
        assert new_classifier(stop_words=["x"], views=[("words",)]).get_params()["features__words__stop_words"] == ["x"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"model": "svm"}, "model must be 'linear' or 'knn', got 'svm'"),
            ({"views": [("words", "word")]}, "views must be among words, pairs, pieces, got 'word'"),
            ({"ngrams": (2, 1)}, r"ngrams must be at least 1 and in order, got \(2, 1\)"),
            ({"ngrams": 2}, r"ngrams must be two whole numbers such as \(1, 2\), got 2"),
            ({"model": "knn", "C": 3}, "C belongs to model 'linear', got C=3 with model 'knn'"),
            ({"model": "knn", "views": [("words",), ("pairs",)]}, "model 'knn' does not choose its views"),
        ],
    )
    def test_bad_ones(self, options, message):
        with pytest.raises(ValueError, match=message):
            new_classifier(**options)

    def test_no_file_of_stop_words(self):
        with pytest.raises(FileNotFoundError, match=r"stop_words must be 'english' or a file .*, got nothing.txt"):
            new_classifier(stop_words="nothing.txt")


class TestSparedFiles:
    def test_no_input_is_replaced(self, reviews, in_folder):
        write_lines(in_folder / "test.jsonl", made_up(30))
        (in_folder / "stop.txt").write_text("the\n")
        (in_folder / "link.jsonl").symlink_to("test.jsonl")
        before = {path: path.read_bytes() for path in in_folder.iterdir()}
        for out, what in [
            ("test.jsonl", "the test file"),
            ("link.jsonl", "the test file"),
            ("stop.txt", "the list of stop words"),
        ]:
            with pytest.raises(ValueError, match=f"the model would replace {what}, {out}: choose another name"):
                train(reviews, out, test="test.jsonl", stop_words="stop.txt")
        assert before == {path: path.read_bytes() for path in in_folder.iterdir()}

    def test_a_folder_that_is_learnt_from_gets_no_file(self, in_folder):
        for row in made_up(30):
            folder = in_folder / "texts" / row["label"]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{row['id']}.txt").write_text(row["text"])
        message = "the model would be written into the file it is learnt from, the folder texts: choose another place"
        with pytest.raises(ValueError, match=message):
            train("texts", "texts/x.model")


class TestTestedFile:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "file not found: test.csv"),
            ("", "test.csv is empty"),
            ("text,label\n", "test.csv has no documents to test on"),
            ("body,label\nx,sport\n", "text 'text' is not a column of test.csv"),
            ("text,label\nx,sport\n,food\n", r"row 2 \(line 3\) of test.csv has no text"),
        ],
    )
    def test_it_is_checked_before_the_model_is_fitted(self, reviews, in_folder, content, message, monkeypatch):
        if content is not None:
            (in_folder / "test.csv").write_text(content)
        monkeypatch.setattr(TroenpyClassifier, "fit", None)
        with pytest.raises((ValueError, FileNotFoundError), match=message):
            train(reviews, test="test.csv")

    def test_another_kind_of_labels(self, reviews, in_folder):
        write_lines(in_folder / "test.jsonl", [{"text": "x", "label": ["sport", "food"]}])
        with pytest.raises(ValueError, match=r"test.jsonl has several labels in a row, the training file one label"):
            train(reviews, test="test.jsonl")

    def test_documents_and_labels_that_make_no_sense_are_warned_of(self, reviews, rows, in_folder):
        odd = [*rows[:3], {"id": "x", "text": "never seen", "label": "opera"}]
        write_lines(in_folder / "test.jsonl", odd)
        found = train(reviews, test="test.jsonl", C=3).warnings
        assert found == (
            "3 of 4 documents of test.jsonl have a text that is in the training file, too: the error of new ones is"
            " larger",
            "1 label of test.jsonl is not in the training file, and never predicted: 'opera' (1 document)",
        )

    def test_it_may_come_from_a_pipe(self, reviews, in_folder, monkeypatch):
        content = "".join(json.dumps(row) + "\n" for row in made_up(30, seed=5)).encode()

        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        assert train(reviews, test=Pipe(content), C=3).evaluation.n_documents == 30


def test_few_groups_are_tested(in_folder):
    rows = [{**row, "author": f"a{i % 6}"} for i, row in enumerate(made_up(60))]
    write_csv(in_folder / "x.csv", rows)
    assert train("x.csv", group_column="author", C=3).evaluation.method == "5-fold cross-validation"
    write_csv(in_folder / "x.csv", [{**row, "author": f"a{i % 3}"} for i, row in enumerate(rows)])
    found = train("x.csv", group_column="author", C=3)
    assert found.evaluation is None
    assert found.notices[-1] == "too few different documents and groups to measure the error: the model is not tested"


def test_options_that_contradict_each_other_or_do_nothing(reviews):
    with pytest.raises(ValueError, match="max_terms is for learning in passes: leave it out"):
        train(reviews, max_terms=5, in_memory=True)
    assert "all terms are kept: max_terms is for learning" in train(reviews, max_terms=5, C=3).notices[-1]
    for options in ({"C": -1}, {"seed": -1}, {"seed": 1 << 32}, {"jobs": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            train("nothing is opened", **options)


def test_notices_are_heard_before_the_model_is_fitted(reviews, monkeypatch):
    heard = []

    def fit(*_):
        raise RuntimeError(*heard)

    monkeypatch.setattr(TroenpyClassifier, "fit", fit)
    with pytest.raises(RuntimeError, match=r"CSV, separated by commas.*text from column 'text'"):
        train(reviews, on_notice=heard.append)


def test_counts_of_another_command_are_counted_again(reviews, in_folder, monkeypatch):
    from troenpy.features import checkpoints

    monkeypatch.setattr(checkpoints, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoints, "TIMES_WRITING", 0.0)
    monkeypatch.setattr(checkpoints.Checkpoint, "remove", lambda self: None)  # as if the command had been killed
    options = {"in_memory": False, "C": 3, "views": [("words",)]}
    train(reviews, "x.model", **options)
    saved = in_folder / ".x.model.counts"
    assert saved.exists()
    stale = "the counts that an earlier command left behind are of other documents or settings: terms are counted again"
    assert stale not in train(reviews, "x.model", **options).notices
    assert stale in train(reviews, "x.model", **options, stop_words=["goal"]).notices
    saved.write_bytes(b"damaged")
    found = train(reviews, "x.model", **options)
    assert stale in found.notices
    assert np.array_equal(found.model.coef_, train(reviews, **options).model.coef_)
