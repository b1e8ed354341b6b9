"""The paper's facts about troenpy, each by its name; then arrays, estimators and errors."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from troenpy import conditional_troenpy, entropy, negative_information, positive_information, troenpy, troenpy_gain

with np.errstate():  # dit turns numpy's warnings off for good, and warnings are errors here
    import dit

LOG = math.log
EXACT = {"rel": 1e-12, "abs": 0}


def exact_troenpy(counts):
    """Give T by exact fractions and logarithms of 60 digits."""
    total = sum(map(Fraction, counts))
    with localcontext() as context:
        context.prec = 60
        result = Decimal(0)
        for count in map(Fraction, counts):
            p, q = count / total, 1 - count / total
            if p:
                result -= Decimal(p.numerator) / Decimal(p.denominator) * decimal_log(q)
        return float(result)


def decimal_log(q):
    return (Decimal(q.numerator) / Decimal(q.denominator)).ln()


def loop_troenpy(x):
    return sum(v / sum(x) * (math.inf if v == sum(x) else LOG(sum(x) / (sum(x) - v))) for v in x if v)


def distributions(least=2, most=8):
    """Draw distributions without zeros and not too near a vertex, where sums in doubles say nothing."""
    weights = st.lists(st.integers(1, 1000), min_size=least, max_size=most)
    return weights.map(lambda w: np.array(w) / sum(w))


def tables(most=6):
    """Draw counts of outcomes (rows) by conditions (columns), empty rows and columns included."""
    shapes = st.tuples(st.integers(1, 4), st.integers(1, 4))
    return shapes.flatmap(
        lambda s: st.lists(st.lists(st.integers(0, most), min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0])
    ).filter(lambda rows: sum(map(sum, rows)) > 0)


# The facts.


@given(p=distributions())
def test_troenpy_is_least_at_the_uniform_distribution(p):
    K = len(p)
    assert troenpy(np.ones(K)) == pytest.approx(LOG(K / (K - 1)), **EXACT)
    assert troenpy(p) >= LOG(K / (K - 1)) * (1 - 1e-12)
    if np.ptp(p) > 1e-3:
        assert troenpy(p) > LOG(K / (K - 1))


@pytest.mark.parametrize("digits", [3, 13, 100, 300])
def test_troenpy_is_unbounded_at_a_vertex(digits):
    assert troenpy([1, 10.0**-digits]) == pytest.approx(digits * LOG(10), rel=1e-2)


def test_troenpy_is_infinite_in_a_vertex_without_a_warning():
    assert np.geterr()["divide"] == np.geterr()["invalid"] == "warn"
    assert troenpy([0, 1, 0]) == math.inf
    assert troenpy([7]) == math.inf
    assert troenpy([[1, 3], [0, 1]]).tolist() == [math.inf, pytest.approx(3 / 4 * LOG(4) + 1 / 4 * LOG(4 / 3))]


@given(pair=st.integers(2, 8).flatmap(lambda K: st.tuples(distributions(K, K), distributions(K, K))), t=st.floats(0, 1))
def test_troenpy_is_convex(pair, t):
    a, b = pair
    assert troenpy(t * a + (1 - t) * b) <= t * troenpy(a) + (1 - t) * troenpy(b) + 1e-13


def test_troenpy_is_strictly_convex_by_example():
    assert troenpy([5, 3]) < (troenpy([3, 1]) + troenpy([2, 2])) / 2 - 0.01  # the middle of 6/8 and 4/8 is 5/8


@given(p=distributions())
def test_troenpy_is_entropy_plus_divergence_from_the_complement(p):
    K = len(p)
    q = (1 - p) / (K - 1)
    assert troenpy(p) == pytest.approx(stats.entropy(p) + stats.entropy(p, q) - LOG(K - 1), rel=1e-9)


@given(p=distributions(2, 2))
def test_with_two_outcomes_troenpy_is_entropy_plus_divergence_from_the_swapped(p):
    assert troenpy(p) == pytest.approx(stats.entropy(p) + stats.entropy(p, 1 - p), rel=1e-9)


@given(p=distributions())
@settings(max_examples=50, deadline=None)
def test_troenpy_and_extropy_sum_to_the_information_of_the_complements(p):
    extropy = dit.other.extropy(dit.Distribution([str(i) for i in range(len(p))], p))
    assert troenpy(p, base=2) + extropy == pytest.approx(-np.log2(1 - p).sum(), rel=1e-9)


@given(p=distributions().filter(lambda p: p.max() < 0.9))
def test_troenpy_is_the_series_of_power_sums(p):
    series = sum((p ** (m + 1)).sum() / m for m in range(1, 400))
    assert troenpy(p) == pytest.approx(series, rel=1e-12)


@given(p=distributions())
def test_troenpy_lies_between_the_bounds_of_collision_and_mode(p):
    assert -math.log1p(-(p**2).sum()) <= troenpy(p) * (1 + 1e-12)
    assert troenpy(p) <= -math.log1p(-p.max()) * (1 + 1e-12)


def test_the_bounds_are_reached_at_the_uniform_distribution():
    assert troenpy([1, 1, 1, 1]) == pytest.approx(-LOG(1 - 1 / 4), **EXACT)


@given(joint=tables())
def test_the_plug_in_gain_is_never_negative(joint):
    assert troenpy_gain(joint) >= 0


@given(joint=tables())
def test_the_plug_in_gain_needs_no_clipping_but_for_rounding(joint):
    rows = [sum(row) for row in joint]
    assume(max(rows) < sum(rows))
    assert conditional_troenpy(joint) - troenpy(rows) >= -1e-14


def test_the_one_sided_gain_can_be_negative():
    all_documents, with_the_term = [3, 1], [1, 1]
    assert troenpy(with_the_term) - troenpy(all_documents) == pytest.approx(LOG(2) - 3 / 4 * LOG(4) - LOG(4 / 3) / 4)
    assert troenpy(with_the_term) < troenpy(all_documents)


POSTERIORS = [(2, 2), (1, 3, 5), (0.5, 0.25, 4)]


@pytest.mark.parametrize("a", POSTERIORS)
def test_posterior_mean_is_the_mean_over_draws_of_a_dirichlet(a):
    draws = np.random.default_rng(0).dirichlet(a, 200_000)
    values = troenpy(draws, axis=1)
    error = values.std() / math.sqrt(len(values))
    assert error < 0.01
    assert posterior_mean(a) == pytest.approx(values.mean(), abs=4 * error)


@pytest.mark.parametrize("a", POSTERIORS)
def test_posterior_mean_is_the_integral_over_each_beta_marginal(a):
    def expected(own, rest):
        # E p log 1/(1-p) under Beta(own, rest), by parts in u = 1-p so that the singular end is a weight.
        norm = math.gamma(own + rest) / math.gamma(own) / math.gamma(rest)
        integral, _ = integrate.quad(
            lambda u: (1 - u) ** own, 0, 1, weight="alg-loga", wvar=(rest - 1, 0), epsabs=0, epsrel=1e-13
        )
        return -norm * integral

    A = sum(a)
    assert posterior_mean(a) == pytest.approx(sum(expected(own, A - own) for own in a), rel=1e-10)


def posterior_mean(a):
    """Give the posterior mean under Dirichlet(a): half of each parameter as count, half as prior."""
    half = np.array(a) / 2
    return troenpy(half, estimator="posterior_mean", smoothing=half.sum(), prior=half)


# Accuracy.


@given(st.lists(st.floats(1e-300, 1e300), min_size=2, max_size=6))
def test_equals_exact_fractions_for_any_floats(counts):
    assert troenpy(counts) == pytest.approx(exact_troenpy(counts), **EXACT)


@given(st.lists(st.integers(1, 2**53), min_size=2, max_size=40))
def test_equals_exact_fractions_for_any_integers(counts):
    assert troenpy(counts) == pytest.approx(exact_troenpy(counts), **EXACT)


@pytest.mark.parametrize("rest", [[1e-13], [1e-13, 0], [4e-14, 6e-14], [1e-16], [1e-300, 1e-290], [1e-310], [5e-324]])
@pytest.mark.parametrize("scale", [1, 3])
def test_is_accurate_next_to_certainty(rest, scale):
    counts = [scale * (1 - sum(rest)), *(scale * r for r in rest)]
    assert troenpy(counts) == pytest.approx(exact_troenpy(counts), **EXACT)


def test_is_accurate_next_to_certainty_after_normalisation():
    p = np.array([1 - 1e-13, 1e-13])
    assert troenpy(7 * p / (7 * p).sum()) == pytest.approx(exact_troenpy(7 * p / (7 * p).sum()), **EXACT)


def test_a_million_equal_outcomes():
    assert troenpy(np.ones(10**6)) == pytest.approx(math.log1p(1 / (10**6 - 1)), **EXACT)
    assert troenpy(np.full(10**6, 1e-6)) == pytest.approx(math.log1p(1 / (10**6 - 1)), **EXACT)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1e307])
def test_only_proportions_matter(scale):
    assert troenpy([3 * scale, scale]) == pytest.approx(3 / 4 * LOG(4) + 1 / 4 * LOG(4 / 3), **EXACT)


def test_counts_whose_ratio_overflows():
    assert troenpy([1e300, 5e-324]) == pytest.approx(1074 * LOG(2) + 300 * LOG(10), **EXACT)
    single = np.array([1e38, 1e-38], dtype=np.float32)
    assert troenpy(single) == pytest.approx(76 * LOG(10), rel=1e-6)
    assert troenpy(single).dtype == np.float32


# Information of single probabilities.


def test_negative_and_positive_information_by_hand():
    assert negative_information([0.25, 1.0, 0.0], base=2).tolist() == [2, 0, math.inf]
    assert positive_information([0.75, 0.0, 1.0], base=2).tolist() == [2, 0, math.inf]
    assert negative_information(0.5) == LOG(2)
    assert math.copysign(1, negative_information(1)) == math.copysign(1, positive_information(0)) == 1


@given(st.floats(0, 1))
def test_positive_information_is_negative_information_of_the_complement(p):
    assert positive_information(1 - p) == pytest.approx(negative_information(1 - (1 - p)), rel=1e-12)


def test_positive_information_of_a_small_probability_keeps_its_digits():
    assert positive_information(1e-20) == 1e-20


def test_information_keeps_shape_and_type():
    p = np.full((2, 3), 0.5, dtype=np.float32)
    for function in (negative_information, positive_information):
        assert function(p).shape == (2, 3)
        assert function(p).dtype == np.float32
        assert function(np.float16(0.5)).dtype == np.float32
        assert function([0, 1]).dtype == np.float64
        assert isinstance(function(0.5), np.float64)
        assert np.isnan(function(np.nan))


@pytest.mark.parametrize("function", [negative_information, positive_information])
@pytest.mark.parametrize("p", [-0.1, 1.5, math.inf])
def test_information_is_of_probabilities(function, p):
    with pytest.raises(ValueError, match=f"a probability must lie between 0 and 1, got {p}"):
        function([0.5, p])
    with pytest.raises(TypeError, match="a probability must be an array of real numbers, got dtype <U1"):
        function("p")


# Arrays, as scipy has them.


@pytest.mark.parametrize("base", [None, 2, 0.5, 10.0])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, (0, 1), (2, 0), (-1, 1), (0, 1, 2), None])
def test_entropy_is_scipys(base, keepdims, axis):
    pk = np.random.default_rng(5).uniform(size=(2, 3, 4))
    pk[0, 1, 2] = 0
    expected = stats.entropy(pk, base=base, axis=axis, keepdims=keepdims)
    result = entropy(pk, base=base, axis=axis, keepdims=keepdims)
    assert np.shape(result) == np.shape(expected)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-13)
    assert type(result) is type(expected)


@pytest.mark.parametrize("policy", ["propagate", "omit"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_nan_is_scipys(policy, axis):
    pk = np.array([[1, np.nan, 3], [2, 5, 1], [4, 1, 1.0]])
    expected = stats.entropy(pk, axis=axis, nan_policy=policy)
    np.testing.assert_allclose(entropy(pk, axis=axis, nan_policy=policy), expected, rtol=1e-13)


@pytest.mark.parametrize("measure", [entropy, troenpy])
def test_nan_makes_one_result_nan_or_is_left_out_or_raises(measure):
    pk = [[1, 2, math.nan], [1, 2, 4]]
    first, second = measure(pk, axis=1)
    assert math.isnan(first)
    assert second == measure([1, 2, 4])
    assert measure(pk, axis=1, nan_policy="omit").tolist() == [measure([1, 2]), measure([1, 2, 4])]
    assert math.isnan(measure([math.nan, math.nan], nan_policy="omit"))
    with pytest.raises(ValueError, match="The input contains nan values"):
        measure(pk, axis=1, nan_policy="raise")


def test_an_omitted_outcome_gets_no_pseudo_counts():
    how = {"estimator": "dirichlet", "smoothing": 2}
    assert troenpy([1, math.nan, 2], nan_policy="omit", **how) == troenpy([1, 2], **how)


@given(
    pk=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4).filter(
        lambda rows: all(map(any, rows))
    )
)
def test_many_distributions_are_one_by_one(pk):
    np.testing.assert_allclose(troenpy(pk, axis=1), [loop_troenpy(row) for row in pk], rtol=1e-12)
    np.testing.assert_array_equal(troenpy(np.transpose(pk)), troenpy(pk, axis=-1))
    assert troenpy(pk, axis=None) == troenpy(np.ravel(pk))
    assert troenpy([pk, pk], axis=2, keepdims=True).shape == (2, len(pk), 1)


@pytest.mark.parametrize("measure", [entropy, troenpy])
def test_no_distributions_give_no_results(measure):
    assert measure(np.zeros((0, 3)), axis=1).shape == (0,)


@pytest.mark.parametrize("base", [2, 10, 0.5])
def test_base_divides_by_its_logarithm(base):
    joint = [[2, 1], [2, 3]]
    for function in (troenpy, conditional_troenpy, troenpy_gain):
        np.testing.assert_allclose(function(joint, base=base), function(joint) / LOG(base), rtol=1e-15)


ALL = [entropy, troenpy, conditional_troenpy, troenpy_gain]


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize(
    ("dtype", "result"),
    [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8"), ("u1", "f8"), ("?", "f8"), ("i8", "f8")],
)
def test_float32_stays_and_integers_become_float64(function, dtype, result):
    values = function(np.ones((2, 2, 2), dtype=dtype))
    assert values.dtype == np.dtype(result)
    assert function(np.ones((2, 2), dtype=dtype), keepdims=True).dtype == np.dtype(result)


@pytest.mark.parametrize("estimator", ["add_one", "dirichlet", "posterior_mean"])
def test_estimators_keep_float32(estimator):
    assert troenpy(np.ones(3, dtype=np.float32), estimator=estimator).dtype == np.float32


@pytest.mark.parametrize("function", ALL)
def test_input_is_not_changed_and_may_be_read_only(function):
    joint = np.array([[2.0, 1, np.nan], [2, 3, 1]])
    before = joint.copy()
    joint.setflags(write=False)
    for policy in ("propagate", "omit"):
        function(joint, nan_policy=policy)
    np.testing.assert_array_equal(joint, before)


@pytest.mark.parametrize("function", ALL)
def test_lists_tuples_and_frames_are_arrays(function):
    joint = [[2, 1], [2, 3]]
    expected = function(np.array(joint))
    for same in (joint, tuple(map(tuple, joint)), pd.DataFrame(joint)):
        np.testing.assert_array_equal(function(same), expected)
    assert troenpy(pd.Series([3, 1], index=["a", "b"])) == troenpy([3, 1])


# Estimators by hand.


def test_add_one_by_hand():
    assert troenpy([3, 1], estimator="add_one") == pytest.approx(3 / 4 * LOG(4 / 2) + 1 / 4 * LOG(4 / 4), **EXACT)
    expected = 3 / 4 * LOG(4 / 1.5) + 1 / 4 * LOG(4 / 3.5)
    assert troenpy([3, 1], estimator="add_one", smoothing=0.5) == pytest.approx(expected, **EXACT)
    assert troenpy([5, 0], estimator="add_one") == pytest.approx(LOG(5), **EXACT)
    assert troenpy([1, 1, 1, 1], estimator="add_one", smoothing=3) == pytest.approx(LOG(4 / 6), **EXACT)


def test_dirichlet_by_hand():
    expected = 4 / 6 * LOG(6 / 2) + 2 / 6 * LOG(6 / 4)
    assert troenpy([3, 1], estimator="dirichlet", smoothing=2) == pytest.approx(expected, **EXACT)
    expected = 6 / 8 * LOG(8 / 2) + 2 / 8 * LOG(8 / 6)
    how = {"estimator": "dirichlet", "smoothing": 4}
    assert troenpy([3, 1], prior=[3, 1], **how) == pytest.approx(expected, **EXACT)
    assert troenpy([3, 1], prior=[30, 10], **how) == pytest.approx(expected, **EXACT)


def test_dirichlet_without_counts_is_its_prior():
    assert troenpy([0, 0], estimator="dirichlet", prior=[3, 1]) == pytest.approx(troenpy([3, 1]), **EXACT)


def test_posterior_mean_by_hand():
    # a = (2, 2), A = 4: psi(5) - psi(2) = 1/2 + 1/3 + 1/4. With a = (3, 1): psi(5) - psi(1) and psi(5) - psi(3).
    how = {"estimator": "posterior_mean", "smoothing": 2}
    assert troenpy([1, 1], **how) == pytest.approx(13 / 12, **EXACT)
    assert troenpy([2, 0], **how) == pytest.approx(
        3 / 4 * (1 + 1 / 2 + 1 / 3 + 1 / 4) + 1 / 4 * (1 / 3 + 1 / 4), **EXACT
    )
    assert troenpy([1, 2], prior=[1, 3], estimator="posterior_mean", smoothing=4) == pytest.approx(
        2 / 7 * (1 / 5 + 1 / 6 + 1 / 7) + 5 / 7 * (1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6 + 1 / 7), **EXACT
    )


@pytest.mark.parametrize("estimator", ["add_one", "dirichlet", "posterior_mean"])
def test_smoothed_estimators_are_finite_at_a_vertex_and_near_the_plug_in_with_many_counts(estimator):
    assert math.isfinite(troenpy([5, 0], estimator=estimator))
    assert troenpy([6e6, 1e6, 3e6], estimator=estimator) == pytest.approx(troenpy([6, 1, 3]), rel=1e-5)


def test_smoothing_has_no_effect_on_the_plug_in():
    assert troenpy([3, 1], smoothing=0) == troenpy([3, 1])


# Conditions.


def loop_conditional(joint):
    total = sum(map(sum, joint))
    columns = [column for column in zip(*joint, strict=True) if any(column)]
    return sum(sum(column) / total * loop_troenpy(column) for column in columns)


@given(joint=tables())
def test_conditional_troenpy_is_the_plain_loop(joint):
    assert conditional_troenpy(joint) == pytest.approx(loop_conditional(joint), rel=1e-12)


@given(joint=tables())
def test_gain_is_the_plain_loop(joint):
    marginal = loop_troenpy([sum(row) for row in joint])
    expected = 0 if math.isinf(marginal) else loop_conditional(joint) - marginal
    assert troenpy_gain(joint) == pytest.approx(expected, rel=1e-9, abs=1e-13)


def test_conditional_and_gain_by_hand():
    joint = [[2, 1], [2, 3]]
    conditional = 1 / 2 * LOG(2) + 1 / 2 * (3 / 4 * LOG(4) + 1 / 4 * LOG(4 / 3))
    assert conditional_troenpy(joint) == pytest.approx(conditional, **EXACT)
    assert troenpy_gain(joint) == pytest.approx(conditional - 3 / 8 * LOG(8 / 5) - 5 / 8 * LOG(8 / 3), rel=1e-12)


@pytest.mark.parametrize(("axis", "given_"), list(permutations((0, 1, 2), 2)))
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("function", [conditional_troenpy, troenpy_gain])
def test_outcomes_and_conditions_on_any_axes(axis, given_, keepdims, negative, function):
    joint = np.random.default_rng(2).integers(1, 9, (2, 3, 4))
    third = 3 - axis - given_
    expected = [function(table) for table in np.moveaxis(joint, (third, axis, given_), (0, 1, 2))]
    axes = {"axis": axis - 3 * negative, "given": given_ - 3 * negative}
    result = function(joint, keepdims=keepdims, **axes)
    shape = [joint.shape[third] if i == third else 1 for i in range(3)]
    np.testing.assert_array_equal(result, np.reshape(expected, shape) if keepdims else expected)


@pytest.mark.parametrize("estimator", ["plugin", "add_one", "dirichlet", "posterior_mean"])
def test_a_condition_that_never_occurs_adds_nothing(estimator):
    with_empty, without = [[2, 0, 1], [2, 0, 3]], [[2, 1], [2, 3]]
    for function in (conditional_troenpy, troenpy_gain):
        assert function(with_empty, estimator=estimator) == function(without, estimator=estimator)


def test_an_outcome_certain_beforehand_gains_nothing():
    assert troenpy_gain([[2, 3], [0, 0]]) == 0
    assert conditional_troenpy([[2, 3], [0, 0]]) == math.inf


def test_a_condition_that_decides_gains_without_bound():
    assert troenpy_gain([[2, 0], [0, 3]]) == math.inf


def test_smoothed_gains_may_be_negative_and_are_not_clipped():
    assert troenpy_gain([[1, 1], [1, 1]], estimator="add_one") == pytest.approx(0 - LOG(4 / 3), **EXACT)
    independent = [[9, 9], [1, 1]]
    for estimator in ("dirichlet", "posterior_mean"):
        expected = troenpy([9, 1], estimator=estimator) - troenpy([18, 2], estimator=estimator)
        assert troenpy_gain(independent, estimator=estimator) == pytest.approx(expected, **EXACT)
    assert troenpy_gain(independent, estimator="dirichlet") < -0.01


def test_nan_in_a_joint_table():
    joint = [[2, 1], [math.nan, 3]]
    for function in (conditional_troenpy, troenpy_gain):
        assert math.isnan(function(joint))
        with pytest.raises(ValueError, match="The input contains nan values"):
            function(joint, nan_policy="raise")
    # Left out: column 0 has one outcome, 2 of 2; column 1 is as it was.
    expected = 2 / 6 * LOG(2 / 1) + 4 / 6 * (1 / 4 * LOG(4 / 4) + 3 / 4 * LOG(4 / 2))
    assert conditional_troenpy(joint, nan_policy="omit", estimator="add_one") == pytest.approx(expected, **EXACT)


# Errors.


@pytest.mark.parametrize("function", ALL)
class TestErrors:
    def test_negative(self, function):
        with pytest.raises(ValueError, match=r"must not be negative, got -0\.5"):
            function([[1, -0.5], [1, 1]])

    def test_infinite(self, function):
        with pytest.raises(ValueError, match="and their sum, must be finite, got inf"):
            function([[1, math.inf], [1, 1]])
        with pytest.raises(ValueError, match="and their sum, must be finite, got inf"):
            function([[1e308, 1], [1e308, 1]])

    @pytest.mark.parametrize("base", [0, -1, 1, math.nan])
    def test_base(self, function, base):
        with pytest.raises(ValueError, match=f"base must be positive, finite and not 1, got {base}"):
            function([[1, 1], [1, 1]], base=base)

    @pytest.mark.parametrize("axis", [2, -3])
    def test_axis_out_of_range(self, function, axis):
        with pytest.raises(np.exceptions.AxisError, match=f"axis {axis} is out of bounds for array of dimension 2"):
            function([[1, 1], [1, 1]], axis=axis)

    def test_nan_policy(self, function):
        with pytest.raises(ValueError, match="nan_policy must be one of propagate, omit, raise, got 'ignore'"):
            function([[1, 1], [1, 1]], nan_policy="ignore")

    @pytest.mark.parametrize("values", [[["a", "b"]], [[1j, 2]], np.array([[1, None]]), [[b"1"]]])
    def test_not_numbers(self, function, values):
        with pytest.raises(TypeError, match="a distribution must be an array of real numbers, got dtype"):
            function(values)

    def test_all_zero(self, function):
        with pytest.raises(ValueError, match="the distribution sums to zero and cannot be normalised"):
            function(np.zeros((2, 2)), **({"axis": None} if function in (entropy, troenpy) else {}))

    def test_all_zero_says_which(self, function):
        several = np.ones((2, 2, 3))
        several[..., 1] = 0
        which = "distribution 1 of 6" if function in (entropy, troenpy) else "distribution 1 of 3"
        with pytest.raises(ValueError, match=f"{which} sums to zero"):
            function(several)

    def test_no_outcomes(self, function):
        with pytest.raises(ValueError, match=r"needs at least one outcome, got shape \(0, 2\) with axis"):
            function(np.ones((0, 2)))


def test_the_way_out_of_a_zero_sum_is_one_that_exists():
    # entropy has no estimator, and a joint table of zeros has no conditions to average over with any.
    for function, zeros in ((entropy, [0, 0]), (conditional_troenpy, [[0, 0], [0, 0]]), (troenpy, [0, 0])):
        with pytest.raises(ValueError, match=r"drop it \(only troenpy with estimator='dirichlet' is"):
            function(zeros)
    assert troenpy([0, 0], estimator="dirichlet") == pytest.approx(LOG(2), **EXACT)


def test_axes_must_differ():
    with pytest.raises(ValueError, match=r"axes must differ, got \(0, -2\) for an array of 2 dimensions"):
        troenpy([[1, 1]], axis=(0, -2))
    with pytest.raises(ValueError, match=r"axes must differ, got \(1, 1\)"):
        troenpy_gain([[1, 1]], axis=1)


def test_dimensions_must_suffice():
    with pytest.raises(ValueError, match="at least one dimension, got a single number"):
        troenpy(0.5)
    with pytest.raises(ValueError, match="an axis of outcomes and one of conditions, got 1 dimensions"):
        troenpy_gain([1, 1])


@pytest.mark.parametrize("function", [troenpy, conditional_troenpy, troenpy_gain])
class TestEstimatorErrors:
    def test_unknown_estimator(self, function):
        with pytest.raises(
            ValueError, match="must be one of plugin, add_one, dirichlet, posterior_mean, got 'laplace'"
        ):
            function([[1, 1], [1, 1]], estimator="laplace")

    @pytest.mark.parametrize("estimator", ["add_one", "dirichlet", "posterior_mean"])
    @pytest.mark.parametrize("smoothing", [0, -1.5, math.inf, math.nan])
    def test_smoothing(self, function, estimator, smoothing):
        with pytest.raises(ValueError, match=f"smoothing must be positive and finite, got {smoothing}: with 0"):
            function([[1, 1], [1, 1]], estimator=estimator, smoothing=smoothing)

    @pytest.mark.parametrize("estimator", ["plugin", "add_one"])
    def test_prior_without_use(self, function, estimator):
        with pytest.raises(ValueError, match=f"dirichlet and posterior_mean, not for {estimator}"):
            function([[1, 1], [1, 1]], estimator=estimator, prior=[1, 1])

    @pytest.mark.parametrize("prior", [[1], [1, 1, 1], [[1, 1]], 1])
    def test_prior_of_another_shape(self, function, prior):
        with pytest.raises(ValueError, match=r"prior must have one entry per outcome, shape \(2,\), got \("):
            function([[1, 1], [1, 1]], estimator="dirichlet", prior=prior)

    @pytest.mark.parametrize("prior", [[1, -1], [0, 0], [1, math.nan], [1, math.inf]])
    def test_prior_that_is_no_distribution(self, function, prior):
        with pytest.raises(ValueError, match="prior must be finite, non-negative and not all zero, got"):
            function([[1, 1], [1, 1]], estimator="posterior_mean", prior=prior)

    def test_prior_that_is_a_word(self, function):
        with pytest.raises(TypeError, match="a prior must be an array of real numbers, got dtype <U7"):
            function([[1, 1], [1, 1]], estimator="dirichlet", prior="uniform")
