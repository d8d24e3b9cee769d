"""What is said of a clip was simulated: verdicts with proofs, staged twins, noise, other looks."""

from dataclasses import replace

import pytest

from simworld.causal import Intervention
from simworld.errors import AgreementError, CheckError
from simworld.lab import Lab
from simworld.rehearsal import (
    Sieve,
    UnstableError,
    check_null_interventions,
    check_same_truth,
    check_staged,
    rehearse,
    single_settings,
)
from simworld.scene import Staged, load_scene
from simworld.truth import FACTUAL, ClipTruth, Rehearsal
from simworld.twins import other_looks
from simworld.world.handles import HoldMoved
from simworld.world.rollout import Outcome
from tests.worlds import cup_context, nudge, with_handles

CUP = load_scene("falling_cup")
ALL = cup_context()
NO_SIEVE = Sieve(0.0, ())


def rehearsed(draws: int) -> ClipTruth:
    noises = tuple(CUP.noise(0, "train", 0, 0, k, 0.02) for k in range(1, draws + 1))
    looks = other_looks(CUP, ALL, 0, "train", 0)
    return rehearse(Lab(CUP), "cup-0", ALL, Sieve(0.02, noises), looks)


@pytest.fixture(scope="module")
def truth(workers):
    return workers.call(rehearsed, 1)


@pytest.fixture(scope="module")
def verdicts(truth):
    return {(p.verdict.cause, p.verdict.effect): p.verdict for p in truth.verdicts}


def test_single_settings_are_every_variable_at_every_value():
    table = single_settings(CUP)
    assert len(table) == len(set(table)) == 2 * 9
    assert Intervention.of({"impact": 1}) in table


def test_each_link_of_the_chain_is_a_but_for_cause_of_every_later_one(verdicts):
    chain = ("bump", "slide", "fall", "impact", "shatter")
    for at, cause in enumerate(chain):
        for effect in chain[at + 1 :]:
            verdict = verdicts[cause, effect]
            assert (verdict.but_for, verdict.actual, verdict.role) == (True, True, "trigger")
            direct = chain.index(effect) == at + 1
            assert verdict.directness == ("direct" if direct else "indirect")


def test_conditions_enable_and_the_decoy_is_no_cause(verdicts):
    for condition in ("hard_floor", "brittle_mug", "near_edge"):
        assert verdicts[condition, "shatter"].role == "enabling_condition"
    assert not verdicts["knock", "shatter"].actual
    assert not verdicts["knock", "shatter"].part_of_cause
    assert verdicts["knock", "shatter"].role == "temporal_predecessor"
    assert verdicts["shatter", "bump"].role == "unrelated"


def test_every_verdict_has_a_proof_that_was_run(truth):
    for proven in truth.verdicts:
        assert proven.proof[0] == truth.rollout
        assert len(proven.proof) == 1 + len(proven.verdict.settings)
        for name, do in zip(proven.proof, (FACTUAL, *proven.verdict.settings), strict=True):
            run = truth.rehearsals[name]
            assert (run.do, run.means, dict(run.noise)) == (do, "handle", {})
            assert run.context == truth.context
            assert not run.outcome.void


def test_the_proof_of_a_cause_shows_the_effect_undone(truth):
    for proven in truth.verdicts:
        if proven.verdict.but_for:
            undone = truth.rehearsals[proven.proof[1]].outcome.values
            assert undone[proven.verdict.effect] != truth.values[proven.verdict.effect]


def test_staged_worlds_other_looks_and_noise_were_run_as_well(truth):
    means = {run.means for run in truth.rehearsals.values()}
    assert means == {"handle"} | {f"staged:{staged.name}" for staged in CUP.staged}
    looks = [
        run for run in truth.rehearsals.values() if run.context.nuisances != truth.context.nuisances
    ]
    assert [run.outcome.values for run in looks] == [truth.values]
    noisy = [run for run in truth.rehearsals.values() if run.noise]
    table = [run for run in truth.rehearsals.values() if run.means == "handle" and not run.noise]
    assert len(noisy) == len([run for run in table if run.context == truth.context])
    assert (truth.margin.noise, truth.margin.draws) == (0.02, 1)


def test_it_says_what_is_seen(truth):
    assert truth.colors["ball"] == "red"
    assert "rug" not in truth.colors and "brick" in truth.colors
    assert truth.onsets.keys() == {name for name in CUP.scm.events if truth.values[name]}


# What must not be


def unstable() -> None:
    """A shift by which the mug stands on another level's place."""
    noise = {"edge_gap.near": 0.2}
    rehearse(Lab(CUP), "cup-0", ALL, Sieve(0.02, (noise,)), ALL)


def test_a_context_whose_truth_moves_under_noise_is_unstable(workers):
    with pytest.raises(UnstableError, match=r"^noise of 2% of range: .*the model says near_edge"):
        workers.call(unstable)


def not_passive() -> None:
    """The handle of `slide` acts although nothing moves the box."""
    scene = with_handles(nudge(), HoldMoved("slide", "box", distance_m=-1.0))
    context = scene.draw(0, "train", 0, fixed={"ball": "rests"})
    bench = Lab(scene)
    check_null_interventions(bench, bench.run(context), [Intervention.of({"slide": 0})])


def test_a_handle_that_acts_when_nothing_is_to_be_done_is_caught(workers):
    words = r"^scene nudge: do\(slide := 0\) changes nothing and yet gives another rollout"
    with pytest.raises(CheckError, match=words):
        workers.call(not_passive)


def staged_wrongly() -> None:
    rail = Staged("rail", "bump", 0, {"rail": "present"}, "A rail runs along the edge.")
    check_staged(Lab(CUP), ALL, rail)


def test_a_staging_that_does_something_else_is_caught(workers):
    words = r"staging rail gives (bump|slide) = 1, the handle for bump := 0 gives 0$"
    with pytest.raises(AgreementError, match=words):
        workers.call(staged_wrongly)


def staged_rightly() -> int:
    bench = Lab(CUP)
    for staged in CUP.staged:
        check_staged(bench, ALL, staged)
    return len(bench.rehearsals)


def test_every_staging_of_the_cup_does_what_its_handle_does(workers):
    assert workers.call(staged_rightly) == 2 * len(CUP.staged)


def test_looks_that_matter_are_caught():
    def one(**values: int) -> Rehearsal:
        return Rehearsal("", ALL, {}, FACTUAL, "", Outcome(values, {}, {}, 0, "", False))

    check_same_truth(one(bump=1), one(bump=1), "other looks")
    with pytest.raises(CheckError, match=r"^other looks changed the truth: {'bump': 1} became"):
        check_same_truth(one(bump=1), one(bump=0), "other looks")


def red_book_breaks_the_rule() -> None:
    """A scene whose ball rolls only where the floor is grey."""

    def build(context):
        spec = CUP.build(context)
        rolls = context.word("floor_color") == ALL.word("floor_color")
        return spec if rolls else replace(spec, actions=spec.actions[1:])

    looks = other_looks(CUP, ALL, 0, "train", 0)
    rehearse(Lab(replace(CUP, build=build)), "cup-0", ALL, NO_SIEVE, looks)


def test_a_nuisance_that_matters_is_caught(workers):
    with pytest.raises(AgreementError, match=r"the model says bump = 1, the physics bump = 0"):
        workers.call(red_book_breaks_the_rule)
