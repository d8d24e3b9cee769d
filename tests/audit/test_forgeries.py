"""One falsehood at a time, every digest mended after it: the audit names the claim."""

import json
import shutil
from itertools import permutations

import numpy as np
import pytest

from simworld.annotate.tracks import Tracks
from simworld.store import read_json
from tests.audit.forge import CASTBENCH, CAUSALSTEP, DECISIONS, QUESTIONS, copies, edited, mend

pytestmark = pytest.mark.slow

FACTUAL = "falling_cup-0000-factual"
RUG = "falling_cup-0000-rug"
NUISANCE = "falling_cup-0000-nuisance"
TRUTH = f"clips/{FACTUAL}/truth.json"
MECHANISM = "mechanisms/falling_cup.json"
CANDIDATES = "groups/*/candidates.json"
TWINS = ("twins.jsonl", "groups/*/twins.json")


def claims(report) -> str:
    return "\n".join(map(str, report.failures))


def test_the_suite_as_generated_holds(inspect, small_suite):
    report = inspect(small_suite, workers=2)
    assert report.ok, claims(report)
    assert report.counts["verdicts"] > 100
    assert report.counts["rollouts"] > 400
    assert report.counts["non-edges"] > 100


def edge(data, cause, effect):
    return next(e for e in data["edges"] if (e["from"], e["to"]) == (cause, effect))


def variable(data, name):
    return next(v for v in data["variables"] if v["name"] == name)


def verdict(data, cause, effect):
    return next(v for v in data["verdicts"] if (v["cause"], v["effect"]) == (cause, effect))


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


def edge_removed(folder):
    with edited(folder / MECHANISM) as data:
        data["edges"].remove(edge(data, "hard_floor", "shatter"))
    return "edge hard_floor -> shatter"


def edge_removed_with_its_column(folder):
    """Take the parent from the tables as well; now the file agrees with itself."""
    with edited(folder / MECHANISM) as data:
        data["edges"].remove(edge(data, "hard_floor", "shatter"))
        shatter = variable(data, "shatter")
        at = shatter["parents"].index("hard_floor")
        shatter["table"] = [r[:at] + r[at + 1 :] for r in shatter["table"] if r[at] == 1]
        shatter["parents"].remove("hard_floor")
    return "no edge hard_floor -> shatter: expected an edge"


def edge_added(folder):
    with edited(folder / MECHANISM) as data:
        data["edges"].append({**edge(data, "bump", "slide"), "from": "knock"})
    return "edge knock -> slide"


def edge_added_with_a_column(folder):
    with edited(folder / MECHANISM) as data:
        data["edges"].append({**edge(data, "bump", "slide"), "from": "knock"})
        slide = variable(data, "slide")
        slide["table"] = [[v, *row] for row in slide["table"] for v in (0, 1)]
        slide["parents"].insert(0, "knock")
        data["non_edges"] = [
            r for r in data["non_edges"] if (r["from"], r["to"]) != ("knock", "slide")
        ]
    return "edge knock -> slide: expected no edge"


def role_swapped(folder):
    with edited(folder / MECHANISM) as data:
        edge(data, "hard_floor", "shatter")["role"] = "triggers"
    return "edge hard_floor -> shatter: role: expected enables, found triggers"


def equation_wrong(folder):
    """The mug breaks on a rug too, says the table."""
    with edited(folder / MECHANISM) as data:
        shatter = variable(data, "shatter")
        at = shatter["parents"].index("hard_floor")
        for row in shatter["table"]:
            if row[at] == 0:
                hard = [*row[:at], 1, *row[at + 1 :]]
                row[-1] = next(r[-1] for r in shatter["table"] if r[:-1] == hard[:-1])
    return "equation of shatter: expected what the physics gives in every rollout"


def non_edge_removed(folder):
    with edited(folder / MECHANISM) as data:
        data["non_edges"] = [
            r for r in data["non_edges"] if (r["from"], r["to"]) != ("knock", "shatter")
        ]
    return "no edge knock -> shatter"


def non_edge_half_proven(folder):
    with edited(folder / MECHANISM) as data:
        row = next(r for r in data["non_edges"] if (r["from"], r["to"]) == ("knock", "shatter"))
        row["proof"] = row["proof"][1:]
    return "no edge knock -> shatter: proof: expected a toggle under every setting"


def sufficiency_wrong(folder):
    with edited(folder / MECHANISM) as data:
        data["sufficiency"][0].update(share=1.0, n=3)
    return "sufficiency of"


def verdict_flipped(folder):
    with edited(folder / TRUTH) as data:
        row, trigger = verdict(data, "knock", "shatter"), verdict(data, "bump", "shatter")
        kept = {key: row[key] for key in ("cause", "effect", "proof")}
        row.update({**trigger, **kept, "cause_set": ["knock"]})
    return f"{FACTUAL}: cause(knock, shatter): role"


def verdict_removed(folder):
    with edited(folder / TRUTH) as data:
        data["verdicts"].remove(verdict(data, "bump", "shatter"))
    return f"{FACTUAL}: cause(bump, shatter): expected a verdict: trigger"


def proof_of_another_verdict(folder):
    with edited(folder / TRUTH) as data:
        proof = verdict(data, "knock", "shatter")["proof"]
        verdict(data, "bump", "shatter")["proof"] = proof
    return f"{FACTUAL}: cause(bump, shatter): proof"


def rollout_changed(folder):
    with edited(folder / TRUTH) as data:
        run = next(r for r in data["rollouts"].values() if r["do"] == "do(bump := 0)")
        run["values"]["shatter"] = 1
    return "do(bump := 0): values: expected"


def rollout_renamed(folder):
    """Another intervention's rollout under the id of this one."""
    with edited(folder / TRUTH) as data:
        runs = data["rollouts"]
        one, other = (
            next(n for n, r in runs.items() if r["do"] == do)
            for do in ("do(bump := 0)", "do(knock := 0)")
        )
        runs[one] = runs[other]
    return "id: expected"


def sieve_thinned(folder):
    with edited(folder / TRUTH) as data:
        shaken = [
            n for n, r in data["rollouts"].items() if r["noise"] and r["do"] == "do(bump := 0)"
        ]
        for name in shaken:
            del data["rollouts"][name]
    return f"{FACTUAL}: margin, draw 1, do(bump := 0)"


def margin_overstated(folder):
    with edited(folder / TRUTH) as data:
        data["margin"]["draws"] = 8
    return f"{FACTUAL}: margin: expected"


def color_changed(folder):
    with edited(folder / TRUTH) as data:
        data["objects"]["ball"]["color"] = "blue"
    return f"{FACTUAL}: objects"


def box_moved(folder):
    path = folder / "clips" / FACTUAL / "tracks.npz"
    tracks = Tracks.load(path)
    mug = list(tracks.names).index("mug")
    tracks.visible_xyxy_px[7, mug] += np.float32(3.0)
    tracks.save(path)
    return f"{FACTUAL}: visible_xyxy_px of mug in frame 7"


def object_moved(folder):
    path = folder / "clips" / FACTUAL / "tracks.npz"
    tracks = Tracks.load(path)
    tracks.position_m[7, list(tracks.names).index("ball"), 0] += 0.01
    tracks.save(path)
    return f"{FACTUAL}: position_m of ball in frame 7"


def occlusion_changed(folder):
    path = folder / "clips" / FACTUAL / "tracks.npz"
    tracks = Tracks.load(path)
    tracks.occlusion[0, list(tracks.names).index("table")] = 0.5
    tracks.save(path)
    return f"{FACTUAL}: occlusion of table in frame 0"


def video_of_another_twin(folder):
    """In the clip and in the benchmark alike."""
    video = folder / "clips" / RUG / "video.mp4"
    shutil.copy(video, folder / "clips" / FACTUAL / "video.mp4")
    with edited(folder / QUESTIONS) as rows:
        number = next(r["video"] for r in rows if r["clip"] == FACTUAL)
    target = folder / f"benchmarks/causalstep/videos/{number:04d}.mp4"
    target.unlink()
    shutil.copy(video, target)
    return f"{FACTUAL}: video.mp4 shows the rollout"


def benchmark_video_of_another_twin(folder):
    with edited(folder / QUESTIONS) as rows:
        number = next(r["video"] for r in rows if r["clip"] == FACTUAL)
    target = folder / f"benchmarks/causalstep/videos/{number:04d}.mp4"
    target.unlink()
    shutil.copy(folder / "clips" / NUISANCE / "video.mp4", target)
    return f"benchmarks/causalstep/videos/{number:04d}.mp4: shows {FACTUAL}"


def ids_of_another_twin(folder):
    shutil.copy(folder / "clips" / RUG / "ids.mkv", folder / "clips" / FACTUAL / "ids.mkv")
    return f"{FACTUAL}: ids.mkv holds the ids"


def boundary_shifted(folder):
    with edited(folder / "clips" / FACTUAL / "segments.json") as rows:
        rows[1]["stop_frame"] += 1
        rows[2]["start_frame"] += 1
    return f"{FACTUAL}: segment 2: stop_frame"


def descriptions_swapped(folder):
    with edited(folder / "clips" / FACTUAL / "segments.json") as rows:
        one, other = rows[1], rows[2]
        one["description"], other["description"] = other["description"], one["description"]
    return f"{FACTUAL}: segment 2: description"


def span_told_otherwise(folder):
    with edited(folder / "clips" / FACTUAL / "spans.json") as rows:
        rows[0]["description"] = rows[0]["description"].replace("the red ball bumps the mug", "")
    return f"{FACTUAL}: span 1: description"


def event_later(folder):
    with edited(folder / "clips" / FACTUAL / "events.json") as rows:
        fall = next(r for r in rows if r["event"] == "fall")
        fall["start_frame"] += 1
    return f"{FACTUAL}: event fall: start_frame"


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


def twin_unchanged(folder):
    def change(row):
        if row["twin_id"] == RUG:
            row["changed"].remove("shatter")
            row["unchanged"].append("shatter")

    copies(folder, change, *TWINS)
    return f"{RUG}: twin: changed"


def twin_staged_otherwise(folder):
    def change(row):
        if row["twin_id"] == RUG:
            row.update(intervention="do(brittle_mug := 0)", means="staged:steel_mug")

    copies(folder, change, *TWINS)
    return f"{RUG}: twin: intervention"


def twin_same_body(folder):
    def change(row):
        if row["twin_id"] == RUG:
            row["same_bodies"] = sorted([*row["same_bodies"], "mug"])

    copies(folder, change, *TWINS)
    return f"{RUG}: twin: same body mug"


def divergence_later(folder):
    def change(row):
        if row["twin_id"] == RUG:
            row["divergence_frame"] = row["divergence_frame"] + 1

    copies(folder, change, *TWINS)
    return f"{RUG}: twin: divergence_frame"


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


def recipe_changed(folder):
    with edited(folder / "manifest.json") as manifest, edited(folder / "recipe.json") as recipe:
        manifest["recipe"]["seed"] = recipe["seed"] = 1
    return f"{FACTUAL}: context: expected one that the recipe draws"


def fewer_filtered(folder):
    with edited(folder / "manifest.json") as manifest:
        counts = manifest["filters"]["questions"]["castbench"]
        counts["candidates"], counts["not_proven"] = 3, 0
    return "filters: questions"


def said_to_be_balanced(folder):
    with edited(folder / "manifest.json") as manifest:
        [note] = manifest["filters"]["notes"]
        manifest["filters"]["notes"] = []
    card = folder / "README.md"
    card.write_text(card.read_text().replace(f"\n\n{note}", ""))
    return "filters: notes: expected [\"CaST-Bench's questions are not balanced"


FORGERIES = [
    other_answer, edge_removed, edge_removed_with_its_column, edge_added,
    edge_added_with_a_column, role_swapped, equation_wrong, non_edge_removed,
    non_edge_half_proven, sufficiency_wrong, verdict_flipped, verdict_removed,
    proof_of_another_verdict, rollout_changed, rollout_renamed, sieve_thinned, margin_overstated,
    color_changed, box_moved, object_moved, occlusion_changed, video_of_another_twin,
    benchmark_video_of_another_twin, ids_of_another_twin, span_told_otherwise, boundary_shifted,
    descriptions_swapped, event_later, wrong_option_true, text_of_another_claim, kinds_swapped,
    question_on_another_part, evidence_elsewhere, option_proof_dropped, other_supposition,
    stop_after_the_fall, evidence_after_the_stop, video_that_goes_on,
    evidence_of_a_decoy, benchmark_box_moved, twin_unchanged, twin_staged_otherwise,
    twin_same_body, divergence_later, benchmark_answer, benchmark_repair,
    recipe_changed, fewer_filtered, said_to_be_balanced,
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_falsehood_with_mended_digests_is_named(forge, forged, inspect):
    claim = forge(forged)
    mend(forged)
    report = inspect(forged, workers=2)
    assert not report.ok
    assert claim in claims(report)
    assert not any("sha256" in failure.expected for failure in report.failures)


@pytest.mark.parametrize(
    "name", [TRUTH, MECHANISM, QUESTIONS, f"clips/{FACTUAL}/video.mp4", CAUSALSTEP, "README.md"]
)
def test_a_changed_file_is_named_by_its_digest(name, forged, inspect):
    with (forged / name).open("ab") as file:
        file.write(b"\n")
    report = inspect(forged, workers=2)
    assert name in [failure.claim for failure in report.failures]


def test_a_missing_and_an_extra_file_are_named(forged, inspect):
    (forged / "clips" / RUG / "events.json").unlink()
    (forged / "clips" / RUG / "notes.txt").write_text("")
    report = inspect(forged, workers=2)
    named = [failure.claim for failure in report.failures]
    assert {f"clips/{RUG}/events.json", f"clips/{RUG}/notes.txt"} <= set(named)
    assert "sha256" in str(report.failures[0])


def test_a_digest_that_fails_hides_no_false_claim(forged, inspect):
    claim = role_swapped(forged)
    report = inspect(forged, workers=2)
    assert MECHANISM in [failure.claim for failure in report.failures]
    assert claim in claims(report)


@pytest.mark.parametrize("name", [TRUTH, MECHANISM, QUESTIONS, "twins.jsonl", CAUSALSTEP])
def test_a_file_of_another_shape_is_a_failure_and_no_crash(name, forged, inspect):
    (forged / name).write_text('{"schema": 1}\n')
    mend(forged)
    assert not inspect(forged, workers=2).ok
