"""Wrong generators: what they make is written out properly, and the audit refuses it."""

import dataclasses
from pathlib import Path

import pytest

from simworld.audit import plan
from simworld.benchmarks.causalstep.write import write as write_causalstep
from simworld.causal import event
from simworld.errors import AgreementError
from simworld.qa import finalise as finalise_module
from simworld.qa import questions, wording
from simworld.qa.finalise import finalise
from simworld.qa.items import Question
from simworld.scene import library_folder, load_scene
from simworld.store import Suite, read_json, write_json, write_jsonl
from simworld.suite import generate
from tests.audit.forge import mend, shots_of, truth_of

pytestmark = pytest.mark.slow
GROUP = "falling_cup-0000"


def ask_anew(folder: Path) -> None:
    """Ask all of CausalStep's questions again, with the question maker as it now is."""
    suite, scene = Suite(folder), load_scene("falling_cup")
    path = folder / "groups" / GROUP / "candidates.json"
    others = [Question.from_json(row) for row in read_json(path)]
    made = []
    for clip in (f"{GROUP}-factual", f"{GROUP}-rug", f"{GROUP}-nuisance"):
        events, segments = shots_of(suite, clip)
        truth = truth_of(suite, clip)
        found, drops = questions.make_questions(scene, truth, events, segments, group=GROUP)
        assert not drops
        made += found
        made += [q for q in others if q.clip == clip and q.benchmark != "causalstep"]
    write_json(path, [q.to_json() for q in made])
    write_jsonl(folder / "questions.jsonl", [q.to_json() for q in finalise(made, seed=0)])
    write_causalstep(folder)
    mend(folder)


def named(report) -> str:
    return "\n".join(map(str, report.failures))


def test_the_right_question_maker_gives_the_same_suite(forged, small_suite, inspect):
    ask_anew(forged)
    assert Suite(forged).artefacts() == Suite(small_suite).artefacts()


def test_a_maker_that_marks_a_wrong_option_as_right_is_caught(forged, inspect, monkeypatch):
    choose = finalise_module.deal

    def swapped(candidates, *, seed):
        for question in choose(candidates, seed=seed):
            first, second, *rest = question.options
            wrong = dataclasses.replace(first, right=False, distractor_type=second.distractor_type)
            right = dataclasses.replace(second, right=True, distractor_type=None)
            yield dataclasses.replace(question, options=(right, wrong, *rest))

    with monkeypatch.context() as patch:
        patch.setattr(finalise_module, "deal", swapped)
        ask_anew(forged)
    report = inspect(forged, workers=2)
    assert not report.ok
    assert "answer: expected" in named(report)


def test_a_maker_that_words_another_claim_is_caught(forged, inspect, monkeypatch):
    say = wording.phrasings

    def reworded(claim, scene, values):
        return tuple(t.replace("fell off", "leapt off") for t in say(claim, scene, values))

    with monkeypatch.context() as patch:
        patch.setattr(wording, "phrasings", reworded)
        ask_anew(forged)
    report = inspect(forged, workers=2)
    assert ": text: expected" in named(report)


def test_a_maker_with_wrong_facts_is_caught(forged, inspect, monkeypatch):
    """It takes the fall for the slide, and the slide for the fall."""
    gather = questions.facts_of

    def mistaken(scene, truth, events, segments):
        facts = gather(scene, truth, events, segments)
        swapped = {"slide": facts.events["fall"], "fall": facts.events["slide"]}
        return dataclasses.replace(facts, events={**facts.events, **swapped})

    with monkeypatch.context() as patch:
        patch.setattr(questions, "facts_of", mistaken)
        ask_anew(forged)
    report = inspect(forged, workers=2)
    assert ": right: expected False, found True" in named(report)


def wrong_model(scene):
    """Return the declarations with a mug that breaks on a rug too."""
    rest = [one for one in scene.model if one.name != "shatter"]
    return (*rest, event("shatter", "impact and brittle_mug"))


def test_an_equation_that_the_suite_does_not_have_is_named(small_suite, inspect, monkeypatch):
    scene = load_scene("falling_cup")
    wrong = dataclasses.replace(scene, model=wrong_model(scene))
    monkeypatch.setattr(plan, "load_scene", lambda *_: wrong)
    report = inspect(small_suite, workers=2)
    assert "equation of shatter, as the script declares it" in named(report)


def test_a_wrong_equation_in_a_script_stops_generate(tmp_path):
    text = (library_folder() / "falling_cup.py").read_text(encoding="utf-8")
    right = 'event("shatter", "impact and hard_floor and brittle_mug")'
    assert right in text
    text = text.replace(right, 'event("shatter", "impact and brittle_mug")')
    text = text.replace('name="falling_cup"', 'name="wrong_cup"')
    (tmp_path / "wrong_cup.py").write_text(text, encoding="utf-8")
    recipe = tmp_path / "wrong.toml"
    recipe.write_text(
        'name = "wrong"\n[truth]\nsieve_draws = 0\nreference_contexts = 1\n'
        '[[scenes]]\nscene = "wrong_cup"\ngroups = 1\n'
    )
    with pytest.raises(AgreementError, match="the model says shatter = 1, the physics shatter = 0"):
        generate(recipe, tmp_path / "out", workers=2, scenes_dir=tmp_path)
