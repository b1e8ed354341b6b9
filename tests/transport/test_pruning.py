"""Pruning changes no neighbour, nor do blocks and processes, and it spares most solutions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_words import WORDS, bags, made_up_topics, made_up_vectors, seeds
from scipy.spatial.distance import cdist

from troenpy.transport import balanced, pruning
from troenpy.transport.balanced import Balanced
from troenpy.transport.distances import DISTANCES, count_words, topic_distance, wfr, word_distance
from troenpy.transport.embeddings import WordVectors
from troenpy.transport.points import DistanceTable, Words, shared_places
from troenpy.transport.pruning import NearestDocuments, Space
from troenpy.transport.unbalanced import Unbalanced

pytest.importorskip("ot", reason="POT is not installed")
pytest.importorskip("tomotopy", reason="tomotopy is not installed")


@pytest.fixture(scope="module")
def topics():
    return made_up_topics()


def random_documents(generator, n):
    """Short documents over few words, so that distances tie and documents repeat; one in ten has no known word."""
    documents = [list(generator.choice(WORDS, generator.integers(1, 8))) for _ in range(n)]
    return [["zzz"] if generator.random() < 0.1 else document for document in documents]


@pytest.fixture(scope="class")
def proofs_for_small_problems():
    """Documents here are so small that solving them would be faster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balanced, "LEAST_MOVES", 0)
        yield


@pytest.mark.usefixtures("proofs_for_small_problems")
class TestPruning:
    @settings(max_examples=15, deadline=None)
    @given(seeds, st.sampled_from(DISTANCES), st.integers(1, 7))
    def test_pruned_and_unpruned_neighbours_are_identical(self, topics, seed, name, k):
        generator = np.random.default_rng(seed)
        vectors = made_up_vectors(seed) if name in ("wmd", "wfr") else topics.vectors
        distance = word_distance(name, vectors) if name in ("wmd", "wfr") else topic_distance(name, topics)
        train, test = (distance.shares(count_words(random_documents(generator, n), vectors)) for n in (40, 5))
        found = [
            NearestDocuments(distance.space, train, prune=is_pruned).search(test, k) for is_pruned in (True, False)
        ]
        np.testing.assert_array_equal(found[0][1], found[1][1])
        np.testing.assert_array_equal(found[0][0], found[1][0])

    @pytest.mark.parametrize("name", ["wmd", "wfr"])
    def test_blocks_change_nothing(self, name, monkeypatch):
        vectors, generator = made_up_vectors(), np.random.default_rng(1)
        distance = word_distance(name, vectors)
        train, test = (distance.shares(count_words(random_documents(generator, n), vectors)) for n in (60, 12))
        whole = NearestDocuments(distance.space, train).search(test, 5)
        monkeypatch.setattr(pruning, "COSTS_KEPT", 0)
        monkeypatch.setattr(pruning, "COSTS_AT_ONCE", 5)
        blocks = NearestDocuments(distance.space, train).search(test, 5)
        # A matrix product of another shape may round otherwise, and WFR then stop a step earlier or later.
        np.testing.assert_allclose(whole[0], blocks[0], rtol=0, atol=1e-9 if name == "wmd" else 1e-3)
        plain = NearestDocuments(distance.space, train, prune=False).search(test, 5)
        np.testing.assert_array_equal(plain[1], blocks[1])
        np.testing.assert_array_equal(plain[0], blocks[0])

    @pytest.mark.parametrize("name", DISTANCES)
    def test_processes_change_nothing(self, name, topics):
        generator = np.random.default_rng(1)
        distance = topic_distance(name, topics) if name.startswith("ho") else word_distance(name, topics.vectors)
        train, test = (distance.shares(count_words(random_documents(generator, n), topics.vectors)) for n in (60, 41))
        nearest, seen = NearestDocuments(distance.space, train), []
        alone = nearest.search(test, 5)
        shared = nearest.search(test, 5, n_jobs=2, on_query=lambda *done: seen.append(done))
        assert seen == [(i + 1, 41) for i in range(41)]
        for mine, other in zip(alone, shared, strict=True):
            np.testing.assert_array_equal(mine, other)
        assert [part.shape for part in nearest.search(test[:0], 5, n_jobs=2)] == [(0, 5)] * 2

    def test_few_documents_start_few_processes(self, monkeypatch):
        distance = word_distance("wmd", made_up_vectors())
        shares = distance.shares(count_words([[word] for word in WORDS], made_up_vectors()))
        nearest, n_started = NearestDocuments(distance.space, shares), []

        def parallel_map(search, parts, n_processes):
            n_started.append(n_processes)
            yield from map(search, parts)

        monkeypatch.setattr(pruning, "parallel_map", parallel_map)
        for n in (12, 9, 7, 1):
            assert nearest.search(shares[:n], 1, n_jobs=20)[1].ravel().tolist() == [*range(n)]
        assert n_started == [3, 2]

    def test_an_error_of_the_caller_ends_the_search(self):
        distance = word_distance("wmd", made_up_vectors())
        queries = distance.shares(count_words([[word] for word in WORDS * 9], made_up_vectors()))
        nearest = NearestDocuments(distance.space, queries[: len(WORDS)])

        def stop(done, _all):
            if done == 3:
                raise RuntimeError("enough")

        for n_jobs in (1, 2):
            with pytest.raises(RuntimeError, match="enough"):
                nearest.search(queries, 1, n_jobs=n_jobs, on_query=stop)
        assert nearest.search(queries, 1, n_jobs=2)[1].ravel().tolist() == [*range(12)] * 9

    def test_most_documents_are_never_solved(self, monkeypatch):
        generator = np.random.default_rng(0)
        vectors = WordVectors(
            [f"x{i}" for i in range(200)], generator.normal(size=(200, 5)) + np.arange(200)[:, None] % 4 * 5
        )
        documents = [
            [f"x{4 * i + topic}" for i in generator.integers(0, 50, 15)] for topic in generator.integers(0, 4, 300)
        ]
        distance = word_distance("wmd", vectors)
        shares = distance.shares(count_words(documents, vectors))
        n_looked_at, solve = [], Balanced.solve
        monkeypatch.setattr(Balanced, "solve", lambda *args: n_looked_at.append(1) or solve(*args))
        n_solved, simplex = [], balanced._network_simplex
        monkeypatch.setattr(balanced, "_network_simplex", lambda *args: n_solved.append(1) or simplex(*args))
        NearestDocuments(distance.space, shares[20:]).search(shares[:20], 3)
        assert len(n_looked_at) < 0.2 * 20 * 280
        assert len(n_solved) < 0.5 * len(n_looked_at)

    @settings(max_examples=20, deadline=None)
    @given(bags, bags, st.integers(0, 100), st.booleans())
    def test_any_potentials_give_a_lower_bound(self, bag, other, seed, is_balanced):
        """What the search rests on: weak duality, for any prices whatever."""
        vectors = made_up_vectors(seed)
        coupling = Balanced() if is_balanced else Unbalanced(1.0, 1e-4)
        space = Space(Words(vectors.vectors.astype(float)), coupling)
        shares = word_distance("wmd", vectors).shares(count_words([bag, other], vectors))
        p, q = (shares.toarray()[i][shares.toarray()[i] > 0] for i in (0, 1))
        points, others = (np.flatnonzero(row) for row in shares.toarray())
        costs = space.costs_from(others)(points)
        u = np.random.default_rng(seed).normal(size=len(p))
        bound = p @ coupling.worth(u) + q @ coupling.worth((costs - u).min(axis=1))
        solution = coupling.solve(p, q, costs, shared_places(points, others))
        assert bound <= solution.cost + 1e-9
        u = solution.potentials()
        bound = p @ coupling.worth(u) + q @ coupling.worth((costs - u).min(axis=1))
        assert bound <= solution.cost + 1e-9
        assert not is_balanced or bound == pytest.approx(solution.cost, abs=1e-6)

    @settings(max_examples=20, deadline=None)
    @given(bags, bags, st.integers(0, 100), st.floats(0, 2), st.booleans())
    def test_a_cost_above_the_limit_need_not_be_known(self, bag, other, seed, limit, is_balanced):
        vectors = made_up_vectors(seed)
        coupling = Balanced() if is_balanced else Unbalanced(1.0, 1e-4)
        space = Space(Words(vectors.vectors.astype(float)), coupling)
        shares = word_distance("wmd", vectors).shares(count_words([bag, other], vectors)).toarray()
        points, others = (np.flatnonzero(row) for row in shares)
        problem = shares[0][points], shares[1][others], space.costs_from(others)(points), shared_places(points, others)
        whole, cut = coupling.solve(*problem), coupling.solve(*problem, limit)
        if cut.cost <= limit:
            assert cut.cost == whole.cost
        else:
            assert limit < cut.cost <= whole.cost + 1e-9

    @pytest.mark.parametrize("name", ["wmd", "wfr"])
    @pytest.mark.parametrize("scales", [[0, 0, 0], [1, 1e6, 1e-9], [1e-12, 1e-12, 1], [1e8, 1e8, 1e8], [1e-10] * 3])
    @pytest.mark.parametrize("seed", range(5))
    def test_neighbours_among_vectors_beyond_all_measure(self, name, scales, seed):
        """Bounds that rounding blurs: nothing may warn, and no neighbour be lost."""
        generator = np.random.default_rng(seed)
        vectors = WordVectors(WORDS, generator.integers(0, 3, size=(12, 3)) * np.repeat(scales, 4)[:, None])
        distance = word_distance(name, vectors, coef=1e10 if scales[0] == 1e-10 else 1.0)
        train, test = (distance.shares(count_words(random_documents(generator, n), vectors)) for n in (60, 12))
        pruned, plain = (
            NearestDocuments(distance.space, train, prune=is_pruned).search(test, 5) for is_pruned in (True, False)
        )
        np.testing.assert_array_equal(pruned[0], plain[0])
        np.testing.assert_array_equal(pruned[1], plain[1])

    def test_shares_of_next_to_nothing(self):
        vectors = WordVectors(("a", "b", "c", "d"), [[0.0], [9.0], [18.0], [27.0]])
        assert wfr({"a": 1e-29, "b": 1}, {"c": 1, "d": 1e-29}, vectors) == pytest.approx(2)
        with pytest.raises(ValueError, match=r"within a factor of 1e\+30, got 1e-60 and 1"):
            wfr({"a": 1e-60, "b": 1}, {"c": 1, "d": 1e-60}, vectors)

    def test_queries_may_be_unsorted(self):
        distance, generator = word_distance("wfr", made_up_vectors()), np.random.default_rng(2)
        shares = distance.shares(count_words(random_documents(generator, 30), made_up_vectors()))
        shuffled = shares.copy()
        for start, end in zip(shares.indptr[:-1], shares.indptr[1:], strict=True):
            order = generator.permutation(end - start)
            shuffled.indices[start:end], shuffled.data[start:end] = (
                shares.indices[start:end][order],
                shares.data[start:end][order],
            )
        shuffled.has_sorted_indices = False
        nearest = NearestDocuments(distance.space, shares)
        for mine, other in zip(nearest.search(shuffled, 3), nearest.search(shares, 3), strict=True):
            np.testing.assert_array_equal(mine, other)

    def test_too_few_documents(self):
        distance = word_distance("wmd", made_up_vectors())
        shares = distance.shares(count_words([["w1"], ["zzz"]], made_up_vectors()))
        with pytest.raises(ValueError, match="n_neighbors=2 is more than the 1 training documents with a known word"):
            NearestDocuments(distance.space, shares).search(shares, 2)

    def test_a_word_is_at_no_distance_from_itself(self):
        vectors = np.random.default_rng(0).normal(size=(50, 100)) * 1e3
        distances = Words(vectors).distances_from(np.arange(50))(np.arange(10, 50))
        assert (distances[np.arange(10, 50), np.arange(40)] == 0).all()
        np.testing.assert_allclose(distances, cdist(vectors, vectors[10:]), rtol=1e-12, atol=1e-9)

    def test_a_table_is_looked_up(self):
        table = DistanceTable(np.array([[0.0, 1.0], [1.0, 0.0]]))
        assert table.distances_from(np.array([1]))(np.array([0, 1])).tolist() == [[1, 0]]
