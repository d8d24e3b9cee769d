"""Option memoriser: takes the option whose words were right most often before, numbers apart.

Finds files in which the same few sentences are the answers, whatever is asked of whichever video.
"""

from collections.abc import Sequence

from simworld.models import MODELS
from simworld.models.base import Model
from simworld.models.learning import Example, Fitted, Learner, shares, template


def learn(examples: Sequence[Example]) -> Fitted:
    """Learn how often each sentence is the right option, numbers apart."""
    return shares(
        examples, lambda example: {key: template(text) for key, text in example.options.items()}
    )


@MODELS.register("option_memoriser")
def option_memoriser(folder: str) -> Model:
    """Make the model that learns a folder's options by heart, of other groups than it is asked.

    Args:
        folder: A suite or a benchmark's folder.
    """
    return Learner("option_memoriser", learn, folder)
