"""Latch and bridge: a ball waits at a raised drawbridge that either of two things can lower.

The red ball or the blue cube runs into the yellow button; at the next beat the bridge comes down,
the green ball rolls across and knocks the mug off the far bank. Whichever of the two it is, its
hit is a but-for cause of all that follows, through the lowering alone: the bridge starts at the
same beat and moves alike, so that ball and mug move in the same way to the last bit. Swapping the
one for the other changes the cause and leaves the outcome's picture as it was. The bridge may be
too short, so that the ball drops into the gap: a long bridge is an enabling condition. A white ball
rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Detector, DroppedBelow, Present, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    Handle,
    HoldNear,
    HoldPast,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Box,
    Camera,
    Cylinder,
    Launch,
    Mug,
    Quat,
    WorldSpec,
)

LANE_Y_M = 0.30
NEAR_X_M, NEAR_TOP_M = -0.22, 0.36
"""Where the near bank ends, and its height there."""
SLOPE_RAD = math.radians(18.0)
TILT: Quat = (0.0, math.sin(SLOPE_RAD / 2), 0.0, math.cos(SLOPE_RAD / 2))
DECK_M = (0.17, 0.10, 0.015)
"""The sloping board on which the ball waits."""
PLANK_M, THICK_M = 0.22, 0.024
"""Length of the bridge's first half, and of its second one; how thick it is."""
DOWN_RAD = math.radians(102.0)
GREEN_M = 0.06
MUG = Mug(radius_m=0.05, height_m=0.12)
FAR_M, FAR_TOP_M = (0.20, 0.62), 0.26
"""Where the far bank begins and ends, and its height."""
MUG_X_M = 0.54
BUTTON_Y_M, BUTTON_M = -0.25, 0.04
BEAT_STEPS, LOWER_STEPS = 64, 48

SETTINGS = (
    Choice("red_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("blue_cube", {"slides": 0.4, "rests": 0.6}),
    Choice("bridge", {"long": 0.8, "short": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.18, 1.24, held_out=(1.24, 1.26))}),
    Range("red_start", "s", {"usual": Band(0.19, 0.22, held_out=(0.22, 0.23))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.50, 1.56, held_out=(1.56, 1.58))}),
    Range("blue_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("white_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range("green_mass", "kg", {"usual": Band(0.40, 0.46, held_out=(0.46, 0.48))}),
)

NUISANCES = (
    Nuisance("mug_color", words=("purple", "orange", "pink")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("red_from", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("long_bridge", "bridge == 'long'"),
    event("knock", "white_ball == 'rolls'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_cube == 'slides'"),
    event("lower", "red_hit or blue_hit"),
    event("strike", "lower and long_bridge"),
    event("fall", "strike"),
)

DETECTORS: dict[str, Detector] = {
    "long_bridge": Present("bridge_end"),
    "knock": Touched("white_ball", ("can",)),
    "red_hit": Touched("button", ("red_ball",)),
    "blue_hit": Touched("button", ("blue_cube",)),
    "lower": Turned("bridge", degrees=5.0),
    "strike": Touched("green_ball", ("mug",)),
    "fall": DroppedBelow("mug", height_m=FAR_TOP_M),
}

DEADLINES = {
    "knock": 330,
    "red_hit": 235,
    "blue_hit": 250,
    "lower": 285,
    "strike": 480,
    "fall": 580,
}


def handles(left: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The green ball cannot be made to roll through a raised bridge.
    """
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "button", gap_m=0.02),
        HoldNear("blue_hit", "blue_cube", "button", gap_m=0.02),
        KeepStill("lower", "bridge"),
        KeepStill("lower", "bridge_end"),
        HoldNear("strike", "green_ball", "mug", gap_m=0.02),
        HoldPast("fall", "mug", (1.0, 0.0, 0.0), limit_m=MUG_X_M + 0.03),
        ForceLaunch("knock", "white_ball", 225, (1.4, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 168, (left * 2.4, 0.0, 0.0)),
        ForceLaunch("blue_hit", "blue_cube", 168, (-left * 2.4, 0.0, 0.0)),
        ForceStart("lower", "bridge", 265),
        ForceStart("lower", "bridge_end", 265),
        ForceLaunch("fall", "mug", 520, (1.2, 0.0, 0.0)),
    )


def banks() -> tuple[Body, ...]:
    """Return the near bank with its sloping board, and the far bank."""
    c, s = math.cos(SLOPE_RAD), math.sin(SLOPE_RAD)
    length, wide, thick = DECK_M
    near, far = NEAR_X_M - 2 * length * c, (FAR_M[1] - FAR_M[0]) / 2
    board = (NEAR_X_M - length * c - thick * s, LANE_Y_M, NEAR_TOP_M + length * s - thick * c)
    high = NEAR_TOP_M / 2 - 0.02
    return (
        Body("board", Box(DECK_M), board, TILT, color="brown", thing="near_bank"),
        Body("near_bank", Box(((NEAR_X_M - near) / 2, wide, high)),
             ((NEAR_X_M + near) / 2, LANE_Y_M, high), color="brown"),
        Body("far_bank", Box((far, wide, FAR_TOP_M / 2)),
             (FAR_M[0] + far, LANE_Y_M, FAR_TOP_M / 2), restitution=0.0, color="brown"),
    )  # fmt: skip


def plank(name: str, from_m: float, present: bool) -> Body:
    """Return one half of the raised bridge, which begins so far above its hinge."""
    size = Box((THICK_M / 2, DECK_M[1] - 0.005, PLANK_M / 2 - 0.001))
    place = (NEAR_X_M + THICK_M / 2, LANE_Y_M, NEAR_TOP_M + from_m + PLANK_M / 2)
    return Body(name, size, place, restitution=0.0, color="black", thing="bridge",
                present=present)  # fmt: skip


def lowering(name: str) -> Mover:
    """Return how a half of the bridge comes down, at the first beat after the button was hit."""
    return Mover(name, Touched("button", ("red_ball", "blue_cube")), LOWER_STEPS,
                 spin_rad_s=(0.0, DOWN_RAD * STEPS_PER_S / LOWER_STEPS, 0.0),
                 pivot_m=(NEAR_X_M, LANE_Y_M, NEAR_TOP_M), every_steps=BEAT_STEPS)  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build two banks and the bridge, the ball and the mug, the button and what may hit it."""
    left = 1.0 if c.word("red_from") == "left" else -1.0
    slope = (1.0 + math.sin(SLOPE_RAD)) / math.cos(SLOPE_RAD)
    waits_z = NEAR_TOP_M + GREEN_M * (slope * math.sin(SLOPE_RAD) + math.cos(SLOPE_RAD))
    bodies = (
        floor(c.word("floor_color")),
        *banks(),
        plank("bridge", 0.0, present=True),
        plank("bridge_end", PLANK_M, present=c.level("bridge") == "long"),
        ball("green_ball", "green", (NEAR_X_M - GREEN_M, LANE_Y_M, waits_z), GREEN_M,
             c.number("green_mass"), 0.2),
        Body("mug", MUG, (MUG_X_M, LANE_Y_M, FAR_TOP_M + MUG.height_m / 2), mass_kg=0.25,
             friction=0.2, restitution=0.5, color=c.word("mug_color")),
        Body("button", Box((BUTTON_M, BUTTON_M, BUTTON_M)), (0.0, BUTTON_Y_M, BUTTON_M),
             color="yellow"),
        ball("red_ball", "red", (-left * 0.54, BUTTON_Y_M, 0.05)),
        Body("blue_cube", Box((0.05, 0.05, 0.05)), (left * 0.54, BUTTON_Y_M, 0.05), mass_kg=0.3,
             friction=0.1, color="blue"),
        Body("can", Cylinder(0.06, 0.16), (0.30, -0.65, 0.08), color="steel"),
        ball("white_ball", "white", (-0.20, -0.65, 0.05)),
    )  # fmt: skip
    moves = {
        "red_ball": ("rolls", "red_start", (left * c.number("red_speed"), 0.0, 0.0)),
        "blue_cube": ("slides", "blue_start", (-left * c.number("blue_speed"), 0.0, 0.0)),
        "white_ball": ("rolls", "white_start", (1.0, 0.0, 0.0)),
    }
    launches = tuple(
        Launch(name, round(STEPS_PER_S * c.number(start)), velocity)
        for name, (goes, start, velocity) in moves.items()
        if c.level(name) == goes
    )
    return WorldSpec(
        bodies=bodies,
        actions=(lowering("bridge"), lowering("bridge_end"), *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=640,
        detectors=DETECTORS,
        handles=handles(left),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the bridge and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.05 + 0.03 * turn_deg, -1.95, 1.3), target_m=(0.02, -0.08, 0.21))


THINGS = {
    "green_ball": "the green ball", "bridge": "the bridge", "mug": "the mug",
    "red_ball": "the red ball", "blue_cube": "the blue cube", "button": "the button",
    "near_bank": "the near bank", "far_bank": "the far bank", "white_ball": "the white ball",
    "can": "the can", "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="latch_bridge",
    version=1,
    summary=__doc__,
    tags=("latch", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"long_bridge": {1: {"bridge": "long"}, 0: {"bridge": "short"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("short_bridge", "long_bridge", 0, {"bridge": "short"},
               "The bridge is too short for the gap.",
               "the bridge had been too short for the gap"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    variations=(
        Variation("cube_instead", "swap_cause", {"red_ball": "rests", "blue_cube": "slides"},
                  "The blue cube is slid at the button instead of the red ball.",
                  keeps=("lower", "strike", "fall")),
    ),
    phrases={
        "long_bridge": Phrase("the bridge is long enough for the gap",
                              "the bridge was long enough for the gap",
                              "the bridge was too short for the gap", "", ("bridge",)),
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "red_hit": Phrase("the red ball hits the button", "the red ball hit the button",
                          "the red ball never touched the button",
                          "the red ball hit the button", ("red_ball", "button"),
                          also=("the red ball rolled into the button",)),
        "blue_hit": Phrase("the blue cube hits the button", "the blue cube hit the button",
                           "the blue cube never touched the button",
                           "the blue cube hit the button", ("blue_cube", "button"),
                           also=("the blue cube slid into the button",)),
        "lower": Phrase("the bridge comes down", "the bridge came down", "the bridge stayed up",
                        "the bridge come down", ("bridge",), also=("the bridge swung down",)),
        "strike": Phrase("the green ball hits the mug", "the green ball hit the mug",
                         "the green ball never reached the mug", "the green ball hit the mug",
                         ("green_ball", "mug"), also=("the green ball rolled into the mug",)),
        "fall": Phrase("the mug falls off the far bank", "the mug fell off the far bank",
                       "the mug stayed on the far bank", "the mug fall off the far bank",
                       ("mug",), also=("the mug dropped off the far bank",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_cube": "rests", "bridge": "long",
              "white_ball": "rolls"},
    key_events=("lower", "strike", "fall"),
    opening=Opening(
        about="green_ball",
        right={
            "holds(long_bridge)": "the green ball waits at a long raised bridge",
            "not(holds(long_bridge))": "the green ball waits at a short raised bridge",
        },
    ),
    asked={"lower": ("lower",), "strike": ("strike",), "fall": ("fall",)},
    others={
        **hits(THINGS, ("white_ball", "button"), ("red_ball", "mug"), ("blue_cube", "mug"),
               ("white_ball", "mug"), ("red_ball", "can"), ("blue_cube", "can"),
               ("red_ball", "blue_cube"), ("red_ball", "bridge"), ("blue_cube", "bridge"),
               ("white_ball", "bridge"), ("red_ball", "green_ball"), ("blue_cube", "green_ball"),
               ("white_ball", "green_ball"), ("green_ball", "can"), ("green_ball", "button"),
               ("mug", "can"), ("mug", "floor"), ("green_ball", "floor")),
    },
)  # fmt: skip
