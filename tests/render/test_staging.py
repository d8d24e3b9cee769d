"""The library's cameras: whatever takes part in an event is in view while it happens."""

from typing import NamedTuple

import numpy as np
import pytest

from simworld.events import events_of
from simworld.recipe import VideoSettings
from simworld.render.base import make_renderer
from simworld.scene import library, load_scene
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate

NAMES = list(library())
VIDEO = VideoSettings()
LEAST_PX = 8
"""What shows fewer pixels is not to be noticed, in the size that recipes take by default."""


class View(NamedTuple):
    """How an object is seen in an event's frames, and where its whole is in the first of them."""

    event: str
    thing: str
    visible_px: np.ndarray
    box_px: np.ndarray


def views_of(name: str) -> list[View]:
    """Film the events of a scene's showcase; what is called floor may be anywhere."""
    scene, size = load_scene(name), (VIDEO.width, VIDEO.height)
    context = scene.draw(0, "train", 0, fixed=scene.showcase)
    spec = scene.world(context, FACTUAL)
    rollout, views = simulate(spec, "end"), []
    with make_renderer(VIDEO.renderer, spec, rollout.bodies, size) as renderer:
        for event in events_of(scene, context, rollout, VIDEO.steps_per_frame):
            if event.variable is None:
                continue
            frames = [
                renderer.render(rollout.states[number * VIDEO.steps_per_frame, :, :7])
                for number in range(event.start_frame, event.stop_frame)
            ]
            for thing in sorted({*event.participants} - {"floor"}):
                k = renderer.objects.index(thing)
                visible_px = np.array([(frame.ids == k + 1).sum() for frame in frames])
                box_px = frames[0].amodal.boxes_xyxy_px[k]
                views.append(View(event.name, thing, visible_px, box_px))
    return views


@pytest.fixture(scope="module")
def views(workers):
    return dict(zip(NAMES, workers.map(views_of, NAMES), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_who_takes_part_is_seen_for_half_of_an_event_and_is_in_the_picture_at_first(views, name):
    assert views[name]
    for view in views[name]:
        assert (view.visible_px >= LEAST_PX).mean() >= 0.5, view
        assert (view.box_px[:2] >= 0).all(), view
        assert (view.box_px[2:] <= (VIDEO.width, VIDEO.height)).all(), view
