"""Two cups, of glass and of steel, that show the same but for the cup until one breaks."""

import pytest

from simworld.masking import MaskJob, look_alike, partners
from simworld.qa.items import Evidence, Option, Question
from simworld.recipe import VideoSettings
from simworld.scene import load_scene

GLASS, STEEL = "It broke.", "It stayed whole."


def question(clip, right, evidence=("mug", 0, 9), stop=9, group="falling_cup-0000") -> Question:
    options = tuple(Option(t, t, t == right, None, ()) for t in (GLASS, STEEL))
    shown = () if evidence is None else (Evidence("e", *evidence, "It stands there."),)
    number = {"glass": 1, "steel": 2}[clip]
    return Question(
        group, clip, "castbench", "k", 1, f"How does video {number} end?", options, shown,
        video=number, question_id=f"castbench-{clip}", stop_frame=stop,
    )  # fmt: skip


def test_partners_ask_the_same_in_one_group_and_differ_in_the_answer():
    one, other = question("glass", GLASS), question("steel", STEEL)
    assert partners([one, other]) == [(one, other)]
    assert partners([one, question("steel", GLASS)]) == []
    assert partners([one, question("steel", STEEL, group="falling_cup-0001")]) == []


@pytest.fixture(scope="module")
def drawn(workers):
    """Tell of pairs of questions on a cup of glass and one of steel whether they look alike."""
    scene = load_scene("falling_cup")
    levels = {**scene.showcase, "green_ball": "rests"}
    glass = scene.draw(0, "train", 0, fixed=levels)
    contexts = {"glass": glass, "steel": glass.at({"mug_material": "steel"})}
    video = VideoSettings(width=160, height=120)
    pairs = {
        "the mug in both": [{}, {}],
        "the mug in one": [{}, {"evidence": None}],
        "another thing": [{"evidence": ("ball", 0, 9)}] * 2,
        "the mug, a frame less": [{"evidence": ("mug", 1, 9)}] * 2,
        "other lengths": [{"stop": 7}, {"stop": 9}],
        "to the end, when one has broken": [{"evidence": ("mug", 0, 9), "stop": None}] * 2,
    }
    asked = tuple(
        (question("glass", GLASS, **one), question("steel", STEEL, **other))
        for one, other in pairs.values()
    )
    job = MaskJob("falling_cup", None, video, contexts, asked)
    return dict(zip(pairs, workers.call(look_alike, job), strict=True))


def test_a_difference_is_masked_where_the_evidence_covers_it_at_every_frame(drawn):
    assert [name for name, same in drawn.items() if same] == ["the mug in both", "the mug in one"]
