"""Edges and non-edges are what toggling shows; a declared edge that shows nothing is refused."""

import re
from collections.abc import Callable

import pytest

from simworld.causal import Intervention, event
from simworld.errors import AgreementError, CheckError
from simworld.mechanism import FORCING, Edge, Survey, merge, survey, survey_parts
from simworld.scene import Context, Scene, load_scene
from tests.worlds import cup_context, nudge, with_model

NUDGE = nudge()
CUP = load_scene("falling_cup")
ROLLS = NUDGE.draw(0, "train", 0, fixed={"ball": "rolls"})
RESTS = NUDGE.draw(0, "train", 1, fixed={"ball": "rests"})


def surveyed(task: tuple[Context, str]) -> Survey:
    return survey(nudge(), *task)


def cup_surveyed(part: str) -> Survey:
    return survey(CUP, cup_context(), part)


@pytest.fixture(scope="module")
def surveys(workers):
    tasks = [(context, part) for context in (ROLLS, RESTS) for part in survey_parts(NUDGE)]
    return workers.map(surveyed, tasks)


@pytest.fixture(scope="module")
def mechanism(surveys):
    return merge(NUDGE, surveys)


def test_a_survey_has_a_part_for_each_effect_and_setting():
    assert survey_parts(NUDGE) == ("roll", "bump", "slide", "without:ball", FORCING)
    assert "without:floor" not in survey_parts(CUP)  # holding its child is to choose it
    assert set(CUP.scm.endogenous) < set(survey_parts(CUP))


def test_a_large_scene_is_surveyed_in_blocks_of_neighbours():
    scene = load_scene("rube_goldberg-24")
    parts = survey_parts(scene)
    names = [name for part in parts for name in part.split()]
    settings = ["without:marble", "without:chock", "without:cube"]
    every = [*scene.scm.endogenous, *(f"without:{name}" for name in scene.scm.endogenous)]
    assert sorted(names) == sorted([*every, *settings, FORCING])
    assert parts[1].split()[:2] == ["draw_3", "swing_4"]


def dominoes_surveyed() -> Survey:
    scene = load_scene("domino_run")
    return survey(scene, scene.draw(0, "train", 0, fixed=scene.showcase), "fall_3 without:fall_3")


def test_in_a_large_scene_the_control_undoes_what_leads_to_the_parent(workers):
    found = workers.call(dominoes_surveyed)
    [edge] = found.edges
    assert (edge.parent, edge.child) == ("fall_2", "fall_3")
    assert set(found.rehearsals[edge.control].do) == {"fall_1", "fall_2"}
    assert ("fall_3", "fall_5") in found.pairs
    assert ("fall_3", "fall_4") not in found.pairs


def test_every_declared_edge_is_shown(mechanism):
    found = {(edge.parent, edge.child): edge.role for edge in mechanism.edges}
    assert found == {
        ("ball", "roll"): "sets",
        ("roll", "bump"): "triggers",
        ("bump", "slide"): "triggers",
    }
    assert {str(edge.held) for edge in mechanism.edges} == {"do()"}  # they have no other parent


def test_an_edges_two_rollouts_differ_in_the_parent_and_the_effect(mechanism):
    runs = mechanism.rehearsals
    for edge in mechanism.edges:
        one, other = (runs[name] for name in edge.toggle)
        assert {**one.do, edge.parent: 0} == {**other.do, edge.parent: 0} or edge.parent == "ball"
        assert one.outcome.values[edge.child] != other.outcome.values[edge.child]
        if edge.parent != "ball":
            assert (one.do[edge.parent], other.do[edge.parent]) == (0, 1)


def test_an_edges_control_toggles_something_else_and_the_effect_stays(mechanism):
    runs = mechanism.rehearsals
    for edge in mechanism.edges:
        control, base = runs[edge.control], runs[edge.toggle[0]]
        assert set(control.do) - set(base.do)
        assert control.outcome.values[edge.child] == base.outcome.values[edge.child]


def test_what_is_no_edge_is_shown_over_every_setting_of_the_parents(mechanism):
    found = {(gap.cause, gap.effect): gap for gap in mechanism.non_edges}
    assert {
        ("roll", "slide"),
        ("bump", "roll"),
        ("slide", "roll"),
        ("slide", "bump"),
        ("ball", "bump"),
        ("ball", "slide"),
    } == set(found)
    assert all(gap.contexts == 2 for gap in found.values())
    for (cause, effect), gap in found.items():
        for names in gap.proof:
            one, other = (mechanism.rehearsals[name] for name in names)
            assert one.outcome.values[effect] == other.outcome.values[effect]
            assert one.do.get(cause) != other.do.get(cause)


def test_sufficiency_is_over_the_contexts_in_which_neither_happened(mechanism):
    found = {(s.cause, s.effect): (s.share, s.n) for s in mechanism.sufficiency}
    assert found["roll", "slide"] == (1.0, 1)
    assert found["slide", "bump"] == (0.0, 1)
    assert found["bump", "slide"] == (None, 0)  # no handle forces a bump


def test_each_context_counts(surveys):
    half = len(surveys) // 2
    alone = merge(NUDGE, surveys[:half])
    assert {gap.contexts for gap in alone.non_edges} == {1}
    assert {s.n for s in alone.sufficiency} == {0}


@pytest.mark.slow
def test_the_cups_last_link_is_enabled_by_glass_and_a_hard_floor(workers):
    (found,) = workers.map(cup_surveyed, ["shatter"])
    assert {(e.parent, e.role) for e in found.edges} == {
        ("impact", "triggers"),
        ("hard_floor", "enables"),
        ("brittle_mug", "enables"),
    }
    assert {cause for (cause, effect), pairs in found.pairs.items() if pairs} == {
        "near_edge",
        "knock",
        "bump",
        "slide",
        "fall",
    }


# Scripts that are wrong


WRONG: dict[str, tuple[Callable[[], Scene], str]] = {
    "wrong equation": (
        lambda: with_model(NUDGE, event("slide", "not bump")),
        "the model says slide = ",
    ),
    "missing edge": (
        lambda: with_model(NUDGE, event("slide", "roll")),
        "the model says slide = ",
    ),
    "reversed edge": (
        lambda: with_model(NUDGE, event("bump", "slide"), event("slide", "roll")),
        "the model says (bump|slide) = ",
    ),
}


def wrongly_surveyed(name: str) -> None:
    scene = WRONG[name][0]()
    for part in survey_parts(scene):
        survey(scene, ROLLS, part)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_graph_is_caught(workers, name):
    with pytest.raises(
        AgreementError, match=rf"^scene nudge, do\(.*\) by handle: {WRONG[name][1]}"
    ):
        workers.call(wrongly_surveyed, name)


def with_an_edge_too_many() -> Scene:
    return with_model(CUP, event("knock", "green_ball == 'rolls' and (bump or not bump)"))


def survey_with_an_edge_too_many() -> Survey:
    return survey(with_an_edge_too_many(), cup_context(), "knock")


@pytest.mark.slow
def test_a_declared_edge_that_does_nothing_is_named(workers):
    found = workers.call(survey_with_an_edge_too_many)
    assert {edge.parent for edge in found.edges} == {"green_ball"}
    nothing = Intervention.of({})
    known = [
        Edge(parent, child, "triggers", ("", ""), nothing, "")
        for child in CUP.scm.endogenous
        for parent in CUP.scm.parents(child)
    ]
    elsewhere = Survey(tuple(known), {}, {}, {})
    words = "scene falling_cup declares the edge bump -> knock, but toggling bump changed knock"
    with pytest.raises(CheckError, match=f"^{re.escape(words)} under no setting"):
        merge(with_an_edge_too_many(), [found, elsewhere])
    merge(CUP, [found, elsewhere])


def no_control() -> list[Survey]:
    scene = with_model(NUDGE, event("slide", "bump and (roll or not roll)"))
    return [survey(scene, ROLLS, part) for part in survey_parts(scene)]


def test_where_nothing_is_left_to_be_a_control_the_scene_needs_another_event(workers):
    scene = with_model(NUDGE, event("slide", "bump and (roll or not roll)"))
    with pytest.raises(CheckError, match=r"bump -> slide.* or give the scene another event$"):
        merge(scene, workers.call(no_control))
