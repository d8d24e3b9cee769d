"""Option-only learner: reads the options and not the question, and learns how right ones sound.

A logistic regression on each option's words and pairs of words. Finds right answers that are worded
otherwise than wrong ones.
"""

from collections.abc import Callable, Mapping, Sequence

from simworld.models import MODELS
from simworld.models.base import Model
from simworld.models.learning import Example, Fitted, Learner, missing_extra, template

Words = Callable[[str, str, str], str]


def fit_words(words: Words, feature: str) -> Callable[[Sequence[Example]], Fitted]:
    """Return what learns to tell right options from wrong ones by words and pairs of words.

    Args:
        words: Given the kind, the question and an option's text, what is read of it.
        feature: Whose need it is, for the message where scikit-learn is missing.
    """

    def fit(examples: Sequence[Example]) -> Fitted:
        try:
            from sklearn.feature_extraction.text import CountVectorizer
            from sklearn.linear_model import LogisticRegression
        except ImportError as error:
            raise missing_extra(feature) from error
        worded = [e for e in examples if len(set(map(template, e.options.values()))) > 1]
        texts = [words(e.kind, e.question, text) for e in worded for text in e.options.values()]
        right = [key == e.answer for e in worded for key in e.options]
        if not worded:
            return lambda kind, question, options: dict.fromkeys(options, 0.0)
        vectors = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
        line = LogisticRegression(C=10.0, solver="liblinear")
        line.fit(vectors.fit_transform(texts), right)

        def score(kind: str, question: str, options: Mapping[str, str]) -> dict[str, float]:
            told = vectors.transform([words(kind, question, text) for text in options.values()])
            return dict(zip(options, line.decision_function(told).tolist(), strict=True))

        return score

    return fit


learn = fit_words(lambda kind, _, option: f"{kind} {template(option)}", "option_learner")
"""Learns which words right options have."""


@MODELS.register("option_learner")
def option_learner(folder: str) -> Model:
    """Make the model that learns a folder's options, of other groups than it is asked.

    Args:
        folder: A suite or a benchmark's folder.
    """
    return Learner("option_learner", learn, folder)
