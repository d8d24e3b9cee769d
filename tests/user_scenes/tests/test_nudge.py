"""nudge: what its script declares, held to the physics, and what theory says of it."""

from functools import partial
from pathlib import Path

import simworld
from simworld.causal import verdicts
from simworld.scene import load_scene
from simworld.testing import check_scene

NAME, SCENES = "nudge", Path(__file__).parents[1]
SCENE = load_scene(NAME, SCENES)
SHOWN = SCENE.draw(0, "train", 0, fixed=SCENE.showcase)


def test_model_and_physics_agree():
    check_scene(NAME, SCENES)


def test_if_the_ball_is_held_the_box_stays():
    outcome = simworld.intervene(NAME, SHOWN, "do(roll := 0)", SCENES)
    assert outcome.values == {"roll": 0, "bump": 0, "slide": 0}


def test_the_bump_directly_triggers_the_slide():
    found = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, SHOWN.levels))
    [verdict] = [v for v in found if (v.cause, v.effect) == ("bump", "slide")]
    assert (verdict.role, verdict.directness) == ("trigger", "direct")
