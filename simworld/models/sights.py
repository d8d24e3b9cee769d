"""What things were seen to do in a span of frames, each from 0 (no) to 1 (surely)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from simworld.models.pixels import Thing
from simworld.models.sentences import GROUND, Noun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MADE_OF = {"brick": "brick", "can": "steel"} | dict.fromkeys(
    ("table", "shelf", "plank", "board", "ramp", "log"), "brown"
)
"""What everyday things are made of, and so their colour where nothing else is said."""
MOVED_PX = 2.0
STEP_SHARE = 0.5
CONTACT_PX = 4.0
NEAR_PX = 40.0
DOWN_PX = 3.0
TOPPLED = 0.75
"""Of its first height, what a thing that fell over has left."""
AT_ONCE = 0.15
MANY_PIECES = 4
_KEPT = 20_000
LATER = 0.5
"""What begins later than the part that is asked about is likely another part's."""
SOON = 3
"""What begins shows within so many frames."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Things, the frames `[start_frame, stop_frame)` that count, and each name's colours.

    Attributes:
        anywhere: Whether what is asked for may begin anywhere in those frames, not at their start.
    """

    things: Sequence[Thing]
    start_frame: int
    stop_frame: int
    claimed: Mapping[str, set[str]]
    anywhere: bool = False

    def knows(self, noun: Noun) -> bool:
        """Tell whether anything is said of what a noun's things look like."""
        return bool(noun.color or noun.name in MADE_OF or self.claimed.get(noun.name))

    def candidates(self, noun: Noun, moving: bool = True) -> list[Thing]:
        """List the things that a noun may mean.

        They are those of its colour, or of what such things are made of; else those whose colour
        the texts give to no other name, and of these the ones that move, if any does and that is
        meant. Of several things of its colour a ball is a round one.
        """
        if noun.name in GROUND:
            return []
        color = noun.color or MADE_OF.get(noun.name)
        if color is not None:
            alike = [thing for thing in self.things if thing.color == color]
            return [thing for thing in alike if thing.is_round or noun.name != "ball"] or alike
        own = self.claimed.get(noun.name, set())
        taken = {c for name, colors in self.claimed.items() if name != noun.name for c in colors}
        taken |= {MADE_OF[name] for name in self.claimed if name in MADE_OF}
        free = [t for t in self.things if (t.color in own if own else t.color not in taken)]
        went = [thing for thing in free if _has_moved(thing).any()]
        return (went if moving and went else free) or list(self.things)

    def starts(self, thing: Thing) -> list[tuple[int, float]]:
        """Return the places, among the frames looked at, where what is asked for may begin.

        Each comes with how likely that is.
        """
        import numpy as np

        inside = (thing.frames >= self.start_frame) & (thing.frames < self.stop_frame)
        places: list[int] = np.flatnonzero(inside).tolist()
        return [(at, 1.0 if self.anywhere or not k else LATER) for k, at in enumerate(places)]


@lru_cache(maxsize=_KEPT)
def _went_px(thing: Thing, at: int) -> float:
    """Return how far a thing gets from where it is, within a few frames."""
    soon = thing.center_xy_px[at : at + SOON + 1] - thing.center_xy_px[at]
    return float(abs(soon).max())


@lru_cache(maxsize=_KEPT)
def _step_px(thing: Thing, at: int) -> float:
    """Return how far a thing gets in one frame."""
    return float(abs(thing.center_xy_px[at : at + 2] - thing.center_xy_px[at]).max())


def _is_under_way(thing: Thing, at: int) -> bool:
    """Tell whether a thing's motion does not wait; at the first frame nobody can tell."""
    return at == 0 or _step_px(thing, at) >= AT_ONCE * _went_px(thing, at)


def _came_px(thing: Thing, at: int) -> float | None:
    """Return how far a thing came in the frame before; None if that was not shown."""
    if at == 0:
        return None
    return float(abs(thing.center_xy_px[at] - thing.center_xy_px[at - 1]).max())


def _has_moved(thing: Thing) -> NDArray[np.bool_]:
    """Tell for each frame whether a thing is gone from where it was first seen."""
    import numpy as np

    went_px = np.abs(thing.center_xy_px - thing.center_xy_px[0]).max(axis=1)
    moved: NDArray[np.bool_] = went_px > MOVED_PX
    return moved


def moves(thing: Thing, at: int) -> bool:
    """Tell whether a thing moves soon."""
    return _went_px(thing, at) > MOVED_PX


def sets_off(thing: Thing, at: int) -> float:
    """Tell whether a thing begins to move: it stood, or at least gains speed."""
    if not moves(thing, at) or not _is_under_way(thing, at):
        return 0.0
    soon = thing.center_xy_px[at : at + SOON + 1]
    speeds = abs(soon[1:] - soon[:-1]).max(axis=1)
    before = _came_px(thing, at)
    if before is not None:
        return 1.0 if before < STEP_SHARE * max(speeds) else 0.2
    return 1.0 if speeds[0] < max(speeds) else 0.7


def comes_down(thing: Thing, at: int) -> float:
    """Tell whether a thing begins to go down, or falls over."""
    if not _is_under_way(thing, at):
        return 0.0
    y = thing.center_xy_px[at : at + SOON + 1, 1]
    before = 0.0 if at == 0 else y[0] - thing.center_xy_px[at - 1, 1]
    box = thing.box_xyxy_px[at : at + 2 * SOON]
    heights = box[:, 3] - box[:, 1]
    if heights.min() < TOPPLED * heights[0] and thing.pieces[at] < MANY_PIECES:
        return 0.9
    down = y.max() - y[0]
    if down <= DOWN_PX or (at and y[1] - y[0] < AT_ONCE * down):
        return 0.0
    return 0.9 if before < DOWN_PX / 2 else 0.3


def comes_apart(thing: Thing, sight: Sight, at: int) -> float:
    """Tell whether a thing goes to pieces: there are many patches of its colour, and they move."""
    alike = [o for o in sight.things if o.color == thing.color and moves(o, at)]
    pieces = sum(int(o.pieces[at : at + SOON + 1].max()) for o in alike)
    return float(pieces >= MANY_PIECES)


def touches(a: Thing, b: Thing, at: int) -> float:
    """Tell whether two things come to touch, one of them moves, and how surely anew."""
    gap = gaps_px(a, b)
    step_px = max(_step_px(a, at), _step_px(b, at))  # they may have met since the frame before
    if gap[at : at + 2].min() > CONTACT_PX + step_px or not (moves(a, at) or moves(b, at)):
        return 0.0
    came = gap[max(0, at - 2)] > CONTACT_PX if at else True
    kicked = max(sets_off(b, at), 0.5 * moves(b, at))
    return (0.35 + 0.15 * moves(a, at) + 0.45 * kicked) * (1.0 if came else 0.4)


def lands(thing: Thing, at: int) -> float:
    """Tell whether a thing meets what is below: it goes down no more."""
    y = thing.center_xy_px[:, 1]
    before = 0.0 if at == 0 else y[at] - y[at - 1]
    after = y[min(at + 1, len(y) - 1)] - y[at]
    if at:
        return float(before > DOWN_PX and after < before / 2)
    return 0.25 * moves(thing, at) * float(y[at : at + SOON + 1].max() - y[at] <= DOWN_PX)


def misses(a: Thing, b: Thing, at: int) -> float:
    """Tell whether a thing moves near another and does not touch it."""
    gap = gaps_px(a, b)[at : at + 2 * SOON]
    return float(moves(a, at) and CONTACT_PX < gap.min() < NEAR_PX)


@lru_cache(maxsize=_KEPT)
def gaps_px(a: Thing, b: Thing) -> NDArray[np.float64]:
    """Return in each frame how far apart two things' boxes are, 0 where they meet."""
    import numpy as np

    first = a.box_xyxy_px[:, :2] - b.box_xyxy_px[:, 2:]
    second = b.box_xyxy_px[:, :2] - a.box_xyxy_px[:, 2:]
    apart: NDArray[np.float64] = np.maximum(np.maximum(first, second).max(axis=1), 0.0)
    return apart


def is_near(a: Thing, b: Thing, at: int) -> bool:
    """Tell whether two things are beside each other."""
    return bool(gaps_px(a, b)[at] <= CONTACT_PX)
