"""What a run keeps of answers, so that one that was stopped need not ask again."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Keep = Callable[[Row, Callable[[], Row]], Row]
"""Given what is asked and how to have it answered, returns both as one row of answers.jsonl.

It calls the second only if it has no answer to the first."""


def ask_anew(asked: Row, answered: Callable[[], Row]) -> Row:
    """Keep nothing.

    Example:
        >>> ask_anew({"question_id": "q"}, lambda: {"choice": "B"})
        {'question_id': 'q', 'choice': 'B'}
    """
    return asked | answered()
