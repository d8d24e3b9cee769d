"""What the truth of one context costs, against the plain way: each rollout from t = 0 to the end.

    python -m tests.perf.truth [--json] [--scene NAME] [--draws N]

Both sides run the same rollouts of one context of a scene (every intervention of its truth and
of the sieve), in one worker, in turn, nothing drawn. Rows: `truth_vs_plain` is the whole; the
others take one saving at a time.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable

from simworld.errors import PlausibilityError
from simworld.executors import Workers
from simworld.lab import Lab
from simworld.rehearsal import Sieve, rehearse
from simworld.scene import load_scene
from simworld.truth import Rehearsal
from simworld.twins import other_looks
from simworld.world.simulate import Until, simulate

NOISE = 0.02


def measure(name: str, draws: int, rounds: int) -> tuple[int, dict[str, float]]:
    """Return how many rollouts the truth takes, and median seconds for each way of doing them."""
    scene = load_scene(name)
    context = scene.draw(0, "train", 0, 0, scene.showcase)
    noises = tuple(scene.noise(0, "train", 0, 0, draw, NOISE) for draw in range(1, draws + 1))
    looks = other_looks(scene, context, 0, "train", 0)
    kept: dict[str, Rehearsal] = {}

    def ours() -> None:
        lab = Lab(scene)
        rehearse(lab, "clip", context, Sieve(NOISE, noises), looks)
        kept.update(lab.rehearsals)

    def alone(until: Until) -> Callable[[], None]:
        def run() -> None:
            for one in kept.values():
                try:
                    simulate(scene.world(one.context.shifted(one.noise), one.do), until)
                except PlausibilityError:
                    continue

        return run

    ways = {"ours": ours, "settled": alone("settled"), "end": alone("end")}
    took: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            began = time.perf_counter()
            run()
            took[way].append(time.perf_counter() - began)
    return len(kept), {way: statistics.median(times) for way, times in took.items()}


def row(name: str, ours: float, theirs: float) -> dict[str, object]:
    return {"name": name, "ours": ours, "theirs": theirs, "ratio": ours / theirs, "unit": "s"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--scene", default="falling_cup")
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    from tests.perf.truth import measure as importable

    with Workers(1) as pool:
        count, s = pool.call(importable, chosen.scene, chosen.draws, chosen.rounds)
    rows = [
        row("truth_vs_plain", s["ours"], s["end"]),
        row("settled_vs_end", s["settled"], s["end"]),
        row("shared_vs_alone", s["ours"], s["settled"]),
    ]
    if chosen.json:
        print(json.dumps({"machine": platform.platform(), "rollouts": count, "rows": rows}))
        return
    print(f"{chosen.scene}: {count} rollouts, {count / s['ours']:.0f} a second")
    for one in rows:
        print(f"{one['name']:16} {one['ours']:7.2f} {one['theirs']:7.2f} s  {one['ratio']:.2f}")


if __name__ == "__main__":
    main()
