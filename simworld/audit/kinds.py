"""Whether a wrong option is of the kind that it is said to be, judged by its claim and the facts.

The kinds are CausalStep's; what each is made from:

- `temporal_confusion`: an event that did happen, at another time or in the other order;
- `causal_misattribution`: what did happen or stands, and is proven no cause;
- `object_misrecognition`: a contact that never was, with another object in an event's role;
- `irrelevant_plausible`: a contact that never was and is no such confusion;
- `surface_level`: a true colour;
- `negation_polarity`: the denial of what did happen;
- `incomplete_reasoning`: a cause that is not the direct one, or half of what happened.

Of an account of two things, the first that is untrue decides: it denies what is so (polarity), says
what is not so (plausible), or leaves out the second half (incomplete); if both are true, the one is
given to the other wrongly. Of what would happen, what is true of the video as it is stays on the
surface.
What may be said wrongly of a clip's opening, and as which kind, the scene lists.
"""

from __future__ import annotations

from simworld.claims import Term, parse
from simworld.qa.claims import Facts, Undecided, decide, occurrences, world_of
from simworld.scene import Scene


def is_of_kind(kind: str, claim: Term, about: str, scene: Scene, facts: Facts) -> bool:
    """Tell whether a false claim on a clip is a wrong option of a kind.

    `about` is the event that is right: the one that happened, or the direct trigger.
    """
    match claim:
        case Term("trigger" | "cause", (cause, Term(effect, ()))):
            return _kind_as_cause(kind, cause, effect, about, scene, facts)
        case Term("not", (inner,)):
            return kind == "negation_polarity" and decide(inner, facts)
        case Term("happens", (event, _)):
            return _kind_as_event(kind, event, about, scene, facts)
        case Term("and", (_, Term("before", (one, other)) as order)):
            both = all(occurrences(event, facts) for event in (one, other))
            return kind == "temporal_confusion" and both and not decide(order, facts)
        case Term("and", (first, Term("cause", (cause, Term(effect, ()))))):
            true = decide(first, facts) and _is_no_cause(cause, effect, facts)
            return kind == "causal_misattribution" and true
        case Term("and", (first, Term("not", (inner,)))):
            true = decide(first, facts) and decide(inner, facts)
            return kind == "incomplete_reasoning" and true
    return False


def is_listed_for_opening(kind: str, claim: str, scene: Scene) -> bool:
    """Tell whether the scene offers a claim as a wrong one of a kind, on its opening."""
    return claim in {str(parse(text)) for text in scene.opening.wrong[kind]}


def _kind_as_event(kind: str, event: Term, about: str, scene: Scene, facts: Facts) -> bool:
    """Judge `happens(event, segment)`; what is not connected with the right event is a decoy."""
    if event.head == "=":
        return kind == "surface_level" and decide(event, facts)
    if occurrences(event, facts):
        near = scene.scm.ancestors(about) | scene.scm.descendants(about)
        return kind == ("temporal_confusion" if event.head in near else "causal_misattribution")
    return kind == _kind_of_absent(event, about, scene, facts)


def _kind_as_cause(
    kind: str, cause: Term, effect: str, about: str, scene: Scene, facts: Facts
) -> bool:
    """Judge `trigger(cause, effect)` and `cause(cause, effect)`."""
    match kind:
        case "surface_level":
            return _is_true_look(cause, facts)
        case "negation_polarity":
            return cause.head == "not" and decide(Term("occurs", cause.args), facts)
        case "causal_misattribution":
            return _is_no_cause(cause, effect, facts)
        case "incomplete_reasoning":
            return _is_further_cause(cause, effect, scene, facts)
        case "temporal_confusion":
            onset = facts.events[effect]
            times = _times(cause, facts)
            return bool(times) and onset is not None and times[0] > onset.start_step
    return kind == _kind_of_absent(cause, about, scene, facts)


def is_account_of_kind(kind: str, claim: Term, facts: Facts) -> bool:
    """Tell whether a false account is a wrong option of a kind."""
    values = world_of(claim, facts)
    if claim.head == "would":
        claim = claim.args[1]
        if decide(claim, facts):
            return kind == "surface_level"
    parts = list(claim.args) if claim.head == "and" else [claim]
    parts += parts.pop().args[:1] if parts[-1].head == "cause" else []
    given = claim.head == "and" and claim.args[1].head == "cause"
    for place, part in enumerate(parts):
        denied = part.head == "not"
        bare = part.args[0] if denied else part
        name = bare.args[0].head if bare.args else bare.head
        if bool(values[name]) is denied:
            if denied and place and not given:
                return kind == "incomplete_reasoning"
            return kind == ("negation_polarity" if denied else "irrelevant_plausible")
    return given and kind == "causal_misattribution"


def _kind_of_absent(event: Term, about: str, scene: Scene, facts: Facts) -> str:
    """Return the kind of a contact that never was: taken for the right event, or plausible."""
    if event.head not in ("hit", "again") or occurrences(event, facts):
        return ""
    listed = {str(parse(text)) for text in scene.mistaken.get(about, ())}
    return "object_misrecognition" if str(event) in listed else "irrelevant_plausible"


def _times(event: Term, facts: Facts) -> list[int]:
    try:
        return [when.start_step for when in occurrences(event, facts)]
    except Undecided:
        return []


def _is_true_look(term: Term, facts: Facts) -> bool:
    return term.head == "=" and term.args[0].head == "color" and decide(term, facts)


def _is_no_cause(cause: Term, effect: str, facts: Facts) -> bool:
    """Tell whether something is so, and proven no cause of an event."""
    if cause.head == "=":
        return _is_true_look(cause, facts) and cause.args[0].args[0].head in facts.recolored
    named, wanted = (cause.args[0], 0) if cause.head == "not" else (cause, 1)
    relation = facts.relations.get((named.head, effect))
    if relation is None or facts.values.get(named.head) != wanted:
        return False
    return not relation.actual and relation.role not in ("overdeterminer", "unknown")


def _is_further_cause(cause: Term, effect: str, scene: Scene, facts: Facts) -> bool:
    """Tell whether something is a cause but no direct trigger; or a setting that leads there."""
    if cause.head == "=":
        setting = cause.args[0].args[0].head
        return decide(cause, facts) and setting in scene.scm.ancestors(effect)
    relation = facts.relations.get((cause.head, effect))
    return relation is not None and relation.actual
