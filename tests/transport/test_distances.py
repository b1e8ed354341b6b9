"""Distances by optimal transport equal a direct solution, and lower bounds stay below."""

import builtins
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_up_words import WORDS, bags, made_up_topics, made_up_vectors, seeds
from scipy import sparse
from scipy.spatial.distance import cdist

from troenpy import transport
from troenpy.transport import balanced, interior_point, unbalanced
from troenpy.transport.distances import (
    DISTANCES,
    centroid_distance,
    count_words,
    hoftt,
    hott,
    learn_topics,
    relaxed_wmd,
    wfr,
    wmd,
)
from troenpy.transport.embeddings import WordVectors
from troenpy.transport.topics import Topics, drop_small_topics
from troenpy.transport.unbalanced import Unbalanced

ot = pytest.importorskip("ot", reason="POT is not installed")
pytest.importorskip("tomotopy", reason="tomotopy is not installed")


def direct_wmd(bag, other, vectors):
    """The definition, on the words of both documents, as POT solves it."""
    p, q = (np.array(list(words.values()), dtype=float) for words in (bag, other))
    x, y = (vectors.vectors[[WORDS.index(word) for word in words]].astype(float) for words in (bag, other))
    return ot.emd2(p / p.sum(), q / q.sum(), cdist(x, y))


@pytest.fixture(scope="module")
def topics():
    return made_up_topics()


class TestWmd:
    @settings(max_examples=30, deadline=None)
    @given(bags, bags, seeds)
    def test_equals_a_direct_solution(self, bag, other, seed):
        vectors = made_up_vectors(seed)
        assert wmd(bag, other, vectors) == pytest.approx(direct_wmd(bag, other, vectors), abs=1e-6)

    @settings(max_examples=30, deadline=None)
    @given(bags, bags, seeds)
    def test_bounds_stay_below_and_it_is_symmetric(self, bag, other, seed):
        vectors = made_up_vectors(seed)
        distance = wmd(bag, other, vectors)
        assert centroid_distance(bag, other, vectors) <= distance + 1e-6
        assert relaxed_wmd(bag, other, vectors) <= distance + 1e-6
        assert wmd(other, bag, vectors) == pytest.approx(distance, abs=1e-9)
        assert wmd(bag, dict(reversed(bag.items())), vectors) == 0

    def test_counts_are_shares(self):
        vectors = made_up_vectors()
        assert wmd(["w1", "w2", "w1"], {"w1": 4, "w2": 2}, vectors) == pytest.approx(0, abs=1e-12)

    def test_a_worked_example(self):
        vectors = WordVectors(("a", "b", "c"), [[0, 0], [3, 4], [0, 1]])
        assert wmd(["a"], ["b"], vectors) == 5
        assert wmd(["a", "c"], ["c", "c", "c", "a"], vectors) == pytest.approx(0.25)
        assert relaxed_wmd(["a", "c"], ["a"], vectors) == pytest.approx(0.5)

    @pytest.mark.filterwarnings("ignore:numItermax:UserWarning")  # POT's own
    def test_what_the_simplex_gives_up_is_an_error(self, monkeypatch):
        monkeypatch.setattr(balanced, "MOST_PIVOTS", 1)
        generator = np.random.default_rng(0)
        vectors = WordVectors(WORDS, generator.normal(size=(len(WORDS), 3)))
        half = len(WORDS) // 2
        with pytest.raises(RuntimeError, match=rf"{half} x {half} points could not be solved: numItermax reached"):
            wmd(WORDS[:half], WORDS[half : 2 * half], vectors)


class TestWfr:
    @settings(max_examples=15, deadline=None)
    @given(bags, bags, seeds)
    def test_near_a_direct_solution_and_within_its_tolerance(self, bag, other, seed):
        vectors = made_up_vectors(seed)
        p, q = (np.array(list(words.values()), dtype=float) for words in (bag, other))
        p, q = p / p.sum(), q / q.sum()
        x, y = (vectors.vectors[[WORDS.index(word) for word in words]].astype(float) for words in (bag, other))
        angles = np.minimum(0.7 * cdist(x, y), np.pi / 2)
        costs = np.minimum(-2 * np.log(np.maximum(np.cos(angles), 1e-11)), 50)
        plan = ot.unbalanced.mm_unbalanced(p, q, costs, 1.0, numItermax=3_000, stopThr=1e-12)
        masses = [(plan.sum(axis=1), p), (plan.sum(axis=0), q)]
        divergence = sum(np.sum(np.where(a > 0, a * np.log(np.maximum(a, 1e-300) / b), 0) - a + b) for a, b in masses)
        least = (plan * costs).sum() + divergence
        distance = wfr(bag, other, vectors, coef=0.7, tolerance=1e-3)
        assert least - 2e-4 <= distance <= least + 1.2e-3
        assert wfr(other, bag, vectors, coef=0.7) == pytest.approx(distance, abs=1e-9)
        assert wfr(bag, bag, vectors) == 0

    @settings(max_examples=15, deadline=None)
    @given(seeds)
    def test_steps_are_those_of_pot(self, seed):
        generator = np.random.default_rng(seed)
        p, q, costs = generator.dirichlet(np.ones(5)), generator.dirichlet(np.ones(3)), generator.exponential(3, (5, 3))
        plan = p[:, None] * q
        for _ in range(2):
            expected = ot.unbalanced.mm_unbalanced(
                p, q, costs, 1.0, G0=plan, numItermax=unbalanced.STEPS_AT_ONCE, stopThr=0
            )
            plan = unbalanced.improve_plan(p, q, np.exp(-costs / 2), plan)
            np.testing.assert_allclose(plan, expected, rtol=1e-9, atol=1e-13)

    def test_the_tolerance_is_kept_where_steps_are_slow(self):
        generator = np.random.default_rng(0)
        vectors = WordVectors([f"x{i}" for i in range(80)], generator.normal(size=(80, 20)))
        p, q = generator.dirichlet(np.ones(40), 2)
        bag, other = dict(zip(vectors.words[:40], p, strict=True)), dict(zip(vectors.words[40:], q, strict=True))
        costs = [wfr(bag, other, vectors, coef=0.05, tolerance=tolerance) for tolerance in (1e-3, 1e-5, 1e-7)]
        assert costs[2] <= costs[1] <= costs[2] + 1e-5
        assert costs[2] <= costs[0] <= costs[2] + 1e-3

    @settings(max_examples=30)
    @given(bags, bags, seeds, st.sampled_from([0.3, 0.1, 0.02]))
    @example({"w0": 1, "w11": 2, "w10": 2, "w2": 1}, {"w0": 2, "w1": 1, "w10": 2, "w2": 1}, 0, 0.1)
    def test_the_tolerance_is_kept_where_moves_are_cheap(self, bag, other, seed, coef):
        vectors = made_up_vectors(seed)
        tolerance = 1e-3 * coef**2
        fine = wfr(bag, other, vectors, coef=coef, tolerance=tolerance / 100)  # a warning would be an error
        assert fine - tolerance / 50 <= wfr(bag, other, vectors, coef=coef, tolerance=tolerance) <= fine + tolerance
        assert wfr(other, bag, vectors, coef=coef, tolerance=tolerance / 100) == pytest.approx(fine, abs=tolerance / 50)
        assert wfr(bag, bag, vectors, coef=coef) == 0

    def test_a_chain_of_near_words(self):
        vectors = WordVectors(("a", "b", "c", "d"), [[0], [0.01], [0.02], [0.03]])
        distance = wfr(["a", "c"], ["b", "d"], vectors, tolerance=1e-9)
        assert distance == pytest.approx(2 - 2 * np.cos(0.01), abs=1e-9)  # each word by one place

    def test_newton_gets_where_steps_get(self, monkeypatch):
        generator = np.random.default_rng(1)
        p, q, costs = (
            generator.dirichlet(np.ones(9)),
            generator.dirichlet(np.ones(7)),
            generator.uniform(0, 0.2, (7, 9)),
        )
        coupling, common = Unbalanced(1.0, 1e-6), np.full(7, -1)
        with monkeypatch.context() as patch:
            patch.setattr(interior_point, "_newton_step", lambda *_: None)
            by_steps = coupling.solve(p, q, costs, common).cost
        monkeypatch.setattr(unbalanced, "PATIENCE", 0)
        monkeypatch.setattr(unbalanced, "improve_plan", lambda *_: pytest.fail("Newton did not get there"))
        assert coupling.solve(p, q, costs, common).cost == pytest.approx(by_steps, abs=2e-6)

    @pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
    def test_words_far_from_all_others(self, tolerance):
        generator = np.random.default_rng(0)
        places = np.vstack([generator.normal(size=(20, 3)) / 100, [[5, 0, 0], [0, 5, 0]]])
        vectors = WordVectors([f"x{i}" for i in range(22)], places)
        bag, other = ([*(f"x{i}" for i in range(first, 20, 2)), f"x{first + 20}"] for first in (0, 1))
        distance = wfr(bag, other, vectors, tolerance=tolerance)  # a warning would be an error
        assert distance == pytest.approx(wfr(other, bag, vectors, tolerance=1e-9), abs=tolerance + 1e-9)
        assert 2 / 11 < distance < 2 / 11 + 0.001  # the far words are destroyed and made, the others move a little

    def test_what_is_not_proven_comes_with_a_warning(self, monkeypatch):
        monkeypatch.setattr(unbalanced, "MOST_STEPS", 25)
        with pytest.warns(RuntimeWarning, match="more than the tolerance 1e-08: allow a larger tolerance"):
            wfr(["w1", "w2"], ["w3", "w4"], made_up_vectors(), coef=0.3, tolerance=1e-8)

    def test_one_word_each_is_known_in_closed_form(self):
        vectors = WordVectors(("a", "b", "c"), [[0], [1], [1.5]])
        assert wfr(["a"], ["b"], vectors, tolerance=1e-6) == pytest.approx(2 - 2 * np.cos(1), abs=1e-6)
        assert wfr(["a"], ["b"], vectors, coef=0.5, tolerance=1e-6) == pytest.approx(2 - 2 * np.cos(0.5), abs=1e-6)
        assert wfr(["a"], ["c"], vectors, coef=2, tolerance=1e-6) == pytest.approx(2)

    def test_without_moves_it_is_the_squared_hellinger_distance(self):
        vectors = WordVectors(("a", "b", "c"), [[0], [9], [18]])
        hellinger = (1 - np.sqrt(0.5)) ** 2 + 0.5
        assert wfr(["a"], ["a", "b"], vectors, tolerance=1e-6) == pytest.approx(hellinger, abs=1e-6)

    @pytest.mark.parametrize("setting", [{"coef": 0}, {"tolerance": 0.0}, {"coef": float("nan")}])
    def test_settings_are_positive(self, setting):
        with pytest.raises(ValueError, match="coef and tolerance must be positive"):
            wfr(["w1"], ["w2"], made_up_vectors(), **setting)


class TestTopics:
    @settings(max_examples=30, deadline=None)
    @given(bags, bags)
    def test_distances_are_those_of_the_mixtures(self, topics, bag, other):
        mixed = topics.proportions(count_words([bag, other], topics.vectors))
        expected = ot.emd2(*mixed, topics.distances)
        assert hoftt(bag, other, topics) == pytest.approx(expected, abs=1e-9)
        assert hott(bag, other, topics) == pytest.approx(ot.emd2(*drop_small_topics(mixed), topics.distances), abs=1e-9)
        for distance in (hott, hoftt):
            assert distance(bag, other, topics) == pytest.approx(distance(other, bag, topics), abs=1e-12)
            assert distance(bag, bag, topics) == 0

    def test_small_parts_are_left_out(self):
        np.testing.assert_allclose(drop_small_topics(np.array([[0.7, 0.2, 0.1]])), [[1, 0, 0]])
        np.testing.assert_allclose(drop_small_topics(np.array([[0.5, 0.3, 0.2]])), [[0.625, 0.375, 0]])

    def test_topics_are_apart_by_their_heaviest_words(self, topics):
        weights = topics.mixing.components_
        heaviest = np.argsort(-weights, axis=1)[:, :4]
        a, b = ({WORDS[i]: weights[topic, i] for i in heaviest[topic]} for topic in (0, 3))
        assert topics.distances[0, 3] == pytest.approx(direct_wmd(a, b, topics.vectors), abs=1e-6)
        assert (topics.distances == topics.distances.T).all()

    def test_words_that_go_together_are_one_topic(self):
        vectors = WordVectors(("a", "b", "c", "d"), np.eye(4))
        found = learn_topics([["a", "b"] * 5, ["c", "d"] * 5] * 20, vectors, n_topics=2, n_words=2, n_steps=50)
        mixed = found.proportions(count_words([["a"] * 20, ["b"] * 20, ["c"] * 20], vectors))
        assert mixed.argmax(axis=1)[0] == mixed.argmax(axis=1)[1] != mixed.argmax(axis=1)[2]

    def test_the_same_seed_gives_the_same_topics_and_a_copy_is_the_same(self, topics):
        counts = count_words([["w1", "w2"], ["w7"] * 4], topics.vectors)
        again, other = (Topics.learn(counts, topics.vectors, n_topics=2, n_steps=20, seed=seed) for seed in (3, 3))
        np.testing.assert_array_equal(again.distances, other.distances)
        copy = pickle.loads(pickle.dumps(topics))
        np.testing.assert_array_equal(copy.proportions(counts), topics.proportions(counts))

    def test_words_of_no_document_change_nothing(self):
        bags = [["a", "b"] * 5, ["c", "d"] * 5, ["a", "d"]] * 10
        few = WordVectors(("a", "b", "c", "d"), np.eye(4))
        many = WordVectors(("x", "a", "b", "y", "c", "d", "z"), np.eye(7)[:, [1, 2, 4, 5]])
        found, among_others = (
            learn_topics(bags, vectors, n_topics=3, n_words=2, n_steps=50) for vectors in (few, many)
        )
        np.testing.assert_array_equal(found.distances, among_others.distances)
        for distance in (hott, hoftt):
            for bag in (["b"], ["b", "c"], ["b", "x", "c", "y"]):
                assert distance(["a"], bag, found) == distance(["a"], bag, among_others)
            assert distance(["a"], ["x"], among_others) == np.inf
            assert distance(["x"], ["y", "z"], among_others) == 0

    def test_topics_are_learnt_from_whole_counts(self):
        with pytest.raises(ValueError, match=r"word counts must be whole to learn topics, got 0\.5"):
            learn_topics([{"w1": 1, "w2": 0.5}], made_up_vectors(), n_topics=2)

    def test_what_cannot_be_learnt(self):
        with pytest.raises(ValueError, match="none of the 1 documents has a word with a vector"):
            learn_topics([["zzz"]], made_up_vectors())
        with pytest.raises(ValueError, match=r"Expected n_topics > 0\. Got 0"):
            learn_topics([["w1"]], made_up_vectors(), n_topics=0)
        with pytest.raises(TypeError, match="n_steps does not take <class 'float'> value"):
            learn_topics([["w1"]], made_up_vectors(), n_steps=2.5)


class TestUnknownWords:
    def test_documents_of_unknown_words(self, topics):
        vectors = topics.vectors
        for distance in (wmd, relaxed_wmd, centroid_distance):
            assert distance(["zzz"], ["w1"], vectors) == np.inf == distance(["w1"], [], vectors)
            assert distance(["zzz"], [], vectors) == 0
        assert (wfr(["zzz"], ["w1"], vectors), wfr(["w1"], ["zzz"], vectors), wfr([], [], vectors)) == (1, 1, 0)
        for distance in (hott, hoftt):
            assert (distance(["zzz"], ["w1"], topics), distance(["zzz"], [], topics)) == (np.inf, 0)

    def test_unknown_words_are_left_out(self):
        vectors = made_up_vectors()
        assert wmd(["w1", "zzz"], ["w2"], vectors) == wmd(["w1"], ["w2"], vectors)

    @pytest.mark.parametrize(
        ("bag", "error", "message"),
        [
            (None, TypeError, "a mapping or an iterable of words, got None"),
            (b"w1", TypeError, "got the string b'w1': split it"),
            ([1, 2], TypeError, "must hold strings, got 1: pass counts as a mapping"),
            (pd.Series({"w1": 2, "w2": 2}), TypeError, "pass counts as a mapping"),
            ({"w1": 1, "w2": np.nan}, ValueError, "positive numbers, got nan"),
            ({"w1": 1, "w2": np.inf}, ValueError, "positive numbers, got inf"),
            ({"w1": 1, "w2": -3}, ValueError, "positive numbers, got -3"),
            ({"w1": 1e-20, "w2": 1e20}, ValueError, r"within a factor of 1e\+30, got 1e-20 and 1e"),
        ],
    )
    def test_what_is_no_bag(self, bag, error, message):
        for pair in ((bag, ["w1"]), (["w1"], bag)):
            with pytest.raises(error, match=message):
                wmd(*pair, made_up_vectors())

    def test_only_shares_matter(self):
        vectors = made_up_vectors()
        for distance in (wmd, wfr):
            expected = distance({"w1": 1, "w2": 1}, {"w3": 1}, vectors)
            assert distance({"w1": 1e308, "w2": 1e308}, {"w3": 1e-300}, vectors) == expected
            assert distance(pd.Series(["w1", "w2"]), ["w3"], vectors) == expected

    def test_bags_are_bags(self):
        with pytest.raises(TypeError, match="got the string 'w1 w2': split it"):
            wmd("w1 w2", ["w1"], made_up_vectors())
        with pytest.raises(ValueError, match="word counts must be positive numbers, got -1"):
            wmd({"w1": -1}, ["w1"], made_up_vectors())


class TestMissing:
    @pytest.fixture
    def without(self, monkeypatch):
        balanced._pot.cache_clear()
        imported = builtins.__import__

        def refuse(name, *args, **kwargs):
            if name in ("ot", "tomotopy"):
                raise ImportError(name)
            return imported(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", refuse)
        yield
        balanced._pot.cache_clear()

    def test_a_missing_package_says_what_to_install(self, without):
        line = re.escape("pip install 'troenpy[transport]'")
        with pytest.raises(ImportError, match=f"optimal transport needs POT: {line}"):
            wmd(["w1"], ["w2"], made_up_vectors())
        with pytest.raises(ImportError, match=f"topics need tomotopy: {line}"):
            learn_topics([["w1"]], made_up_vectors())


def test_distances_have_functions_of_their_names():
    assert all(callable(getattr(transport, name)) for name in DISTANCES)
    assert sparse.issparse(count_words([["w1"]], made_up_vectors()))
