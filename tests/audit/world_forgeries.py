"""Falsehoods about worlds: their models, verdicts, rollouts, videos and twins."""

import shutil

import numpy as np

from simworld.annotate.tracks import Tracks
from tests.audit.forge import (
    FACTUAL,
    MECHANISM,
    NUISANCE,
    QUESTIONS,
    RUG,
    TRUTH,
    TWINS,
    copies,
    edited,
)


def edge(data, cause, effect):
    return next(e for e in data["edges"] if (e["from"], e["to"]) == (cause, effect))


def variable(data, name):
    return next(v for v in data["variables"] if v["name"] == name)


def verdict(data, cause, effect):
    return next(v for v in data["verdicts"] if (v["cause"], v["effect"]) == (cause, effect))


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


OF_WORLDS = [
    edge_removed, edge_removed_with_its_column, edge_added, edge_added_with_a_column,
    role_swapped, equation_wrong, non_edge_removed, non_edge_half_proven, sufficiency_wrong,
    verdict_flipped, verdict_removed, proof_of_another_verdict, rollout_changed,
    rollout_renamed, sieve_thinned, margin_overstated, color_changed, box_moved, object_moved,
    occlusion_changed, video_of_another_twin, benchmark_video_of_another_twin,
    ids_of_another_twin, span_told_otherwise, boundary_shifted, descriptions_swapped,
    event_later, twin_unchanged, twin_staged_otherwise, twin_same_body, divergence_later,
    recipe_changed, fewer_filtered, said_to_be_balanced,
]  # fmt: skip
