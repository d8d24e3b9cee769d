"""Questions, their options and their evidence, as questions.jsonl holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from simworld.benchmarks.causalstep.schema import DistractorKind

Filter = Literal["not_proven", "evidence_not_visible", "text_balance"]
"""What a candidate may fall to: no answer or too few wrong ones are proven; what it rests on cannot
be seen; too few worlds differ in the answer, so that its texts would tell it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a viewer sees what the answer rests on: an object in frames [start, stop)."""

    event: str
    object: str
    start_frame: int
    stop_frame: int
    rationale: str

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as plain JSON data."""
        return {
            "event": self.event,
            "object": self.object,
            "start_frame": self.start_frame,
            "stop_frame": self.stop_frame,
            "rationale": self.rationale,
        }


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a claim and its wording.

    `proof` lists the rollouts that show the claim to be true or false, as `clip:rollout`. The
    right option has no `distractor_type`. `key` is its letter, once letters are dealt, or the
    number of the scene span that it stands for.

    Of a candidate, `wordings` are all that it may be worded as, `text` being one, `evidence` shows
    it if it is right, and `kinds` are all that it may be a wrong option of, where that is open.
    """

    text: str
    claim: str
    right: bool
    distractor_type: DistractorKind | None
    proof: tuple[str, ...]
    key: str = ""
    wordings: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    kinds: tuple[DistractorKind, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the option as plain JSON data; of a candidate, what `finalise` needs."""
        row = {
            "claim": self.claim,
            "right": self.right,
            "distractor_type": self.distractor_type,
            "proof": list(self.proof),
        }
        if not self.wordings:
            return {"key": self.key, "text": self.text, **row}
        more: dict[str, Any] = {"wordings": list(self.wordings)}
        if self.evidence:
            more["evidence"] = [evidence.to_json() for evidence in self.evidence]
        if self.kinds:
            more["kinds"] = list(self.kinds)
        return {**row, **more}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Option:
        """Read an option back."""
        lists = {name: tuple(data.get(name, ())) for name in ("proof", "wordings", "kinds")}
        evidence = tuple(Evidence(**row) for row in data.get("evidence", ()))
        text = data["text"] if "text" in data else data["wordings"][0]
        return Option(**{**data, **lists, "text": text, "evidence": evidence})


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a clip.

    `segment` is the number of the segment asked about or, of a benchmark without segments, of the
    question within its clip. Until `finalise` has numbered the videos, `question` says `{video}`
    for the number, `video` is 0, and neither the question nor its options have a name.

    A candidate that has `wordings` is still open: any number of its options may be right, and one
    of them and some of the others will be chosen.

    Where the question is about what comes next, the video is cut short: it shows the frames
    [0, stop_frame).
    """

    group: str
    clip: str
    benchmark: str
    kind: str
    segment: int
    question: str
    options: tuple[Option, ...]
    evidence: tuple[Evidence, ...]
    video: int = 0
    question_id: str = ""
    wordings: tuple[str, ...] = ()
    stop_frame: int | None = None

    @property
    def scene(self) -> str:
        """The scene whose contexts its group is one of."""
        return self.group.rpartition("-")[0]

    def to_json(self) -> dict[str, Any]:
        """Return the question as plain JSON data; `answer` is the right option's key."""
        return {
            "question_id": self.question_id,
            "group": self.group,
            "clip": self.clip,
            "video": self.video,
            "benchmark": self.benchmark,
            "kind": self.kind,
            "segment": self.segment,
            "question": self.question,
            "options": [option.to_json() for option in self.options],
            "answer": next(option.key for option in self.options if option.right),
            "evidence": [evidence.to_json() for evidence in self.evidence],
            **({"wordings": list(self.wordings)} if self.wordings else {}),
            **({"stop_frame": self.stop_frame} if self.stop_frame else {}),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Question:
        """Read a question back."""
        fields = {key: value for key, value in data.items() if key != "answer"}
        fields["options"] = tuple(map(Option.from_json, data["options"]))
        fields["wordings"] = tuple(data.get("wordings", ()))
        fields["evidence"] = tuple(Evidence(**row) for row in data["evidence"])
        return Question(**fields)


@dataclass(frozen=True, slots=True)
class Drop:
    """Why a question was not asked of a clip; `segment` 0 stands for the whole clip.

    `count` is the number of candidates that fell: 0 if one only lost an answer, or if there was
    none. `benchmark` is left empty until the drops of several benchmarks come together.
    """

    clip: str
    segment: int
    kind: str | None
    reason: str
    count: int = 1
    filter: Filter = "not_proven"
    benchmark: str = ""
