"""Our logistic regression reaches the optimum that scikit-learn's exact solvers reach, on any blocks and weights."""

import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from interruptions import hears_signals
from kernel_switch import kernel_off, needs_kernel
from made_up_blocks import blocks_over_one_pattern
from scipy import special
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from troenpy import TermFeatures
from troenpy._kernel.solver import Part
from troenpy.features.views import view_of_words
from troenpy.models import losses
from troenpy.models.classifier import TroenpyClassifier
from troenpy.models.logistic import Design, fit_logistic
from troenpy.models.losses import Binary, Multinomial


def labels_of(rng, X, n_classes):
    """Draw classes that depend on the rows, every one at least once."""
    scores = X @ rng.normal(size=(X.shape[1], n_classes)) + rng.normal(size=n_classes)
    codes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    codes[:n_classes] = np.arange(n_classes)
    return codes


def probabilities(X, coef, intercept):
    values = X @ coef.T + intercept
    return special.softmax(np.hstack([np.zeros_like(values), values]) if len(coef) == 1 else values, axis=1)


def objective(X, codes, coef, intercept, C, weights):
    p = probabilities(X.astype(np.float64), coef, intercept)
    return -C * (weights * np.log(p[np.arange(len(codes)), codes])).sum() + (coef**2).sum() / 2


def scikit_learns(X, codes, C, weights, solver="lbfgs"):
    model = LogisticRegression(C=C, solver=solver, tol=1e-9, max_iter=100_000)
    with np.errstate(all="ignore"):
        return model.fit(X.astype(np.float64), codes, sample_weight=weights)


@pytest.mark.usefixtures("kernel_or_twin")
@pytest.mark.parametrize(
    ("n_classes", "n_blocks", "C", "dtype", "index"),
    [
        (2, 1, 1.0, np.float64, np.int32),
        (2, 4, 1e-3, np.float32, np.int64),
        (2, 3, 1e3, np.float64, np.int64),
        (3, 2, 1.0, np.float32, np.int32),
        (3, 6, 30.0, np.float64, np.int32),
        (5, 4, 1e3, np.float64, np.int32),
        (8, 4, 1e-3, np.float64, np.int64),
        (11, 3, 10.0, np.float32, np.int64),
        (20, 1, 1.0, np.float64, np.int32),
        (30, 4, 1.0, np.float32, np.int32),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_reaches_scikit_learns_optimum(n_classes, n_blocks, C, dtype, index, weighted):
    rng = np.random.default_rng(n_classes * 100 + n_blocks)
    X = blocks_over_one_pattern(rng, 150, 30, n_blocks, dtype=dtype, index=index)
    codes = labels_of(rng, X, n_classes)
    weights = rng.choice([0.0, 0.5, 1.0, 7.0], len(codes)) if weighted else np.ones(len(codes))
    weights[:n_classes] = 1.0
    tol = 1e-8 if dtype == np.float64 else 1e-5
    coef, intercept, _ = fit_logistic(X, codes, n_classes, n_blocks=n_blocks, C=C, sample_weight=weights, tol=tol)
    exact = scikit_learns(X, codes, C, weights)
    assert coef.shape == exact.coef_.shape
    assert coef.dtype == intercept.dtype == np.float64
    ours = objective(X, codes, coef, intercept, C, weights)
    theirs = objective(X, codes, exact.coef_, exact.intercept_, C, weights)
    assert ours <= theirs * (1 + 1e-7)
    np.testing.assert_allclose(probabilities(X, coef, intercept), exact.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_equals_another_exact_solver_coefficient_by_coefficient(n_classes):
    rng = np.random.default_rng(1)
    X = blocks_over_one_pattern(rng, 100, 10, 2)
    codes = labels_of(rng, X, n_classes)
    coef, intercept, _ = fit_logistic(X, codes, n_classes, n_blocks=2, tol=1e-9)
    exact = scikit_learns(X, codes, 1.0, None, "newton-cg")
    np.testing.assert_allclose(coef, exact.coef_, atol=1e-5)
    np.testing.assert_allclose(intercept, exact.intercept_ - exact.intercept_.mean() * (n_classes > 2), atol=1e-5)


def test_a_heavy_class_pulls_the_intercept():
    rng = np.random.default_rng(2)
    X = blocks_over_one_pattern(rng, 200, 20, 4)
    codes = labels_of(rng, X, 3)
    weights = np.where(codes == 1, 1e4, 1e-2)
    coef, intercept, n_iter = fit_logistic(X, codes, 3, n_blocks=4, sample_weight=weights, tol=1e-7)
    assert n_iter < 40
    exact = scikit_learns(X, codes, 1.0, weights)
    np.testing.assert_allclose(probabilities(X, coef, intercept), exact.predict_proba(X), atol=1e-4)


def test_a_weight_is_a_number_of_documents_and_zero_is_none():
    rng = np.random.default_rng(3)
    X = blocks_over_one_pattern(rng, 80, 12, 2)
    codes = labels_of(rng, X, 3)
    times = rng.integers(0, 4, len(codes))
    times[:3] = 1
    weighted = fit_logistic(X, codes, 3, n_blocks=2, sample_weight=times.astype(float), tol=1e-9)
    repeated = fit_logistic(X[np.repeat(np.arange(80), times)], np.repeat(codes, times), 3, n_blocks=2, tol=1e-9)
    np.testing.assert_allclose(weighted[0], repeated[0], atol=1e-6)
    np.testing.assert_allclose(weighted[1], repeated[1], atol=1e-6)


@pytest.mark.usefixtures("kernel_or_twin")
def test_the_gradient_at_the_solution_vanishes_by_finite_differences():
    rng = np.random.default_rng(4)
    X = blocks_over_one_pattern(rng, 60, 5, 2)
    codes = labels_of(rng, X, 3)
    weights = rng.random(60)
    coef, intercept, _ = fit_logistic(X, codes, 3, n_blocks=2, C=5.0, sample_weight=weights, tol=1e-9)

    def slope(array, place):
        values = []
        for change in (1e-5, -1e-5):
            array[place] += change
            values.append(objective(X, codes, coef, intercept, 5.0, weights))
            array[place] -= change
        return (values[0] - values[1]) / 2e-5

    assert max(abs(slope(coef, place)) for place in np.ndindex(coef.shape)) < 1e-5
    assert max(abs(slope(intercept, k)) for k in range(3)) < 1e-5


@pytest.mark.parametrize(("loss", "n_decisions"), [(Binary, 1), (Multinomial, 4)])
def test_derivatives_of_the_losses_by_finite_differences(loss, n_decisions):
    rng = np.random.default_rng(5)
    n = 7
    codes = rng.integers(0, max(n_decisions, 2), n)
    loss = loss(codes, rng.random(n))
    decisions, change = rng.normal(size=(2, n, n_decisions))
    p = loss.probabilities(decisions)
    up, down = decisions + 1e-5 * change, decisions - 1e-5 * change
    assert (loss.gradient(p) * change).sum() == pytest.approx((loss.value(up) - loss.value(down)) / 2e-5, rel=1e-6)
    bend = (loss.gradient(loss.probabilities(up)) - loss.gradient(loss.probabilities(down))) / 2e-5
    np.testing.assert_allclose(loss.curvature(p, change), bend, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_of_any_size_neither_overflow_nor_warn(n_classes):
    X = sp.csr_array(np.array([[1e4], [-1e4], [2e4], [1e4], [-2e4], [0.0]]))
    codes = np.array([0, 1, 0, 0, 1, n_classes - 1])
    coef, intercept, _ = fit_logistic(X, codes, n_classes, C=1e3)
    assert np.isfinite(coef).all()
    assert np.isfinite(intercept).all()
    assert (probabilities(X, coef, intercept).argmax(axis=1)[:5] == codes[:5]).all()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_only_the_product_of_C_and_weights_matters(n_classes, dtype, scale):
    rng = np.random.default_rng(0)
    X = blocks_over_one_pattern(rng, 60, 30, 2, dtype=dtype)
    codes, weights = labels_of(rng, X, n_classes), rng.integers(1, 4, 60).astype(float)
    expected = fit_logistic(X, codes, n_classes, n_blocks=2, C=3.0, sample_weight=weights, tol=1e-6)
    found = fit_logistic(X, codes, n_classes, n_blocks=2, C=3.0 / scale, sample_weight=weights * scale, tol=1e-6)
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [3e9, 3e20, 3e100, 1e308])
@pytest.mark.parametrize("weight", [1.0, 1e9])
def test_where_the_penalty_is_too_small_to_solve_for_that_is_said_and_classes_are_right(n_classes, C, weight):
    rng = np.random.default_rng(1)
    X = blocks_over_one_pattern(rng, 60, 30, 2, dtype=np.float32)
    codes = labels_of(rng, X, n_classes)
    with pytest.warns(ConvergenceWarning, match="makes the penalty too small to solve: used"):
        coef, intercept, _ = fit_logistic(X, codes, n_classes, n_blocks=2, C=C, sample_weight=np.full(60, weight))
    is_known = np.diff(X.indptr) > 0
    assert (probabilities(X, coef, intercept).argmax(axis=1) == codes)[is_known].all()


@pytest.mark.parametrize("C", [1e-300, 1e-30, 1e-15])
def test_a_tiny_C_gives_coefficients_in_proportion(C):
    rng = np.random.default_rng(2)
    X = blocks_over_one_pattern(rng, 60, 30, 1)
    codes = labels_of(rng, X, 3)
    coef, intercept, _ = fit_logistic(X, codes, 3, C=C)
    p = special.softmax(intercept)
    gradient = X.T @ (np.eye(3)[codes] - p)
    np.testing.assert_allclose(coef, C * gradient.T, rtol=1e-6, atol=1e-9 * C)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_trial_that_runs_out_of_steps_is_not_kept():
    """Empty documents under several labels keep a nearly unpenalised solution from being found in a hundred steps."""
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=300)
    codes[:3] = range(3)
    documents = []
    for j, code in enumerate(codes):
        words = [f"w{i}" for i in (300 * rng.random(rng.integers(0, 25)) ** 2).astype(int)] if j % 7 else []
        documents.append(" ".join([*words, *(f"c{code}x{i}" for i in rng.integers(6, size=3))]) if j % 7 else "")
    best = TroenpyClassifier(C=1e6).fit(documents, codes).score(documents, codes)
    for C in (1e9, 1e11):
        assert TroenpyClassifier(C=C).fit(documents, codes).score(documents, codes) > best - 0.02


def test_without_the_kernel_rows_come_some_at_a_time_and_two_arrays_of_rows_by_classes_are_held(monkeypatch):
    monkeypatch.setattr(losses, "DECISIONS_AT_ONCE", 20_000)
    rng = np.random.default_rng(3)
    X = blocks_over_one_pattern(rng, 3000, 10, 2)
    codes, whole = labels_of(rng, X, 300), 3000 * 300 * 8
    with kernel_off():
        design = Design(Part(X, 2))
        tracemalloc.start()
        try:
            coef, *_ = fit_logistic(design, codes, 300, tol=0.1)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 2.5 * whole  # the rest: chunks, and directions that the rows share
        monkeypatch.setattr(losses, "DECISIONS_AT_ONCE", 10**9)
        np.testing.assert_allclose(coef, fit_logistic(design, codes, 300, tol=0.1)[0], atol=1e-10)


def test_rows_without_terms_leave_the_frequencies():
    X = sp.csr_array((8, 5))
    coef, intercept, n_iter = fit_logistic(X, [0, 0, 0, 0, 1, 1, 2, 2], 3)
    np.testing.assert_allclose(special.softmax(intercept), [0.5, 0.25, 0.25])
    assert n_iter == 0
    assert not coef.any()


def test_a_class_without_weight_is_never_predicted():
    rng = np.random.default_rng(6)
    X = blocks_over_one_pattern(rng, 60, 10, 1)
    codes = labels_of(rng, X, 3)
    coef, intercept, _ = fit_logistic(X, codes, 3, sample_weight=(codes != 1).astype(float), tol=1e-6)
    assert probabilities(X, coef, intercept)[:, 1].max() < 1e-6


def test_one_design_serves_several_fits():
    rng = np.random.default_rng(8)
    X = blocks_over_one_pattern(rng, 100, 50, 2, density=0.3)
    design = Design(Part(X, 2))
    for n_classes in (2, 5, 2):
        codes = labels_of(rng, X, n_classes)
        for ours, alone in zip(
            fit_logistic(design, codes, n_classes), fit_logistic(X, codes, n_classes, n_blocks=2), strict=True
        ):
            np.testing.assert_array_equal(ours, alone)


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 7])
def test_the_number_of_threads_changes_nothing(n_classes):
    rng = np.random.default_rng(7)
    X = blocks_over_one_pattern(rng, 300, 200, 4, dtype=np.float32, density=0.5)
    codes = labels_of(rng, X, n_classes)
    one, *others = (fit_logistic(X, codes, n_classes, n_blocks=4, n_threads=n) for n in (1, 2, 3, 8))
    for other in others:
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize(
    ("codes", "n_classes", "options", "message"),
    [
        ([0, 1, 0], 2, {}, r"codes must have one class per document, \(4,\), got \(3,\)"),
        ([0, 1, 2, 0], 2, {}, r"codes must be in \[0, n_classes\)"),
        ([0, 0, 0, 0], 1, {}, "n_classes=1"),
        ([0, 1, 0, 1], 2, {"C": 0}, "C must be positive and finite, got 0"),
        *(
            ([0, 1, 0, 1], 2, {"sample_weight": weights}, "sample_weight must have one weight per document")
            for weights in (np.ones(3), np.zeros(4), -np.ones(4), np.full(4, np.nan))
        ),
        ([0, 1, 0, 1], 2, {"n_blocks": 3}, "n_blocks must divide the number of columns, got 3 for 4"),
    ],
)
def test_errors(codes, n_classes, options, message):
    with pytest.raises(ValueError, match=message):
        fit_logistic(sp.csr_array(np.eye(4)), codes, n_classes, **options)


def test_too_few_steps_and_too_small_a_tolerance_warn():
    rng = np.random.default_rng(8)
    X = blocks_over_one_pattern(rng, 60, 10, 1, dtype=np.float32)
    codes = labels_of(rng, X, 3)
    with pytest.warns(
        ConvergenceWarning, match="not converged after 1 iterations: .* tol=1e-06; raise max_iter or tol"
    ):
        fit_logistic(X, codes, 3, tol=1e-6, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="more than tol=0; rounding prevents more"):
        coef, intercept, _ = fit_logistic(X, codes, 3, tol=0.0)
    np.testing.assert_allclose(
        probabilities(X, coef, intercept), scikit_learns(X, codes, 1.0, None).predict_proba(X), atol=1e-4
    )


SETUP = """
import numpy as np, scipy.sparse as sp
from troenpy._kernel.solver import Part, Rows
rng = np.random.default_rng(9)
rows, q = Rows(Part(sp.csr_array(rng.random((3000, 400))))), rng.random((400, 4000))
ascent = rows.ascent(np.arange(3000) % 1000, np.ones(3000), 1.0, np.zeros(1000))
"""


@needs_kernel
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("call", ["rows.multiply(q)", "ascent.climb()"])
def test_ctrl_c_stops_the_kernel(call):
    assert hears_signals(SETUP, call)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.usefixtures("kernel_or_twin")
def test_a_large_C_on_separable_documents_is_solved_at_least_as_well_as_a_smaller_one(n_classes):
    rng = np.random.default_rng(n_classes)
    codes = np.arange(90) % n_classes
    words = [
        " ".join(f"w{t}" for t in [*rng.integers(0, 200, 15), *(5 * code + rng.integers(0, 8, 4))]) for code in codes
    ]
    X = TermFeatures(view_of_words("pi", "btf", "ecib_abs")).fit_transform(words, codes)

    def log_loss(C):
        coef, intercept, _ = fit_logistic(X, codes, n_classes, n_blocks=4, C=C)
        decisions = X @ coef.T + intercept
        decisions = np.hstack([np.zeros_like(decisions), decisions]) if n_classes == 2 else decisions
        return -special.log_softmax(decisions, axis=1)[np.arange(90), codes].sum()

    losses = [log_loss(C) for C in (1e2, 1e4, 1e6, 1e7)]
    assert losses == sorted(losses, reverse=True)
    with pytest.warns(ConvergenceWarning, match="makes the penalty too small to solve: used .* Lower C or the weights"):
        beyond = [log_loss(C) for C in (1e20, 3e100, 1e300)]
    assert beyond[0] < 1e-3
    np.testing.assert_allclose(beyond, beyond[0], rtol=1e-6)
