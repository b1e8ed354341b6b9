"""Columns are guessed where there is one obvious choice, said, and never guessed otherwise."""

import csv
import io
import itertools

import pytest

from troenpy.records import open_records

N = 40
WORDS = ["plot", "story", "film", "actors", "scene", "music", "ending", "dialogue"]


def text(i, n_words=6):
    return " ".join(WORDS[(i * 7 + k * (i % 5 + 1)) % len(WORDS)] for k in range(n_words)) + f" number {i}"


def as_csv(header, *columns, encoding="utf-8"):
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerows([header] if header else [])
    writer.writerows(itertools.islice(zip(*columns, strict=False), N))
    return io.BytesIO(file.getvalue().encode(encoding))


TEXTS, LONGER = [text(i) for i in range(N)], [text(i, 20) for i in range(N)]
IDS, CLASSES, ZEROS = [str(10**9 + i) for i in range(N)], ["pos", "neg"] * N, ["0", "1"] * N
DATES = [f"2020-01-{i % 28 + 1:02d} 10:00:{i:02d}" for i in range(N)]
EMPTY, POUNDS = [""] * N, [f"{text} £" for text in TEXTS]
OBVIOUS = {
    "IMDB": (as_csv(["review", "sentiment"], LONGER, CLASSES), "review", "sentiment"),
    "spam": (
        as_csv(
            ["v1", "v2", "", "", ""],
            CLASSES,
            POUNDS,
            ["and more text here", *EMPTY[1:]],
            EMPTY,
            EMPTY,
        ),
        "v2",
        "v1",
    ),
    "spam in Windows-1252": (
        as_csv(["v1", "v2", "", ""], CLASSES, POUNDS, EMPTY, EMPTY, encoding="cp1252"),
        "v2",
        "v1",
    ),
    "tweets": (as_csv(["id", "date", "text", "label"], IDS, DATES, TEXTS, CLASSES), "text", "label"),
    "airline": (
        as_csv(
            ["tweet_id", "airline_sentiment", "retweet_count", "created_at", "tweet"], IDS, CLASSES, ZEROS, DATES, TEXTS
        ),
        "tweet",
        "airline_sentiment",
    ),
    "amazon": (
        as_csv(["Id", "ProductId", "UserId", "Score", "Text"], IDS, [*"AB"] * N, [*"CD"] * N, [*"12345"] * N, TEXTS),
        "Text",
        "Score",
    ),
    "quora": (as_csv(["qid", "question_text", "target"], IDS, TEXTS, ZEROS), "question_text", "target"),
    "an index": (as_csv(["", "content", "category"], map(str, range(N)), TEXTS, CLASSES), "content", "category"),
    "spaces": (as_csv([" Text ", "LABEL"], TEXTS, CLASSES), " Text ", "LABEL"),
    "a name in two roles": (as_csv(["sentence", "label_text"], TEXTS, CLASSES), "sentence", "label_text"),
    "short phrases": (as_csv(["phrase", "mood"], ["good", "bad"] * N, CLASSES), "phrase", "mood"),
    "unusual names": (as_csv(["a", "b", "c"], IDS, TEXTS, CLASSES), "b", "c"),
    "many documents of one class": (as_csv(["text", "kind"], TEXTS, ["x"] * 39 + ["y"]), "text", "kind"),
}


@pytest.mark.parametrize("name", OBVIOUS)
def test_one_obvious_choice(read, name):
    file, text_column, label_column = OBVIOUS[name]
    file.seek(0)
    found = read(file, format="csv")
    assert (found.text, found.label) == ((text_column,), (label_column,))
    assert f"the stream: text from column '{text_column}', label from column '{label_column}'" in found.notices


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            as_csv(["Class Index", "Title", "Description"], [*"1234"] * N, TEXTS, LONGER),
            r"the text of the stream may be 'Title' or 'Description': name it, or several, which are joined",
        ),
        (
            as_csv(["id", "comment_text", "toxic", "obscene"], IDS, TEXTS, ZEROS, ZEROS),
            r"the label of the stream may be 'toxic' or 'obscene': name it, or several, with label=",
        ),
        (
            as_csv(["text", "class", "topic"], TEXTS, CLASSES, CLASSES),
            r"the label of the stream may be 'class' or 'topic': name it",
        ),
        (
            as_csv(["a", "b"], IDS, ZEROS),
            r"no column of the stream is obviously the text: .*: 'a' and 'b'\)",
        ),
        (as_csv(["text", "id"], TEXTS, IDS), "no column of the stream is obviously the label: name it"),
        (as_csv(["text", "u", "v"], TEXTS, IDS, DATES), "no column of the stream is obviously the label: name it"),
        (as_csv(["text"], TEXTS), r"no column of the stream is obviously the label: .* \(its columns: 'text'\)"),
    ],
)
def test_no_obvious_choice_is_an_error(file, message):
    with pytest.raises(ValueError, match=message):
        open_records(file, format="csv")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            [TEXTS, CLASSES],
            "the names of the columns of the stream look like data: '.*' and 'pos'; add a line",
        ),
        ([CLASSES, TEXTS], "the names of the columns of the stream look like data"),
        ([[*"123"] * N, TEXTS], "the names of the columns of the stream look like data"),
        (
            [[*"123"] * N, TEXTS, LONGER],
            r"which are joined, .* does the file lack a line with the names",
        ),
        ([IDS, DATES, TEXTS, ["u"] * N, ["v"] * N], "does the file lack a line with the names of the columns"),
    ],
)
def test_a_file_without_header(columns, message):
    with pytest.raises(ValueError, match=message):
        open_records(as_csv(None, *columns), format="csv")


def test_a_named_column_is_taken_whatever_its_name(read):
    file = as_csv(None, TEXTS, CLASSES)
    found = read(file, text=TEXTS[0], label="pos")
    assert len(found.texts) == N - 1


@pytest.mark.parametrize(
    ("parameter", "wanted", "message"),
    [
        ("text", "reveiw", r"text 'reveiw' is not a column of the stream; did you mean 'review'\?"),
        ("text", "REVIEW", r"did you mean 'review'\? \(its columns: 'review' and 'sentiment'\)"),
        ("label", "zzz", r"label 'zzz' is not a column of the stream \(its columns: 'review' and 'sentiment'\)"),
        (
            "label",
            ["sentiment", "Sentiment "],
            r"label 'Sentiment ' is not a column of .*; did you mean 'sentiment'",
        ),
    ],
)
def test_a_missing_column_names_the_closest_and_lists_all(parameter, wanted, message):
    with pytest.raises(ValueError, match=message):
        open_records(as_csv(["review", "sentiment"], TEXTS, CLASSES), **{parameter: wanted})


def test_many_columns_are_cut_in_errors():
    file = as_csv([f"c{i}" for i in range(50)], *[IDS] * 50)
    with pytest.raises(ValueError, match=r"'c0', 'c1', .* 'c29' and more"):
        open_records(file, text="x")


def test_several_columns_of_text_are_joined(read):
    file = io.BytesIO(b"title,body,label\na,b,x\n,c,y\nd,,x\n,,y\n")
    found = read(file, text=["title", "body"], on_error="skip")
    assert found.texts == ["a\nb", "\nc", "d\n", ""]
    assert found.problems == ["1 row has no text: 4"]


def test_the_usual_columns_of_a_model(read):
    file = as_csv(["title", "body", "text"], TEXTS, TEXTS, TEXTS)
    assert read(file, usual_text=["title", "body"], needs_label=False).text == ("title", "body")
    file.seek(0)
    assert read(file, usual_text=["title", "missing"], needs_label=False).text == ("text",)
    file.seek(0)
    assert read(file, text="body", usual_text=["title"], needs_label=False).text == ("body",)


def test_without_labels_none_are_read_unless_named(read):
    file = as_csv(["text", "label"], TEXTS, CLASSES)
    assert read(file, needs_label=False).labels is None
    file.seek(0)
    assert read(file, needs_label=False, label="label").labels == CLASSES[:N]
    file.seek(0)
    with open_records(file, needs_label=False) as records, pytest.raises(ValueError, match="was opened without labels"):
        next(records.documents())


def test_one_column_is_the_text_if_no_labels_are_needed(read):
    found = read(io.BytesIO(b"x\ngood\nbad\n"), format="csv", needs_label=False)
    assert (found.text, found.texts) == (("x",), ["good", "bad"])
