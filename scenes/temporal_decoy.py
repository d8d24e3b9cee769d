"""Temporal decoy: a ping-pong ball taps the box just before it falls, and has no part in it.

A red ball hits a box on a table; the box slides on for a while, goes over the edge and lands on the
floor. While it slides, a ping-pong ball bounces off its side: the last thing that touches the box
before the fall. It is far too light to matter. The red hit and the slide are but-for causes of the
fall, the tap is a temporal predecessor; whoever blames the latest event at the same object blames
the tap. In some worlds it comes first. A rail along the edge may keep the box on the table. On the
floor a blue ball rolls into a can, which is no cause of anything either.
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
from simworld.world.detectors import Absent, Detector, DroppedBelow, Slid, Touched
from simworld.world.furniture import ball, floor, table
from simworld.world.handles import ForceLaunch, ForceToss, Handle, HoldMoved, HoldNear, HoldPast
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, WorldSpec

TABLE_TOP_M = 0.75
BOX_M = (0.18, 0.10, 0.05)
"""Half its length, width and height."""
BOX_X_M = -0.45
"""Where the middle of the box stands; the edge of the table is at 0."""
LANE_X_M = -0.33
"""Where the ping-pong ball meets the side of the box, whether it has begun to slide or not."""
RED_M, PING_M = 0.05, 0.03

SETTINGS = (
    Choice("red_ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("ping_pong_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("rail", {"absent": 0.8, "present": 0.2}),
    Choice("blue_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.55, 1.65, held_out=(1.65, 1.67))}),
    Range("red_start", "s", {"usual": Band(0.40, 0.44, held_out=(0.44, 0.45))}),
    Range("ping_pong_start", "s", {
        "late": Band(0.66, 0.70, held_out=(0.70, 0.71), weight=0.7),
        "early": Band(0.20, 0.26, held_out=(0.26, 0.27), weight=0.3),
    }),
    Range("blue_start", "s", {"usual": Band(0.10, 0.20, held_out=(0.20, 0.22))}),
    Range("box_mass", "kg", {"usual": Band(0.46, 0.50, held_out=(0.50, 0.51))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("box_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("can_color", words=("steel", "black")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("open_edge", "rail == 'absent'"),
    event("knock", "blue_ball == 'rolls'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("slide", "red_hit"),
    event("tap", "ping_pong_ball == 'rolls'"),
    event("fall", "slide and open_edge"),
    event("landing", "fall"),
)

DETECTORS: dict[str, Detector] = {
    "open_edge": Absent("rail"),
    "knock": Touched("blue_ball", ("can",)),
    "red_hit": Touched("box", ("red_ball",)),
    "slide": Slid("box", "table", distance_m=0.02),
    "tap": Touched("box", ("ping_pong_ball",)),
    "fall": DroppedBelow("box", height_m=TABLE_TOP_M),
    "landing": Touched("box", ("floor",)),
}

DEADLINES = {
    "knock": 200,
    "red_hit": 205,
    "slide": 225,
    "tap": 250,
    "fall": 495,
    "landing": 580,
}


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The box cannot be made to fall past a rail, nor to land without falling.
    """
    over = (ForceToss("fall", "box", 400, x_m=0.35, lift_m_s=1.5, rise_steps=15),)
    return (
        HoldNear("knock", "blue_ball", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "box", gap_m=0.02),
        HoldMoved("slide", "box", distance_m=0.004),
        HoldNear("tap", "ping_pong_ball", "box", gap_m=0.015),
        HoldPast("fall", "box", (1.0, 0.0, 0.0), limit_m=-0.03),
        HoldPast("landing", "box", (0.0, 0.0, -1.0), limit_m=-0.35),
        ForceLaunch("knock", "blue_ball", 145, (2.0, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 182, (5.0, 0.0, 0.0)),
        ForceLaunch("slide", "box", 210, (0.9, 0.0, 0.0)),
        ForceLaunch("tap", "ping_pong_ball", 222, (0.0, 3.5, 0.0)),
        *(over if c.level("rail") == "absent" else ()),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with a box on it, a red ball behind and a ping-pong ball beside it."""
    ping_y = -(BOX_M[1] + PING_M + 0.25)
    red_x = BOX_X_M - BOX_M[0] - RED_M - 0.40
    bodies = [
        floor(c.word("floor_color")),
        *table((-1.25, -0.62), (0.0, 0.46), TABLE_TOP_M),
        Body("rail", Box((0.015, 0.40, 0.03)), (-0.015, 0.0, TABLE_TOP_M + 0.03), color="black",
             present=c.level("rail") == "present"),
        Body("box", Box(BOX_M), (BOX_X_M, 0.0, TABLE_TOP_M + BOX_M[2]),
             mass_kg=c.number("box_mass"), friction=0.1, restitution=0.5,
             color=c.word("box_color")),
        ball("red_ball", "red", (red_x, 0.0, TABLE_TOP_M + RED_M), RED_M, mass_kg=0.4),
        ball("ping_pong_ball", "white", (LANE_X_M, ping_y, TABLE_TOP_M + PING_M), PING_M,
             mass_kg=0.005, restitution=0.5),
        Body("can", Cylinder(0.06, 0.16), (-0.75, -0.90, 0.08), color=c.word("can_color")),
        ball("blue_ball", "blue", (-1.15, -0.90, 0.05)),
    ]  # fmt: skip
    actions = []
    if c.level("red_ball") == "rolls":
        start = round(240 * c.number("red_start"))
        actions.append(Launch("red_ball", start, (c.number("red_speed"), 0.0, 0.0)))
    if c.level("ping_pong_ball") == "rolls":
        start = round(240 * c.number("ping_pong_start"))
        actions.append(Launch("ping_pong_ball", start, (0.0, 1.5, 0.0)))
    if c.level("blue_ball") == "rolls":
        actions.append(Launch("blue_ball", round(240 * c.number("blue_start")), (1.2, 0.0, 0.0)))
    aside = 0.03 * c.amount("camera_turn")
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=Camera(eye_m=(0.63 + aside, -1.68, 1.87), target_m=(-0.42, -0.12, 0.48)),
        duration_steps=660,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


THINGS = {
    "box": "the box", "red_ball": "the red ball", "ping_pong_ball": "the ping-pong ball",
    "rail": "the rail", "blue_ball": "the blue ball", "can": "the can",
    "table": "the table", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="temporal_decoy",
    version=2,
    summary=__doc__,
    tags=("temporal_decoy", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"open_edge": {1: {"rail": "absent"}, 0: {"rail": "present"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("rail", "open_edge", 0, {"rail": "present"},
               "A rail runs along the edge of the table.", "a rail had run along the edge"),
        Staged("ping_pong_ball_rests", "tap", 0, {"ping_pong_ball": "rests"},
               "The ping-pong ball is not rolled.", "the ping-pong ball had not been rolled"),
        Staged("blue_ball_rests", "knock", 0, {"blue_ball": "rests"},
               "The blue ball is not rolled.", "the blue ball had not been rolled"),
    ),
    variations=(
        Variation("tap_first", "retime", {"ping_pong_start": "early"},
                  "The ping-pong ball comes before the red ball."),
    ),
    phrases={
        "open_edge": Phrase("the edge of the table is open", "the edge of the table was open",
                            "a rail ran along the edge of the table", "", ("table",)),
        "knock": Phrase("the blue ball rolls into the can", "the blue ball rolled into the can",
                        "the blue ball missed the can", "the blue ball hit the can",
                        ("blue_ball", "can"), also=("the blue ball ran into the can",)),
        "red_hit": Phrase("the red ball hits the box", "the red ball hit the box",
                          "the red ball never touched the box", "the red ball hit the box",
                          ("red_ball", "box"), also=("the red ball rolled into the box",)),
        "slide": Phrase("the box starts to slide", "the box started to slide",
                        "the box stayed where it was", "the box start to slide", ("box",),
                        also=("the box slid along the table",)),
        "tap": Phrase("the ping-pong ball taps the box", "the ping-pong ball tapped the box",
                      "the ping-pong ball never touched the box",
                      "the ping-pong ball tap the box", ("ping_pong_ball", "box"),
                      also=("the ping-pong ball hit the box",)),
        "fall": Phrase("the box falls off the table", "the box fell off the table",
                       "the box stayed on the table", "the box fall off the table", ("box",),
                       also=("the box went over the edge",)),
        "landing": Phrase("the box lands on the floor", "the box landed on the floor",
                          "the box never reached the floor", "the box land on the floor",
                          ("box", "floor"), also=("the box hit the floor",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "ping_pong_ball": "rolls", "rail": "absent",
              "blue_ball": "rolls", "ping_pong_start": "late"},
    key_events=("red_hit", "fall"),
    opening=Opening(
        about="box",
        right={
            "holds(open_edge)": "the box stands on the table, whose edge is open",
            "not(holds(open_edge))": "the box stands on the table, behind a rail",
        },
    ),
    asked={"red_hit": ("slide", "red_hit"), "fall": ("fall", "landing")},
    others={
        **hits(THINGS, ("red_ball", "ping_pong_ball"), ("red_ball", "rail"), ("box", "rail"),
               ("ping_pong_ball", "rail"), ("blue_ball", "box"), ("box", "can"),
               ("red_ball", "can"), ("ping_pong_ball", "can"), ("blue_ball", "ping_pong_ball"),
               ("blue_ball", "red_ball"), ("blue_ball", "table")),
        "hit(red_ball, floor)": Phrase("the red ball drops to the floor",
                                       "the red ball dropped to the floor",
                                       participants=("red_ball", "floor")),
        "hit(ping_pong_ball, floor)": Phrase("the ping-pong ball drops to the floor",
                                             "the ping-pong ball dropped to the floor",
                                             participants=("ping_pong_ball", "floor")),
    },
)  # fmt: skip
