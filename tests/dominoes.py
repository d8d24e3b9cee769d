"""Runs of dominoes made by hand: the model gives the values, a steady wave the times."""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from simworld.annotate.segments import Segment, cut, merge_short
from simworld.causal import verdicts
from simworld.clock import frame_of_step, frame_span, frames_in
from simworld.qa.captions import narrate_spans
from simworld.qa.claims import Facts
from simworld.qa.facts import facts_of
from simworld.qa.finalise import finalise
from simworld.qa.items import Drop, Question
from simworld.qa.needles import make_needles
from simworld.records import event_record
from simworld.scene import Context, Scene, load_scene
from simworld.store import write_json, write_jsonl
from simworld.truth import FACTUAL, ClipTruth, Event, Margin, ProvenVerdict
from simworld.video import VideoWriter

FPS = 10
STEPS_PER_FRAME = 2
PUSH_STEP, FIRST_FALL_STEP, STEPS_A_LINK = 126, 146, 23
KINDS = {"push": "hit", "knock": "hit", "strike": "hit"}


@dataclass(frozen=True)
class DominoClip:
    scene: Scene
    truth: ClipTruth
    events: tuple[Event, ...]
    spans: tuple[Segment, ...]

    @property
    def facts(self) -> Facts:
        return facts_of(self.scene, self.truth, self.events, self.spans)

    def ask(self, seed: int = 0) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
        told = self.scene, self.truth, self.events, self.spans
        return make_needles(*told, group="g0", seed=seed)


def make_run(
    links: int = 24, clip: str = "run-0", instance: int = 0, fall_frames: int = 25, **fixed: str
) -> DominoClip:
    """Make a clip of a run in twelvefold slow motion: a domino falls every 1.15 s of the video."""
    scene = load_scene("domino_run" if links == 8 else f"domino_run-{links}")
    context = scene.draw(0, "train", instance, fixed={**scene.showcase, **fixed})
    values = scene.scm.evaluate(context.levels)
    values = {name: values[name] for name in scene.scm.endogenous}
    falls = {f"fall_{k}": FIRST_FALL_STEP + STEPS_A_LINK * (k - 1) for k in range(1, links + 1)}
    strike = falls[f"fall_{links}"] + 9
    times = {"knock": 100, "push": PUSH_STEP, **falls, "strike": strike}
    times = {name: step for name, step in times.items() if values[name]}
    events = []
    for name, step in sorted(times.items(), key=lambda pair: pair[1]):
        stop = step + fall_frames * STEPS_PER_FRAME if name.startswith("fall") else step + 2
        people = scene.phrases[name].participants
        frames = frame_span(step, stop, STEPS_PER_FRAME)
        events.append(Event(name, name, KINDS.get(name, "fall"), people, step, stop, *frames))
    frames = frames_in(strike + 200, STEPS_PER_FRAME)
    keys = [(n, frame_of_step(times[n], STEPS_PER_FRAME)) for n in scene.key_events if n in times]
    spans = merge_short(cut([("opening", 0), *keys], frames, 2), 2 * FPS)
    truth = make_truth(scene, clip, context, values, times)
    return DominoClip(
        scene, truth, tuple(events), narrate_spans(scene, truth, tuple(events), spans)
    )


def make_truth(
    scene: Scene, clip: str, context: Context, values: dict[str, int], times: dict[str, int]
) -> ClipTruth:
    found = verdicts(scene.scm, partial(scene.scm.evaluate, context.levels), times)
    proven = [
        ProvenVerdict(
            verdict, tuple(str(do).replace(":=", "=") for do in (FACTUAL, *verdict.settings))
        )
        for verdict in found
        if verdict.proven
    ]
    bodies = scene.world(context, FACTUAL).bodies
    colors = {body.object_name: body.color for body in bodies if body.present}
    return ClipTruth(
        clip=clip,
        scene=scene.name,
        scene_version=scene.version,
        rollout="do()",
        context=context,
        values=values,
        onsets=times,
        verdicts=tuple(proven),
        rehearsals={},
        margin=Margin(0.0, 0),
        colors=colors,
    )


def write_suite(folder: Path, clips: list[DominoClip], seed: int = 0) -> tuple[Question, ...]:
    """Write what a suite holds of some clips and of their questions, with videos of nothing."""
    import numpy as np

    questions = finalise([q for clip in clips for q in clip.ask(seed)[0]], seed=seed)
    write_jsonl(folder / "questions.jsonl", [question.to_json() for question in questions])
    write_json(folder / "recipe.json", {"seed": seed})
    for clip in clips:
        target = folder / "clips" / clip.truth.clip
        write_json(target / "spans.json", [asdict(span) for span in clip.spans])
        write_json(target / "events.json", [event_record(event) for event in clip.events])
        video = {"fps": FPS, "width": 32, "height": 32}
        write_json(target / "truth.json", {"scene": clip.scene.name, "video": video, "values": {}})
        with VideoWriter(target / "video.mp4", (32, 32), FPS) as pictures:
            for _ in range(clip.spans[-1].stop_frame):
                pictures.write(np.zeros((32, 32, 3), np.uint8))
    return questions
