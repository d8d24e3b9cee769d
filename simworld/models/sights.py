"""What things were seen to do in a span of frames, each from 0 (no) to 1 (surely)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simworld.models.pixels import Thing
from simworld.models.sentences import GROUND, Noun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOVED_PX = 2.0
MOVED_SHARE = 0.13
CHANGED = 0.12
CONTACT_PX = 4.0
DOWN_PX = 3.0
DOWN_SHARE = 0.3
MANY_PIECES = 4


@dataclass(frozen=True, slots=True)
class Sight:
    """Things, the frames `[start_frame, stop_frame)` that count, and each name's colours."""

    things: Sequence[Thing]
    start_frame: int
    stop_frame: int
    claimed: Mapping[str, set[str]]

    def candidates(self, noun: Noun, resting: bool = False) -> list[Thing]:
        """List the things that a noun may mean.

        They are those of its colour; without one, those whose colour the texts give to no other
        name, and of these the ones that move if any does, unless something at rest is meant.
        """
        if noun.name in GROUND:
            return []
        if noun.color is not None:
            return [thing for thing in self.things if thing.color == noun.color]
        own = self.claimed.get(noun.name, set())
        taken = {c for name, colors in self.claimed.items() if name != noun.name for c in colors}
        free = [t for t in self.things if (t.color in own if own else t.color not in taken)]
        moving = [thing for thing in free if _has_moved(thing).any()]
        return (not resting and moving) or free or list(self.things)

    def within(self, thing: Thing) -> NDArray[np.int64]:
        """Return the places of the frames that count among those looked at."""
        import numpy as np

        inside = (thing.frames >= self.start_frame) & (thing.frames < self.stop_frame)
        return np.flatnonzero(inside)


def _has_moved(thing: Thing) -> NDArray[np.bool_]:
    """Tell for each frame whether a thing is gone from where it was first seen, by its size."""
    import numpy as np

    side_px = (thing.box_xyxy_px[0, 2:] - thing.box_xyxy_px[0, :2]).max()
    went_px = np.abs(thing.center_xy_px - thing.center_xy_px[0]).max(axis=1)
    moved: NDArray[np.bool_] = went_px > max(MOVED_PX, MOVED_SHARE * side_px)
    return moved


def sets_off(thing: Thing, sight: Sight) -> float:
    """Tell whether a thing begins to move, and how soon."""
    inside, moved = sight.within(thing), _has_moved(thing)
    if not len(inside) or not moved.any():
        return 0.0
    onset = max(0, int(moved.argmax()) - 1)
    if not inside[0] - 1 <= onset <= inside[-1]:
        return 0.0
    return 1.0 - 0.3 * float(max(0, onset - inside[0])) / len(inside)


def moves(thing: Thing, sight: Sight) -> float:
    """Tell whether a thing moves."""
    inside = sight.within(thing)
    if not len(inside):
        return 0.0
    went = abs(thing.center_xy_px[inside[-1]] - thing.center_xy_px[max(0, inside[0] - 1)]).max()
    return float(went > MOVED_PX or (thing.change[inside] > CHANGED).any())


def comes_down(thing: Thing, sight: Sight) -> float:
    """Tell whether a thing goes down, and had not begun to before."""
    inside = sight.within(thing)
    if not len(inside):
        return 0.0
    first = max(0, inside[0] - 1)
    y = thing.center_xy_px[:, 1]
    down = y[inside].max() - y[first]
    before = y[first] - y[max(0, first - 2)]
    side_px = (thing.box_xyxy_px[0, 2:] - thing.box_xyxy_px[0, :2]).min()
    is_down = float(down > max(DOWN_PX, DOWN_SHARE * side_px))
    return is_down * (1.0 if before < DOWN_PX / 2 else 0.8)


def comes_apart(thing: Thing, sight: Sight) -> float:
    """Tell whether a thing is seen in pieces: many patches of its colour, some of them small."""
    import numpy as np

    inside = sight.within(thing)
    if not len(inside):
        return 0.0
    alike = [o for o in sight.things if o.color == thing.color and moves(o, sight)]
    if not alike:
        return 0.0
    pieces = np.sum([other.pieces for other in alike], axis=0)
    return float(pieces[inside].max() >= MANY_PIECES)


def touches_anew(a: Thing, b: Thing, sight: Sight) -> float:
    """Tell whether a moving thing comes to touch another, and whether that one then moves."""
    import numpy as np

    inside = sight.within(a)
    if not len(inside) or not moves(a, sight):
        return 0.02
    gap, first = gaps_px(a, b), max(0, inside[0] - 2)
    step_px = np.abs(np.diff(a.center_xy_px[first : inside[-1] + 1], axis=0)).max(initial=0.0)
    before = gap[first : inside[0] + 1].min() <= CONTACT_PX + step_px  # perhaps between frames
    if not before and gap[inside].min() > CONTACT_PX:
        return 0.05
    came = gap[max(0, first - 2) : inside[0] + 1].max() > CONTACT_PX
    return 0.3 + 0.25 * float(came) + 0.4 * max(sets_off(b, sight), 0.5 * moves(b, sight))


def gaps_px(a: Thing, b: Thing) -> NDArray[np.float64]:
    """Return in each frame how far apart two things' boxes are, 0 where they meet."""
    import numpy as np

    first = a.box_xyxy_px[:, :2] - b.box_xyxy_px[:, 2:]
    second = b.box_xyxy_px[:, :2] - a.box_xyxy_px[:, 2:]
    apart: NDArray[np.float64] = np.maximum(np.maximum(first, second).max(axis=1), 0.0)
    return apart


def stops_short(thing: Thing, sight: Sight) -> float:
    """Tell whether a thing meets what is below: it goes down no more, surely if it did before."""
    inside = sight.within(thing)
    if not len(inside) or not moves(thing, sight):
        return 0.0
    y = thing.center_xy_px[:, 1]
    first = int(inside[0])
    before = y[first] - y[max(0, first - 3)]
    after = y[inside[-1]] - y[max(0, int(inside[-1]) - 1)]
    if before <= DOWN_PX:
        return 0.5 * float(after <= DOWN_PX)
    return float(after < before / 2)


def is_near(a: Thing, b: Thing, sight: Sight) -> bool:
    """Tell whether two things are beside each other."""
    inside = sight.within(a)
    return bool(len(inside) and gaps_px(a, b)[inside].min() <= CONTACT_PX)
