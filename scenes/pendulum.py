"""Pendulum: a log is let go, swings down and strikes a ball, which knocks a domino over.

A chain with a mechanism of its own: a white ball hits a button, a bar slides out from under a log
that hangs drawn aside, the log swings and strikes the red ball, the red ball rolls into the domino
and the domino falls over. Each link is a but-for cause of what comes after it. The mast from which
the log hangs may stand on a block, then the log swings over the ball: that the mast is low enables
the strike, and causes no swing. A yellow ball rolls into a can meanwhile, which is no cause of
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
from simworld.world.detectors import Absent, Detector, Tilted, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    Handle,
    HoldNear,
    HoldTilted,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Hinge, Launch, Quat, WorldSpec

LOG_M, LOG_RADIUS_M = 0.44, 0.04
ASIDE = math.radians(55)
ARM_Z_M, BLOCK_Z_M = 0.49, 0.12
"""Height of the hinge, so that the log's end comes 5 cm above the floor; and of the block."""
MAST_Z_M = ARM_Z_M + 0.06
BAR = Box((0.012, 0.15, 0.012))
BAR_ALONG_M = 0.34
"""How far down the log the bar is."""
BALL_M = 0.05
BALL_AT_M, DOMINO_AT_M = 0.10, 0.72
SIDE_LANE_M = -0.42

SETTINGS = (
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("block", {"absent": 0.75, "present": 0.25}),
    Choice("yellow_ball", {"rolls": 0.7, "rests": 0.3}),
    Range("white_speed", "m/s", {"brisk": Band(1.4, 1.6, held_out=(1.6, 1.65))}),
    Range("white_start", "s", {"early": Band(0.05, 0.08, held_out=(0.08, 0.09)),
                               "late": Band(0.25, 0.29, held_out=(0.29, 0.30))}),
    Range("yellow_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("log_mass", "kg", {"usual": Band(0.80, 0.90, held_out=(0.90, 0.92))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("domino_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("low_mast", "block == 'absent'"),
    event("knock", "yellow_ball == 'rolls'"),
    event("press", "white_ball == 'rolls'"),
    event("swing", "press"),
    event("strike", "swing and low_mast"),
    event("hit", "strike"),
    event("topple", "hit"),
)

DETECTORS: dict[str, Detector] = {
    "low_mast": Absent("block"),
    "knock": Touched("yellow_ball", ("can",)),
    "press": Touched("white_ball", ("button",)),
    "swing": Turned("log", degrees=4.0),
    "strike": Touched("ball", ("log",)),
    "hit": Touched("domino", ("ball",)),
    "topple": Tilted("domino", 30.0),
}

DEADLINES = {"knock": 260, "press": 165, "swing": 245, "strike": 310, "hit": 480, "topple": 530}


def handles(sign: float) -> tuple[Handle, ...]:
    """Return a prevent and a force handle for each event; no push makes a log strike a ball."""
    return (
        HoldNear("knock", "yellow_ball", "can", gap_m=0.02),
        HoldNear("press", "white_ball", "button", gap_m=0.02),
        KeepStill("swing", "bar"),
        HoldNear("strike", "log", "ball", gap_m=0.02),
        HoldNear("hit", "ball", "domino", gap_m=0.03),
        HoldTilted("topple", "domino", degrees=4.0),
        ForceLaunch("knock", "yellow_ball", 160, (sign * 1.4, 0.0, 0.0)),
        ForceLaunch("press", "white_ball", 122, (sign * 2.0, 0.0, 0.0)),
        ForceStart("swing", "bar", 180),
        ForceLaunch("hit", "ball", 385, (sign * 1.8, 0.0, 0.0)),
        ForceLaunch("topple", "domino", 500, (sign * 0.5, 0.0, 0.0), (0.0, sign * 5.0, 0.0)),
    )


def log_and_bar(raised: bool, mass_kg: float, sign: float) -> tuple[Body, ...]:
    """Return the log, drawn aside, the bar that keeps it there, the mast, and the block."""
    arm_z_m = ARM_Z_M + (BLOCK_Z_M if raised else 0.0)
    down, out = math.cos(ASIDE), -sign * math.sin(ASIDE)
    turned: Quat = (0.0, sign * math.sin(ASIDE / 2), 0.0, math.cos(ASIDE / 2))
    under = LOG_RADIUS_M + BAR.half_extents_m[0]
    bar = (
        BAR_ALONG_M * out + sign * under * down,
        0.10,
        arm_z_m - BAR_ALONG_M * down - under * math.sin(ASIDE),
    )
    half = LOG_M / 2
    return (
        Body("arm", Box((0.02, 0.10, 0.012)), (0.0, 0.06, arm_z_m + 0.06), color="black",
             thing="mast"),
        Body("post", Box((0.015, 0.015, MAST_Z_M / 2)), (0.0, 0.15, arm_z_m + 0.06 - MAST_Z_M / 2),
             color="black", thing="mast"),
        Body("block", Box((0.05, 0.05, BLOCK_Z_M / 2)), (0.0, 0.15, BLOCK_Z_M / 2), color="brick",
             present=raised),
        Body("stand", Box((0.015, 0.015, bar[2] / 2)), (bar[0], 0.20, bar[2] / 2), color="black",
             thing="stand"),
        Body("bar", BAR, bar, turned, friction=0.05, restitution=0.0, color="blue"),
        Body("log", Cylinder(LOG_RADIUS_M, LOG_M), (half * out, 0.0, arm_z_m - half * down), turned,
             mass_kg=mass_kg, friction=0.1, restitution=0.8, color="brown",
             hinge=Hinge((0.0, 0.0, arm_z_m), (0.0, 1.0, 0.0), friction_n_m=0.002)),
    )  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build the log on its arm, ball and domino in its way, and a lane in front."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    bodies = (
        floor(c.word("floor_color"), restitution=0.3),
        *log_and_bar(c.level("block") == "present", c.number("log_mass"), sign),
        Body("button", Box((0.02, 0.06, 0.07)), (sign * -0.10, SIDE_LANE_M, 0.07),
             restitution=0.1, color="blue"),
        Body("can", Cylinder(0.06, 0.16), (sign * 0.66, SIDE_LANE_M, 0.08), color="steel"),
        Body("domino", Box((0.012, 0.07, 0.1)), (sign * DOMINO_AT_M, 0.0, 0.1), mass_kg=0.2,
             friction=0.8, restitution=0.0, color=c.word("domino_color")),
        ball("ball", "red", (sign * BALL_AT_M, 0.0, BALL_M), BALL_M, 0.2),
        ball("white_ball", "white", (sign * -0.42, SIDE_LANE_M, 0.05)),
        ball("yellow_ball", "yellow", (sign * 0.20, SIDE_LANE_M, 0.05)),
    )  # fmt: skip
    slide = Mover("bar", Touched("white_ball", ("button",)), 30, (0.0, 1.6, 0.0))
    rolls = {"white_ball": ("white_start", c.number("white_speed")),
             "yellow_ball": ("yellow_start", 1.8)}  # fmt: skip
    launches = tuple(
        Launch(name, round(240 * c.number(start)), (sign * speed, 0.0, 0.0))
        for name, (start, speed) in rolls.items()
        if c.level(name) == "rolls"
    )
    return WorldSpec(
        bodies=bodies,
        actions=(slide, *launches),
        camera=camera(c.amount("camera_turn"), sign),
        duration_steps=560,
        detectors=DETECTORS,
        handles=handles(sign),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float, sign: float) -> Camera:
    """Return the camera, in front of the log and above it, moved sideways for a turn."""
    eye = (sign * 0.05 + 0.03 * turn_deg, -1.75, 0.95)
    return Camera(eye_m=eye, target_m=(sign * 0.20, 0.0, 0.18))


THINGS = {
    "log": "the log", "bar": "the bar", "mast": "the mast", "block": "the block",
    "ball": "the red ball", "domino": "the domino", "button": "the button",
    "white_ball": "the white ball", "yellow_ball": "the yellow ball", "can": "the can",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="pendulum",
    version=1,
    summary=__doc__,
    tags=("chain", "pendulum", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"low_mast": {1: {"block": "absent"}, 0: {"block": "present"}}},
    staged=(
        Staged("white_ball_rests", "press", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
        Staged("block", "low_mast", 0, {"block": "present"}, "The mast stands on a block.",
               "the mast had stood on a block"),
        Staged("yellow_ball_rests", "knock", 0, {"yellow_ball": "rests"},
               "The yellow ball is not rolled.", "the yellow ball had not been rolled"),
    ),
    variations=(
        Variation("white_late", "retime", {"white_start": "late"},
                  "The white ball is rolled after the yellow one."),
        Variation("white_early", "retime", {"white_start": "early"},
                  "The white ball is rolled before the yellow one."),
    ),
    phrases={
        "knock": Phrase("the yellow ball rolls into the can",
                        "the yellow ball rolled into the can",
                        "the yellow ball never touched the can",
                        "the yellow ball hit the can", ("yellow_ball", "can"),
                        also=("the yellow ball ran into the can",)),
        "press": Phrase("the white ball hits the button", "the white ball hit the button",
                        "the white ball never touched the button",
                        "the white ball hit the button", ("white_ball", "button"),
                        also=("the white ball rolled into the button",)),
        "swing": Phrase("the log swings down", "the log swung down", "the log stayed drawn aside",
                        "the log swing down", ("log",), also=("the log was let go",)),
        "strike": Phrase("the log strikes the red ball", "the log struck the red ball",
                         "the log missed the red ball", "the red ball start to roll",
                         ("log", "ball"), also=("the log hit the red ball",)),
        "hit": Phrase("the red ball hits the domino", "the red ball hit the domino",
                      "the red ball missed the domino", "the red ball hit the domino",
                      ("ball", "domino"), also=("the red ball ran into the domino",)),
        "topple": Phrase("the domino falls over", "the domino fell over",
                         "the domino stayed upright", "the domino fall over", ("domino",),
                         also=("the domino toppled",)),
        "low_mast": Phrase("the mast stands on the floor", "the mast stood on the floor",
                           "the mast stood on a block", "", ("mast", "log")),
    },
    things=THINGS,
    showcase={"white_ball": "rolls", "block": "absent", "yellow_ball": "rolls"},
    key_events=("swing", "strike", "hit"),
    opening=Opening(
        about="log",
        right={
            "holds(low_mast)": "the log leans on a bar, its mast on the floor",
            "not(holds(low_mast))": "the log leans on a bar, its mast on a block",
        },
    ),
    asked={"swing": ("swing",), "strike": ("strike",), "hit": ("hit", "topple")},
    others={
        **hits(THINGS, ("white_ball", "can"), ("yellow_ball", "button"), ("white_ball", "log"),
               ("white_ball", "domino"), ("yellow_ball", "domino"), ("yellow_ball", "ball"),
               ("white_ball", "ball"), ("ball", "can"), ("ball", "button"),
               ("yellow_ball", "log"), ("log", "domino"), ("log", "can"), ("white_ball", "bar"),
               ("yellow_ball", "bar")),
        "hit(domino, floor)": Phrase("the domino lands on the floor",
                                     "the domino landed on the floor",
                                     participants=("domino", "floor")),
    },
    lacks="block",
)  # fmt: skip
