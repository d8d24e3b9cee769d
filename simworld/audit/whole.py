"""A story's video made up again of its episodes, and what follows across them.

What one episode's variable was to another's event is found anew from the audit's own verdicts on
each. A loss and the condition that it decides are all that two episodes share; so what is a cause
of the loss is a cause of what that condition is a cause of, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from simworld.audit.clips import ClipFile, Known
from simworld.audit.verdicts import shown_by
from simworld.causal import Intervention, Verdict
from simworld.lab import rollout_id
from simworld.qa.claims import Facts, Happening, Relation
from simworld.scene import Context
from simworld.store import SCHEMA
from simworld.story.cast import LOST, Link, Story
from simworld.story.join import carried_notice, join_scenes, prefix, staged_of

Pair = tuple[str, str]
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Across:
    """What the one was to the other, and the rollouts that show it, as `clip:rollout`.

    `row` is how the story's truth file tells it; None of a pair that nothing joins.
    """

    relation: Relation
    required: frozenset[str]
    row: Record | None = None


class Whole:
    """A story's video, made up of what is known of its clips."""

    def __init__(self, story: Story, video: str, parts: Sequence[Known]) -> None:
        self.story, self.video, self.parts = story, video, parts
        lengths = [part.spans[-1]["stop_frame"] for part in parts]
        self.starts = list(accumulate(lengths, initial=0))
        self.into = {link.target: link for link in story.links}
        self.across = {
            (prefix(i) + cause, prefix(j) + effect): found
            for i, one in enumerate(parts)
            for j, other in enumerate(parts)
            for cause in one.file.scm.endogenous
            for effect in other.file.scm.events
            if (i, cause) != (j, effect)
            and (found := self._relate((i, cause), (j, effect))) is not None
        }

    def decided(self, link: Link) -> str:
        """Return the condition that a link decides, by its episode's own name."""
        return staged_of(self.parts[link.target].file.scene, link.staged).variable

    def setting(self, link: Link) -> str:
        """Return the setting of the link's target that stands for the thing."""
        [setting] = staged_of(self.parts[link.target].file.scene, link.staged).levels
        return setting

    def rendered(self, index: int) -> str:
        """Return the rollout that shows an episode."""
        file = self.parts[index].file
        return f"{file.clip}:{file.truth['rollout']}"

    def _undone(self, index: int, name: str) -> frozenset[str]:
        """Return the shown rollout, and that in which one variable alone is undone, if it can."""
        known, file = self.parts[index], self.parts[index].file
        do = Intervention.of({name: 1 - known.facts.values[name]})
        rollout = rollout_id(file.scene, file.context, {}, do, "handle")
        found = {f"{file.clip}:{rollout}"} if rollout in file.runs else set()
        return frozenset({self.rendered(index), *found})

    def _own(self, index: int, cause: str, effect: str) -> tuple[Verdict, frozenset[str]] | None:
        known = self.parts[index]
        verdict = known.verdicts.get((cause, effect))
        if verdict is None:
            return None
        clip = known.file.clip
        return verdict, frozenset(f"{clip}:{i}" for i in shown_by(known.file, verdict))

    def _relate(self, cause: tuple[int, str], effect: tuple[int, str]) -> Across | None:
        (i, x), (j, y) = cause, effect
        if i == j:
            own = self._own(i, x, y)
            if own is None:
                return None
            verdict, required = own
            relation = Relation(verdict.role, verdict.directness, verdict.actual)
            return Across(relation, required)
        link = self.into.get(j)
        happened = self.parts[i].facts.events.get(x) is not None
        both = i < j and happened and self.parts[j].facts.events[y] is not None
        none = Relation("temporal_predecessor" if both else "unrelated", "none", False)
        if link is None or link.source != i:
            return Across(none, self._undone(i, x) | {self.rendered(j)})
        return self._carried(link, x, y, none)

    def _carried(self, link: Link, x: str, y: str, none: Relation) -> Across | None:
        """Return what x was to y, where a link leads from the one's episode to the other's."""
        i, j, condition = link.source, link.target, self.decided(link)
        before = self._own(i, x, LOST) if x != LOST else None
        after = self._own(j, condition, y)
        ends = {self.rendered(i), self.rendered(j)}
        for step in (before, after):
            if step is not None and not (step[0].actual or step[0].part_of_cause):
                return Across(none, step[1] | ends, self._row(link, (x, y), none, {}, False))
        if after is None or not after[0].actual or (x != LOST and before is None):
            return None
        if before is not None and not before[0].actual:
            return None
        held = {prefix(j) + name: value for name, value in (after[0].witness or {}).items()}
        but_for, shown = after[0].but_for, after[1] | self._undone(i, x)
        if before is not None:
            held |= {prefix(i) + name: value for name, value in (before[0].witness or {}).items()}
            but_for, shown = but_for and before[0].but_for, after[1] | before[1]
        relation = self._cause(i, x, self.parts[j].facts.values[y])
        return Across(relation, shown, self._row(link, (x, y), relation, held, but_for))

    def _cause(self, index: int, name: str, effect_value: int) -> Relation:
        known = self.parts[index]
        if effect_value and name in known.facts.conditions:
            return Relation("enabling_condition", "indirect", True)
        if not known.facts.values[name]:
            return Relation("omission", "indirect", True)
        return Relation("trigger" if effect_value else "preventer", "indirect", True)

    def _row(
        self, link: Link, pair: Pair, relation: Relation, held: Record, but_for: bool
    ) -> Record:
        name = prefix(link.source) + pair[0]
        size = 1 + len(held)
        share = "1" if size == 1 else f"1/{size}"
        return {
            "cause": name,
            "effect": prefix(link.target) + pair[1],
            "cause_value": self.parts[link.source].facts.values[pair[0]],
            "effect_value": self.parts[link.target].facts.values[pair[1]],
            "but_for": but_for,
            "actual": relation.actual,
            "part_of_cause": False,
            "cause_set": [name] if relation.actual else None,
            "witness": dict(held) if relation.actual else None,
            "responsibility": share if relation.actual else "0",
            "directness": relation.directness,
            "role": relation.role,
        }

    def known(self) -> Known:
        """Return what is known of the video; its footage is that of its first episode."""
        first = self.parts[0]
        scene = join_scenes(self.story, [part.file.scene for part in self.parts])
        spans = self.spans()
        file = ClipFile(self.video, scene, scene.scm, {}, Context({}, {}, {}), {}, first.file.video)
        return replace(
            first,
            file=file,
            events=self.events(),
            segments=spans,
            spans=spans,
            verdicts={},
            facts=self._facts(spans),
            looks={},
        )

    def spans(self) -> list[dict[str, Any]]:
        """Return the scene spans of all episodes, numbered on."""
        told = {
            link.source: carried_notice(self.parts[link.target].file.scene)
            for link in self.story.links
        }
        rows: list[dict[str, Any]] = []
        for index, part in enumerate(self.parts):
            for number, span in enumerate(part.spans):
                start = self.starts[index]
                notice = f" {told[index]}" if index in told and number == 0 else ""
                rows.append(
                    {
                        "index": len(rows) + 1,
                        "start_frame": span["start_frame"] + start,
                        "stop_frame": span["stop_frame"] + start,
                        "event": prefix(index) + span["event"],
                        "description": span["description"] + notice,
                    }
                )
        return rows

    def events(self) -> list[dict[str, Any]]:
        """Return the events of all episodes, by joined names and the video's clock."""
        rows = []
        for index, part in enumerate(self.parts):
            p, frame = prefix(index), self.starts[index]
            step = frame * part.file.video.steps_per_frame
            for event in part.events:
                people = [p + name for name in event["participants"]]
                variable = None if event["variable"] is None else p + event["variable"]
                rows.append(
                    {
                        "event": variable or f"{event['kind']}({', '.join(people)})",
                        "variable": variable,
                        "kind": event["kind"],
                        "participants": people,
                        **{key: event[key] + frame for key in ("start_frame", "stop_frame")},
                        **{key: event[key] + step for key in ("start_step", "stop_step")},
                    }
                )
        return rows

    def _facts(self, spans: Sequence[Record]) -> Facts:
        conditions: dict[str, int] = {}
        events: dict[str, Happening | None] = {}
        colors: dict[str, str] = {}
        objects: set[str] = set()
        for index, part in enumerate(self.parts):
            p, frame = prefix(index), self.starts[index]
            step = frame * part.file.video.steps_per_frame
            conditions |= {p + name: value for name, value in part.facts.conditions.items()}
            for name, when in part.facts.events.items():
                events[p + name] = when and Happening(
                    when.start_step + step, when.start_frame + frame, when.stop_frame + frame
                )
            colors |= {p + name: color for name, color in part.facts.colors.items()}
            objects |= {p + name for name in part.facts.objects}
        return Facts(
            conditions=conditions,
            events=events,
            contacts={},
            breaks={},
            segments={row["index"]: (row["start_frame"], row["stop_frame"]) for row in spans},
            relations={pair: one.relation for pair, one in self.across.items()},
            colors=colors,
            recolored=frozenset(),
            objects=frozenset(objects),
        )

    def record(self) -> dict[str, Any]:
        """Return what the truth file must say, proofs left out."""
        values: dict[str, int] = {}
        onsets: dict[str, int] = {}
        levels: dict[str, str] = {}
        for index, part in enumerate(self.parts):
            p = prefix(index)
            step = self.starts[index] * part.file.video.steps_per_frame
            values |= {p + name: value for name, value in part.facts.values.items()}
            shown = part.footage.rollout.outcome.onsets
            onsets |= {p + name: onset + step for name, onset in shown.items()}
            levels |= {p + name: level for name, level in part.file.context.levels.items()}
        for link in self.story.links:
            del levels[prefix(link.target) + self.setting(link)]
        return {
            "schema": SCHEMA,
            "clip": self.video,
            "story": self.story.name,
            "video": self.parts[0].file.video.model_dump(),
            "episodes": [
                {
                    "clip": part.file.clip,
                    "scene": part.file.scene.name,
                    "start_frame": self.starts[index],
                    "stop_frame": self.starts[index + 1],
                }
                for index, part in enumerate(self.parts)
            ],
            "links": [
                {
                    "lost": prefix(link.source) + LOST,
                    "thing": self.parts[link.target].file.scene.lacking.object_name,
                    "decides": prefix(link.target) + self.decided(link),
                }
                for link in self.story.links
            ],
            "context": levels,
            "values": values,
            "onsets": onsets,
        }
