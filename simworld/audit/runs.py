"""Stored rollouts: each is named, run again, and compared; each must be what the model says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from simworld.audit.replays import Replays, Setting
from simworld.audit.report import Findings
from simworld.causal import SCM, Intervention, Unreachable
from simworld.errors import CheckError, InputError
from simworld.lab import rollout_id
from simworld.scene import Context, Scene
from simworld.truth import FACTUAL

MAX_VOID_SHARE = 0.01
"""At most this share of a scene's rollouts may have a handle that failed."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stored rollout: its id, what it was run with, and what the file says came out."""

    rollout: str
    setting: Setting
    means: str
    record: Mapping[str, Any]


Runs = Mapping[str, Run]


def read_runs(
    scene: Scene, data: Mapping[str, Any], who: str, where: str, findings: Findings
) -> dict[str, Run]:
    """Read a file's rollouts; `who` names the file's subject in claims."""
    contexts: dict[str, Context] = {}
    for digest, row in data["contexts"].items():
        with findings.reading(f"{who}: context {digest}", where):
            contexts[digest] = context = Context.from_json(row)
            findings.expect(f"{who}: context {digest}", where, context.digest(), digest)
    runs: dict[str, Run] = {}
    for rollout, record in data["rollouts"].items():
        with findings.reading(f"{who}: rollout {rollout}", where):
            run = _read_run(scene, rollout, record, contexts)
            runs[rollout] = run
            setting = run.setting
            name = rollout_id(scene, setting.context, setting.noise, setting.do, run.means)
            findings.expect(f"{who}: rollout {rollout}: id", where, name, rollout)
    return runs


def _read_run(
    scene: Scene, rollout: str, record: Mapping[str, Any], contexts: Mapping[str, Context]
) -> Run:
    do, means = Intervention.parse(record["do"]), str(record["means"])
    names = {f"staged:{staged.name}" for staged in scene.staged}
    if means != "handle" and (means not in names or do != FACTUAL or record["noise"]):
        raise InputError(f"expected the means handle, or {', '.join(names)} alone, found {means}")
    context = contexts[record["context"]]
    scene.check_levels(context.levels)
    return Run(rollout, Setting(scene.name, context, dict(record["noise"]), do), means, record)


def check_runs(runs: Runs, replays: Replays, who: str, where: str, findings: Findings) -> None:
    """Compare what each stored rollout says with what comes out when it is run again."""
    for run in runs.values():
        findings.counts["rollouts"] += 1
        claim = f"{who}: rollout {run.rollout} {run.setting.do}"
        try:
            outcome = replays.outcome(run.setting)
        except (Unreachable, CheckError) as error:
            findings.fail(claim, where, f"no such rollout: {error}", run.record["values"])
            continue
        expected = {
            "context": run.setting.context.digest(),
            "noise": dict(run.setting.noise),
            "do": str(run.setting.do),
            "means": run.means,
            "values": dict(outcome.values),
            "onsets": dict(outcome.onsets),
            "fired": {name: count for name, count in outcome.fired.items() if count},
            "void": outcome.void,
            "settled_step": outcome.settled_step,
            "digest": outcome.digest,
        }
        findings.expect_fields(claim, where, expected, run.record)


def check_agreement(
    scm: SCM, runs: Iterable[Run], replays: Replays, who: str, where: str, findings: Findings
) -> None:
    """Hold the model to the physics: the same value of each variable in every rollout.

    One failure names each equation that is wrong, with the first rollout that shows it.
    """
    wrong: Counter[str] = Counter()
    first: dict[str, str] = {}
    voids = total = 0
    for run in runs:
        total += 1
        try:
            outcome = replays.outcome(run.setting)
            declared = scm.evaluate(run.setting.context.levels, run.setting.do)
        except (Unreachable, CheckError, InputError):
            continue  # said where the rollout itself is checked
        voids += outcome.void
        for name in scm.endogenous if not outcome.void else ():
            if outcome.values.get(name) != declared[name]:
                wrong[name] += 1
                first.setdefault(
                    name,
                    f"{declared[name]} in rollout {run.rollout} {run.setting.do}, where the "
                    f"physics gives {outcome.values.get(name)}",
                )
    for name, count in wrong.items():
        found = f"{count} rollouts that do not, such as {first[name]}"
        findings.fail(
            f"{who}: equation of {name}", where, "what the physics gives in every rollout", found
        )
    if voids > MAX_VOID_SHARE * total:
        findings.fail(f"{who}: handles", where, f"at most {MAX_VOID_SHARE:.0%} of them fail", voids)
