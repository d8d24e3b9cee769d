"""Where a video may stop short, so that a careful viewer can tell from it what comes next.

It stops just before an event, when everything has been set going that ever is, and the question
says so: what comes follows from what is seen. What cannot be seen of a thing, such as its mass, has
shown by then in what the thing does, or nothing is asked that rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from simworld.claims import Term
from simworld.clock import frame_of_step
from simworld.qa.accounts import hidden_conditions, named
from simworld.qa.claims import Facts
from simworld.qa.options import Unaskable
from simworld.recipe import VideoSettings
from simworld.scene import Scene
from simworld.world.spec import Launch, WorldSpec

LEAD_S = 0.25
"""So long after the last thing is set going, or fails to do what another would do, it is seen."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a video that is cut short shows.

    Attributes:
        scene: Its scene.
        stop_frame: It shows the frames [0, stop_frame), and `fps` of them a second.
        begun: The frame at which each event that has set in by then does so.
        foreseen: Events that are still to come, or are not, as can be told.
        unstarted: Events that nothing leads to and that never come: something is not set going.
    """

    scene: Scene
    stop_frame: int
    fps: int
    begun: Mapping[str, int]
    foreseen: frozenset[str]
    unstarted: frozenset[str]

    def leaves_open(self, account: Term) -> bool:
        """Tell whether what an account tells in the end has not begun."""
        return outcome_of(account) not in self.begun

    def evidence(self, account: Term) -> frozenset[str]:
        """Return the variables that are seen and from which an account can be told; maybe none.

        These are those that it names: conditions, what has begun, and what is not set going. Where
        it names no event that can be seen, the last one that leads there is.
        """
        outcome, scm = outcome_of(account), self.scene.scm
        if outcome not in self.foreseen:
            return frozenset()
        names = set(named(account)) - {outcome, *hidden_conditions(self.scene)}
        seen = names & (self.begun.keys() | self.unstarted)
        above = scm.ancestors(outcome) & self.begun.keys()
        if not seen and above:
            seen = {max(above, key=lambda name: (self.begun[name], scm.events.index(name)))}
        return frozenset(seen | names - set(scm.events)) if seen else frozenset()

    def span(self, variable: str, frames: tuple[int, int]) -> tuple[int, int]:
        """Return the frames [start, stop) that show a variable, of those in which it is so.

        What has begun is shown with the second that leads up to it. What is so throughout, and that
        something is not set going, is seen all along.
        """
        if variable not in self.begun:
            return 0, self.stop_frame
        start, stop = frames
        return max(0, start - self.fps), min(stop, self.stop_frame)


def outcome_of(account: Term) -> str:
    """Return the event that an account tells of in the end.

    Example:
        >>> from simworld.claims import parse
        >>> outcome_of(parse("and(not(occurs(fall)), cause(rail, not(fall)))"))
        'fall'
        >>> outcome_of(parse("and(occurs(slide), not(occurs(fall)))"))
        'fall'
    """
    last = account.args[-1]
    while last.args:
        last = last.args[-1]
    return last.head


def look_ahead(
    scene: Scene, facts: Facts, spec: WorldSpec, frame_count: int, video: VideoSettings
) -> Outlook:
    """Cut a clip short.

    Only an odd number of frames can be kept without encoding them anew: every other frame is
    encoded by what the one after it shows.

    Args:
        scene: The clip's scene.
        facts: What is known of it.
        spec: The world that it shows.
        frame_count: How many frames it has.
        video: How it is shown.

    Raises:
        Unaskable: Nothing is left that could be asked for.
    """
    events = set(scene.scm.events)
    onsets = {name: when.start_frame for name, when in facts.events.items() if when}
    first = {name for name in events if not scene.scm.ancestors(name) & events}
    related = {n for n in onsets if n not in first or scene.scm.descendants(n) & events}
    lead = math.ceil(LEAD_S * video.fps)
    going = [frame_of_step(step, video.steps_per_frame) + lead for step in _starts(spec)]
    begins = min((onsets[name] for name in related), default=0)
    earliest = max([video.fps + 1, *going, begins + 1])
    stops = ((onsets[name] - 1) | 1 for name in related)
    stop = min((stop for stop in stops if stop >= earliest), default=earliest | 1)
    if stop >= frame_count:
        raise Unaskable("nothing comes after all is set going")
    begun = {name: onset for name, onset in onsets.items() if onset < stop}
    foreseen = frozenset(
        name
        for name in scene.scm.events
        if name not in begun
        and all(
            _shows(hidden, scene, facts, begun, stop - lead) or not _matters(hidden, name, facts)
            for hidden in hidden_conditions(scene)
            if hidden in scene.scm.ancestors(name)
        )
    )
    return Outlook(scene, stop, video.fps, begun, foreseen, frozenset(first - onsets.keys()))


def _starts(spec: WorldSpec) -> list[int]:
    """Return the steps at which something is set going by the script, and not by an event."""
    steps = [one.step if isinstance(one, Launch) else one.start for one in spec.actions]
    return [step for step in steps if isinstance(step, int)]


def _matters(hidden: str, event: str, facts: Facts) -> bool:
    """Tell whether an event comes or not by a hidden property, as far as is known."""
    values = facts.values
    other = facts.outcomes.get((hidden, 1 - values[hidden]))
    return other is None or other[event] != values[event]


def _shows(
    hidden: str, scene: Scene, facts: Facts, begun: Mapping[str, int], long_ago: int
) -> bool:
    """Tell whether a hidden property has shown: an event came of it, or for long did not."""
    scm, happened = scene.scm, {name for name, when in facts.events.items() if when}
    for event in scm.events:
        others = set(scm.parents(event)) & set(scm.events)
        if hidden in scm.parents(event) and event in begun:
            return True
        if hidden in scm.parents(event) and event not in happened:
            calls = [begun.get(name, long_ago + 1) for name in others & happened]
            if calls and max(calls) <= long_ago:
                return True
    return False
