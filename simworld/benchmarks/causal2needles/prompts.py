"""What a Causal2Needles question looks like to a model, and how its answer is worded."""

from collections.abc import Sequence
from itertools import product
from typing import Literal

from simworld.benchmarks.causal2needles.protocol import LETTERS, Ask

Layout = Literal["prompt_first", "labelled"]

_ONE = "One scene holds the clue that the question asks for. Give that scene's index number.\n"
_TWO = (
    "The question has two parts, and one scene answers each. Name the scene for Part 1 first, then "
    "the scene for Part 2, in exactly this form: 'Scene 7 for Part 1 and Scene 2 for Part 2.'\n"
)
_IMAGE = (
    "The question has two parts. Part 1 tells which scene to look at. Look there, and answer "
    "Part 2 with the one of its four options that fits best.\n"
    "Give the answer to Part 2 alone.\n"
)


def prompt(ask: Ask, layout: Layout = "labelled") -> str:
    """Write what a model that reads is told besides the scenes.

    The authors' code knows its reverse run by the letters "rev" in the prompt, so that no other
    prompt of ours has them.
    """
    parts = ask.question.parts
    order = ", in reverse order" if ask.order == "reverse" else ""
    suffix = "Answer:"
    if ask.task == "2needle_vg" and parts:
        told = _TWO
        question = f"The two parts:\nPart 1: {parts.part1}\nPart 2: {parts.part2}"
    elif ask.task == "2needle_id" and parts:
        told, question = _IMAGE, f"Question: {parts.image_question}"
    else:
        told, question = _ONE, f"Question: {ask.question.text}"
    if layout == "prompt_first" and ask.task != "2needle_id":
        suffix = "Index number of the scene:"
    return (
        f"Here is the narration of a whole movie, and some consecutive scenes of it{order}; each "
        f"scene is five of its frames, stacked from top to bottom.\n{told}"
        f"Context: {ask.context}\n{question}\n\n{suffix}\n"
    )


def content(ask: Ask, layout: Layout = "labelled") -> tuple[str | int, ...]:
    """Return texts and clip indices in the order in which a model gets them.

    Args:
        ask: What is asked.
        layout: `prompt_first` is the prompt, then the scenes without labels; `labelled` is each
            scene after its label, then the prompt.
    """
    if layout == "prompt_first":
        return prompt(ask, layout), *ask.shown
    scenes = [
        part for number, clip in enumerate(ask.shown, 1) for part in (f"Scene {number}: ", clip)
    ]
    return *scenes, prompt(ask, layout)


def words(ask: Ask, answer: Sequence[str]) -> str:
    """Word an answer as the prompt wants it; `words(ask, ask.right)` is the right one."""
    if ask.task == "2needle_vg":
        return f"Scene {answer[0]} for Part 1 and Scene {answer[1]} for Part 2."
    return answer[0]


def choices(ask: Ask) -> list[str]:
    """Word every answer that can be given."""
    scenes = [str(number) for number in range(1, len(ask.window) + 1)]
    if ask.task == "2needle_vg":
        return [words(ask, pair) for pair in product(scenes, repeat=2)]
    return list(LETTERS) if ask.task == "2needle_id" else scenes
