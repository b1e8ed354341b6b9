"""Experiments on made-up corpora: the protocol, no leak from the test part, and runs that are killed and resumed."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from some_views import counted, words

from troenpy import (
    WEIGHTS,
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TfPiVectorizer,
    TroenpyClassifier,
    datasets,
    experiments,
)
from troenpy.datasets.corpora import Corpus
from troenpy.experiments import journal, methods
from troenpy.experiments.evaluation import STRENGTHS, groups, predict
from troenpy.experiments.grammar import Block, Columns, Profile, read_method, read_methods
from troenpy.experiments.splits import count_terms, deduplicate, fingerprint
from troenpy.models.settings import classifier, features

ALL = [*methods.PAPER, *methods.RIVALS, *methods.ALL_WEIGHTS, *methods.BEYOND]
LINEAR_SETTING = "logtf*sqrt(certainty*idf) + logtf*pcf_boost*idf + profile-copies"
FEW = ["knn: tf*idf", "knn: tf*pi", "knn3: tf*rf*idf/hellinger", "lr: tf*pi + 2b"]


def made_up(n_documents=80, n_classes=3, *, name="made up", given=False, seed=0, n_words=60):
    """Documents of random words; each class prefers some of them, so that it can be learnt, but not perfectly."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_documents)
    texts = []
    for label in labels:
        common = rng.integers(n_words, size=rng.integers(3, 12))
        own = rng.integers(label * n_words // n_classes, (label + 1) * n_words // n_classes, size=3)
        texts.append(" ".join(f"word{number}" for number in [*common, *own]))
    split = np.where(np.arange(n_documents) < 0.7 * n_documents, "train", "test") if given else None
    return Corpus(name, tuple(texts), np.array([f"class {i}" for i in labels]), split)


def without_times(rows):
    return sorted(
        (replace(row, wall_seconds=0.0, cpu_seconds=0.0) for row in rows), key=lambda row: (row.seed or 0, row.method)
    )


def predicted(corpus, name, seed=0, train_fraction=1.0):
    return predict(count_terms(corpus).split(seed, train_fraction), [read_method(name)])[0]


class TestMethods:
    def test_a_name_says_weighting_tf_norm_and_model(self):
        method = read_method("knn3-manhattan: logtf*sqrt(pcf_present)*idf/l1")
        assert (method.model, method.k, method.metric) == ("knn", 3, "manhattan")
        assert method.blocks == (Block("logtf*sqrt(pcf_present)*idf/l1", "sqrt(pcf_present)*idf", "log", "l1"),)

    def test_without_scheme_terms_weigh_one(self):
        assert read_method("knn: btf").blocks == (Block("btf", tf="binary"),)
        assert read_method("knn: tf/none").blocks == (Block("tf/none", norm=None),)

    def test_shorthands(self):
        blocks = read_method("lr: tf*pi + 2b*pcf").blocks
        assert [block.scheme for block in blocks] == ["pi", "pcf", "cib_ncf*pcf", "cib_pcf*pcf"]
        assert [block.tf for block in blocks] == ["raw", "binary", "raw", "raw"]

    def test_a_linear_model_says_its_strength_or_that_it_is_to_be_chosen(self):
        assert [read_method(f"{model}: tf").C for model in ("lr", "svm30", "lr0.5", "svm-cv")] == [1.0, 30.0, 0.5, None]
        assert read_method("svm1.0:tf").name == "svm: tf"
        assert read_method("lr0.50: tf").name == "lr0.5: tf"

    def test_neighbours_add_distances_of_features_and_put_blocks_side_by_side(self):
        term, binary = Block("tf*idf", "idf"), Block("btf", tf="binary")
        assert read_method("knn: tf*idf + btf").columns == (Columns((term,), ()), Columns((binary,), ()))
        assert read_method("knn: tf*idf&btf").columns == (Columns((term, binary), ()),)
        both = Block("tf*cib_ncf", "cib_ncf"), Block("tf*cib_pcf", "cib_pcf")
        assert read_method("knn: btf & ecib").columns == (Columns((binary, *both), ()),)
        assert read_method("knn: 2b & tf*idf").name == "knn: btf & ecib & tf*idf"

    def test_for_a_linear_model_all_is_side_by_side(self):
        assert read_method("lr: tf*pi & 2b") == read_method("lr: tf*pi + btf + ecib")
        assert len(read_method("lr: tf*pi + btf + ecib").columns) == 1

    def test_class_profiles_have_a_factor_and_leave_something_out(self):
        profiles = read_method("svm: 2*profile + btf + 1.0*profile-copies + 0.5*profile-all").columns[0].profiles
        assert profiles == (Profile(2.0, "document"), Profile(1.0, "copies"), Profile(0.5, None))
        assert read_method("knn: tf&2.0*profile").name == "knn: tf & 2*profile"

    @pytest.mark.parametrize("name", ALL)
    def test_the_shortest_name_reads_as_the_same_method(self, name):
        method = read_method(name)
        assert read_method(method.name) == method

    def test_spaces_and_the_default_norm_make_no_other_method(self):
        assert read_method("knn7-euclidean:tf * idf/l2") == read_method("knn: tf*idf")

    def test_every_weight_is_among_all_methods(self):
        assert {f"{model}: tf*{weight}" for weight in WEIGHTS for model in ("knn", "lr")} <= set(methods.ALL_WEIGHTS)

    def test_a_sweep_of_k_leaves_logistic_regression_alone(self):
        names = [method.name for method in read_methods(["knn: tf", "lr: tf"], [7, 1])]
        assert names == ["knn1: tf", "knn: tf", "lr: tf"]

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("tf*idf", r"cannot read method 'tf\*idf': write it like 'knn: tf\*pi'"),
            ("tree: tf", "cannot read method 'tree: tf'"),
            ("knn0: tf", "k must be 1 or more"),
            ("knn-chess: tf", "the metric one of euclidean, cosine, manhattan, hellinger"),
            (
                "knn: idf",
                "a feature starts with one of tf, logtf, sqrttf, btf, bm25tf, ecib, 2b, profile, profile-copies",
            ),
            ("knn: tf*idf/l3", "norms are l2, l1, hellinger, none"),
            ("knn: tf*", "cannot read 'tf\\*'"),
            ("knn: tf*idv", r"unknown scheme 'idv' \(did you mean idf\?\): choose from idf, pcf"),
            ("lr: tf + tf", "each feature may occur once"),
            ("lr: tf + profile + 1*profile", "each feature may occur once"),
            ("knn-cv: tf", "the metric one of euclidean"),
            ("lr0: tf", "cannot read method 'lr0: tf': C must be positive"),
            ("svm-cv3: tf", "cannot read method 'svm-cv3: tf': write it like"),
            ("knn: tf & two*profile", r"cannot read 'two\*profile' in method"),
            ("knn: profile-none", "a feature starts with one of"),
            ("knn: tf & ", "cannot read '' in method"),
            ("nbsvm: btf*idf", "NB-SVM takes one feature without a scheme, such as 'nbsvm: btf'"),
            ("nbsvm: btf + tf", "NB-SVM takes one feature"),
            ("nbsvm: profile", "NB-SVM takes one feature"),
            ("lr: ", "a feature starts with"),
        ],
    )
    def test_what_cannot_be_read_says_what_can(self, name, message):
        with pytest.raises(ValueError, match=message):
            read_method(name)

    def test_a_sweep_wants_neighbours(self):
        with pytest.raises(ValueError, match="ks must be whole numbers of 1 or more, got \\[0\\]"):
            read_methods(["knn: tf"], [0])


class TestSplits:
    def test_random_splits_are_scikit_learns(self):
        train, test = train_test_split(np.arange(80), test_size=0.2, random_state=7)
        ours = count_terms(made_up()).parts(7)
        np.testing.assert_array_equal(ours[0], train)
        np.testing.assert_array_equal(ours[1], test)

    def test_the_given_split_is_taken_where_there_is_one(self):
        train, test = count_terms(made_up(given=True)).parts(None)
        assert (train.tolist(), test.tolist()) == (list(range(56)), list(range(56, 80)))

    def test_a_corpus_without_one_has_no_given_split(self):
        with pytest.raises(ValueError, match="no given split"):
            count_terms(made_up()).parts(None)

    def test_a_smaller_part_of_the_training_documents_is_within_a_larger(self):
        counted = count_terms(made_up())
        whole, half, tenth = (set(counted.parts(3, fraction)[0]) for fraction in (1.0, 0.5, 0.1))
        assert (len(half), len(tenth)) == (32, 6)
        assert tenth < half < whole
        np.testing.assert_array_equal(counted.parts(3, 0.1)[1], counted.parts(3)[1])

    @settings(max_examples=20, deadline=None)
    @given(st.integers(0, 10_000), st.sampled_from(["tf*pi", "btf", "logtf*nb", "bm25tf*rf/hellinger", "tf*icf/l1"]))
    def test_a_split_equals_a_pipeline_fitted_on_the_training_texts_alone(self, seed, feature):
        corpus = made_up(seed=seed, n_words=200)
        train, test = train_test_split(np.arange(80), test_size=0.2, random_state=seed)
        block = read_method(f"knn: {feature}").blocks[0]
        vectorizer = TfPiVectorizer(
            scheme=block.scheme or (lambda counts: np.ones(len(counts.term_docs))),
            tf=block.tf,
            norm=block.norm,
            stop_words="english",
        )
        fitted = vectorizer.fit_transform([corpus.texts[i] for i in train], corpus.labels[train])
        rows, test_rows = count_terms(corpus).split(seed).weighted(block.scheme, tf=block.tf, norm=block.norm)
        np.testing.assert_array_equal(rows.toarray(), fitted.toarray())
        transformed = vectorizer.transform([corpus.texts[i] for i in test])
        np.testing.assert_array_equal(test_rows.toarray(), transformed.toarray())

    def test_the_folds_of_a_training_part_keep_copies_together_and_learn_from_their_own_part(self):
        corpus = made_up(60)
        doubled = replace(corpus, texts=corpus.texts * 2, labels=np.concatenate([corpus.labels, corpus.labels[::-1]]))
        whole = count_terms(doubled).split(0)
        folds = whole.folds
        assert sum(fold.test.shape[0] for fold in folds) == whole.train.shape[0]
        for fold in folds:
            assert fold.train.shape[0] + fold.test.shape[0] == whole.train.shape[0]
            assert fold.train.sum(axis=0).min() > 0
            assert fold.counts.n_documents == fold.train.shape[0]
        rows = [row.tobytes() for row in whole.train.toarray()]
        assert len(set(rows)) < len(rows)
        assert len(set(zip(rows, whole.fold_numbers().tolist(), strict=True))) == len(set(rows))

    def test_deduplicated_keeps_the_first_and_drops_texts_of_two_labels(self):
        labels = np.array(["x", "x", "y", "y", "x"])
        split = np.array(["train", "train", "train", "test", "test"])
        corpus = Corpus("c", ("a", "b", "b", "c", "a"), labels, split, np.array(list("12345")))
        kept = deduplicate(corpus)
        assert (kept.texts, kept.labels.tolist()) == (("a", "c"), ["x", "y"])
        assert (kept.split.tolist(), kept.ids.tolist()) == (["train", "test"], ["1", "4"])

    def test_the_fingerprint_sees_texts_labels_and_split(self):
        corpus = made_up(given=True)
        others = [
            replace(corpus, texts=("other", *corpus.texts[1:])),
            replace(corpus, labels=corpus.labels[::-1]),
            replace(corpus, split=corpus.split[::-1]),
        ]
        assert len({fingerprint(other) for other in [corpus, *others]}) == 4
        assert fingerprint(corpus) == fingerprint(made_up(given=True, name="another name"))


class TestPredictions:
    @pytest.mark.parametrize(
        "name", [*FEW[1:], "knn3-manhattan: tf*idf/l1", "knn: tf*idf + btf", "lr-cv: tf*pi", *methods.BEYOND]
    )
    def test_shuffling_the_test_labels_changes_no_prediction(self, name):
        corpus = made_up(120)
        _, test = count_terms(corpus).parts(0)
        shuffled = corpus.labels.copy()
        shuffled[test] = np.random.default_rng(1).permutation(shuffled[test])
        assert (shuffled != corpus.labels).any()
        np.testing.assert_array_equal(predicted(corpus, name), predicted(replace(corpus, labels=shuffled), name))

    def test_labels_only_the_test_part_has_change_no_prediction(self):
        corpus = made_up(120)
        _, test = count_terms(corpus).parts(0)
        strange = corpus.labels.astype("U20").copy()
        strange[test] = "a class of its own"
        for name in ("knn: tf*icf", "lr: tf*pi"):
            np.testing.assert_array_equal(predicted(corpus, name), predicted(replace(corpus, labels=strange), name))
        row = experiments.run([replace(corpus, labels=strange)], ["knn: tf*icf"], 1)[0]
        assert row.error == 1.0

    def test_neighbours_are_those_of_a_pipeline(self):
        corpus = made_up(150)
        train, test = count_terms(corpus).parts(0)
        model = make_pipeline(
            TfPiVectorizer(scheme="rf*idf", norm="hellinger", stop_words="english"), SparseKNeighborsClassifier(5)
        )
        model.fit([corpus.texts[i] for i in train], corpus.labels[train])
        expected = model.predict([corpus.texts[i] for i in test])
        np.testing.assert_array_equal(model.classes_[predicted(corpus, "knn5: tf*rf*idf/hellinger")], expected)

    def test_several_features_add_their_distances(self):
        split = count_terms(made_up(100)).split(0)
        tfidf, btf = split.weighted("idf"), split.weighted(None, tf="binary")
        distances = sum(
            np.sqrt(np.maximum(0, 2 - 2 * (test @ train.T).toarray())) for train, test in (tfidf, btf)
        )  # rows of length 1
        nearest = split.codes[distances.argmin(axis=1)]
        assert np.diff(np.sort(distances, axis=1)[:, :2]).min() > 1e-9  # no two nearest, to rounding
        np.testing.assert_array_equal(predict(split, [read_method("knn1: tf*idf + btf")])[0], nearest)

    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_logistic_regression_is_scikit_learns(self, n_classes):
        corpus = made_up(300, n_classes)
        train, test = count_terms(corpus).parts(0)
        features = TermFeatures(words("pi", "btf", "ecib", stop_words="english"))
        X = features.fit_transform([corpus.texts[i] for i in train], corpus.labels[train])
        model = LogisticRegression(C=1.0, tol=1e-8, max_iter=2000).fit(X, corpus.labels[train])
        expected = model.predict(features.transform([corpus.texts[i] for i in test]))
        np.testing.assert_array_equal(model.classes_[predicted(corpus, "lr: tf*pi + 2b")], expected)

    def test_our_neighbours_are_those_of_the_setting(self):
        corpus = made_up(150)
        train, test = count_terms(corpus).parts(0)
        model = classifier("knn", stop_words="english").fit([corpus.texts[i] for i in train], corpus.labels[train])
        expected = model.predict([corpus.texts[i] for i in test])
        np.testing.assert_array_equal(model.classes_[predicted(corpus, methods.BEYOND_KNN[0])], expected)

    @pytest.mark.parametrize("n_classes", [2, 4])
    def test_our_linear_features_are_those_of_the_setting(self, n_classes):
        corpus = made_up(200, n_classes)
        train, test = count_terms(corpus).parts(0)
        chosen = features("linear", stop_words="english")
        texts, labels = [corpus.texts[i] for i in train], corpus.labels[train]
        logistic = TroenpyClassifier(chosen, C=30.0).fit(texts, labels)
        expected = logistic.predict([corpus.texts[i] for i in test])
        np.testing.assert_array_equal(logistic.classes_[predicted(corpus, f"lr30: {LINEAR_SETTING}")], expected)
        svm = make_pipeline(chosen, LinearSVC(C=0.3, random_state=0)).fit(texts, labels)
        expected = svm.predict([corpus.texts[i] for i in test])
        np.testing.assert_array_equal(svm.classes_[predicted(corpus, f"svm0.3: {LINEAR_SETTING}")], expected)

    @pytest.mark.parametrize(("model", "seed"), [("svm", 0), ("svm", 1), ("svm", 2), ("lr", 0)])
    def test_the_strength_is_chosen_as_a_grid_search_on_the_training_part_would(self, model, seed):
        split = count_terms(made_up(150, 4, seed=seed)).split(0)
        estimator = (
            LinearSVC(tol=1e-2, random_state=0) if model == "svm" else LogisticRegression(tol=1e-5, solver="newton-cg")
        )
        pipeline = make_pipeline(TermFeatures(counted("pi", "profile")), estimator)
        grid = {f"{type(estimator).__name__.lower()}__C": STRENGTHS[model]}
        search = GridSearchCV(pipeline, grid, cv=PredefinedSplit(split.fold_numbers())).fit(split.train, split.codes)
        scores = search.cv_results_["mean_test_score"].round(9)  # else rounding decides between equals
        chosen = pipeline.set_params(**{next(iter(grid)): STRENGTHS[model][scores.argmax()]})
        assert scores.argmax() > 0  # the first would be taken if nothing were compared
        expected = chosen.fit(split.train, split.codes).predict(split.test)
        np.testing.assert_array_equal(predict(split, [read_method(f"{model}-cv: tf*pi + profile")])[0], expected)

    def test_nb_svm_weights_each_class_against_the_rest_by_its_own_ratio(self):
        split = count_terms(made_up(200, 4)).split(0)
        X, test = split.train.toarray() > 0, split.test.toarray() > 0
        decisions = []
        for i in range(4):
            a, c = X[split.codes == i].sum(axis=0) + 1, X[split.codes != i].sum(axis=0) + 1
            ratio = np.log(a / a.sum()) - np.log(c / c.sum())
            train_rows, test_rows = (normalize(part * ratio) for part in (X, test))
            model = LinearSVC(C=0.3, random_state=0, tol=1e-8, max_iter=100_000).fit(train_rows, split.codes == i)
            decisions.append(model.decision_function(test_rows))
        expected = np.argmax(decisions, axis=0)
        np.testing.assert_array_equal(predict(split, [read_method("nbsvm0.3: btf")])[0], expected)

    def test_a_search_for_several_k_is_a_search_for_each(self):
        split = count_terms(made_up(100)).split(0)
        sweep = read_methods(["knn: tf*idf"], [1, 4, 7])
        assert groups(sweep) == [sweep]
        for together, method in zip(predict(split, sweep), sweep, strict=True):
            np.testing.assert_array_equal(together, predict(split, [method])[0])

    def test_two_classes_of_equal_size_leave_ecib_without_weight(self):
        corpus = Corpus("even", ("goal", "vote") * 10, np.array(["s", "p"] * 10))
        split = count_terms(replace(corpus, split=np.array(["train"] * 16 + ["test"] * 4))).split(None)
        assert not split.weighted("cib_ncf")[0].data.any()
        assert len(predict(split, [read_method("lr: ecib")])[0]) == 4

    @pytest.mark.parametrize(
        "name", ["knn1: tf*idf", "knn1-manhattan: tf*idf/l1", "knn1: tf*idf + btf", "knn1: tf*idf & profile"]
    )
    def test_a_document_without_terms_is_nobodys_neighbour(self, name):
        """The query shares one term of five with the only document it shares any with: their cosine is below a half."""
        texts = ("the", "goal late own cup final", "vote close law tax bill", "goal")
        split = np.array(["train"] * 3 + ["test"])
        corpus = Corpus("c", texts, np.array(["empty", "sport", "politics", "sport"]), split)
        (row,) = experiments.run([corpus], [name])
        assert row.error == 0.0

    def test_more_neighbours_than_documents(self):
        with pytest.raises(ValueError, match="'knn99: tf' on made up: k=99 is more than the 64 training"):
            experiments.run([made_up()], ["knn99: tf"], 1)
        even = Corpus("even", ("goal", "vote") * 10, np.array(["s", "p"] * 10))
        halves = replace(even, split=np.array(["train"] * 16 + ["test"] * 4))
        with pytest.raises(ValueError, match="'knn: ecib' on even: k=7 is more than the 0 training documents"):
            experiments.run([halves], ["knn: ecib"])


class TestRun:
    def test_one_row_per_corpus_fraction_split_and_method(self):
        corpora = [made_up(name="a"), made_up(name="b", given=True)]
        rows = experiments.run(corpora, FEW, [3, 5], train_fractions=(0.5, 1.0))
        assert [row.corpus for row in rows] == ["a"] * 16 + ["b"] * 8
        assert [row.seed for row in rows[:16:4]] == [3, 5, 3, 5]
        assert {row.seed for row in rows[16:]} == {None}
        assert [row.method for row in rows[:4]] == [read_method(name).name for name in FEW]
        assert len({row.key for row in rows}) == 24

    def test_a_row_says_how_the_error_came_about(self):
        (row,) = experiments.run([made_up()], ["knn: tf*pi"], 1)
        split = count_terms(made_up()).split(0)
        correct = predict(split, [read_method("knn: tf*pi")])[0] == split.truth
        assert 0 < correct.sum() < 16
        np.testing.assert_array_equal(row.was_correct(), correct)
        assert (row.n_train, row.n_test, row.n_terms) == (64, 16, split.train.shape[1])
        assert row.n_wrong == (~correct).sum()
        assert row.error == row.n_wrong / 16
        assert row.wall_seconds > 0
        assert row.versions["numpy"] == np.__version__

    def test_two_jobs_give_the_rows_of_one(self):
        assert without_times(experiments.run([made_up(200)], ALL[:40], 2, n_jobs=2)) == without_times(
            experiments.run([made_up(200)], ALL[:40], 2)
        )

    def test_every_method_runs(self):
        assert len(experiments.run([made_up(60)], ALL, 1)) == len({read_method(name).name for name in ALL})

    def test_progress_counts_rows_and_foresees_the_end(self):
        seen = []
        experiments.run([made_up()], FEW, 2, on_row=seen.append)
        assert [(progress.done, progress.total) for progress in seen] == [(i, 8) for i in range(1, 9)]
        assert all(progress.seconds_left > 0 for progress in seen[:-1])
        assert seen[-1].seconds_left == 0

    def test_deduplicated_corpora_are_other_corpora(self, tmp_path):
        corpus = made_up(40)
        doubled = replace(corpus, texts=corpus.texts * 2, labels=np.concatenate([corpus.labels] * 2))
        out = tmp_path / "rows.jsonl"
        (row,) = experiments.run([doubled], ["knn: tf"], 1, out=out)
        (once,) = experiments.run([doubled], ["knn: tf"], 1, out=out, deduplicate=True)
        assert (row.n_train + row.n_test, once.n_train + once.n_test) == (80, 40)
        assert (row.setting, once.setting) == ("made up", "made up, deduplicated")
        assert len(journal.read_rows(out)) == 2

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"methods": []}, r"methods must not be empty: name one, such as 'knn: tf\*pi'"),
            ({"splits": 0}, "splits must be 1 or more, got 0"),
            ({"train_fractions": [0.0]}, r"train_fractions must be numbers above 0 and at most 1, got \[0.0\]"),
            ({"corpora": [made_up(), made_up()]}, "corpora must have different names"),
            ({"corpora": ["reuters"]}, "unknown corpus 'reuters'; choose one of bbcsport"),
            ({"methods": ["knn: tf*sqrt(pcf)"]}, r"on made up: scheme 'sqrt\(pcf\)' takes the square root of negative"),
            ({"splits": -1}, "splits must be 1 or more, got -1"),
            ({"splits": []}, r"splits must be a number of splits, or seeds from 0 .* got \[\]"),
            ({"splits": [0, -3]}, r"splits must be a number of splits, or seeds from 0 .* got \[0, -3\]"),
            ({"splits": "5"}, "splits must be a number of splits, or seeds from 0 .* got '5'"),
            ({"splits": True}, "splits must be a number of splits, or seeds from 0 .* got True"),
            ({"splits": 2.5}, r"splits must be a number of splits, or seeds from 0 .* got 2\.5"),
            ({"train_fractions": []}, r"train_fractions must be numbers above 0 and at most 1, got \[\]"),
            ({"n_jobs": 0}, "n_jobs must be None or an int from -4096 to 4096 other than 0, got 0"),
            ({"ks": [0]}, r"ks must be whole numbers of 1 or more, got \[0\]"),
            ({"sample": 0}, "sample"),
        ],
    )
    def test_wrong_arguments(self, changed, message):
        arguments = {"corpora": [made_up()], "methods": ["knn: tf"], "splits": 1} | changed
        with pytest.raises(ValueError, match=message):
            experiments.run(**arguments)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            (
                {"methods": [make_pipeline(CountVectorizer())]},
                "a method must be a name such as 'knn: .*, got Pipeline",
            ),
            ({"methods": [CountVectorizer()]}, "got CountVectorizer: to evaluate your own estimator"),
            ({"methods": [CountVectorizer]}, "got CountVectorizer: .* scikit-learn's cross_val_score"),
            ({"methods": [len]}, "a method must be a name .* got len"),
            ({"methods": "knn: tf"}, r"methods must be a list of names, got the string 'knn: tf': write \['knn: tf'\]"),
            ({"corpora": "r8"}, r"corpora must be a list, got 'r8': write \['r8'\]"),
            ({"corpora": made_up()}, "corpora must be a list, got <Corpus made up"),
            (
                {"corpora": [(["a text"], ["a label"])]},
                "a corpus must be a name or a Corpus, got tuple: .*texts, labels",
            ),
        ],
    )
    def test_arguments_of_another_kind(self, changed, message):
        arguments = {"corpora": [made_up()], "methods": ["knn: tf"], "splits": 1} | changed
        with pytest.raises(TypeError, match=message):
            experiments.run(**arguments)

    @pytest.mark.parametrize(
        "changed", [{"n_jobs": 0}, {"splits": 0}, {"ks": [0]}, {"methods": ["x"]}, {"out": "file/below"}, {"sample": 0}]
    )
    def test_what_is_wrong_is_said_before_anything_is_read(self, changed, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "file").touch()
        read = []
        monkeypatch.setattr(datasets, "load", lambda *args, **options: read.append(args))
        with pytest.raises((ValueError, OSError), match=r"must be|cannot read|File exists|sample"):
            experiments.run(**{"corpora": ["r8"], "methods": ["knn: tf"], "splits": 1} | changed, on_start=read.append)
        assert read == []

    def test_on_start_has_the_names_before_they_are_read(self):
        started = []
        experiments.run([made_up()], ["knn: tf"], np.int64(1), on_start=started.append)
        assert started == [["made up"]]

    def test_seeds_of_numpy_are_seeds(self):
        rows = experiments.run([made_up()], ["knn: tf"], np.arange(2))
        assert [(row.seed, type(row.seed)) for row in rows] == [(0, int), (1, int)]


class TestCorpora:
    TEXTS = ["late goal", "own goal", "close vote", "no vote"] * 5
    LABELS = ["s", "s", "p", "p"] * 5

    @pytest.mark.parametrize("texts", [list, tuple, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)])
    @pytest.mark.parametrize("labels", [list, np.array, pd.Series, lambda labels: np.array(labels, dtype=object)])
    def test_texts_and_labels_come_in_any_sequence(self, texts, labels):
        given = Corpus("mine", texts(self.TEXTS), labels(self.LABELS))
        usual = Corpus("mine", tuple(self.TEXTS), np.array(self.LABELS))
        assert given.texts == usual.texts
        assert (given.labels.tolist(), given.labels.dtype.kind) == (self.LABELS, "U")
        (row,) = experiments.run([given], ["knn: tf"], 1)
        assert without_times([row]) == without_times(experiments.run([usual], ["knn: tf"], 1))

    @pytest.mark.parametrize("labels", [[1, 2], np.array([1, 2]), pd.Series([1, 2], index=[7, 8])])
    def test_labels_that_are_numbers_are_kept_as_text(self, labels):
        assert Corpus("mine", ["a", "b"], labels).labels.tolist() == ["1", "2"]

    def test_split_and_ids_may_be_lists(self):
        given = Corpus("mine", ["a", "b"], ["x", "y"], ["train", "test"], [7, 8])
        assert (given.split.tolist(), given.ids.tolist()) == (["train", "test"], ["7", "8"])

    @pytest.mark.parametrize(
        ("error", "message", "arguments"),
        [
            (ValueError, "labels must have one entry for each of the 2 documents, got shape (1,)", (["a", "b"], ["x"])),
            (
                ValueError,
                "labels must have one entry for each of the 2 documents, got shape (2, 2)",
                (["a", "b"], np.eye(2)),
            ),
            (ValueError, "labels must have one entry for each of the 2 documents, got shape ()", (["a", "b"], "xy")),
            (ValueError, "labels must not be missing, got None for document 1", (["a", "b"], ["x", None])),
            (ValueError, "labels must not be missing, got nan for document 1", (["a", "b"], ["x", np.nan])),
            (TypeError, "texts must be a sequence of strings, got str: one string per document", ("ab", ["x", "y"])),
            (TypeError, "texts must be a sequence of strings, got int", (5, ["x"])),
            (TypeError, "texts must be strings, got 'nan' (float) for document 1", (["a", np.nan], ["x", "y"])),
            (TypeError, "texts must be strings, got \"b'a'\" (bytes) for document 0", ([b"a"], ["x"])),
            (ValueError, "texts must not be empty", ([], [])),
            (ValueError, "split must be 'train' or 'test' for each document, got 'dev'", (["a"], ["x"], ["dev"])),
            (
                ValueError,
                "split must have one entry for each of the 2 documents, got shape (1,)",
                (["a", "b"], ["x", "y"], ["test"]),
            ),
            (
                ValueError,
                "ids must have one entry for each of the 1 documents, got shape (0,)",
                (["a"], ["x"], None, []),
            ),
        ],
    )
    def test_what_does_not_fit_says_so(self, error, message, arguments):
        with pytest.raises(error, match=re.escape(message)):
            Corpus("mine", *arguments)

    @pytest.mark.parametrize("name", ["", None, 5])
    def test_a_corpus_has_a_name(self, name):
        with pytest.raises(ValueError, match=f"name must be a non-empty string, got {name!r}"):
            Corpus(name, ["a"], ["x"])


class TestResuming:
    def test_rows_that_are_there_are_not_run_again(self, tmp_path):
        out = tmp_path / "new folder" / "rows.jsonl"
        first = experiments.run([made_up()], FEW[:2], 2, out=out)
        seen = []
        both = experiments.run([made_up()], FEW, 2, out=out, on_row=seen.append)
        assert [progress.done for progress in seen] == [5, 6, 7, 8]
        assert [row for row in both if row.method in ("knn: tf*idf", "knn: tf*pi")] == first
        assert {row.key for row in journal.read_rows(out)} == {row.key for row in both}
        experiments.run([made_up()], ["knn: btf"], 2, out=out, on_row=seen.append)
        assert [(progress.done, progress.total) for progress in seen[4:]] == [(1, 2), (2, 2)]

    def test_a_fresh_run_forgets(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        experiments.run([made_up()], FEW, 2, out=out)
        experiments.run([made_up()], FEW[:1], 1, out=out, overwrite=True)
        assert len(journal.read_rows(out)) == 1

    @pytest.mark.parametrize("n_bytes", [1, 30, 200])
    def test_a_torn_last_line_is_repaired(self, tmp_path, n_bytes):
        out = tmp_path / "rows.jsonl"
        alone = experiments.run([made_up()], FEW, 1, out=out)
        lines = out.read_bytes().splitlines(keepends=True)
        out.write_bytes(b"".join(lines[:2]) + lines[2][:n_bytes])
        assert len(journal.read_rows(out)) == 2
        assert without_times(experiments.run([made_up()], FEW, 1, out=out)) == without_times(alone)
        assert without_times(journal.read_rows(out)) == without_times(alone)

    def test_a_last_line_without_its_end_is_run_again(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        experiments.run([made_up()], FEW, 1, out=out)
        out.write_bytes(out.read_bytes()[:-1])
        experiments.run([made_up()], FEW, 1, out=out)
        assert len(journal.read_rows(out)) == 4

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"protocol": 0}, "line 1 of .*rows.jsonl: protocol must be 1, got 0"),
            ({"surprise": 1}, "line 1 of .*rows.jsonl: unknown field 'surprise'"),
            ({"versions": {"troenpy": "0.0.1"}}, "has rows made with troenpy 0.0.1, but this is"),
            ({"fingerprint": "another"}, "has rows for a different corpus named made up: overwrite"),
        ],
    )
    def test_rows_made_otherwise_do_not_mix(self, tmp_path, change, message):
        out = tmp_path / "rows.jsonl"
        experiments.run([made_up()], FEW[:1], 1, out=out)
        out.write_text(json.dumps(json.loads(out.read_text()) | change) + "\n")
        before = out.read_bytes()
        with pytest.raises(ValueError, match=message):
            experiments.run([made_up()], FEW, 1, out=out)
        assert out.read_bytes() == before

    def test_a_broken_line_in_the_middle_is_named(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        experiments.run([made_up()], FEW[:2], 1, out=out)
        lines = out.read_text().splitlines()
        out.write_text(f"{lines[0]}\nnonsense\n{lines[1]}\n")
        with pytest.raises(ValueError, match="line 2 of"):
            journal.read_rows(out)
        out.write_text(f"{lines[0]}\n{lines[0]}\n")
        with pytest.raises(ValueError, match=r"line 2 of .*: second row for made up"):
            journal.read_rows(out)

    def test_a_second_run_is_kept_out(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        with journal.open_journal(out), pytest.raises(BlockingIOError, match=r"another run is writing .*rows.jsonl"):
            experiments.run([made_up()], FEW, 1, out=out)
        assert len(experiments.run([made_up()], FEW, 1, out=out)) == len(FEW)
        assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]

    def test_another_process_is_kept_out_and_its_death_lets_the_next_in(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        code = (
            "import sys; from troenpy.experiments.journal import open_journal\n"
            f"with open_journal({str(out)!r}): print('locked', flush=True); sys.stdin.read()"
        )
        command = [sys.executable, "-c", code]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603
            try:
                assert other.stdout.readline().strip() == b"locked"
                with pytest.raises(BlockingIOError, match="another run is writing"):
                    experiments.run([made_up()], FEW, 1, out=out)
            finally:
                other.kill()
        assert sorted(path.name for path in tmp_path.iterdir()) == [".rows.jsonl.lock", "rows.jsonl"]
        assert len(experiments.run([made_up()], FEW, 1, out=out)) == len(FEW)
        assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]

    @pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), NotImplementedError("no locks here")])
    def test_a_folder_without_locks_is_named(self, tmp_path, monkeypatch, error):
        def refuse(*args, **options):
            raise error

        monkeypatch.setattr(journal.FileLock, "acquire", refuse)
        message = r"cannot lock .*rows\.jsonl with .*\.rows\.jsonl\.lock \((Permission denied|no locks here)\): write"
        with pytest.raises(OSError, match=message):
            experiments.run([made_up()], FEW, 1, out=tmp_path / "rows.jsonl")

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
    def test_killed_at_ten_moments_and_resumed_gives_the_rows_of_a_run_left_alone(self, tmp_path):
        out = tmp_path / "rows.jsonl"
        # A process of its own, which forks the runs that it kills: imports are then paid for once.
        script = textwrap.dedent(
            f"""
            import os, random, signal, sys, time
            sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parent.parent)]!r}
            import test_runs as t
            from troenpy import experiments

            def n_rows():
                return open({str(out)!r}, "rb").read().count(b"\\n") if os.path.exists({str(out)!r}) else 0

            moments = random.Random(0)
            for attempt in range(11):
                wanted = n_rows() + moments.randrange(8)
                child = os.fork()
                if child == 0:
                    def wait(progress):  # some rows on, or it may be done before the last kill
                        while attempt < 10 and n_rows() > wanted + 6:
                            time.sleep(1)

                    experiments.run([t.made_up(150)], t.ALL[:28], 6, out={str(out)!r}, n_jobs=2, on_row=wait)
                    os._exit(0)
                if attempt < 10:
                    while n_rows() < wanted:  # a slow machine has to get somewhere, too
                        time.sleep(0.001)
                    time.sleep(moments.uniform(0, 0.02))
                    os.kill(child, signal.SIGKILL)
                status = os.waitpid(child, 0)[1]
                print(os.waitstatus_to_exitcode(status), n_rows())
            """
        )
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        ended = subprocess.run(  # noqa: S603 (our own text)
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        codes, sizes = zip(*(map(int, line.split()) for line in ended.stdout.splitlines()), strict=True)
        assert codes == (-signal.SIGKILL,) * 10 + (0,)
        assert 0 < sizes[-2] < sizes[-1] == 28 * 6, f"the kills did not come in between: {sizes}"
        alone = experiments.run([made_up(150)], ALL[:28], 6)
        assert without_times(journal.read_rows(out)) == without_times(alone)


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
@pytest.mark.parametrize(
    ("method", "error"), [("knn: tf*idf", 12.11), ("knn: tf*pi", 7.22), ("lr: tf*idf", 5.44), ("lr: tf*pi + 2b", 2.88)]
)
def test_whole_r8_gives_the_known_errors_and_the_committed_rows(method, error):
    (row,) = experiments.run(["r8"], [method])
    assert round(100 * row.error, 2) == error
    committed = journal.read_rows(Path(__file__).parents[2] / "experiments/results/r8/rows.jsonl")
    assert [old.correct for old in committed if old.method == row.method] == [row.correct]


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
@pytest.mark.parametrize(
    ("method", "error", "apart"),
    [(methods.BEYOND_KNN[0], 3.06, 0.2), (methods.BEYOND_KNN[1], 2.83, 0.2), (methods.BEYOND_LINEAR[1], 1.96, 0.3)],
)
def test_our_settings_give_the_errors_of_the_study_and_the_committed_rows_on_r8(method, error, apart):
    (row,) = experiments.run(["r8"], [method])
    assert 100 * row.error == pytest.approx(error, abs=apart)
    committed = journal.read_rows(Path(__file__).parents[2] / "experiments/results/all/rows.jsonl")
    assert [old.correct for old in committed if (old.corpus, old.method) == ("r8", row.method)] == [row.correct]


@pytest.mark.full_corpus
@pytest.mark.skipif(not os.environ.get("TROENPY_DATA"), reason="TROENPY_DATA names no folder of corpora")
def test_our_neighbours_give_the_error_of_the_study_on_all_splits_of_bbcsport():
    rows = experiments.run(["bbcsport"], methods.BEYOND_KNN[:1])
    assert 100 * np.mean([row.error for row in rows]) == pytest.approx(0.24, abs=0.2)
