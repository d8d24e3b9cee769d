"""Common cause: one tilt drops two things, one after the other.

A red ball rolls against the post of a board, and the board tilts. The mug slides off it first, the
vase a moment later, each in a lane of its own. The tilt is a but-for cause of both falls; the first
fall is no cause of the second, though it comes right before it and both come off one board. They
are siblings. In some worlds the vase stands further down than the mug and falls first. A peg may
keep the vase on the board. A pink ball rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Absent, Broke, Detector, DroppedBelow, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceStart,
    Handle,
    HoldNear,
    HoldPast,
    KeepStill,
    KeepWhole,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Breakable, Camera, Cylinder, Launch, Mug, Vase, WorldSpec

POST = Cylinder(0.03, 0.50)
BOARD_M = (0.40, 0.22, 0.015)
TOP_M = POST.height_m + 2 * BOARD_M[2]
LANE_M = 0.11
MUG = Mug(0.045, 0.10)
VASE = Vase(0.05, 0.14)
TILT_RAD_S, TILT_STEPS = 0.5, 168
"""The board tilts by 20 degrees, slowly enough for what stands on it to stay upright."""

SETTINGS = (
    Choice("red_ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("peg", {"absent": 0.8, "present": 0.2}),
    Choice("pink_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("mug_place", "m", {
        "front": Band(0.06, 0.09, held_out=(0.09, 0.095), weight=0.7),
        "back": Band(0.71, 0.73, held_out=(0.73, 0.735), weight=0.3),
    }),
    Range("vase_place", "m", {"middle": Band(0.32, 0.34, held_out=(0.34, 0.345))}),
    Range("red_speed", "m/s", {"brisk": Band(1.4, 1.6, held_out=(1.6, 1.65))}),
    Range("red_start", "s", {"usual": Band(0.32, 0.37, held_out=(0.37, 0.38))}),
    Range("pink_start", "s", {"usual": Band(0.10, 0.20, held_out=(0.20, 0.22))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("mug_color", words=("green", "orange")),
    Nuisance("vase_color", words=("blue", "purple")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("free_lane", "peg == 'absent'"),
    event("knock", "pink_ball == 'rolls'"),
    event("bump", "red_ball == 'rolls'"),
    event("tilt", "bump"),
    event("mug_fall", "tilt"),
    event("mug_landing", "mug_fall"),
    event("vase_fall", "tilt and free_lane"),
    event("shatter", "vase_fall"),
)

DETECTORS: dict[str, Detector] = {
    "free_lane": Absent("peg"),
    "knock": Touched("pink_ball", ("can",)),
    "bump": Touched("red_ball", ("post",)),
    "tilt": Turned("board", degrees=3.0),
    "mug_fall": DroppedBelow("mug", height_m=0.40),
    "mug_landing": Touched("mug", ("floor",)),
    "vase_fall": DroppedBelow("vase", height_m=0.40),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 200,
    "bump": 205,
    "tilt": 260,
    "mug_fall": 585,
    "mug_landing": 620,
    "vase_fall": 585,
    "shatter": 630,
}


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The vase cannot be made to fall past a peg, nor the mug to land without falling.
    """
    lane = c.level("peg") == "absent"
    slide = (ForceLaunch("vase_fall", "vase", 490, (3.0, 0.0, 0.0)),)
    return (
        HoldNear("knock", "pink_ball", "can", gap_m=0.02),
        HoldNear("bump", "red_ball", "post", gap_m=0.02),
        KeepStill("tilt", "board"),
        HoldPast("mug_fall", "mug", (1.0, 0.0, 0.0), limit_m=0.355),
        HoldNear("mug_landing", "mug", "floor", gap_m=0.05),
        HoldPast("vase_fall", "vase", (1.0, 0.0, 0.0), limit_m=0.355),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "pink_ball", 145, (2.0, 0.0, 0.0)),
        ForceLaunch("bump", "red_ball", 170, (4.0, 0.0, 0.0)),
        ForceStart("tilt", "board", 225),
        ForceLaunch("mug_fall", "mug", 490, (4.5, 0.0, 0.0)),
        *(slide if lane else ()),
        ForceBreak("shatter", "vase", 625),
    )


def build(c: Context) -> WorldSpec:
    """Build a board on a post with a mug and a vase on it, and two balls on the floor."""
    lane = LANE_M if c.word("side") == "left" else -LANE_M
    edge = BOARD_M[0]
    spin = (0.0, TILT_RAD_S, 0.0)
    vase_x = edge - c.number("vase_place")
    peg_at = (vase_x + VASE.radius_m + 0.019, -lane, TOP_M + 0.05)
    peg = c.level("peg") == "present"
    bodies = [
        floor(c.word("floor_color")),
        Body("post", POST, (0.0, 0.0, POST.height_m / 2), color="black"),
        Body("board", Box(BOARD_M), (0.0, 0.0, TOP_M - BOARD_M[2]), friction=0.5, color="brown"),
        Body("peg", Box((0.015, 0.015, 0.05)), peg_at, color="yellow", present=peg),
        Body("mug", MUG, (edge - c.number("mug_place"), lane, TOP_M + MUG.height_m / 2),
             mass_kg=0.2, friction=0.05, restitution=0.2, color=c.word("mug_color")),
        Body("vase", VASE, (vase_x, -lane, TOP_M + VASE.height_m / 2),
             mass_kg=0.3, friction=0.05, restitution=0.3,
             breakable=Breakable(peak_m_s=1.2, rings=3), color=c.word("vase_color")),
        ball("red_ball", "red", (-0.54, 0.0, 0.05)),
        Body("can", Cylinder(0.06, 0.16), (-0.15, -0.75, 0.08), color="steel"),
        ball("pink_ball", "pink", (-0.6, -0.75, 0.05)),
    ]  # fmt: skip
    actions: list[Launch | Mover] = [
        Mover("board", Touched("red_ball", ("post",)), TILT_STEPS, spin_rad_s=spin),
    ]
    if peg:
        board = (0.0, 0.0, TOP_M - BOARD_M[2])
        actions.append(
            Mover("peg", Turned("board", 0.05), TILT_STEPS, spin_rad_s=spin, pivot_m=board)
        )
    if c.level("red_ball") == "rolls":
        start = round(240 * c.number("red_start"))
        actions.append(Launch("red_ball", start, (c.number("red_speed"), 0.0, 0.0)))
    if c.level("pink_ball") == "rolls":
        actions.append(Launch("pink_ball", round(240 * c.number("pink_start")), (1.2, 0, 0)))
    aside = 0.03 * c.amount("camera_turn")
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=Camera(eye_m=(1.0 + aside, -1.55, 1.22), target_m=(0.05, -0.05, 0.28)),
        duration_steps=720,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


THINGS = {
    "mug": "the mug", "vase": "the vase", "board": "the board", "post": "the post",
    "red_ball": "the red ball", "peg": "the peg", "pink_ball": "the pink ball",
    "can": "the can", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="common_cause",
    version=2,
    summary=__doc__,
    tags=("common_cause", "fork", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"free_lane": {1: {"peg": "absent"}, 0: {"peg": "present"}}},
    staged=(
        Staged("red_ball_rests", "bump", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("peg", "free_lane", 0, {"peg": "present"},
               "A peg stands in front of the vase.", "a peg had stood in front of the vase"),
        Staged("pink_ball_rests", "knock", 0, {"pink_ball": "rests"},
               "The pink ball is not rolled.", "the pink ball had not been rolled"),
    ),
    variations=(
        Variation("vase_first", "retime", {"mug_place": "back"},
                  "The mug stands further back than the vase, which falls first."),
    ),
    phrases={
        "free_lane": Phrase("nothing stands in front of the vase",
                            "nothing stood in front of the vase",
                            "a peg stood in front of the vase", "", ("vase",)),
        "knock": Phrase("the pink ball rolls into the can", "the pink ball rolled into the can",
                        "the pink ball missed the can", "the pink ball hit the can",
                        ("pink_ball", "can"), also=("the pink ball ran into the can",)),
        "bump": Phrase("the red ball bumps the post", "the red ball bumped the post",
                       "the red ball missed the post", "the red ball bump the post",
                       ("red_ball", "post"), also=("the red ball rolled into the post",)),
        "tilt": Phrase("the board tilts", "the board tilted", "the board stayed level",
                       "the board tilt", ("board", "post"), also=("the board tipped",)),
        "mug_fall": Phrase("the mug slides off the board", "the mug slid off the board",
                           "the mug stayed on the board", "the mug slide off the board",
                           ("mug", "board"), also=("the mug fell off the board",)),
        "mug_landing": Phrase("the mug lands on the floor", "the mug landed on the floor",
                              "the mug never reached the floor", "the mug land on the floor",
                              ("mug", "floor"), also=("the mug hit the floor",)),
        "vase_fall": Phrase("the vase slides off the board", "the vase slid off the board",
                            "the vase stayed on the board", "the vase slide off the board",
                            ("vase", "board"), also=("the vase fell off the board",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "peg": "absent", "pink_ball": "rolls", "mug_place": "front"},
    key_events=("bump", "mug_fall", "vase_fall"),
    opening=Opening(
        about="vase",
        right={
            "holds(free_lane)": "the vase stands on the board with its way free",
            "not(holds(free_lane))": "the vase stands on the board behind a peg",
        },
    ),
    asked={"bump": ("tilt", "bump"), "mug_fall": ("mug_fall", "mug_landing"),
           "vase_fall": ("vase_fall", "shatter")},
    others={
        **hits(THINGS, ("red_ball", "can"), ("pink_ball", "post"), ("red_ball", "mug"),
               ("red_ball", "vase"), ("mug", "vase"), ("vase", "mug"), ("mug", "post"),
               ("vase", "post"), ("vase", "floor"), ("vase", "red_ball"), ("mug", "can"),
               ("red_ball", "pink_ball"), ("pink_ball", "mug"), ("vase", "peg")),
    },
    lacks="peg",
)  # fmt: skip
