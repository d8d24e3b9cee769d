"""Contacts of every step become spans: one bounce is one, a rest is one."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.world.contacts import GAP_STEPS, ContactSpan, contact_spans
from simworld.world.rollout import Outcome, Rollout
from simworld.world.simulate import simulate
from tests.worlds import FLOOR, ball, cube, world


def recorded(*steps: tuple[tuple[str, str, float], ...]) -> Rollout:
    outcome = Outcome({}, {}, {}, len(steps), "", False)
    return Rollout((), np.zeros((len(steps), 0, 13)), tuple(steps), (), outcome)


def on_off(pattern: list[bool]) -> Rollout:
    return recorded(*((("a", "b", 0.1),) if on else () for on in pattern))


def test_a_span_covers_its_steps_half_open_and_keeps_the_peak():
    hit = recorded((), (), (), (("a", "b", 0.2),), (("a", "b", 0.5),), (("a", "b", 0.1),), ())
    assert contact_spans(hit) == (ContactSpan(("a", "b"), 3, 6, 0.5),)


@pytest.mark.parametrize(("apart", "count"), [(GAP_STEPS, 1), (GAP_STEPS + 1, 2)])
def test_contacts_are_one_up_to_a_gap(apart, count):
    assert len(contact_spans(on_off([True] + [False] * apart + [True]))) == count


def test_a_gap_of_a_twentieth_of_a_second_is_no_new_event():
    assert GAP_STEPS / 240 == 0.05


def test_what_touches_from_the_start_is_a_rest():
    spans = contact_spans(recorded((), (("a", "b", 1.0),), (("c", "d", 1.0),), (("e", "f", 1.0),)))
    assert [span.from_the_start for span in spans] == [True, True, False]


def test_shards_are_left_out():
    assert contact_spans(recorded((("floor", "mug#1", 1.0), ("mug#1", "mug#2", 1.0)))) == ()


def test_each_pair_has_spans_of_its_own_in_order_of_time():
    steps = [(("c", "d", 1.0),), (("a", "b", 1.0), ("c", "d", 1.0)), (("a", "b", 1.0),)]
    assert [(s.bodies, s.start_step, s.stop_step) for s in contact_spans(recorded(*steps))] == [
        (("c", "d"), 0, 2),
        (("a", "b"), 1, 3),
    ]


@given(st.lists(st.booleans(), max_size=120))
def test_spans_hold_every_contact_and_nothing_longer_than_a_gap_besides(pattern):
    spans = contact_spans(on_off(pattern))
    inside = {step for s in spans for step in range(s.start_step, s.stop_step)}
    assert {step for step, on in enumerate(pattern) if on} <= inside
    for span in spans:
        assert pattern[span.start_step] and pattern[span.stop_step - 1]
        off = "".join("x" if on else "." for on in pattern[span.start_step : span.stop_step])
        assert "." * (GAP_STEPS + 1) not in off
    for one, after in itertools.pairwise(spans):
        assert after.start_step - one.stop_step > GAP_STEPS - 1


def test_every_bounce_is_one_span_at_its_step(workers):
    floor = replace(FLOOR, restitution=1.0)
    drop = world(floor, ball(at=(0, 0, 1.1), restitution=0.7), steps=420)
    rollout = workers.call(simulate, drop)
    fall = rollout.states[:, rollout.index("ball"), 9]
    turns = np.flatnonzero((fall[:-1] < -0.5) & (fall[1:] > 0.5)) + 1
    hits = [s for s in contact_spans(rollout) if s.peak_n_s > 1.0]
    assert len(turns) >= 3
    assert [span.start_step for span in hits] == pytest.approx(turns.tolist(), abs=1)
    assert all(span.stop_step - span.start_step <= 4 for span in hits)


def test_a_rest_is_one_span_to_the_end(workers):
    rollout = workers.call(simulate, world(FLOOR, cube(restitution=0.0), steps=240))
    (span,) = contact_spans(rollout)
    assert span.from_the_start
    assert (span.bodies, span.stop_step) == (("cube", "floor"), 241)


def test_who_is_named_first_or_made_first_does_not_matter(workers):
    """(A, B) and (B, A) are one contact."""
    one = world(FLOOR, cube("b"), ball("a", at=(0, 0, 0.5)), steps=120)
    other = replace(one, bodies=one.bodies[::-1])
    spans = [contact_spans(rollout) for rollout in workers.map(simulate, [one, other])]
    assert [{span.bodies for span in some} for some in spans] == [
        {("a", "b"), ("b", "floor")},
        {("a", "b"), ("b", "floor")},
    ]
