"""Surface learner: knows nothing of words, and learns how right options look beside the others.

A gradient-boosted tree on an option's length and place, on what it shares with the question and
with the other options, and on the form of its sentence.
"""

import re
from collections.abc import Mapping, Sequence

from simworld.models import MODELS
from simworld.models.base import Model
from simworld.models.learning import Example, Fitted, Learner, missing_extra, template

FORMS = (" because ", " but ", " and ", " after ", " so ", "never", " not ", "stayed", "would", ",")


@MODELS.register("surface_learner")
def surface_learner(folder: str) -> Model:
    """Make the model that learns a folder's forms, of other groups than it is asked.

    Args:
        folder: A suite or a benchmark's folder.
    """
    return Learner("surface_learner", learn, folder)


def learn(examples: Sequence[Example]) -> Fitted:
    """Learn to tell right options from wrong ones by their surface.

    Raises:
        MissingDependencyError: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise missing_extra("surface_learner") from error
    rows = [row for e in examples for row in surface(e.question, e.options).values()]
    right = [key == e.answer for e in examples for key in e.options]
    if len(set(right)) < 2:
        return lambda kind, question, options: dict.fromkeys(options, 0.0)
    trees = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.05, random_state=0)
    trees.fit(rows, right)

    def score(kind: str, question: str, options: Mapping[str, str]) -> dict[str, float]:
        found = trees.decision_function(list(surface(question, options).values()))
        return dict(zip(options, found.tolist(), strict=True))

    return score


def surface(question: str, options: Mapping[str, str]) -> dict[str, list[float]]:
    """Return the features of each option, by its key.

    Example:
        >>> first, second = surface("Why?", {"A": "It fell.", "B": "It never fell."}).values()
        >>> first[:3], second[:3]
        ([0, 8, 0.0], [1, 14, 1.0])
    """
    asked = _words(question)
    words = {key: _words(text) for key, text in options.items()}
    lengths = sorted(map(len, options.values()))
    found = {}
    for place, (key, text) in enumerate(options.items()):
        others = [words[other] for other in options if other != key]
        shared = [len(words[key] & other) / len(words[key] | other) for other in others]
        found[key] = [
            place,
            len(text),
            lengths.index(len(text)) / max(1, len(lengths) - 1),
            len(words[key]),
            len(words[key] & asked),
            len(words[key] & asked) / len(words[key]),
            sum(shared) / max(1, len(shared)),
            max(shared, default=0.0),
            sum(first == min(words[key]) for first in map(min, others)),
            len(asked),
            *(float(form in text.casefold()) for form in FORMS),
            *(float(form in question.casefold()) for form in ("which", "what", "if ")),
        ]
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z'#]+", template(text))) or {""}
