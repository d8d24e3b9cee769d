"""What two naive labellers call causes, scene by scene, against the verdicts.

    python -m tests.labelling     writes docs/labellers.md

Each scene is looked at in one context in which everything happens. Asked for is the cause of
every event that happened, and of every outcome (an event on which no other depends) that did not.
Adjacency names the latest earlier event that shares an object with the event, and is right if that
one is an actual cause or a part of one; of what did not happen it names nothing, and misses a
preventer. Object removal takes away the objects of an earlier event, or of a condition, that the
effect itself does not need, and calls it a cause if the effect is then another; it abstains where
no object is left to take away. It is right where the verdict says the same. Theory is what the
structure lets expect; where the rollouts say otherwise, the last columns name the pairs.
"""

from __future__ import annotations

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

THEORY = {
    "falling_cup": ("right", "right"),
    "domino_run": ("right", "right"),
    "rube_goldberg": ("right", "right"),
    "billiard_fork": ("right", "right"),
    "common_cause": ("wrong", "right"),
    "temporal_decoy": ("wrong", "right"),
    "double_push": ("half", "wrong"),
    "racing_balls": ("right", "wrong"),
    "cut_off": ("right", "wrong"),
    "blocked_ball": ("wrong", "right"),
    "door_knocked_shut": ("wrong", "right"),
    "two_keys": ("half", "right"),
    "railroad_switch": ("wrong", "right"),
    "broken_transitivity": ("wrong", "right"),
}
"""What to expect of adjacency and of object removal; "right" for the scenes that are not here."""

COMMAND = "python -m tests.labelling"
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
    for effect in asked(scene, outcome):
        found = adjacent(scene, outcome, effect) if effect in outcome.onsets else None
        missed = [x for x in outcome.onsets if x != effect and true[x, effect]]
        if found is not None:
            by_touch.add(f"{found} -> {effect}", said=True, true=true[found, effect])
        elif effect not in outcome.onsets and missed:
            by_touch.add(f"{missed[-1]} -> no {effect}", said=False, true=True)
        for cause in scene.scm.endogenous:
            if cause == effect or not outcome.values[cause] or is_late(outcome, cause, effect):
                continue
            things = apart(scene, outcome, cause, effect)
            known = [key for key in left if set(key) <= things]
            values = left[max(known, key=lambda key: (len(key), key))] if known else {}
            said = values[effect] != outcome.values[effect] if values else None
            by_removal.add(f"{cause} -> {effect}", said, true[cause, effect])
    return by_touch, by_removal


def asked(scene: Scene, outcome: Outcome) -> list[str]:
    """Return the events that happened, and the outcomes that did not."""
    scm = scene.scm
    return [n for n in scm.events if n in outcome.onsets or not scm.descendants(n)]


def is_late(outcome: Outcome, cause: str, effect: str) -> bool:
    return outcome.onsets.get(cause, 0) > outcome.onsets.get(effect, outcome.settled_step)


def is_cause(verdict: Verdict) -> bool:
    return verdict.actual or verdict.part_of_cause


def parts(scene: Scene, outcome: Outcome, name: str) -> set[str]:
    return set(scene.phrase(name, outcome.values).participants)


def apart(scene: Scene, outcome: Outcome, cause: str, effect: str) -> set[str]:
    return parts(scene, outcome, cause) - parts(scene, outcome, effect)


def adjacent(scene: Scene, outcome: Outcome, effect: str) -> str | None:
    """Return the latest earlier event that shares an object with one that happened."""
    onsets = outcome.onsets
    objects = parts(scene, outcome, effect)
    earlier = [
        name
        for name in onsets
        if onsets[name] < onsets[effect] and objects & parts(scene, outcome, name)
    ]
    return max(earlier, key=lambda name: (onsets[name], name), default=None)


def some(pairs: list[str]) -> str:
    """Name up to three pairs."""
    named = ", ".join(f"`{pair}`" for pair in pairs[:3])
    return named + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")


def main() -> None:
    lines = [
        "# Where two naive labellers are right",
        "",
        *(__doc__ or "").strip().split("\n\n")[-1].splitlines(),
        "",
        f"The verdicts and worlds can be had again by `{COMMAND}`.",
        "",
        "| scene | adjacency | theory | object removal | theory | adjacency errs | removal errs |",
        "|---|---|---|---|---|---|---|",
    ]
    from tests.labelling import label as importable  # workers never see the main module

    with Workers() as pool:
        names = list(library())
        for name, (touch, removal) in zip(names, pool.map(importable, names), strict=True):
            wrong = [some(one.wrong) for one in (touch, removal)]
            theory = THEORY.get(name, ("right", "right"))
            cells = [name, touch, theory[0], removal, theory[1], *wrong]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
