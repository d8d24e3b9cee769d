"""Direct and indirect causes, conditions, preventers and what is none are told apart by scene."""

from functools import partial

import pytest

from simworld.causal import verdicts
from simworld.scene import load_scene

ROLES = {
    ("falling_cup", "impact", "shatter"): ("trigger", "direct"),
    ("falling_cup", "bump", "shatter"): ("trigger", "indirect"),
    ("falling_cup", "hard_floor", "shatter"): ("enabling_condition", "direct"),
    ("falling_cup", "near_edge", "shatter"): ("enabling_condition", "indirect"),
    ("falling_cup", "knock", "shatter"): ("temporal_predecessor", "none"),
    ("falling_cup", "shatter", "bump"): ("unrelated", "none"),
    ("racing_balls", "red_hit", "fall"): ("trigger", "direct"),
    ("racing_balls", "blue_push", "fall"): ("preempted_backup", "none"),
    ("racing_balls", "red_hit", "blue_hit"): ("preventer", "direct"),
    ("double_push", "red_hit", "slide"): ("overdeterminer", "direct"),
    ("double_push", "blue_hit", "shatter"): ("overdeterminer", "indirect"),
    ("common_cause", "mug_fall", "vase_fall"): ("common_cause_sibling", "none"),
    ("billiard_fork", "mug_hit", "book_hit"): ("common_cause_sibling", "none"),
    ("temporal_decoy", "tap", "fall"): ("temporal_predecessor", "none"),
    ("blocked_ball", "slide", "vase_hit"): ("preventer", "direct"),
    ("door_knocked_shut", "shut", "cross"): ("preventer", "direct"),
    ("door_knocked_shut", "cross", "vase_hit"): ("omission", "direct"),
    ("two_keys", "brick_out", "drop"): ("trigger", "direct"),
    ("two_keys", "block_out", "drop"): ("trigger", "direct"),
    ("broken_transitivity", "press", "shut"): ("trigger", "direct"),
    ("broken_transitivity", "shut", "hit"): ("preventer", "direct"),
    ("broken_transitivity", "press", "hit"): ("unrelated", "none"),
}


@pytest.mark.parametrize(("scene", "cause", "effect"), ROLES)
def test_each_role_is_what_the_literature_gives(scene, cause, effect):
    declared = load_scene(scene)
    scm = declared.scm
    levels = declared.draw(0, "train", 0, fixed=declared.showcase).levels
    values = scm.evaluate(levels)
    onsets = {name: 10 * k for k, name in enumerate(scm.events, start=1) if values[name]}
    found = verdicts(scm, partial(scm.evaluate, levels), onsets)
    [verdict] = [v for v in found if (v.cause, v.effect) == (cause, effect)]
    assert (verdict.role, verdict.directness) == ROLES[scene, cause, effect]
