import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from simworld.stats import (
    BOOTSTRAP_DRAWS,
    Estimate,
    clopper_pearson,
    cluster_mean,
    holm,
    kendall_tau,
    mcnemar_exact,
    mean_interval,
    wilson,
)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 12), (12, 12), (3, 10), (9, 10)])
def test_clopper_pearson_equals_scipys_exact_interval(k, n):
    exact = scipy.stats.binomtest(k, n).proportion_ci(0.95, method="exact")
    assert clopper_pearson(k, n) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_a_share_of_zero_or_one_counts_groups_not_units():
    groups = ["a", "a", "a", "b", "b"]
    none = cluster_mean([0.0] * 5, groups, seed=0, share=True)
    every = cluster_mean([1.0] * 5, groups, seed=0, share=True)
    assert (none.value, none.ci_low, none.n) == (0.0, 0.0, 5)
    assert none.ci_high == pytest.approx(1 - 0.025**0.5)
    assert (every.value, every.ci_high) == (1.0, 1.0)
    assert every.ci_low == pytest.approx(0.025**0.5)


def test_the_interval_is_that_of_a_mean_of_independent_units():
    values = scipy.stats.norm.ppf((np.arange(400) + 0.5) / 400, loc=5, scale=2)
    estimate = cluster_mean(values.tolist(), [f"g{i}" for i in range(400)], seed=1)
    half = 1.96 * 2 / 20
    assert estimate.value == pytest.approx(5)
    assert estimate.ci_low == pytest.approx(5 - half, abs=0.03)
    assert estimate.ci_high == pytest.approx(5 + half, abs=0.03)


def test_copies_in_a_group_do_not_narrow_the_interval():
    values = [float(i % 2) for i in range(40)]
    names = [f"g{i}" for i in range(40)]
    once = cluster_mean(values, names, seed=0)
    tenfold = cluster_mean(values * 10, names * 10, seed=0)
    assert (tenfold.value, tenfold.ci_low, tenfold.ci_high) == (
        once.value,
        once.ci_low,
        once.ci_high,
    )
    assert tenfold.n == 400


@given(st.lists(st.tuples(st.floats(-9, 9), st.sampled_from("abcde")), min_size=1, max_size=30))
def test_the_order_of_units_and_the_process_do_not_matter(units):
    values, groups = zip(*units, strict=True)
    estimate = cluster_mean(values, groups, seed=0)
    again = cluster_mean(values, groups, seed=0)
    turned = cluster_mean(values[::-1], groups[::-1], seed=0)
    assert estimate == again
    assert turned.value == pytest.approx(estimate.value)
    if len(set(groups)) > 1:
        assert estimate.ci_low <= estimate.ci_high
        assert turned.ci_low == pytest.approx(estimate.ci_low, abs=1e-9)
    else:
        assert estimate.ci_low is None and estimate.ci_high is None


def test_the_seed_moves_the_interval_and_not_the_value():
    values = [0.0, 1.0, 2.0, 5.0, 7.0, 1.5, 3.25]
    a, b = (cluster_mean(values, list("abcdefg"), seed=seed) for seed in (0, 1))
    assert a.value == b.value
    assert (a.ci_low, a.ci_high) != (b.ci_low, b.ci_high)


def test_many_groups_go_through_in_blocks():
    n = 3 * 1_000_000 // BOOTSTRAP_DRAWS + 7
    estimate = cluster_mean([float(i % 2) for i in range(n)], [str(i) for i in range(n)], seed=0)
    assert estimate.ci_low < estimate.value < estimate.ci_high


def test_nothing_measured_is_no_value():
    assert cluster_mean([], [], seed=0) == Estimate(None, None, None, 0)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 12), (12, 12), (3, 10), (700, 1000)])
def test_wilson_equals_scipys_interval(k, n):
    score = scipy.stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k, n) == pytest.approx((score.low, score.high), abs=1e-12)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_the_exact_sign_test(first, second):
    expected = 1.0 if first == second else scipy.stats.binomtest(first, first + second).pvalue
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-9)


def test_holm_by_hand():
    # Holm 1979: multiply the smallest by 4, the next by 3, ..., and never let one sink below.
    assert holm([0.005, 0.04, 0.03, 0.01]) == pytest.approx([0.02, 0.06, 0.06, 0.03])
    assert holm([]) == []
    assert holm([0.6, 0.9]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_keeps_the_order_and_never_lowers_a_p_value(p_values):
    adjusted = holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    ranked = [adjusted[i] for i in sorted(range(len(p_values)), key=p_values.__getitem__)]
    assert ranked == sorted(ranked)


def test_kendalls_tau_of_reversed_and_of_tied_orders():
    assert kendall_tau([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    assert kendall_tau([1, 1], [1, 2]) is None


def test_the_interval_of_a_mean_is_students():
    values = [0.2, 0.5, 0.4, 0.9]
    expected = scipy.stats.t.interval(0.95, 3, loc=np.mean(values), scale=scipy.stats.sem(values))
    assert mean_interval(values) == pytest.approx(expected)
