"""Contacts, read at every step, merged into spans: one bounce is one, a rest is one."""

from __future__ import annotations

from dataclasses import dataclass

from simworld.world.rollout import Rollout

GAP_STEPS = 12
"""Contacts of a pair that are at most this far apart are one (0.05 s)."""
AT_REST_STEPS = 2
"""What touches within the first steps was resting there."""


@dataclass(frozen=True, slots=True)
class ContactSpan:
    """Two bodies in touch over the steps [start_step, stop_step), names in order."""

    bodies: tuple[str, str]
    start_step: int
    stop_step: int
    peak_n_s: float

    @property
    def from_the_start(self) -> bool:
        """Whether the two were resting on each other to begin with."""
        return self.start_step <= AT_REST_STEPS


def contact_spans(rollout: Rollout) -> tuple[ContactSpan, ...]:
    """Merge a rollout's contacts of intact bodies into spans, in order of their start."""
    open_spans: dict[tuple[str, str], ContactSpan] = {}
    done: list[ContactSpan] = []
    for step, contacts in enumerate(rollout.contacts):
        for a, b, impulse in contacts:
            if "#" in a or "#" in b:
                continue
            last = open_spans.get((a, b))
            if last is not None and step - last.stop_step <= GAP_STEPS:
                peak = max(last.peak_n_s, impulse)
                open_spans[a, b] = ContactSpan((a, b), last.start_step, step + 1, peak)
            else:
                done += [last] if last else []
                open_spans[a, b] = ContactSpan((a, b), step, step + 1, impulse)
    spans = [*done, *open_spans.values()]
    return tuple(sorted(spans, key=lambda span: (span.start_step, span.bodies)))
