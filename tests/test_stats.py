import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from simworld.stats import BOOTSTRAP_DRAWS, Estimate, clopper_pearson, cluster_mean


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
