"""The errors that simworld raises on purpose, one small tree.

Every message says what was expected, what was found, where, and what to do.
"""


class SimworldError(Exception):
    """Base of every error that simworld raises on purpose."""


class InputError(SimworldError):
    """A file, recipe, prediction or argument is not what it must be (exit code 2)."""


class MissingDependencyError(InputError):
    """A feature needs an extra that is not installed; the message has the install line."""


class NotRegisteredError(InputError):
    """No plug-in of that name; the message names the nearest ones."""


class CheckError(SimworldError):
    """A check on our own work failed: the folder or the scene cannot be trusted (exit code 1)."""


class AgreementError(CheckError):
    """The declared model and the physics disagree about a value."""


class PlausibilityError(CheckError):
    """A rollout broke physics: tunnelling, deep penetration, energy from nowhere, a lost body."""


class HandleError(CheckError):
    """A handle did not bring about the value that it stands for; the rollout is void."""


class DisturbanceError(HandleError):
    """A handle changed what nothing of its own ever touches: a wrong script, or the solver.

    The physics solves all contacts of a step together, in an order that depends on all of them. A
    hit that it does not solve to the end then comes out otherwise by some thousandths of a percent.
    """
