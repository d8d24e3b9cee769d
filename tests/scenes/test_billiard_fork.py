"""A fork: one strike is a but-for cause of both ends, and neither branch is of the other.

Reichenbach, The Direction of Time (1956), section 19: two effects of a common cause go together
though neither brings about the other; undoing the one leaves the other as it was.
"""

from dataclasses import replace
from functools import partial

import pytest

from simworld.causal import Intervention, verdicts
from simworld.events import events_of
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

SCENE = load_scene("billiard_fork")
MUG, BOOK = ("mug_hit", "mug_fall"), ("book_hit", "book_fall")


def context(**levels: str) -> Context:
    return SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})


def rolled(at: Context, intervention: Intervention) -> Rollout:
    return simulate(SCENE.world(at, intervention), "settled")


def without(spec: WorldSpec, names: set[str]) -> WorldSpec:
    bodies = tuple(replace(b, present=b.present and b.name not in names) for b in spec.bodies)
    return replace(spec, bodies=bodies)


@pytest.fixture(scope="module")
def found(workers):
    onsets = workers.call(rolled, context(), FACTUAL).outcome.onsets
    evaluate = partial(SCENE.scm.evaluate, SCENE.showcase)
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate, onsets)}


@pytest.mark.parametrize("cause", ["shot", "strike"])
@pytest.mark.parametrize("effect", [*MUG, *BOOK])
def test_the_common_cause_is_a_but_for_cause_of_both_branches(found, cause, effect):
    verdict = found[cause, effect]
    assert (verdict.but_for, verdict.actual, verdict.role) == (True, True, "trigger")
    direct = cause == "strike" and effect.endswith("_hit")
    assert verdict.directness == ("direct" if direct else "indirect")


@pytest.mark.parametrize("mug", MUG)
@pytest.mark.parametrize("book", BOOK)
def test_the_branches_are_siblings_and_no_causes_of_each_other(found, mug, book):
    for pair in ((mug, book), (book, mug)):
        verdict = found[pair]
        assert (verdict.actual, verdict.part_of_cause) == (False, False)
        assert verdict.role == "common_cause_sibling"


def test_a_tin_ends_one_branch_and_a_decoy_none(found):
    assert found["clear_way", "mug_fall"].role == "enabling_condition"
    assert not found["clear_way", "book_fall"].actual
    assert found["knock", "mug_fall"].role == "temporal_predecessor"


@pytest.mark.parametrize(("end", "other"), [(MUG, BOOK), (BOOK, MUG)])
def test_undoing_a_branch_leaves_the_other_as_it_was(workers, end, other):
    before = workers.call(rolled, context(), FACTUAL).outcome
    for name in end:
        after = workers.call(rolled, context(), Intervention.of({name: 0})).outcome
        assert not after.values[end[-1]]
        assert [after.onsets[n] for n in other] == [before.onsets[n] for n in other]


def test_without_the_objects_of_a_branch_the_other_still_comes(workers):
    """Removing red ball and mug, as a labeller would, tells rightly that they are no cause."""
    spec = SCENE.world(context(), FACTUAL)
    gone = workers.call(simulate, without(spec, {"red_ball", "mug"}), "settled")
    assert gone.outcome.values["book_fall"] == 1


def test_all_three_balls_take_part_in_the_strike_whichever_is_hit_first(workers):
    rollout = workers.call(rolled, context(), FACTUAL)
    [strike] = [e for e in events_of(SCENE, context(), rollout, 20) if e.variable == "strike"]
    assert strike.participants == ("white_ball", "red_ball", "blue_ball")
