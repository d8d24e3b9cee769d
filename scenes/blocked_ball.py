"""Blocked ball: a ball rolls at a glass vase, and a box slides into its way just in time.

Prevention by a barrier. A block pushes the red ball towards the vase; a brick pushes the yellow
box across the ball's path, so that the ball hits the box and the vase stays whole. The box's
sliding is a preventer of the hit: undo it, and the ball hits and breaks the vase. What pushed the
box is a preventer too; that the ball hit the box is none, it is a sign of the prevention. A plank
may stand before the vase, a barrier that need not arrive: with it alone, the plank is the
preventer; with both, either would do, and each is but a part of the cause. Where the box comes, it
keeps the ball from ever reaching the plank. A white ball rolls into a can, which is no cause of
anything.
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
    hits,
)
from simworld.world.detectors import Broke, Detector, Present, Slid, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
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

BALL_M = 0.06
VASE = Vase(radius_m=0.06, height_m=0.2, wall_m=0.008)
BOX_M = (0.05, 0.13, 0.06)
"""Half extents of the barrier that slides in, across the ball's path."""
BOX_FROM_M = 0.45
BLOCK_M, BRICK_M = (0.03, 0.03, 0.06), (0.03, 0.03, 0.09)
BALL_AT_M, VASE_AT_M, PLANK_AT_M = -0.62, 0.55, 0.26

SETTINGS = (
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("brick", {"slides": 0.7, "rests": 0.3}),
    Choice("post", {"aside": 0.85, "in_the_way": 0.15}),
    Choice("plank", {"absent": 0.75, "present": 0.25}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("ball_speed", "m/s", {"brisk": Band(1.80, 1.95, held_out=(1.95, 2.0))}),
    Range("box_speed", "m/s", {"brisk": Band(2.00, 2.08, held_out=(2.08, 2.1))}),
    Range("ball_start", "s", {"usual": Band(0.58, 0.62, held_out=(0.62, 0.63))}),
    Range("box_start", "s", {"usual": Band(0.18, 0.22, held_out=(0.22, 0.23))}),
    Range("white_start", "s", {"usual": Band(0.16, 0.32, held_out=(0.32, 0.34))}),
    Range("vase_mass", "kg", {"usual": Band(0.36, 0.40, held_out=(0.40, 0.41))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("barred", "plank == 'present'"),
    event("knock", "white_ball == 'rolls'"),
    event("box_push", "brick == 'slides'"),
    event("slide", "box_push and post == 'aside'"),
    event("ball_push", "block == 'slides'"),
    event("box_hit", "ball_push and slide"),
    event("plank_hit", "ball_push and not slide and barred"),
    event("vase_hit", "ball_push and not slide and not barred"),
    event("shatter", "vase_hit"),
)

DETECTORS: dict[str, Detector] = {
    "barred": Present("plank"),
    "knock": Touched("white_ball", ("can",)),
    "box_push": Touched("box", ("brick",)),
    "slide": Slid("box", "floor", distance_m=0.2),
    "ball_push": Touched("ball", ("block",)),
    "box_hit": Touched("ball", ("box",)),
    "plank_hit": Touched("ball", ("plank",)),
    "vase_hit": Touched("vase", ("ball",)),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 300,
    "box_push": 95,
    "slide": 190,
    "ball_push": 200,
    "box_hit": 305,
    "plank_hit": 335,
    "vase_hit": 485,
    "shatter": 495,
}


def handles(c: Context, speed_m_s: float, box_speed_m_s: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The ball can be tossed over any barrier, but not made to hit one that is not there.
    """
    sign = 1.0 if c.word("side") == "left" else -1.0
    along, across = (sign * speed_m_s, 0.0, 0.0), (0.0, -box_speed_m_s, 0.0)
    slide = (ForceLaunch("slide", "box", 126, (0.0, -0.63 * box_speed_m_s, 0.0)),)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("box_push", "brick", "box", gap_m=0.03),
        HoldMoved("slide", "box", distance_m=0.06),
        HoldNear("ball_push", "block", "ball", gap_m=0.03),
        HoldNear("box_hit", "ball", "box", gap_m=0.03),
        HoldNear("plank_hit", "ball", "plank", gap_m=0.03),
        HoldNear("vase_hit", "ball", "vase", gap_m=0.03),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "white_ball", 200, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("box_push", "brick", 75, across),
        *(slide if c.level("post") == "aside" else ()),
        ForceLaunch("ball_push", "block", 174, along),
        ForceToss("vase_hit", "ball", 348, x_m=sign * VASE_AT_M, lift_m_s=2.6, rise_steps=20),
        ForceBreak("shatter", "vase", 490),
    )


def build(c: Context) -> WorldSpec:
    """Build a floor with the ball's lane, the box and its brick behind it, a can in front."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    speed, box_speed = c.number("ball_speed"), c.number("box_speed")
    in_the_way = c.level("post") == "in_the_way"
    block_at = BALL_AT_M - BALL_M - 0.05 - BLOCK_M[0]
    brick_at = BOX_FROM_M + BOX_M[1] + 0.08 + BRICK_M[1]
    post_at = (0.0, BOX_FROM_M - BOX_M[1] - 0.04) if in_the_way else (0.26, 0.42)
    bodies = (
        floor(c.word("floor_color")),
        Body("plank", Box((0.015, 0.12, 0.06)), (sign * PLANK_AT_M, 0.0, 0.06), color="brown",
             restitution=0.3, present=c.level("plank") == "present"),
        Body("post", Cylinder(0.02, 0.16), (sign * post_at[0], post_at[1], 0.08), color="steel",
             restitution=0.2),
        Body("vase", VASE, (sign * VASE_AT_M, 0.0, VASE.height_m / 2), friction=0.5,
             restitution=0.5, mass_kg=c.number("vase_mass"), color=c.word("vase_color"),
             breakable=Breakable(peak_m_s=0.35, rings=3)),
        Body("box", Box(BOX_M), (0.0, BOX_FROM_M, BOX_M[2]), mass_kg=0.8, friction=0.3,
             restitution=0.5, color="yellow"),
        ball("ball", "red", (sign * BALL_AT_M, 0.0, BALL_M), BALL_M, 0.165, 0.9),
        Body("block", Box(BLOCK_M), (sign * block_at, 0.0, BLOCK_M[2]), mass_kg=0.2,
             friction=0.4, restitution=0.8, color="black"),
        Body("brick", Box(BRICK_M), (0.0, brick_at, BRICK_M[2]), mass_kg=0.8, friction=0.4,
             restitution=0.5, color="brick"),
        Body("can", Cylinder(0.06, 0.16), (sign * 0.2, -0.42, 0.08), color="steel",
             restitution=0.8),
        Body("book", Box((0.02, 0.08, 0.07)), (sign * -0.58, -0.42, 0.07), color="blue"),
        ball("white_ball", "white", (sign * -0.25, -0.42, 0.05), restitution=0.9),
    )  # fmt: skip
    moves = {
        "block": ("ball_start", (sign * speed, 0.0, 0.0)),
        "brick": ("box_start", (0.0, -box_speed, 0.0)),
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
        camera=camera(c.amount("camera_turn")),
        duration_steps=540,
        detectors=DETECTORS,
        handles=handles(c, speed, box_speed),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the lane and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -1.45, 1.4), target_m=(0.0, 0.10, 0.0))


THINGS = {
    "vase": "the vase", "ball": "the red ball", "box": "the box", "block": "the block",
    "brick": "the brick", "plank": "the plank", "post": "the post",
    "white_ball": "the white ball", "can": "the can", "book": "the book", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="blocked_ball",
    version=1,
    summary=__doc__,
    tags=("prevention", "preventer", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"barred": {1: {"plank": "present"}, 0: {"plank": "absent"}}},
    staged=(
        Staged("brick_rests", "box_push", 0, {"brick": "rests"}, "The brick is not slid.",
               "the brick had not been slid"),
        Staged("post", "slide", 0, {"post": "in_the_way"},
               "A post stands in the box's way.",
               "a post had stood in the box's way"),
        Staged("block_rests", "ball_push", 0, {"block": "rests"}, "The block is not slid.",
               "the block had not been slid"),
        Staged("plank", "barred", 1, {"plank": "present"}, "A plank stands before the vase.",
               "a plank had stood before the vase"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "box_push": Phrase("the brick pushes the box", "the brick pushed the box",
                           "the brick never touched the box",
                           "the brick hit the box", ("brick", "box"),
                           also=("the brick hit the box",)),
        "slide": Phrase("the box slides into the way",
                        "the box slid into the way",
                        "the box stayed out of the way",
                        "the box slide into the way", ("box",)),
        "ball_push": Phrase("the block pushes the red ball", "the block pushed the red ball",
                            "the red ball stayed at rest", "the red ball start to roll",
                            ("block", "ball"), also=("the block hit the red ball",)),
        "box_hit": Phrase("the red ball hits the box", "the red ball hit the box",
                        "the red ball missed the box", "the red ball hit the box",
                        ("ball", "box"), also=("the red ball ran into the box",)),
        "plank_hit": Phrase("the red ball hits the plank", "the red ball hit the plank",
                       "the red ball missed the plank", "the red ball hit the plank",
                       ("ball", "plank"), also=("the red ball ran into the plank",)),
        "vase_hit": Phrase("the red ball hits the vase", "the red ball hit the vase",
                      "the red ball missed the vase", "the red ball hit the vase",
                      ("ball", "vase"), also=("the red ball ran into the vase",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "barred": Phrase("a plank stands before the vase", "a plank stood before the vase",
                         "no plank stood before the vase", "", ("plank", "vase")),
    },
    things=THINGS,
    showcase={"block": "slides", "brick": "slides", "post": "aside", "plank": "absent",
              "white_ball": "rolls"},
    key_events=("slide", "box_hit", "plank_hit", "vase_hit"),
    opening=Opening(
        about="ball",
        right={
            "not(holds(barred))": "the red ball lies across from the vase, nothing between",
            "holds(barred)": "the red ball lies across from the vase, a plank between",
        },
    ),
    asked={"slide": ("slide",), "box_hit": ("box_hit",), "plank_hit": ("plank_hit",),
           "vase_hit": ("vase_hit", "shatter")},
    others={
        **hits(THINGS, ("block", "box"), ("brick", "ball"), ("box", "vase"), ("box", "plank"),
               ("white_ball", "box"), ("white_ball", "vase"), ("white_ball", "ball"),
               ("white_ball", "plank"), ("ball", "can"), ("ball", "post"), ("box", "post"),
               ("ball", "brick"), ("ball", "white_ball"), ("brick", "vase"),
               ("white_ball", "book")),
    },
)  # fmt: skip
