"""A story's videos put together from its episodes' clips: pictures, truth and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from simworld.annotate.segments import Segment
from simworld.causal import Intervention, Verdict
from simworld.qa.items import Drop, Question
from simworld.qa.needles import make_needles
from simworld.recipe import VideoSettings
from simworld.records import event_record, verdict_record
from simworld.scene import Context, Scene, load_scene
from simworld.splicing import splice
from simworld.store import SCHEMA, Suite, write_json
from simworld.story.cast import LOST, Story
from simworld.story.compose import Told, composed, decided
from simworld.story.join import carried_notice, join_scenes, numbered, prefix, staged_of
from simworld.truth import ClipTruth, Event, Margin, ProvenVerdict


@dataclass(frozen=True)
class Part:
    """One episode as its clip tells it, and the frame of the video at which it begins."""

    clip: str
    told: Told
    truth: Mapping[str, Any]
    events: Sequence[Mapping[str, Any]]
    spans: Sequence[Mapping[str, Any]]
    start_frame: int

    @property
    def stop_frame(self) -> int:
        """The frame after its last."""
        return self.start_frame + int(self.spans[-1]["stop_frame"])


def tell(
    story: Story, out: Path, seed: int, scenes_dir: Path | None
) -> tuple[list[Question], list[Drop]]:
    """Write all videos of a story into a suite, and make Causal2Needles' questions on them.

    Args:
        story: The story; all its episodes' clips are in the suite.
        out: The suite's folder.
        seed: Root seed of the questions.
        scenes_dir: A folder with scene scripts of the user's own.

    Raises:
        CheckError: The clips do not go together.
    """
    suite = Suite(out)
    scenes = [load_scene(one.settings.scene, scenes_dir) for one in story.episodes]
    scene = join_scenes(story, scenes)
    questions: list[Question] = []
    drops: list[Drop] = []
    for video, clips in story.videos().items():
        parts = read_parts(suite, scenes, clips)
        folder = out / "stories" / video
        splice([suite.clip(part.clip) / "video.mp4" for part in parts], folder / "video.mp4")
        joined, apart = composed(story, [part.told for part in parts])
        truth, events, spans = joined_truth(story, video, parts, [*joined, *apart])
        asked, missed = make_needles(scene, truth, events, spans, group=story.name, seed=seed)
        left_out = [replace(drop, benchmark="causal2needles") for drop in missed]
        for name, data in {
            "events": [event_record(event) for event in events],
            "spans": [asdict(span) for span in spans],
            "truth": story_record(story, truth, parts, joined),
            "candidates": [question.to_json() for question in asked],
            "no_questions": [asdict(drop) for drop in left_out],
        }.items():
            write_json(folder / f"{name}.json", data)
        questions += asked
        drops += left_out
    return questions, drops


def read_parts(suite: Suite, scenes: Sequence[Scene], clips: Sequence[str]) -> list[Part]:
    """Read the clips of a video, one after the other."""
    parts: list[Part] = []
    for scene, clip in zip(scenes, clips, strict=True):
        truth = suite.truth(clip)
        start = parts[-1].stop_frame if parts else 0
        told = Told(
            scene,
            truth["values"],
            truth["onsets"],
            {(row["cause"], row["effect"]): read_verdict(row) for row in truth["verdicts"]},
            f"{clip}:{truth['rollout']}",
            _undone(clip, truth),
        )
        parts.append(Part(clip, told, truth, suite.events(clip), suite.spans(clip), start))
    return parts


def read_verdict(row: Mapping[str, Any]) -> ProvenVerdict:
    """Read a verdict back; its proof stays in references, its settings are not stored."""
    cause_set = row["cause_set"]
    own = {key: value for key, value in row.items() if key != "proof"} | {
        "cause_set": None if cause_set is None else tuple(cause_set),
        "responsibility": Fraction(row["responsibility"]),
    }
    return ProvenVerdict(Verdict(**own, settings=(), proven=True), tuple(row["proof"]))


def _undone(clip: str, truth: Mapping[str, Any]) -> dict[str, str]:
    """Return, for each variable, the rollout in which it alone is undone, by its handle."""
    shown = truth["rollouts"][truth["rollout"]]["context"]
    wanted = {
        str(Intervention.of({name: 1 - value})): name for name, value in truth["values"].items()
    }
    return {
        wanted[row["do"]]: f"{clip}:{rollout}"
        for rollout, row in truth["rollouts"].items()
        if row["do"] in wanted
        and row["means"] == "handle"
        and row["context"] == shown
        and not any(row["noise"].values())
    }


def joined_truth(
    story: Story, video: str, parts: Sequence[Part], across: Sequence[ProvenVerdict]
) -> tuple[ClipTruth, tuple[Event, ...], tuple[Segment, ...]]:
    """Return the truth about a video, its events and its scene spans, all by joined names."""
    values: dict[str, Any] = {}
    onsets: dict[str, int] = {}
    levels: dict[str, str] = {}
    colors: dict[str, str] = {}
    shown_in: dict[str, str] = {}
    events: list[Event] = []
    spans: list[Segment] = []
    own: list[ProvenVerdict] = []
    notices = {link.source: carried_notice(parts[link.target].told.scene) for link in story.links}
    for index, part in enumerate(parts):
        p, frame = prefix(index), part.start_frame
        step = frame * VideoSettings.model_validate(part.truth["video"]).steps_per_frame
        values |= numbered(p, part.told.values)
        onsets |= {p + name: onset + step for name, onset in part.told.onsets.items()}
        levels |= numbered(p, part.truth["context"]["levels"])
        colors |= {p + name: thing["color"] for name, thing in part.truth["objects"].items()}
        shown_in |= dict.fromkeys(
            (p + name for name in (*part.told.values, *part.told.scene.things)), part.told.rendered
        )
        events += [_moved(event, p, frame, step) for event in part.events]
        for number, span in enumerate(part.spans):
            moved = span["start_frame"] + frame, span["stop_frame"] + frame
            said = span["description"]
            if number == 0 and index in notices:
                said = f"{said} {notices[index]}"
            spans.append(Segment(len(spans) + 1, *moved, p + span["event"], said))
        own += [_renamed(p, verdict) for verdict in part.told.verdicts.values()]
    for link in story.links:
        setting = next(iter(staged_of(parts[link.target].told.scene, link.staged).levels))
        del levels[prefix(link.target) + setting]
    truth = ClipTruth(
        clip=video,
        scene=story.name,
        scene_version=1,
        rollout="",
        context=Context(levels, {}, {}),
        values=values,
        onsets=onsets,
        verdicts=(*own, *across),
        rehearsals={},
        margin=Margin(0.0, 0),
        colors=colors,
        shown_in=shown_in,
    )
    return truth, tuple(events), tuple(spans)


def _moved(row: Mapping[str, Any], p: str, frame: int, step: int) -> Event:
    participants = tuple(p + name for name in row["participants"])
    variable = None if row["variable"] is None else p + row["variable"]
    return Event(
        name=variable or f"{row['kind']}({', '.join(participants)})",
        variable=variable,
        kind=row["kind"],
        participants=participants,
        start_step=row["start_step"] + step,
        stop_step=row["stop_step"] + step,
        start_frame=row["start_frame"] + frame,
        stop_frame=row["stop_frame"] + frame,
    )


def _renamed(p: str, proven: ProvenVerdict) -> ProvenVerdict:
    verdict = proven.verdict
    named = replace(
        verdict,
        cause=p + verdict.cause,
        effect=p + verdict.effect,
        cause_set=verdict.cause_set and tuple(p + name for name in verdict.cause_set),
        witness=None if verdict.witness is None else numbered(p, verdict.witness),
    )
    return replace(proven, verdict=named)


def story_record(
    story: Story, truth: ClipTruth, parts: Sequence[Part], joined: Sequence[ProvenVerdict]
) -> dict[str, Any]:
    """Write a video's truth: its episodes, what is carried over, and what follows across them.

    Verdicts within an episode stand in its clip's truth; here are those that a link joins.
    """
    told = [part.told for part in parts]
    return {
        "schema": SCHEMA,
        "clip": truth.clip,
        "story": story.name,
        "video": parts[0].truth["video"],
        "episodes": [
            {
                "clip": part.clip,
                "scene": part.told.scene.name,
                "start_frame": part.start_frame,
                "stop_frame": part.stop_frame,
            }
            for part in parts
        ],
        "links": [
            {
                "lost": prefix(link.source) + LOST,
                "thing": told[link.target].scene.lacking.object_name,
                "decides": prefix(link.target) + decided(link, told),
            }
            for link in story.links
        ],
        "context": dict(sorted(truth.context.levels.items())),
        "values": dict(truth.values),
        "onsets": dict(truth.onsets),
        "verdicts": [verdict_record(truth, proven) for proven in joined],
    }
