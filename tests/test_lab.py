"""The lab simulates every setting, and says in plain words where a script is wrong."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simworld import intervene, lab
from simworld.causal import Intervention, Unreachable, event
from simworld.errors import AgreementError, HandleError
from simworld.lab import Lab, rollout_id
from simworld.scene import Scene, load_scene
from simworld.truth import FACTUAL
from simworld.world.detectors import Touched
from simworld.world.handles import HoldPast
from tests.worlds import cup_context, with_handles, with_model

CUP = load_scene("falling_cup")
ALL = cup_context()


def with_detector(scene: Scene, **detectors: Touched) -> Scene:
    def build(context):
        spec = scene.build(context)
        return replace(spec, detectors={**spec.detectors, **detectors})

    return replace(scene, build=build)


WRONG: dict[str, tuple[Callable[[], Scene], dict[str, str], str, str]] = {
    "equation": (
        lambda: with_model(CUP, event("slide", "bump")),
        {"brick": "in_the_way"},
        "do()",
        "the model says slide = 1, the physics slide = 0",
    ),
    "missing edge": (
        lambda: with_model(CUP, event("shatter", "impact and hard_floor")),
        {},
        "do(brittle_mug := 0)",
        "the model says shatter = 1, the physics shatter = 0",
    ),
    "swapped role": (
        lambda: with_model(CUP, event("shatter", "impact and not hard_floor and brittle_mug")),
        {},
        "do(hard_floor := 0)",
        "the model says shatter = 1, the physics shatter = 0",
    ),
    "cause of nothing": (
        lambda: with_model(CUP, event("fall", "slide and knock and near_edge")),
        {},
        "do(knock := 0)",
        "the model says fall = 0, the physics fall = 1",
    ),
    "detector": (
        lambda: with_detector(CUP, knock=Touched("green_ball", ("mug",))),
        {},
        "do()",
        "the model says knock = 1, the physics knock = 0",
    ),
}


def run(name: str) -> None:
    change, levels, do, _ = WRONG[name]
    Lab(change()).run(cup_context(**levels), Intervention.parse(do))


@pytest.mark.parametrize("name", WRONG)
def test_a_script_that_is_wrong_is_caught_where_model_and_physics_part(workers, name):
    _, _, do, words = WRONG[name]
    message = f"^scene falling_cup, {re.escape(do)} by handle: {words}. Mend the script:"
    with pytest.raises(AgreementError, match=message):
        workers.call(run, name)


def test_the_command_that_an_error_gives_runs_the_same_again(workers):
    with pytest.raises(AgreementError) as caught:
        workers.call(run, "missing edge")
    command = str(caught.value).rpartition(" argument): ")[2]
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, env=here, capture_output=True, text=True, check=True)
    assert "'impact': 1" in done.stdout and "'shatter': 0" in done.stdout


def test_the_library_is_asked_from_python_in_one_line():
    outcome = intervene("falling_cup", ALL, "do(bump := 0)")
    assert outcome.values["bump"] == outcome.values["shatter"] == 0
    assert outcome.values["knock"] == 1


def counted(times: int) -> tuple[int, int]:
    """Worlds simulated, and rehearsals kept, for the same two settings again and again."""
    ran, simulated = [], lab.simulate_all
    lab.simulate_all = lambda *arguments: ran.append(1) or simulated(*arguments)
    try:
        bench = Lab(CUP)
        for _ in range(times):
            bench.run(ALL)
            bench.run(ALL, Intervention.of({"bump": 1}))
    finally:
        lab.simulate_all = simulated
    return len(ran), len(bench.rehearsals)


def test_each_setting_is_simulated_once_and_one_that_changes_nothing_as_well(workers):
    assert workers.call(counted, 3) == (2, 2)


def failing_handle() -> tuple[str, int]:
    useless = HoldPast("bump", "ball", (1.0, 0.0, 0.0), limit_m=9.0)
    bench = Lab(with_handles(CUP, useless))
    try:
        bench.run(ALL, Intervention.of({"bump": 0}))
    except Unreachable as reason:
        return str(reason), bench.voids
    return "", bench.voids


def test_a_handle_that_fails_leaves_its_value_out_of_reach_and_is_counted(workers):
    words, voids = workers.call(failing_handle)
    assert re.fullmatch(r"the handle for do\(bump := 0\) failed in rollout [0-9a-f]{16}", words)
    assert voids == 1


def clumsy_handle() -> None:
    """Let whatever is armed keep the green ball from being launched."""
    simulated = lab.simulate_all

    def meddled(spec, armings, until):
        rolling = tuple(a for a in spec.actions if a.body != "green_ball" or not any(armings))
        return simulated(replace(spec, actions=rolling), armings, until)

    lab.simulate_all = meddled
    try:
        bench = Lab(CUP)
        bench.run(ALL)
        bench.run(ALL, Intervention.of({"shatter": 0}))
    finally:
        lab.simulate_all = simulated


def test_a_handle_that_disturbs_what_it_never_touches_is_refused(workers):
    with pytest.raises(HandleError, match=r"do\(shatter := 0\) disturb green_ball, which nothing"):
        workers.call(clumsy_handle)


def filmed() -> tuple[bool, bool]:
    bench = Lab(CUP)
    shown, known = bench.film(ALL), bench.run(ALL).outcome
    return shown.outcome == known, shown.steps > known.settled_step


def test_what_is_filmed_is_what_was_proven_only_longer(workers):
    assert workers.call(filmed) == (True, True)


def test_a_rollouts_id_names_all_that_it_takes_to_run_it_again():
    one = rollout_id(CUP, ALL, {}, FACTUAL, "handle")
    assert re.fullmatch("[0-9a-f]{16}", one)
    others = [
        rollout_id(replace(CUP, name="other"), ALL, {}, FACTUAL, "handle"),
        rollout_id(replace(CUP, version=CUP.version + 1), ALL, {}, FACTUAL, "handle"),
        rollout_id(CUP, cup_context(1), {}, FACTUAL, "handle"),
        rollout_id(CUP, ALL, {"mug_mass.usual": 1e-3}, FACTUAL, "handle"),
        rollout_id(CUP, ALL, {}, Intervention.of({"bump": 1}), "handle"),
        rollout_id(CUP, ALL, {}, FACTUAL, "staged:rug"),
    ]
    assert len({one, *others}) == 7
    assert one == rollout_id(CUP, ALL, {}, FACTUAL, "handle")
