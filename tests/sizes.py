"""A suite's size, beside those the papers state: `python -m tests.sizes SUITE...`.

Everything is read through the readers of the benchmarks' own formats.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from simworld.benchmarks.castbench import schema as castbench
from simworld.benchmarks.causal2needles import schema as causal2needles
from simworld.benchmarks.causalstep import schema as causalstep

FILES = {"causalstep": "causalstep.jsonl", "castbench": "castbench_hf.jsonl", "causal2needles": ""}


def spread(values: Sequence[float]) -> str:
    """Return the least, the greatest and the mean."""
    return f"{min(values):g} to {max(values):g}, mean {mean(values):.2f}"


def of_causalstep(path: Path) -> Iterator[tuple[str, str]]:
    videos = causalstep.read_truth(path)
    questions = [question for video in videos for question in video.questions]
    yield "videos", f"{len(videos)}"
    yield "questions", f"{len(questions)}"
    yield "segments", spread([len(video.segments) for video in videos])
    yield "options", spread([len(question.options) for question in questions])
    yield "seconds", spread([video.segments[-1].stop_s for video in videos])


def of_castbench(path: Path) -> Iterator[tuple[str, str]]:
    questions = castbench.read_truth(path)
    seconds = {q.video: q.duration_s for q in questions if q.duration_s is not None}
    kinds = sorted({question.question_type for question in questions})
    counts = [sum(q.question_type == kind for q in questions) for kind in kinds]
    yield "videos asked about", f"{len(seconds)}"
    yield "questions", f"{len(questions)}"
    yield "of each type", ", ".join(f"{n} {kind}" for n, kind in zip(counts, kinds, strict=True))
    yield "options", spread([len(question.options) for question in questions])
    yield "evidences", spread([len(question.evidences) for question in questions])
    yield "seconds", spread(list(seconds.values()))


def of_causal2needles(path: Path) -> Iterator[tuple[str, str]]:
    movies = causal2needles.read_folder(path)
    asked = {
        kind: [q for movie in movies for q in movie.questions.get(kind, ())]
        for kind in sorted({kind for movie in movies for kind in movie.questions})
    }
    yield "videos", f"{len(movies)}"
    yield "questions", ", ".join(f"{len(some)} {kind}" for kind, some in asked.items())
    yield "clips", spread([len(movie.clips) for movie in movies])
    yield (
        "clips from cause to effect",
        spread([q.effect - q.cause for some in asked.values() for q in some]),
    )
    yield "words", spread([len(" ".join(movie.texts).split()) for movie in movies])
    yield "seconds", spread([movie.clips[-1].end_s for movie in movies])


READERS = {
    "causalstep": of_causalstep,
    "castbench": of_castbench,
    "causal2needles": of_causal2needles,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="+", type=Path)
    for suite in parser.parse_args().suites:
        for name, read in READERS.items():
            path = suite / "benchmarks" / name / FILES[name]
            if path.exists():
                for what, value in read(path):
                    print(f"{suite.name} | {name} | {what} | {value}")


if __name__ == "__main__":
    main()
