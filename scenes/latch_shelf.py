"""Latch and shelf: a mug stands on a folding shelf, and either of two balls can press its button.

The red ball or the blue ball rolls into the yellow button; at the next beat the shelf folds down
against the wall, and the mug slides off and breaks on the floor. Whichever ball it is, its hit is a
but-for cause of all that follows, through the folding alone: the shelf starts at the same beat and
moves alike, so that the mug falls in the same way to the last bit. Swapping the ball changes the
cause and leaves the outcome's picture as it was. A rug may lie below, on which the mug stays whole:
the hard floor is an enabling condition. An orange cube slides into a can, which is no cause of
anything.
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
from simworld.world.detectors import Absent, Broke, Detector, DroppedBelow, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldNear,
    HoldPast,
    KeepStill,
    KeepWhole,
)
from simworld.world.movers import Mover
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Mug,
    Soft,
    Vec3,
    WorldSpec,
)

SHELF_X_M, SHELF_Y_M, SHELF_TOP_M = 0.30, 0.34, 0.62
"""Middle of the shelf, and height of its upper side."""
SHELF_M = (0.13, 0.09, 0.01)
WALL_Y_M = SHELF_Y_M + SHELF_M[1]
BUTTON_X_M, BUTTON_Y_M, BUTTON_M = -0.35, 0.15, 0.04
BALL_M = 0.05
RUN_M = 0.45
"""From where a ball rests to where it meets the button."""
MUG = Mug(radius_m=0.05, height_m=0.12)
GLASS = Breakable(peak_m_s=1.6)
PADDED = Soft(stiffness_n_m=900.0, damping_n_s_m=30.0)
BEAT_STEPS, FOLD_STEPS = 64, 40

SETTINGS = (
    Choice("red_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("blue_ball", {"rolls": 0.4, "rests": 0.6}),
    Choice("rug", {"absent": 0.8, "present": 0.2}),
    Choice("cube", {"slides": 0.8, "rests": 0.2}),
    Range("speed", "m/s", {"brisk": Band(1.18, 1.24, held_out=(1.24, 1.26))}),
    Range("red_start", "s", {"usual": Band(0.19, 0.22, held_out=(0.22, 0.23))}),
    Range("blue_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("cube_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range("mug_mass", "kg", {"usual": Band(0.28, 0.32, held_out=(0.32, 0.33))}),
)

NUISANCES = (
    Nuisance("mug_color", words=("green", "purple", "white")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("red_from", words=("left", "front")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("hard_floor", "rug == 'absent'"),
    event("knock", "cube == 'slides'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_ball == 'rolls'"),
    event("fold", "red_hit or blue_hit"),
    event("fall", "fold"),
    event("shatter", "fall and hard_floor"),
)

DETECTORS: dict[str, Detector] = {
    "hard_floor": Absent("rug"),
    "knock": Touched("cube", ("can",)),
    "red_hit": Touched("button", ("red_ball",)),
    "blue_hit": Touched("button", ("blue_ball",)),
    "fold": Turned("shelf", degrees=3.0),
    "fall": DroppedBelow("mug", height_m=SHELF_TOP_M - 0.12),
    "shatter": Broke("mug"),
}

DEADLINES = {
    "knock": 320,
    "red_hit": 235,
    "blue_hit": 235,
    "fold": 285,
    "fall": 480,
    "shatter": 540,
}


def handles(red: Vec3, blue: Vec3) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    `red` and `blue` are the ways that the balls take. With the shelf up the mug can only be made
    to fall by a throw to its side.
    """
    fast_red, fast_blue = ((2.4 * x, 2.4 * y, 0.0) for x, y, _ in (red, blue))
    return (
        HoldNear("knock", "cube", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "button", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "button", gap_m=0.02),
        KeepStill("fold", "shelf"),
        HoldPast("fall", "mug", (0.0, 0.0, -1.0), limit_m=-SHELF_TOP_M - MUG.height_m / 2 + 0.02),
        KeepWhole("shatter", "mug"),
        ForceLaunch("knock", "cube", 225, (-1.4, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 168, fast_red),
        ForceLaunch("blue_hit", "blue_ball", 168, fast_blue),
        ForceStart("fold", "shelf", 265),
        ForceToss("fall", "mug", 340, x_m=SHELF_X_M + 0.24, lift_m_s=1.6, rise_steps=20),
        ForceBreak("shatter", "mug", 535),
    )


def build(c: Context) -> WorldSpec:
    """Build a wall with the shelf and its mug, the button and the two balls before it."""
    at = BUTTON_M + BALL_M + RUN_M
    ways: list[Vec3] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    red, blue = ways if c.word("red_from") == "left" else ways[::-1]
    bodies = (
        floor(c.word("floor_color")),
        Body("wall", Box((0.85, 0.02, 0.45)), (0.0, WALL_Y_M + 0.02, 0.45), color="beige"),
        Body("shelf", Box(SHELF_M), (SHELF_X_M, SHELF_Y_M, SHELF_TOP_M - SHELF_M[2]),
             friction=0.3, color="brown"),
        Body("mug", MUG, (SHELF_X_M, SHELF_Y_M - 0.01, SHELF_TOP_M + MUG.height_m / 2),
             friction=0.3, restitution=0.5, mass_kg=c.number("mug_mass"), breakable=GLASS,
             color=c.word("mug_color")),
        Body("rug", Box((0.6, 0.4, 0.02)), (0.55, 0.02, 0.02), friction=0.8, restitution=0.0,
             soft=PADDED, color="pink", present=c.level("rug") == "present"),
        Body("button", Box((BUTTON_M, BUTTON_M, BUTTON_M)),
             (BUTTON_X_M, BUTTON_Y_M, BUTTON_M), color="yellow"),
        *(
            ball(f"{color}_ball", color,
                 (BUTTON_X_M - at * way[0], BUTTON_Y_M - at * way[1], BALL_M))
            for color, way in (("red", red), ("blue", blue))
        ),
        Body("can", Cylinder(0.06, 0.16), (-0.05, -0.62, 0.08), color="steel"),
        Body("cube", Box((0.05, 0.05, 0.05)), (0.45, -0.62, 0.05), mass_kg=0.3, friction=0.1,
             color="orange"),
    )  # fmt: skip
    speed = c.number("speed")
    moves = {
        "red_ball": ("rolls", "red_start", (speed * red[0], speed * red[1], 0.0)),
        "blue_ball": ("rolls", "blue_start", (speed * blue[0], speed * blue[1], 0.0)),
        "cube": ("slides", "cube_start", (-1.2, 0.0, 0.0)),
    }
    launches = tuple(
        Launch(name, round(STEPS_PER_S * c.number(start)), velocity)
        for name, (goes, start, velocity) in moves.items()
        if c.level(name) == goes
    )
    spin = (math.radians(75) * STEPS_PER_S / FOLD_STEPS, 0.0, 0.0)
    fold = Mover("shelf", Touched("button", ("red_ball", "blue_ball")), FOLD_STEPS,
                 spin_rad_s=spin, pivot_m=(SHELF_X_M, WALL_Y_M, SHELF_TOP_M - 2 * SHELF_M[2]),
                 every_steps=BEAT_STEPS)  # fmt: skip
    return WorldSpec(
        bodies=bodies,
        actions=(fold, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=600,
        detectors=DETECTORS,
        handles=handles(red, blue),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the wall and above the floor, moved sideways for a turn."""
    return Camera(eye_m=(-0.15 + 0.035 * turn_deg, -2.3, 1.3), target_m=(0.05, -0.05, 0.28))


THINGS = {
    "mug": "the mug", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "button": "the button", "shelf": "the shelf", "wall": "the wall", "rug": "the rug",
    "cube": "the cube", "can": "the can", "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="latch_shelf",
    version=1,
    summary=__doc__,
    tags=("latch", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"hard_floor": {1: {"rug": "absent"}, 0: {"rug": "present"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("rug", "hard_floor", 0, {"rug": "present"}, "A thick rug lies below the shelf.",
               "a thick rug had lain below the shelf"),
        Staged("cube_rests", "knock", 0, {"cube": "rests"}, "The cube is not slid.",
               "the cube had not been slid"),
    ),
    variations=(
        Variation("blue_instead", "swap_cause",
                  {"red_ball": "rests", "blue_ball": "rolls"},
                  "The blue ball is rolled at the button instead of the red one.",
                  keeps=("fold", "fall", "shatter")),
    ),
    phrases={
        "hard_floor": Phrase("the floor below the shelf is bare",
                             "the floor below the shelf was bare",
                             "a thick rug lay below the shelf", "", ("floor",)),
        "knock": Phrase("the cube slides into the can", "the cube slid into the can",
                        "the cube never touched the can", "the cube hit the can",
                        ("cube", "can"), also=("the cube ran into the can",)),
        "red_hit": Phrase("the red ball hits the button", "the red ball hit the button",
                          "the red ball never touched the button",
                          "the red ball hit the button", ("red_ball", "button"),
                          also=("the red ball rolled into the button",)),
        "blue_hit": Phrase("the blue ball hits the button", "the blue ball hit the button",
                           "the blue ball never touched the button",
                           "the blue ball hit the button", ("blue_ball", "button"),
                           also=("the blue ball rolled into the button",)),
        "fold": Phrase("the shelf folds down", "the shelf folded down", "the shelf stayed up",
                       "the shelf fold down", ("shelf",), also=("the shelf swung down",)),
        "fall": Phrase("the mug falls off the shelf", "the mug fell off the shelf",
                       "the mug stayed up on the shelf", "the mug fall off the shelf",
                       ("mug",), also=("the mug dropped off the shelf",)),
        "shatter": Phrase("the mug breaks into pieces", "the mug broke into pieces",
                          "the mug stayed whole", "the mug break", ("mug",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rests", "rug": "absent", "cube": "slides"},
    key_events=("fold", "fall", "shatter"),
    opening=Opening(
        about="mug",
        right={
            "holds(hard_floor)": "the mug stands on a shelf above the bare floor",
            "not(holds(hard_floor))": "the mug stands on a shelf above a thick rug",
        },
    ),
    asked={"fold": ("fold",), "fall": ("fall",), "shatter": ("shatter",)},
    others={
        **hits(THINGS, ("cube", "button"), ("red_ball", "mug"), ("blue_ball", "mug"),
               ("cube", "mug"), ("red_ball", "can"), ("blue_ball", "can"),
               ("red_ball", "blue_ball"), ("red_ball", "wall"), ("blue_ball", "wall"),
               ("red_ball", "shelf"), ("blue_ball", "shelf"), ("cube", "shelf"),
               ("mug", "can"), ("mug", "cube"), ("mug", "button"), ("mug", "floor"),
               ("mug", "rug")),
    },
)  # fmt: skip
