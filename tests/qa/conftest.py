"""Clips of the falling cup made by hand: the model gives the values, a table the times."""

from dataclasses import dataclass
from functools import partial

import pytest

from simworld.annotate.segments import Segment, cut
from simworld.causal import Intervention, settings_used, verdicts
from simworld.clock import frame_of_step, frame_span
from simworld.qa.captions import caption_segments
from simworld.qa.claims import Facts
from simworld.qa.facts import facts_of
from simworld.scene import Context, Scene, load_scene
from simworld.truth import FACTUAL, ClipTruth, Event, Margin, ProvenVerdict, Rehearsal
from simworld.world.rollout import Outcome

STEPS_PER_FRAME = 20
FRAMES = 45
ONSETS = {"knock": 165, "bump": 262, "slide": 267, "fall": 312, "impact": 382, "shatter": 382}
STOPS = {"knock": 259, "bump": 263, "slide": 312, "fall": 382, "impact": 383, "shatter": 383}
KINDS = {"slide": "slide", "fall": "fall", "shatter": "break"}


@dataclass(frozen=True)
class Clip:
    scene: Scene
    truth: ClipTruth
    events: tuple[Event, ...]
    segments: tuple[Segment, ...]

    @property
    def facts(self) -> Facts:
        return facts_of(self.scene, self.truth, self.events, self.segments)


def make_clip(clip="cup-0", onsets=ONSETS, instance=0, **fixed) -> Clip:
    """Make a clip; `fixed` sets levels and nuisances, all else is at its usual level."""
    scene = load_scene("falling_cup")
    usual = {s.name: s.levels[0] for s in scene.settings}
    looks = {"mug_color": "blue", "floor_color": "grey"}
    context = scene.draw(0, "train", instance, fixed=usual | looks | fixed)
    values = only_declared(scene, scene.scm.evaluate(context.levels))
    times = {name: step for name, step in onsets.items() if values[name]}
    truth = make_truth(scene, clip, context, values, times)
    events = make_events(scene, truth)
    keys = [(n, frame_of_step(times[n], STEPS_PER_FRAME)) for n in scene.key_events if n in times]
    spans = cut([("opening", 0), *keys], FRAMES, 1)
    return Clip(scene, truth, events, caption_segments(scene, truth, events, spans))


def only_declared(scene: Scene, values) -> dict[str, int]:
    return {name: values[name] for name in scene.scm.endogenous}


def make_truth(scene, clip, context, values, times) -> ClipTruth:
    found = [
        verdict
        for verdict in verdicts(scene.scm, partial(scene.scm.evaluate, context.levels), times)
        if verdict.proven
    ]
    rehearsals = {}

    def rehearse(context: Context, do: Intervention, name: str, means="handle") -> str:
        outcome = Outcome(
            only_declared(scene, scene.scm.evaluate(context.levels, do)), {}, {}, 840, name, False
        )
        rehearsals[name] = Rehearsal(name, context, {}, do, means, outcome)
        return name

    for do in settings_used(found):
        rehearse(context, do, name_of(do))
    for staged in scene.staged:
        alone = Intervention.of({staged.variable: staged.value})
        rehearse(context, alone, name_of(alone))
        shown = context.at(staged.levels)
        rehearse(shown, FACTUAL, f"staged {staged.name}", f"staged:{staged.name}")
    looks = {"mug_color": "orange", "floor_color": "beige"}
    other = Context(context.levels, context.numbers, {**context.nuisances, **looks})
    rehearse(other, FACTUAL, "other looks")
    bodies = scene.world(context, FACTUAL).bodies
    return ClipTruth(
        clip=clip,
        scene=scene.name,
        scene_version=scene.version,
        rollout="do()",
        context=context,
        values=values,
        onsets=times,
        verdicts=tuple(
            ProvenVerdict(v, tuple(map(name_of, (FACTUAL, *v.settings)))) for v in found
        ),
        rehearsals=rehearsals,
        margin=Margin(0.02, 8),
        colors={body.object_name: body.color for body in bodies if body.present},
    )


def name_of(do: Intervention) -> str:
    """Name a rollout; like an id, without the colon that stands between a clip and its rollout."""
    return str(do).replace(":=", "=")


def make_events(scene: Scene, truth: ClipTruth) -> tuple[Event, ...]:
    events = []

    def add(name, variable, kind, participants, start, stop):
        frames = frame_span(start, stop, STEPS_PER_FRAME)
        events.append(Event(name, variable, kind, participants, start, stop, *frames))

    for name, start in truth.onsets.items():
        participants = scene.phrase(name, truth.values).participants
        add(name, name, KINDS.get(name, "hit"), participants, start, STOPS[name])
    fell = truth.onsets.get("fall", 840)
    contacts = [("mug", "table", 1, fell), ("ball", "table", 1, 840), ("book", "table", 1, 840)]
    contacts += [("floor", "yellow_box", 1, 840), ("floor", "green_ball", 1, 840)]
    levels = truth.context.levels
    if levels["rail"] == "present" and truth.values["slide"]:
        contacts.append(("mug", "rail", truth.onsets["slide"] + 5, 290))
    if levels["crate"] == "present" and truth.values["fall"]:
        contacts.append(("crate", "mug", 376, 840))
    if levels["brick"] == "in_the_way" and truth.values["bump"]:
        contacts.append(("brick", "mug", 264, 290))
    for a, b, start, stop in contacts:
        if {a, b} <= truth.colors.keys():
            kind = "rest" if start == 1 else "hit"
            add(f"{kind}({a}, {b})", None, kind, (a, b), start, stop)
    return tuple(sorted(events, key=lambda event: event.start_step))


@pytest.fixture(scope="session")
def clip():
    """Make a clip by hand: `clip("name", floor="rug")`."""
    return make_clip
