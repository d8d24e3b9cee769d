"""Who answers: the registry of models, and how one is made from its name."""

import inspect
from collections.abc import Callable

from simworld.errors import InputError
from simworld.models.base import Model
from simworld.registry import Registry

__all__ = ["MODELS", "make_model"]

MODELS: Registry[Callable[..., Model]] = Registry("model", "models", package=__name__)


def make_model(text: str) -> Model:
    """Make a model from `NAME`, or from `NAME:ARGUMENT` if it takes one.

    Raises:
        NotRegisteredError: No model has that name; the message names the nearest ones.
        InputError: The argument is missing, or the model takes none.

    Example:
        >>> make_model("chance").sees
        'media'
    """
    name, colon, argument = text.partition(":")
    factory = MODELS[name]
    arguments = [argument] if colon else []
    parameters = inspect.signature(factory).parameters
    if len(arguments) != len(parameters):
        wanted = ":".join([name, *(parameter.upper() for parameter in parameters)])
        raise InputError(f"expected the model {name!r} written as {wanted}, found {text!r}")
    return factory(*arguments)
