"""Makes a movie and what is asked of it."""

from simworld.benchmarks.causal2needles.protocol import (
    Ask,
)
from simworld.benchmarks.causal2needles.schema import (
    Clip,
    Movie,
    Question,
    TwoParts,
    Window,
)

PARTS = TwoParts("Cause anew.", "Effect anew.", "P1 P2 A. a B. b C. c D. d", "B", "P1?", "P2?")


def movie(clips=20, **questions):
    kinds = {"one": "1needle", "noncausal": "1needle_noncausal", "two": "2needle"}
    return Movie(
        "yms",
        "0001",
        tuple(Clip(4.0 * i, 4.0 * i + 4) for i in range(clips)),
        tuple(f" Sentence {i}. " for i in range(clips)),
        {kinds[kind]: tuple(entries) for kind, entries in questions.items()},
    )


def ask(task="1needle", right=("3",), order="forward", window=None):
    parts = PARTS if task.startswith("2needle") else None
    question = Question("Q?", 5, 9, parts)
    return Ask(movie(), task, order, question, window or Window(2, 3, 12), "Story.", right)
