"""The "raster" renderer gives the same bits whatever was drawn before, and wherever."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simworld.executors import TUNABLES, Workers
from simworld.render.base import make_renderer
from simworld.render.camera import view_of
from simworld.world.spec import Camera
from tests.rooms import (
    BALL,
    CAMERA,
    ROOM,
    SCENES,
    SHARDS,
    SIZE,
    acted,
    digest,
    draw,
    draw_anew,
    names_of,
    resting,
    wander,
    wandering_digest,
    world,
)


@pytest.mark.parametrize("seed", range(4))
def test_a_frame_is_the_same_after_other_frames_as_drawn_anew(workers, seed):
    spec, poses = world(*ROOM), wander(seed, 12)
    bodies = (*names_of(spec), *SHARDS)
    kept = workers.call(draw, spec, bodies, poses)
    fresh = workers.call(draw_anew, spec, bodies, poses)
    assert [digest([frame]) for frame in kept] == [digest([frame]) for frame in fresh]
    assert len({digest([frame]) for frame in kept}) > 6


def film_both_ways(scene_name: str) -> tuple[list[str], list[str]]:
    spec, bodies, poses = acted(scene_name)
    kept, fresh = (draw(spec, bodies, poses[::20], anew=anew) for anew in (False, True))
    return [digest([frame]) for frame in kept], [digest([frame]) for frame in fresh]


@pytest.mark.slow
@pytest.mark.parametrize("scene_name", SCENES)
def test_every_scene_is_the_same_drawn_anew_or_in_one_go(workers, scene_name):
    kept, fresh = workers.call(film_both_ways, scene_name)
    assert kept == fresh


def test_one_worker_two_and_one_with_several_clips_draw_the_same(workers):
    with Workers(1) as alone:
        digests = [alone.call(wandering_digest)]
    digests += workers.map(wandering_digest, [False, False, False, True])
    assert len(set(digests)) == 1


@pytest.mark.slow
def test_bits_do_not_depend_on_the_processor_or_the_cache(workers, tmp_path):
    """Compiled into an empty cache for a processor without vectors beyond SSE2; then from it."""
    here = workers.call(wandering_digest)
    environment = {
        **os.environ,
        "GLIBC_TUNABLES": TUNABLES,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    line = "from tests.rooms import wandering_digest; print(wandering_digest())"
    for _ in ("cold", "warm"):
        there = subprocess.run(
            [sys.executable, "-c", line],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert there.stdout.strip() == here
    assert any(tmp_path.rglob("*.nbc"))


def test_a_frame_is_not_changed_by_the_next_one(workers):
    spec = world(*ROOM)
    poses = np.stack([resting(spec), resting(spec)])
    poses[1, :, 0] += 0.1
    first = workers.call(draw, spec, names_of(spec), poses)[0]
    assert digest([first]) == digest(workers.call(draw, spec, names_of(spec), poses[:1]))


def pan() -> list[bool]:
    """Whether a renderer that was turned draws what one that always stood there does."""
    spec, after = world(*ROOM), Camera((0.3, -1.5, 0.9), (0.1, 0.0, 0.1))
    same = []
    with make_renderer("raster", spec, names_of(spec), SIZE) as renderer:
        for camera in (CAMERA, after, CAMERA):
            renderer.aim(camera)
            frame = renderer.render(resting(spec))
            same.append(digest([frame]) == digest([renderer.render(resting(spec))]))
            view = view_of(camera, SIZE)
            column, row = view.project(np.array(BALL.position_m)).astype(int)
            same.append(frame.ids[row, column] == 5)
    return same


def test_a_moving_camera_draws_all_anew(workers):
    assert all(workers.call(pan))
