"""What a rollout holds, when it stops, and what its digest answers for."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from simworld.scene import Context
from simworld.world.detectors import CanBreak, DroppedBelow, Touched
from simworld.world.rollout import Rollout
from simworld.world.simulate import Until, simulate
from simworld.world.spec import Body, Box, Breakable, Launch, Mug, WorldSpec
from tests.worlds import FLOOR, ball, cup_context, cup_rollout, world

MUG = Body("mug", Mug(0.05, 0.12), (0, 0, 0.7), mass_kg=0.2, breakable=Breakable(2.0))
LANDS = {"impact": Touched("ball", ("floor",)), "half": DroppedBelow("ball", 0.5)}
DROP = world(
    FLOOR, ball(at=(0, 0, 1.0)), detectors=LANDS, deadlines={"impact": 150, "half": 150}, steps=200
)


@pytest.fixture(scope="module")
def drop(workers):
    return workers.call(simulate, DROP)


@pytest.fixture(scope="module")
def cup(workers):
    return workers.call(cup_rollout, cup_context())


def test_there_is_a_row_before_the_first_step_and_one_after_each(drop):
    assert drop.states.shape == (201, 2, 13)
    assert drop.states.dtype == np.float64
    assert len(drop.contacts) == 201
    assert drop.steps == 200
    assert drop.states[0, drop.index("ball")].tolist() == [0, 0, 1, 0, 0, 0, 1, *[0] * 6]
    assert drop.contacts[0] == ()


def test_static_bodies_stand_still_in_every_row(drop):
    floor = drop.states[:, drop.index("floor")]
    assert (floor == [0, 0, -0.1, 0, 0, 0, 1, *[0] * 6]).all()


def test_events_have_their_onset_in_the_row_that_shows_them(drop):
    assert drop.outcome.values == {"half": 1, "impact": 1}
    half, impact = drop.outcome.onsets["half"], drop.outcome.onsets["impact"]
    height = drop.states[:, drop.index("ball"), 2]
    assert height[half] < 0.5 <= height[half - 1]
    touching = [step for step, contacts in enumerate(drop.contacts) if contacts]
    assert impact == touching[0]


def test_what_does_not_happen_has_no_onset(workers):
    up = replace(DROP, detectors={"half": DroppedBelow("ball", 0.05)}, deadlines={"half": 100})
    outcome = workers.call(simulate, up).outcome
    assert outcome.values == {"half": 0}
    assert outcome.onsets == {}
    assert outcome.settled_step == 100


def test_conditions_are_read_before_the_first_step(workers):
    spec = world(FLOOR, MUG, detectors={"brittle": CanBreak("mug")}, steps=120)
    rollout = workers.call(simulate, spec)
    assert rollout.breaks
    assert rollout.outcome.values == {"brittle": 1}


def test_it_is_settled_with_the_last_event_and_may_stop_there(workers, drop):
    short = workers.call(simulate, DROP, "settled")
    settled = max(drop.outcome.onsets.values())
    assert short.steps == settled == drop.outcome.settled_step
    assert short.outcome == drop.outcome
    assert np.array_equal(short.states, drop.states[: settled + 1])


@pytest.mark.parametrize("steps", [200, 201])
def test_what_stands_askew_has_one_state_however_long_it_stands(workers, steps):
    """The quaternions of these turns are rounded to and fro in pybullet, step after step."""
    half = [math.radians(degrees) / 2 for degrees in (3, 20, 36, 46)]
    walls = tuple(
        Body(f"wall_{k}", Box((0.1, 0.1, 0.1)), (3, 0, 0.1), (0, 0, math.sin(a), math.cos(a)))
        for k, a in enumerate(half)
    )
    askew = replace(DROP, bodies=(*walls, *DROP.bodies), duration_steps=steps)
    long, short = workers.map(simulate_until, [(askew, "end"), (askew, "settled")])
    assert long.steps > short.steps
    assert long.outcome == short.outcome


def simulate_until(task: tuple[WorldSpec, Until]) -> Rollout:
    return simulate(*task)


def test_a_world_shorter_than_its_deadlines_is_settled_at_its_end(workers):
    spec = replace(DROP, duration_steps=20)
    outcome = workers.call(simulate, spec).outcome
    assert outcome.settled_step == 20
    assert outcome.values == {"half": 0, "impact": 0}


def outcomes(contexts: list[Context]) -> list[tuple[object, object]]:
    return [(cup_rollout(c, until="settled").outcome, cup_rollout(c).outcome) for c in contexts]


def test_the_cups_outcome_is_the_same_stopped_early_or_run_to_its_end(workers):
    contexts = [cup_context(k, **more) for k, more in enumerate([{}, {"floor": "rug"}])]
    for early, late in workers.call(outcomes, contexts):
        assert early == late


@pytest.mark.parametrize(
    "change",
    [
        {"bodies": (FLOOR, ball(at=(1e-9, 0, 1.0)))},
        {"bodies": (FLOOR, ball("bowl", at=(0, 0, 1.0))), "detectors": {}, "deadlines": {}},
        {"actions": (Launch("ball", 3, (0, 0, 1e-6)),)},
    ],
    ids=["place", "name", "action"],
)
def test_the_digest_answers_for_every_state_and_name(workers, drop, change):
    other = workers.call(simulate, replace(DROP, **change))
    assert len(drop.outcome.digest) == 64
    assert other.outcome.digest != drop.outcome.digest


def test_the_digest_reaches_to_the_settled_step_only(workers, drop):
    later = Launch("ball", drop.outcome.settled_step + 5, (1.0, 0, 0))
    other = workers.call(simulate, replace(DROP, actions=(later,)))
    assert other.outcome.digest == drop.outcome.digest
    assert not np.array_equal(other.states, drop.states)


def resimulated(exported: str) -> Rollout:
    return cup_rollout(Context.from_json(json.loads(exported)))


def test_the_exported_context_gives_the_exported_states(workers, cup):
    """Rows are found by name, and what is written down is all that is needed."""
    again = workers.call(resimulated, json.dumps(cup_context().to_json()))
    assert again.bodies == cup.bodies
    assert again.states.tobytes() == cup.states.tobytes()
    assert again.outcome == cup.outcome


def test_the_first_body_made_takes_part_like_any_other(workers):
    spec = replace(DROP, bodies=(ball(at=(0, 0, 1.0)), FLOOR))
    rollout = workers.call(simulate, spec)
    assert rollout.bodies[0] == "ball"
    assert rollout.outcome.values == {"half": 1, "impact": 1}


def test_the_showcase_shows_every_event_in_causal_order(cup):
    onsets = cup.outcome.onsets
    chain = [onsets[name] for name in ("bump", "slide", "fall", "impact", "shatter")]
    assert chain == sorted(chain)
    assert all(one < other for one, other in itertools.pairwise(chain[:4]))
    assert onsets["impact"] == onsets["shatter"] == cup.breaks[0].step


@pytest.mark.parametrize(("speed_m_s", "breaks"), [(1.2, False), (2.4, True)])
def test_a_break_takes_the_hardest_single_hit_not_the_sum(workers, speed_m_s, breaks):
    """Two balls of the mug's mass hit it from both sides at once; it takes 2 m/s times its mass."""
    sides = {"left": -0.12, "right": 0.12}
    balls = [ball(n, (x, 0, 0.08), 0.05, mass_kg=0.2, restitution=0) for n, x in sides.items()]
    push = [Launch(n, 0, (-speed_m_s * x / 0.12, 0, 0)) for n, x in sides.items()]
    mug = replace(MUG, position_m=(0, 0, 0.06), restitution=0.0)
    spec = world(FLOOR, mug, *balls, actions=tuple(push), steps=12)
    rollout = workers.call(simulate, spec)
    hits = [[n for a, b, n in step if "floor" not in (a, b)] for step in rollout.contacts]
    assert max(map(sum, hits)) > 0.2 * 2.0
    assert bool(rollout.breaks) == breaks
