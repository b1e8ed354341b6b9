"""TransportClassifier tells documents apart, and its distances are methods of the experiments."""

import gzip
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_words import WORDS, made_up_vectors
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from troenpy import experiments
from troenpy.datasets.corpora import Corpus
from troenpy.experiments import splits
from troenpy.experiments.grammar import read_method
from troenpy.experiments.journal import Row, all_versions, read_rows
from troenpy.models.votes import vote
from troenpy.transport.classifier import TransportClassifier
from troenpy.transport.distances import DISTANCES
from troenpy.transport.embeddings import WordVectors
from troenpy.transport.topics import Topics

pytest.importorskip("ot", reason="POT is not installed")
pytest.importorskip("tomotopy", reason="tomotopy is not installed")

TEXTS = ["w0 w1", "w1 w2 w0", "w2 w1", "w9 w10", "w10 w11", "w11 w9 w9"] * 3
LABELS = ["low", "low", "low", "high", "high", "high"] * 3


def two_regions():
    directions = np.where(np.arange(12)[:, None] > 5, [9, 0, 0], [0, 9, 0])
    return WordVectors(WORDS, np.random.default_rng(0).normal(size=(12, 3)) + directions)


class TestClassifier:
    @pytest.mark.parametrize("name", DISTANCES)
    def test_every_distance_tells_two_regions_apart(self, name):
        model = TransportClassifier(name, vectors=two_regions(), coef=0.2, n_neighbors=3, n_topics=2, n_steps=50)
        assert model.fit(TEXTS, LABELS).predict(["w0 w0 w2", "w9 w11"]).tolist() == ["low", "high"]
        unpruned = clone(model).set_params(prune=False, n_jobs=2).fit(TEXTS, LABELS)
        for mine, other in zip(model.kneighbors(TEXTS), unpruned.kneighbors(TEXTS), strict=True):
            np.testing.assert_array_equal(mine, other)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(TEXTS), model.predict(TEXTS))

    def test_texts_and_bags_are_the_same(self):
        model = TransportClassifier(vectors=two_regions(), n_neighbors=2).fit(TEXTS, LABELS)
        bags = [dict.fromkeys(text.split(), text.split().count("w9") or 1) for text in TEXTS]
        bags[5] = bags[11] = bags[17] = {"w11": 1, "w9": 2}
        np.testing.assert_array_equal(model.kneighbors(TEXTS)[0], model.kneighbors(bags)[0])

    def test_bags_come_in_any_container(self):
        bags = [dict.fromkeys(text.split(), 1.0) for text in TEXTS]
        model = TransportClassifier(vectors=two_regions(), n_neighbors=2).fit(bags, LABELS)
        expected = model.kneighbors(bags)
        for container in (tuple(bags), iter(bags), pd.Series(bags, index=range(5, 23)), np.array(bags, dtype=object)):
            for mine, other in zip(model.kneighbors(container), expected, strict=True):
                np.testing.assert_array_equal(mine, other)
        with pytest.raises(TypeError, match="got the string 'w1': split it"):
            model.predict([bags[0], "w1"])

    def test_other_vectors_wait_for_the_next_fit(self):
        model = TransportClassifier(vectors=two_regions(), n_neighbors=2).fit(TEXTS, LABELS)
        before = model.predict(TEXTS)
        model.set_params(vectors=WordVectors(WORDS[::-1], two_regions().vectors))
        np.testing.assert_array_equal(model.predict(TEXTS), before)

    def test_within_cross_validation(self):
        scores = cross_val_score(TransportClassifier(vectors=two_regions(), n_neighbors=1), TEXTS, LABELS, cv=3)
        assert scores.tolist() == [1, 1, 1]

    def test_progress_is_told(self):
        seen = []
        model = TransportClassifier(vectors=two_regions(), n_neighbors=1, progress=lambda *done: seen.append(done))
        model.fit(TEXTS, LABELS).predict(TEXTS[:2])
        assert seen == [(1, 2), (2, 2)]

    @pytest.mark.parametrize(
        ("parameters", "error", "message"),
        [
            ({"distance": "emd"}, ValueError, "distance must be one of wmd, wfr, hott, hoftt, got 'emd'"),
            ({"vectors": None}, TypeError, "vectors must be WordVectors, got NoneType"),
            ({"ties": "coin"}, ValueError, "ties must be 'nearest' or 'again', got 'coin'"),
            ({"n_neighbors": 0}, ValueError, "Expected n_neighbors > 0. Got 0"),
        ],
    )
    def test_parameters_are_checked_in_fit(self, parameters, error, message):
        model = TransportClassifier(**{"vectors": two_regions(), **parameters})
        with pytest.raises(error, match=re.escape(message)):
            model.fit(TEXTS, LABELS)

    def test_labels_must_fit(self):
        model = TransportClassifier(vectors=two_regions())
        with pytest.raises(ValueError, match="one label per document, got 3 labels for 18 documents"):
            model.fit(TEXTS, LABELS[:3])
        with pytest.raises(ValueError, match="no label at position 17"):
            model.fit(TEXTS, [*LABELS[:17], None])
        with pytest.raises(ValueError, match="one label per document, got an indicator matrix: use TroenpyClassifier"):
            model.fit(TEXTS, np.eye(18, 3, dtype=int))

    @pytest.mark.parametrize("texts", [["zzz", "yyy"], [{"zzz": 1}, {"yyy": 2}], [" ", " "]])
    @pytest.mark.parametrize("name", ["wmd", "hott"])
    def test_nothing_to_be_near_to(self, name, texts):
        with pytest.raises(ValueError, match="none of the 2 documents has a word with a vector"):
            TransportClassifier(name, vectors=two_regions()).fit(texts, ["a", "b"])

    def test_shares_of_votes(self):
        model = TransportClassifier(vectors=two_regions(), n_neighbors=4).fit(TEXTS[1:5], LABELS[1:5])
        rows = model.kneighbors(["w0"], 3, return_distance=False)
        assert rows.shape == (1, 3)
        assert model.predict_proba(["w0", "zzz"]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
        model.set_params(n_neighbors=3)
        assert model.predict_proba(["w0", "w9"]).round(2).tolist() == [[0.33, 0.67], [0.67, 0.33]]
        assert model.classes_.tolist() == ["high", "low"]

    def test_a_vote_is_taken_again(self):
        codes = np.array([[0, 1, 1, 0, 2, 2, 3], [3, 0, 0, 1, 1, 2, 2]])
        assert vote(codes, 4).tolist() == [0, 0]
        assert vote(codes, 4, ties="again").tolist() == [1, 0]
        assert vote(np.empty((0, 3), dtype=np.int64), 2).tolist() == []


class TestExperiments:
    @pytest.fixture
    def vectors(self, tmp_path):
        words = two_regions()
        np.savez(tmp_path / "tiny.npz", words=np.array(words.words), vectors=words.vectors)
        return tmp_path / "tiny.npz"

    @pytest.fixture
    def corpus(self):
        return Corpus("tiny", tuple(TEXTS * 3), np.array(LABELS * 3))

    def test_methods_by_name(self):
        assert read_method("knn3:wmd").name == "knn3: wmd"
        assert read_method("knn: hoftt").is_transport
        assert not read_method("knn: tf").is_transport
        with pytest.raises(ValueError, match="wmd is itself a distance"):
            read_method("knn-cosine: wmd")
        with pytest.raises(ValueError, match="or for kNN is a distance, one of wmd, wfr, hott, hoftt"):
            read_method("lr: wmd")

    def test_rows_say_sample_and_vectors(self, corpus, vectors, tmp_path):
        names = ["knn1: tf*pi", "knn1: wmd", "knn3: wmd", "knn1: wfr"]
        rows = experiments.run([corpus], names, 2, sample=4, vectors=vectors, out=tmp_path / "rows.jsonl", n_jobs=2)
        assert [row.error for row in rows] == [0] * 8
        assert {(row.sample, row.n_test, row.setting) for row in rows} == {(4, 4, "tiny, sample of 4")}
        assert {row.vectors is None for row in rows if row.method == "knn1: tf*pi"} == {True}
        assert {row.vectors[:9] for row in rows if row.method != "knn1: tf*pi"} == {"tiny.npz "}
        assert [{"POT", "tomotopy"} <= row.versions.keys() for row in rows[:2]] == [False, True]
        assert Row.from_json(rows[1].to_json()) == rows[1]
        whole = experiments.run([corpus], names[:2], 2, sample=999, vectors=vectors, out=tmp_path / "rows.jsonl")
        assert {(row.sample, row.n_test, row.setting) for row in whole} == {(None, 11, "tiny")}

    def test_rows_with_and_without_transport_stand_in_one_file(self, corpus, vectors, tmp_path):
        out = tmp_path / "rows.jsonl"
        calls = [["knn1: tf"], ["knn1: tf", "knn1: wmd"], ["knn1: tf*pi"], ["knn1: wfr"]]
        for names in calls:
            experiments.run([corpus], names, 1, vectors=vectors, out=out)
        rows = read_rows(out)
        assert [row.method for row in rows] == ["knn1: tf", "knn1: wmd", "knn1: tf*pi", "knn1: wfr"]
        assert "POT" in all_versions(rows)
        changed = [replace(row, versions=row.versions | {"POT": "0"}) for row in rows[:1]]
        with pytest.raises(ValueError, match="different versions of POT cannot be compared"):
            all_versions([*changed, *rows])

    def test_a_fresh_run_that_fails_loses_no_rows(self, corpus, vectors, tmp_path):
        out = tmp_path / "rows.jsonl"
        experiments.run([corpus], ["knn1: wmd"], 1, vectors=vectors, out=out)
        before = out.read_bytes()
        (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"w1 1 2\n")[:-9])
        (tmp_path / "others.txt").write_bytes(b"zzz 1 2\n")
        for name, error, message in (
            ("typo.npz", FileNotFoundError, "neither a file nor known word vectors: give a path or glove-50d"),
            ("cut.txt.gz", ValueError, "is damaged"),
            ("others.txt", ValueError, "others.txt has no vector for any of the 6 terms of tiny"),
        ):
            with pytest.raises(error, match=message):
                experiments.run([corpus], ["knn1: wmd"], 1, vectors=tmp_path / name, out=out, overwrite=True)
            assert out.read_bytes() == before
        experiments.run([corpus], ["knn1: wfr"], 1, vectors=vectors, out=out, overwrite=True)
        assert [row.method for row in read_rows(out)] == ["knn1: wfr"]

    @pytest.mark.parametrize(
        ("sample", "error"), [(0, ValueError), (2.5, TypeError), ("5", TypeError), (True, TypeError)]
    )
    def test_a_sample_is_a_number_of_documents(self, corpus, sample, error):
        with pytest.raises(error, match="sample"):
            experiments.run([corpus], ["knn: tf"], sample=sample)

    def test_a_sample_may_be_numpys(self, corpus, tmp_path):
        rows = experiments.run([corpus], ["knn1: tf"], 1, sample=np.int64(3), out=tmp_path / "rows.jsonl")
        assert rows[0].sample == 3

    def test_the_sample_is_drawn_once_for_all_methods(self, corpus):
        counted = splits.count_terms(corpus)
        for seed in (0, 1):
            train, test = counted.parts(seed, sample=4)
            np.testing.assert_array_equal(train, counted.parts(seed)[0])
            assert set(test) < set(counted.parts(seed)[1])
            assert len(test) == 4

    def test_hoftt_runs_by_name(self, corpus, vectors, monkeypatch):
        learnt = Topics.learn
        monkeypatch.setattr(Topics, "learn", lambda counts, words: learnt(counts, words, n_topics=3, n_steps=30))
        (row,) = experiments.run([corpus], ["knn: hoftt"], 1, vectors=vectors)
        assert row.error == 0

    def test_test_words_that_the_training_part_lacks_count(self, vectors):
        texts, parts = ("w0 w1", "w9 w10", "w2"), np.array(["train", "train", "test"])
        corpus = Corpus("tiny", texts, np.array(["low", "high", "low"]), parts)
        rows = experiments.run([corpus], ["knn1: wmd", "knn1: tf"], 1, vectors=vectors)
        assert rows[0].error == 0

    def test_vectors_must_be_named(self, corpus):
        with pytest.raises(ValueError, match="optimal transport needs word vectors: choose glove-50d"):
            experiments.run([corpus], ["knn: wmd"])

    def test_rows_of_other_vectors_do_not_mix(self, corpus, vectors, tmp_path):
        experiments.run([corpus], ["knn: wmd"], 1, vectors=vectors, out=tmp_path / "rows.jsonl")
        words = made_up_vectors()
        np.savez(tmp_path / "other.npz", words=np.array(words.words), vectors=words.vectors)
        with pytest.raises(ValueError, match=r"rows made with the word vectors tiny.npz .*, but these are other.npz"):
            experiments.run([corpus], ["knn: wmd"], 2, vectors=tmp_path / "other.npz", out=tmp_path / "rows.jsonl")
