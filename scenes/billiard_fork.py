"""Billiard fork: the white ball splits a pair of balls, and each of the two does something else.

A block pushes the white ball into the red and the blue one. The red ball rolls on and knocks the
mug off the table, the blue ball rolls on and knocks the book over. A common cause with two
branches: the strike is a but-for cause of both ends, and neither branch is a cause of the other,
however close in time they are; they are siblings. A tin may stand in the red ball's way, which
ends one branch and leaves the other alone. A yellow ball rolls into a can on the floor, which is
no cause of anything.
"""

import math

from simworld.causal import condition, event
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
    Variation,
    hits,
)
from simworld.world.detectors import Absent, Detector, DroppedBelow, Tilted, Touched
from simworld.world.furniture import ball, floor, table
from simworld.world.handles import (
    ForceLaunch,
    Handle,
    HoldNear,
    HoldPast,
    HoldTilted,
)
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, Mug, Vec3, WorldSpec

TABLE_TOP_M = 0.75
BALL_M = 0.05
"""Radius of the three balls on the table."""
APART_M = 0.07
"""From the middle of the pair to either ball."""
TO_MUG_M, TO_BOOK_M = 0.36, 0.24
"""From where the red and the blue ball lie to where mug and book stand."""
MUG = Mug(radius_m=0.05, height_m=0.11)
BOOK_M = (0.03, 0.14, 0.14)
"""Thickness, width, height."""
EDGE_M = 0.38
"""From the pair to the edge of the table that the mug falls over."""

SETTINGS = (
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("tin", {"absent": 0.8, "present": 0.2}),
    Choice("yellow_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("block_speed", "m/s", {"brisk": Band(2.0, 2.2, held_out=(2.2, 2.25))}),
    Range("block_start", "s", {"usual": Band(0.50, 0.58, held_out=(0.58, 0.60))}),
    Range("mug_mass", "kg", {"usual": Band(0.20, 0.24, held_out=(0.24, 0.25))}),
    Range("yellow_start", "s", {
        "early": Band(0.10, 0.30, held_out=(0.30, 0.32), weight=0.7),
        "late": Band(1.25, 1.33, held_out=(1.33, 1.35), weight=0.3),
    }),
)  # fmt: skip

NUISANCES = (
    Nuisance("mug_color", words=("green", "purple")),
    Nuisance("book_color", words=("orange", "pink")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_way", "tin == 'absent'"),
    event("knock", "yellow_ball == 'rolls'"),
    event("shot", "block == 'slides'"),
    event("strike", "shot"),
    event("mug_hit", "strike and clear_way"),
    event("mug_fall", "mug_hit"),
    event("book_hit", "strike"),
    event("book_fall", "book_hit"),
)

DETECTORS: dict[str, Detector] = {
    "clear_way": Absent("tin"),
    "knock": Touched("yellow_ball", ("can",)),
    "shot": Touched("white_ball", ("block",)),
    "strike": Touched("white_ball", ("red_ball", "blue_ball")),
    "mug_hit": Touched("mug", ("red_ball",)),
    "mug_fall": DroppedBelow("mug", height_m=TABLE_TOP_M),
    "book_hit": Touched("book", ("blue_ball",)),
    "book_fall": Tilted("book", degrees=30.0),
}

DEADLINES = {
    "knock": 450,
    "shot": 172,
    "strike": 245,
    "mug_hit": 325,
    "mug_fall": 450,
    "book_hit": 325,
    "book_fall": 400,
}

APART_RAD = math.asin(APART_M / (2 * BALL_M))
"""Half the angle between the ways of the two balls."""


def mirrored(x: float, y: float, z: float, c: Context) -> Vec3:
    """Return a place of the left-hand scene, or its mirror image."""
    return (x, y if c.word("side") == "left" else -y, z)


def along(turn_rad: float, by: float, z: float, c: Context) -> Vec3:
    """Return a vector of a length in a direction, counted from straight on to the left."""
    return mirrored(by * math.cos(turn_rad), by * math.sin(turn_rad), z, c)


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The red ball cannot be made to roll through a tin.
    """
    spin_rad_s = 5.0
    x, y, _ = along(-APART_RAD, spin_rad_s, 0.0, c)
    thick, _, high = BOOK_M
    topple = (x * high / 2, y * high / 2, spin_rad_s * thick / 2)
    red = ForceLaunch("mug_hit", "red_ball", 275, along(APART_RAD, 2.0, 0.0, c))
    return (
        HoldNear("knock", "yellow_ball", "can", gap_m=0.02),
        HoldNear("shot", "block", "white_ball", gap_m=0.03),
        HoldNear("strike", "white_ball", "red_ball", gap_m=0.02),
        HoldNear("mug_hit", "red_ball", "mug", gap_m=0.02),
        HoldPast("mug_fall", "mug", (1.0, 0.0, 0.0), limit_m=EDGE_M - 0.02),
        HoldNear("book_hit", "blue_ball", "book", gap_m=0.02),
        HoldTilted("book_fall", "book", degrees=5.0),
        ForceLaunch("knock", "yellow_ball", 395, (2.0, 0.0, 0.0)),
        ForceLaunch("shot", "block", 156, (2.2, 0.0, 0.0)),
        ForceLaunch("strike", "white_ball", 205, (3.0, 0.0, 0.0)),
        *((red,) if c.level("tin") == "absent" else ()),
        ForceLaunch("mug_fall", "mug", 385, (2.0, 0.0, 0.0)),
        ForceLaunch("book_hit", "blue_ball", 275, along(-APART_RAD, 2.0, 0.0, c)),
        ForceLaunch("book_fall", "book", 360, topple, (-y, x, 0.0)),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with three balls, a mug near its edge and a book, and a can below."""
    ball_z = TABLE_TOP_M + BALL_M
    pair = [mirrored(0.0, side * APART_M, ball_z, c) for side in (1, -1)]
    way_x, way_y, _ = along(APART_RAD, 1.0, 0.0, c)
    red_x, red_y, _ = pair[0]
    thick, wide, high = BOOK_M
    turn = -APART_RAD if c.word("side") == "left" else APART_RAD
    tin_x, tin_y, _ = along(APART_RAD, TO_MUG_M / 2, 0.0, c)
    bodies = [
        floor(c.word("floor_color")),
        *table((-0.65, -0.55), (EDGE_M, 0.55), TABLE_TOP_M),
        ball("white_ball", "white", (-0.40, 0.0, ball_z), BALL_M, 0.165, 0.8),
        ball("red_ball", "red", pair[0], BALL_M, 0.165, 0.8),
        ball("blue_ball", "blue", pair[1], BALL_M, 0.165, 0.8),
        Body("block", Box((0.03, 0.03, 0.06)), (-0.53, 0.0, TABLE_TOP_M + 0.06), mass_kg=0.2,
             friction=0.4, restitution=0.8, color="black"),
        Body("mug", MUG, (red_x + TO_MUG_M * way_x, red_y + TO_MUG_M * way_y,
                          TABLE_TOP_M + MUG.height_m / 2),
             mass_kg=c.number("mug_mass"), friction=0.08, restitution=0.4,
             color=c.word("mug_color")),
        Body("book", Box((thick / 2, wide / 2, high / 2)),
             (red_x + TO_BOOK_M * way_x, -red_y - TO_BOOK_M * way_y, TABLE_TOP_M + high / 2),
             (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)), mass_kg=0.25, friction=0.8,
             restitution=0.9, color=c.word("book_color")),
        Body("tin", Cylinder(0.04, 0.10),
             (red_x + tin_x, red_y + tin_y, TABLE_TOP_M + 0.05),
             color="steel", present=c.level("tin") == "present"),
        Body("can", Cylinder(0.06, 0.16), (0.45, -0.9, 0.08), color="steel"),
        ball("yellow_ball", "yellow", (0.0, -0.9, 0.05)),
    ]  # fmt: skip
    actions = []
    if c.level("block") == "slides":
        start = round(240 * c.number("block_start"))
        actions.append(Launch("block", start, (c.number("block_speed"), 0.0, 0.0)))
    if c.level("yellow_ball") == "rolls":
        actions.append(
            Launch("yellow_ball", round(240 * c.number("yellow_start")), (1.2, 0.0, 0.0))
        )
    aside = 0.02 * c.amount("camera_turn")
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=Camera(eye_m=(1.75, -0.5 + aside, 2.0), target_m=(0.07, -0.12, 0.42)),
        duration_steps=560,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


THINGS = {
    "white_ball": "the white ball", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "block": "the block", "mug": "the mug", "book": "the book", "tin": "the tin",
    "yellow_ball": "the yellow ball", "can": "the can", "table": "the table",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="billiard_fork",
    version=2,
    summary=__doc__,
    tags=("fork", "common_cause", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"clear_way": {1: {"tin": "absent"}, 0: {"tin": "present"}}},
    staged=(
        Staged("block_rests", "shot", 0, {"block": "rests"},
               "The block is not slid.", "the block had not been slid"),
        Staged("tin", "clear_way", 0, {"tin": "present"},
               "A tin stands in the red ball's way.", "a tin had stood in the red ball's way"),
        Staged("yellow_ball_rests", "knock", 0, {"yellow_ball": "rests"},
               "The yellow ball is not rolled.", "the yellow ball had not been rolled"),
    ),
    variations=(
        Variation("yellow_late", "retime", {"yellow_start": "late"},
                  "The yellow ball is rolled only later."),
    ),
    phrases={
        "clear_way": Phrase("the red ball has a clear path to the mug",
                            "the red ball had a clear path to the mug",
                            "a tin stood in the red ball's way", "", ("red_ball", "mug")),
        "knock": Phrase("the yellow ball rolls into the can", "the yellow ball rolled into the can",
                        "the yellow ball missed the can", "the yellow ball hit the can",
                        ("yellow_ball", "can"), also=("the yellow ball ran into the can",)),
        "shot": Phrase("the block pushes the white ball", "the block pushed the white ball",
                       "the white ball stayed at rest", "the white ball start to roll",
                       ("block", "white_ball"), also=("the block hit the white ball",)),
        "strike": Phrase("the white ball splits the pair of balls",
                         "the white ball split the pair of balls", "the pair stayed together",
                         "the white ball hit the pair", ("white_ball", "red_ball", "blue_ball"),
                         also=("the white ball split the pair", "the white ball hit the pair")),
        "mug_hit": Phrase("the red ball hits the mug", "the red ball hit the mug",
                          "the red ball missed the mug", "the red ball hit the mug",
                          ("red_ball", "mug"),
                          also=("the red ball rolled into the mug",)),
        "mug_fall": Phrase("the mug falls off the table", "the mug fell off the table",
                           "the mug stayed on the table", "the mug fall off the table", ("mug",),
                           also=("the mug dropped off the table",)),
        "book_hit": Phrase("the blue ball hits the book", "the blue ball hit the book",
                           "the blue ball missed the book", "the blue ball hit the book",
                           ("blue_ball", "book"),
                           also=("the blue ball rolled into the book",)),
        "book_fall": Phrase("the book falls over", "the book fell over", "the book stayed up",
                            "the book fall over", ("book",), also=("the book toppled over",)),
    },
    things=THINGS,
    showcase={"block": "slides", "tin": "absent", "yellow_ball": "rolls", "yellow_start": "early"},
    key_events=("strike", "book_fall", "mug_fall"),
    opening=Opening(
        about="red_ball",
        right={
            "holds(clear_way)": "the red ball lies with a clear path to the mug",
            "not(holds(clear_way))": "the red ball lies behind a tin on the table",
        },
    ),
    asked={"strike": ("strike",), "book_fall": ("book_fall", "book_hit"),
           "mug_fall": ("mug_fall", "mug_hit")},
    others={
        **hits(THINGS, ("block", "red_ball"), ("block", "blue_ball"), ("white_ball", "mug"),
               ("white_ball", "book"), ("red_ball", "book"), ("blue_ball", "mug"),
               ("red_ball", "blue_ball"), ("red_ball", "tin"), ("white_ball", "tin"),
               ("white_ball", "red_ball"), ("white_ball", "blue_ball"), ("mug", "book"),
               ("mug", "can"), ("mug", "floor"), ("book", "floor"), ("yellow_ball", "mug")),
        "hit(red_ball, floor)": Phrase("the red ball drops to the floor",
                                       "the red ball dropped to the floor",
                                       participants=("red_ball", "floor")),
        "hit(blue_ball, floor)": Phrase("the blue ball drops to the floor",
                                        "the blue ball dropped to the floor",
                                        participants=("blue_ball", "floor")),
    },
    lacks="tin",
)  # fmt: skip
