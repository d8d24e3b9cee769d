"""Stories: every video's files, truth and questions held to what its clips make up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simworld.audit import needles_folder
from simworld.audit.clips import Known
from simworld.audit.questions import judge_questions
from simworld.audit.replays import Replays
from simworld.audit.report import Findings
from simworld.audit.whole import Whole
from simworld.benchmarks.causal2needles.schema import Movie
from simworld.claims import Term, names_in, parse
from simworld.recipe import Recipe
from simworld.splicing import frames_digest
from simworld.store import Suite, read_json
from simworld.story.cast import LOST, cast
from simworld.story.join import prefix, staged_of

Record = Mapping[str, Any]


def check_stories(
    suite: Suite,
    recipe: Recipe,
    known: Mapping[str, Known],
    questions: Sequence[Record],
    replays: Replays,
    findings: Findings,
) -> dict[str, Movie]:
    """Check every story's videos, truth and questions; return the movies that are asked about."""
    stories = cast(recipe, replays.scenes_dir)
    names = sorted(video for story in stories for video in story.videos())
    findings.expect("the recipe's stories", "stories", names, list(suite.story_ids))
    movies: dict[str, Movie] = {}
    dropped: list[Record] = []
    for story in stories:
        for video, clips in story.videos().items():
            if not known.keys() >= set(clips):
                continue  # what is wrong with that clip is a finding already
            findings.counts["stories"] += 1
            with findings.reading(f"{video}: story", f"stories/{video}"):
                whole = Whole(story, video, [known[clip] for clip in clips])
                _check_carried(whole, findings)
                _check_files(suite, whole, findings)
                dropped += read_json(suite.folder / "stories" / video / "no_questions.json")
                asked = [row for row in questions if row.get("clip") == video]
                one = whole.known()
                judge_questions(one, asked, replays, findings, _prover(whole))
                if asked:
                    movies[video] = needles_folder.expected_movie(one, asked)
    with findings.reading("stories: no_questions", "manifest.json"):
        told = [row for row in suite.manifest["no_questions"] if row["clip"] in names]
        findings.expect("stories: no_questions", "manifest.json", dropped, told)
    return movies


def _check_carried(whole: Whole, findings: Findings) -> None:
    """Check that what became of each thing is what the later episode starts from."""
    for link in whole.story.links:
        source, target = whole.parts[link.source], whole.parts[link.target]
        scene, setting = target.file.scene, whole.setting(link)
        staged = staged_of(scene, link.staged)
        is_lost = source.facts.events[LOST] is not None
        expected = scene.showcase[setting] if is_lost else staged.levels[setting]
        claim = f"{whole.video}: {setting} in {target.file.clip}"
        found = target.file.context.levels[setting]
        findings.expect(claim, target.file.where, expected, found)
        thing, there = scene.lacking, source.footage.spec.bodies
        [same] = [body for body in there if body.object_name == thing.object_name]
        looks = (thing.shape, thing.color), (same.shape, same.color)
        claim = f"{whole.video}: the {thing.object_name} is the same thing"
        findings.expect(claim, target.file.where, *map(str, looks))


def _check_files(suite: Suite, whole: Whole, findings: Findings) -> None:
    folder, where = suite.folder / "stories" / whole.video, f"stories/{whole.video}"
    for name, expected, key in (
        ("events", whole.events(), "event"),
        ("spans", whole.spans(), "index"),
    ):
        claims = [f"{whole.video}: {name[:-1]} {row[key]}" for row in expected]
        found = read_json(folder / f"{name}.json")
        findings.expect_rows(claims, f"{where}/{name}.json", expected, found)
    truth = dict(read_json(folder / "truth.json"))
    _check_verdicts(whole, truth.pop("verdicts"), f"{where}/truth.json", findings)
    findings.expect_fields(f"{whole.video}: truth", f"{where}/truth.json", whole.record(), truth)
    clips = [suite.clip(part.file.clip) / "video.mp4" for part in whole.parts]
    digests = frames_digest(clips), frames_digest([folder / "video.mp4"])
    findings.expect(f"{whole.video}: its clips' frames", f"{where}/video.mp4", *digests)


def _check_verdicts(whole: Whole, rows: Sequence[Record], where: str, findings: Findings) -> None:
    """Check what is said to follow across episodes that a link joins."""
    expected = {pair: one for pair, one in whole.across.items() if one.row is not None}
    found = {(row["cause"], row["effect"]): row for row in rows}
    claim = f"{whole.video}: pairs across episodes"
    findings.expect(claim, where, sorted(expected), sorted(found))
    for pair in sorted(expected.keys() & found.keys()):
        findings.counts["verdicts across episodes"] += 1
        claim, one, row = f"{whole.video}: cause({', '.join(pair)})", expected[pair], found[pair]
        told = {key: value for key, value in row.items() if key != "proof"}
        findings.expect_fields(claim, where, one.row or {}, told)
        _check_references(whole, claim, row["proof"], one.required, where, findings)


def _check_references(
    whole: Whole,
    claim: str,
    proof: Sequence[str],
    required: frozenset[str],
    where: str,
    findings: Findings,
) -> None:
    """Check that every rollout named is one of the story's, and that all that show it are."""
    runs = {part.file.clip: part.file.runs for part in whole.parts}
    for reference in proof:
        clip, _, rollout = reference.partition(":")
        if rollout not in runs.get(clip, {}):
            findings.fail(f"{claim}: proof", where, "a rollout of the story's clips", reference)
    for reference in sorted(required - set(proof)):
        findings.fail(f"{claim}: proof", where, f"{reference}, which shows it", "not it")


def _prover(whole: Whole) -> Callable[[Known, Record, str, Replays, Findings], None]:
    """Return what checks that an option's proof shows its claim."""

    def prove(_: Known, option: Record, claim: str, __: Replays, findings: Findings) -> None:
        required = _showing(whole, parse(option["claim"]))
        _check_references(whole, claim, option["proof"], required, "questions.jsonl", findings)

    return prove


def _showing(whole: Whole, claim: Term) -> frozenset[str]:
    match claim:
        case Term("not" | "and", parts):
            return frozenset().union(*(_showing(whole, part) for part in parts))
        case Term("cause" | "trigger" | "enables", (Term(cause, ()), Term(effect, ()))):
            if (cause, effect) in whole.across:
                return whole.across[cause, effect].required
    names = names_in(claim)
    return frozenset(
        whole.rendered(index)
        for index in range(len(whole.parts))
        if any(name.startswith(prefix(index)) for name in names)
    )
