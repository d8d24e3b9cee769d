"""Tower: a ball rolls into the top block of a tower, and the vase that stands on it comes down.

A chain on a stack of blocks: the block pushes the red ball, the ball hits the top block, the
block slides off the tower, the vase falls with it and breaks on the floor. Every link is a but-for
cause of the last one, and only the impact is its direct trigger; that the vase is of glass is an
enabling condition. A book may stand in the ball's way on the table. The lower blocks stay where
they are, and a white ball rolls into a can, which is no cause of anything.
"""

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
from simworld.world.detectors import Broke, CanBreak, Detector, DroppedBelow, Slid, Touched
from simworld.world.furniture import ball, floor, table
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldPast,
    KeepWhole,
)
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Vase,
    WorldSpec,
)

CUBE_M = 0.075
"""Half the side of each of the tower's blocks."""
TABLE_TOP_M = 4 * CUBE_M
"""As high as the two lower blocks."""
TOP_Z_M = TABLE_TOP_M + CUBE_M
BALL_M = 0.065
BLOCK_M = (0.03, 0.03, 0.06)
VASE = Vase(radius_m=0.045, height_m=0.15)
VASE_Z_M = TABLE_TOP_M + 2 * CUBE_M + VASE.height_m / 2
BALL_AT_M, EDGE_M = -0.38, -0.09
GLASS = Breakable(peak_m_s=1.2, rings=3)
STEEL = Breakable(peak_m_s=None)

SETTINGS = (
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("book", {"aside": 0.85, "in_the_way": 0.15}),
    Choice("vase_material", {"glass": 0.8, "steel": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("ball_speed", "m/s", {"brisk": Band(1.28, 1.38, held_out=(1.38, 1.4))}),
    Range("ball_start", "s", {"usual": Band(0.28, 0.34, held_out=(0.34, 0.35))}),
    Range("white_start", "s", {"usual": Band(0.10, 0.40, held_out=(0.40, 0.43))}),
    Range("vase_mass", "kg", {"usual": Band(0.18, 0.22, held_out=(0.22, 0.23))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("brittle_vase", "vase_material == 'glass'"),
    event("knock", "white_ball == 'rolls'"),
    event("push", "block == 'slides'"),
    event("bump", "push and book == 'aside'"),
    event("slide", "bump"),
    event("fall", "slide"),
    event("impact", "fall"),
    event("shatter", "impact and brittle_vase"),
)

LANDED_M = TABLE_TOP_M
"""The vase has come down once its centre is lower than the table's top."""

DETECTORS: dict[str, Detector] = {
    "brittle_vase": CanBreak("vase"),
    "knock": Touched("white_ball", ("can",)),
    "push": Touched("ball", ("block",)),
    "bump": Touched("cube", ("ball",)),
    "slide": Slid("cube", "middle_cube", distance_m=0.03),
    "fall": DroppedBelow("vase", height_m=VASE_Z_M - 0.06),
    "impact": Touched("vase", ("floor", "cube"), below_m=LANDED_M),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 320,
    "push": 160,
    "bump": 230,
    "slide": 255,
    "fall": 490,
    "impact": 570,
    "shatter": 580,
}


def handles(c: Context, sign: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The vase cannot be made to land without falling, nor the ball to roll through a book.
    """
    speed, drop = sign * c.number("ball_speed"), (0.0, 0.0, -1.0)
    roll = (ForceLaunch("bump", "ball", 155, (speed, 0.0, 0.0)),)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("push", "block", "ball", gap_m=0.03),
        HoldNear("bump", "ball", "cube", gap_m=0.02),
        HoldMoved("slide", "cube", distance_m=0.015),
        HoldPast("fall", "vase", drop, limit_m=0.03 - VASE_Z_M),
        HoldPast("impact", "vase", drop, limit_m=-LANDED_M - 0.03),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "white_ball", 200, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("push", "block", 115, (speed, 0.0, 0.0)),
        *(roll if c.level("book") == "aside" else ()),
        ForceLaunch("slide", "cube", 235, (sign * 0.9, 0.0, 0.0)),
        ForceToss("fall", "vase", 370, x_m=sign * 0.45, lift_m_s=1.5, rise_steps=20),
        ForceBreak("shatter", "vase", 575),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with a ball, the tower at its end, and a can on the floor before them."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    glass = c.level("vase_material") == "glass"
    block_at = BALL_AT_M - BALL_M - 0.05 - BLOCK_M[0]
    book_at = (-0.2, 0.0) if c.level("book") == "in_the_way" else (-0.45, 0.2)
    ends = sorted((sign * -0.75, sign * EDGE_M))
    cube = Box((CUBE_M, CUBE_M, CUBE_M))
    bodies = (
        floor(c.word("floor_color"), restitution=0.4),
        *table((ends[0], -0.3), (ends[1], 0.3), TABLE_TOP_M),
        Body("low_cube", cube, (0.0, 0.0, CUBE_M), mass_kg=1.5, friction=0.8, color="blue"),
        Body("middle_cube", cube, (0.0, 0.0, 3 * CUBE_M), mass_kg=1.5, friction=0.2,
             color="yellow"),
        Body("cube", cube, (0.0, 0.0, TOP_Z_M), mass_kg=0.3, friction=0.7, restitution=0.6,
             color="pink"),
        Body("vase", VASE, (0.0, 0.0, VASE_Z_M), friction=0.85, restitution=0.4,
             mass_kg=c.number("vase_mass"), breakable=GLASS if glass else STEEL,
             color=c.word("vase_color") if glass else "steel"),
        Body("book", Box((0.02, 0.1, 0.07)), (sign * book_at[0], book_at[1], TABLE_TOP_M + 0.07),
             restitution=0.2, color="brick"),
        ball("ball", "red", (sign * BALL_AT_M, 0.0, TABLE_TOP_M + BALL_M), BALL_M, 0.3, 0.9),
        Body("block", Box(BLOCK_M), (sign * block_at, 0.0, TABLE_TOP_M + BLOCK_M[2]),
             mass_kg=0.36, friction=0.4, restitution=0.8, color="black"),
        Body("can", Cylinder(0.05, 0.14), (sign * -0.25, -0.5, 0.07), color="steel"),
        ball("white_ball", "white", (sign * -0.65, -0.5, 0.05)),
    )  # fmt: skip
    moves = {
        "block": ("ball_start", (sign * c.number("ball_speed"), 0.0, 0.0)),
        "white_ball": ("white_start", (sign * 1.0, 0.0, 0.0)),
    }
    actions = tuple(
        Launch(name, round(240 * c.number(start)), velocity)
        for name, (start, velocity) in moves.items()
        if c.level(name) != "rests"
    )
    return WorldSpec(
        bodies=bodies,
        actions=actions,
        camera=camera(sign, c.amount("camera_turn")),
        duration_steps=640,
        detectors=DETECTORS,
        handles=handles(c, sign),
        deadlines=DEADLINES,
    )


def camera(sign: float, turn_deg: float) -> Camera:
    """Return the camera, in front of table and tower, moved sideways for a turn."""
    middle = sign * -0.1
    return Camera(eye_m=(middle + 0.03 * turn_deg, -1.75, 1.0), target_m=(middle, 0.0, 0.25))


THINGS = {
    "vase": "the vase", "cube": "the cube", "middle_cube": "the yellow box",
    "low_cube": "the blue box", "ball": "the red ball", "block": "the block",
    "book": "the book", "white_ball": "the white ball", "can": "the can", "table": "the table",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="tower",
    version=1,
    summary=__doc__,
    tags=("chain", "stack", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"brittle_vase": {1: {"vase_material": "glass"}, 0: {"vase_material": "steel"}}},
    staged=(
        Staged("block_rests", "push", 0, {"block": "rests"}, "The block is not slid.",
               "the block had not been slid"),
        Staged("book", "bump", 0, {"book": "in_the_way"},
               "A book stands between the red ball and the tower.",
               "a book had stood between the red ball and the tower"),
        Staged("steel_vase", "brittle_vase", 0, {"vase_material": "steel"},
               "The vase is of steel.", "the vase had been made of steel"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    variations=(
        Variation("of_steel", "parameter", {"vase_material": "steel"}, "The vase is of steel."),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "push": Phrase("the block pushes the red ball",
                       "the block pushed the red ball", "the red ball stayed at rest",
                       "the red ball start to roll", ("block", "ball"),
                       also=("the block hit the red ball",)),
        "bump": Phrase("the red ball hits the cube", "the red ball hit the cube",
                       "the red ball missed the cube",
                       "the red ball hit the cube", ("ball", "cube"),
                       also=("the red ball ran into the cube",)),
        "slide": Phrase("the cube slides off the tower",
                        "the cube slid off the tower",
                        "the cube stayed on the tower",
                        "the cube slide off the tower", ("cube",)),
        "fall": Phrase("the vase falls from the tower", "the vase fell from the tower",
                       "the vase stayed on the tower", "the vase fall from the tower", ("vase",),
                       also=("the vase came down from the tower",)),
        "impact": Phrase("the vase lands on the ground",
                         "the vase landed on the ground",
                         "the vase never came down",
                         "the vase land on the ground", ("vase", "floor"),
                         also=("the vase crashed onto the ground",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "brittle_vase": Phrase("the vase is made of glass", "the vase was made of glass",
                               "the vase was made of steel", "", ("vase",)),
    },
    things=THINGS,
    showcase={"block": "slides", "book": "aside", "vase_material": "glass",
              "white_ball": "rolls"},
    key_events=("bump", "fall", "impact"),
    opening=Opening(
        about="vase",
        right={
            "touches(vase, cube, 1)": "the vase stands on the cube of the tower",
        },
    ),
    asked={"bump": ("bump", "slide"), "fall": ("fall",), "impact": ("shatter", "impact")},
    because={("slide", "fall"): "the vase lost its support on the tower"},
    others={
        **hits(THINGS, ("block", "cube"), ("white_ball", "cube"), ("book", "cube"),
               ("ball", "middle_cube"), ("white_ball", "low_cube"), ("ball", "book"),
               ("book", "vase"), ("ball", "vase"), ("white_ball", "vase"), ("vase", "can"),
               ("vase", "white_ball"), ("vase", "table"), ("white_ball", "ball"), ("cube", "can"),
               ("can", "low_cube"), ("block", "book")),
        "hit(ball, floor)": Phrase("the red ball drops to the floor",
                                   "the red ball dropped to the floor",
                                   participants=("ball", "floor")),
        "hit(book, floor)": Phrase("the book falls to the floor", "the book fell to the floor",
                                   participants=("book", "floor")),
    },
)  # fmt: skip
