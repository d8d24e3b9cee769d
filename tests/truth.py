"""The law of agreement over the library, at length: `make truth` writes docs/truth.md.

For each scene and context: the empty intervention, every single one, and every pair that handles
can bring about, without noise; the empty one and every single one under each draw of the sieve.
A context that is implausible, or whose truth moves under the sieve, is rejected and counted. The
margin is the smallest of the larger noises tried that flips a value of the factual world.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

from simworld.executors import Workers
from simworld.scene import library, load_scene
from tests.agreement import LARGER, Found, Task, examine

ROOT = Path(__file__).resolve().parent.parent

HEAD = """# The law of agreement over the library

For every context of every scene, model and physics are compared: the empty intervention, every
single one{pairs}, without noise; the empty one and every single one under {sieve} draws of 2 %
noise. A context that is implausible, or whose truth moves under the noise, is rejected. The last
column counts contexts by the smallest of the larger noises (5, 10, 20 % of each range) that flips a
value of the factual world; "none" stands all of them.

Made by `{command}`.

| scene | variables | contexts | rollouts | disagree | void | rejected | s a context | margins |
|---|---|---|---|---|---|---|---|---|
"""


def table(rows: Sequence[Found], command: str, sieve: int, pairs: bool) -> str:
    text = HEAD.format(command=command, sieve=sieve, pairs=" and every pair" if pairs else "")
    for name in dict.fromkeys(row.scene for row in rows):
        mine = [row for row in rows if row.scene == name]
        rejected = sum(bool(row.rejected) for row in mine)
        margins = [row.margin for row in mine if not row.rejected]
        spread = ", ".join(
            f"{'none' if m is None else format(m, '.0%')}: {margins.count(m)}"
            for m in (*LARGER, None)
            if m in margins
        )
        cells = [
            name,
            len(load_scene(name).scm.endogenous),
            len(mine),
            sum(row.rollouts for row in mine),
            sum(len(row.disagreements) for row in mine),
            sum(row.voids for row in mine),
            f"{rejected} ({rejected / len(mine):.0%})",
            f"{statistics.median(row.seconds for row in mine):.1f}",
            spread,
        ]
        text += f"| {' | '.join(map(str, cells))} |\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", help="Scenes; all if none is named.")
    parser.add_argument("--contexts", type=int, default=64)
    parser.add_argument("--sieve", type=int, default=8)
    parser.add_argument("--no-pairs", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "truth.md")
    chosen = parser.parse_args()
    names = chosen.scenes or list(library())
    pairs = not chosen.no_pairs
    tasks = [Task(n, k, chosen.sieve, pairs) for n in names for k in range(chosen.contexts)]
    rows: dict[int, Found] = {}
    with Workers() as pool:
        for index, found in pool.each(examine, tasks):
            rows[index] = found
            problem = found.rejected or "; ".join(found.disagreements)
            if problem:
                print(f"{found.scene} {tasks[index].instance}: {problem}", flush=True)
    ordered = [rows[k] for k in range(len(tasks))]
    command = "make truth" if len(chosen.scenes) == 0 else "python tests/truth.py"
    command += f" (--contexts {chosen.contexts} --sieve {chosen.sieve}"
    command += ")" if pairs else " --no-pairs)"
    chosen.out.write_text(table(ordered, command, chosen.sieve, pairs), encoding="utf-8")
    print(chosen.out)
    return int(any(row.disagreements for row in ordered))


if __name__ == "__main__":
    raise SystemExit(main())
