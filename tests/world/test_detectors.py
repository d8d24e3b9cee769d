"""Detectors see a rollout and nothing else: read from its record, they find the same."""

from dataclasses import dataclass, replace

import pytest

from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.detectors import (
    Absent,
    Broke,
    CanBreak,
    DroppedBelow,
    LighterThan,
    Slid,
    SmootherThan,
    StartsBeyond,
    Touched,
)
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Breakable, Mug
from tests.worlds import FLOOR, ball, cup_context, cup_rollout, world


@dataclass
class Seen:
    """One step of a world, told by hand."""

    at: tuple[float, float, float] | None = (0.0, 0.0, 1.0)
    began: tuple[float, float, float] = (0.0, 0.0, 1.0)
    hits: dict[tuple[str, str], float] | None = None
    whole: bool = True

    def position(self, body):
        return self.at

    def start(self, body):
        return self.began

    def impulse(self, a, b):
        return (self.hits or {}).get((a, b), 0.0)

    def broken(self, body):
        return not self.whole

    def present(self, body):
        return body != "ghost"

    def breakable(self, body):
        return body == "glass"

    def mass_kg(self, body):
        return {"feather": 0.01}.get(body, 1.0)

    def friction(self, body):
        return {"ice": 0.02}.get(body, 0.6)


def test_a_touch_needs_more_than_its_impulse_from_one_of_the_others():
    touched = Touched("mug", ("floor", "rug"), impulse_n_s=0.1)
    assert touched.fires(Seen(hits={("mug", "rug"): 0.11}))
    assert not touched.fires(Seen(hits={("mug", "rug"): 0.1}))
    assert not touched.fires(Seen(hits={("mug", "rug"): 0.09, ("mug", "floor"): 0.09}))
    assert not touched.fires(Seen(hits={("mug", "ball"): 9.0}))


def test_a_touch_may_be_asked_to_be_low():
    low = Touched("mug", ("floor",), below_m=0.75)
    hit = {("mug", "floor"): 1.0}
    assert low.fires(Seen(at=(0, 0, 0.7), hits=hit))
    assert not low.fires(Seen(at=(0, 0, 0.75), hits=hit))


def test_what_is_broken_touches_slides_and_falls_no_more():
    gone = Seen(at=None, hits={("mug", "floor"): 1.0}, whole=False)
    for detector in (Touched("mug", ("floor",)), Slid("mug", "floor", 0.1), DroppedBelow("mug", 9)):
        assert not detector.fires(gone)
    assert Broke("mug").fires(gone)
    assert not Broke("mug").fires(Seen())


def test_a_slide_is_along_the_surface_and_in_touch_with_it():
    slid = Slid("mug", "table", distance_m=0.05)
    on_table = {("mug", "table"): 0.01}
    assert slid.fires(Seen(at=(0.03, -0.041, 1), hits=on_table))
    assert not slid.fires(Seen(at=(0.03, -0.04, 1), hits=on_table))  # 5 cm, no more
    assert not slid.fires(Seen(at=(0.03, -0.041, 1)))  # it flies
    assert not slid.fires(Seen(at=(0, 0, 2), hits=on_table))  # up is not along


def test_a_fall_is_below_its_height():
    assert DroppedBelow("mug", 0.75).fires(Seen(at=(0, 0, 0.74)))
    assert not DroppedBelow("mug", 0.75).fires(Seen(at=(0, 0, 0.75)))


def test_conditions():
    assert Absent("ghost").holds(Seen())
    assert not Absent("rug").holds(Seen())
    assert CanBreak("glass").holds(Seen())
    assert not CanBreak("steel").holds(Seen())
    assert StartsBeyond("mug", -0.2).holds(Seen(began=(-0.1, 0, 0)))
    assert not StartsBeyond("mug", -0.2).holds(Seen(began=(-0.2, 0, 0)))
    assert LighterThan("feather", 0.5).holds(Seen())
    assert not LighterThan("mug", 1.0).holds(Seen())
    assert SmootherThan("ice", 0.3).holds(Seen())
    assert not SmootherThan("mug", 0.6).holds(Seen())


@pytest.mark.parametrize(("peak_m_s", "can"), [(2.0, 1), (None, 0)])
def test_steel_can_not_break_though_it_is_cut_like_glass(workers, peak_m_s, can):
    mug = Body("mug", Mug(0.05, 0.12), (0, 0, 0.06), mass_kg=0.2, breakable=Breakable(peak_m_s))
    spec = world(FLOOR, mug, ball(), detectors={"can": CanBreak("mug")}, steps=5)
    assert workers.call(simulate, spec).outcome.values == {"can": can}


def test_a_box_is_as_heavy_and_as_smooth_as_it_was_made(workers):
    light = Body("box", Box((0.1, 0.1, 0.1)), (0, 0, 0.1), mass_kg=0.1, friction=0.5)
    tests = {"light": LighterThan("box", 1.0), "smooth": SmootherThan("box", 0.2)}
    for box, values in (
        (light, {"light": 1, "smooth": 0}),
        (replace(light, mass_kg=3.0, friction=0.1), {"light": 0, "smooth": 1}),
    ):
        spec = world(FLOOR, box, detectors=tests, steps=2)
        assert workers.call(simulate, spec).outcome.values == values


# The record alone is enough


@dataclass
class Record:
    """One step of a rollout that is over, read from what was recorded of it."""

    rollout: Rollout
    bodies: dict[str, Body]
    step: int = 0

    def position(self, body):
        x, y, z = self.rollout.states[self.step, self.rollout.index(body), :3]
        return None if x != x else (x, y, z)

    def start(self, body):
        return self.bodies[body].position_m

    def impulse(self, a, b):
        contacts = {frozenset(c[:2]): c[2] for c in self.rollout.contacts[self.step]}
        return contacts.get(frozenset((a, b)), 0.0)

    def broken(self, body):
        return any(b.body == body and b.step <= self.step for b in self.rollout.breaks)

    def present(self, body):
        return self.bodies[body].present

    def breakable(self, body):
        pattern = self.bodies[body].breakable
        return pattern is not None and pattern.peak_m_s is not None


def detect(rollout, bodies, detectors) -> tuple[dict[str, int], dict[str, int]]:
    """Values and onsets, from a record."""
    onsets, values = {}, {}
    for name, detector in detectors.items():
        if hasattr(detector, "holds"):
            values[name] = int(detector.holds(Record(rollout, bodies)))
            continue
        views = (Record(rollout, bodies, step) for step in range(1, len(rollout.states)))
        first = next((view.step for view in views if detector.fires(view)), None)
        values[name] = int(first is not None)
        onsets |= {name: first} if first is not None else {}
    return dict(sorted(values.items())), onsets


CONTEXTS = {
    "all happens": {},
    "rug": {"floor": "rug"},
    "nothing": {"ball": "rests", "green_ball": "rests"},
    "rail": {"rail": "present"},
    "steel": {"mug_material": "steel"},
}


@pytest.fixture(scope="module")
def records(workers):
    scene = load_scene("falling_cup")
    contexts = [cup_context(**levels) for levels in CONTEXTS.values()]
    specs = [scene.world(context, FACTUAL) for context in contexts]
    rollouts = workers.map(cup_rollout, contexts)
    return dict(zip(CONTEXTS, zip(specs, rollouts, strict=True), strict=True))


@pytest.mark.parametrize("name", CONTEXTS)
def test_detectors_find_in_the_record_what_they_found_as_it_ran(records, name):
    spec, rollout = records[name]
    values, onsets = detect(rollout, {body.name: body for body in spec.bodies}, spec.detectors)
    assert values == rollout.outcome.values
    assert onsets == rollout.outcome.onsets


def test_two_swapped_rollouts_swap_their_values(records):
    """Nothing but what was recorded goes in, so nothing of the context can come out."""
    names = ("all happens", "nothing", "rail", "steel")
    assert len({tuple(records[name][1].outcome.values.items()) for name in names}) == len(names)
    for asked in names:
        detectors = records[asked][0].detectors
        for name in names:
            spec, rollout = records[name]
            found, _ = detect(rollout, {body.name: body for body in spec.bodies}, detectors)
            assert found == rollout.outcome.values


def test_detectors_are_the_same_in_every_context(records):
    specs = [spec for spec, _ in records.values()]
    assert all(spec.detectors == specs[0].detectors for spec in specs)
    assert all(spec.deadlines == specs[0].deadlines for spec in specs)


def test_an_event_fires_once(workers):
    floor = replace(FLOOR, restitution=1.0)
    bounce = world(
        floor,
        ball(at=(0, 0, 0.5), restitution=0.7),
        detectors={"hit": Touched("ball", ("floor",))},
        deadlines={"hit": 200},
        steps=240,
    )
    rollout = workers.call(simulate, bounce)
    first = next(step for step, contacts in enumerate(rollout.contacts) if contacts)
    assert rollout.outcome.onsets == {"hit": first}
