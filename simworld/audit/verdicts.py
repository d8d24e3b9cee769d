"""A clip's verdicts, searched for again in the audit's own rollouts, and what they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simworld.audit.clips import ClipFile, single_settings
from simworld.audit.replays import Replays, Setting, factual
from simworld.audit.report import Findings
from simworld.causal import Intervention, Unreachable, Verdict, verdicts
from simworld.lab import rollout_id

Pair = tuple[str, str]


def judge_verdicts(file: ClipFile, replays: Replays, findings: Findings) -> dict[Pair, Verdict]:
    """Check a clip's verdicts and their proofs; return every verdict that can be proven."""
    bare = factual(file.scene.name, file.context)
    outcome = replays.outcome(bare)
    found = verdicts(file.scm, lambda do: replays.values(bare.doing(do)), outcome.onsets)
    proven = {(v.cause, v.effect): v for v in found if v.proven}
    stored: dict[Pair, Mapping[str, Any]] = {}
    for row in file.truth["verdicts"]:
        pair = (row["cause"], row["effect"])
        claim = f"{file.clip}: cause({pair[0]}, {pair[1]})"
        if pair in stored or pair not in proven:
            reason = "one verdict" if pair in stored else "no verdict: it cannot be proven"
            findings.fail(claim, file.where, reason, row["role"])
        stored[pair] = row
    for pair, verdict in proven.items():
        findings.counts["verdicts"] += 1
        claim = f"{file.clip}: cause({pair[0]}, {pair[1]})"
        if pair not in stored:
            findings.fail(claim, file.where, f"a verdict: {verdict.role}", "none")
            continue
        row = {key: value for key, value in stored[pair].items() if key != "proof"}
        findings.expect_fields(claim, file.where, _record(verdict), row)
        with findings.reading(f"{claim}: proof", file.where):
            check_proof(file, claim, stored[pair]["proof"], shown_by(file, verdict), findings)
    return proven


def _record(verdict: Verdict) -> dict[str, Any]:
    return {
        "cause": verdict.cause,
        "effect": verdict.effect,
        "cause_value": verdict.cause_value,
        "effect_value": verdict.effect_value,
        "but_for": verdict.but_for,
        "actual": verdict.actual,
        "part_of_cause": verdict.part_of_cause,
        "cause_set": None if verdict.cause_set is None else list(verdict.cause_set),
        "witness": verdict.witness,
        "responsibility": str(verdict.responsibility),
        "directness": verdict.directness,
        "role": verdict.role,
    }


def shown_by(file: ClipFile, verdict: Verdict) -> set[str]:
    """Return the ids of the rollouts that show a verdict, the factual one among them."""
    settings = (Intervention(), *verdict.settings)
    return {rollout_id(file.scene, file.context, {}, do, "handle") for do in settings}


def check_proof(
    file: ClipFile,
    claim: str,
    proof: list[str],
    showing: set[str],
    findings: Findings,
    where: str = "",
) -> None:
    """Check that every reference exists in the clip's file and that all that show it are there."""
    where = where or file.where
    ids = set()
    for reference in proof:
        clip, _, rollout = reference.partition(":")
        if clip != file.clip or rollout not in file.runs:
            findings.fail(f"{claim}: proof", where, f"rollouts of {file.clip}", reference)
        ids.add(rollout)
    for rollout in sorted(showing - ids):
        findings.fail(f"{claim}: proof", where, f"{file.clip}:{rollout}, which shows it", "not it")


def check_table(
    file: ClipFile,
    proven: Mapping[Pair, Verdict],
    noises: list[dict[str, float]],
    replays: Replays,
    findings: Findings,
) -> None:
    """Check that every setting was run that had to be, and with all the noise that is claimed.

    The table holds the empty intervention, each single one that can be brought about, and
    each joint one that a verdict rests on. An intervention that changes nothing must give the
    factual rollout bit for bit; noise must change no value.
    """
    bare = factual(file.scene.name, file.context)
    fact = replays.outcome(bare)
    joint = [bare.doing(do) for verdict in proven.values() for do in verdict.settings]
    singles = [s for s in single_settings(file) if replays.reached(s) is not None]
    table = {str(s.do): s for s in (bare, *singles, *joint)}
    stored = {
        (str(run.setting.do), _noise_key(run.setting.noise))
        for run in file.runs.values()
        if run.means == "handle" and run.setting.context == file.context
    }
    for text, setting in table.items():
        claim = f"{file.clip}: {text}"
        findings.expect(claim, file.where, True, (text, _noise_key({})) in stored)
        outcome = replays.outcome(setting)
        if all(fact.values[name] == value for name, value in setting.do.items()):
            same = outcome.digest == fact.digest
            findings.expect(f"{claim} gives the factual rollout", file.where, True, same)
        for number, noise in enumerate(noises, start=1):
            claim = f"{file.clip}: margin, draw {number}, {text}"
            if findings.expect(claim, file.where, True, (text, _noise_key(noise)) in stored):
                shaken = Setting(setting.scene, setting.context, noise, setting.do)
                values = replays.reached(shaken)
                findings.expect(claim, file.where, dict(outcome.values), values)


def _noise_key(noise: Mapping[str, float]) -> str:
    return repr(sorted(noise.items()))


def check_staged(file: ClipFile, replays: Replays, findings: Findings) -> None:
    """Check that each staged intervention was run and brings about what its handle does."""
    bare = factual(file.scene.name, file.context)
    for staged in file.scene.staged:
        claim = f"{file.clip}: staged {staged.name}"
        shown = factual(file.scene.name, file.context.at(staged.levels))
        runs = [run for run in file.runs.values() if run.means == f"staged:{staged.name}"]
        if [run.setting.key for run in runs] != [shown.key]:
            findings.fail(claim, file.where, f"one rollout with {dict(staged.levels)}", len(runs))
        try:
            meant = replays.values(bare.doing({staged.variable: staged.value}))
        except Unreachable:
            continue
        values = replays.values(shown)
        names = (staged.variable, *sorted(file.scm.descendants(staged.variable)))
        expected = {name: meant[name] for name in names}
        found = {name: values[name] for name in names}
        findings.expect(f"{claim} does what its handle does", file.where, expected, found)
