"""Sets of models that go by one name: `ladder` and `probes`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CONSTANT = {
    "causalstep": "constant:A",
    "castbench": "constant:A",
    "causal2needles": "constant:4/4+4/A",
    "decisions": "constant:A",
}
"""An answer that never changes; of scenes the fourth, in the middle of where causes stand."""

LEARNERS = (
    "answer_prior",
    "option_memoriser",
    "option_learner",
    "surface_learner",
    "text_learner",
)
EVENTS = ("perception", "temporal_neighbour", "adjacency", "object_removal")
VIEWS = (
    "caption_only:word_overlap",
    "single_frame:perception",
    "current_segment:perception",
    "full_video:perception",
    "shuffled_segments:perception",
    "reversed_clips:temporal_neighbour",
    "mute_cause:perception",
    "mute_effect:perception",
)
_WHOLE = ("current_segment:perception", "full_video:perception")
UNFIT: Mapping[str, Sequence[str]] = {"castbench": _WHOLE, "decisions": VIEWS}
"""Views that are none, for benchmarks that show the whole video, or hide nothing that is known."""
FAMILY = tuple(f"competence:{c:g}/{q:g}" for q in (0.5, 1) for c in (0, 0.25, 0.5, 0.75, 1))
ONE_SIDED = ("right_answer_wrong_evidence", "right_evidence_wrong_answer")


def blind(benchmark: str, folder: Path) -> tuple[str, ...]:
    """Return models that look at nothing; learners learn from other groups of the folder."""
    learners = (f"{name}:{folder}" for name in LEARNERS)
    return "chance", CONSTANT[benchmark], "longest_option", "word_overlap", *learners


def probes(benchmark: str, folder: Path) -> tuple[str, ...]:
    """Return the shortcuts that a benchmark must not reward: each is blind, or shown too little.

    Those that see claims are left out where the folder is no suite.
    """
    suite = (folder / "questions.jsonl").is_file()
    seeing = ("perception", *VIEWS) if suite else ()
    fits = [name for name in seeing if name not in UNFIT.get(benchmark, ())]
    return *blind(benchmark, folder), *fits


def ladder(benchmark: str, folder: Path) -> tuple[str, ...]:
    """Return every model of known competence, from those that look at nothing to the oracle.

    The pixel tracker is among them where there are videos.
    """
    suite = (folder / "questions.jsonl").is_file()
    roots = folder / "benchmarks" / benchmark / "videos", folder / "videos"
    eyes = ("pixel_tracker",) if any(root.is_dir() for root in roots) else ()
    events = EVENTS if suite else ()
    return *blind(benchmark, folder), *eyes, *events, *ONE_SIDED, *FAMILY, "oracle"


SETS: Mapping[str, Callable[[str, Path], tuple[str, ...]]] = {"ladder": ladder, "probes": probes}


def expand(names: Sequence[str], benchmark: str, folder: Path) -> list[str]:
    """Put the models of a set in the place of its name.

    Example:
        >>> expand(["oracle", "chance"], "causalstep", Path("suite"))
        ['oracle', 'chance']
    """
    found: list[str] = []
    for name in names:
        found += SETS[name](benchmark, folder) if name in SETS else [name]
    return found
