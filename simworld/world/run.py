"""A simulation under way: what has happened so far, and what detectors may see of it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simworld.world.detectors import ConditionDetector, EventDetector
from simworld.world.engine import Engine, creation_order
from simworld.world.handles import Handle, handle_key
from simworld.world.movers import Mover
from simworld.world.rollout import Break, Contacts, Outcome, Rollout, Start
from simworld.world.sharing import Party
from simworld.world.spec import Body, Vec3, WorldSpec


@dataclass(slots=True)
class Run:
    """A simulation under way; also the view that detectors get."""

    spec: WorldSpec
    engine: Engine
    party: Party
    step: int = 0
    impulses: dict[tuple[str, str], float] = field(default_factory=dict)
    rows: list[dict[str, tuple[float, ...]]] = field(default_factory=list)
    contacts: list[Contacts] = field(default_factory=lambda: [()])
    breaks: list[Break] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    onsets: dict[str, int] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    fired: dict[str, int] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    disturbed: set[int] = field(default_factory=set)
    starts: dict[str, Start] = field(default_factory=dict)
    driven: set[str] = field(default_factory=set)
    still: dict[str, tuple[float, ...]] = field(default_factory=dict)
    watched: dict[str, EventDetector] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)
    breakable_bodies: tuple[Body, ...] = ()
    movers: tuple[Mover, ...] = ()

    def __post_init__(self) -> None:
        """Note what stands still, which events are waited for, which movers start unasked.

        What stands still is read once: pybullet rounds its turn anew in every step.
        """
        spec, engine = self.spec, self.engine
        self.still = {name: engine.state(name) for name in engine.ids if name not in engine.moving}
        self.fired = {handle_key(handle): 0 for handle in spec.handles}
        self.pending = set(spec.deadlines)
        self.breakable_bodies = tuple(
            b for b in spec.bodies if b.present and self.breakable(b.name)
        )
        for name, detector in spec.detectors.items():
            if isinstance(detector, ConditionDetector):
                self.values[name] = int(detector.holds(self))
            else:
                self.watched[name] = detector
        self.movers = spec.movers
        for mover in self.movers:
            if isinstance(mover.start, int):
                self.starts[mover.body] = Start(mover.body, mover.start, ())

    def pose(self, body: str) -> tuple[float, ...] | None:
        """Return where a body is and how it is turned, 7 numbers; None once it is broken."""
        state = self.rows[-1].get(body)
        if state is not None:
            return state[:7]
        known = self.spec.body(body)
        stands = known.mass_kg == 0 and known.present
        return (*known.position_m, *known.quat_xyzw) if stands else None

    def position(self, body: str) -> Vec3 | None:
        """Return where a body's centre is, in metres; None once it is broken."""
        pose = self.pose(body)
        return None if pose is None else pose[:3]  # type: ignore[return-value]

    def tilt_deg(self, body: str) -> float | None:
        """Return how far a body leans from upright, 0 to 180; None once it is broken."""
        pose = self.pose(body)
        if pose is None:
            return None
        x, y = pose[3:5]
        return math.degrees(math.acos(max(-1.0, 1.0 - 2.0 * (x * x + y * y))))

    def turned_deg(self, body: str) -> float | None:
        """Return how far a body has turned since the start, 0 to 180; None once it is broken."""
        pose = self.pose(body)
        if pose is None:
            return None
        began = self.spec.body(body).quat_xyzw
        same = abs(sum(a * b for a, b in zip(began, pose[3:], strict=True)))
        return math.degrees(2.0 * math.acos(min(1.0, same / math.hypot(*began))))

    def start(self, body: str) -> Vec3:
        """Return where a body's centre was before the first step, in metres."""
        return self.spec.body(body).position_m

    def impulse(self, a: str, b: str) -> float:
        """Return the normal impulse between two intact bodies in this step, in N s."""
        return self.impulses.get((a, b) if a < b else (b, a), 0.0)

    def broken(self, body: str) -> bool:
        """Tell whether a body has broken by now."""
        return body in self.gone

    def present(self, body: str) -> bool:
        """Tell whether a body stands in the scene at all."""
        return self.spec.body(body).present

    def breakable(self, body: str) -> bool:
        """Tell whether a body is of a kind that can break."""
        breakable = self.spec.body(body).breakable
        return breakable is not None and breakable.peak_m_s is not None

    def mass_kg(self, body: str) -> float:
        """Return what a body weighs."""
        return self.spec.body(body).mass_kg

    def friction(self, body: str) -> float:
        """Return a body's own coefficient of friction."""
        return self.spec.body(body).friction

    def read_states(self) -> None:
        """Note where everything that moves is now."""
        self.rows.append({name: self.engine.state(name) for name in self.engine.moving})

    def count(self, handle: Handle) -> None:
        """Note that a handle acted."""
        self.fired[handle_key(handle)] += 1

    def settled(self) -> bool:
        """Tell whether each event has occurred or its deadline has passed."""
        deadlines = self.spec.deadlines
        self.pending = {n for n in self.pending - self.onsets.keys() if self.step < deadlines[n]}
        return not self.pending


def finish(run: Run, settled_step: int) -> Rollout:
    """Make a rollout of what has happened."""
    names = [body.name for body in creation_order(run.spec)]
    names += [shard for broken in run.breaks for shard in broken.shards]
    states = np.full((len(run.rows), len(names), 13), np.nan)
    for column, name in enumerate(names):
        known = [k for k, row in enumerate(run.rows) if name in row]
        if known:
            states[known, column] = [run.rows[k][name] for k in known]
        elif name in run.still:
            states[:, column] = run.still[name]
    values = dict(run.values)
    for name in run.spec.deadlines:
        values[name] = int(name in run.onsets)
    outcome = Outcome(
        values={name: values[name] for name in sorted(values)},
        onsets=dict(sorted(run.onsets.items())),
        fired=dict(sorted(run.fired.items())),
        settled_step=settled_step,
        digest=_digest(names, states[: settled_step + 1]),
        void=False,
    )
    starts = tuple(start for start in run.starts.values() if start.step <= run.step)
    return Rollout(tuple(names), states, tuple(run.contacts), tuple(run.breaks), outcome, starts)


def _digest(names: list[str], states: NDArray[np.float64]) -> str:
    """Hash the states of the bodies that existed, canonically."""
    exists = [k for k in range(len(names)) if not np.isnan(states[:, k, 0]).all()]
    text = "\n".join(names[k] for k in exists)
    hasher = hashlib.sha256(text.encode())
    hasher.update(np.ascontiguousarray(states[:, exists]).tobytes())
    return hasher.hexdigest()
