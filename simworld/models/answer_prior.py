"""Answer prior: takes the key that is the right one most often in a file, whatever is asked.

Finds files whose answers are uneven: a letter that wins, a place where needles lie.
"""

from collections.abc import Sequence

from simworld.models import MODELS
from simworld.models.base import Model
from simworld.models.learning import Example, Fitted, Learner, shares


def _fit(examples: Sequence[Example]) -> Fitted:
    return shares(examples, lambda example: {key: key for key in example.options})


@MODELS.register("answer_prior")
def answer_prior(folder: str) -> Model:
    """Make the model that learns the answers' keys of a folder, of other groups than it is asked.

    Args:
        folder: A suite or a benchmark's folder.
    """
    return Learner("answer_prior", _fit, folder)
