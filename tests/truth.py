"""The law of agreement over the library, at length: `make truth` writes docs/truth.md.

For each scene and context: the empty intervention and every single one, without noise and under
noise; in so many contexts as are looked at deeply, every pair that handles can bring about, and
every draw of the sieve. A context that is implausible, or whose truth moves under the sieve, is
rejected and counted. The margin is the smallest of the larger noises tried that flips a value of
the factual world. The table is written after each scene; a run of some scenes replaces their rows.
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

For every context of every scene, model and physics are compared: the empty intervention and every
single one, without noise and under one draw of 2 % noise. In some, as many as the column "deeply"
says, every pair of interventions comes on top, and {sieve} draws of noise. A context that is
implausible, or whose truth moves under the noise, is rejected. The last column counts contexts by
the smallest of the larger noises (5, 10, 20 % of each range) that flips a value of the factual
world; "none" stands all of them. "s" is the median of a context's seconds, on a machine that had
other work.

Made by `{command}`.

| scene | variables | contexts | deeply | rollouts | disagree | void | rejected | s | margins |
|---|---|---|---|---|---|---|---|---|---|
"""


def row_of(mine: Sequence[Found], deep: int) -> str:
    """The table's row for one scene's contexts."""
    rejected = sum(bool(row.rejected) for row in mine)
    margins = [row.margin for row in mine if not row.rejected]
    spread = ", ".join(
        f"{'none' if m is None else format(m, '.0%')}: {margins.count(m)}"
        for m in (*LARGER, None)
        if m in margins
    )
    cells = [
        mine[0].scene,
        len(load_scene(mine[0].scene).scm.endogenous),
        len(mine),
        deep,
        sum(row.rollouts for row in mine),
        sum(len(row.disagreements) for row in mine),
        sum(row.voids for row in mine),
        f"{rejected} ({rejected / len(mine):.0%})",
        f"{statistics.median(row.seconds for row in mine):.1f}",
        spread,
    ]
    return f"| {' | '.join(map(str, cells))} |\n"


def rows_in(path: Path) -> dict[str, str]:
    """The rows of a table written before, by scene, so that one scene can be run again alone."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    names = {line.split(" ")[1]: line for line in lines if line.startswith("| ")}
    return {name: names[name] for name in library() if name in names}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", help="Scenes; all if none is named.")
    parser.add_argument("--contexts", type=int, default=64)
    parser.add_argument("--sieve", type=int, default=8)
    parser.add_argument("--deep", type=int, default=64, help="Contexts with pairs and the sieve.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "truth.md")
    chosen = parser.parse_args()
    deep = min(chosen.deep, chosen.contexts)
    command = "python -m tests.truth"
    command += f" --contexts {chosen.contexts} --deep {deep} --sieve {chosen.sieve}"
    head = HEAD.format(command=command, sieve=chosen.sieve)
    rows, disagreements = rows_in(chosen.out), 0
    with Workers() as pool:
        for name in chosen.scenes or list(library()):
            tasks = [
                Task(name, k, chosen.sieve if k < deep else 1, pairs=k < deep)
                for k in range(chosen.contexts)
            ]
            found = dict(pool.each(examine, tasks))
            for index, one in sorted(found.items()):
                problem = one.rejected or "; ".join(one.disagreements)
                if problem:
                    print(f"{name} {index}: {problem}", flush=True)
                disagreements += len(one.disagreements)
            rows[name] = row_of([found[index] for index in sorted(found)], deep)
            ordered = [rows[known] for known in library() if known in rows]
            chosen.out.write_text(head + "".join(ordered), encoding="utf-8")
            print(rows[name], end="", flush=True)
    return int(disagreements > 0)


if __name__ == "__main__":
    raise SystemExit(main())
