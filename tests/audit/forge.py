"""Forges suites: changes one thing, then mends every digest, receipt and manifest after it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from simworld.annotate.segments import Segment
from simworld.causal import Intervention, Verdict
from simworld.settings import Context
from simworld.store import Suite, digest_of, sha256_of, write_json, write_jsonl
from simworld.truth import ClipTruth, Event, Margin, ProvenVerdict, Rehearsal
from simworld.world.rollout import Outcome

QUESTIONS = "questions.jsonl"
CAUSALSTEP = "benchmarks/causalstep/causalstep.jsonl"
CASTBENCH = "benchmarks/castbench/castbench_hf.jsonl"
DECISIONS = "benchmarks/decisions/decisions.jsonl"
FACTUAL = "falling_cup-0000-factual"
RUG = "falling_cup-0000-rug"
NUISANCE = "falling_cup-0000-nuisance"
TRUTH = f"clips/{FACTUAL}/truth.json"
MECHANISM = "mechanisms/falling_cup.json"
CANDIDATES = "groups/*/candidates.json"
TWINS = ("twins.jsonl", "groups/*/twins.json")


@contextmanager
def edited(path: Path) -> Iterator:
    """Yield a JSON document, or the rows of JSON lines, and write it back as it is then."""
    lines = path.suffix == ".jsonl"
    text = path.read_text()
    data = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    yield data
    (write_jsonl if lines else write_json)(path, data)


def copies(folder: Path, change: Callable[[dict], object], *names: str) -> None:
    """Make one change in every copy of a row that has these values."""
    for name in names:
        for path in folder.glob(name):
            with edited(path) as rows:
                for row in rows:
                    change(row)


def mend(folder: Path) -> None:
    """Make every receipt and the manifest fit the files as they now are."""
    for path in folder.glob("clips/*/receipt.json"):
        with edited(path) as receipt:
            receipt["outputs"] = {
                name: sha256_of(path.parent / name) for name in receipt["outputs"]
            }
    for path in folder.glob("groups/*/receipt.json"):
        with edited(path) as receipt:
            receipt["outputs"] = {name: sha256_of(folder / name) for name in receipt["outputs"]}
    with edited(folder / "manifest.json") as manifest:
        manifest["artefacts"] = Suite(folder).artefacts()
        answered = ("recipe", "versions", "artefacts")
        manifest["digest"] = digest_of({key: manifest[key] for key in answered})


def truth_of(suite: Suite, clip: str) -> ClipTruth:
    """Read a clip's truth back, as the generator holds it."""
    data = suite.truth(clip)
    contexts = {name: Context.from_json(row) for name, row in data["contexts"].items()}
    rehearsals = {
        name: Rehearsal(
            name,
            contexts[row["context"]],
            row["noise"],
            Intervention.parse(row["do"]),
            row["means"],
            Outcome(
                row["values"],
                row["onsets"],
                row["fired"],
                row["settled_step"],
                row["digest"],
                row["void"],
            ),
        )
        for name, row in data["rollouts"].items()
    }
    verdicts = []
    for row in data["verdicts"]:
        proof = tuple(reference.partition(":")[2] for reference in row.pop("proof"))
        verdicts.append(ProvenVerdict(Verdict(**row, settings=(), proven=True), proof))
    return ClipTruth(
        clip,
        data["scene"],
        data["scene_version"],
        data["rollout"],
        Context.from_json(data["context"]),
        data["values"],
        data["onsets"],
        tuple(verdicts),
        rehearsals,
        Margin(**data["margin"]),
        {name: thing["color"] for name, thing in data["objects"].items()},
    )


def shots_of(suite: Suite, clip: str) -> tuple[list[Event], list[Segment]]:
    """Read a clip's events and segments back."""
    events = [
        Event(name=row.pop("event"), participants=tuple(row.pop("participants")), **row)
        for row in suite.events(clip)
    ]
    return events, [Segment(**row) for row in suite.segments(clip)]
