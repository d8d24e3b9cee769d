"""Falsehoods about questions: what is asked, offered, right, and shown."""

import json
import shutil
from itertools import permutations

from simworld.store import read_json
from tests.audit.forge import (
    CANDIDATES,
    CASTBENCH,
    CAUSALSTEP,
    DECISIONS,
    FACTUAL,
    QUESTIONS,
    copies,
    edited,
)


def other_answer(folder):
    """Move the right answer of a causal question, consistently in all files."""
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal")
        right = next(o for o in row["options"] if o["right"])
        wrong = next(o for o in row["options"] if not o["right"])
        name, keys = row["question_id"], (wrong["key"], right["key"])
        row["answer"], texts = wrong["key"], (wrong["text"], right["text"])
        right["distractor_type"], wrong["distractor_type"] = wrong["distractor_type"], None
        right["right"], wrong["right"] = False, True

    def move(row):
        for question in row["questions"]:
            if question["question_id"] == name:
                question["answer"] = keys[0]
                question["distractor_types"][keys[1]] = question["distractor_types"].pop(keys[0])

    def move_candidate(row):
        if row["clip"] == FACTUAL and {o.get("text") for o in row["options"]} >= set(texts):
            for option in row["options"]:
                option["right"] = option["text"] == texts[0]

    copies(folder, move, CAUSALSTEP)
    copies(folder, move_candidate, CANDIDATES)
    return f"{name}: answer: expected {keys[1]}, found {keys[0]}"


def wrong_option_true(folder):
    """Word the right answer otherwise and put it in the place of a wrong one."""
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["question_id"].endswith("c2"))
        right = next(o for o in row["options"] if o["right"])
        wrong = next(o for o in row["options"] if o["distractor_type"] == "temporal_confusion")
        texts = {"The red ball bumped the mug.", "The red ball rolled into the mug."}
        wrong.update(claim=right["claim"], text=min(texts - {right["text"]}), proof=right["proof"])
    return f"{row['question_id']}: option {wrong['key']} {wrong['claim']}: right"


def text_of_another_claim(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "descriptive")
        one, other = (o for o in row["options"] if not o["right"] and o["key"] in "ABC"[:3]), None
        one, other = list(one)[:2]
        one["text"], other["text"] = other["text"], one["text"]
    return f"option {one['key']} {one['claim']}: text"


def kinds_swapped(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal")
        wrong = {o["claim"]: o for o in row["options"] if not o["right"]}
        errors = kinds_offered(folder, row)
        one, other = next(
            (one, other)
            for one, other in permutations(wrong, 2)
            if wrong[other]["distractor_type"] not in errors[one]
        )
        kinds = [wrong[claim]["distractor_type"] for claim in (other, one)]
        wrong[one]["distractor_type"], wrong[other]["distractor_type"] = kinds
    return f"option {wrong[one]['key']} {one}: kind"


def kinds_offered(folder, row):
    """Return in which ways each claim errs that may be offered in a question."""
    path = folder / "groups" / row["group"] / "candidates.json"
    asked = [row[key] for key in ("clip", "benchmark", "kind", "segment")]
    [found] = [
        c
        for c in read_json(path)
        if [c[key] for key in ("clip", "benchmark", "kind", "segment")] == asked
    ]
    return {option["claim"]: option.get("kinds", []) for option in found["options"]}


def question_on_another_part(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["question_id"].endswith("d3"))
        row["question"] = row["question"].replace("part 3", "part 2")
    return f"{row['question_id']}: text"


def evidence_elsewhere(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal")
        row["evidence"][0]["start_frame"] -= 1
    return f"{row['question_id']}: evidence 1: start_frame"


def option_proof_dropped(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal")
        right = next(o for o in row["options"] if o["right"])
        right["proof"] = right["proof"][:1]
    return f"option {right['key']} {right['claim']}: proof"


def other_supposition(folder):
    """Move the right answer of a counterfactual question, consistently in all files."""
    with edited(folder / QUESTIONS) as rows:
        row = next(
            r for r in rows if r["clip"] == FACTUAL and r["kind"] == "counterfactual_reasoning"
        )
        right = next(o for o in row["options"] if o["right"])
        wrong = next(o for o in row["options"] if o["distractor_type"] == "surface_level")
        right["distractor_type"], wrong["distractor_type"] = wrong["distractor_type"], None
        right["right"], wrong["right"] = False, True
        name, row["answer"] = row["question_id"], wrong["key"]

    def move(question):
        if question["qa_id"] == name:
            question["answer"] = wrong["key"]

    copies(folder, move, CASTBENCH)
    return f"{name}: option {wrong['key']} {wrong['claim']}: right: expected False, found True"


def foretold_row(rows):
    return next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "predictive_anticipation")


def stop_after_the_fall(folder):
    with edited(folder / QUESTIONS) as rows:
        row = foretold_row(rows)
        row["stop_frame"] = 35
    return f"{row['question_id']}: option {row['answer']} tells of what comes later"


def evidence_after_the_stop(folder):
    with edited(folder / QUESTIONS) as rows:
        row = foretold_row(rows)
        row["evidence"][0]["stop_frame"] = 30
    return f"{row['question_id']}: evidence after the video stops"


def video_that_goes_on(folder):
    with edited(folder / QUESTIONS) as rows:
        number = foretold_row(rows)["video"]
    name = f"benchmarks/castbench/videos/sim_{number:04d}_start.mp4"
    shutil.copy(folder / "clips" / FACTUAL / "video.mp4", folder / name)
    return f"{name}: shows {FACTUAL}"


def evidence_of_a_decoy(folder):
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal_explanation")
        row["evidence"][0] = {
            "event": "knock",
            "object": "green_ball",
            "start_frame": 10,
            "stop_frame": 11,
            "rationale": "The green ball rolls into the yellow box.",
        }
    return f"{row['question_id']}: evidence 1"


def benchmark_box_moved(folder):
    def move(question):
        items = json.loads(question["evidence"])
        boxes = items[0]["bboxes_in_range"]
        second = min(boxes)
        x1, y1, x2, y2 = json.loads(boxes[second])
        boxes[second] = str([x1 + 3, y1, x2 + 3, y2])
        question["evidence"] = json.dumps(items)

    copies(folder, move, CASTBENCH)
    return "castbench question castbench-0001-c1: evidences"


def benchmark_answer(folder):
    """Only the benchmark's copy is forged."""

    def change(row):
        question = row["questions"][0]
        wrong = next(letter for letter in "AB" if letter != question["answer"])
        kinds = question["distractor_types"]
        kinds[question["answer"]] = kinds.pop(wrong)
        question["answer"] = wrong

    copies(folder, change, CAUSALSTEP)
    return "causalstep video 0001: question"


def benchmark_repair(folder):
    """Only the copy that models are asked from is forged."""

    def change(row):
        row["answer"] = next(letter for letter in row["options"] if letter != row["answer"])

    copies(folder, change, DECISIONS)
    return "decision decisions-0001-r1: answer"


OF_QUESTIONS = [
    other_answer, wrong_option_true, text_of_another_claim, kinds_swapped,
    question_on_another_part, evidence_elsewhere, option_proof_dropped, other_supposition,
    stop_after_the_fall, evidence_after_the_stop, video_that_goes_on, evidence_of_a_decoy,
    benchmark_box_moved, benchmark_answer, benchmark_repair,
]  # fmt: skip
