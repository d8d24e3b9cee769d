"""Links stand one behind the other, hand on what they are given, and rest until then."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from simworld.world.furniture import ball, floor
from simworld.world.links import KINDS, Link, assemble, schedule
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import Camera, Launch, WorldSpec

COLORS = ("red", "blue", "green")
STAGES = (("domino", "book"), ("pin", "hammer", "car"), ("gate", "ball", "door"))
LAST = ("trapdoor", "weight")


def chain(stages: tuple[tuple[str, ...], ...], rolls: bool) -> WorldSpec:
    """A ball before a machine, its stages side by side."""
    links = schedule(stages, COLORS, from_step=120)
    places = [(0.35, -0.6 * k) for k in range(len(stages))]
    parts, buttons = assemble(links, places, "marble")
    return WorldSpec(
        bodies=(
            floor(friction=0.8),
            *buttons,
            *(body for part in parts.values() for body in part.bodies),
            ball("marble", "white", (0.05, 0.0, 0.05), mass_kg=0.12),
        ),
        actions=(
            *(mover for part in parts.values() for mover in part.movers),
            *([Launch("marble", 10, (1.2, 0.0, 0.0))] if rolls else []),
        ),
        camera=Camera(eye_m=(0.0, -3.0, 2.0), target_m=(0.0, 0.0, 0.0)),
        duration_steps=max(link.deadline for stage in links for link in stage) + 60,
        detectors={link.variable: part.detector for link, part in parts.items()},
        deadlines={link.variable: link.deadline for stage in links for link in stage},
    )


def test_links_are_numbered_and_those_of_a_kind_differ_in_colour():
    links = [
        link for stage in schedule([*STAGES, *STAGES[1:], LAST], COLORS, 100) for link in stage
    ]
    assert [link.number for link in links] == list(range(1, 17))
    assert len({(link.kind, link.color) for link in links}) == len(links)
    assert links[0] == Link("domino", 1, "red", 140, 170)
    assert (links[0].name, links[0].variable) == ("domino_1", "fall_1")


def test_a_link_is_forced_after_the_one_before_can_have_brought_it_about():
    links = [link for stage in schedule([*STAGES, LAST], COLORS, 100) for link in stage]
    for before, link in pairwise(links):
        assert before.deadline + KINDS[link.kind].takes == link.step <= link.deadline


def test_a_button_stands_behind_every_stage_but_the_last():
    links = schedule([*STAGES, LAST], COLORS, 100)
    parts, buttons = assemble(links, [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)], "marble")
    assert [button.name for button in buttons] == ["button_0", "button_1", "button_2"]
    for stage, button in zip(links, buttons, strict=False):
        assert button.position_m[0] == pytest.approx(parts[stage[-1]].next_x + 0.04)
    assert parts[links[1][0]].movers[0].start.others == ("book_2",)


@pytest.mark.parametrize("middle", [(), *((stage,) for stage in STAGES[1:]), (LAST,)])
def test_every_kind_of_stage_hands_on_what_it_is_given(workers, middle):
    stages = (("domino", "book"), *middle, ("trapdoor", "vase"))
    spec = chain(stages, rolls=True)
    glass = [b if b.name[:4] != "vase" else replace(b, breakable=None) for b in spec.bodies]
    rollout: Rollout = workers.call(simulate, replace(spec, bodies=tuple(glass)), "settled")
    onsets = rollout.outcome.onsets
    happened = [name for name in spec.deadlines if name in onsets]
    assert happened == [name for name in spec.deadlines if not name.startswith("shatter")]
    assert sorted(happened, key=lambda name: onsets[name]) == happened


def test_a_machine_rests_until_it_is_set_off(workers):
    spec = replace(chain((*STAGES, LAST), rolls=False), duration_steps=240)
    rollout: Rollout = workers.call(simulate, spec, "end")
    assert not rollout.outcome.onsets
    moved_m = np.abs(rollout.states[-1, :, :3] - rollout.states[0, :, :3]).max()
    assert moved_m < 1e-3
