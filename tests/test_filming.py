"""Filming: clips of one group share the frames that show the same."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from simworld.filming import Take, cut_clip, film_clip, film_clips, make_renderer
from simworld.lab import Lab
from simworld.recipe import VideoSettings
from simworld.rehearsal import Sieve, rehearse
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.twins import World, other_looks
from simworld.world.simulate import simulate

SCENES = Path(__file__).parent / "user_scenes"
VIDEO = VideoSettings(width=64, height=48)
LAUNCH_FRAME = 60 // VIDEO.steps_per_frame
"""Up to and with this frame, a ball that will roll lies where one that will not lies."""


def film_together_and_alone(folder: Path) -> tuple[list[bool], list[int]]:
    """Film a ball that rolls, one that rests, and one that rolls into a box of another colour.

    Returns:
        Whether each file is the same, filmed together as alone; how often a frame was drawn, both
        ways.
    """
    scene = load_scene("nudge", SCENES)
    context = scene.draw(0, "train", 0, fixed=scene.showcase)
    looks = other_looks(scene, context, 0, "train", 0)
    truth = rehearse(Lab(scene), "clip", context, Sieve(0.0, ()), looks)
    worlds = [
        World(replace(truth, context=one), simulate(scene.world(one, FACTUAL), "end"))
        for one in (context, context.at({"ball": "rests"}), looks)
    ]
    shots = cut_clip(scene, worlds[0], VIDEO)
    drawn: list[int] = []

    def counted(*arguments):
        renderer = make_renderer(*arguments)
        render = renderer.render
        renderer.render = lambda poses: drawn.append(0) or render(poses)
        return renderer

    counts = []
    with patch("simworld.filming.make_renderer", counted):
        takes = [Take(one, shots, folder / f"together{k}") for k, one in enumerate(worlds)]
        film_clips(scene, takes, VIDEO)
        counts.append(len(drawn))
        for k, one in enumerate(worlds):
            film_clip(scene, one, shots, VIDEO, folder / f"alone{k}")
        counts.append(len(drawn) - counts[0])
    files = sorted(path.name for path in (folder / "alone0").iterdir())
    same = [
        (folder / f"together{k}" / name).read_bytes() == (folder / f"alone{k}" / name).read_bytes()
        for k in range(len(worlds))
        for name in files
    ]
    return same, counts


def test_frames_up_to_the_divergence_are_drawn_once_with_the_same_bytes(workers, tmp_path):
    same, (together, alone) = workers.call(film_together_and_alone, tmp_path)
    assert np.all(same) and len(same) == 3 * 7
    assert alone - together == LAUNCH_FRAME + 1
