"""The drop hatch in its forms: another scene's thing on the hatch, and one of six beside it."""

import pytest

from simworld.errors import NotRegisteredError
from simworld.scene import load_scene
from simworld.story.cast import BYSTANDERS, bystander
from simworld.testing import check_scene


@pytest.mark.slow
@pytest.mark.parametrize("kind", BYSTANDERS)
def test_whatever_runs_into_the_can_is_no_cause(kind):
    name = f"drop_hatch-pendulum-{kind}"
    check_scene(name, contexts=1)
    scene = load_scene(name)
    assert bystander(scene) == kind
    words = f"the {kind.replace('_', ' ')}"
    assert scene.phrases["knock"].past.startswith(words)
    assert scene.things["block"] == "the block"
    assert "the block stands on the hatch" in scene.summary


@pytest.mark.parametrize("form", ["pendulum", "seesaw-cube", "pendulum-red_ball", "nothing-cube"])
def test_there_is_no_form_without_a_thing_to_lose_and_one_beside_it(form):
    with pytest.raises(NotRegisteredError):
        load_scene(f"drop_hatch-{form}")
