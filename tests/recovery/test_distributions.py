import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from simworld.recovery.distributions import (
    Distribution,
    greatest_of,
    mean_of,
    share_of,
    weighted_share,
)

DIE = np.array([0, 1, 1, 1, 1, 1, 1]) / 6


def test_equal_chances_give_the_binomial():
    found = share_of([0.3] * 40)
    assert found.probabilities == pytest.approx(scipy.stats.binom.pmf(range(41), 40, 0.3))
    assert found.values == pytest.approx(np.arange(41) / 40)
    low, high = scipy.stats.binom.interval(0.99, 40, 0.3)
    assert found.interval == (low / 40, high / 40)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_a_share_has_the_mean_and_spread_of_its_chances(chances):
    found = share_of(chances)
    assert found.mean == pytest.approx(np.mean(chances), abs=1e-9)
    spread = (found.values**2) @ found.probabilities - found.mean**2
    expected = sum(p * (1 - p) for p in chances) / len(chances) ** 2
    assert spread == pytest.approx(expected, abs=1e-9)


def test_two_dice():
    assert mean_of([(DIE, 2)]).probabilities[7] == pytest.approx(6 / 36)
    assert mean_of([(DIE, 1), (DIE, 1)]).values[7] == 3.5
    assert greatest_of([(DIE, 2)]).probabilities[1:] == pytest.approx(
        np.array([1, 3, 5, 7, 9, 11]) / 36
    )


def test_weights_of_zero_and_one_are_exact_and_others_drawn():
    assert weighted_share([1, 0, 1, 1], 0.5, "a").mean == pytest.approx(3 / 8)
    drawn = weighted_share([0.5, 1, 0.25], 0.5, "a")
    assert drawn.mean == pytest.approx(1.75 / 6, abs=0.005)
    assert set(drawn.values) == {
        round(sum(s) / 3, 12) for s in [(), (0.5,), (1,), (0.25,), (0.5, 1), (0.5, 0.25),
                                        (1, 0.25), (0.5, 1, 0.25)]
    }  # fmt: skip


def test_a_p_value_is_two_sided_and_certain_values_leave_no_doubt():
    found = share_of([0.5] * 10)
    assert found.p_value(0.5) == 1
    assert found.p_value(0.0) == pytest.approx(2 / 1024)
    assert found.p_value(1.0) == pytest.approx(2 / 1024)
    sure = share_of([1.0] * 10)
    assert (sure.p_value(1.0), sure.p_value(0.9)) == (1, 0)
    assert sure.interval == (1, 1)


def test_draws_follow_the_distribution_and_their_name():
    found = Distribution(np.array([1.0, 3.0]), np.array([0.25, 0.75]))
    drawn = found.draw(4000, "a")
    assert np.mean(drawn) == pytest.approx(2.5, abs=0.06)
    assert drawn == found.draw(4000, "a") != found.draw(4000, "b")
