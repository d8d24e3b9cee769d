"""The Rube Goldberg machine: a marble sets off a long chain of links of eleven kinds.

The marble topples a domino, the domino a book; that hits a button, a pin is drawn, a hammer swings
and sends a toy car into the next button, a gate sinks, a ball rolls down a ramp and through a door,
and so on, until the last trapdoor opens and drops a vase. Each link is a but-for cause of all that
follow and the direct trigger of the next only. The machine comes in sizes: `rube_goldberg` has 10
links, `rube_goldberg-24` has 24, from 2 to 51; the stages stand in a grid that reads like a page.
That the vase is of glass, and that no plank stands before the marble, are enabling conditions.
Meanwhile a cube slides into a can, which is no cause of anything.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from simworld.causal import Declaration, condition, event
from simworld.errors import InputError
from simworld.scene import (
    Band,
    Choice,
    Context,
    Nuisance,
    Opening,
    Phrase,
    Range,
    Scene,
    Staged,
    hits,
)
from simworld.world.detectors import Absent, CanBreak, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import ForceLaunch, HoldNear
from simworld.world.links import Link, Part, assemble, schedule
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    WorldSpec,
)

USUAL_LINKS = 10
FEWEST_LINKS, MOST_LINKS = 2, 51
COLORS = ("red", "blue", "purple", "orange", "pink", "green", "white", "black", "yellow")

MARBLE_M, MARBLE_RUN_M = 0.05, 0.35
CUBE_M_S = 1.2
GLASS, STEEL = Breakable(peak_m_s=1.0), Breakable(peak_m_s=None)
STAGE_M = (0.95, 0.58)
"""How far apart the stages stand."""
PUSHED_BY_STEP = 190
PUSH = (ForceLaunch("push", "marble", 145, (1.5, 0.0, 0.0)),)

NUISANCES = (
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("can_color", words=("steel", "white")),
    Nuisance("cube_color", words=("brick", "brown")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

WORDS = {
    "domino": ("falls over", "fell over", "stayed up", "fall over", "toppled over"),
    "book": ("tips over", "tipped over", "stayed upright", "tip over", "keeled over"),
    "pin": ("is drawn", "was drawn", "never moved", "move", "slid away"),
    "hammer": ("swings down", "swung down", "stayed up", "swing down", "came down"),
    "car": ("shoots off", "shot off", "never moved", "shoot off", "was sent off"),
    "gate": ("sinks away", "sank away", "stayed shut", "sink away", "opened"),
    "ball": ("rolls down", "rolled down", "stayed up", "roll down", "ran down the ramp"),
    "door": ("swings open", "swung open", "stayed closed", "swing open", "turned on its hinge"),
    "trapdoor": ("opens", "opened", "stayed shut", "open", "dropped open"),
    "weight": ("falls down", "fell down", "stayed up", "fall down", "dropped"),
    "vase": ("breaks into pieces", "broke into pieces", "stayed whole", "break", "was smashed"),
}  # fmt: skip
"""What is said of the thing of each kind of link, in the order of a phrase."""


def stages(links: int) -> list[tuple[str, ...]]:
    """Return the kinds of link of each stage; all but the first begin with something set off."""
    left = links - 2
    first = min(left, 2) if left != 3 else 1
    found = [("domino", "book")[:first]]
    left -= first
    turns = (("pin", "hammer", "car"), ("gate", "ball", "door"), ("trapdoor", "weight"))
    while left:
        turn = turns[(len(found) - 1) % 3]
        if left - len(turn) == 1:
            turn = turn[:2] if len(turn) == 3 else turns[0]
        turn = turn[:left]
        found.append(turn)
        left -= len(turn)
    return [*found, ("trapdoor", "vase")]


@functools.cache
def plan(links: int) -> list[list[Link]]:
    """Return the links of each stage."""
    return schedule(stages(links), COLORS, PUSHED_BY_STEP)


def chain(links: int) -> list[Link]:
    """Return all links, one after the other."""
    return [link for stage in plan(links) for link in stage]


def first_hit(links: int) -> str:
    """Name what the marble rolls into."""
    return plan(links)[0][0].name if plan(links)[0] else "button_0"


def first_car(links: int) -> Link | None:
    """Return the link of the first car, before which a chock may lie."""
    return next((link for link in chain(links) if link.kind == "car"), None)


def settings(links: int) -> tuple[Choice | Range, ...]:
    """Return the settings; a machine without a car has no chock."""
    chock = (Choice("chock", {"aside": 0.85, "in_the_way": 0.15}),) if first_car(links) else ()
    return (
        Choice("marble", {"rolls": 0.85, "rests": 0.15}),
        Choice("plank", {"absent": 0.85, "present": 0.15}),
        *chock,
        Choice("vase_material", {"glass": 0.8, "steel": 0.2}),
        Choice("cube", {"slides": 0.8, "rests": 0.2}),
        Range("marble_speed", "m/s", {"brisk": Band(1.15, 1.25, held_out=(1.25, 1.28))}),
        Range("marble_start", "s", {"usual": Band(0.32, 0.36, held_out=(0.36, 0.37))}),
        Range("cube_start", "s", {"usual": Band(0.10, 0.50, held_out=(0.50, 0.55))}),
    )


def model(links: int) -> tuple[Declaration, ...]:
    """Return the chain's equations."""
    names = ["push", *(link.variable for link in chain(links))]
    equations = {name: before for before, name in pairwise(names)}
    if car := first_car(links):
        equations[car.variable] += " and chock == 'aside'"
    equations[names[-1]] += " and brittle_vase"
    return (
        condition("clear_way", "plank == 'absent'"),
        condition("brittle_vase", "vase_material == 'glass'"),
        event("knock", "cube == 'slides'"),
        event("push", "marble == 'rolls' and clear_way"),
        *(event(name, equation) for name, equation in equations.items()),
    )


def places(links: int) -> list[tuple[float, float]]:
    """Return x and y of where each stage begins, in a grid that reads like a page."""
    number = len(plan(links))
    columns = math.ceil(math.sqrt(number))
    grid = [(k % columns * STAGE_M[0], -(k // columns) * STAGE_M[1]) for k in range(number)]
    return [(MARBLE_RUN_M, 0.0), *grid[1:]]


def build(c: Context, links: int) -> WorldSpec:
    """Build the stages on the floor, the marble before the first one, a cube and a can."""
    parts, buttons = assemble(plan(links), places(links), "marble")
    blocked = c.levels.get("chock") == "in_the_way"
    launches = [
        Launch(name, round(STEPS_PER_S * c.number(f"{name}_start")), (speed, 0.0, 0.0))
        for name, goes, speed in (("marble", "rolls", c.number("marble_speed")),
                                  ("cube", "slides", CUBE_M_S))
        if c.level(name) == goes
    ]  # fmt: skip
    return WorldSpec(
        bodies=bodies(c, links, parts, buttons),
        actions=(*(mover for part in parts.values() for mover in part.movers), *launches),
        camera=camera(links, c.amount("camera_turn")),
        duration_steps=max(chain(links)[-1].deadline, 280) + 60,
        detectors={
            "clear_way": Absent("plank"),
            "brittle_vase": CanBreak(chain(links)[-1].name),
            "knock": Touched("cube", ("can",)),
            "push": Touched(first_hit(links), ("marble",)),
            **{link.variable: part.detector for link, part in parts.items()},
        },
        handles=(
            HoldNear("knock", "cube", "can", gap_m=0.02),
            HoldNear("push", "marble", first_hit(links), gap_m=0.02),
            ForceLaunch("knock", "cube", 205, (CUBE_M_S, 0.0, 0.0)),
            *(PUSH if c.level("plank") == "absent" else ()),
            *(
                handle
                for link, part in parts.items()
                for handle in part.handles
                if not (blocked and link == first_car(links) and handle.value == 1)
            ),
        ),
        deadlines={
            "knock": 280,
            "push": PUSHED_BY_STEP,
            **{link.variable: link.deadline for link in chain(links)},
        },
    )


def bodies(
    c: Context, links: int, parts: Mapping[Link, Part], buttons: tuple[Body, ...]
) -> tuple[Body, ...]:
    """Return all bodies: those of the links in the context's looks, and those around them."""
    glass = c.level("vase_material") == "glass"
    of_vase = {"breakable": GLASS} if glass else {"breakable": STEEL, "color": "steel"}
    vase = chain(links)[-1].name
    made = [body for part in parts.values() for body in part.bodies]
    chock = []
    if car := first_car(links):
        x, y, _ = parts[car].bodies[0].position_m
        before_m = 0.0 if c.level("chock") == "in_the_way" else 0.16
        chock = [Body("chock", Box((0.02, 0.05, 0.025)), (x + 0.083, y + before_m, 0.025),
                      color="brown")]  # fmt: skip
    front_y = places(links)[-1][1] - 0.43
    return (
        floor(c.word("floor_color"), friction=0.8),
        Body("plank", Box((0.01, 0.09, 0.04)), (0.2, 0.0, 0.04), color="brown",
             present=c.level("plank") == "present"),
        *buttons,
        *(replace(body, **(of_vase if body.name == vase else {})) for body in made),
        *chock,
        ball("marble", "brown", (MARBLE_M, 0.0, MARBLE_M), MARBLE_M, 0.12, 0.3),
        Body("can", Cylinder(0.05, 0.14), (0.40, front_y, 0.07), color=c.word("can_color")),
        Body("cube", Box((0.04, 0.04, 0.04)), (0.05, front_y, 0.04), mass_kg=0.2, friction=0.1,
             color=c.word("cube_color")),
    )  # fmt: skip


def camera(links: int, turn_deg: float) -> Camera:
    """Return the camera: in front of the grid and above it, as far off as it is wide."""
    wide = max(x for x, _ in places(links)) + 0.6
    deep = 0.7 - places(links)[-1][1]
    middle_x, middle_y = wide / 2, 0.2 - deep / 2
    off = 1.2 * max(wide, 1.25 * deep)
    eye = (middle_x + 0.015 * turn_deg * off, middle_y - 0.72 * off, 0.78 * off)
    return Camera(eye_m=eye, target_m=(middle_x, middle_y, 0.08))


def things(links: int) -> dict[str, str]:
    """Return what to call each thing that is spoken of."""
    named = {link.name: f"the {link.color} {link.kind}" for link in chain(links)}
    named |= {"button_0": "the button"} if first_hit(links) == "button_0" else {}
    named |= {"chock": "the chock"} if first_car(links) else {}
    others = ("marble", "plank", "cube", "can", "floor")
    return {**named, **{name: f"the {name}" for name in others}}


def phrases(links: int) -> dict[str, Phrase]:
    """Return the words for each condition and event."""
    named, hit = things(links), first_hit(links)
    found = {
        "clear_way": Phrase("the marble has a clear path", "the marble had a clear path",
                            "a plank stood in the marble's way", "", ("marble",)),
        "brittle_vase": Phrase("the vase is made of glass", "the vase was made of glass",
                               "the vase was made of steel", "", (chain(links)[-1].name,)),
        "knock": Phrase("the cube slides into the can", "the cube slid into the can",
                        "the cube missed the can", "the cube hit the can", ("cube", "can"),
                        also=("the cube ran into the can",)),
        "push": Phrase(f"the marble hits {named[hit]}", f"the marble hit {named[hit]}",
                       f"the marble never touched {named[hit]}", f"the marble hit {named[hit]}",
                       ("marble", hit), also=(f"the marble rolled into {named[hit]}",)),
    }  # fmt: skip
    for link in chain(links):
        *said, also = (f"{named[link.name]} {words}" for words in WORDS[link.kind])
        found[link.variable] = Phrase(*said, (link.name,), (also,))
    return found


def staged(links: int) -> tuple[Staged, ...]:
    """Return the interventions that can be shown."""
    chock = ()
    if car := first_car(links):
        named = things(links)[car.name]
        chock = (
            Staged("chock", car.variable, 0, {"chock": "in_the_way"},
                   f"A chock lies before {named}.", f"a chock had lain before {named}"),
        )  # fmt: skip
    return (
        Staged("marble_rests", "push", 0, {"marble": "rests"}, "The marble is not rolled.",
               "the marble had not been rolled"),
        Staged("plank", "clear_way", 0, {"plank": "present"},
               "A plank stands in the marble's way.",
               "a plank had stood in the marble's way"),
        *chock,
        Staged("steel_vase", "brittle_vase", 0, {"vase_material": "steel"},
               "The vase is of steel.", "the vase had been made of steel"),
        Staged("cube_rests", "knock", 0, {"cube": "rests"}, "The cube is not slid.",
               "the cube had not been slid"),
    )  # fmt: skip


def opening(links: int) -> Opening:
    """Return what is asked about the beginning."""
    named = things(links)[first_hit(links)]
    return Opening(
        about="marble",
        right={
            "holds(clear_way)": f"the marble lies with a clear path to {named}",
            "not(holds(clear_way))": "the marble lies behind a plank",
        },
    )  # fmt: skip


def others(links: int) -> dict[str, Phrase]:
    """Return the words for contacts that are no variable."""
    pairs = [(mover, link.name) for mover in ("marble", "cube") for link in chain(links)]
    pairs = [pair for pair in pairs if pair != ("marble", first_hit(links))]
    return hits(things(links), *pairs, ("marble", "can"))


def make_scene(links: int) -> Scene:
    """Return the machine of so many links.

    Raises:
        InputError: It does not come in that size.
    """
    if not FEWEST_LINKS <= links <= MOST_LINKS:
        raise InputError(
            f"rube_goldberg comes with {FEWEST_LINKS} to {MOST_LINKS} links, found {links}"
        )
    names = [link.variable for link in chain(links)]
    told = names[1:-1:2]
    return Scene(
        name="rube_goldberg" if links == USUAL_LINKS else f"rube_goldberg-{links}",
        version=1,
        summary=__doc__ or "",
        tags=("chain", "long_chain", "enabling", "decoy"),
        settings=settings(links),
        nuisances=NUISANCES,
        model=model(links),
        build=functools.partial(build, links=links),
        conditions={
            "clear_way": {1: {"plank": "absent"}, 0: {"plank": "present"}},
            "brittle_vase": {1: {"vase_material": "glass"}, 0: {"vase_material": "steel"}},
        },
        staged=staged(links),
        phrases=phrases(links),
        things=things(links),
        showcase={"marble": "rolls", "plank": "absent", "vase_material": "glass",
                  "cube": "slides", **({"chock": "aside"} if first_car(links) else {})},
        key_events=("push", *told, names[-1]),
        opening=opening(links),
        asked={
            "push": (names[0], "push"),
            **{name: (name, names[names.index(name) + 1]) for name in told},
            names[-1]: (names[-1],),
        },
        others=others(links),
        lacks="plank",
        form=lambda size, _: make_scene(int(size)) if size.isdecimal() else None,
    )  # fmt: skip


SCENE = make_scene(USUAL_LINKS)
