"""Every weight against a plain loop over classes, and against what others compute."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_switch import needs_kernel, on_both
from scipy import sparse, stats
from sklearn.metrics import mutual_info_score

from troenpy import WEIGHTS, ClassCounts, rivals, weights
from troenpy.information import measures as information
from troenpy.weights.schemes import term_weights

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


# The plain loops. One term and its numbers: n, C (list by class), n_w, a (list by class).


def loop_troenpy(x, s=1.0):
    total = sum(x)
    return sum(v / total * math.log(total / (s + total - v)) for v in x if v)


def loop_entropy(x):
    total = sum(x)
    return -sum(v / total * math.log(v / total) for v in x if v)


def loop_idf(n, C, n_w, a):
    return 1 + math.log(n / (1 + n_w))


def loop_pcf_present(n, C, n_w, a):
    return loop_troenpy(a)


def loop_pcf(n, C, n_w, a):
    return loop_troenpy(a) - loop_troenpy(C)


def loop_pcf_gain(n, C, n_w, a):
    q = sum(a) / sum(C)
    absent = [c - x for c, x in zip(C, a, strict=True)]
    return q * loop_troenpy(a) + ((1 - q) * loop_troenpy(absent) if sum(absent) else 0) - loop_troenpy(C)


def loop_certainty(n, C, n_w, a):
    N, N_w = sum(C), sum(a)

    def with_pseudo_document(x):
        total = sum(x) + 1
        p = [(v + c / N) / total for v, c in zip(x, C, strict=True)]
        return -sum(v * math.log(1 - v) for v in p)

    q, absent = N_w / N, [c - x for c, x in zip(C, a, strict=True)]
    all_ = -sum(c / N * math.log(1 - c / N) for c in C)
    gain = q * with_pseudo_document(a) + (1 - q) * with_pseudo_document(absent) - all_
    return max(0, gain) / q if q else 0.0


def loop_pcf_boost(n, C, n_w, a):
    return 1 + loop_troenpy(a)


def loop_ncf(n, C, n_w, a):
    return loop_entropy(a) - loop_entropy(C)


def loop_pi(n, C, n_w, a):
    return loop_pcf(n, C, n_w, a) * loop_idf(n, C, n_w, a)


def ncf_biases(n, C, n_w, a):
    return [
        math.log(c / (1 + x)) - math.log((n - c) / (1 + n_w - x)) if n > c else 0.0 for c, x in zip(C, a, strict=True)
    ]


def pcf_biases(n, C, n_w, a):
    return [
        math.log(c / (1 + c - x)) - math.log((n - c) / (1 + n - c - n_w + x)) if n > c else 0.0
        for c, x in zip(C, a, strict=True)
    ]


def loop_cib_ncf(n, C, n_w, a):
    return sum(c / n * v for c, v in zip(C, ncf_biases(n, C, n_w, a), strict=True))


def loop_cib_pcf(n, C, n_w, a):
    return sum(c / n * v for c, v in zip(C, pcf_biases(n, C, n_w, a), strict=True))


def loop_cib_ncf_abs(n, C, n_w, a):
    return sum(c / n * abs(v) for c, v in zip(C, ncf_biases(n, C, n_w, a), strict=True))


def loop_cib_pcf_abs(n, C, n_w, a):
    return sum(c / n * abs(v) for c, v in zip(C, pcf_biases(n, C, n_w, a), strict=True))


def loop_delta_idf(n, C, n_w, a):
    return largest_magnitude(ncf_biases(n, C, n_w, a))


def loop_rf(n, C, n_w, a):
    return max(math.log2(2 + x / max(1, n_w - x)) for x in a)


def loop_icf(n, C, n_w, a):
    return math.log(1 + len(C) / max(1, sum(x > 0 for x in a)))


def loop_dc(n, C, n_w, a):
    return 1 - loop_entropy(a) / math.log(len(C))


def loop_bdc(n, C, n_w, a):
    return 1 - loop_entropy([x / c for c, x in zip(C, a, strict=True)]) / math.log(len(C))


def loop_igm(n, C, n_w, a):
    f = sorted(a, reverse=True)
    return 1 + 7 * f[0] / sum(r * v for r, v in enumerate(f, 1))


def loop_chi2(n, C, n_w, a):
    values = []
    for size, x in zip(C, a, strict=True):
        b, c = size - x, n_w - x
        d = n - size - c
        below = (x + c) * (b + d) * (x + b) * (c + d)
        values.append(n * (x * d - b * c) ** 2 / below if below else 0.0)
    return max(values)


def loop_ig(n, C, n_w, a):
    q = sum(a) / sum(C)
    absent = [c - x for c, x in zip(C, a, strict=True)]
    return loop_entropy(C) - q * loop_entropy(a) - ((1 - q) * loop_entropy(absent) if sum(absent) else 0)


def loop_gain_ratio(n, C, n_w, a):
    spread = loop_entropy([sum(a), sum(C) - sum(a)])
    return loop_ig(n, C, n_w, a) / spread if spread else 0.0


def loop_odds_ratio(n, C, n_w, a):
    values = []
    for size, x in zip(C, a, strict=True):
        b, c = size - x, n_w - x
        d = n - size - c
        values.append(math.log((x + 0.5) * (d + 0.5) / ((b + 0.5) * (c + 0.5))))
    return largest_magnitude(values)


def loop_bns(n, C, n_w, a):
    def quantile(rate):
        return statistics.NormalDist().inv_cdf(min(max(rate, 0.0005), 1 - 0.0005))

    return max(
        abs(quantile(x / c) - quantile((n_w - x) / (n - c))) if n > c else 0.0 for c, x in zip(C, a, strict=True)
    )


def loop_re(n, C, n_w, a):
    return 0.1 + 0.9 * loop_dc(n, C, n_w, a)


def largest_magnitude(values):
    largest = max(abs(v) for v in values)
    return next(v for v in values if math.isclose(abs(v), largest, rel_tol=1e-9, abs_tol=1e-12))


def loop_nb(dense, n_docs, term_docs):
    V = dense.shape[1]
    result = []
    for w in range(V):
        values = []
        for i in range(len(n_docs)):
            rest = [term_docs[v] - dense[i, v] for v in range(V)]
            own = (dense[i, w] + 1) / sum(dense[i, v] + 1 for v in range(V))
            values.append(math.log(own) - math.log((rest[w] + 1) / sum(r + 1 for r in rest)))
        result.append(largest_magnitude(values) if term_docs[w] else 0.0)
    return np.array(result)


def loop(name, counts):
    kept = counts.n_docs > 0
    dense, C = counts.doc_freq.toarray()[kept], counts.n_docs[kept].tolist()
    if name == "nb":
        return loop_nb(dense, C, counts.term_docs)
    formula = globals()[f"loop_{name}"]
    return np.array(
        [
            formula(counts.n_documents, C, n_w, dense[:, w].tolist()) if n_w else 0.0
            for w, n_w in enumerate(counts.term_docs.tolist())
        ]
    )


@st.composite
def corpora(draw, max_classes=5, multilabel=False):
    """Draw a small matrix of counts and labels with at least two classes, unseen terms and one-class terms included."""
    n, V = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 2), min_size=V, max_size=V), min_size=n, max_size=n)))
    if multilabel:
        K = draw(st.integers(2, 4))
        row = st.lists(st.integers(0, 1), min_size=K, max_size=K)
        y = np.array(draw(st.lists(row, min_size=n, max_size=n).filter(lambda Y: (np.sum(Y, axis=0) > 0).sum() > 1)))
        # A term of documents without any label has no class distribution at all; that case has its own test.
        X[y.sum(axis=1) == 0] = 0
    else:
        y = np.array(
            draw(st.lists(st.integers(0, max_classes - 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) > 1))
        )
    return X, y


@pytest.mark.parametrize("name", WEIGHTS)
@given(corpus=corpora())
@settings(max_examples=60, deadline=None)
def test_equals_the_plain_loop(name, corpus):
    counts = ClassCounts.from_matrix(*corpus)
    np.testing.assert_allclose(WEIGHTS[name](counts), loop(name, counts), **CLOSE)


@pytest.mark.parametrize("name", WEIGHTS)
@given(corpus=corpora(multilabel=True))
@settings(max_examples=40, deadline=None)
def test_equals_the_plain_loop_with_several_labels(name, corpus):
    counts = ClassCounts.from_matrix(*corpus)
    np.testing.assert_allclose(WEIGHTS[name](counts), loop(name, counts), **CLOSE)


@pytest.mark.parametrize("name", WEIGHTS)
def test_equals_the_plain_loop_on_many_classes(name):
    rng = np.random.default_rng(7)
    X = rng.poisson(0.15, (400, 60))
    y = rng.choice(25, 400, p=(w := rng.dirichlet(np.full(25, 0.5)) + 0.01) / w.sum())
    counts = ClassCounts.from_matrix(X, y)
    np.testing.assert_allclose(WEIGHTS[name](counts), loop(name, counts), **CLOSE)


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("counts_per_block", [1, 7, 100])
def test_blocks_of_terms_give_what_all_terms_at_once_give(name, counts_per_block, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.poisson(0.4, (60, 30)) * (rng.random(30) < 0.9)
    counts = ClassCounts.from_matrix(X, rng.integers(0, 6, 60))
    at_once = WEIGHTS[name](counts)
    monkeypatch.setattr("troenpy.weights.count_table.COUNTS_PER_BLOCK", counts_per_block)
    np.testing.assert_allclose(WEIGHTS[name](counts), at_once, rtol=1e-12)


@pytest.mark.parametrize("name", WEIGHTS)
@given(corpus=corpora(), repeats=st.lists(st.integers(0, 3), min_size=12, max_size=12))
@settings(max_examples=40, deadline=None)
def test_sample_weight_equals_repetition(name, corpus, repeats):
    X, y = corpus
    times = np.array(repeats[: len(y)])
    repeated = ClassCounts.from_matrix(np.repeat(X, times, axis=0), np.repeat(y, times))
    weighted = ClassCounts.from_matrix(X, y, sample_weight=times)
    if len(set(np.repeat(y, times))) < 2:
        with pytest.raises(ValueError, match="at least two"):
            WEIGHTS[name](weighted)
    else:
        np.testing.assert_allclose(WEIGHTS[name](weighted), WEIGHTS[name](repeated), **CLOSE)


@pytest.mark.parametrize("name", WEIGHTS)
@given(corpus=corpora(), weights_seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_fractional_sample_weights_give_finite_weights(name, corpus, weights_seed):
    X, y = corpus
    weight = np.random.default_rng(weights_seed).uniform(0.01, 3, len(y))
    counts = ClassCounts.from_matrix(X, y, sample_weight=weight)
    result = WEIGHTS[name](counts)
    assert np.isfinite(result).all()
    scaled = WEIGHTS[name](
        ClassCounts.from_matrix(np.repeat(X, 2, axis=0), np.repeat(y, 2), sample_weight=np.repeat(weight / 2, 2))
    )
    np.testing.assert_allclose(scaled, result, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", WEIGHTS)
@given(corpus=corpora(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_does_not_depend_on_the_order_of_documents_or_the_names_of_classes(name, corpus, data):
    X, y = corpus
    order = data.draw(st.permutations(range(len(y))))
    plain = WEIGHTS[name](ClassCounts.from_matrix(X, y))
    moved = WEIGHTS[name](ClassCounts.from_matrix(X[order], np.array([f"class {v}" for v in y])[order]))
    np.testing.assert_array_equal(moved, plain)


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_term_no_document_holds_weighs_zero(name):
    counts = ClassCounts.from_matrix([[1, 0], [2, 0], [0, 0]], ["a", "b", "b"])
    result = WEIGHTS[name](counts)
    assert result[1] == 0
    assert result.dtype == np.float64


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_term_of_unlabelled_documents_is_finite(name):
    X, y = [[1, 0], [1, 1], [0, 1], [1, 0]], [[1, 0], [0, 1], [1, 1], [0, 0]]
    only_unlabelled = ClassCounts.from_matrix([*X, [0, 0]], [*y, [0, 0]]) + ClassCounts.from_matrix([[0, 0]], [[1, 0]])
    assert np.isfinite(WEIGHTS[name](only_unlabelled)).all()
    third = ClassCounts.from_matrix(np.c_[X, [0, 0, 0, 1]], y)
    assert np.isfinite(WEIGHTS[name](third)).all()


@pytest.mark.parametrize("name", WEIGHTS)
def test_one_class_is_an_error(name):
    with pytest.raises(ValueError, match=r"at least two classes with documents, got one class \('a'\)"):
        WEIGHTS[name](ClassCounts.from_matrix([[1], [1]], ["a", "a"]))
    with pytest.raises(ValueError, match=r"got none \(or all sample weights are zero\)"):
        WEIGHTS[name](ClassCounts.from_matrix(np.zeros((0, 1)), []))


@pytest.mark.parametrize("name", WEIGHTS)
def test_empty_classes_change_nothing(name):
    X, y = np.array([[1, 0, 2], [1, 1, 0], [0, 1, 0]]), np.array([[1, 0], [0, 1], [1, 0]])
    with_empty = np.insert(y, 1, 0, axis=1)
    plain, padded = (WEIGHTS[name](ClassCounts.from_matrix(X, labels)) for labels in (y, with_empty))
    np.testing.assert_array_equal(padded, plain)


# Worked by hand: classes a (2 documents) and b (3), the term in both of a and in one of b. n = 5, n_w = 3.
HAND = ClassCounts.from_matrix([[1], [1], [1], [0], [0]], ["a", "a", "b", "b", "b"])
LOG = math.log
PRESENT = 2 / 3 * LOG(3 / 2) + 1 / 3 * LOG(3 / 3)
ALL = 2 / 5 * LOG(5 / 4) + 3 / 5 * LOG(5 / 3)
GAIN = 2 / 5 * LOG(5 / 3) + 1 / 5 * LOG(5 / 9) + 2 / 5 * LOG(5 / 3)
ENTROPY_1 = 2 / 3 * LOG(3 / 2) + 1 / 3 * LOG(3)
ENTROPY_ALL = 2 / 5 * LOG(5 / 2) + 3 / 5 * LOG(5 / 3)
# Both sides with one pseudo-document of 2/5 and 3/5: 12/5 and 8/5 of 4 documents, 2/5 and 13/5 of 3.
SHRUNK_1 = 3 / 5 * LOG(5 / 2) + 2 / 5 * LOG(5 / 3)
SHRUNK_ABSENT = 2 / 15 * LOG(15 / 13) + 13 / 15 * LOG(15 / 2)
PLUGIN_ALL = 2 / 5 * LOG(5 / 3) + 3 / 5 * LOG(5 / 2)
BY_HAND = {
    "idf": 1 + LOG(5 / 4),
    "pcf_present": PRESENT,
    "pcf": PRESENT - ALL,
    "pcf_gain": 3 / 5 * PRESENT + 2 / 5 * LOG(2 / 1) - ALL,
    "pcf_boost": 1 + PRESENT,
    "certainty": (3 / 5 * SHRUNK_1 + 2 / 5 * SHRUNK_ABSENT - PLUGIN_ALL) / (3 / 5),
    "ncf": ENTROPY_1 - ENTROPY_ALL,
    "pi": (PRESENT - ALL) * (1 + LOG(5 / 4)),
    "cib_ncf": 2 / 5 * (LOG(2 / 3) - LOG(3 / 2)) + 3 / 5 * (LOG(3 / 2) - LOG(2 / 3)),
    "cib_pcf": 2 / 5 * (LOG(2 / 1) - LOG(3 / 3)) + 3 / 5 * (LOG(3 / 3) - LOG(2 / 1)),
    "cib_ncf_abs": 2 * LOG(3 / 2),
    "cib_pcf_abs": LOG(2),
    "delta_idf": LOG(2 * 2 / (3 * 3)),
    "rf": math.log2(2 + 2 / 1),
    "icf": LOG(1 + 2 / 2),
    "dc": 1 - ENTROPY_1 / LOG(2),
    "bdc": 1 - (3 / 4 * LOG(4 / 3) + 1 / 4 * LOG(4)) / LOG(2),
    "igm": 1 + 7 * 2 / (1 * 2 + 2 * 1),
    "chi2": 5 * (2 * 2 - 0 * 1) ** 2 / (3 * 2 * 2 * 3),
    "ig": ENTROPY_ALL - 3 / 5 * ENTROPY_1,
    "gain_ratio": (ENTROPY_ALL - 3 / 5 * ENTROPY_1) / ENTROPY_ALL,
    "odds_ratio": LOG(2.5 * 2.5 / (0.5 * 1.5)),
    "bns": 3.2905267314919255 - -0.43072729929545756,
    "re": 0.1 + 0.9 * (1 - ENTROPY_1 / LOG(2)),
    "nb": LOG(3 / 3) - LOG(2 / 2),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_worked_example(name):
    assert WEIGHTS[name](HAND) == pytest.approx([BY_HAND[name]], rel=1e-12, abs=1e-15)


def test_worked_example_of_the_naive_bayes_ratio_with_two_terms():
    counts = ClassCounts.from_matrix([[1, 0], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    # class a: term documents 2 and 1, with one added 3 and 2 of 5; class b: 0 and 2, so 1 and 3 of 4.
    assert rivals.nb(counts) == pytest.approx([LOG(3 / 5) - LOG(1 / 4), LOG(2 / 5) - LOG(3 / 4)])


def test_two_documents_with_two_labels_worked_example():
    # Document 1 has both labels, document 2 has label 1, document 3 none; the term is in 1 and 3.
    counts = ClassCounts.from_matrix([[1], [0], [1]], [[1, 1], [0, 1], [0, 0]])
    assert weights.idf(counts) == pytest.approx([1 + LOG(3 / 3)])  # documents: n = 3, n_w = 2
    present = 2 * (1 / 2 * LOG(2 / 2))  # occurrences: 1 and 1 of 2
    everywhere = 1 / 3 * LOG(3 / 3) + 2 / 3 * LOG(3 / 2)  # occurrences: 1 and 2 of 3
    assert weights.pcf(counts) == pytest.approx([present - everywhere])
    biases = LOG(1 / 2) - LOG(2 / 2), LOG(2 / 2) - LOG(1 / 2)  # documents: C = 1, 2; n_w - n_iw = 1
    assert weights.cib_ncf(counts) == pytest.approx([1 / 3 * biases[0] + 2 / 3 * biases[1]])


def test_chi2_is_scipys_on_each_two_by_two_table():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.7, (60, 8)), rng.integers(0, 4, 60)
    for w, value in enumerate(rivals.chi2(ClassCounts.from_matrix(X, y))):
        tables = (np.histogram2d(X[:, w] > 0, y == i, bins=2)[0] for i in range(4))
        assert value == pytest.approx(
            max(stats.chi2_contingency(table, correction=False).statistic for table in tables)
        )


def test_information_gain_is_scikit_learns_mutual_information():
    rng = np.random.default_rng(1)
    X, y = rng.poisson(0.7, (60, 8)), rng.integers(0, 4, 60)
    expected = [mutual_info_score(X[:, w] > 0, y) for w in range(8)]
    np.testing.assert_allclose(rivals.ig(ClassCounts.from_matrix(X, y)), expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", ["add_one", "plugin", "dirichlet", "posterior_mean"])
@pytest.mark.parametrize("prior", ["uniform", "classes"])
@given(corpus=corpora(), smoothing=st.sampled_from([0.3, 1.0, 2.5]))
@settings(max_examples=40, deadline=None)
def test_estimators_equal_troenpy_of_the_dense_columns(estimator, prior, corpus, smoothing):
    counts = ClassCounts.from_matrix(*corpus)
    dense, C = counts.doc_freq.toarray(), counts.n_docs[:, np.newaxis]
    seen = counts.term_docs > 0
    how = {"estimator": estimator, "smoothing": smoothing}
    if estimator in ("dirichlet", "posterior_mean"):
        expected_how = {**how, "prior": counts.n_docs if prior == "classes" else None}
    else:
        expected_how = how
    present = np.zeros(len(seen))
    present[seen] = information.troenpy(dense[:, seen], **expected_how)
    np.testing.assert_allclose(weights.pcf_present(counts, **how, prior=prior), present, **CLOSE)
    everywhere = information.troenpy(counts.n_docs, **expected_how)
    np.testing.assert_allclose(
        weights.pcf(counts, **how, prior=prior), np.where(seen, present - everywhere, 0), **CLOSE
    )
    joint = np.stack([C - dense, np.broadcast_to(dense, dense.shape)], axis=1)[:, :, seen]
    gain = np.zeros(len(seen))
    gain[seen] = information.troenpy_gain(joint, **expected_how)
    np.testing.assert_allclose(weights.pcf_gain(counts, **how, prior=prior), gain, **CLOSE)


@needs_kernel
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.3, 1.0, 2.5])
def test_the_kernels_troenpy_is_that_of_numpy_for_rare_and_frequent_terms(is_weighted, smoothing):
    rng = np.random.default_rng(5)
    documents = rng.random((700, 400)) < rng.random(400) ** 3
    weighed = rng.choice([0.25, 1.0, 1 / 3], 700) if is_weighted else None
    counts = ClassCounts.from_matrix(documents.astype(int), rng.integers(0, 6, 700), sample_weight=weighed)
    assert counts.term_docs.min() < 10 < 300 < counts.term_docs.max()
    by_kernel, by_numpy = on_both(weights.pcf_present, counts, smoothing=smoothing)
    np.testing.assert_allclose(by_kernel, by_numpy, rtol=1e-12, atol=1e-14)
    by_kernel, by_numpy = on_both(weights.certainty, counts, smoothing=smoothing)
    np.testing.assert_allclose(by_kernel, by_numpy, rtol=1e-10, atol=1e-12)
    assert by_kernel.max() > 0.1


@pytest.mark.parametrize("name", ["pcf", "pcf_gain", "pi"])
@given(sizes=st.lists(st.integers(1, 60), min_size=2, max_size=7))
@settings(max_examples=60, deadline=None)
def test_a_term_of_all_documents_says_exactly_nothing(name, sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    assert WEIGHTS[name](ClassCounts.from_matrix(np.ones((len(y), 1)), y)).tolist() == [0]


@given(corpus=corpora())
@settings(max_examples=60, deadline=None)
def test_the_plug_in_gain_is_never_negative(corpus):
    assert (weights.pcf_gain(ClassCounts.from_matrix(*corpus), estimator="plugin") >= 0).all()


@given(corpus=corpora())
@settings(max_examples=60, deadline=None)
def test_relevance_frequency_is_the_softplus_of_positive_information(corpus):
    # rf_i = log2(2 + a/c) = log2(1 + e^PI_i) with the plug-in PI_i = log n_w/c, for c = n_w - n_iw >= 1.
    counts = ClassCounts.from_matrix(*corpus)
    in_two_classes = (counts.doc_freq > 0).sum(axis=0) > 1
    p = counts.doc_freq.toarray()[:, in_two_classes] / counts.term_docs[in_two_classes]
    by_class = np.log2(1 + np.exp(information.positive_information(p)))
    np.testing.assert_allclose(rivals.rf(counts)[in_two_classes], by_class.max(axis=0), rtol=1e-12)


@given(
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    held=st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(lambda held: sum(v > 0 for v in held[:2]) == 2),
)
@settings(max_examples=60, deadline=None)
def test_certainty_of_a_rare_term_tends_to_the_bregman_divergence_of_troenpy(sizes, held):
    held, c = np.array(held[: len(sizes)]), np.array(sizes) / sum(sizes)
    p = held / held.sum()
    slope = -np.log(1 - c) + c / (1 - c)
    divergence = information.troenpy(p) - information.troenpy(c) - slope @ (p - c)
    errors = []
    for times in (10**4, 10**6):
        sizes_now = np.array(sizes) * times
        counts = ClassCounts(
            classes=np.arange(len(sizes)),
            n_documents=sizes_now.sum(),
            n_docs=sizes_now,
            doc_freq=sparse.csc_array(held[:, np.newaxis]),
            term_docs=[held.sum()],
        )
        errors.append(abs(weights.certainty(counts, smoothing=1e-7)[0] - divergence))
    assert errors[1] < 1e-5 * (1 + divergence)
    assert errors[1] <= max(0.1 * errors[0], 1e-5)


def test_certainty_is_zero_where_a_term_says_nothing():
    # In half of the documents of each class, and in all documents.
    X = [[1, 1], [0, 1]] * 7
    counts = ClassCounts.from_matrix(X, np.repeat([0, 1, 2], [2, 4, 8]))
    assert weights.certainty(counts).tolist() == [0, 0]
    assert (term_weights(counts, "sqrt(certainty*idf)") == 0).all()


@given(corpus=corpora(), smoothing=st.sampled_from([0.3, 1.0, 2.5]))
@settings(max_examples=40, deadline=None)
def test_certainty_is_the_gain_per_document_with_the_term(corpus, smoothing):
    counts = ClassCounts.from_matrix(*corpus)
    gain = weights.pcf_gain(counts, smoothing=smoothing, estimator="dirichlet", prior="classes")
    share = np.where(counts.term_docs > 0, counts.term_docs / counts.n_documents, 1.0)
    np.testing.assert_allclose(weights.certainty(counts, smoothing=smoothing), np.maximum(gain, 0) / share, **CLOSE)


def test_certainty_with_two_labels_worked_example():
    # Label occurrences: c = 1/3, 2/3; document 1 holds the term and both labels, document 3 holds it and none.
    counts = ClassCounts.from_matrix([[1], [0], [1]], [[1, 1], [0, 1], [0, 0]])
    with_term = (1 + 1 / 3) / 3 * LOG(3 / (1 + 2 / 3)) + (1 + 2 / 3) / 3 * LOG(3 / (1 + 1 / 3))
    without = 1 / 6 * LOG(6 / 5) + 5 / 6 * LOG(6)
    everywhere = 1 / 3 * LOG(3 / 2) + 2 / 3 * LOG(3)
    assert weights.certainty(counts) == pytest.approx([(2 / 3 * with_term + 1 / 3 * without - everywhere) / (2 / 3)])


def test_pcf_alone_can_be_negative():
    assert weights.pcf(ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "b", "a", "a"]))[0] < 0


@given(corpus=corpora(max_classes=2))
@settings(max_examples=60, deadline=None)
def test_cib_with_two_classes_is_the_closed_form(corpus):
    counts = ClassCounts.from_matrix(*corpus)
    (C1, C2), n = counts.n_docs, counts.n_documents
    n1, n2 = counts.doc_freq.toarray()
    expected = (C1 - C2) / n * np.log(C1 * (1 + n2) / (C2 * (1 + n1)))
    np.testing.assert_allclose(weights.cib_ncf(counts), np.where(counts.term_docs > 0, expected, 0), **CLOSE)


def test_cib_is_zero_on_two_balanced_classes_and_its_absolute_variant_is_not():
    counts = ClassCounts.from_matrix([[1, 1], [1, 0], [0, 1], [0, 0]], ["a", "a", "b", "b"])
    assert weights.cib_ncf(counts).tolist() == [0, 0]
    assert weights.cib_pcf(counts).tolist() == [0, 0]
    assert weights.cib_ncf_abs(counts)[0] > 1
    assert weights.cib_pcf_abs(counts)[0] > 1


@pytest.mark.parametrize("name", ["cib_ncf", "cib_pcf", "cib_ncf_abs", "cib_pcf_abs"])
@given(corpus=corpora())
@settings(max_examples=30, deadline=None)
def test_per_class_bias_averages_to_the_expected_bias(name, corpus):
    counts = ClassCounts.from_matrix(*corpus)
    per_class = WEIGHTS[name](counts, per_class=True)
    assert per_class.shape == counts.doc_freq.shape
    np.testing.assert_allclose(counts.n_docs / counts.n_documents @ per_class, WEIGHTS[name](counts), **CLOSE)


def test_per_class_bias_of_an_empty_class_is_zero():
    counts = ClassCounts.from_matrix([[1], [1], [0]], [[1, 0, 0], [0, 0, 1], [0, 0, 1]])
    assert weights.cib_ncf(counts, per_class=True)[1].tolist() == [0]


def test_smoothing_is_the_one_in_the_formula():
    counts = ClassCounts.from_matrix([[1], [1], [0]], ["a", "a", "b"])
    assert weights.pcf_present(counts, smoothing=0.5) == pytest.approx([LOG(2 / 0.5)])
    assert weights.delta_idf(counts, smoothing=0.5) == pytest.approx([LOG(2 * 0.5 / (2.5 * 1))])


@pytest.mark.parametrize("smoothing", [0, -1, math.inf, math.nan])
def test_smoothing_must_be_positive(smoothing):
    for function in (weights.pcf, weights.certainty, weights.cib_pcf, weights.delta_idf):
        with pytest.raises(ValueError, match="smoothing must be positive and finite, got"):
            function(HAND, smoothing=smoothing)


def test_plug_in_is_infinite_for_a_term_of_one_class():
    counts = ClassCounts.from_matrix([[1], [0]], ["a", "b"])
    assert weights.pcf_present(counts, estimator="plugin").tolist() == [math.inf]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "addone"}, r"estimator must be one of plugin, add_one, .* got 'addone'"),
        ({"estimator": "dirichlet", "prior": "flat"}, "prior must be 'uniform' or 'classes', got 'flat'"),
    ],
    ids=["estimator", "prior"],
)
def test_unknown_estimator_and_prior_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        weights.pcf(HAND, **parameters)


def test_the_first_class_wins_a_tie_of_magnitude():
    counts = ClassCounts.from_matrix([[1, 0], [1, 0], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    for function, sign in ((weights.delta_idf, -1), (rivals.odds_ratio, 1), (rivals.nb, 1)):
        first, second = function(counts)
        assert first == -second
        assert math.copysign(1, first) == sign


def test_expressions_multiply_and_take_roots():
    for expression in ("sqrt(pcf_present)*idf", " sqrt( pcf_present ) * idf ", "idf*(sqrt((pcf_present)))"):
        expected = np.sqrt(weights.pcf_present(HAND)) * weights.idf(HAND)
        np.testing.assert_array_equal(term_weights(HAND, expression), expected)
    np.testing.assert_allclose(
        term_weights(HAND, "sqrt(ig*sqrt(rf))"), np.sqrt(rivals.ig(HAND) * np.sqrt(rivals.rf(HAND)))
    )


def test_smoothing_reaches_named_weights_and_expressions_but_no_function_of_the_users():
    expected = weights.pcf(HAND, smoothing=0.25)
    assert term_weights(HAND, "pcf", smoothing=0.25) == expected
    assert term_weights(HAND, weights.pcf, smoothing=0.25) == expected
    assert term_weights(HAND, "pcf*idf", smoothing=0.25) == expected * weights.idf(HAND)
    assert term_weights(HAND, lambda counts: weights.pcf(counts), smoothing=0.25) == weights.pcf(HAND)


@pytest.mark.parametrize(
    "expression",
    ["", "pcf+idf", "2*idf", "idf**2", "sqrt", "sqrt()", "sqrt(idf, rf)", "sqrt(x=idf)", "idf.real", "exec('1')",
     "idf)", "idf; rf", "[idf]", "lambda: 1", "idf\nrf", "\0", "(" * 5000 + "idf" + ")" * 5000, "*".join(["idf", ""])],
)  # fmt: skip
def test_anything_but_a_product_is_an_error(expression):
    with pytest.raises(ValueError, match=r"cannot read scheme|unknown scheme 'sqrt'"):
        term_weights(HAND, expression)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"unknown scheme 'idff' \(did you mean idf\?\): choose from idf, pcf, .*, nb"):
        term_weights(HAND, "idff")


def test_a_square_root_of_negative_weights_is_an_error():
    with pytest.raises(
        ValueError,
        match=r"negative weights, the smallest is -0\.\d+: use a weight that is never negative",
    ):
        term_weights(ClassCounts.from_matrix([[1], [1], [0], [0]], ["a", "b", "a", "a"]), "sqrt(pcf)")


@pytest.mark.parametrize(
    ("scheme", "error", "message"),
    [
        (lambda counts: np.ones(2), ValueError, r"must return one number per term, shape \(1,\), got \(2,\)"),
        (lambda counts: np.array([np.nan]), ValueError, "must return finite weights, got nan"),
        (3, TypeError, "scheme must be a name, an expression or a function, got 3"),
    ],
    ids=["two numbers", "nan", "no function"],
)
def test_a_scheme_must_give_one_finite_number_per_term(scheme, error, message):
    with pytest.raises(error, match=message):
        term_weights(HAND, scheme)


def test_the_registry_has_the_promised_names():
    promised = (
        "idf pcf pcf_present pcf_gain pcf_boost certainty ncf pi cib_ncf cib_pcf cib_ncf_abs cib_pcf_abs delta_idf rf"
        " icf dc bdc igm chi2 ig gain_ratio odds_ratio bns re nb"
    )
    assert set(WEIGHTS) >= set(promised.split())
    assert set(BY_HAND) == set(WEIGHTS)


@pytest.fixture(scope="module")
def wide():
    """Counts of 3,000 classes x 40,000 terms, which would be 960 MB dense; some terms; the counts of these."""
    n, K, V = 6000, 3000, 40_000
    rng = np.random.default_rng(3)
    X = sparse.csr_array((np.ones(n * 10), (np.repeat(np.arange(n), 10), rng.integers(0, V, n * 10))), shape=(n, V))
    counts, some = ClassCounts.from_matrix(X, np.arange(n) % K), rng.choice(V, 25, replace=False)
    small = ClassCounts(
        classes=counts.classes,
        n_documents=n,
        n_docs=counts.n_docs,
        doc_freq=counts.doc_freq[:, some],
        term_docs=counts.term_docs[some],
    )
    return counts, some, small


@pytest.mark.parametrize("name", WEIGHTS)
def test_work_and_order_are_those_of_the_non_zeros(name, wide):
    counts, some, small = wide
    result = WEIGHTS[name](counts)
    if name != "nb":  # its sums run over all terms: the many-classes test above has it
        np.testing.assert_allclose(result[some], loop(name, small), **CLOSE)


@pytest.mark.usefixtures("kernel_or_twin")
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_weight_is_finite_for_any_sample_weights_that_are_taken(data):
    n = data.draw(st.integers(2, 9))
    X = data.draw(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=n, max_size=n))
    y = [0, 1, *data.draw(st.lists(st.integers(0, 2), min_size=n - 2, max_size=n - 2))]
    sizes = st.sampled_from([1e-100, 1e-50, 1e-9, 1.0, 1e9, 1e50, 1e100]) | st.floats(1e-100, 1e100)
    counts = ClassCounts.from_matrix(X, y, sample_weight=data.draw(st.lists(sizes, min_size=n, max_size=n)))
    counts = data.draw(st.sampled_from([counts, counts + counts]))
    for name, weight in WEIGHTS.items():
        assert np.isfinite(weight(counts)).all(), name
        assert np.isfinite(term_weights(counts, name)).all(), name


def test_weights_next_to_nothing_weigh_as_their_logarithm():
    counts = ClassCounts.from_matrix([[1], [1], [0]], ["a", "a", "b"], sample_weight=1e-100)
    # One class: log( n_w / (1 + 0) ); IDF: 1 + log( n / (1 + n_w) ).
    assert weights.pcf_present(counts) == pytest.approx([np.log(2e-100)])
    assert weights.idf(counts) == pytest.approx([1 + np.log(3e-100)])
