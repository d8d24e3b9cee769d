"""Latch and gate: a ball waits on a ramp behind a gate that either of two things can open.

The red ball or the blue cube runs into the yellow button; at the next beat the gate sinks, the
green ball rolls down the ramp and knocks the book over. Whichever of the two it is, its hit is a
but-for cause of all that follows, through the opening alone: the gate starts at the same beat and
moves alike, so that ball and book move in the same way to the last bit. Swapping the one for the
other changes the cause and leaves the outcome's picture as it was. A brick may lie on the ramp,
which ends the roll before the book: a clear ramp is an enabling condition. A white ball rolls into
a can, which is no cause of anything.
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
    Handle,
    HoldMoved,
    HoldNear,
    HoldTilted,
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
    Quat,
    Vec3,
    WorldSpec,
)

SLOPE_RAD = math.radians(18.0)
TILT: Quat = (0.0, math.sin(SLOPE_RAD / 2), 0.0, math.cos(SLOPE_RAD / 2))
RAMP_M = (0.34, 0.11, 0.015)
RAMP_Y_M, FOOT_X_M = 0.30, 0.10
"""Where the ramp runs, and where it meets the floor."""
GREEN_M, GREEN_UP_M = 0.06, 0.42
"""Radius of the ball behind the gate, and how far up the ramp it rests."""
GATE_M = (0.012, 0.11, 0.10)
BOOK_M = (0.05, 0.16, 0.24)
"""Thickness, width, height."""
BOOK_X_M = 0.34
BUTTON_Y_M, BUTTON_M = -0.25, 0.04
BEAT_STEPS, SINK_STEPS = 64, 30

SETTINGS = (
    Choice("red_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("blue_cube", {"slides": 0.4, "rests": 0.6}),
    Choice("brick", {"absent": 0.8, "present": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.18, 1.24, held_out=(1.24, 1.26))}),
    Range("red_start", "s", {"usual": Band(0.19, 0.22, held_out=(0.22, 0.23))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.50, 1.56, held_out=(1.56, 1.58))}),
    Range("blue_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("white_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range("green_mass", "kg", {"usual": Band(0.40, 0.46, held_out=(0.46, 0.48))}),
)

NUISANCES = (
    Nuisance("book_color", words=("purple", "orange", "pink")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("red_from", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_ramp", "brick == 'absent'"),
    event("knock", "white_ball == 'rolls'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_cube == 'slides'"),
    event("open", "red_hit or blue_hit"),
    event("roll", "open"),
    event("strike", "roll and clear_ramp"),
    event("topple", "strike"),
)

DETECTORS: dict[str, Detector] = {
    "clear_ramp": Absent("brick"),
    "knock": Touched("white_ball", ("can",)),
    "red_hit": Touched("button", ("red_ball",)),
    "blue_hit": Touched("button", ("blue_cube",)),
    "open": Moved("gate", distance_m=0.01),
    "roll": Moved("green_ball", distance_m=0.05),
    "strike": Touched("green_ball", ("book",)),
    "topple": Tilted("book", degrees=20.0),
}

DEADLINES = {
    "knock": 330,
    "red_hit": 235,
    "blue_hit": 250,
    "open": 285,
    "roll": 345,
    "strike": 450,
    "topple": 510,
}


def handles(left: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The green ball cannot be made to roll through a shut gate.
    """
    spin_rad_s = 5.0
    thick, _, high = BOOK_M
    over = (spin_rad_s * high / 2, 0.0, spin_rad_s * thick / 2)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "button", gap_m=0.02),
        HoldNear("blue_hit", "blue_cube", "button", gap_m=0.02),
        KeepStill("open", "gate"),
        HoldMoved("roll", "green_ball", distance_m=0.02),
        HoldNear("strike", "green_ball", "book", gap_m=0.02),
        HoldTilted("topple", "book", degrees=4.0),
        ForceLaunch("knock", "white_ball", 225, (1.4, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 168, (left * 2.4, 0.0, 0.0)),
        ForceLaunch("blue_hit", "blue_cube", 168, (-left * 2.4, 0.0, 0.0)),
        ForceStart("open", "gate", 265),
        ForceLaunch("topple", "book", 490, over, (0.0, spin_rad_s, 0.0)),
    )


def on_ramp(up_m: float, above_m: float) -> Vec3:
    """Return the place so far up the ramp from its foot and so far above its surface."""
    c, s = math.cos(SLOPE_RAD), math.sin(SLOPE_RAD)
    return (FOOT_X_M - up_m * c + above_m * s, RAMP_Y_M, up_m * s + above_m * c)


def build(c: Context) -> WorldSpec:
    """Build a floor with the ramp and its gate, the book, the button and what may hit it."""
    left = 1.0 if c.word("red_from") == "left" else -1.0
    length, _, thick = RAMP_M
    waits = on_ramp(GREEN_UP_M, GREEN_M)
    gate = (waits[0] + GREEN_M + GATE_M[0], RAMP_Y_M, waits[2] + 0.03)
    back_x = on_ramp(2 * length, 0.0)[0] + 0.02
    bodies = (
        floor(c.word("floor_color")),
        Body("ramp", Box(RAMP_M), on_ramp(length, -thick), TILT, color="brown"),
        Body("ramp_end", Box((0.02, RAMP_M[1], 0.09)), (back_x, RAMP_Y_M, 0.09), color="brown",
             thing="ramp"),
        Body("gate", Box(GATE_M), gate, friction=0.0, restitution=0.0, color="black"),
        Body("brick", Box((0.03, 0.1, 0.03)), on_ramp(0.12, 0.03), TILT, restitution=0.0,
             color="brick", present=c.level("brick") == "present"),
        ball("green_ball", "green", waits, GREEN_M, c.number("green_mass"), 0.2),
        Body("book", Box((BOOK_M[0] / 2, BOOK_M[1] / 2, BOOK_M[2] / 2)),
             (BOOK_X_M, RAMP_Y_M, BOOK_M[2] / 2), mass_kg=0.15, friction=0.8, restitution=0.2,
             color=c.word("book_color")),
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
    sink = Mover("gate", Touched("button", ("red_ball", "blue_cube")), SINK_STEPS,
                 velocity_m_s=(0.0, 0.0, -2.0), every_steps=BEAT_STEPS)  # fmt: skip
    return WorldSpec(
        bodies=bodies,
        actions=(sink, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=560,
        detectors=DETECTORS,
        handles=handles(left),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the ramp and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.05 + 0.03 * turn_deg, -1.75, 1.1), target_m=(-0.02, -0.08, 0.08))


THINGS = {
    "green_ball": "the green ball", "gate": "the gate", "book": "the book",
    "red_ball": "the red ball", "blue_cube": "the blue cube", "button": "the button",
    "ramp": "the ramp", "brick": "the brick", "white_ball": "the white ball", "can": "the can",
    "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="latch_gate",
    version=1,
    summary=__doc__,
    tags=("latch", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"clear_ramp": {1: {"brick": "absent"}, 0: {"brick": "present"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("brick", "clear_ramp", 0, {"brick": "present"}, "A brick lies on the ramp.",
               "a brick had lain on the ramp"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    variations=(
        Variation("cube_instead", "swap_cause", {"red_ball": "rests", "blue_cube": "slides"},
                  "The blue cube is slid at the button instead of the red ball.",
                  keeps=("open", "roll", "strike", "topple")),
    ),
    phrases={
        "clear_ramp": Phrase("the ramp is clear", "the ramp was clear",
                             "a brick lay on the ramp", "", ("ramp",)),
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
        "open": Phrase("the gate sinks away", "the gate sank away", "the gate stayed shut",
                       "the gate sink away", ("gate",), also=("the gate opened",)),
        "roll": Phrase("the green ball starts to roll", "the green ball started to roll",
                       "the green ball stayed where it was", "the green ball start to roll",
                       ("green_ball",), also=("the green ball set off down the ramp",)),
        "strike": Phrase("the green ball hits the book", "the green ball hit the book",
                         "the green ball never reached the book", "the green ball hit the book",
                         ("green_ball", "book"), also=("the green ball rolled into the book",)),
        "topple": Phrase("the book falls over", "the book fell over", "the book stayed up",
                         "the book fall over", ("book",), also=("the book toppled over",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_cube": "rests", "brick": "absent",
              "white_ball": "rolls"},
    key_events=("open", "roll", "topple"),
    opening=Opening(
        about="green_ball",
        right={
            "holds(clear_ramp)": "the green ball waits at a gate on a clear ramp",
            "not(holds(clear_ramp))": "the green ball waits at a gate, above a brick",
        },
    ),
    asked={"open": ("open",), "roll": ("roll", "strike"), "topple": ("topple",)},
    others={
        **hits(THINGS, ("white_ball", "button"), ("red_ball", "book"), ("blue_cube", "book"),
               ("white_ball", "book"), ("red_ball", "can"), ("blue_cube", "can"),
               ("red_ball", "blue_cube"), ("red_ball", "gate"), ("blue_cube", "gate"),
               ("white_ball", "gate"), ("red_ball", "green_ball"), ("blue_cube", "green_ball"),
               ("white_ball", "green_ball"), ("green_ball", "can"), ("green_ball", "button"),
               ("green_ball", "brick"), ("book", "can")),
    },
    lacks="brick",
)  # fmt: skip
