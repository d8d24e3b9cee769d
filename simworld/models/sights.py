"""What things were seen to do in a span of frames, each from 0 (no) to 1 (surely)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from simworld.models.pixels import Thing
from simworld.models.sentences import GROUND, Noun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MADE_OF = {"brick": "brick", "can": "steel", "tin": "steel", "block": "black"} | dict.fromkeys(
    ("table", "shelf", "plank", "board", "ramp", "log"), "brown"
)
"""What everyday things are made of, and so their colour where nothing else is said."""
MOVED_PX = 2.0
STEP_SHARE = 0.5
CONTACT_PX = 4.0
STEP_PX = 8.0
DOWN_PX = 3.0
TOPPLED = 0.75
"""Of its first height, what a thing that fell over has left."""
AT_ONCE = 0.15
MANY_PIECES = 4
_KEPT = 20_000
OTHERWISE = 0.5
"""What has the colour of something else, or not the shape, is likely something else."""
AT_REST = 0.7
LATER = 0.5
"""What begins later than the part that is asked about is likely another part's."""
SOON = 3
"""What begins shows within so many frames."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Things, the frames `[start_frame, stop_frame)` that count, and each name's colours.

    Attributes:
        anywhere: Whether what is asked for may begin anywhere in those frames, not at their start.
        steel: Names of what may be made of steel.
    """

    things: Sequence[Thing]
    start_frame: int
    stop_frame: int
    claimed: Mapping[str, set[str]]
    anywhere: bool = False
    steel: Set[str] = frozenset()

    def knows(self, noun: Noun) -> bool:
        """Tell whether a noun tells by itself what its things look like."""
        return noun.color is not None or noun.name in GROUND or noun.name in MADE_OF

    def candidates(self, noun: Noun) -> list[tuple[Thing, float]]:
        """List the things that a noun may mean, each with how likely, the likeliest first.

        They are those of its colour, or of what such things are made of; else those whose colour
        the texts give to no other name. Of several things of its colour a ball is a round one;
        what moves is spoken of more than what does not.
        """
        if noun.name in GROUND:
            return []
        color = noun.color or MADE_OF.get(noun.name)
        alike = [thing for thing in self.things if thing.color == color]
        if alike or noun.color:
            is_ball = noun.name == "ball"
            likely = [
                (thing, 1.0 if thing.is_round or not is_ball else OTHERWISE) for thing in alike
            ]
        else:
            likely = [(thing, self._fits(noun.name, thing)) for thing in self.things]
        return sorted((one for one in likely if one[1]), key=lambda one: -one[1])

    def _fits(self, name: str, thing: Thing) -> float:
        """Say how likely a name without a known colour means a thing."""
        own = self.claimed.get(name, set())
        taken = {c for other, colors in self.claimed.items() if other != name for c in colors}
        if thing.color not in own if own else thing.color in taken:
            return 0.0
        made = set(MADE_OF.values()) - ({"steel"} if name in self.steel else set())
        usual = 1.0 if thing.color in own or thing.color not in made else OTHERWISE
        return usual * (1.0 if _has_moved(thing).any() else AT_REST)

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
    """Tell whether a thing begins to go down, or falls over: down it goes faster than aside."""
    if not _is_under_way(thing, at):
        return 0.0
    xy = thing.center_xy_px
    before = 0.0 if at == 0 else xy[at, 1] - xy[at - 1, 1]
    aside, down = (xy[min(at + 1, len(xy) - 1)] - xy[at]).tolist()
    if down >= DOWN_PX and down > abs(aside):
        return 0.9 if before < down / 2 else 0.3
    if _topples(thing, at):
        return 0.7
    return 0.2 if xy[at : at + SOON + 1, 1].max() - xy[at, 1] > DOWN_PX else 0.0


def _topples(thing: Thing, at: int) -> bool:
    """Tell whether a thing soon lies that stood: it gets lower and wider."""
    box = thing.box_xyxy_px[at : at + 2 * SOON]
    widths, heights = (box[:, 2:] - box[:, :2]).T
    over = (heights < TOPPLED * heights[0]) & (widths > widths[0] / TOPPLED)
    return bool(over.any() and thing.pieces[at] < MANY_PIECES)


def comes_apart(thing: Thing, sight: Sight, at: int) -> float:
    """Tell whether a thing goes to pieces: there are many patches of its colour, and they move."""
    alike = [o for o in sight.things if o.color == thing.color and moves(o, at)]
    pieces = sum(int(o.pieces[at : at + SOON + 1].max()) for o in alike)
    return float(pieces >= MANY_PIECES)


def touches(a: Thing, b: Thing, at: int) -> float:
    """Tell whether two things come to touch, one of them moves, and how surely anew."""
    gap = gaps_px(a, b)
    step_px = min(STEP_PX, max(_step_px(a, at), _step_px(b, at)))  # they may meet in between
    if gap[at : at + 2].min() > CONTACT_PX + step_px or not (moves(a, at) or moves(b, at)):
        return 0.0
    came = gap[max(0, at - 2)] > CONTACT_PX if at else True
    stopped = max(_rebounds(a, at), _rebounds(a, at + 1))
    set_off = sets_off(b, at)
    kicked = max(set_off, 0.5 * moves(b, at), stopped)
    anew = 1.0 if came else 0.8 if set_off == 1 else 0.4  # what stood has been met by something
    return (0.35 + 0.15 * moves(a, at) + 0.45 * kicked) * anew


def _rebounds(thing: Thing, at: int) -> float:
    """Tell whether a thing that came in the frame before all but stops, or turns."""
    if not 0 < at < len(thing.frames) - 1:
        return 0.0
    came, goes = (thing.center_xy_px[k] - thing.center_xy_px[k - 1] for k in (at, at + 1))
    return float(abs(came).max() > MOVED_PX and abs(goes - came).max() > abs(came).max() / 2)


def lands(thing: Thing, at: int) -> float:
    """Tell whether a thing meets what is below: it goes down no more."""
    y = thing.center_xy_px[:, 1]
    before = 0.0 if at == 0 else y[at] - y[at - 1]
    after = y[min(at + 1, len(y) - 1)] - y[at]
    if at:
        return float(before > DOWN_PX and after < before / 2)
    return 0.25 * moves(thing, at) * float(y[at : at + SOON + 1].max() - y[at] <= DOWN_PX)


@lru_cache(maxsize=_KEPT)
def gaps_px(a: Thing, b: Thing) -> NDArray[np.float64]:
    """Return in each frame how far apart two things' boxes are, 0 where they meet."""
    import numpy as np

    first = a.box_xyxy_px[:, :2] - b.box_xyxy_px[:, 2:]
    second = b.box_xyxy_px[:, :2] - a.box_xyxy_px[:, 2:]
    apart: NDArray[np.float64] = np.maximum(np.maximum(first, second).max(axis=1), 0.0)
    return apart
