"""What two naive labellers call causes, scene by scene, against the verdicts.

    python -m tests.labelling     writes docs/labellers.md

Each scene is looked at in one context in which everything happens. Adjacency calls the latest
earlier event that shares an object with an event its cause: right if that one is an actual cause
or a part of one. Object removal says of a condition or event whether another event depends on it:
right if undoing it, or a set that it is part of, is what the verdict says; it abstains where no
object is left to take away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from simworld.causal import Verdict, verdicts
from simworld.executors import Workers
from simworld.removal import removals
from simworld.scene import Scene, library, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

PAGE = Path(__file__).resolve().parent.parent / "docs" / "labellers.md"


@dataclass
class Labels:
    """How often a labeller was right, and the pairs on which it was wrong."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    abstained: int = 0

    @property
    def labelled(self) -> int:
        return self.right + len(self.wrong)

    def add(self, pair: str, said: bool | None, true: bool) -> None:
        if said is None:
            self.abstained += 1
        elif said == true:
            self.right += 1
        else:
            self.wrong.append(pair)

    def __str__(self) -> str:
        share = f"{self.right} of {self.labelled}"
        return share + (f", abstains {self.abstained}" if self.abstained else "")


def label(name: str) -> tuple[Labels, Labels]:
    """Return how adjacency and object removal label a scene's showcase, in a worker."""
    scene = load_scene(name)
    context = scene.draw(0, "train", 0, fixed=scene.showcase)
    outcome = simulate(scene.world(context, FACTUAL), "settled").outcome
    run = partial(scene.scm.evaluate, context.levels)
    true = {(v.cause, v.effect): is_cause(v) for v in verdicts(scene.scm, run, outcome.onsets)}
    left = {one.removed: one.values for one in removals(scene, context, outcome)}
    by_touch, by_removal = Labels(), Labels()
    for effect in outcome.onsets:
        for cause in adjacent(scene, outcome, effect):
            by_touch.add(f"{cause} -> {effect}", said=True, true=true[cause, effect])
    for (cause, effect), causes in true.items():
        if outcome.values[cause] and outcome.onsets.get(cause, 0) <= outcome.onsets.get(effect, 0):
            things = apart(scene, outcome, cause, effect)
            known = [key for key in left if set(key) <= things]
            values = left[max(known, key=len)] if known else {}
            said = values[effect] != outcome.values[effect] if values else None
            by_removal.add(f"{cause} -> {effect}", said, causes)
    return by_touch, by_removal


def is_cause(verdict: Verdict) -> bool:
    return verdict.actual or verdict.part_of_cause


def parts(scene: Scene, outcome: Outcome, name: str) -> set[str]:
    return set(scene.phrase(name, outcome.values).participants)


def apart(scene: Scene, outcome: Outcome, cause: str, effect: str) -> set[str]:
    return parts(scene, outcome, cause) - parts(scene, outcome, effect)


def adjacent(scene: Scene, outcome: Outcome, effect: str) -> Iterator[str]:
    """Yield the latest earlier event that shares an object with an effect, if there is one."""
    onsets = outcome.onsets
    objects = parts(scene, outcome, effect)
    earlier = [
        name
        for name in onsets
        if onsets[name] < onsets[effect] and objects & parts(scene, outcome, name)
    ]
    if earlier:
        yield max(earlier, key=lambda name: (onsets[name], name))


def main() -> None:
    lines = [
        "# Where two naive labellers are right",
        "",
        *(__doc__ or "").strip().split("\n\n")[-1].splitlines(),
        "",
        "| scene | adjacency | object removal | adjacency errs on | object removal errs on |",
        "|---|---|---|---|---|",
    ]
    with Workers() as pool:
        names = list(library())
        for name, (touch, removal) in zip(names, pool.map(label, names), strict=True):
            wrong = [", ".join(f"`{p}`" for p in one.wrong[:4]) for one in (touch, removal)]
            lines.append(f"| {name} | {touch} | {removal} | {wrong[0]} | {wrong[1]} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
