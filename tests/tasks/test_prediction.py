"""predict: every row and column in order, and what the model says of each."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.parquet as pq
from made_up_files import made_up, write_csv, write_lines

import troenpy
from troenpy import TroenpyClassifier, settings, tasks
from troenpy.tasks import predict, prediction, train


@pytest.fixture
def model(in_folder):
    rows = made_up(90, seed=3)
    fitted = settings.classifier("linear", C=3).fit([row["text"] for row in rows], [row["label"] for row in rows])
    troenpy.save(fitted, "x.model")
    return fitted


def read_back(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_rows_and_columns_in_order_and_the_prediction(model, reviews, rows, in_folder):
    result = predict("x.model", reviews, "out.csv")
    found = read_back(in_folder / "out.csv")
    expected = model.predict([row["text"] for row in rows]).tolist()
    assert found == [{**row, "prediction": label} for row, label in zip(rows, expected, strict=True)]
    assert (result.n_rows, result.n_broken, result.out) == (120, 0, "out.csv")
    assert result.n_by_label == {label: expected.count(label) for label in sorted(set(expected))}
    assert result.to_frame()["rows"].sum() == 120
    assert json.loads(json.dumps(result.to_dict()))["n_rows"] == 120


@pytest.mark.parametrize("jobs", [1, 2, -1])
def test_whatever_the_threads_and_blocks_rows_are_the_same(model, in_folder, jobs, monkeypatch):
    rows = made_up(3000, seed=7)
    write_csv(in_folder / "x.csv", rows)
    predict("x.model", "x.csv", "all.csv", proba=True)
    monkeypatch.setattr(prediction, "MOST_PROBABILITIES", 300)
    told = []
    predict("x.model", "x.csv", "parts.csv", proba=True, jobs=jobs, callback=lambda step: told.append(step))
    assert (in_folder / "all.csv").read_bytes() == (in_folder / "parts.csv").read_bytes()
    assert [step.n_rows for step in told] == list(range(100, 3001, 100))
    assert told[-1].done == 1.0


def test_probabilities_and_the_most_probable_classes(model, reviews, rows):
    found = predict("x.model", reviews, proba=True, top=2).to_frame()
    expected = model.predict_proba([row["text"] for row in rows])
    columns = [f"probability_{name}" for name in ("food", "politics", "sport")]
    assert list(found)[4:] == [*columns, "top_1", "top_1_probability", "top_2", "top_2_probability"]
    assert found[columns].to_numpy() == pytest.approx(expected)
    assert (found["top_1"] == found["prediction"]).all()
    assert found["top_2_probability"].to_numpy() == pytest.approx(np.sort(expected)[:, 1])
    assert "top_4" not in predict("x.model", reviews, top=9).to_frame()


def test_below_the_threshold_the_prediction_is_empty(model, reviews, rows):
    best = model.predict_proba([row["text"] for row in rows]).max(axis=1)
    threshold = float(np.median(best))
    found = predict("x.model", reviews, threshold=threshold)
    assert (found.to_frame()["prediction"] == "").tolist() == (best < threshold).tolist()
    assert found.n_by_label[""] == (best < threshold).sum()
    assert "(none)" in str(found)


def test_explanations_name_the_strongest_terms(model, in_folder):
    write_csv(in_folder / "x.csv", [{"text": "the keeper saves a goal"}, {"text": "zzz"}])
    first, second = predict("x.model", "x.csv", explain=2).to_frame()["explanation"]
    shown = model.explain("the keeper saves a goal").shown
    assert re.fullmatch(rf"{shown.names[0]} \+\d\.\d\d, {shown.names[1]} [+-]\d\.\d\d", first)
    assert second == ""


def test_neighbours_explain_by_shared_terms(in_folder):
    rows = made_up(60)
    write_csv(in_folder / "x.csv", rows)
    train("x.csv", "k.model", model="knn", views=[("words",)])
    found = predict("k.model", "x.csv", explain=1, proba=True).to_frame()
    assert (found["prediction"] == found["label"]).mean() > 0.7
    assert all(re.fullmatch(r"\w+ \+\d\.\d\d", shown) for shown in found["explanation"])


def test_broken_rows_stay_in_place_without_a_prediction(model, in_folder):
    (in_folder / "x.csv").write_bytes(
        "text,id\na goal,1\n,2\na vote\nthe ? law,4\nsoupé,5\nsoup é,6\n".encode().replace(b"?", b"\xff")
    )
    result = predict("x.model", "x.csv", "out.csv", proba=True, top=1, explain=1)
    found = read_back(in_folder / "out.csv")
    assert [row["prediction"] for row in found] == ["sport", "", "", "", "food", "food"]
    assert [row["probability_food"] == "" for row in found] == [False, True, True, True, False, False]
    assert [row["top_1"] for row in found] == ["sport", "", "", "", "food", "food"]
    assert [row["id"] for row in found] == ["1", "2", "", "4", "5", "6"]
    assert found[3]["text"] == "the \N{REPLACEMENT CHARACTER} law"
    assert (result.n_rows, result.n_broken) == (6, 3)
    assert result.problems == [
        "1 row has no text: 2",
        "1 row has too many or too few cells: 3",
        "1 row has bytes that are not text: 4",
    ]
    assert result.warnings == [
        "1 row has too many or too few cells: 3; cells beyond those of the header are not in the output",
        "1 row has bytes that are not text: 4; such bytes are replaced in the output",
    ]
    with pytest.raises(ValueError, match=r"row 2 \(line 3\) of x.csv has no text"):
        predict("x.model", "x.csv", "stopped.csv", on_error="stop")
    assert not (in_folder / "stopped.csv").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_keys_of_later_rows_are_kept_in_json_and_said_elsewhere(model, in_folder, jobs, monkeypatch):
    monkeypatch.setattr(prediction, "ROWS_AT_ONCE", 300)
    rows = [{**row, **({"note": number} if number > 1000 else {})} for number, row in enumerate(made_up(1100))]
    write_lines(in_folder / "x.jsonl", rows)
    result = predict("x.model", "x.jsonl", "out.jsonl", jobs=jobs)
    found = [json.loads(line) for line in (in_folder / "out.jsonl").read_text().splitlines()]
    assert [{key: row[key] for key in row if key != "prediction"} for row in found] == rows
    assert result.warnings == []
    for out in ("out.csv", "out.parquet", None):
        assert predict("x.model", "x.jsonl", out, jobs=jobs).warnings == [
            "99 rows have keys that are not in the first rows, and not in the output: 'note'; write .jsonl to keep them"
        ]


def test_missing_columns_of_text_are_said(in_folder):
    rows = [{"title": row["text"], "body": "", "label": row["label"]} for row in made_up(60)]
    write_csv(in_folder / "x.csv", rows)
    train("x.csv", "t.model", text=["title", "body"], C=3)
    write_csv(in_folder / "y.csv", [{"title": row["title"], "n": "1"} for row in rows])
    assert predict("t.model", "x.csv").warnings == []
    assert predict("t.model", "y.csv").warnings == [
        "y.csv has no column 'body', which the model has learnt from: predicted from column 'title'"
    ]
    assert predict("t.model", "y.csv", text="title").warnings == []


def test_lines_that_are_not_json_are_said_to_be_lost(model, in_folder):
    (in_folder / "x.jsonl").write_text('{"text": "a goal"}\n{broken\n[1]\n')
    assert predict("x.model", "x.jsonl").warnings == [
        "1 row is not JSON: 2; such content is not in the output",
        "1 row is not a JSON object: 3; such content is not in the output",
    ]


def test_a_column_of_that_name_gets_a_number(model, in_folder):
    rows = [{"text": "a goal", "prediction": "old", "prediction_2": "older", "top_1": "x"}]
    write_csv(in_folder / "x.csv", rows)
    result = predict("x.model", "x.csv", top=1)
    assert result.to_frame().iloc[0].to_dict() == {
        **rows[0], "prediction_3": "sport", "top_1_2": "sport", "top_1_probability": pytest.approx(0.9, abs=0.2),
    }  # fmt: skip
    assert "the file has a column 'prediction': the new one is 'prediction_3'" in result.notices


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_out_is_a_format_in(model, in_folder, ending, rows):
    write_lines(in_folder / "x.jsonl", [{**row, "tags": [1, "a"]} for row in rows])
    predict("x.model", "x.jsonl", f"out.{ending}")
    again = predict("x.model", f"out.{ending}", text="text").to_frame()
    assert again["prediction_2"].tolist() == again["prediction"].tolist()
    assert again["text"].tolist() == [row["text"] for row in rows]
    if ending == "jsonl":
        first = json.loads((in_folder / "out.jsonl").read_text().splitlines()[0])
        assert first == {**rows[0], "tags": [1, "a"], "prediction": first["prediction"]}
    if ending == "parquet":
        assert pq.read_table(in_folder / "out.parquet").num_rows == 120


def test_columns_of_the_training_file_are_used_again(in_folder, rows):
    renamed = [{"title": "x", "body": row["text"], "kind": row["label"]} for row in rows]
    write_csv(in_folder / "x.csv", renamed)
    train("x.csv", "x.model", text="body", label="kind", C=3)
    result = predict("x.model", "x.csv")
    assert (result.to_frame()["prediction"] == result.to_frame()["kind"]).mean() > 0.8
    assert result.notices == ["x.csv: CSV, separated by commas"]


def test_a_fitted_classifier_and_open_files(model, rows):
    source = io.BytesIO("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    out = io.BytesIO()
    result = predict(model, source, out)
    assert out.getvalue().startswith(b"id,text,label,prediction\n")
    assert (result.source, result.n_rows) == ("the stream", 120)
    table = pa.Table.from_pylist(rows)
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    stream.seek(0)
    assert predict(model, stream).to_frame()["prediction"].tolist() == model.predict([r["text"] for r in rows]).tolist()


def test_a_header_without_rows(model, in_folder):
    (in_folder / "x.csv").write_text("text,id\n")
    assert predict("x.model", "x.csv", "out.csv").n_rows == 0
    assert (in_folder / "out.csv").read_text() == "text,id,prediction\n"
    (in_folder / "e.csv").write_text("")
    with pytest.raises(ValueError, match=r"e.csv is empty"):
        predict("x.model", "e.csv", "none.csv")
    assert not (in_folder / "none.csv").exists()


def test_several_labels_and_a_threshold(in_folder):
    rows = made_up(90)
    for row in rows:
        row["label"] += "|new" if " new " in f" {row['text']} " else ""
    write_csv(in_folder / "x.csv", rows)
    train("x.csv", "x.model", separator="|", C=3)
    texts = [row["text"] for row in rows]
    fitted = troenpy.load("x.model")
    for threshold in (None, 0.2):
        found = predict("x.model", "x.csv", threshold=threshold).to_frame()["prediction"].tolist()
        chosen = fitted.predict_proba(texts) >= (threshold or 0.5)
        assert found == ["|".join(fitted.classes_[row].tolist()) for row in chosen]


def test_an_interruption_leaves_the_old_rows(model, reviews, in_folder):
    (in_folder / "out.csv").write_text("old")

    def interrupt(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict("x.model", reviews, "out.csv", callback=interrupt)
    assert (in_folder / "out.csv").read_text() == "old"
    assert {path.name for path in in_folder.iterdir()} == {"reviews.csv", "x.model", "out.csv"}


def test_an_error_of_a_thread_is_the_error(model, reviews, monkeypatch):
    def fail(*_):
        raise MemoryError("too much")

    monkeypatch.setattr(prediction.CsvWriter, "encode", fail)
    with pytest.raises(MemoryError, match="too much"):
        predict("x.model", reviews, "out.csv", jobs=2)


def test_rows_are_not_read_far_ahead():
    read, done = [], []

    def parts():
        for number in range(20):
            read.append(number)
            assert len(read) - len(done) <= 4
            yield number, None, None

    for part, _ in prediction.in_order(lambda part: (part, {}), parts(), 2):
        done.append(part[0])
    assert done == list(range(20))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": "reviews.csv"}, "the rows would replace the file they come from, reviews.csv: choose another name"),
        ({"out": "x.xlsx"}, r"rows are written to \.csv, .* got x\.xlsx"),
        ({"out": "none/x.csv"}, "cannot write none/x.csv: the folder .* does not exist"),
        ({"top": 0}, "top must be a whole number of at least 1, got 0"),
        ({"explain": -1}, "explain must be a whole number of at least 1, got -1"),
        ({"threshold": 1.5}, "threshold must be a probability, between 0 and 1, got 1.5"),
        ({"threshold": float("nan")}, "threshold must be a probability, between 0 and 1, got nan"),
        ({"text": "body"}, "text 'body' is not a column of reviews.csv"),
        ({"jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_options(model, reviews, options, message):
    before = reviews.read_bytes()
    with pytest.raises((ValueError, OSError), match=message):
        predict("x.model", reviews, **options)
    assert reviews.read_bytes() == before


def test_files_that_are_no_models(reviews, in_folder):
    with pytest.raises(FileNotFoundError, match=r"file not found: none.model"):
        predict("none.model", reviews)
    with pytest.raises(
        ValueError,
        match=r"reviews.csv is not a troenpy model: the model comes first, as in `troenpy predict MODEL FILE`",
    ):
        predict("reviews.csv", reviews)
    texts, labels = ["a goal", "a vote", "the goal", "the vote"], ["s", "p", "s", "p"]
    troenpy.save(troenpy.TfPiVectorizer().fit(texts, labels), "v.model")
    with pytest.raises(ValueError, match=r"v.model holds a TfPiVectorizer: predict needs a text classifier"):
        predict("v.model", reviews)
    with pytest.raises(TypeError, match="the model must be a text classifier, such as `train` makes, got list"):
        predict([], reviews)


def test_the_summary_shows_the_largest_classes(model, reviews):
    shown = str(predict("x.model", reviews))
    assert re.match(r"reviews.csv: 120 rows in \d+\.\d s \([\d,]+ a second\)\nprediction +rows\n\w+ +\d+\n", shown)
    assert predict("x.model", reviews)._repr_html_().count("<tr>") == 4


def test_fitted_models_are_unchanged(reviews, rows):
    fitted = TroenpyClassifier(n_jobs=2, C=3).fit([row["text"] for row in rows], [row["label"] for row in rows])
    predict(fitted, reviews, jobs=1)
    assert fitted.n_jobs == 2


def test_info_of_a_trained_model(reviews, in_folder):
    result = train(reviews, "r.model", C=3, ngrams=(1, 2), min_df=2)
    found = tasks.info("r.model")
    assert found.kind == "TroenpyClassifier"
    assert found.classes == {"food": 40, "politics": 40, "sport": 40}
    assert [view.name for view in found.views] == ["pairs", "pieces"]
    assert found.views[0].ngram_range == (1, 2)
    assert found.n_terms == sum(view.n_terms for view in result.model.features_.views_)
    assert found.settings["C"] == 3.0
    assert found.about == result.about
    assert found.versions["troenpy"] == troenpy.__version__
    assert found.n_bytes == (in_folder / "r.model").stat().st_size
    shown = str(found)
    assert f"error {100 * result.evaluation.error:.2f} % (95 % interval" in shown
    assert "on 120 documents of reviews.csv" in shown
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["about"]["evaluation"]["n_documents"] == 120
    assert found.to_frame()["recall"].tolist() == [one.recall for one in result.evaluation.classes]
    assert found._repr_html_().count("<tr>") == 4


def test_info_of_models_that_were_saved_otherwise(model):
    found = tasks.info("x.model")
    assert found.about is None
    assert found.classes == {"food": 30, "politics": 30, "sport": 30}
    assert "trained" not in str(found)
    troenpy.save(model, "small.model", for_prediction=True)
    assert list(tasks.info("small.model").classes) == ["food", "politics", "sport"]
    texts, labels = ["a goal", "a vote", "the goal", "the vote"], ["s", "p", "s", "p"]
    troenpy.save(troenpy.TermWeighter().fit([[1, 0], [0, 1]] * 2, labels), "w.model")
    assert tasks.info("w.model").views == ()
    troenpy.save(settings.features("plain").fit(texts, labels), "f.model")
    assert tasks.info("f.model").n_terms == 3


@pytest.mark.parametrize("change", [{"n_documents": "many"}, {"evaluation": 5}, {"n_by_class": []}, {"text": 5}])
def test_what_a_file_says_about_its_model_is_checked(model, change):
    about = train(write_csv(Path("x.csv"), made_up(12)), C=3).about.to_dict()
    troenpy.save(model, "x.model", about={**about, **change})
    with pytest.raises(ValueError, match="what the model's file says about the model cannot be read"):
        tasks.info("x.model")


def test_no_input_is_replaced(model, reviews, in_folder, monkeypatch):
    before = {path: path.read_bytes() for path in in_folder.iterdir()}
    (in_folder / "model.csv").symlink_to("x.model")
    with pytest.raises(ValueError, match=r"the rows would replace the model, model.csv: choose another name"):
        predict("x.model", reviews, "model.csv")
    with reviews.open() as file:  # what a shell gives to standard input
        monkeypatch.setattr("sys.stdin", file)
        with pytest.raises(ValueError, match=r"the rows would replace the file they come from"):
            predict("x.model", "-", reviews)
    assert all(path.read_bytes() == content for path, content in before.items())


def test_cells_of_json_are_plain_in_tables(model, in_folder):
    rows = ['{"text": "a goal", "n": [1, "x"]}', '{"text": 5, "n": NaN}', '{"text": "so\\"up", "n": {"a": 1e999}}']
    (in_folder / "x.jsonl").write_text("\n".join(rows))
    predict("x.model", "x.jsonl", "out.csv")
    found = read_back(in_folder / "out.csv")
    assert [(row["text"], row["n"]) for row in found] == [
        ("a goal", '[1, "x"]'),
        ("5", ""),
        ('so"up', '{"a": null}'),
    ]
    predict("x.model", "x.jsonl", "out.parquet")
    table = pq.read_table(in_folder / "out.parquet")
    assert table.column("text").to_pylist() == ["a goal", "5", 'so"up']
    assert predict("x.model", "x.jsonl").to_frame()["text"].tolist() == ["a goal", "5", 'so"up']
    predict("x.model", "x.jsonl", "out.jsonl")
    lines = [
        json.loads(line, parse_constant=pytest.fail) for line in (in_folder / "out.jsonl").read_text().splitlines()
    ]
    assert [(row["text"], row["n"]) for row in lines] == [("a goal", [1, "x"]), (5, None), ('so"up', {"a": None})]


def test_notices_are_heard_at_once(model, reviews):
    heard = []
    predict("x.model", reviews, on_notice=heard.append, callback=lambda _: heard.append("predicting"))
    assert heard[0] == "reviews.csv: CSV, separated by commas"
    assert heard[-1] == "predicting"
