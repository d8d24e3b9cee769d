"""Railroad switch: a switch sends a ball over one of two tracks that meet again before a box.

Switching. A white ball hits a button, and the switch swings over to the blue track; a block pushes
the red ball, which comes along the blue track and pushes the box on. Without the switch it
would have come along the yellow track and have done the same. So the swing of the switch changes
the route and not the outcome: it is no cause of the hit, neither but-for nor actual, though it
happens just before it to the track that the ball takes. Which side the switch is on is one
variable here; told as two, "it takes the blue track" and "it takes the yellow one", each of them a
way to the box, the swing would come out as a cause, which is the literature's warning. A plank
may lie where the tracks meet; that none does enables the hit. A pink ball rolls into a can, which
is no cause of anything.
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
from simworld.world.detectors import Absent, Detector, Slid, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    Handle,
    HoldMoved,
    HoldNear,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, WorldSpec

BEND = math.radians(20)
"""The angle between each track and the way ahead."""
FORK_M, WIDEST_M, JOIN_M = -0.40, 0.0, 0.40
"""Where along x the island between the tracks begins, is widest and ends."""
LANE_M = 0.15
"""From the island to the outer wall of a track, across."""
BALL_M = 0.05
START_M, PLANK_M, BOX_AT_M = -0.80, 0.66, 0.78
WALL_Z_M = 0.035
BLADE_M = 0.25
SWING_STEPS = 48
BLOCK_M = (0.03, 0.03, 0.06)
SIDE_LANE_M = -0.55
"""The y of the button's lane, in front of the tracks."""

SETTINGS = (
    Choice("white_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("plank", {"absent": 0.8, "present": 0.2}),
    Choice("pink_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("white_speed", "m/s", {"brisk": Band(1.5, 1.7, held_out=(1.7, 1.75))}),
    Range("white_start", "s", {"usual": Band(0.05, 0.10, held_out=(0.10, 0.11))}),
    Range("block_speed", "m/s", {"brisk": Band(2.2, 2.4, held_out=(2.4, 2.45))}),
    Range("block_start", "s", {"usual": Band(0.60, 0.64, held_out=(0.64, 0.65))}),
    Range("pink_start", "s", {"early": Band(0.25, 0.30, held_out=(0.30, 0.31)),
                                "late": Band(0.75, 0.80, held_out=(0.80, 0.81))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("box_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_way", "plank == 'absent'"),
    event("knock", "pink_ball == 'rolls'"),
    event("press", "white_ball == 'rolls'"),
    event("route", "press"),
    event("push", "block == 'slides'"),
    event("hit", "push and clear_way"),
    event("slide", "hit"),
)

DETECTORS: dict[str, Detector] = {
    "clear_way": Absent("plank"),
    "knock": Touched("pink_ball", ("can",)),
    "press": Touched("white_ball", ("button",)),
    "route": Turned("blade", degrees=20.0),
    "push": Touched("ball", ("block",)),
    "hit": Touched("box", ("ball",)),
    "slide": Slid("box", "floor", distance_m=0.04),
}

DEADLINES = {"knock": 350, "press": 120, "route": 165, "push": 190, "hit": 610, "slide": 660}


def handles(c: Context, speed_m_s: float) -> tuple[Handle, ...]:
    """Return a prevent and a force handle for each event; nothing rolls through a plank."""
    roll = (ForceLaunch("hit", "ball", 420, (3.0, 0.0, 0.0)),)
    return (
        HoldNear("knock", "pink_ball", "can", gap_m=0.02),
        HoldNear("press", "white_ball", "button", gap_m=0.02),
        KeepStill("route", "blade"),
        HoldNear("push", "block", "ball", gap_m=0.02),
        HoldNear("hit", "ball", "box", gap_m=0.03),
        HoldMoved("slide", "box", distance_m=0.005),
        ForceLaunch("knock", "pink_ball", 270, (1.4, 0.0, 0.0)),
        ForceLaunch("press", "white_ball", 82, (2.2, 0.0, 0.0)),
        ForceStart("route", "blade", 125),
        ForceLaunch("push", "block", 172, (speed_m_s, 0.0, 0.0)),
        *(roll if c.level("plank") == "absent" else ()),
        ForceLaunch("slide", "box", 630, (0.9, 0.0, 0.0)),
    )


def wall(name: str, start_m: tuple[float, float], end_m: tuple[float, float], color: str,
         thing: str) -> Body:  # fmt: skip
    """Return a low static wall from one place on the floor to another."""
    (x0, y0), (x1, y1) = start_m, end_m
    half = math.atan2(y1 - y0, x1 - x0) / 2
    return Body(
        name,
        Box((math.hypot(x1 - x0, y1 - y0) / 2, 0.012, WALL_Z_M)),
        ((x0 + x1) / 2, (y0 + y1) / 2, WALL_Z_M),
        (0.0, 0.0, math.sin(half), math.cos(half)),
        friction=0.1,
        restitution=0.05,
        color=color,
        thing=thing,
    )


def tracks() -> tuple[Body, ...]:
    """Return the walls of the common way and of the two tracks around the island."""
    found = []
    slope = math.tan(BEND)
    widest = slope * (WIDEST_M - FORK_M)
    mouth, neck = 0.08, 0.075
    outer = widest + LANE_M
    opens = WIDEST_M - (outer - mouth) / slope
    closes = WIDEST_M + (outer - neck) / slope
    for side, color in ((1.0, "blue"), (-1.0, "yellow")):
        thing = f"{color}_track"
        corner = (WIDEST_M, side * outer)
        found += [
            wall(f"{color}_out", (opens, side * mouth), corner, color, thing),
            wall(f"{color}_back", corner, (closes, side * neck), color, thing),
            wall(f"{color}_in", (FORK_M, 0.0), (WIDEST_M, side * widest), "brown", "island"),
            wall(f"{color}_inner", (WIDEST_M, side * widest), (JOIN_M, 0.0), "brown", "island"),
            wall(f"{color}_mouth", (START_M - 0.1, side * mouth), (opens, side * mouth), "brown",
                 "island"),
        ]  # fmt: skip
    return tuple(found)


def blade() -> Body:
    """Return the switch's blade, which turns about the island's tip; it shuts the blue track."""
    x, y = BLADE_M / 2 * math.cos(BEND), BLADE_M / 2 * math.sin(BEND)
    return Body(
        "blade",
        Box((BLADE_M / 2, 0.01, WALL_Z_M)),
        (FORK_M - x, y, WALL_Z_M),
        (0.0, 0.0, -math.sin(BEND / 2), math.cos(BEND / 2)),
        friction=0.1,
        restitution=0.05,
        color="black",
    )


def build(c: Context) -> WorldSpec:
    """Build the tracks with ball and box, and a lane on either side."""
    speed = c.number("block_speed")
    block_at = START_M - BALL_M - 0.05 - BLOCK_M[0]
    bodies = (
        floor(c.word("floor_color"), restitution=0.3),
        *tracks(),
        blade(),
        Body("button", Box((0.02, 0.06, 0.07)), (-0.25, SIDE_LANE_M, 0.07), restitution=0.1,
             color="black"),
        Body("can", Cylinder(0.06, 0.16), (0.60, SIDE_LANE_M, 0.08), color="steel"),
        Body("plank", Box((0.012, 0.11, 0.04)), (PLANK_M, 0.0, 0.04), restitution=0.1,
             color="brown", present=c.level("plank") == "present"),
        Body("box", Box((0.04, 0.09, 0.05)), (BOX_AT_M, 0.0, 0.05), mass_kg=0.12, friction=0.3,
             restitution=0.1, color=c.word("box_color")),
        ball("ball", "red", (START_M, 0.0, BALL_M), BALL_M, 0.165, 0.9),
        Body("block", Box(BLOCK_M), (block_at, 0.0, BLOCK_M[2]), mass_kg=0.2, friction=0.4,
             restitution=0.8, color="brick"),
        ball("white_ball", "white", (-0.58, SIDE_LANE_M, 0.05)),
        ball("pink_ball", "pink", (0.10, SIDE_LANE_M, 0.05)),
    )  # fmt: skip
    over = Mover(
        "blade",
        Touched("white_ball", ("button",)),
        SWING_STEPS,
        spin_rad_s=(0.0, 0.0, 2 * BEND * 240 / SWING_STEPS),
        pivot_m=(FORK_M, 0.0, WALL_Z_M),
    )
    rolls = {
        "white_ball": ("white_start", c.number("white_speed")),
        "block": ("block_start", speed),
        "pink_ball": ("pink_start", 1.4),
    }
    launches = tuple(
        Launch(name, round(240 * c.number(start)), (velocity, 0.0, 0.0))
        for name, (start, velocity) in rolls.items()
        if c.level(name) != "rests"
    )
    return WorldSpec(
        bodies=bodies,
        actions=(over, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=700,
        detectors=DETECTORS,
        handles=handles(c, speed),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the tracks and high above, moved sideways for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -1.35, 1.75), target_m=(0.02, -0.08, 0.0))


THINGS = {
    "ball": "the red ball", "blade": "the switch", "blue_track": "the blue track",
    "yellow_track": "the yellow track", "box": "the box", "plank": "the plank",
    "button": "the button", "block": "the block", "white_ball": "the white ball",
    "pink_ball": "the pink ball", "can": "the can", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="railroad_switch",
    version=1,
    summary=__doc__,
    tags=("switching", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"clear_way": {1: {"plank": "absent"}, 0: {"plank": "present"}}},
    staged=(
        Staged("white_ball_rests", "press", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
        Staged("block_rests", "push", 0, {"block": "rests"}, "The block is not slid.",
               "the block had not been slid"),
        Staged("plank", "clear_way", 0, {"plank": "present"}, "A plank lies before the box.",
               "a plank had lain before the box"),
        Staged("pink_ball_rests", "knock", 0, {"pink_ball": "rests"},
               "The pink ball is not rolled.", "the pink ball had not been rolled"),
    ),
    variations=(
        Variation("pink_late", "retime", {"pink_start": "late"},
                  "The pink ball is rolled after the block is slid."),
        Variation("pink_early", "retime", {"pink_start": "early"},
                  "The pink ball is rolled before the block is slid."),
    ),
    phrases={
        "knock": Phrase("the pink ball rolls into the can", "the pink ball rolled into the can",
                        "the pink ball never touched the can", "the pink ball hit the can",
                        ("pink_ball", "can"), also=("the pink ball ran into the can",)),
        "press": Phrase("the white ball hits the button", "the white ball hit the button",
                        "the white ball never touched the button",
                        "the white ball hit the button", ("white_ball", "button"),
                        also=("the white ball rolled into the button",)),
        "route": Phrase("the switch swings over to the blue track",
                        "the switch swung over", "the switch stayed as it was",
                        "the switch swing over", ("blade",),
                        also=("the switch swung over to the blue track",)),
        "push": Phrase("the block pushes the red ball", "the block pushed the red ball",
                       "the red ball stayed at rest", "the red ball start to roll",
                       ("block", "ball"), also=("the block hit the red ball",)),
        "hit": Phrase("the red ball hits the box", "the red ball hit the box",
                      "the red ball missed the box", "the red ball hit the box",
                      ("ball", "box"), also=("the red ball ran into the box",)),
        "slide": Phrase("the box slides", "the box slid",
                         "the box stayed in place", "the box slide", ("box",),
                         also=("the box was pushed along",)),
        "clear_way": Phrase("nothing lies before the box", "nothing lay before the box",
                            "a plank lay before the box", "", ("box",)),
    },
    things=THINGS,
    showcase={"white_ball": "rolls", "block": "slides", "plank": "absent", "pink_ball": "rolls"},
    key_events=("route", "hit"),
    opening=Opening(
        about="box",
        right={
            "holds(clear_way)": "the box stands where the tracks meet, nothing before it",
            "not(holds(clear_way))": "the box stands behind a plank",
        },
    ),
    asked={"route": ("route",), "hit": ("hit", "slide")},
    others={
        **hits(THINGS, ("white_ball", "ball"), ("white_ball", "box"), ("white_ball", "can"),
               ("pink_ball", "button"), ("pink_ball", "ball"), ("pink_ball", "box"),
               ("white_ball", "blade"), ("pink_ball", "blade"), ("block", "blade"),
               ("block", "box"), ("block", "button"), ("ball", "blade"),
               ("ball", "plank"), ("ball", "blue_track"), ("ball", "yellow_track"),
               ("box", "plank"), ("ball", "can")),
    },
    lacks="plank",
)  # fmt: skip
