"""Rehearse a context: everything that must be simulated before a clip of it may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from simworld.causal import Intervention, Unreachable, verdicts
from simworld.errors import AgreementError, CheckError
from simworld.lab import Lab, outcome_key
from simworld.removal import removals
from simworld.scene import Context, Scene, Staged
from simworld.truth import FACTUAL, ClipTruth, Margin, ProvenVerdict, Rehearsal


@dataclass(frozen=True, slots=True)
class Sieve:
    """Noise tables to try: `noises[k]` maps each number of a context to a shift."""

    share: float
    noises: tuple[dict[str, float], ...]


def single_settings(scene: Scene) -> tuple[Intervention, ...]:
    """Return do(X := x) for every condition and event and both values."""
    return tuple(
        Intervention.of({name: value}) for name in scene.scm.endogenous for value in (0, 1)
    )


def rehearse(
    lab: Lab, clip: str, context: Context, sieve: Sieve, other_looks: Context
) -> ClipTruth:
    """Find out and prove what is true of one context.

    Runs the empty intervention, every single-variable one, every joint setting that a verdict
    rests on, the staged interventions, the same table under small noise, and the same world
    with other looks.

    Args:
        lab: Where rollouts run; it keeps them all.
        clip: Id of the clip that will show the context.
        context: The settings.
        sieve: The noise that the truth must stand.
        other_looks: The same settings with other nuisances.

    Raises:
        AgreementError: Model and physics disagree, with noise or without.
        CheckError: An invariant is broken.
        PlausibilityError: A rollout is none that could happen.
    """
    scene = lab.scene
    lab.prepare(context, single_settings(scene))
    factual = lab.run(context)
    table = [do for do in single_settings(scene) if _reach(lab, context, do) is not None]
    check_null_interventions(lab, factual, table)
    modelled = partial(scene.scm.evaluate, context.levels)
    expected = verdicts(scene.scm, modelled, factual.outcome.onsets)
    lab.prepare(context, (do for verdict in expected for do in verdict.settings))
    found = verdicts(scene.scm, partial(lab.values, context), factual.outcome.onsets)
    joint = [do for verdict in found if verdict.proven for do in verdict.settings]
    for staged in scene.staged:
        check_staged(lab, context, staged)
    check_same_truth(factual, lab.run(other_looks), "other looks")
    settings = dict.fromkeys([FACTUAL, *table, *joint])
    _run_sieve(lab, context, tuple(settings), sieve)
    proven = tuple(
        ProvenVerdict(
            verdict,
            tuple(lab.run(context, do).rollout for do in (FACTUAL, *verdict.settings)),
        )
        for verdict in found
        if verdict.proven
    )
    spec = scene.world(context, FACTUAL)
    return ClipTruth(
        clip=clip,
        scene=scene.name,
        scene_version=scene.version,
        rollout=factual.rollout,
        context=context,
        values=factual.outcome.values,
        onsets=factual.outcome.onsets,
        verdicts=proven,
        rehearsals=dict(lab.rehearsals),
        margin=Margin(sieve.share, len(sieve.noises)),
        colors={body.object_name: body.color for body in spec.bodies if body.present},
        removals=removals(scene, context, factual.outcome),
    )


class UnstableError(CheckError):
    """Small noise changes a context's truth; the context is not used."""


def _run_sieve(lab: Lab, context: Context, settings: Sequence[Intervention], sieve: Sieve) -> None:
    for noise in sieve.noises:
        lab.prepare(context, settings, noise)
        for do in settings:
            try:
                lab.run(context, do, noise)
            except (AgreementError, Unreachable) as change:
                raise UnstableError(f"noise of {sieve.share:.0%} of range: {change}") from change


def _reach(lab: Lab, context: Context, do: Intervention) -> Rehearsal | None:
    try:
        return lab.run(context, do)
    except Unreachable:
        return None


def check_null_interventions(
    lab: Lab, factual: Rehearsal, settings: Sequence[Intervention]
) -> None:
    """Check that do(X := its factual value) is the factual rollout bit for bit."""
    values = factual.outcome.values
    for do in settings:
        if all(values[name] == value for name, value in do.items()):
            armed = lab.run(factual.context, do)
            if outcome_key(armed.outcome) != outcome_key(factual.outcome):
                raise CheckError(
                    f"scene {lab.scene.name}: {do} changes nothing and yet gives another rollout "
                    f"({armed.outcome.digest[:16]} instead of {factual.outcome.digest[:16]}); "
                    "its handle is not passive"
                )


def check_staged(lab: Lab, context: Context, staged: Staged) -> None:
    """Check that a staged intervention brings about what the handle does."""
    shown = lab.run(context.at(staged.levels), FACTUAL, means=f"staged:{staged.name}")
    try:
        meant = lab.run(context, Intervention.of({staged.variable: staged.value}))
    except Unreachable:
        return
    names = (*lab.scene.scm.descendants(staged.variable), staged.variable)
    for name in names:
        if shown.outcome.values[name] != meant.outcome.values[name]:
            raise AgreementError(
                f"scene {lab.scene.name}: staging {staged.name} gives {name} = "
                f"{shown.outcome.values[name]}, the handle for {staged.variable} := "
                f"{staged.value} gives {meant.outcome.values[name]}"
            )


def check_same_truth(one: Rehearsal, other: Rehearsal, what: str) -> None:
    """Check that two rollouts give every condition and event the same value."""
    if one.outcome.values != other.outcome.values:
        raise CheckError(
            f"{what} changed the truth: {dict(one.outcome.values)} became "
            f"{dict(other.outcome.values)}"
        )
