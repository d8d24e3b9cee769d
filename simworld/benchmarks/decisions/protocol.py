"""The decisions' protocol: the whole video, the question, the options; one letter is the answer."""

from dataclasses import dataclass, replace

from simworld.benchmarks.causalstep.protocol import read_choice
from simworld.benchmarks.decisions.schema import Decision
from simworld.models.base import Answer


@dataclass(frozen=True, slots=True)
class Step:
    """A question that was put, and its answer."""

    decision: Decision
    answer: Answer

    @property
    def works(self) -> bool:
        """Whether the chosen change prevents the failure; every status but ok chooses none."""
        return self.answer.status == "ok" and self.answer.choice == self.decision.answer


def prompt(decision: Decision) -> str:
    """Write what a model that reads is told besides the video."""
    options = [f"{letter}. {text}" for letter, text in sorted(decision.options.items())]
    return "\n".join(
        [
            "Watch the video. What went wrong in it may be prevented by changing one thing.",
            f"Question: {decision.question}",
            *options,
            "Reply with the letter of the one change that works.",
        ]
    )


def settle(decision: Decision, answer: Answer) -> Step:
    """Return the answer with its choice read out of the words, or with status `unparsed`.

    Words are read as CausalStep's are; a letter that no option has is none.
    """
    if answer.status != "ok":
        return Step(decision, replace(answer, choice=None))
    choice = answer.choice
    if choice is None and answer.raw is not None:
        choice = read_choice(answer.raw)
    if choice not in decision.options:
        return Step(decision, replace(answer, choice=None, status="unparsed"))
    return Step(decision, replace(answer, choice=choice))
