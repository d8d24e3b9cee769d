"""Causal2Needles' questions and folder under audit."""

import dataclasses
import json
import shutil
from contextlib import contextmanager
from dataclasses import asdict
from types import SimpleNamespace

import pytest

from simworld.audit import ask_needles
from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.causal2needles.schema import Question, Window
from simworld.qa.finalise import finalise
from simworld.records import event_record
from simworld.suite import generate
from tests.audit.forge import QUESTIONS, edited, mend
from tests.dominoes import make_run

DOMINOES = """
name = "dominoes"
[video]
width = 160
height = 120
fps = 5
slow_motion = 12
[truth]
sieve_draws = 0
reference_contexts = 1
[[scenes]]
scene = "domino_run"
groups = 1
[scenes.levels]
ball = "rolls"
post = "aside"
row = "whole"
cube = "slides"
"""
FOLDER = "benchmarks/causal2needles"
ANNOTATIONS, WINDOWS = f"{FOLDER}/annotations.json", f"{FOLDER}/windows.json"


def named(report) -> str:
    return "\n".join(map(str, report.failures))


def by_kind(rows, kind):
    return next(row for row in rows if row["kind"] == kind)


@pytest.fixture(scope="module")
def asked():
    """What the audit knows of a run made by hand, and the questions on it."""
    clip = make_run()
    spans = [asdict(span) for span in clip.spans]
    file = SimpleNamespace(scene=clip.scene, clip="run-0")
    events = [event_record(event) for event in clip.events]
    known = Known(file, None, events, spans, spans, {}, clip.facts, {})
    return known, [question.to_json() for question in finalise(clip.ask()[0], seed=0)]


def failures(known, rows):
    findings = Findings()
    ask_needles.check_all(known, rows, findings)
    for row in rows:
        with findings.reading(row["question_id"], QUESTIONS):
            ask_needles.check(known, row, findings)
    return named(findings)


def test_questions_as_made_hold(asked):
    known, rows = asked
    assert len(rows) == 24
    assert failures(known, rows) == ""


def test_a_second_thing_of_that_colour_in_the_window_is_found(asked):
    known, rows = asked
    row = by_kind(rows, "causal_1needle")
    cause, effect = (item["event"] for item in row["evidence"])
    right = int(row["answer"])
    other, at = next(
        (name, span)
        for name in known.file.scene.scm.ancestors(effect)
        if name.startswith("fall_") and (span := ask_needles.span_of(known, name)) > right
    )
    things = {name: known.file.scene.phrases[name].participants[0] for name in (cause, other)}
    colors = {**known.facts.colors, things[other]: known.facts.colors[things[cause]]}
    facts = dataclasses.replace(known.facts, colors=colors)
    found = failures(dataclasses.replace(known, facts=facts), [row])
    assert f"scenes that answer it: expected [{right}], found [{right}, {at}]" in found


def test_a_wrong_image_from_before_the_cause_is_named(asked):
    known, rows = asked
    row = next(r for r in rows if r["kind"] == "image" and r["evidence"][0]["event"] != "fall_1")
    wrong = next(option for option in row["options"] if not option["right"])
    here = ask_needles.span_of(known, row["evidence"][0]["event"])
    options = [{**o, "claim": f"happens(push, {here})"} if o is wrong else o
               for o in row["options"]]  # fmt: skip
    found = failures(known, [{**row, "options": options}])
    assert f"option {wrong['key']}: shown in scenes: expected {here + 1} to" in found


def test_two_images_that_say_the_same_are_named(asked):
    known, rows = asked
    row = next(r for r in rows if r["kind"] == "image")
    one, other = [option for option in row["options"] if not option["right"]][:2]
    options = [{**o, "claim": one["claim"]} if o is other else o for o in row["options"]]
    found = failures(known, [{**row, "options": options}])
    assert f"option {other['key']}: shown in scenes: expected what no other option says" in found


@pytest.fixture(scope="session")
def domino_suite(tmp_path_factory):
    """A suite of one run of eight dominoes in slow motion; not to be changed."""
    folder = tmp_path_factory.mktemp("dominoes")
    (folder / "dominoes.toml").write_text(DOMINOES, encoding="utf-8")
    generate(folder / "dominoes.toml", folder / "suite", workers=2)
    return folder / "suite"


@pytest.mark.slow
def test_the_suite_as_generated_holds(domino_suite, inspect):
    report = inspect(domino_suite, workers=2)
    assert report.ok, named(report)
    kinds = [path.stat().st_size for path in domino_suite.glob(f"{FOLDER}/questions/yms/*/*.json")]
    assert len(kinds) == 3 and min(kinds) > 10


@contextmanager
def edited_questions(folder, kind):
    """Yield a question file, and write it back in its own order."""
    path = folder / f"{FOLDER}/questions/yms/{kind}/0001.json"
    data = json.loads(path.read_text())
    yield data
    path.write_text(json.dumps(data))


def shifted_second(folder):
    with edited(folder / ANNOTATIONS) as data:
        scenes = data["yms"]["0001"]["annotations"]
        scenes[2]["begin_time"] += 1
        scenes[1]["end_time"] += 1
    return "causal2needles yms/0001: scene 3: begin_time"


def sentence_of_another_scene(folder):
    with edited(folder / ANNOTATIONS) as data:
        texts = data["yms"]["0001"]["texts"]
        texts[1], texts[2] = texts[2], texts[1]
    return "causal2needles yms/0001: sentences"


def sentence_beside_its_times(folder):
    with edited(folder / ANNOTATIONS) as data:
        data["yms"]["0001"]["annotations"][1]["text"] = "Nothing happens."
    return "causal2needles yms/0001: scene 2: text"


def wrong_window(folder):
    """Draw another one that keeps to the rule."""
    with (
        edited(folder / WINDOWS) as data,
        edited_questions(folder, "1needle") as questions,
        edited(folder / ANNOTATIONS) as annotations,
    ):
        clips = len(annotations["yms"]["0001"]["texts"])
        number, (text, [pair]) = next(
            (n, item) for n, item in enumerate(questions.items(), start=1) if item[1][0][0] > 0
        )
        windows = data["yms/0001"]["1needle"]
        padding = 0 if windows[text]["left"] else 1
        windows[text] = asdict(Window.around(Question(text, *pair), padding, clips))
    return f"causal2needles yms/0001: 1needle {number}: window"


def cause_a_scene_later(folder):
    """Point a pair at the scene after the cause's, and the window with it."""
    with edited_questions(folder, "1needle") as data, edited(folder / WINDOWS) as windows:
        text, [pair] = next((text, slots) for text, slots in data.items())
        window = windows["yms/0001"]["1needle"][text]
        pair[0], window["left"] = pair[0] + 1, window["left"] + 1
    return "causal2needles yms/0001: 1needle 1: cause"


def swapped_indices(folder):
    with edited_questions(folder, "1needle") as data:
        next(iter(data.values()))[0].reverse()
    return "expected cause < effect"


def swapped_evidence(folder):
    with edited(folder / QUESTIONS) as rows:
        row = by_kind(rows, "causal_1needle")
        row["evidence"].reverse()
        first, second = (item["event"] for item in row["evidence"])
    return f"{row['question_id']}: {first} is a cause of {second}: expected True"


def effect_before_its_cause_in_the_file(folder):
    with edited(folder / QUESTIONS) as rows:
        one, other = [row for row in rows if row["kind"] == "noncausal_1needle"][:2]
        one["segment"], other["segment"] = other["segment"], one["segment"]
    return f"{one['question_id']}: right scene"


def image_letter(folder):
    with edited_questions(folder, "2needle") as data:
        image = next(iter(data.values()))[2]
        image[1] = "A" if image[1] != "A" else "B"
    return "causal2needles yms/0001: 2needle 1: parts"


def rephrased_sentence(folder):
    """In the questions and the benchmark's file alike."""
    with edited(folder / QUESTIONS) as rows:
        images = [row for row in rows if row["kind"] == "image"]
        told = images[0]["evidence"][0]["rationale"]
        for row in rows:
            for item in row["evidence"]:
                item["rationale"] = item["rationale"].replace(told, "Nothing happens.")
    with edited_questions(folder, "2needle") as data:
        for slots in data.values():
            slots[1] = [text.replace(told, "Nothing happens.") for text in slots[1]]
    return f"{images[0]['question_id']}: evidence 1: rationale"


def right_span_moved(folder):
    with edited(folder / QUESTIONS) as rows:
        row = by_kind(rows, "second_part")
        right = next(o for o in row["options"] if o["right"])
        wrong = next(o for o in row["options"] if not o["right"])
        right["right"], wrong["right"] = False, True
        right["distractor_type"], wrong["distractor_type"] = wrong["distractor_type"], None
        row["answer"] = wrong["key"]
    return f"{row['question_id']}: answer: expected {right['key']}, found {wrong['key']}"


def scene_left_out(folder):
    with edited(folder / QUESTIONS) as rows:
        row = by_kind(rows, "causal_1needle")
        row["options"] = [o for o in row["options"] if o["right"] or o["key"] != "2"][:-1]
    return f"{row['question_id']}: scenes: expected"


def another_video(folder):
    path = folder / FOLDER / "videos/yms/0001.mp4"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data + b"\0")
    return f"{FOLDER}/videos/yms/0001.mp4: shows domino_run-0000-factual"


FORGERIES = [
    shifted_second, sentence_of_another_scene, sentence_beside_its_times, wrong_window,
    swapped_indices, cause_a_scene_later, swapped_evidence, effect_before_its_cause_in_the_file,
    image_letter, rephrased_sentence, right_span_moved, scene_left_out, another_video,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_falsehood_with_mended_digests_is_named(forge, domino_suite, tmp_path, inspect):
    folder = tmp_path / "suite"
    shutil.copytree(domino_suite, folder)
    claim = forge(folder)
    mend(folder)
    report = inspect(folder, workers=2)
    assert claim in named(report)
    assert not any("sha256" in failure.expected for failure in report.failures)
