"""Rows of results from a stranger, or damaged: one line that says which line and what is wrong, never a result."""

import json
from pathlib import Path

import pytest
from made_up_rows import row

from troenpy.experiments.comparison import Comparison
from troenpy.experiments.journal import PROTOCOL, Row, pack_bits, read_rows
from troenpy.report.summary import summarise

RESULTS = Path(__file__).parents[2] / "experiments/results"
GOOD = row("r8", "knn: tf", 3, n_test=10, n_train=40)
LINE = GOOD.to_json()


def changed(**values):
    return json.dumps(json.loads(LINE) | values)


def without(name):
    return json.dumps({key: value for key, value in json.loads(LINE).items() if key != name})


# A line, and what the error says of it.
HOSTILE = {
    "not JSON": ("{", "not a row of results: "),
    "empty": ("", "not a row of results: "),
    "a list": ("[]", "not a row of results"),
    "a number": ("5", "not a row of results"),
    "nested without end": ("[" * 100_000, "not a row of results: "),
    "nested deep within": (changed(versions={}).replace("{}", "[" * 50_000 + "]" * 50_000), "not a row of results: "),
    "not UTF-8": (LINE.encode().replace(b"knn", b"kn\xff"), "not a row of results: .*utf-8"),
    "too many digits": (changed().replace('"n_train": 40', '"n_train": ' + "9" * 5000), "not a row of results: "),
    "a key twice": (LINE.replace('"n_wrong": 3', '"n_wrong": 3, "n_wrong": 3'), "repeated key 'n_wrong'"),
    "a key of versions twice": (changed(versions={}).replace("{}", '{"a": "1", "a": "2"}'), "repeated key 'a'"),
    "another protocol": (changed(protocol=PROTOCOL + 1), f"protocol must be {PROTOCOL}, got {PROTOCOL + 1}"),
    "a protocol of text": (changed(protocol="1"), "protocol must be 1, got '1'"),
    "a protocol of bool": (changed(protocol=True), "protocol must be 1, got True"),
    "one more key": (changed(more=1), "unknown field 'more'"),
    "one key less": (without("seed"), "missing field 'seed'"),
    "a corpus of a number": (changed(corpus=5), "corpus must be text of 1 to 1,000 characters, got 5"),
    "no corpus": (changed(corpus=None), "corpus must be text .*, got None"),
    "an empty corpus": (changed(corpus=""), "corpus must be text .*, got ''"),
    "an endless corpus": (changed(corpus="x" * 1001), "corpus must be text .*, got 'xxx"),
    "a corpus of a list": (changed(corpus=["r8"]), "corpus must be text"),
    "a fingerprint of a number": (changed(fingerprint=1), "fingerprint must be text"),
    "an empty method": (changed(method=""), "method must be text"),
    "a method of a dict": (changed(method={}), "method must be text"),
    "deduplicated as a number": (changed(deduplicated=1), "deduplicated must be true or false, got 1"),
    "deduplicated as text": (changed(deduplicated="no"), "deduplicated must be true or false, got 'no'"),
    "no training": (changed(train_fraction=0), "train_fraction must be above 0 and at most 1, got 0"),
    "too much training": (changed(train_fraction=1.5), "train_fraction must be above 0 and at most 1, got 1.5"),
    "training of bool": (changed(train_fraction=True), "train_fraction must be above 0 and at most 1, got True"),
    "training of NaN": (changed().replace('"train_fraction": 1.0', '"train_fraction": NaN'), "NaN is not a number"),
    "training of text": (changed(train_fraction="1"), "train_fraction must be above 0 and at most 1, got '1'"),
    "a seed below 0": (changed(seed=-1), "seed must be null or a whole number of 0 or more, got -1"),
    "a seed of a fraction": (changed(seed=0.5), "seed must be null or a whole number of 0 or more, got 0.5"),
    "a seed of bool": (changed(seed=False), "seed must be null or a whole number of 0 or more, got False"),
    "a huge seed": (changed(seed=2**63), "seed must be null or a whole number of 0 or more"),
    "no training documents": (changed(n_train=0), "n_train must be a whole number of 1 or more, got 0"),
    "huge training": (changed(n_train=10**400), "n_train must be a whole number of 1 or more, got 1000"),
    "training documents of text": (changed(n_train="40"), "n_train must be a whole number of 1 or more, got '40'"),
    "no test documents": (changed(n_test=0, n_wrong=0), "n_test must be a whole number of 1 or more, got 0"),
    "test documents of float": (changed(n_test=10.0), "n_test must be a whole number of 1 or more, got 10.0"),
    "terms below 0": (changed(n_terms=-1), "n_terms must be a whole number of 0 or more, got -1"),
    "wrong below 0": (changed(n_wrong=-1), "n_wrong must be a whole number of 0 or more, got -1"),
    "more wrong than tested": (changed(n_wrong=11, error=1.1), "n_wrong must be at most n_test, got 11 of 10"),
    "wrong of bool": (changed(n_wrong=True), "n_wrong must be a whole number of 0 or more, got True"),
    "an error of 5": (changed(error=5), r"error must be n_wrong / n_test = 0\.3, got 5"),
    "another error": (changed(error=0.31), r"error must be n_wrong / n_test = 0\.3, got 0\.31"),
    "an error of text": (changed(error="0.3"), "error must be n_wrong / n_test"),
    "no error": (changed(error=None), "error must be n_wrong / n_test"),
    "an infinite error": (changed().replace('"error": 0.3', '"error": Infinity'), "Infinity is not a number"),
    "bits of a number": (changed(correct=5), "correct must hold 10 bits"),
    "bits that are not base64": (changed(correct="!!!!"), "correct must hold 10 bits"),
    "bits that are not ASCII": (changed(correct="é==="), "correct must hold 10 bits"),
    "too few bits": (changed(correct="AA=="), "correct must hold 10 bits"),
    "too many bits": (changed(correct="AAAAAAAA"), "correct must hold 10 bits"),
    "other bits": (changed(correct=pack_bits(GOOD.was_correct() & False)), "marks 10 documents as wrong, but"),
    "seconds below 0": (changed(wall_seconds=-1), "wall_seconds must be a number of 0 or more, got -1"),
    "seconds without end": (changed(cpu_seconds=7).replace(": 7", ": 1e999"), "cpu_seconds must be .*, got inf"),
    "seconds of text": (changed(cpu_seconds="1"), "cpu_seconds must be a number of 0 or more, got '1'"),
    "seconds of bool": (changed(cpu_seconds=True), "cpu_seconds must be a number of 0 or more, got True"),
    "versions of a list": (changed(versions=[]), "versions must be text by name"),
    "versions of numbers": (changed(versions={"numpy": 2}), "versions must be text by name"),
    "versions of null": (changed(versions=None), "versions must be text by name"),
    "a sample of 0": (changed(sample=0), "sample must be null or n_test, got 0"),
    "a sample of others": (changed(sample=11), "sample must be null or n_test, got 11"),
    "a sample of bool": (changed(sample=True, n_test=1, n_wrong=1, error=1), "sample must be null or n_test, got True"),
    "vectors of a number": (changed(vectors=50), "vectors must be null or text"),
    "empty vectors": (changed(vectors=""), "vectors must be null or text"),
    "a negative log-loss": (changed(log_loss=-0.1), "log_loss must be null or a number of 0 or more, got -0.1"),
    "a calibration error above 1": (changed(calibration_error=1.1), "calibration_error must be null or from 0 to 1"),
    "settings of a number": (changed(settings=3), "settings must be null or text"),
    "long choices": (changed(chosen="C" * 10_001), "chosen must be null or text of 1 to 10,000 characters"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_row_is_one_line_that_says_where_and_what(tmp_path, name):
    line, message = HOSTILE[name]
    path = tmp_path / "rows.jsonl"
    content = line if isinstance(line, bytes) else line.encode()
    path.write_bytes(row("r8", "lr: tf", 1).to_json().encode() + b"\n" + content + b"\n")
    with pytest.raises(ValueError, match=rf"^line 2 of .*rows\.jsonl: .*{message}") as caught:
        read_rows(path)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_a_good_row_is_read():
    assert Row.from_json(LINE) == GOOD
    sampled = row("r8", "knn: wmd", 2, n_test=8, sample=8, vectors="glove 0123", seed=5, train_fraction=0.25)
    assert Row.from_json(sampled.to_json()) == sampled
    old = json.loads(LINE)
    del old["sample"], old["vectors"]
    assert Row.from_json(json.dumps(old)) == GOOD


@pytest.mark.parametrize("path", sorted(RESULTS.rglob("*.jsonl")), ids=lambda path: path.parent.name)
def test_our_own_rows_are_read(path):
    assert len(read_rows(path)) == len(path.read_bytes().splitlines())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("c", "a", 1), row("c", "b", 1, n_test=50)], "c was tested on 100 documents with 'a', on 50 with 'b'"),
        (
            [row("c", "a", 1, seed=0), row("c", "a", 1, seed=1, n_test=50)],
            "c was tested on 100 documents with 'a', on 50 with 'a'",
        ),
        (
            [row("c", "a", 1), row("c", "b", 1, n_train=50)],
            "c was trained on 400 documents with 'a', on 50 with 'b'",
        ),
        (
            [row("c", "a", 1, seed=0), row("c", "b", 1)],
            "c has rows for its given split and for random splits",
        ),
        (
            [row("c", "a", 1, train_fraction=0.12341), row("c", "a", 2, train_fraction=0.12342)],
            "each corpus, split and method may have one row, got two for c, 0.1234 of training, None, 'a'",
        ),
        (
            [row("c", "a", 1, deduplicated=True), row("c, deduplicated", "a", 2)],
            "each corpus, split and method may have one row, got two for c, deduplicated, None, 'a'",
        ),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_together_are_an_error(rows, message):
    for use in (Comparison, summarise):
        with pytest.raises(ValueError, match=message):
            use(rows)
