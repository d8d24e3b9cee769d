"""The truth about one clip: what happened, what caused it, and the rollouts that show it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from simworld.causal import Intervention, Value, Verdict
from simworld.scene import Context
from simworld.world.rollout import Outcome

FACTUAL = Intervention.of({})

FEW = 10
"""Up to so many conditions and events, a non-edge is shown with the effect's parents held.

That takes rollouts in the number of pairs. In larger scenes the cause's children are held, which
shows all non-edges of the cause at once.
"""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One rollout that was run for the truth, and how to run it again.

    `rollout` is its id: 16 hexadecimal digits of a digest of scene, version, context, noise,
    do and means. `means` is `handle` or `staged:NAME`.
    """

    rollout: str
    context: Context
    noise: Mapping[str, float]
    do: Intervention
    means: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ProvenVerdict:
    """A verdict with the ids of the rollouts that show it."""

    verdict: Verdict
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Margin:
    """How much noise the truth stood: `draws` tables at `noise` (share of range), none moved."""

    noise: float
    draws: int


@dataclass(frozen=True, slots=True)
class Removal:
    """A world without some objects: the value of each condition and event, and a digest.

    Both are empty where what happens without them could not happen. No claim about causes.
    """

    removed: tuple[str, ...]
    values: Mapping[str, int]
    digest: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a clip.

    `name` is the variable's name, or `hit(a, b)` for any other contact of two objects; a pair
    may hit more than once. Steps and frames are half-open spans. `kind` is `hit`, `slide`,
    `fall` or `break`.
    """

    name: str
    variable: str | None
    kind: str
    participants: tuple[str, ...]
    start_step: int
    stop_step: int
    start_frame: int
    stop_frame: int


@dataclass(frozen=True)
class ClipTruth:
    """Everything that is known about one rendered rollout.

    Attributes:
        clip: The clip's id.
        scene: The scene's name, and `scene_version` its version.
        rollout: Id of the rendered rollout in `rehearsals`.
        context: Its context.
        values: Value of every condition and event.
        onsets: Step at which each event that occurred set in.
        verdicts: One for each ordered pair (condition or event, event); unproven ones are left
            out.
        rehearsals: Every rollout that was run for this clip, by id, sieve included.
        margin: What the sieve found.
        colors: Colour word of each visible object.
        removals: What is left without some objects, for models that go by that.
        shown_in: Of a story, which several clips make up, the rollout that shows each variable
            and object, as `clip:rollout`; empty for a clip.
    """

    clip: str
    scene: str
    scene_version: int
    rollout: str
    context: Context
    values: Mapping[str, Value]
    onsets: Mapping[str, int]
    verdicts: tuple[ProvenVerdict, ...]
    rehearsals: Mapping[str, Rehearsal]
    margin: Margin
    colors: Mapping[str, str]
    removals: tuple[Removal, ...] = ()
    shown_in: Mapping[str, str] = field(default_factory=dict)

    @functools.cached_property
    def proofs(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The rollouts that show each proven verdict, by cause and effect."""
        return {(one.verdict.cause, one.verdict.effect): one.proof for one in self.verdicts}

    def reference(self, rollout: str) -> str:
        """Return how a proof names a rollout: `clip:rollout`; what is so named already stays."""
        return rollout if ":" in rollout else f"{self.clip}:{rollout}"
