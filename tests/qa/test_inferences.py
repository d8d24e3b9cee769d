"""What shows a hidden mass, decided by hand for worlds of `hidden_mass`."""

import pytest

from simworld.causal import Intervention
from simworld.claims import parse
from simworld.qa.accounts import inferences, kind_of, telling
from simworld.qa.claims import Facts, Happening, decide
from simworld.qa.wording import inference_questions, phrasings
from simworld.scene import load_scene

SCENE = load_scene("hidden_mass")


def world(**levels) -> Facts:
    """Return the facts of a world by its model, each event an onset later than the one before."""
    context = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    scm = SCENE.scm

    def values(do):
        found = scm.evaluate(context.levels, Intervention.of(do))
        return {name: int(found[name]) for name in scm.endogenous}

    own = values({})
    return Facts(
        conditions={name: own[name] for name in scm.endogenous if name not in scm.events},
        events={
            name: Happening(20 * k, k, k + 1) if own[name] else None
            for k, name in enumerate(scm.events)
        },
        contacts={}, breaks={}, segments={}, relations={},
        colors={}, recolored=frozenset(), objects=frozenset(),
        outcomes={(name, v): values({name: v}) for name in scm.endogenous for v in (0, 1)},
    )  # fmt: skip


def right(facts: Facts) -> set[str]:
    return {str(claim) for claim in inferences(SCENE, "light_box") if decide(claim, facts)}


@pytest.mark.parametrize(
    ("levels", "claims"),
    [
        # With both edges open the ball falls off in any case: its fall shows nothing.
        ({}, {"shows(slide, light_box)", "shows(box_fall, light_box)"}),
        ({"box_mass": "full"},
         {"shows(not(slide), not(light_box))", "shows(not(box_fall), not(light_box))"}),
        ({"far_edge": "railed"},
         {"shows(slide, light_box)", "shows(not(fall), light_box)",
          "shows(not(impact), light_box)"}),
        ({"near_edge": "railed", "box_mass": "full"},
         {"shows(not(slide), not(light_box))", "shows(not(box_fall), not(light_box))",
          "shows(not(fall), not(light_box))", "shows(not(impact), not(light_box))"}),
        ({"ball": "rests"}, {"and(not(occurs(bump)), untold(light_box))"}),
    ],
)  # fmt: skip
def test_what_shows_the_mass_of_the_box(levels, claims):
    assert right(world(**levels)) == claims


def test_a_wrong_conclusion_is_of_the_kind_of_its_first_untruth():
    facts = world()
    kinds = {
        "shows(fall, light_box)": "causal_misattribution",
        "shows(slide, not(light_box))": "negation_polarity",
        "shows(not(slide), light_box)": "negation_polarity",
        "and(occurs(bump), untold(light_box))": "incomplete_reasoning",
        "and(not(occurs(bump)), untold(light_box))": "negation_polarity",
    }
    assert {text: kind_of(parse(text), facts) for text in kinds} == kinds
    assert kind_of(parse("shows(not(slide), light_box)"), world(box_mass="full")) == (
        "irrelevant_plausible"
    )


def test_a_viewer_sees_what_led_there_and_never_the_mass():
    for levels in ({}, {"ball": "rests"}, {"box_mass": "full"}):
        facts = world(**levels)
        for claim in map(parse, right(facts)):
            assert "light_box" not in telling(claim, SCENE, facts.values)
    seen = telling(parse("shows(not(slide), not(light_box))"), SCENE, world(box_mass="full").values)
    assert seen == ("bump", "slide")
    stayed = parse("shows(not(box_fall), not(light_box))")
    assert telling(stayed, SCENE, world(box_mass="full").values) == ("bump", "box_fall")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("shows(slide, light_box)", "The box was empty and light, since it slid away."),
        ("shows(not(slide), not(light_box))",
         "The box was full and heavy, since it stayed in place."),
        ("shows(fall, not(light_box))",
         "The box was full and heavy, since the red ball fell off the table."),
        ("and(not(occurs(bump)), untold(light_box))",
         "The red ball missed the box, and nothing showed whether the box was empty and light."),
    ],
)  # fmt: skip
def test_conclusions_read_well(claim, text):
    assert text in phrasings(parse(claim), SCENE, world().values)


def test_the_question_names_the_thing():
    assert all("about the box" in text for text in inference_questions("the box"))
