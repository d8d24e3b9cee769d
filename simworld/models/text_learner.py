"""Text-only learner: reads question and options, sees no video, and learns which go together.

A logistic regression on the options' words, alone and each joined to the question that is asked.
What it gets right beyond chance can be had without looking.
"""

from simworld.models import MODELS
from simworld.models.base import Model
from simworld.models.learning import Learner, template
from simworld.models.option_learner import fit_words


def _words(kind: str, question: str, option: str) -> str:
    """Return the option's words, then each joined to the whole question, and the two as one."""
    asked = "_".join(template(question).split())
    known = template(option).split()
    joined = [f"{kind}:{asked}:{word}" for word in (*known, "_".join(known))]
    return " ".join([*known, *joined])


learn = fit_words(_words, "text_learner")
"""Learns which words right options have, and which go with a question."""


@MODELS.register("text_learner")
def text_learner(folder: str) -> Model:
    """Make the model that learns a folder's texts, of other groups than it is asked.

    Args:
        folder: A suite or a benchmark's folder.
    """
    return Learner("text_learner", learn, folder)
