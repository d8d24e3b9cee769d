"""The domino run: a ball topples the first of a row of dominoes, the last one strikes a drum.

One long chain, each link a but-for cause of all that follow and the direct trigger of the next
only. The row comes in sizes: `domino_run` has 8 dominoes, `domino_run-24` has 24, from 2 to 51, so
that cause and effect can lie many segments apart. One domino may be missing, which is an enabling
condition withdrawn; a post may keep another one upright. Meanwhile a cube slides into a can, which
is no cause of anything.

Each domino is known by its colour, and in a longer row by its number among those of that colour.
"""

from __future__ import annotations

import functools
import math

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
)
from simworld.world.detectors import Detector, Present, Tilted, Touched
from simworld.world.handles import ForceLaunch, Handle, HoldNear, HoldTilted
from simworld.world.spec import (
    Body,
    Box,
    Camera,
    Cylinder,
    Launch,
    Quat,
    Sphere,
    Vec3,
    WorldSpec,
)

USUAL_LINKS = 8
FEWEST_LINKS, MOST_LINKS = 2, 51
COLORS = (
    "red", "purple", "white", "orange", "blue", "yellow", "black", "green", "pink", "brown",
)  # fmt: skip
ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th")

DOMINO_M = (0.03, 0.08, 0.16)
"""Thickness, width, height."""
BALL_M = 0.07
POST = Cylinder(0.025, 0.15)
FELL_DEG = 20.0
PUSH_STEP = 145
FALL_STEP, STEPS_A_LINK = 235, 26
"""When the first domino is made to fall, and how much later each next one; the wave is faster."""

SETTINGS = (
    Choice("ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("post", {"aside": 0.85, "in_the_way": 0.15}),
    Choice("row", {"whole": 0.85, "gap": 0.15}),
    Choice("cube", {"slides": 0.8, "rests": 0.2}),
    Range("ball_speed", "m/s", {"brisk": Band(1.1, 1.3, held_out=(1.3, 1.35))}),
    Range("ball_start", "s", {"usual": Band(0.32, 0.38, held_out=(0.38, 0.39))}),
    Range("cube_start", "s", {"usual": Band(0.10, 0.50, held_out=(0.50, 0.55))}),
    Range("spacing", "m", {"usual": Band(0.136, 0.142, held_out=(0.142, 0.143))}),
)

NUISANCES = (
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("drum_color", words=("orange", "green", "blue")),
    Nuisance("can_color", words=("steel", "white")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)


def missing(links: int) -> int:
    """Return the number of the domino that a row with a gap lacks."""
    return links // 2 + 1


def propped(links: int) -> int:
    """Return the number of the domino that a post may keep upright.

    It is never the first: the ball would knock that one off the post.
    """
    return max(2, (links + 3) // 4)


def model(links: int) -> tuple[Declaration, ...]:
    """Return the chain's equations."""
    falls = {k: f"fall_{k - 1}" if k > 1 else "push" for k in range(1, links + 1)}
    falls[missing(links)] += " and whole_row"
    falls[propped(links)] += " and post == 'aside'"
    return (
        condition("whole_row", "row == 'whole'"),
        event("knock", "cube == 'slides'"),
        event("push", "ball == 'rolls'"),
        *(event(f"fall_{k}", equation) for k, equation in falls.items()),
        event("strike", f"fall_{links}"),
    )


def detectors(links: int) -> dict[str, Detector]:
    """Return what counts as each condition and event."""
    return {
        "whole_row": Present(f"domino_{missing(links)}"),
        "knock": Touched("cube", ("can",)),
        "push": Touched("domino_1", ("ball",)),
        **{f"fall_{k}": Tilted(f"domino_{k}", FELL_DEG) for k in range(1, links + 1)},
        "strike": Touched(f"domino_{links}", ("drum",)),
    }


def deadlines(links: int) -> dict[str, int]:
    """Return the step by which each event has occurred or never will."""
    falls = {f"fall_{k}": FALL_STEP + STEPS_A_LINK * k + 20 for k in range(1, links + 1)}
    return {"knock": 245, "push": 195, **falls, "strike": falls[f"fall_{links}"] + 25}


def row(links: int, spacing_m: float, right: bool) -> list[tuple[float, float, float]]:
    """Return x, y and heading (rad) of each domino, and of the drum after the last one.

    They stand along a spiral that turns inward, so that a long row stays in the picture; for
    `right` in its mirror image.
    """
    angle, start_m = -2.6, 0.45 + 0.011 * links
    places = []
    for _ in range(links + 1):
        radius = start_m - 0.34 * (angle + 2.6) / math.tau
        places.append((radius * math.cos(angle), radius * math.sin(angle), angle + math.pi / 2))
        angle += spacing_m / radius
    return [(-x, y, math.pi - heading) for x, y, heading in places] if right else places


def ahead(place: tuple[float, float, float], by_m: float, aside_m: float = 0.0) -> Vec3:
    """Return the vector that leads so far ahead of a place in its heading, and to its left."""
    x, y, heading = place
    c, s = math.cos(heading), math.sin(heading)
    return (x + by_m * c - aside_m * s, y + by_m * s + aside_m * c, 0.0)


def turn(heading: float) -> Quat:
    """Return the rotation about the vertical by a heading."""
    return (0.0, 0.0, math.sin(heading / 2), math.cos(heading / 2))


def handles(
    c: Context, links: int, places: list[tuple[float, float, float]], rolling: Vec3
) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    A domino that is not there cannot fall, nor one behind which a post stands; and the drum
    cannot be struck by a domino that stands.
    """
    found: list[Handle] = [
        HoldNear("knock", "cube", "can", gap_m=0.02),
        HoldNear("push", "ball", "domino_1", gap_m=0.12),
        HoldNear("strike", f"domino_{links}", "drum", gap_m=0.01),
        ForceLaunch("knock", "cube", 185, (0.0, 1.2, 0.0)),
        ForceLaunch("push", "ball", PUSH_STEP, rolling),
    ]
    thick, _, high = DOMINO_M
    spin_rad_s = 4.0
    for k, (_, _, heading) in enumerate(places[:links], start=1):
        name = f"domino_{k}"
        if k == missing(links) and c.level("row") == "gap":
            continue
        found.append(HoldTilted(f"fall_{k}", name, degrees=5.0))
        if k == propped(links) and c.level("post") == "in_the_way":
            continue
        along = spin_rad_s * high / 2
        velocity = (along * math.cos(heading), along * math.sin(heading), spin_rad_s * thick / 2)
        spin = (-spin_rad_s * math.sin(heading), spin_rad_s * math.cos(heading), 0.0)
        step = FALL_STEP + STEPS_A_LINK * (k - 1)
        found.append(ForceLaunch(f"fall_{k}", name, step, velocity, spin))
    return tuple(found)


def build(c: Context, links: int) -> WorldSpec:
    """Build the row on the floor, the ball behind it, the drum at its end, a cube and a can."""
    places = row(links, c.number("spacing"), c.word("side") == "right")
    thick, wide, high = DOMINO_M
    upright = Box((thick / 2, wide / 2, high / 2))
    *dominoes, end = places
    heading, speed = places[0][2], c.number("ball_speed")
    rolling = (speed * math.cos(heading), speed * math.sin(heading), 0.0)
    ball_x, ball_y, _ = ahead(places[0], -(thick / 2 + 0.2 + BALL_M))
    prop = places[propped(links) - 1]
    in_the_way = c.level("post") == "in_the_way"
    inward = -0.17 if c.word("side") == "right" else 0.17
    post_x, post_y, _ = (
        ahead(prop, thick / 2 + 0.004 + POST.radius_m) if in_the_way else ahead(prop, 0.0, -inward)
    )
    drum_x, drum_y, _ = ahead(end, 0.04)
    can_x = 0.75 + 0.011 * links
    bodies = [
        Body("floor", Box((8.0, 8.0, 0.1)), (0.0, 0.0, -0.1), friction=1.0,
             color=c.word("floor_color")),
        Body("can", Cylinder(0.06, 0.16), (can_x, 0.2, 0.08), color=c.word("can_color")),
        Body("drum", Cylinder(0.08, 0.1), (drum_x, drum_y, 0.05), color=c.word("drum_color")),
        Body("post", POST, (post_x, post_y, POST.height_m / 2), color="steel"),
        *(
            Body(f"domino_{k}", upright, (x, y, high / 2), turn(heading), mass_kg=0.05,
                 friction=0.5, restitution=0.0, color=COLORS[(k - 1) % len(COLORS)],
                 present=k != missing(links) or c.level("row") == "whole")
            for k, (x, y, heading) in enumerate(dominoes, start=1)
        ),
        Body("ball", Sphere(BALL_M), (ball_x, ball_y, BALL_M), mass_kg=0.1, friction=0.1,
             restitution=0.3, color="brick"),
        Body("cube", Box((0.05, 0.05, 0.05)), (can_x, -0.12, 0.05), mass_kg=0.2, friction=0.2,
             color="yellow"),
    ]  # fmt: skip
    actions = []
    if c.level("ball") == "rolls":
        actions.append(Launch("ball", round(240 * c.number("ball_start")), rolling))
    if c.level("cube") == "slides":
        actions.append(Launch("cube", round(240 * c.number("cube_start")), (0.0, 1.2, 0.0)))
    by = deadlines(links)
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=camera(places, can_x, c.amount("camera_turn")),
        duration_steps=by["strike"] + 60,
        detectors=detectors(links),
        handles=handles(c, links, places, rolling),
        deadlines=by,
    )


def camera(places: list[tuple[float, float, float]], can_x: float, turn_deg: float) -> Camera:
    """Return the camera: in front of the row and above it, as far off as the row is wide."""
    ys = [y for _, y, _ in places]
    left, right = min(x for x, _, _ in places) - 0.25, can_x + 0.1
    middle_x, middle_y = (left + right) / 2, (min(ys) + max(ys)) / 2
    off = 0.92 * (right - left)
    eye = (middle_x + 0.02 * turn_deg * off, middle_y - 0.88 * off, 0.72 * off)
    return Camera(eye_m=eye, target_m=(middle_x, middle_y, 0.05))


def domino_words(links: int) -> list[str]:
    """Return what to call each domino: by its colour, counted where colours come again."""
    colors = [COLORS[k % len(COLORS)] for k in range(links)]
    if links <= len(COLORS):
        return [f"the {color} domino" for color in colors]
    return [f"the {ORDINALS[k // len(COLORS)]} {color} domino" for k, color in enumerate(colors)]


def phrases(words: list[str]) -> dict[str, Phrase]:
    """Return the words for each condition and event."""
    first, last, end = words[0], words[-1], f"domino_{len(words)}"
    falls = {
        f"fall_{k}": Phrase(f"{name} falls over", f"{name} fell", f"{name} stayed up",
                            f"{name} fall over", (f"domino_{k}",),
                            also=(f"{name} fell over", f"{name} toppled over"))
        for k, name in enumerate(words, start=1)
    }  # fmt: skip
    return {
        "whole_row": Phrase("the row of dominoes has no gap", "the row of dominoes had no gap",
                            "one domino of the row was missing", "", ("domino_1",)),
        "knock": Phrase("the cube slides into the can", "the cube slid into the can",
                        "the cube missed the can", "the cube hit the can", ("cube", "can"),
                        also=("the cube ran into the can",)),
        "push": Phrase(f"the ball hits {first}", f"the ball hit {first}",
                       f"the ball missed {first}", f"the ball hit {first}", ("ball", "domino_1"),
                       also=(f"the ball rolled into {first}", "the ball hit the row")),
        **falls,
        "strike": Phrase(f"{last} strikes the drum", f"{last} struck the drum",
                         f"{last} missed the drum", "the drum sound", (end, "drum"),
                         also=(f"{last} hit the drum", "the drum was struck")),
    }  # fmt: skip


def other_words(words: list[str]) -> dict[str, Phrase]:
    """Return the words for contacts that are no variable."""
    named = {f"domino_{k}": name for k, name in enumerate(words, start=1)}
    named |= {"drum": "the drum", "can": "the can", "post": "the post"}
    hits = {
        f"hit({mover}, {thing})": Phrase(f"the {mover} hits {name}", f"the {mover} hit {name}",
                                         participants=(mover, thing))
        for mover in ("ball", "cube")
        for thing, name in named.items()
        if (mover, thing) not in (("ball", "domino_1"), ("cube", "can"))
    }  # fmt: skip
    return hits


def make_scene(links: int) -> Scene:
    """Return the run of so many dominoes.

    Raises:
        InputError: It does not come in that length.
    """
    if not FEWEST_LINKS <= links <= MOST_LINKS:
        raise InputError(
            f"domino_run comes with {FEWEST_LINKS} to {MOST_LINKS} dominoes, found {links}"
        )
    words = domino_words(links)
    told = range(2, links - 1, 2)
    return Scene(
        name="domino_run" if links == USUAL_LINKS else f"domino_run-{links}",
        version=1,
        summary=__doc__ or "",
        tags=("chain", "long_chain", "enabling", "decoy"),
        settings=SETTINGS,
        nuisances=NUISANCES,
        model=model(links),
        build=functools.partial(build, links=links),
        conditions={"whole_row": {1: {"row": "whole"}, 0: {"row": "gap"}}},
        staged=(
            Staged("ball_rests", "push", 0, {"ball": "rests"}, "The ball is not rolled.",
                   "the ball had not been rolled"),
            Staged("post", f"fall_{propped(links)}", 0, {"post": "in_the_way"},
                   f"A post stands in front of {words[propped(links) - 1]}.",
                   f"a post had stood in front of {words[propped(links) - 1]}"),
            Staged("gap", "whole_row", 0, {"row": "gap"},
                   f"The row lacks {words[missing(links) - 1]}.",
                   f"{words[missing(links) - 1]} had been missing"),
            Staged("cube_rests", "knock", 0, {"cube": "rests"}, "The cube is not slid.",
                   "the cube had not been slid"),
        ),
        phrases=phrases(words),
        things={
            **{f"domino_{k}": name for k, name in enumerate(words, start=1)},
            "ball": "the ball", "drum": "the drum", "post": "the post", "cube": "the cube",
            "can": "the can", "floor": "the floor",
        },
        showcase={"ball": "rolls", "post": "aside", "row": "whole", "cube": "slides"},
        key_events=("push", *(f"fall_{k}" for k in told), "strike"),
        opening=Opening(
            about="domino_1",
            right={
                "holds(whole_row)": "the dominoes stand in a row without a gap",
                "not(holds(whole_row))": "the dominoes stand in a row with one missing",
            },
        ),
        asked={
            "push": ("fall_1", "push"),
            **{f"fall_{k}": (f"fall_{k}", f"fall_{k + 1}") for k in told},
            "strike": ("strike",),
        },
        others=other_words(words),
        form=lambda size, _: make_scene(int(size)) if size.isdecimal() else None,
    )  # fmt: skip


SCENE = make_scene(USUAL_LINKS)
