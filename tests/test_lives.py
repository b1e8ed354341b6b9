"""Whatever is done to an estimator, in any order: after a failure it answers as before, or is not fitted yet."""

import copy
import pickle
import tempfile
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from interruptions import Interrupted, answers, answers_or_not_fitted
from sklearn.base import clone
from some_views import words

from troenpy import (
    ClassProfile,
    CountVectorizer,
    SparseKNeighborsClassifier,
    TermFeatures,
    TermWeighter,
    TextKNeighborsClassifier,
    TfPiVectorizer,
    TroenpyClassifier,
    load,
    save,
)

WORDS = ("goal", "vote", "coal", "note", "late", "own")
SIZES = (7, 9, 12)


def made_up_texts(seed):
    """Draw labelled texts; a first word that depends on the label, others at random."""
    rng = np.random.default_rng(seed)
    labels = np.array(["s", "p", "x"])[rng.permutation(SIZES[seed % 3]) % (2 + seed % 2)]
    texts = [" ".join([WORDS["spx".index(label)], *rng.choice(WORDS, 2)]) for label in labels]
    return texts, labels.tolist()


def made_up_counts(seed):
    """Count the words of the same texts."""
    texts, labels = made_up_texts(seed)
    return CountVectorizer(vocabulary=WORDS).fit_transform(texts).toarray().astype(float), labels


ESTIMATORS = {
    "CountVectorizer": (CountVectorizer(), made_up_texts, {"min_df": 99}),
    "TfPiVectorizer": (TfPiVectorizer(), made_up_texts, {"scheme": "nope"}),
    "TermFeatures": (TermFeatures(words("certainty", "boost", "profile")), made_up_texts, {"blocks": ()}),
    "TroenpyClassifier": (TroenpyClassifier(), made_up_texts, {"class_weight": {"typo": 2}}),
    "TextKNeighborsClassifier": (TextKNeighborsClassifier(n_neighbors=3), made_up_texts, {"n_neighbors": 99}),
    "TermWeighter": (TermWeighter(), made_up_counts, {"norm": "nope"}),
    "ClassProfile": (ClassProfile(), made_up_counts, {"smoothing": 0}),
    "SparseKNeighborsClassifier": (SparseKNeighborsClassifier(3), made_up_counts, {"metric": "nope"}),
}
IN_BATCHES = ("TfPiVectorizer", "TermFeatures", "TermWeighter", "ClassProfile")


def wrong(what, X, y):
    """Return documents, labels and other arguments with something wrong."""
    if what == "length":
        return X, y[:-1], {}
    if what == "missing":
        return X, [*y[:-1], None], {}
    if what == "document":
        return [*X[:-1], None], y, {}
    return X, y, {"sample_weight": [-1.0] * len(y)}


def life_of(name):  # noqa: C901 (one method for each thing that can be done)
    """Return the state machine of one estimator."""
    prototype, made_up, wrong_parameters = ESTIMATORS[name]
    probe = made_up(100)[0]
    seeds = st.integers(0, 8)

    class Life(RuleBasedStateMachine):
        @initialize()
        def begin(self):
            self.model, self.batches = clone(prototype), None
            self.expected = "not fitted"

        @rule(seed=seeds)
        def fit(self, seed):
            self.model.fit(*made_up(seed))
            self.expected, self.batches = answers(clone(prototype).fit(*made_up(seed)), probe), []

        @precondition(lambda self: name in IN_BATCHES and (self.batches is None or self.batches))
        @rule(seed=seeds)
        def add_a_batch(self, seed):
            self.model.partial_fit(*made_up(seed))
            self.expect_batch(seed)

        def expect_batch(self, seed):
            self.batches = [*(self.batches or []), made_up(seed)]
            X, y = zip(*self.batches, strict=True)
            whole = np.concatenate(X) if isinstance(X[0], np.ndarray) else [*chain(*X)]
            self.expected = answers(clone(prototype).fit(whole, [*chain(*y)]), probe)

        @precondition(lambda self: name != "CountVectorizer")  # which takes no labels
        @rule(seed=seeds, what=st.sampled_from(["length", "missing", "weights"]))
        def fit_wrong_labels(self, seed, what):
            X, y, others = wrong(what, *made_up(seed))
            with pytest.raises((ValueError, TypeError)):
                self.model.fit(X, y, **others)

        @rule(seed=seeds)
        def fit_a_wrong_document(self, seed):
            X, y, _ = wrong("document", *made_up(seed))
            with pytest.raises((ValueError, TypeError)):
                self.model.fit(X, y)

        @rule(seed=seeds)
        def fit_with_wrong_parameters(self, seed):
            kept = self.model.get_params()
            with pytest.raises((ValueError, TypeError)):
                self.model.set_params(**wrong_parameters).fit(*made_up(seed))
            self.model.set_params(**kept)

        @rule(seed=seeds, at=st.integers(1, 60))
        def fit_until_interrupted(self, seed, at):
            with Interrupted(at):
                try:
                    self.model.fit(*made_up(seed))
                except KeyboardInterrupt:
                    return
            self.expected, self.batches = answers(clone(prototype).fit(*made_up(seed)), probe), []

        @precondition(lambda self: name in IN_BATCHES and (self.batches is None or self.batches))
        @rule(seed=seeds)
        def add_a_wrong_batch(self, seed):
            X, y = made_up(seed)
            with pytest.raises(ValueError, match=r"label|inconsistent"):
                self.model.partial_fit(X, y[:-1])

        @precondition(lambda self: name in IN_BATCHES and (self.batches is None or self.batches))
        @rule(seed=seeds, at=st.integers(1, 60))
        def add_a_batch_until_interrupted(self, seed, at):
            with Interrupted(at):
                try:
                    self.model.partial_fit(*made_up(seed))
                except KeyboardInterrupt:
                    return
            self.expect_batch(seed)

        @rule()
        def copy(self):
            self.model = copy.copy(self.model)

        @rule()
        def save_and_load(self):
            with tempfile.TemporaryDirectory() as folder:
                save(self.model, Path(folder) / "model")
                self.model = load(Path(folder) / "model")

        @rule()
        def pickle_and_back(self):
            self.model = pickle.loads(pickle.dumps(self.model))

        @rule()
        def answer(self):
            assert answers_or_not_fitted(self.model, probe) == self.expected

        def teardown(self):
            self.answer()

    return Life


@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_life(name):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    how = settings(max_examples=15, stateful_step_count=12, deadline=None, suppress_health_check=checks)
    run_state_machine_as_test(life_of(name), settings=how)
