"""Ramp gate: a gate holds a ball on a ramp until a white ball runs into a button.

A chain that goes through a mechanism: the white ball hits the button, the gate drops, the red
ball rolls down and knocks a domino over. The gate touches the red ball all the time before that,
and causes nothing by it; what makes the ball roll is that the gate opens. A brick may lie on the
ramp below the gate, then the ball gets no further: that nothing lies there enables the hit. A
yellow ball rolls into a can meanwhile, which is no cause of anything.
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
from simworld.world.detectors import Absent, Detector, Moved, Tilted, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldTilted,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, Quat, Vec3, WorldSpec

SLOPE = math.radians(18)
GATE_Z_M = 0.22
"""Height of the ramp's surface at the gate, which is at x = 0."""
UPPER_M, LOWER_M = 0.30, 0.70
"""How far the ramp goes on from the gate, up and down along its surface."""
BALL_M = 0.05
GATE = Box((0.01, 0.11, 0.06))
DROP_M_S, DROP_STEPS = 0.8, 42
DOMINO = Box((0.02, 0.07, 0.1))
DOMINO_AT_M, BRICK_AT_M = 1.02, 0.28
LANE_M = -0.42
"""The y of the button's lane, in front of the ramp; that of the can lies behind."""

SETTINGS = (
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("brick", {"absent": 0.75, "present": 0.25}),
    Choice("yellow_ball", {"rolls": 0.7, "rests": 0.3}),
    Range("white_speed", "m/s", {"brisk": Band(1.5, 1.7, held_out=(1.7, 1.75))}),
    Range("white_start", "s", {"early": Band(0.05, 0.08, held_out=(0.08, 0.09)),
                               "late": Band(0.25, 0.30, held_out=(0.30, 0.31))}),
    Range("yellow_start", "s", {"usual": Band(0.15, 0.17, held_out=(0.17, 0.175))}),
    Range("ball_mass", "kg", {"usual": Band(0.28, 0.32, held_out=(0.32, 0.33))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("domino_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_ramp", "brick == 'absent'"),
    event("knock", "yellow_ball == 'rolls'"),
    event("press", "white_ball == 'rolls'"),
    event("open", "press"),
    event("roll", "open"),
    event("hit", "roll and clear_ramp"),
    event("topple", "hit"),
)

DETECTORS: dict[str, Detector] = {
    "clear_ramp": Absent("brick"),
    "knock": Touched("yellow_ball", ("can",)),
    "press": Touched("white_ball", ("button",)),
    "open": Moved("gate", distance_m=0.06),
    "roll": Touched("ball", ("middle",)),
    "hit": Touched("domino", ("ball",)),
    "topple": Tilted("domino", 30.0),
}

DEADLINES = {"knock": 250, "press": 165, "open": 210, "roll": 400, "hit": 570, "topple": 640}


def handles(sign: float) -> tuple[Handle, ...]:
    """Return a prevent and a force handle for each event."""
    return (
        HoldNear("knock", "yellow_ball", "can", gap_m=0.02),
        HoldNear("press", "white_ball", "button", gap_m=0.02),
        KeepStill("open", "gate"),
        HoldMoved("roll", "ball", distance_m=0.004),
        HoldNear("hit", "ball", "domino", gap_m=0.03),
        HoldTilted("topple", "domino", degrees=4.0),
        ForceLaunch("knock", "yellow_ball", 150, (sign * 1.2, 0.0, 0.0)),
        ForceLaunch("press", "white_ball", 125, (sign * 2.2, 0.0, 0.0)),
        ForceStart("open", "gate", 185),
        ForceToss("roll", "ball", 278, x_m=sign * 0.2, lift_m_s=2.0, rise_steps=24),
        ForceToss("hit", "ball", 430, x_m=sign * (DOMINO_AT_M - 0.1), lift_m_s=2.6, rise_steps=30),
        ForceLaunch("topple", "domino", 600, (sign * 0.35, 0.0, 0.0), (0.0, sign * 5.0, 0.0)),
    )


def on_ramp(along_m: float, above_m: float, sign: float) -> Vec3:
    """Return a place on the ramp: so far down from the gate, so far out from its surface."""
    x = along_m * math.cos(SLOPE) + above_m * math.sin(SLOPE)
    z = GATE_Z_M - along_m * math.sin(SLOPE) + above_m * math.cos(SLOPE)
    return sign * x, 0.0, z


def ramp(sign: float) -> tuple[Body, ...]:
    """Return the ramp, in three parts of which two meet at the gate, and what holds it up."""
    tilt: Quat = (0.0, sign * math.sin(SLOPE / 2), 0.0, math.cos(SLOPE / 2))
    parts = {"top": (-UPPER_M, 0.0), "middle": (0.0, LOWER_M / 2), "foot": (LOWER_M / 2, LOWER_M)}
    slabs = [
        Body(name, Box(((end - start) / 2, 0.11, 0.01)), on_ramp((start + end) / 2, -0.01, sign),
             tilt, friction=0.5, restitution=0.2, color="brown", thing="ramp")
        for name, (start, end) in parts.items()
    ]  # fmt: skip
    x, _, z = on_ramp(-0.24, -0.02, sign)
    leg = Body("leg", Box((0.02, 0.1, z / 2)), (x, 0.0, z / 2), color="brown", thing="ramp")
    posts = [
        Body(f"post_{k}", Box((0.015, 0.015, 0.2)), (0.0, y, 0.2), color="black", thing="frame")
        for k, y in enumerate((-0.13, 0.13))
    ]
    return (*slabs, leg, *posts)


def build(c: Context) -> WorldSpec:
    """Build the ramp with its gate and ball, the domino at its foot, and a lane on either side."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    tilt: Quat = (0.0, sign * math.sin(SLOPE / 2), 0.0, math.cos(SLOPE / 2))
    at_gate = -(0.01 + BALL_M + BALL_M * math.sin(SLOPE)) / math.cos(SLOPE)
    bodies = (
        floor(c.word("floor_color"), restitution=0.3),
        *ramp(sign),
        Body("gate", GATE, (0.0, 0.0, GATE_Z_M + 0.065), friction=0.1, restitution=0.1,
             color="blue"),
        Body("brick", Box((0.025, 0.08, 0.04)), on_ramp(BRICK_AT_M, 0.04, sign), tilt,
             restitution=0.1, color="brick", present=c.level("brick") == "present"),
        Body("button", Box((0.02, 0.06, 0.07)), (sign * 0.12, LANE_M, 0.07), restitution=0.1,
             color="blue"),
        Body("domino", DOMINO, (sign * DOMINO_AT_M, 0.0, 0.1), mass_kg=0.3, friction=0.8,
             restitution=0.0, color=c.word("domino_color")),
        ball("ball", "red", on_ramp(at_gate, BALL_M, sign), BALL_M, c.number("ball_mass"), 0.3),
        ball("white_ball", "white", (sign * -0.22, LANE_M, 0.05)),
        Body("can", Cylinder(0.06, 0.16), (sign * 0.90, 0.42, 0.08), color="steel"),
        ball("yellow_ball", "yellow", (sign * 0.40, 0.42, 0.05)),
    )  # fmt: skip
    actions: list[Launch | Mover] = [
        Mover("gate", Touched("white_ball", ("button",)), DROP_STEPS, (0.0, 0.0, -DROP_M_S)),
    ]
    rolls = {"white_ball": ("white_start", c.number("white_speed")),
             "yellow_ball": ("yellow_start", 1.8)}  # fmt: skip
    actions += [
        Launch(name, round(240 * c.number(start)), (sign * speed, 0.0, 0.0))
        for name, (start, speed) in rolls.items()
        if c.level(name) == "rolls"
    ]
    return WorldSpec(
        bodies=bodies,
        actions=tuple(actions),
        camera=camera(c.amount("camera_turn"), sign),
        duration_steps=690,
        detectors=DETECTORS,
        handles=handles(sign),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float, sign: float) -> Camera:
    """Return the camera, in front of the ramp and above it, moved sideways for a turn."""
    eye = (sign * -0.65 + 0.03 * turn_deg, -1.75, 1.15)
    return Camera(eye_m=eye, target_m=(sign * 0.38, 0.0, 0.08))


THINGS = {
    "ball": "the red ball", "gate": "the gate", "ramp": "the ramp", "brick": "the brick",
    "domino": "the domino", "button": "the button", "white_ball": "the white ball",
    "yellow_ball": "the yellow ball", "can": "the can", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="ramp_gate",
    version=1,
    summary=__doc__,
    tags=("chain", "gate", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"clear_ramp": {1: {"brick": "absent"}, 0: {"brick": "present"}}},
    staged=(
        Staged("white_ball_rests", "press", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
        Staged("brick", "clear_ramp", 0, {"brick": "present"},
               "A brick lies on the ramp below the gate.",
               "a brick had lain on the ramp below the gate"),
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
        "open": Phrase("the gate drops", "the gate dropped", "the gate stayed up",
                       "the gate open", ("gate",), also=("the gate opened",)),
        "roll": Phrase("the red ball rolls down the ramp", "the red ball rolled down the ramp",
                       "the red ball stayed up on the ramp", "the red ball roll down the ramp",
                       ("ball", "ramp"), also=("the red ball ran down the ramp",)),
        "hit": Phrase("the red ball hits the domino", "the red ball hit the domino",
                      "the red ball missed the domino", "the red ball hit the domino",
                      ("ball", "domino"), also=("the red ball ran into the domino",)),
        "topple": Phrase("the domino falls over", "the domino fell over",
                         "the domino stayed upright", "the domino fall over", ("domino",),
                         also=("the domino toppled",)),
        "clear_ramp": Phrase("the ramp below the gate is clear",
                             "the ramp below the gate was clear",
                             "a brick lay on the ramp below the gate", "", ("ball", "ramp")),
    },
    things=THINGS,
    showcase={"white_ball": "rolls", "brick": "absent", "yellow_ball": "rolls"},
    key_events=("open", "roll", "hit"),
    opening=Opening(
        about="ball",
        right={
            "holds(clear_ramp)": "the red ball lies at the gate, the ramp below it clear",
            "not(holds(clear_ramp))": "the red ball lies at the gate, a brick below it",
        },
    ),
    asked={"open": ("open",), "roll": ("roll",), "hit": ("hit", "topple")},
    others={
        **hits(THINGS, ("white_ball", "can"), ("yellow_ball", "button"), ("white_ball", "gate"),
               ("white_ball", "domino"), ("yellow_ball", "domino"), ("yellow_ball", "ball"),
               ("white_ball", "ball"), ("ball", "can"), ("ball", "brick"), ("ball", "button"),
               ("yellow_ball", "gate"), ("domino", "can"), ("ball", "gate")),
        "hit(domino, floor)": Phrase("the domino lands on the floor",
                                     "the domino landed on the floor",
                                     participants=("domino", "floor")),
        "hit(ball, floor)": Phrase("the red ball reaches the floor",
                                   "the red ball reached the floor",
                                   participants=("ball", "floor")),
    },
    lacks="brick",
)  # fmt: skip
