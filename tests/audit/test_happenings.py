"""Contacts merged into touches, and a clip cut, on rollouts made by hand."""

import numpy as np

from simworld.audit.clips import cut, merged
from simworld.audit.happenings import touches
from simworld.scene import load_scene
from simworld.world.rollout import Outcome, Rollout


def rollout(*steps_in_touch: int, pair=("ball", "mug"), steps: int = 60) -> Rollout:
    contacts = tuple(((*pair, 1.0),) if k in steps_in_touch else () for k in range(steps + 1))
    states = np.zeros((steps + 1, 2, 13))
    return Rollout(pair, states, contacts, (), Outcome({}, {}, {}, steps, "", False))


def spans(*steps_in_touch: int, **more) -> list[tuple[int, int]]:
    return [(t.start_step, t.stop_step) for t in touches(rollout(*steps_in_touch, **more))]


def test_a_bounce_within_a_twentieth_of_a_second_is_one_touch():
    assert spans(10, 11, 23) == [(10, 24)]
    assert spans(10, 11, 24) == [(10, 25)]
    assert spans(10, 11, 25) == [(10, 12), (25, 26)]


def test_shards_touch_nothing():
    assert spans(10, pair=("floor", "mug#3")) == []


def test_segments_begin_at_the_onsets_of_key_events():
    onsets = {"bump": 272, "slide": 278, "fall": 341, "impact": 410}
    found = cut(load_scene("falling_cup"), onsets, frame_count=42, stride=20)
    assert [(s["event"], s["start_frame"], s["stop_frame"]) for s in found] == [
        ("opening", 0, 14),
        ("bump", 14, 18),
        ("fall", 18, 21),
        ("impact", 21, 42),
    ]


def test_short_segments_make_up_long_spans():
    cuts = [
        {"index": k, "start_frame": a, "stop_frame": b, "event": e}
        for k, (e, a, b) in enumerate(
            [("opening", 0, 14), ("bump", 14, 18), ("fall", 18, 42), ("impact", 42, 50)], start=1
        )
    ]
    found = [(s["index"], s["event"], s["start_frame"], s["stop_frame"]) for s in merged(cuts, 16)]
    assert found == [(1, "opening", 0, 18), (2, "fall", 18, 50)]
    assert [s["stop_frame"] for s in merged(cuts, 100)] == [50]
