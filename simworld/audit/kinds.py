"""Whether a wrong account is of the kind that it is said to be, judged by its claim and the facts.

Of an account of two things, the first that is untrue decides: it denies what is so (polarity), says
what is not so (plausible), or leaves out the second half (incomplete); if both are true, the one is
given to the other wrongly. Of what would happen, what is true of the video as it is stays on the
surface.
"""

from __future__ import annotations

from simworld.claims import Term
from simworld.qa.claims import Facts, decide, world_of


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
