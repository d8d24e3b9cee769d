"""The audit from end to end: read the folder, simulate again, film again, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simworld.audit import ask_castbench, ask_causalstep, ask_decisions, needles_folder
from simworld.audit.clips import ClipFile, Known, judge_clip, single_settings
from simworld.audit.digests import check_digests
from simworld.audit.footage import FilmJob, Footage, film_all
from simworld.audit.mechanisms import Mechanism, check_mechanism, read_mechanism
from simworld.audit.plan import (
    PlannedGroup,
    check_copies,
    check_filters,
    check_plan,
    drawn_attempt,
    noises_of,
    plan,
    reference_contexts,
)
from simworld.audit.questions import judge_questions
from simworld.audit.replays import Progress, Replays, factual
from simworld.audit.report import AuditReport, Findings
from simworld.audit.runs import check_agreement, check_runs, read_runs
from simworld.audit.stories import check_stories
from simworld.audit.twins import check_metadata, judge_twin
from simworld.audit.verdicts import check_staged, check_table, judge_verdicts
from simworld.benchmarks.castbench import schema as castbench
from simworld.benchmarks.causal2needles import schema as causal2needles
from simworld.benchmarks.decisions.schema import Decision
from simworld.errors import InputError
from simworld.executors import Workers
from simworld.recipe import Recipe
from simworld.scene import Context
from simworld.store import Suite, read_json
from simworld.story.cast import Story, cast
from simworld.suite import versions


def audit(
    suite: Path,
    *,
    workers: int | None = None,
    scenes_dir: Path | None = None,
    progress: Progress = lambda *_: None,
) -> AuditReport:
    """Simulate a suite again and check every claim and digest in it.

    Args:
        suite: The suite's folder.
        workers: Processes that simulate; one for each processor if None.
        scenes_dir: The folder with scene scripts that it was generated from, if any.
        progress: Is told what is done.

    Raises:
        InputError: There is no suite, or its recipe or a scene's script cannot be read.
    """
    folder, findings = Suite(suite), Findings()
    manifest = folder.manifest
    check_digests(folder, findings)
    recipe = _recipe(manifest, suite)
    groups = plan(folder, recipe, scenes_dir, findings)
    check_plan(folder, recipe, groups, findings)
    check_copies(folder, groups, findings)
    with Workers(workers) as pool:
        inspection = _Inspection(
            folder,
            recipe,
            groups,
            cast(recipe, scenes_dir),
            Replays(pool, scenes_dir, progress),
            findings,
        )
        inspection.check_rollouts()
        inspection.check_groups(progress)
        inspection.check_stories()
        check_filters(folder, len(groups), pool, scenes_dir, findings)
        findings.counts["worlds simulated"] = inspection.replays.count
    inspection.check_benchmarks()
    if findings.failures and manifest.get("versions") != versions():
        findings.fail(
            "versions that the suite was made with, others of which may give other bits",
            "manifest.json",
            versions(),
            manifest.get("versions"),
        )
    return AuditReport(tuple(findings.failures), dict(findings.counts))


def _recipe(manifest: Mapping[str, Any], suite: Path) -> Recipe:
    try:
        return Recipe.model_validate(manifest["recipe"])
    except (KeyError, ValueError) as error:
        raise InputError(f"expected a recipe in {suite / 'manifest.json'}: {error}") from error


@dataclass(slots=True)
class _Inspection:
    """One suite under audit."""

    suite: Suite
    recipe: Recipe
    groups: Sequence[PlannedGroup]
    stories: Sequence[Story]
    replays: Replays
    findings: Findings
    mechanisms: dict[str, Mechanism] = field(default_factory=dict)
    clips: dict[str, ClipFile] = field(default_factory=dict)
    causalstep: dict[str, dict[str, Any]] = field(default_factory=dict)
    castbench: dict[str, list[castbench.Question]] = field(default_factory=dict)
    causal2needles: dict[str, causal2needles.Movie] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)
    twins: list[dict[str, Any]] = field(default_factory=list)
    told: dict[str, Known] = field(default_factory=dict)

    def check_rollouts(self) -> None:
        """Read every file with rollouts, run them all again, and check what scenes claim."""
        for scene in {planned.scene.name: planned.scene for planned in self.groups}.values():
            where = f"mechanisms/{scene.name}.json"
            data: dict[str, Any] = {}
            with self.findings.reading(where, where):
                data = self.suite.mechanism(scene.name)
            self.mechanisms[scene.name] = read_mechanism(scene, data, self.findings)
        for planned in self.groups:
            for clip in planned.clips:
                with self.findings.reading(f"{clip}: truth", f"clips/{clip}/truth.json"):
                    self.clips[clip] = self._read_clip(planned, clip)
        stored = [file.runs for file in self.mechanisms.values()]
        stored += [file.runs for file in self.clips.values()]
        runs = [run.setting for some in stored for run in some.values()]
        singles = [setting for file in self.clips.values() for setting in single_settings(file)]
        self.replays.prepare([*runs, *singles])
        for mechanism in self.mechanisms.values():
            self._check_scene(mechanism)
        for file in self.clips.values():
            check_runs(file.runs, self.replays, file.clip, file.where, self.findings)

    def _read_clip(self, planned: PlannedGroup, clip: str) -> ClipFile:
        truth = self.suite.truth(clip)
        where = f"clips/{clip}/truth.json"
        return ClipFile(
            clip,
            planned.scene,
            self.mechanisms[planned.scene.name].scm,
            truth,
            Context.from_json(truth["context"]),
            read_runs(planned.scene, truth, clip, where, self.findings),
            self.recipe.video_of(planned.settings),
        )

    def _check_scene(self, mechanism: Mechanism) -> None:
        scene, where = mechanism.scene, mechanism.where
        check_runs(mechanism.runs, self.replays, scene.name, where, self.findings)
        stored = [file.runs for file in self.clips.values() if file.scene.name == scene.name]
        runs = [run for some in (mechanism.runs, *stored) for run in some.values()]
        check_agreement(mechanism.scm, runs, self.replays, scene.name, where, self.findings)
        expected = reference_contexts(self.recipe, scene)
        claim = f"{scene.name}: contexts drawn by the recipe"
        self.findings.expect(claim, where, expected, sorted(mechanism.contexts))
        with self.findings.reading(f"{scene.name}: mechanism", where):
            check_mechanism(mechanism, self.replays, self.findings)

    def check_groups(self, progress: Progress) -> None:
        """Film every clip again and judge each group as soon as all of its clips are there."""
        with self.findings.reading("questions", "questions.jsonl"):
            self.questions = self.suite.questions()
            self._check_videos_asked_about()
        with self.findings.reading("twins", "twins.jsonl"):
            self.twins = self.suite.twins()
            expected = [twin.clip for group in self.groups for twin in group.twins]
            found = [row["twin_id"] for row in self.twins]
            self.findings.expect("the recipe's twins", "twins.jsonl", expected, found)
        names = [clip for planned in self.groups for clip in planned.clips if clip in self.clips]
        jobs = [self._film_job(self.clips[name]) for name in names]
        films: dict[str, Footage] = {}
        missing = {planned.group: set(planned.clips) & set(names) for planned in self.groups}
        of_clip = {clip: planned for planned in self.groups for clip in planned.clips}
        for done, (index, film) in enumerate(film_all(self.replays.pool, jobs), start=1):
            name, planned = names[index], of_clip[names[index]]
            if isinstance(film, str):
                where = self.clips[name].where
                self.findings.fail(f"{name}: the rollout that is shown", where, "one", film)
            else:
                films[name] = film
            missing[planned.group].remove(name)
            if not missing[planned.group]:
                self._judge_group(planned, {c: films.pop(c) for c in planned.clips if c in films})
            progress("filming again", done, len(jobs))

    def _film_job(self, file: ClipFile) -> FilmJob:
        folder = self.suite.clip(file.clip)
        scenes_dir = self.replays.scenes_dir
        return FilmJob(file.scene.name, scenes_dir, file.context, file.video, folder)

    def _check_videos_asked_about(self) -> None:
        """Check that questions are on clips of the recipe, and that these are numbered."""
        clips = {clip for planned in self.groups for clip in planned.clips}
        clips |= {video for story in self.stories for video in story.videos()}
        numbers = {row["clip"]: row["video"] for row in self.questions}
        for name in sorted(numbers.keys() - clips):
            self.findings.fail(f"questions on {name}", "questions.jsonl", "a clip", "none")
        expected, found = list(range(1, len(numbers) + 1)), sorted(numbers.values())
        self.findings.expect("video numbers", "questions.jsonl", expected, found)

    def check_stories(self) -> None:
        """Check the stories that clips make up."""
        args = (self.told, self.questions, self.replays, self.findings)
        self.causal2needles |= check_stories(self.suite, self.recipe, *args)

    def _judge_group(self, planned: PlannedGroup, films: Mapping[str, Footage]) -> None:
        known = self._judge_clips(planned, films)
        rows = {row.get("twin_id"): row for row in self.twins}
        for twin in planned.twins:
            if {planned.factual, twin.clip} <= known.keys() and twin.clip in rows:
                with self.findings.reading(f"{twin.clip}: twin", "twins.jsonl"):
                    first, other = known[planned.factual], known[twin.clip]
                    row = rows[twin.clip]
                    judge_twin(twin, first, other, row, self.replays, self.findings)
        for clip, one in known.items():
            asked = [row for row in self.questions if row.get("clip") == clip]
            with self.findings.reading(f"{clip}: questions", "questions.jsonl"):
                judge_questions(one, asked, self.replays, self.findings)
                self._expect_in_benchmarks(planned, one, asked)
        in_stories = {c for story in self.stories for some in story.videos().values() for c in some}
        self.told |= {clip: one for clip, one in known.items() if clip in in_stories}

    def _expect_in_benchmarks(
        self, planned: PlannedGroup, known: Known, asked: Sequence[Mapping[str, Any]]
    ) -> None:
        """Note what the benchmarks' files must say of a clip."""
        clip = known.file.clip
        for_step = [row for row in asked if row["benchmark"] == "causalstep"]
        if for_step:
            video = ask_causalstep.expected_video(known, planned.group, for_step)
            self.causalstep[clip] = video
        for_cast = [row for row in asked if row["benchmark"] == "castbench"]
        if for_cast:
            questions = ask_castbench.expected_questions(known, planned.group, for_cast)
            self.castbench[clip] = questions
        for_needles = [row for row in asked if row["benchmark"] == "causal2needles"]
        if for_needles:
            self.causal2needles[clip] = needles_folder.expected_movie(known, for_needles)
        for row in asked:
            if row["benchmark"] == "decisions":
                self.decisions[clip] = ask_decisions.expected_decision(known, planned.group, row)

    def _judge_clips(self, planned: PlannedGroup, films: Mapping[str, Footage]) -> dict[str, Known]:
        noises, known = self._noises(planned), {}
        for clip, film in films.items():
            file = self.clips[clip]
            with self.findings.reading(f"{clip}: truth", file.where):
                self.replays.values(factual(file.scene.name, file.context))
                proven = judge_verdicts(file, self.replays, self.findings)
                check_table(file, proven, noises, self.replays, self.findings)
                check_staged(file, self.replays, self.findings)
                margin = {"noise": self.recipe.truth.sieve_noise, "draws": len(noises)}
                self.findings.expect(f"{clip}: margin", file.where, margin, file.truth["margin"])
                args = (proven, self.replays, self.suite, self.findings)
                known[clip] = judge_clip(file, film, *args)
        return known

    def _noises(self, planned: PlannedGroup) -> list[dict[str, float]]:
        """Return the sieve's noise; the factual context must be one that the recipe draws."""
        if planned.factual not in self.clips:
            return []
        file, where = self.clips[planned.factual], f"{planned.folder}/receipt.json"
        attempt = drawn_attempt(self.recipe, planned, file.context)
        if attempt is None:
            claim = f"{planned.factual}: context"
            self.findings.fail(claim, file.where, "one that the recipe draws", "another one")
            return []
        with self.findings.reading(f"{planned.group}: rejections", where):
            rejected = sum(read_json(self.suite.folder / where)["rejections"].values())
            self.findings.expect(f"{planned.group}: rejections", where, attempt, rejected)
        return noises_of(self.recipe, planned, attempt)

    def check_benchmarks(self) -> None:
        """Check the files that the benchmarks are read from."""
        ask_causalstep.check_file(self.suite, self.causalstep, self.findings)
        ask_castbench.check_file(self.suite, self.castbench, self.findings)
        needles_folder.check_file(self.suite, self.recipe.seed, self.causal2needles, self.findings)
        ask_decisions.check_file(self.suite, self.decisions, self.findings)
        check_metadata(self.suite, self.twins, self.findings)
