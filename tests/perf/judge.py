"""What scoring costs, against reading the same files as JSON and doing nothing with them.

    python -m tests.perf.judge [--json] [--questions N]

Two thousand CaST-Bench questions with one to three evidences and as many predicted instances are
scored, intervals and strata included. Both sides are measured in turn, in one process.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simworld.benchmarks.castbench.metrics import score
from simworld.benchmarks.castbench.schema import clock_text
from simworld.rng import stream

ROUNDS = 3


def question(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a row of the truth and a line of predictions."""
    rng = stream("perf judge", number)
    evidence, instances = [], []
    for instance in range(int(rng.integers(1, 4))):
        start = int(rng.integers(0, 50))
        seconds = range(start, start + int(rng.integers(3, 17)))
        times = {
            "evidence_start_time": clock_text(seconds[0]),
            "evidence_end_time": clock_text(seconds[-1]),
            "evidence_rationale": "A ball rolls into a mug.",
        }
        true = {str(t): f"[{10 + t}, 20, {60 + t}, 90]" for t in seconds}
        said = {clock_text(t): [12 + t, 22, 63 + t, 92] for t in seconds}
        evidence.append(
            times | {"evidence_instance_id": f"Ball_{instance}", "bboxes_in_range": true}
        )
        instances.append(
            {"instance_name": "ball", "evidences": [times | {"bboxes_in_time_range": said}]}
        )
    text = f"Why does person {number} bend over?"
    row = {
        "video": f"v{number // 2}.mp4",
        "question": text,
        "question_type": "Causal Explanation",
        "scene_category": "Street",
        "options": {letter: f"Option {letter}." for letter in "ABCDEF"},
        "answer": "ABCDEF"[number % 6],
        "evidence": json.dumps(evidence),
    }
    predict = json.dumps({"instances": instances, "answer_choice": "C"})
    prompt = f"Question: {text}\n\nOptions:\nA: Option A."
    return row, {"prompt": prompt, "predict": predict}


def measure(questions: int) -> dict[str, Any]:
    """Return the row: median seconds of scoring, and of parsing the same files."""
    with tempfile.TemporaryDirectory() as name:
        truth, predictions = Path(name) / "castbench_hf.jsonl", Path(name) / "predictions.jsonl"
        rows = [question(number) for number in range(questions)]
        for path, side in ((truth, 0), (predictions, 1)):
            path.write_text("".join(json.dumps(row[side]) + "\n" for row in rows))

        def ours() -> None:
            score(truth, predictions)

        def parsed() -> None:
            for path, key in ((truth, "evidence"), (predictions, "predict")):
                for line in path.read_text().splitlines():
                    json.loads(json.loads(line)[key])

        took: dict[Callable[[], None], list[float]] = {ours: [], parsed: []}
        for _ in range(ROUNDS):
            for run, seconds in took.items():
                began = time.perf_counter()
                run()
                seconds.append(time.perf_counter() - began)
    a, b = (statistics.median(seconds) for seconds in took.values())
    name = f"score_{questions}_castbench_questions_vs_parsing_them"
    return {"name": name, "ours": a, "theirs": b, "ratio": a / b, "unit": "s"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--questions", type=int, default=2000)
    given = parser.parse_args()
    row = measure(given.questions)
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    if given.json:
        print(json.dumps({"machine": machine, "rows": [row]}))
        return
    print(f"{row['name']}: {row['ours']:.2f} s, {row['theirs']:.2f} s, ratio {row['ratio']:.1f}")


if __name__ == "__main__":
    main()
