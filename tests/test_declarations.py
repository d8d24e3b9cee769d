"""Each thing that a script can declare wrong is named before anything is simulated."""

import re
from dataclasses import replace

import pytest

from simworld.causal import condition, event
from simworld.declarations import faults
from simworld.errors import CheckError
from simworld.scene import Band, Choice, Nuisance, Phrase, Range, load_scene
from simworld.starter import new_scene
from simworld.testing import check_scene
from simworld.world.spec import Body, Box
from tests.worlds import nudge

BAND = Band(1.3, 1.6, held_out=(1.6, 1.7))


def with_world(**changed):
    """The scene with other fields of every world that it builds."""
    scene = nudge()
    return replace(scene, build=lambda context: replace(scene.build(context), **changed))


def nudge_spec():
    return nudge().build(nudge().draw(0, "train", 0))


def with_looks(color):
    return replace(nudge(), nuisances=(Nuisance("box_color", words=("blue", color)),))


def heavy_if_green(context):
    spec = nudge().build(context)
    heavy = context.word("box_color") == "green"
    return replace(
        spec,
        bodies=tuple(
            replace(b, mass_kg=9.0) if heavy and b.name == "box" else b for b in spec.bodies
        ),
    )


def one_more_if_it_rests(context):
    spec = nudge().build(context)
    more = () if context.level("ball") == "rolls" else (Body("lid", Box((1, 1, 1)), (9, 9, 9)),)
    return replace(spec, bodies=(*spec.bodies, *more))


def new_world_each_time():
    counted = iter(range(1000, 2000))
    return lambda context: replace(nudge().build(context), duration_steps=next(counted))


def with_staged(**changed):
    return replace(nudge(), staged=(replace(nudge().staged[0], **changed),))


def with_speed(**bands):
    return replace(nudge(), settings=(nudge().settings[0], Range("speed", "m/s", bands)))


def with_condition(levels):
    scene = nudge()
    words = Phrase("the ball is able", "the ball was able", "it never was", "be able", ("ball",))
    return replace(
        scene,
        model=(condition("able", "ball == 'rolls'"), event("roll", "able"), *scene.model[1:]),
        phrases={**scene.phrases, "able": words},
        conditions={"able": levels},
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: replace(nudge(), tags=()), "summary and tags: expected both"),
        (lambda: replace(nudge(), version=0), "version: expected 1 or more, found 0"),
        (lambda: replace(nudge(), asked={}), "asked: .* in the segment of roll, found none"),
        (lambda: replace(nudge(), showcase={"ball": "rests"}), "a key event happens, found none"),
        (
            lambda: with_world(handles=nudge_spec().handles[1:]),
            "that prevent: .* for roll,",
        ),
        (lambda: with_world(duration_steps=230), "deadline of slide: .* end at 230, found 230"),
        (
            lambda: with_world(deadlines={"roll": 210, "bump": 200, "slide": 230}),
            "deadline of bump: expected none before that of its cause roll at 210, found 200",
        ),
        (
            lambda: with_condition({0: {"ball": "rests"}}),
            "conditions: expected levels that make able = 1, found none",
        ),
        (
            lambda: with_condition({0: {"ball": "rests"}, 1: {"ball": "rests"}}),
            "to make able = 1; it does not",
        ),
        (lambda: with_staged(levels={}), "staged ball_rests: expected to turn roll from 1 to 0"),
        (lambda: with_staged(words="no stop"), "expected a sentence, found 'no stop'"),
        (
            lambda: replace(nudge(), staged=nudge().staged * 2),
            "staged ball_rests: expected a name of its own",
        ),
        (
            lambda: with_speed(brisk=BAND, quick=Band(1.65, 2.0, held_out=(2.0, 2.1))),
            "setting speed: expected a gap between levels",
        ),
        (
            lambda: with_speed(brisk=Band(1.3, 1.6, held_out=(1.5, 1.7))),
            "level brisk: expected two ranges beside each other",
        ),
        (
            lambda: replace(
                nudge(), settings=(Choice("ball", {"rolls": 1, "rests": 0}), nudge().settings[1])
            ),
            "setting ball: expected weights above 0",
        ),
        (lambda: replace(nudge(), things={"vase": "the vase"}), "things: .* found 'vase'"),
        (
            lambda: replace(nudge(), others={"hit(a, b)": Phrase("a hits b.", "a hit b")}),
            "words for .*: expected a clause without full stop, found 'a hits b.'",
        ),
        (
            lambda: replace(nudge(), others={"hit(a, b)": Phrase("a", "a", participants=("a",))}),
            r"words for hit\(a, b\): expected objects of ball, box, floor, found 'a'",
        ),
        (lambda: with_looks("grene"), "body box: .* found 'grene'; did you mean green"),
        (
            lambda: replace(nudge(), build=heavy_if_green),
            "expected nuisances to leave it",
        ),
        (lambda: replace(nudge(), build=one_more_if_it_rests), "expected the same bodies"),
        (lambda: replace(nudge(), build=new_world_each_time()), "the same world of the same"),
    ],
)
def test_a_wrong_declaration_is_named(make, message):
    found = "\n".join(faults(make()))
    assert re.search(message, found), found


def test_the_smallest_scene_has_no_fault():
    assert list(faults(nudge())) == []


def test_check_scene_says_it_before_it_simulates(tmp_path):
    script, _ = new_scene("odd_box", tmp_path)
    right = script.read_text()
    script.write_text(right.replace('("blue", "green")', '("blue", "grene")'))
    with pytest.raises(CheckError, match=r"scene odd_box: body box: .* did you mean green"):
        check_scene("odd_box", tmp_path)


def test_a_thing_that_no_story_could_take_away_is_named():
    cup = load_scene("falling_cup")  # the rail prevents an event, which other things bring about
    assert not list(faults(cup))
    [fault] = faults(replace(cup, lacks="rail"))
    assert fault.startswith("lacks rail: expected one setting that decides fall alone")
    found = list(faults(replace(cup, lacks="ball_rests")))
    assert any("expected ball_rests to put one body there, found 0" in one for one in found)
