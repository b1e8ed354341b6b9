"""Products and losses equal scipy's and the twin's, ascent reaches the twin's optimum; the kernel checks its arrays."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_switch import kernel_off, needs_kernel
from made_up_blocks import blocks_over_one_pattern

from troenpy._kernel import native
from troenpy._kernel.solver import Part, Rows
from troenpy.models.logistic import Design, fit_logistic
from troenpy.models.losses import RowLoss


def tail_of(rng, kind, n_rows, dtype):
    dense = rng.normal(size=(n_rows, 7)) * (rng.random((n_rows, 7)) < 0.4)
    return {"none": None, "dense": dense.astype(dtype), "sparse": sp.csr_array(dense.astype(dtype))}[kind]


def whole(X, tail):
    return (
        X.toarray()
        if tail is None
        else np.hstack([X.toarray(), tail if isinstance(tail, np.ndarray) else tail.toarray()])
    )


def in_own_order(rows, m):
    """Return coefficients of the columns of X in the order that Rows has them."""
    columns = rows.in_order(np.arange(rows.n_columns)[np.newaxis])[0]
    assert sorted(columns) == list(range(rows.n_columns))
    own = np.empty_like(m)
    own[columns] = m
    return own


@needs_kernel
@given(
    st.integers(0, 2**32),
    st.integers(1, 5),
    st.sampled_from([1, 2, 9, 24]),
    st.sampled_from(["none", "dense", "sparse"]),
)
@settings(deadline=None, max_examples=40)
def test_products_are_scipys(seed, n_blocks, width, kind):
    rng = np.random.default_rng(seed)
    dtype, index = rng.choice([np.float32, np.float64]), rng.choice([np.int32, np.int64])
    X = blocks_over_one_pattern(rng, 20, 13, n_blocks, dtype=dtype, index=index, density=rng.choice([0.05, 0.9]))
    tail = tail_of(rng, kind, 20, dtype)
    rows, exact = Rows(Part(X, n_blocks, tail), n_threads=2), whole(X, tail).astype(np.float64)
    m, q = rng.normal(size=(rows.n_columns, width)), rng.normal(size=(20, width))
    np.testing.assert_allclose(rows.multiply(in_own_order(rows, m)), exact @ m, atol=1e-10)
    np.testing.assert_allclose(rows.in_order(rows.combine(q).T).T, exact.T @ q, atol=1e-10)
    assert rows.squares == pytest.approx((exact**2).sum())
    with kernel_off():
        twin = Rows(Part(X, n_blocks, tail))
        np.testing.assert_allclose(twin.multiply(m), exact @ m, atol=1e-4)
        np.testing.assert_allclose(twin.combine(q), exact.T @ q, atol=1e-4)


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 5])
def test_losses_and_their_derivatives_are_the_twins(n_classes):
    rng = np.random.default_rng(n_classes)
    X = blocks_over_one_pattern(rng, 50, 10, 2)
    codes, weights = rng.integers(n_classes, size=50), rng.random(50)
    weights[3] = 0
    n_decisions = 1 if n_classes == 2 else n_classes
    coef, direction = rng.normal(size=(2, 20, n_decisions))
    intercept, change = rng.normal(size=(2, n_decisions))

    def found():
        rows = Rows(Part(X, 2))
        loss = RowLoss(rows, codes, weights, n_classes, 1.7)
        value = loss.value(in_own_order(rows, coef), intercept)
        slope, bend = loss.gradient(), loss.curvature(in_own_order(rows, direction), change)
        return [value, loss.p, rows.in_order(slope[0].T), slope[1], rows.in_order(bend[0].T), bend[1]]

    by_kernel = found()
    with kernel_off():
        for ours, twins in zip(by_kernel, found(), strict=True):
            np.testing.assert_allclose(ours, twins, rtol=1e-9, atol=1e-12)


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 3, 8, 9, 37])
@pytest.mark.parametrize("kind", ["none", "dense", "sparse"])
@pytest.mark.parametrize("C", [0.1, 3.0, 30.0])
def test_ascent_reaches_the_twins_optimum(n_classes, kind, C):
    rng = np.random.default_rng(n_classes)
    X = blocks_over_one_pattern(rng, 300, 40, 2, dtype=np.float32)
    X.data /= 3
    tail, codes = tail_of(rng, kind, 300, np.float32), rng.integers(n_classes, size=300)
    weights = rng.choice([0.0, 0.3, 1.0, 2.0], 300)
    fit = Design(Part(X, 2, tail)).fit(codes, n_classes, C=C, sample_weight=weights, tol=1e-3, max_iter=1000)
    with kernel_off():
        exact = fit_logistic(Design(Part(X, 2, tail)), codes, n_classes, C=C, sample_weight=weights, tol=1e-6)
    assert fit.solver == "ascent" or C == 30  # random labels: it is slow then
    assert np.linalg.norm(fit.coef - exact[0]) < 1e-3 * np.linalg.norm(exact[0])  # what tol promises
    np.testing.assert_allclose(fit.intercept, exact[1], atol=0.01)


@needs_kernel
def test_the_gap_bounds_the_distance_from_the_minimum():
    rng = np.random.default_rng(0)
    X = blocks_over_one_pattern(rng, 200, 30, 1)
    codes, weights = rng.integers(4, size=200), np.ones(200)
    rows, intercept, least = Rows(Part(X)), np.zeros(4), np.inf
    ascent, seen = rows.ascent(codes, weights, 2.0, intercept), []
    for _ in range(60):
        ascent.climb()
        seen.append(ascent.gap())
        least = min(least, seen[-1][1])
    assert all(objective - gap <= least * (1 + 1e-6) for gap, objective, _ in seen)
    assert seen[-1][0] < 1e-6 * least < seen[1][0]


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("strengths", [[0.3, 3.0], [3.0, 0.3]])
def test_ascent_goes_on_with_another_strength(n_classes, strengths):
    rng = np.random.default_rng(n_classes)
    X = blocks_over_one_pattern(rng, 200, 30, 1)
    codes, weights, intercept = rng.integers(n_classes, size=200), rng.choice([0.0, 1.0, 2.0], 200), np.zeros(n_classes)
    intercept = intercept[1:] if n_classes == 2 else intercept

    def coef(first, *others):
        ascent, found = Rows(Part(X)).ascent(codes, weights, first, intercept), np.empty((len(intercept), 30))
        for strength in (first, *others):
            ascent.change_strength(strength)
            for _ in range(60):
                ascent.climb()
        ascent.read(found, np.empty_like(intercept))
        return found

    np.testing.assert_allclose(coef(*strengths), coef(strengths[1]), atol=2e-4)
    assert np.abs(coef(*strengths) - coef(strengths[0])).max() > 0.1


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 3, 40])
def test_every_instruction_set_gives_the_same_numbers(n_classes):
    rng = np.random.default_rng(1)
    X = blocks_over_one_pattern(rng, 100, 30, 3, dtype=np.float32)
    codes, weights = rng.integers(n_classes, size=100), rng.random(100)
    n_decisions = 1 if n_classes == 2 else n_classes
    found = []
    for portable in (False, True):
        ascent = native.Ascent32(Rows(Part(X, 3)).native, codes, weights, 3.0, np.zeros(n_decisions), portable)
        gaps = [ascent.climb() for _ in range(5)]
        coef, intercept = np.empty((n_decisions, 90)), np.empty(n_decisions)
        ascent.read(coef, intercept)
        found.append([gaps, coef, intercept, ascent.gap()])
    for ours, portables in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, portables)


GIVEN = {
    "data": np.ones(4),
    "indices": np.array([0, 1, 2, 3]),
    "indptr": np.array([0, 4]),
    "n_terms": 2,
    "n_blocks": 2,
    "tail": np.ones(2),
    "tail_indices": np.array([0, 2], dtype=np.int32),
    "tail_indptr": np.array([0, 2]),
    "n_tail": 3,
}


@needs_kernel
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": np.array([0, 1, 2, 4])}, "the blocks of a row differ in their columns"),
        ({"indices": np.array([0, 2, 2, 4])}, "a column index is outside the first block"),
        ({"indices": np.array([0, -1, 2, 3])}, "a column index is outside the first block"),
        ({"indices": np.array([0, 1, 2])}, "data and indices differ in length"),
        (
            {"indptr": np.array([0, 3, 4]), "tail_indptr": np.array([0, 1, 2])},
            "the blocks of a row differ in their columns",
        ),
        ({"indptr": np.array([0, 9])}, "indptr does not ascend"),
        ({"indptr": np.array([2, 0, 4])}, "indptr does not ascend"),
        ({"n_blocks": 0}, "n_blocks must be at least 1"),
        ({"tail_indices": np.array([0, 3], dtype=np.int32)}, "a column index is outside the tail"),
        ({"tail_indices": np.array([-1, 0], dtype=np.int32)}, "a column index is outside the tail"),
        ({"tail_indices": np.array([0], dtype=np.int32)}, "the tail's values and indices differ in length"),
        ({"tail_indptr": np.array([0, 1, 2])}, "the tail has another number of rows"),
        (
            {"tail_indices": np.empty(0, np.int32), "tail_indptr": np.empty(0, np.int64)},
            "a dense tail has n_tail values",
        ),
    ],
)
def test_the_kernel_checks_its_arrays(change, message):
    with pytest.raises((ValueError, IndexError), match=message):
        rows_of(**{**GIVEN, **change})


def rows_of(data, indices, indptr, n_terms, n_blocks, **tail):
    return native.Rows64([(data, indices, indptr, n_terms, n_blocks)], n_rows=len(indptr) - 1, **tail)


@needs_kernel
def test_parts_must_have_the_same_rows():
    part = [GIVEN[name] for name in ("data", "indices", "indptr", "n_terms", "n_blocks")]
    shorter = [np.empty(0), np.empty(0, np.int64), np.array([0, 0, 0]), 2, 1]
    tail = np.empty(0), np.empty(0, np.int32), np.empty(0, np.int64)
    with pytest.raises(ValueError, match="a part has another number of rows"):
        native.Rows64([tuple(part), tuple(shorter)], *tail, 1, 0)


@needs_kernel
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rows: rows.multiply(np.ones((6, 1)), np.ones((1, 1)), 1), "coefficients are columns x decisions"),
        (lambda rows: rows.multiply(np.ones((7, 1)), np.ones((2, 1)), 1), "one row for each of X"),
        (lambda rows: rows.combine(np.ones((2, 1)), np.ones((7, 1)), 1), "one row for each of X"),
        (
            lambda rows: native.Ascent64(rows, np.array([2]), np.ones(1), 1.0, np.zeros(1)),
            "a code is not that of a class",
        ),
        (
            lambda rows: native.Ascent64(rows, np.array([-1]), np.ones(1), 1.0, np.zeros(3)),
            "a code is not that of a class",
        ),
        (lambda rows: native.Ascent64(rows, np.array([0, 1]), np.ones(2), 1.0, np.zeros(1)), "one code and one weight"),
        (
            lambda rows: native.Ascent64(rows, np.array([0]), np.ones(1), 1.0, np.zeros(0)),
            "n_decisions must be at least",
        ),
    ],
)
def test_the_kernel_checks_its_calls(call, message):
    with pytest.raises(ValueError, match=message):
        call(rows_of(**GIVEN))


@needs_kernel
@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize("portable", [False, True])
def test_decisions_of_rows_are_those_of_the_coefficients(n_classes, portable):
    rng = np.random.default_rng(n_classes)
    X = blocks_over_one_pattern(rng, 80, 20, 2, dtype=np.float32)
    tail, codes, weights = tail_of(rng, "sparse", 80, np.float32), rng.integers(n_classes, size=80), np.ones(80)
    held_out = np.array([3, 79, 0, 3])
    weights[held_out] = 0
    rows = Rows(Part(X, 2, tail))
    n_decisions = 1 if n_classes == 2 else n_classes
    kind = native.Ascent32
    ascent = kind(rows.native, codes, weights, 2.0, np.zeros(n_decisions), portable)
    for _ in range(5):
        ascent.climb()
    coef, intercept, out = np.empty((n_decisions, rows.n_columns)), np.empty(n_decisions), np.empty((4, n_decisions))
    ascent.read(coef, intercept)
    ascent.decide(held_out, out)
    expected = np.sqrt(2.0) * rows.multiply(np.ascontiguousarray(coef.T))[held_out] + intercept
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
    for wrong, room in ((held_out, out[:3]), (held_out, np.empty((4, n_decisions + 1))), (np.array([80]), out[:1])):
        with pytest.raises(ValueError, match=r"one row of decisions for each row|a row is not one of X"):
            ascent.decide(wrong, room)
    with pytest.raises(ValueError, match="a row is not one of X"):
        ascent.decide(np.array([-1]), out[:1])
