"""Latch and pin: a bar is held up by a pin that either of two balls can draw.

The red ball or the blue ball rolls into the yellow button; at the next beat the pin is drawn, the
bar swings down about its hinge and knocks the bottle over. Whichever ball it is, its hit is a
but-for cause of all that follows, through the pin alone: it starts at the same beat and moves
alike, so that bar and bottle move in the same way to the last bit. Swapping the ball changes the
cause and leaves the outcome's picture as it was. The bottle may stand out of reach: that it stands
within reach is an enabling condition. An orange cube slides into a can, which is no cause of
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
    Variation,
    hits,
)
from simworld.world.detectors import Detector, Moved, StartsBeyond, Tilted, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    Handle,
    HoldNear,
    HoldTilted,
    HoldTurned,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Bottle,
    Box,
    Camera,
    Cylinder,
    Hinge,
    Launch,
    WorldSpec,
)

LANE_Y_M = 0.30
HINGE_Z_M = 0.42
BAR_M = (0.17, 0.02, 0.02)
PIN_X_M = 0.31
BOTTLE_M = (0.04, 0.22)
"""Radius and height."""
REACH_X_M = -0.30
"""The bar sweeps to the right of this."""
BUTTON_Y_M, BUTTON_M = -0.25, 0.04
BEAT_STEPS, DRAW_STEPS = 64, 20

SETTINGS = (
    Choice("red_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("blue_ball", {"rolls": 0.4, "rests": 0.6}),
    Choice("cube", {"slides": 0.8, "rests": 0.2}),
    Range("speed", "m/s", {"brisk": Band(1.18, 1.24, held_out=(1.24, 1.26))}),
    Range("red_start", "s", {"usual": Band(0.19, 0.22, held_out=(0.22, 0.23))}),
    Range("blue_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("cube_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range(
        "bottle_x",
        "m",
        {
            "near": Band(-0.085, -0.075, held_out=(-0.075, -0.073), weight=0.8),
            "far": Band(-0.52, -0.48, held_out=(-0.48, -0.47), weight=0.2),
        },
    ),
)

NUISANCES = (
    Nuisance("bottle_color", words=("purple", "green", "pink")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("red_from", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("in_reach", "bottle_x == 'near'"),
    event("knock", "cube == 'slides'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_ball == 'rolls'"),
    event("release", "red_hit or blue_hit"),
    event("swing", "release"),
    event("strike", "swing and in_reach"),
    event("topple", "strike"),
)

DETECTORS: dict[str, Detector] = {
    "in_reach": StartsBeyond("bottle", REACH_X_M),
    "knock": Touched("cube", ("can",)),
    "red_hit": Touched("button", ("red_ball",)),
    "blue_hit": Touched("button", ("blue_ball",)),
    "release": Moved("pin", distance_m=0.01),
    "swing": Turned("bar", degrees=15.0),
    "strike": Touched("bottle", ("bar",)),
    "topple": Tilted("bottle", degrees=25.0),
}

DEADLINES = {
    "knock": 320,
    "red_hit": 235,
    "blue_hit": 235,
    "release": 285,
    "swing": 330,
    "strike": 380,
    "topple": 440,
}


def handles(left: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The bar cannot be made to swing down through its pin.
    """
    spin_rad_s = 5.0
    radius, high = BOTTLE_M
    over = (-spin_rad_s * high / 2, 0.0, spin_rad_s * radius)
    return (
        HoldNear("knock", "cube", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "button", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "button", gap_m=0.02),
        KeepStill("release", "pin"),
        HoldTurned("swing", "bar", degrees=4.0),
        HoldNear("strike", "bar", "bottle", gap_m=0.045),
        HoldTilted("topple", "bottle", degrees=5.0),
        ForceLaunch("knock", "cube", 225, (1.4, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 168, (left * 2.4, 0.0, 0.0)),
        ForceLaunch("blue_hit", "blue_ball", 168, (-left * 2.4, 0.0, 0.0)),
        ForceStart("release", "pin", 265),
        ForceLaunch("topple", "bottle", 415, over, (0.0, -spin_rad_s, 0.0)),
    )


def build(c: Context) -> WorldSpec:
    """Build two posts with the bar and its pin, the bottle, the button and the two balls."""
    left = 1.0 if c.word("red_from") == "left" else -1.0
    radius, high = BOTTLE_M
    hinge = Hinge(at_m=(0.0, LANE_Y_M, HINGE_Z_M), axis=(0.0, 1.0, 0.0))
    pin_z = HINGE_Z_M - BAR_M[2] - 0.015
    bodies = (
        floor(c.word("floor_color")),
        post("hinge_post", 0.0, HINGE_Z_M + 0.04),
        post("pin_post", PIN_X_M, HINGE_Z_M),
        Body("pin", Box((0.015, 0.08, 0.015)), (PIN_X_M, LANE_Y_M + 0.04, pin_z), friction=0.0,
             color="black"),
        Body("bar", Box(BAR_M), (BAR_M[0], LANE_Y_M, HINGE_Z_M), mass_kg=0.5, restitution=0.2,
             hinge=hinge, color="white"),
        Body("bottle", Bottle(radius, high), (c.number("bottle_x"), LANE_Y_M, high / 2),
             mass_kg=0.2, friction=0.8, restitution=0.3, color=c.word("bottle_color"),
             material="plastic"),
        Body("button", Box((BUTTON_M, BUTTON_M, BUTTON_M)), (0.0, BUTTON_Y_M, BUTTON_M),
             color="yellow"),
        ball("red_ball", "red", (-left * 0.54, BUTTON_Y_M, 0.05)),
        ball("blue_ball", "blue", (left * 0.54, BUTTON_Y_M, 0.05)),
        Body("can", Cylinder(0.06, 0.16), (0.30, -0.65, 0.08), color="steel"),
        Body("cube", Box((0.05, 0.05, 0.05)), (-0.20, -0.65, 0.05), mass_kg=0.3, friction=0.1,
             color="orange"),
    )  # fmt: skip
    speed = c.number("speed")
    moves = {
        "red_ball": ("rolls", "red_start", left * speed),
        "blue_ball": ("rolls", "blue_start", -left * speed),
        "cube": ("slides", "cube_start", 1.2),
    }
    launches = tuple(
        Launch(name, round(STEPS_PER_S * c.number(start)), (velocity, 0.0, 0.0))
        for name, (goes, start, velocity) in moves.items()
        if c.level(name) == goes
    )
    draw = Mover("pin", Touched("button", ("red_ball", "blue_ball")), DRAW_STEPS,
                 velocity_m_s=(0.0, 1.5, 0.0), every_steps=BEAT_STEPS)  # fmt: skip
    return WorldSpec(
        bodies=bodies,
        actions=(draw, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=520,
        detectors=DETECTORS,
        handles=handles(left),
        deadlines=DEADLINES,
    )


def post(name: str, x: float, high_m: float) -> Body:
    """Return one of the two posts behind the bar."""
    return Body(name, Box((0.025, 0.02, high_m / 2)), (x, LANE_Y_M + 0.06, high_m / 2),
                color="brown", thing="posts")  # fmt: skip


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the bar and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.028 * turn_deg - 0.05, -1.7, 1.0), target_m=(-0.04, -0.08, 0.15))


THINGS = {
    "bar": "the bar", "pin": "the pin", "bottle": "the bottle", "red_ball": "the red ball",
    "blue_ball": "the blue ball", "button": "the button", "posts": "the posts",
    "cube": "the cube", "can": "the can", "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="latch_pin",
    version=2,
    summary=__doc__,
    tags=("latch", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"in_reach": {1: {"bottle_x": "near"}, 0: {"bottle_x": "far"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("far_bottle", "in_reach", 0, {"bottle_x": "far"},
               "The bottle stands out of the bar's reach.",
               "the bottle had stood out of the bar's reach"),
        Staged("cube_rests", "knock", 0, {"cube": "rests"}, "The cube is not slid.",
               "the cube had not been slid"),
    ),
    variations=(
        Variation("blue_instead", "swap_cause",
                  {"red_ball": "rests", "blue_ball": "rolls"},
                  "The blue ball is rolled at the button instead of the red one.",
                  keeps=("release", "swing", "strike", "topple")),
    ),
    phrases={
        "in_reach": Phrase("the bottle stands within the bar's reach",
                           "the bottle stood within the bar's reach",
                           "the bottle stood out of the bar's reach", "", ("bottle",)),
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
        "release": Phrase("the pin is drawn", "the pin was drawn",
                          "the pin stayed under the bar", "the pin move", ("pin",),
                          also=("the pin slid out from under the bar",)),
        "swing": Phrase("the bar swings down", "the bar swung down", "the bar stayed up",
                        "the bar swing down", ("bar",)),
        "strike": Phrase("the bar hits the bottle", "the bar hit the bottle",
                         "the bar never touched the bottle", "the bar hit the bottle",
                         ("bar", "bottle"), also=("the bar swung into the bottle",)),
        "topple": Phrase("the bottle falls over", "the bottle fell over",
                         "the bottle stayed up", "the bottle fall over", ("bottle",),
                         also=("the bottle toppled over",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rests", "bottle_x": "near",
              "cube": "slides"},
    key_events=("release", "strike"),
    opening=Opening(
        about="bottle",
        right={
            "holds(in_reach)": "the bottle stands within reach of the raised bar",
            "not(holds(in_reach))": "the bottle stands out of reach of the raised bar",
        },
    ),
    asked={"release": ("release",), "strike": ("strike", "topple")},
    others={
        **hits(THINGS, ("cube", "button"), ("red_ball", "bottle"), ("blue_ball", "bottle"),
               ("cube", "bottle"), ("red_ball", "can"), ("blue_ball", "can"),
               ("red_ball", "blue_ball"), ("red_ball", "pin"), ("blue_ball", "pin"),
               ("cube", "pin"), ("red_ball", "bar"), ("blue_ball", "bar"), ("cube", "bar"),
               ("bar", "can"), ("bar", "button"), ("bottle", "can"), ("bottle", "button"),
               ("bottle", "cube")),
    },
)  # fmt: skip
