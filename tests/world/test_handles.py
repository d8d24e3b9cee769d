"""Handles bring about what they stand for, act only when due, and touch nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from simworld import lab
from simworld.causal import Intervention
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.closure import moving_bodies, reached, strays
from simworld.world.detectors import Broke, DroppedBelow, Touched
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    HoldMoved,
    HoldNear,
    HoldPast,
    KeepWhole,
    handle_key,
)
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Breakable, Launch, Mug, WorldSpec
from tests.worlds import FLOOR, G_M_S2, STEP_S, ball, cube, cup_context, cup_rollout, world

MUG = Body("mug", Mug(0.05, 0.12), (0, 0, 0.7), mass_kg=0.2, breakable=Breakable(2.0))
ROLL = Launch("ball", 5, (1.0, 0.0, 0.0))
ALL = cup_context()
NOTHING = cup_context(ball="rests", green_ball="rests")
SCENE = load_scene("falling_cup")
HANDLES = [(handle.variable, handle.value) for handle in SCENE.world(ALL, FACTUAL).handles]


def track(rollout: Rollout, body: str) -> np.ndarray:
    return rollout.states[:, rollout.index(body), :3]


def fired(rollout: Rollout) -> dict[str, int]:
    return {name: count for name, count in rollout.outcome.fired.items() if count}


# Each kind in a small world


def rolling(*handles, armed: dict[str, int], **more) -> WorldSpec:
    """A ball that rolls into a cube at step 65 and pushes it."""
    return world(
        replace(FLOOR, friction=0.1),
        cube(at=(0.45, 0, 0.1)),
        ball(at=(0, 0, 0.1)),
        actions=(ROLL,),
        detectors={"hit": Touched("cube", ("ball",))},
        deadlines={"hit": 180},
        handles=handles,
        armed=armed,
        **more,
    )


def test_hold_near_stops_before_the_touch_and_stays(workers):
    handle = HoldNear("hit", "ball", "cube", gap_m=0.05)
    rollout = workers.call(simulate, rolling(handle, armed={"hit": 0}))
    gap = track(rollout, "cube")[:, 0] - 0.1 - track(rollout, "ball")[:, 0] - 0.1
    assert rollout.outcome.values == {"hit": 0}
    assert fired(rollout) == {"hit:=0": 1}
    assert not rollout.outcome.void
    assert 0.05 - 1.0 * STEP_S - 1e-3 < gap.min() <= 0.05
    assert gap[-60:] == pytest.approx(np.full(60, gap[-1]), abs=1e-3)


def test_hold_moved_stops_a_body_once_it_has_moved(workers):
    handle = HoldMoved("hit", "ball", distance_m=0.1)
    rollout = workers.call(simulate, rolling(handle, armed={"hit": 0}))
    assert 0.1 < track(rollout, "ball")[-1, 0] < 0.1 + 2 * STEP_S
    assert fired(rollout) == {"hit:=0": 1}


def test_hold_past_keeps_a_body_in_the_air(workers):
    spec = world(
        FLOOR,
        ball(at=(0, 0, 1.0)),
        detectors={"land": Touched("ball", ("floor",))},
        deadlines={"land": 200},
        handles=(HoldPast("land", "ball", (0.0, 0.0, -1.0), limit_m=-0.5),),
        armed={"land": 0},
    )
    rollout = workers.call(simulate, spec)
    assert rollout.outcome.values == {"land": 0}
    fastest = np.sqrt(2 * G_M_S2 * 0.5)
    assert 0.5 - 2 * fastest * STEP_S < track(rollout, "ball")[-1, 2] < 0.5


def breaking(*handles, armed: dict[str, int], **more) -> WorldSpec:
    return world(
        FLOOR,
        MUG,
        detectors={"shatter": Broke("mug")},
        deadlines={"shatter": 120},
        handles=handles,
        armed=armed,
        **more,
    )


def test_keep_whole_keeps_a_mug_whole_that_breaks_without_it(workers):
    handle = KeepWhole("shatter", "mug")
    loose, kept = workers.map(
        simulate, [breaking(handle, armed={}), breaking(handle, armed={"shatter": 0})]
    )
    assert loose.outcome.values == {"shatter": 1}
    assert kept.outcome.values == {"shatter": 0}
    assert kept.breaks == ()
    assert fired(kept)["shatter:=0"] >= 1
    broke = loose.breaks[0].step
    assert np.array_equal(
        loose.states[: broke + 1, loose.index("mug")], kept.states[: broke + 1, kept.index("mug")]
    )


def test_force_break_breaks_at_its_step(workers):
    handle = ForceBreak("shatter", "mug", step=20)
    rollout = workers.call(simulate, breaking(handle, armed={"shatter": 1}))
    assert rollout.breaks[0].step == 20
    assert rollout.outcome.onsets == {"shatter": 21}
    assert fired(rollout) == {"shatter:=1": 1}


def test_a_held_mug_does_not_break(workers):
    """A hold stands between it and what hits it."""
    mug = replace(MUG, position_m=(0, 0, 0.06))
    spec = replace(
        breaking(HoldPast("shatter", "mug", (0, 0, 1), -1.0), armed={"shatter": 0}),
        bodies=(FLOOR, mug, ball(at=(-0.3, 0, 0.1), mass_kg=2.0)),
        actions=(Launch("ball", 0, (3.0, 0, 0)),),
    )
    hit = workers.call(simulate, spec)
    assert any("ball" in pair and "mug" in pair for step in hit.contacts for pair in step)
    assert hit.breaks == ()


def test_force_launch_acts_at_its_step_and_only_if_it_must(workers):
    def forced(step: int, action: tuple[Launch, ...]) -> WorldSpec:
        push = ForceLaunch("hit", "ball", step, (1.0, 0.0, 0.0))
        return replace(rolling(push, armed={"hit": 1}), actions=action)

    late, early, alone = workers.map(
        simulate,
        [forced(100, (ROLL,)), forced(100, ()), replace(forced(100, (ROLL,)), armed={})],
    )
    assert late.outcome.onsets["hit"] < 100
    assert fired(late) == {}
    assert late.outcome.digest == alone.outcome.digest
    assert fired(early) == {"hit:=1": 1}
    assert early.outcome.onsets["hit"] == late.outcome.onsets["hit"] + 95
    assert track(early, "ball")[100, 0] == 0 < track(early, "ball")[101, 0]


def test_a_force_ends_a_hold_on_its_body(workers):
    wall = cube("wall", at=(-0.3, 0, 0.1), mass_kg=0.0)
    held = rolling(HoldNear("hit", "ball", "cube", gap_m=0.05), armed={"hit": 0})
    spec = replace(
        held,
        bodies=(*held.bodies, wall),
        detectors={**held.detectors, "back": Touched("ball", ("wall",))},
        deadlines={"hit": 100, "back": 235},
        handles=(*held.handles, ForceLaunch("back", "ball", 120, (-1.0, 0.0, 0.0))),
        armed={"hit": 0, "back": 1},
    )
    rollout = workers.call(simulate, spec)
    assert rollout.outcome.values == {"back": 1, "hit": 0}
    assert fired(rollout) == {"hit:=0": 1, "back:=1": 1}


@pytest.mark.parametrize(("x_m", "y_m"), [(0.15, None), (-0.4, None), (None, 0.3), (0.2, -0.2)])
def test_force_toss_lands_where_it_says_when_it_says(workers, x_m, y_m):
    lift_m_s, step = 2.0, 30
    spec = world(
        FLOOR,
        cube(at=(0, 0, 0.1), restitution=0.0),
        handles=(ForceToss("fly", "cube", step, x_m, lift_m_s, rise_steps=20, y_m=y_m),),
        detectors={"fly": DroppedBelow("cube", -9.0)},
        deadlines={"fly": 0},
        armed={"fly": 1},
        steps=step + 150,
    )
    tossed = workers.call(simulate, spec)
    down = step + round(2 * lift_m_s / G_M_S2 / STEP_S)
    assert track(tossed, "cube")[down].tolist() == pytest.approx(
        [x_m or 0, y_m or 0, 0.1], abs=0.02
    )
    peak_m = 0.1 + lift_m_s**2 / (2 * G_M_S2)
    assert track(tossed, "cube")[:, 2].max() == pytest.approx(peak_m, abs=0.01)
    assert track(tossed, "cube")[step + 20, 0] == pytest.approx(0, abs=1e-9)


def test_handles_on_a_broken_body_do_nothing(workers):
    handles = (
        HoldPast("later", "mug", (0, 0, -1.0), -0.01),
        ForceLaunch("never", "mug", 60, (0, 0, 1.0)),
        ForceBreak("shatter", "mug", 10),
    )
    spec = breaking(*handles, armed={"shatter": 1, "later": 0, "never": 1})
    rollout = workers.call(simulate, spec)
    assert fired(rollout) == {"shatter:=1": 1}


def test_a_handle_that_fails_makes_the_rollout_void(workers):
    useless = HoldPast("hit", "ball", (1.0, 0.0, 0.0), limit_m=0.9)
    rollout = workers.call(simulate, rolling(useless, armed={"hit": 0}))
    assert rollout.outcome.values == {"hit": 1}
    assert rollout.outcome.void
    assert not workers.call(simulate, rolling(useless, armed={})).outcome.void


def test_handles_that_are_not_armed_change_no_bit(workers):
    handles = (HoldNear("hit", "ball", "cube", 0.05), ForceLaunch("hit", "ball", 3, (9.0, 0, 0)))
    bare, passive = workers.map(simulate, [rolling(armed={}), rolling(*handles, armed={})])
    assert bare.outcome.digest == passive.outcome.digest
    assert set(passive.outcome.fired.values()) == {0}


def test_a_handle_is_named_like_the_intervention():
    assert handle_key(KeepWhole("shatter", "mug")) == "shatter:=0"


# The falling cup's


def null_interventions(context: Context) -> list[tuple[str, dict[str, int], str, int]]:
    """For each event do(X := its factual value): handle, armed, digest, worlds simulated."""
    ran: list[WorldSpec] = []
    simulated = lab.simulate_all
    lab.simulate_all = lambda spec, *more: ran.append(spec) or simulated(spec, *more)
    try:
        bench = lab.Lab(SCENE)
        factual = bench.run(context).outcome
        rows = [("", dict(ran[-1].armed), factual.digest, len(ran))]
        handles = {(h.variable, h.value) for h in ran[-1].handles}
        for name in SCENE.scm.events:
            value = factual.values[name]
            if (name, value) in handles:
                before = len(ran)
                outcome = bench.run(context, Intervention.of({name: value})).outcome
                key = f"{name}:={value}"
                rows.append((key, dict(ran[-1].armed), outcome.digest, len(ran) - before))
        return rows
    finally:
        lab.simulate_all = simulated


@pytest.mark.parametrize("context", [ALL, NOTHING], ids=["all happens", "nothing happens"])
def test_doing_what_happens_anyway_is_simulated_and_bit_identical(workers, context):
    (_, armed, factual, _), *rows = workers.call(null_interventions, context)
    assert armed == {}
    value = int(context is ALL)
    assert [key for key, *_ in rows] == [
        f"{name}:={value}" for name in SCENE.scm.events if (name, value) in HANDLES
    ]
    for key, armed, digest, ran in rows:
        assert armed == {key.partition(":=")[0]: value}, key
        assert ran == 1, key
        assert digest == factual, key


@pytest.fixture(scope="module")
def factuals(workers):
    return dict(zip((0, 1), workers.map(cup_rollout, [ALL, NOTHING]), strict=True))


def intervened(task: tuple[Context, str, int]) -> Rollout:
    context, name, value = task
    return cup_rollout(context, Intervention.of({name: value}))


@pytest.fixture(scope="module")
def opposed(workers):
    """Every handle, in a context in which its event would go the other way."""
    contexts = {0: ALL, 1: NOTHING}
    tasks = [(contexts[value], name, value) for name, value in HANDLES]
    return dict(zip(HANDLES, workers.map(intervened, tasks), strict=True))


def test_there_is_a_prevent_handle_for_each_event_and_a_force_handle_for_most():
    assert [name for name, value in HANDLES if value == 0] == list(SCENE.scm.events)
    assert {name for name, value in HANDLES if value == 1} == set(SCENE.scm.events) - {"impact"}


@pytest.mark.parametrize(("name", "value"), HANDLES)
def test_a_handle_brings_about_its_value_and_leaves_what_does_not_depend_on_it(
    factuals, opposed, name, value
):
    before, after = factuals[value].outcome, opposed[name, value].outcome
    assert before.values[name] == 1 - value
    assert after.values[name] == value
    assert not after.void
    assert set(fired(opposed[name, value])) == {f"{name}:={value}"}
    for other in set(SCENE.scm.endogenous) - SCENE.scm.descendants(name) - {name}:
        assert after.values[other] == before.values[other], other


@pytest.mark.parametrize(("name", "value"), HANDLES)
def test_a_handle_leaves_every_bit_of_what_it_never_touches(factuals, opposed, name, value):
    spec = SCENE.world({0: ALL, 1: NOTHING}[value], FACTUAL)
    before, after = factuals[value], opposed[name, value]
    named = {h.body for h in spec.handles if (h.variable, h.value) == (name, value)}
    touched = reached(named, moving_bodies([spec]), (before, after))
    others = {body.name for body in spec.bodies} - touched
    assert {"floor", "table"} < others
    assert {"ball", "mug", "green_ball"} & others  # something moving is left
    assert strays(before, after, others) == ()


def test_a_mug_that_does_not_hit_the_floor_hangs_above_it(opposed):
    kept = opposed["impact", 0]
    height = track(kept, "mug")[:, 2]
    assert 0.06 < height[-1] < 0.25
    assert kept.outcome.values["fall"] == 1
