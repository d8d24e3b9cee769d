"""Steps, frames and seconds: the only places where one is turned into another.

Physics counts whole steps. Frame k shows the state after k x `steps_per_frame` steps, frame 0
the start. Spans are half-open, [start, stop). Rates of files that others made may be broken
numbers; they are kept as fractions.
"""

from __future__ import annotations

from fractions import Fraction

from simworld.errors import InputError
from simworld.world.spec import STEPS_PER_S

Rate = int | Fraction
"""Frames a second."""


def steps_per_frame(fps: int) -> int:
    """Return how many physics steps pass from one frame to the next.

    Raises:
        InputError: The rate does not divide the physics rate.

    Example:
        >>> steps_per_frame(12)
        20
    """
    if fps < 1 or STEPS_PER_S % fps:
        rates = [rate for rate in range(1, STEPS_PER_S + 1) if STEPS_PER_S % rate == 0]
        near = min(rates, key=lambda rate: abs(rate - fps))
        raise InputError(
            f"expected a frame rate that divides {STEPS_PER_S}, found {fps}; the nearest is {near}"
        )
    return STEPS_PER_S // fps


def frames_in(duration_steps: int, steps_per_frame: int) -> int:
    """Count the frames shown before `duration_steps` have passed.

    Example:
        >>> frames_in(1200, 20)
        60
    """
    return -(-duration_steps // steps_per_frame)


def frame_of_step(step: int, steps_per_frame: int) -> int:
    """Return the first frame that shows the state after a step.

    Example:
        >>> frame_of_step(20, 20), frame_of_step(21, 20)
        (1, 2)
    """
    return -(-step // steps_per_frame)


def step_of_frame(frame: int, steps_per_frame: int) -> int:
    """Return after how many steps a frame is taken."""
    return frame * steps_per_frame


def frame_span(start_step: int, stop_step: int, steps_per_frame: int) -> tuple[int, int]:
    """Return the frames [start, stop) of the steps [start, stop), at least one.

    What begins and ends between two frames is shown by the next one.

    Example:
        >>> frame_span(21, 22, 20)
        (2, 3)
    """
    start = frame_of_step(start_step, steps_per_frame)
    return start, max(start + 1, frame_of_step(stop_step, steps_per_frame))


def seconds_of_frame(frame: int, fps: Rate) -> float:
    """Return when a frame begins to be shown.

    Example:
        >>> seconds_of_frame(25, Fraction(25, 2))
        2.0
    """
    return float(Fraction(frame) / Fraction(fps))


def frame_at(time_s: float, fps: Rate) -> int:
    """Return the frame that is shown at a time; a frame's own beginning belongs to it.

    A microsecond is forgiven, so that times written with six decimals come back.

    Example:
        >>> frame_at(0.033366, Fraction(30000, 1001))
        1
    """
    return int((Fraction(time_s) + Fraction(1, 1_000_000)) * Fraction(fps) // 1)
