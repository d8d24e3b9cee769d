"""The facts of a clip, gathered for `decide`, and the rollouts that show a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simworld.annotate.segments import Segment
from simworld.causal import Intervention
from simworld.claims import Term, names_in
from simworld.qa.claims import Facts, Happening, Relation, Undecided
from simworld.scene import Scene, Staged
from simworld.truth import FACTUAL, ClipTruth, Event, Rehearsal


def facts_of(
    scene: Scene, truth: ClipTruth, events: Sequence[Event], segments: Sequence[Segment]
) -> Facts:
    """Gather what is known of a clip.

    Bodies that rest on each other from the start touch as well.

    Args:
        scene: The clip's scene.
        truth: The clip's truth.
        events: Every event of the clip; all contacts of two objects are among them.
        segments: The clip's segments.
    """
    contacts: dict[frozenset[str], list[Happening]] = {}
    for event in events:
        if event.kind in ("hit", "rest"):
            contacts.setdefault(frozenset(event.participants), []).append(_happening(event))
    model = scene.scm
    happened = {event.variable: event for event in events if event.variable is not None}
    return Facts(
        conditions={
            name: int(truth.values[name]) for name in model.endogenous if name not in model.events
        },
        events={
            name: _happening(happened[name]) if truth.values[name] else None
            for name in model.events
        },
        contacts={
            pair: tuple(sorted(times, key=lambda time: time.start_step))
            for pair, times in contacts.items()
        },
        breaks={
            event.participants[0]: _happening(event) for event in events if event.kind == "break"
        },
        segments={segment.index: (segment.start_frame, segment.stop_frame) for segment in segments},
        relations={
            (v.cause, v.effect): Relation(v.role, v.directness, v.actual)
            for v in (proven.verdict for proven in truth.verdicts)
        },
        colors=dict(truth.colors),
        recolored=frozenset(other_looks(scene, truth)),
        objects=frozenset(scene.things),
        outcomes={
            (name, int(value)): {n: int(v) for n, v in rehearsal.outcome.values.items()}
            for rehearsal in _plain_rehearsals(truth)
            for name, value in rehearsal.do.items()
            if len(rehearsal.do) == 1 and rehearsal.means == "handle"
        },
    )


def _plain_rehearsals(truth: ClipTruth) -> list[Rehearsal]:
    """Return the valid rollouts in the clip's own context, without noise."""
    return [
        rehearsal
        for rehearsal in truth.rehearsals.values()
        if rehearsal.context == truth.context
        and not any(rehearsal.noise.values())
        and not rehearsal.outcome.void
    ]


def _happening(event: Event) -> Happening:
    return Happening(event.start_step, event.start_frame, event.stop_frame)


def other_looks(scene: Scene, truth: ClipTruth) -> Mapping[str, tuple[str, ...]]:
    """Return, for each object, the rollouts that differ in its colour and came out alike.

    They differ from the clip's in what must not matter, and in nothing else.
    """
    looks: dict[str, list[str]] = {}
    for rehearsal in truth.rehearsals.values():
        if _is_other_look(rehearsal, truth):
            for body in scene.world(rehearsal.context, FACTUAL).bodies:
                name = body.object_name
                if body.present and truth.colors.get(name, body.color) != body.color:
                    ids = looks.setdefault(name, [])
                    if rehearsal.rollout not in ids:
                        ids.append(rehearsal.rollout)
    return {name: tuple(ids) for name, ids in looks.items()}


def _is_other_look(rehearsal: Rehearsal, truth: ClipTruth) -> bool:
    context = rehearsal.context
    return (
        (context.levels, context.numbers) == (truth.context.levels, truth.context.numbers)
        and context.nuisances != truth.context.nuisances
        and rehearsal.do == FACTUAL
        and not any(rehearsal.noise.values())
        and all(truth.values[name] == value for name, value in rehearsal.outcome.values.items())
    )


def proof_of(claim: Term, scene: Scene, truth: ClipTruth) -> tuple[str, ...]:
    """Return the ids of the rollouts that show a claim to be true, or to be false.

    A claim about what happens is shown by the rendered rollout; one about a cause by its verdict's
    rollouts; one about a colour by rollouts in which it alone differs; one
    about what would happen by the rendered rollout, that of the intervention, and those in which a
    staged intervention brings about the same; one about what shows a condition by the rendered
    rollout and that in which the condition is otherwise.

    Raises:
        Undecided: No rollout was run that would show it.
    """
    match claim:
        case Term("not", (inner,)):
            return proof_of(inner, scene, truth)
        case Term("and", parts):
            ids = [*_shown(claim, truth), *(i for p in parts for i in proof_of(p, scene, truth))]
            return tuple(dict.fromkeys(ids))
        case Term("would", (Term("=", (variable, value)), _)):
            return (truth.rollout, *_intervened(variable.head, value.head, scene, truth))
        case Term("shows", (_, condition)) | Term("untold", (condition,)):
            name = _signed(condition)[0]
            other = str(1 - int(truth.values[name]))
            return (truth.rollout, *_intervened(name, other, scene, truth))
        case Term("trigger" | "cause" | "enables", (Term("=", (look, _)), effect)):
            ids = [truth.rollout, *_shown_beside(look, effect.head, scene, truth)]
            return tuple(dict.fromkeys(ids))
        case Term("trigger" | "cause" | "enables", (cause, effect)):
            ends = _signed(cause), _signed(effect)
            proof = truth.proofs.get((ends[0][0], ends[1][0]))
            if proof is not None and all(truth.values[name] == value for name, value in ends):
                return proof
    return _shown(claim, truth)


def references(claim: Term, scene: Scene, truth: ClipTruth) -> tuple[str, ...]:
    """Return what `proof_of` does, each rollout as `clip:rollout`."""
    return tuple(dict.fromkeys(truth.reference(i) for i in proof_of(claim, scene, truth)))


def _shown(claim: Term, truth: ClipTruth) -> tuple[str, ...]:
    """Return the rendered rollouts that show what a claim names: of a clip, the one there is."""
    if not truth.shown_in:
        return (truth.rollout,)
    names = names_in(claim)
    return tuple(dict.fromkeys(truth.shown_in[name] for name in names if name in truth.shown_in))


def _signed(end: Term) -> tuple[str, int]:
    """Return the variable that one end of a causal claim names, and the value it is said to have.

    >>> _signed(Term("not", (Term("bump"),)))
    ('bump', 0)
    """
    return (str(end.args[0]), 0) if end.head == "not" else (str(end), 1)


def _intervened(name: str, value: str, scene: Scene, truth: ClipTruth) -> tuple[str, ...]:
    """Return the rollouts of do(name := value): the handle's, then the staged ones."""
    do = Intervention.of({name: int(value == "1")})
    ids = [r.rollout for r in _plain_rehearsals(truth) if r.do == do and r.means == "handle"]
    if not ids:
        raise Undecided(f"no rollout of {do} was run; run one")
    for staged in scene.staged:
        if (staged.variable, str(staged.value)) == (name, value):
            ids += [r.rollout for r in staged_rehearsals(staged, truth)]
    return tuple(ids)


def staged_rehearsals(staged: Staged, truth: ClipTruth) -> list[Rehearsal]:
    """Return the rollouts, one or none, that stage an intervention in the clip's world."""
    wanted = truth.context.at(staged.levels)
    return [
        rehearsal
        for rehearsal in truth.rehearsals.values()
        if rehearsal.means == f"staged:{staged.name}" and rehearsal.context == wanted
    ]


def _shown_beside(subject: Term, effect: str, scene: Scene, truth: ClipTruth) -> tuple[str, ...]:
    """Return the rollouts that set a colour apart from an effect."""
    ids = other_looks(scene, truth).get(subject.args[0].head, ())
    if not ids:
        raise Undecided(f"no rollout sets {subject} apart from {effect}; run one")
    return ids
