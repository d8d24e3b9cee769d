"""What a recipe asks for, and whether the folder holds that and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from simworld.audit.report import Findings
from simworld.executors import Workers
from simworld.group import MAX_ATTEMPTS, REFERENCE_ATTEMPT
from simworld.masking import evidence_masked
from simworld.qa.balance import SIZES, balanceable, left_out, unbalanced
from simworld.qa.filters import filter_counts, filters_section
from simworld.qa.items import Drop, Question
from simworld.recipe import Recipe, SceneSettings
from simworld.scene import Context, Scene, load_scene
from simworld.store import Suite, digest_of, read_json
from simworld.story.cast import groups_of
from simworld.twins import spelled_out


@dataclass(frozen=True, slots=True)
class PlannedTwin:
    """A twin that a recipe asks for: `name` is that of its staging or its variation."""

    clip: str
    group: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """A group that a recipe asks for: a factual clip and its twins."""

    group: str
    scene: Scene
    settings: SceneSettings
    instance: int
    twins: tuple[PlannedTwin, ...]

    @property
    def factual(self) -> str:
        """The factual clip."""
        return f"{self.group}-factual"

    @property
    def clips(self) -> tuple[str, ...]:
        """All clips, the factual one first."""
        return (self.factual, *(twin.clip for twin in self.twins))

    @property
    def folder(self) -> str:
        """Where the group's own files are, within the suite."""
        return f"groups/{self.group}"


def plan(
    suite: Suite, recipe: Recipe, scenes_dir: Path | None, findings: Findings
) -> list[PlannedGroup]:
    """Return the groups of a recipe; instances of one scene are numbered on.

    Which staged twins a group has may depend on the context of its factual clip.
    """
    groups = []
    for one in groups_of(recipe, scenes_dir):
        scene, group = load_scene(one.settings.scene, scenes_dir), one.group
        named = one.settings.twins
        if "remove_cause" in named:
            where = f"clips/{group}-factual/truth.json"
            with findings.reading(f"{group}: the context that its twins are of", where):
                context = Context.from_json(suite.truth(f"{group}-factual")["context"])
                named = spelled_out(scene, context, named)
        twins = []
        for text in named:
            kind, _, name = text.partition(":")
            clip = f"{group}-{(name or kind).replace('_', '-')}"
            twins.append(PlannedTwin(clip, group, kind, name))
        groups.append(PlannedGroup(group, scene, one.settings, one.instance, tuple(twins)))
    return groups


def drawn_attempt(recipe: Recipe, planned: PlannedGroup, context: Context) -> int | None:
    """Return which of the recipe's draws a group's factual context is; None if it is none."""
    for attempt in range(MAX_ATTEMPTS):
        levels = planned.settings.levels
        key = (recipe.seed, recipe.split, planned.instance, attempt)
        if planned.scene.draw(*key, levels) == context:
            return attempt
    return None


def noises_of(recipe: Recipe, planned: PlannedGroup, attempt: int) -> list[dict[str, float]]:
    """Return the noise of each of the sieve's draws."""
    key = (recipe.seed, recipe.split, planned.instance, attempt)
    return [
        planned.scene.noise(*key, draw, recipe.truth.sieve_noise)
        for draw in range(1, recipe.truth.sieve_draws + 1)
    ]


def reference_contexts(recipe: Recipe, scene: Scene) -> list[str]:
    """Return the digests of a scene's reference contexts, sorted."""
    numbers = range(recipe.truth.reference_contexts)
    contexts = (
        scene.draw(recipe.seed, "train", k, REFERENCE_ATTEMPT, {} if k else scene.showcase)
        for k in numbers
    )
    return sorted({context.digest() for context in contexts})


def check_plan(
    suite: Suite, recipe: Recipe, groups: Sequence[PlannedGroup], findings: Findings
) -> None:
    """Check that the folder's clips, groups, scenes and counts are the recipe's."""
    manifest = suite.manifest
    with findings.reading("recipe.json", "recipe.json"):
        stored = read_json(suite.folder / "recipe.json")
        findings.expect("the recipe", "recipe.json", manifest["recipe"], stored)
    clips = sorted(clip for planned in groups for clip in planned.clips)
    findings.expect("the recipe's clips", "clips", clips, list(suite.clip_ids))
    scenes = sorted({planned.scene.name for planned in groups})
    findings.expect("the recipe's scenes", "mechanisms", scenes, list(suite.scenes))
    names = sorted(path.name for path in (suite.folder / "groups").glob("[!.]*"))
    findings.expect("the recipe's groups", "groups", sorted(g.group for g in groups), names)
    rejections: Counter[str] = Counter()
    dropped = []
    for planned in groups:
        where = f"{planned.folder}/receipt.json"
        with findings.reading(where, where):
            receipt = read_json(suite.folder / where)
            _check_receipt(suite, recipe, planned, receipt, findings)
            rejections.update(receipt["rejections"])
            dropped += receipt["no_questions"]
    with findings.reading("manifest.json", "manifest.json"):
        found = manifest["rejections"]
        findings.expect("rejections", "manifest.json", dict(sorted(rejections.items())), found)
        told = [row for row in manifest["no_questions"] if row["clip"] in clips]
        dropped += [asdict(drop) for drop in _left_out(suite, groups)]
        findings.expect("no_questions", "manifest.json", dropped, told)


def check_filters(
    suite: Suite, groups: int, workers: Workers, scenes_dir: Path | None, findings: Findings
) -> None:
    """Count again what fell to which filter; the data card must have the same numbers."""
    with findings.reading("filters", "manifest.json"):
        manifest, asked = suite.manifest, [Question.from_json(row) for row in suite.questions()]
        masked = evidence_masked(suite, asked, workers, scenes_dir)
        drops = [Drop(**row) for row in manifest["no_questions"]]
        counts = filter_counts(asked, drops, manifest["rejections"], groups, masked)
        findings.expect_fields("filters", "manifest.json", counts, manifest["filters"])
        if filters_section(counts) not in (suite.folder / "README.md").read_text(encoding="utf-8"):
            findings.fail("the data card's filters", "README.md", "the manifest's", "others")


def _check_receipt(
    suite: Suite,
    recipe: Recipe,
    planned: PlannedGroup,
    receipt: Mapping[str, Any],
    findings: Findings,
) -> None:
    where = f"{planned.folder}/receipt.json"
    key = [recipe.model_dump(mode="json"), planned.group, planned.scene.version]
    expected = {
        "group": planned.group,
        "inputs": digest_of(key),
        "clips": list(planned.clips),
    }
    for name, value in expected.items():
        findings.expect(f"{planned.group}: {name}", where, value, receipt[name])
    for clip in planned.clips:
        where = f"clips/{clip}/receipt.json"
        stored = read_json(suite.folder / where)["inputs"]
        findings.expect(f"{clip}: inputs", where, expected["inputs"], stored)


def check_copies(suite: Suite, groups: Sequence[PlannedGroup], findings: Findings) -> None:
    """Check that questions, twins and metadata say what the groups' own files say."""
    with findings.reading("the groups' questions", "questions.jsonl"):
        rows = [*_group_rows(suite, groups, "candidates.json"), *_story_rows(suite)]
        asked = {_place(row): row for row in suite.questions()}
        candidates = [
            _chosen(row, asked[_place(row)]) if row.get("wordings") else _candidate(row)
            for row in rows
            if _place(row) in asked or not row.get("wordings")
        ]
        questions = [_candidate(row) for row in suite.questions()]
        _expect_same_rows("candidate", "questions.jsonl", candidates, questions, findings)
        uneven = unbalanced([Question.from_json(row) for row in suite.questions()])
        if set(uneven) & set(balanceable([Question.from_json(row) for row in rows])):
            blocks = [row for row in rows if row["benchmark"] in SIZES and row.get("wordings")]
            _check_balance(blocks, asked, findings)
    with findings.reading("the groups' twins", "twins.jsonl"):
        twins = list(_group_rows(suite, groups, "twins.json"))
        _expect_same_rows("twin", "twins.jsonl", twins, suite.twins(), findings)


def _group_rows(
    suite: Suite, groups: Sequence[PlannedGroup], name: str
) -> Iterator[dict[str, Any]]:
    for planned in groups:
        yield from read_json(suite.folder / planned.folder / name)


def _story_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for path in sorted((suite.folder / "stories").glob("[!.]*/candidates.json")):
        yield from read_json(path)


def _left_out(suite: Suite, groups: Sequence[PlannedGroup]) -> list[Drop]:
    """Return what is said of open candidates that are not asked."""
    rows = _group_rows(suite, groups, "candidates.json")
    candidates, asked = (
        [Question.from_json(row) for row in some] for some in (rows, suite.questions())
    )
    return left_out(candidates, asked)


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("clip", "benchmark", "kind", "segment"))


def _chosen(row: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a question must be that was chosen from an open candidate."""
    offered = {option["claim"]: option for option in row["options"]}
    options = []
    for option in asked["options"]:
        found = dict(offered[option["claim"]])
        texts = found.pop("wordings")
        evidence = found.pop("evidence", [])
        if kinds := found.pop("kinds", []):
            kind = option["distractor_type"]
            found["distractor_type"] = kind if kind in kinds else " or ".join(kinds)
        text = option["text"] if option["text"] in texts else " or ".join(texts)
        options.append({**found, "text": text})
        if option["right"]:
            row = {**row, "evidence": evidence}
    text = _candidate(asked)["question"]
    text = text if text in row["wordings"] else " or ".join(row["wordings"])
    kept = {key: value for key, value in row.items() if key != "wordings"}
    return _candidate({**kept, "question": text, "options": options, "video": asked["video"]})


def _check_balance(
    rows: Sequence[Mapping[str, Any]],
    asked: Mapping[tuple[str, ...], Mapping[str, Any]],
    findings: Findings,
) -> None:
    """Check that each option of a question is right in equally many worlds, as was chosen for."""
    right: dict[tuple[str, frozenset[str]], Counter[str]] = {}
    for row in rows:
        question = asked.get(_place(row))
        if question is not None:
            texts = frozenset(option["text"] for option in question["options"])
            counts = right.setdefault((_candidate(question)["question"], texts), Counter())
            counts.update(option["text"] for option in question["options"] if option["right"])
    for (text, texts), counts in right.items():
        claim = f"{text!r}: how often each of its options is right"
        even = dict.fromkeys(sorted(texts), counts.total() // len(texts))
        findings.expect(claim, "questions.jsonl", even, {name: counts[name] for name in even})


def _candidate(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what finalising leaves alone: all but names, letters, and the video's number."""
    text = row["question"].replace(f"video {row['video']}", "video {video}")
    kept = {k: v for k, v in row.items() if k not in ("question_id", "video", "answer", "options")}
    options = [{k: v for k, v in option.items() if k != "key"} for option in row["options"]]
    return {**kept, "question": text, "options": sorted(options, key=lambda o: str(o["text"]))}


def _expect_same_rows(
    what: str,
    where: str,
    expected: Sequence[Mapping[str, Any]],
    found: Sequence[Mapping[str, Any]],
    findings: Findings,
) -> None:
    claims = [f"{what} {row.get('clip') or row.get('twin_id')}" for row in expected]
    findings.expect_rows(claims, where, expected, found)
