"""Racing balls: two balls are pushed at one vase; the first to arrive sends it off the table.

Late preemption, the literature's rock throwing: a block pushes the red ball, a brick
the blue one a moment later. The red ball knocks the vase over the edge, it falls and breaks; the
blue ball rolls across the place where the vase stood. Had the red ball not come, the blue one would
have done the same, so that no red event is a but-for cause of the fall. The red hit is an actual
cause all the same: hold fixed that the blue ball never hit the vase, and undoing the red hit
undoes the fall. The blue push is a preempted backup. A plank may stand in the red ball's way, and
a white ball rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Absent, Broke, CanBreak, Detector, DroppedBelow, Touched
from simworld.world.furniture import table
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldNear,
    HoldPast,
    KeepWhole,
)
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Sphere,
    Vase,
    Vec3,
    WorldSpec,
)

TABLE_TOP_M = 0.75
VASE = Vase(radius_m=0.07, height_m=0.18, wall_m=0.008)
BALL_M = 0.05
"""Radius of both balls."""
TO_EDGE_M = 0.20
"""From the vase's middle to each of the two edges of its corner."""
RUN_M = 0.50
"""From where a ball rests to where it hits the vase."""
BLOCK_M = (0.03, 0.03, 0.06)
PUSH_GAP_M = 0.05
"""From a block to its ball."""
GLASS = Breakable(peak_m_s=1.8, rings=3)
STEEL = Breakable(peak_m_s=None)

SETTINGS = (
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("brick", {"slides": 0.75, "rests": 0.25}),
    Choice("plank", {"absent": 0.85, "present": 0.15}),
    Choice("vase_material", {"glass": 0.8, "steel": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.9, 2.1, held_out=(2.1, 2.15))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.9, 2.1, held_out=(2.1, 2.15))}),
    Range("red_start", "s", {"early": Band(0.42, 0.46, held_out=(0.46, 0.47))}),
    Range("blue_start", "s", {"late": Band(0.88, 0.94, held_out=(0.94, 0.95))}),
    Range("white_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range("vase_mass", "kg", {"usual": Band(0.36, 0.40, held_out=(0.40, 0.41))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_way", "plank == 'absent'"),
    condition("brittle_vase", "vase_material == 'glass'"),
    event("knock", "white_ball == 'rolls'"),
    event("red_push", "block == 'slides'"),
    event("blue_push", "brick == 'slides'"),
    event("red_hit", "red_push and clear_way"),
    event("blue_hit", "blue_push and not red_hit"),
    event("fall", "red_hit or blue_hit"),
    event("impact", "fall"),
    event("shatter", "impact and brittle_vase"),
)

DETECTORS: dict[str, Detector] = {
    "clear_way": Absent("plank"),
    "brittle_vase": CanBreak("vase"),
    "knock": Touched("white_ball", ("can",)),
    "red_push": Touched("red_ball", ("block",)),
    "blue_push": Touched("blue_ball", ("brick",)),
    "red_hit": Touched("vase", ("red_ball",)),
    "blue_hit": Touched("vase", ("blue_ball",)),
    "fall": DroppedBelow("vase", height_m=TABLE_TOP_M),
    "impact": Touched("vase", ("floor",), below_m=TABLE_TOP_M),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 300,
    "red_push": 140,
    "red_hit": 255,
    "blue_push": 255,
    "blue_hit": 375,
    "fall": 580,
    "impact": 675,
    "shatter": 685,
}


def place(x: float, y: float, z: float, c: Context) -> Vec3:
    """Return a place of the left-hand scene, or its mirror image in the table's diagonal."""
    return (x, y, z) if c.word("side") == "left" else (-y, -x, z)


def handles(c: Context, ways: dict[str, Vec3]) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The vase cannot be made to hit the floor without falling, nor the red ball to roll through a
    plank, nor the blue ball to hit a vase that is no longer there.
    """
    fast = {name: (1.4 * x, 1.4 * y, 0.0) for name, (x, y, _) in ways.items()}
    roll = (ForceLaunch("red_hit", "red_ball", 200, fast["red"]),)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("red_push", "block", "red_ball", gap_m=0.04),
        HoldNear("blue_push", "brick", "blue_ball", gap_m=0.04),
        HoldNear("red_hit", "red_ball", "vase", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "vase", gap_m=0.02),
        HoldPast("fall", "vase", (1.0, -1.0, 0.0), limit_m=-TO_EDGE_M - 0.025),
        HoldPast("impact", "vase", (0.0, 0.0, -1.0), limit_m=-0.25),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "white_ball", 200, ways["white"]),
        ForceLaunch("red_push", "block", 122, ways["red"]),
        ForceLaunch("blue_push", "brick", 238, ways["blue"]),
        *(roll if c.level("plank") == "absent" else ()),
        ForceLaunch("blue_hit", "blue_ball", 318, fast["blue"], unless="red_hit"),
        ForceToss("fall", "vase", 455, x_m=0.15, lift_m_s=2.0, rise_steps=20),
        ForceBreak("shatter", "vase", 680),
    )


def build(c: Context) -> WorldSpec:
    """Build the room: a table with a vase near its corner, two balls and two blocks."""
    glass = c.level("vase_material") == "glass"
    hit = TO_EDGE_M + VASE.radius_m + BALL_M
    ball_at = hit + RUN_M
    block_at = ball_at + BALL_M + PUSH_GAP_M + 0.03
    ball_z, block_z = TABLE_TOP_M + BALL_M, TABLE_TOP_M + 0.06
    plank = (0.015, 0.11, 0.04) if c.word("side") == "left" else (0.11, 0.015, 0.04)
    ways = {
        "red": place(c.number("red_speed"), 0.0, 0.0, c),
        "blue": place(0.0, -c.number("blue_speed"), 0.0, c),
        "white": place(-1.0, 0.0, 0.0, c),
    }
    bodies = [
        Body("floor", Box((6.0, 6.0, 0.1)), (0.0, 0.0, -0.1), friction=0.6, restitution=0.5,
             color=c.word("floor_color")),
        *table((-1.1, 0.0), (0.0, 1.1), TABLE_TOP_M),
        Body("plank", Box(plank), place(-hit - 0.2, TO_EDGE_M, TABLE_TOP_M + 0.04, c),
             color="yellow", present=c.level("plank") == "present"),
        Body("vase", VASE, (-TO_EDGE_M, TO_EDGE_M, TABLE_TOP_M + VASE.height_m / 2),
             friction=0.15, restitution=0.6, mass_kg=c.number("vase_mass"),
             breakable=GLASS if glass else STEEL,
             color=c.word("vase_color") if glass else "steel"),
        ball("red", place(-ball_at, TO_EDGE_M, ball_z, c)),
        ball("blue", place(-TO_EDGE_M, ball_at, ball_z, c)),
        pusher("block", "black", place(-block_at, TO_EDGE_M, block_z, c)),
        pusher("brick", "brick", place(-TO_EDGE_M, block_at, block_z, c)),
        Body("can", Cylinder(0.07, 0.2), place(-1.02, -0.45, 0.1, c), color="steel"),
        ball("white", place(-0.60, -0.45, BALL_M, c)),
    ]  # fmt: skip
    actions = [
        Launch(body, round(240 * c.number(f"{name}_start")), ways[name])
        for name, body in (("red", "block"), ("blue", "brick"), ("white", "white_ball"))
        if c.level(body) != "rests"
    ]
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=camera(c.amount("camera_turn")),
        duration_steps=720,
        detectors=DETECTORS,
        handles=handles(c, ways),
        deadlines=DEADLINES,
    )


def ball(color: str, position_m: Vec3) -> Body:
    """Return a ball, light and lively enough to bounce back off the vase."""
    return Body(f"{color}_ball", Sphere(BALL_M), position_m, mass_kg=0.165, friction=0.04,
                restitution=0.9, color=color)  # fmt: skip


def pusher(name: str, color: str, position_m: Vec3) -> Body:
    """Return a block that stops soon after it has pushed a ball."""
    return Body(name, Box(BLOCK_M), position_m, mass_kg=0.2, friction=0.4, restitution=0.8,
                color=color)  # fmt: skip


def camera(turn_deg: float) -> Camera:
    """Return the camera, which looks at the table's corner, moved sideways for a turn."""
    aside = 0.03 * turn_deg
    return Camera(eye_m=(1.14 + aside, -1.14 + aside, 1.62), target_m=(-0.25, 0.23, 0.50))


THINGS = {
    "vase": "the vase", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "block": "the block", "brick": "the brick", "plank": "the plank",
    "white_ball": "the white ball", "can": "the can", "table": "the table", "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="racing_balls",
    version=2,
    summary=__doc__,
    tags=("late_preemption", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "clear_way": {1: {"plank": "absent"}, 0: {"plank": "present"}},
        "brittle_vase": {1: {"vase_material": "glass"}, 0: {"vase_material": "steel"}},
    },
    staged=(
        Staged("block_rests", "red_push", 0, {"block": "rests"},
               "The block is not slid.", "the block had not been slid"),
        Staged("brick_rests", "blue_push", 0, {"brick": "rests"},
               "The brick is not slid.", "the brick had not been slid"),
        Staged("plank", "clear_way", 0, {"plank": "present"},
               "A plank stands between the red ball and the vase.",
               "a plank had stood between the red ball and the vase"),
        Staged("steel_vase", "brittle_vase", 0, {"vase_material": "steel"},
               "The vase is of steel.", "the vase had been made of steel"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    variations=(
        Variation("blue_instead", "swap_cause", {"block": "rests"},
                  "The block is not slid, and the blue ball does it.",
                  keeps=("fall", "impact", "shatter")),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "red_push": Phrase("the block pushes the red ball",
                           "the block pushed the red ball",
                           "the red ball stayed at rest",
                           "the red ball start to roll", ("block", "red_ball"),
                           also=("the block hit the red ball",)),
        "blue_push": Phrase("the brick pushes the blue ball",
                            "the brick pushed the blue ball",
                            "the blue ball stayed at rest",
                            "the blue ball start to roll", ("brick", "blue_ball"),
                            also=("the brick hit the blue ball",)),
        "red_hit": Phrase("the red ball hits the vase", "the red ball hit the vase",
                          "the red ball missed the vase", "the red ball hit the vase",
                          ("red_ball", "vase"),
                          also=("the red ball rolled into the vase",)),
        "blue_hit": Phrase("the blue ball hits the vase", "the blue ball hit the vase",
                           "the blue ball missed the vase", "the blue ball hit the vase",
                           ("blue_ball", "vase"),
                           also=("the blue ball rolled into the vase",)),
        "fall": Phrase("the vase falls off the table", "the vase fell off the table",
                       "the vase stayed on the table", "the vase go over the edge", ("vase",),
                       also=("the vase dropped off the table",)),
        "impact": Phrase("the vase hits the floor", "the vase hit the floor",
                         "the vase never reached the floor", "the vase hit the floor",
                         ("vase", "floor"), also=("the vase crashed onto the floor",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "clear_way": Phrase("the red ball has a clear path to the vase",
                            "the red ball had a clear path to the vase",
                            "a plank stood in the red ball's way", "", ("red_ball", "vase")),
        "brittle_vase": Phrase("the vase is made of glass", "the vase was made of glass",
                               "the vase was made of steel", "", ("vase",)),
    },
    things=THINGS,
    showcase={"block": "slides", "brick": "slides", "plank": "absent",
              "vase_material": "glass", "white_ball": "rolls"},
    key_events=("red_hit", "blue_hit", "fall", "impact"),
    opening=Opening(
        about="red_ball",
        right={
            "holds(clear_way)": "the red ball has a clear path over the table to the vase",
            "not(holds(clear_way))": "the red ball lies behind a plank on the table",
        },
    ),
    asked={"red_hit": ("red_hit", "blue_push"), "blue_hit": ("blue_hit",), "fall": ("fall",),
           "impact": ("shatter", "impact")},
    others={
        **hits(THINGS, ("red_ball", "blue_ball"), ("block", "blue_ball"), ("brick", "red_ball"),
               ("block", "brick"), ("block", "vase"), ("brick", "vase"), ("white_ball", "vase"),
               ("red_ball", "can"), ("red_ball", "plank"), ("vase", "can"),
               ("vase", "white_ball"), ("vase", "block"), ("vase", "brick")),
        "hit(red_ball, floor)": Phrase("the red ball drops to the floor",
                                       "the red ball dropped to the floor",
                                       participants=("red_ball", "floor")),
        "hit(blue_ball, floor)": Phrase("the blue ball drops to the floor",
                                        "the blue ball dropped to the floor",
                                        participants=("blue_ball", "floor")),
    },
    lacks="plank",
)  # fmt: skip
