"""What is claimed of a scene: its model, edges, non-edges and sufficiency.

The audit toggles everything itself. That an edge or a non-edge holds is read from those
rollouts; that the file's own proof shows it is checked besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simworld.audit.replays import Replays, factual
from simworld.audit.report import Findings
from simworld.audit.runs import Run, Runs, read_runs
from simworld.audit.toggles import Toggles
from simworld.causal import SCM, Intervention, Value
from simworld.errors import SimworldError
from simworld.scene import Context, Scene
from simworld.store import SCHEMA
from simworld.truth import FACTUAL


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism file, read: its model, its rollouts and its reference contexts."""

    scene: Scene
    where: str
    data: Mapping[str, Any]
    scm: SCM
    runs: Runs
    contexts: Mapping[str, Context]


def read_mechanism(scene: Scene, data: Mapping[str, Any], findings: Findings) -> Mechanism:
    """Read a mechanism file; where its model cannot be read, the script's stands in."""
    where = f"mechanisms/{scene.name}.json"
    runs: dict[str, Run] = {}
    scm = scene.scm
    with findings.reading(f"{scene.name}: model", where):
        findings.expect(f"{scene.name}: schema", where, SCHEMA, data["schema"])
        findings.expect(f"{scene.name}: name", where, scene.name, data["scene"])
        findings.expect(f"{scene.name}: version", where, scene.version, data["version"])
        scm = SCM.from_json(data["variables"])
        check_declared(scene, scm, where, findings)
    with findings.reading(f"{scene.name}: rollouts", where):
        runs = read_runs(scene, data, scene.name, where, findings)
    contexts = {
        run.setting.context.digest(): run.setting.context
        for run in runs.values()
        if run.setting.do == FACTUAL and not run.setting.noise
    }
    return Mechanism(scene, where, data, scm, runs, contexts)


def check_declared(scene: Scene, scm: SCM, where: str, findings: Findings) -> None:
    """Compare a file's model with the script's, variable by variable."""
    declared = {row["name"]: row for row in scene.scm.to_json()}
    stored = {row["name"]: row for row in scm.to_json()}
    for name in [*declared, *(name for name in stored if name not in declared)]:
        claim = f"{scene.name}: equation of {name}, as the script declares it"
        findings.expect(claim, where, declared.get(name, "none"), stored.get(name, "none"))


def check_mechanism(mechanism: Mechanism, replays: Replays, findings: Findings) -> None:
    """Check all that a mechanism file claims beyond its rollouts' values."""
    data, where, who = mechanism.data, mechanism.where, mechanism.scene.name
    with findings.reading(f"{who}: reference contexts", where):
        contexts = sorted(mechanism.contexts)
        findings.expect(f"{who}: reference contexts", where, contexts, data["reference_contexts"])
    toggles = Toggles(mechanism.scm, who, tuple(mechanism.contexts.values()), replays)
    with findings.reading(f"{who}: edges", where):
        _check_edges(mechanism, toggles, findings)
    with findings.reading(f"{who}: non-edges", where):
        _check_non_edges(mechanism, toggles, findings)
    with findings.reading(f"{who}: sufficiency", where):
        _check_sufficiency(mechanism, replays, findings)


def _check_edges(mechanism: Mechanism, toggles: Toggles, findings: Findings) -> None:
    scm, where, who = mechanism.scm, mechanism.where, mechanism.scene.name
    declared = {(parent, child) for child in scm.endogenous for parent in scm.parents(child)}
    claimed: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in mechanism.data["edges"]:
        pair = (row["from"], row["to"])
        if pair in claimed or pair not in declared:
            reason = "one claim of it" if pair in claimed else "no edge: the tables have none"
            findings.fail(f"{who}: edge {pair[0]} -> {pair[1]}", where, reason, row)
        claimed.setdefault(pair, row)
    for parent, child in sorted(declared):
        findings.counts["edges"] += 1
        claim = f"{who}: edge {parent} -> {child}"
        if not toggles.matters(parent, child):
            found = "a parent that changes nothing under any setting of the others"
            findings.fail(claim, where, "no edge", found)
        if (parent, child) not in claimed:
            findings.fail(claim, where, "an edge: the tables have it", "no claim of it")
            continue
        row = claimed[parent, child]
        findings.expect(f"{claim}: role", where, edge_role(scm, parent, child), row["role"])
        with findings.reading(f"{claim}: proof", where):
            problem = _edge_proof_problem(mechanism, toggles, parent, child, row["proof"])
            if problem:
                findings.fail(f"{claim}: proof", where, "rollouts that show it", problem)


def edge_role(scm: SCM, parent: str, child: str) -> str:
    """Return an edge's role, read from the rows of the child's table."""
    variable = scm[child]
    at = variable.parents.index(parent)
    if tuple(scm[parent].domain) != (0, 1):
        return "sets"
    for row in variable.table:
        for other in variable.table:
            alike = row[:at] == other[:at] and row[at + 1 : -1] == other[at + 1 : -1]
            if alike and (row[at], other[at]) == (0, 1) and row[-1] == 1 and other[-1] == 0:
                return "prevents"
    return "enables" if scm[parent].kind == "condition" else "triggers"


def _edge_proof_problem(
    mechanism: Mechanism, toggles: Toggles, parent: str, child: str, proof: Mapping[str, Any]
) -> str:
    """Say why a proof does not show an edge; nothing if it does."""
    first, second = (_shown(mechanism, toggles, rollout) for rollout in proof["toggle"])
    control = _shown(mechanism, toggles, proof["control"])
    held = Intervention.parse(proof["held"])
    others = {name for name in mechanism.scm.parents(child) if name != parent}
    if set(held) != others:
        return f"{held} holds other variables than {child}'s other parents"
    for run in (first, second):
        rest = {name: value for name, value in run.do.items() if name != parent}
        if rest != dict(held) or parent not in run.do or run.context != first.context:
            return f"{run.do} is not {parent} toggled with {held}"
    if first.do[parent] == second.do[parent] or first.values[child] == second.values[child]:
        return f"{child} is {second.values[child]} under {first.do} and {second.do} alike"
    for base in (first, second):
        extra = {n: v for n, v in control.do.items() if n not in base.do}
        changed = [n for n, v in extra.items() if n != child and base.values.get(n) != v]
        kept = all(control.do.get(name) == value for name, value in base.do.items())
        if kept and changed and control.values[child] == base.values[child]:
            return "" if control.context == base.context else "a control in another context"
    return f"the control {control.do} does not toggle something else and leave {child} alone"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A rollout of a proof, with the values that came out when it was run again."""

    context: Context
    do: Intervention
    values: Mapping[str, Value]


def _shown(mechanism: Mechanism, toggles: Toggles, rollout: str) -> _Shown:
    """Return a rollout that a proof names.

    Raises:
        SimworldError: It is not in the file, has noise, or its handle failed.
    """
    run = mechanism.runs.get(rollout)
    if run is None or run.setting.noise or run.means != "handle":
        raise SimworldError(f"no rollout {rollout} by handles and without noise")
    levels = run.setting.context.levels
    values = {**levels, **run.setting.do, **toggles.replays.values(run.setting)}
    return _Shown(run.setting.context, run.setting.do, values)


def _check_non_edges(mechanism: Mechanism, toggles: Toggles, findings: Findings) -> None:
    scm, where, who = mechanism.scm, mechanism.where, mechanism.scene.name
    claimed: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in mechanism.data["non_edges"]:
        pair = (row["from"], row["to"])
        claim = f"{who}: no edge {pair[0]} -> {pair[1]}"
        if not set(pair) <= set(scm.order) or pair in claimed:
            findings.fail(claim, where, "one claim on two variables of the model", row)
        elif pair[0] in scm.parents(pair[1]):
            findings.fail(claim, where, "an edge: the tables have it", "a claim that there is none")
        else:
            claimed[pair] = row
    for cause in scm.order:
        for effect in scm.endogenous:
            if cause == effect or cause in scm.parents(effect):
                continue
            findings.counts["non-edges"] += 1
            with findings.reading(f"{who}: no edge {cause} -> {effect}", where):
                row = claimed.pop((cause, effect), None)
                _check_non_edge(mechanism, toggles, (cause, effect), row, findings)
    for cause, effect in claimed:
        claim = f"{who}: no edge {cause} -> {effect}"
        findings.fail(claim, where, "an effect that is no setting", effect)


def _check_non_edge(
    mechanism: Mechanism,
    toggles: Toggles,
    pair: tuple[str, str],
    row: Mapping[str, Any] | None,
    findings: Findings,
) -> None:
    """Check one claim: true of all toggles, claimed if it can be, and shown by its proof."""
    cause, effect = pair
    claim, where = f"{mechanism.scene.name}: no edge {cause} -> {effect}", mechanism.where
    tried = toggles.tried(cause, effect)
    refuted = [one for one in tried if one.changed]
    if refuted:
        findings.fail(claim, where, f"an edge: {refuted[0]}", "a model without it")
    if row is None or not tried:
        if bool(tried) != (row is not None):
            found = "no claim of it" if row is None else "a claim that no rollout shows"
            findings.fail(claim, where, f"{len(tried)} toggles that show it", found)
        return
    contexts = len({one.context for one in tried})
    findings.expect(f"{claim}: contexts", where, contexts, row["contexts"])
    shown = set()
    for one, other in row["proof"]:
        base, toggled = (_shown(mechanism, toggles, rollout) for rollout in (one, other))
        held = {name: base.do[name] for name in toggles.held_for(cause, effect)}
        alike = all(toggled.do.get(name) == value for name, value in held.items())
        apart = base.values[cause] != toggled.values[cause]
        extra = (set(base.do) | set(toggled.do)) - set(held) - {cause}
        if not alike or not apart or extra or base.context != toggled.context:
            found = f"{base.do} and {toggled.do}"
            findings.fail(f"{claim}: proof", where, f"{cause} toggled and no more", found)
        shown.add((base.context.digest(), str(Intervention.of(held))))
    for context, held_text in sorted({(one.context, one.held) for one in tried} - shown):
        found = f"none with {held_text} in context {context}"
        findings.fail(f"{claim}: proof", where, "a toggle under every setting", found)


def _check_sufficiency(mechanism: Mechanism, replays: Replays, findings: Findings) -> None:
    """Recompute each share: of contexts without both, in how many the one brings the other."""
    scm, where, who = mechanism.scm, mechanism.where, mechanism.scene.name
    rows = {(row["cause"], row["effect"]): row for row in mechanism.data["sufficiency"]}
    claims = len(mechanism.data["sufficiency"])
    pairs = [(x, y) for x in scm.endogenous for y in scm.events if x != y]
    findings.expect(f"{who}: sufficiency", where, f"{len(pairs)} claims", f"{claims} claims")
    for cause, effect in pairs:
        brought = []
        for context in mechanism.contexts.values():
            bare = factual(who, context)
            before = replays.values(bare)
            if not before[cause] and not before[effect]:
                after = replays.reached(bare.doing({cause: 1}))
                brought += [] if after is None else [after[effect]]
        share = sum(brought) / len(brought) if brought else None
        expected = {"cause": cause, "effect": effect, "share": share, "n": len(brought)}
        claim = f"{who}: sufficiency of {cause} for {effect}"
        findings.expect(claim, where, expected, rows.get((cause, effect), "nothing"))
