"""A model that is wrong in one edge is caught by the physics, whatever the scene.

For each scene three wrong models: an edge too many, an edge too few, and an edge whose role is
turned round. The law of agreement over the single interventions of three contexts names the
variable.
"""

import pytest

from simworld.causal import Intervention, Unreachable, event
from simworld.errors import AgreementError
from simworld.lab import Lab
from simworld.rehearsal import single_settings
from simworld.scene import Scene, load_scene
from tests.worlds import with_model

WRONG = {
    ("falling_cup", "an edge too many"): ("fall", "slide and near_edge and knock"),
    ("falling_cup", "an edge too few"): ("shatter", "impact and brittle_mug"),
    ("falling_cup", "a role turned round"): ("fall", "slide and not near_edge"),
    ("racing_balls", "an edge too many"): ("fall", "(red_hit or blue_hit) and knock"),
    ("racing_balls", "an edge too few"): ("blue_hit", "blue_push"),
    ("racing_balls", "a role turned round"): ("blue_hit", "blue_push and red_hit"),
    ("billiard_fork", "an edge too many"): ("book_hit", "strike and mug_hit"),
    ("billiard_fork", "an edge too few"): ("mug_hit", "strike"),
    ("billiard_fork", "a role turned round"): ("mug_hit", "strike and not clear_way"),
    ("blocked_ball", "an edge too many"): ("shatter", "vase_hit and knock"),
    ("blocked_ball", "an edge too few"): ("vase_hit", "ball_push and not slide"),
    ("blocked_ball", "a role turned round"): ("vase_hit", "ball_push and slide and not barred"),
    ("two_keys", "an edge too many"): ("brick_out", "brick_hit and block_hit"),
    ("two_keys", "an edge too few"): ("drop", "brick_out"),
    ("two_keys", "a role turned round"): ("drop", "brick_out and not block_out"),
    ("common_cause", "an edge too many"): ("vase_fall", "tilt and free_lane and mug_fall"),
    ("common_cause", "an edge too few"): ("vase_fall", "tilt"),
    ("common_cause", "a role turned round"): ("vase_fall", "tilt and not free_lane"),
}


def hold_to_the_model(scene: Scene) -> int:
    """Run every single intervention in three contexts, the showcase first; return how many."""
    lab = Lab(scene)
    dos = [Intervention.of({}), *single_settings(scene)]
    held = 0
    for instance in range(3):
        context = scene.draw(0, "train", instance, fixed={} if instance else scene.showcase)
        lab.prepare(context, dos)
        for do in dos:
            try:
                lab.run(context, do)
            except Unreachable:
                continue
            held += 1
    return held


def held(name: str) -> int:
    return hold_to_the_model(load_scene(name))


def mutated(name: str, change: str) -> int:
    variable, equation = WRONG[name, change]
    return hold_to_the_model(with_model(load_scene(name), event(variable, equation)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change"), WRONG, ids=lambda value: value.replace(" ", "-"))
def test_a_wrong_model_is_caught_and_the_variable_named(workers, name, change):
    variable = WRONG[name, change][0]
    with pytest.raises(AgreementError, match=rf"^scene {name}, do\(.*the model says {variable} = "):
        workers.call(mutated, name, change)


@pytest.mark.slow
@pytest.mark.parametrize("name", dict.fromkeys(name for name, _ in WRONG))
def test_the_declared_model_stands(workers, name):
    assert workers.call(held, name) > 10
