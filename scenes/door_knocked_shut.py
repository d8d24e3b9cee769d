"""Door knocked shut: a ball goes on to a vase, because what would have stopped it was stopped.

Double prevention, Hall's bomber and escort. A block pushes the red ball towards a vase; a brick
pushes the yellow box, which would slide through a doorway into the red ball's path. But before
that a green ball knocks the door shut, the box runs into the door, and the red ball breaks the
vase. The door, off to the side, touches nothing of this; still the knock is a but-for cause of the
break: without it the box would have come, and the ball would have hit the box. It acts through
an absence, that of the box. A wedge may keep the door open, then the knock changes nothing. A
white ball rolls into a can, which is no cause of anything.
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
    hits,
)
from simworld.world.detectors import Absent, Broke, Detector, Slid, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldTurned,
    KeepWhole,
)
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Hinge,
    Launch,
    Vase,
    WorldSpec,
)

BALL_M = 0.06
VASE = Vase(radius_m=0.06, height_m=0.2, wall_m=0.008)
BOX_M = (0.05, 0.14, 0.06)
"""Half extents of the box that slides in, across the red ball's path."""
BOX_FROM_M = 0.72
BALL_AT_M, VASE_AT_M = -0.62, 0.55
DOORWAY_M = 0.32
"""The y of the wall with the doorway."""
HINGE_M, DOOR_M, WALL_Z_M = -0.12, 0.24, 0.05
"""The x of the hinge, the width of the door, and half the height of door and wall."""
KNOCK_M = 0.50
"""The y at which the green ball comes, near the open door's free edge."""
BLOCK_M, BRICK_M = (0.03, 0.03, 0.06), (0.03, 0.03, 0.09)

SETTINGS = (
    Choice("green_ball", {"rolls": 0.7, "rests": 0.3}),
    Choice("wedge", {"absent": 0.8, "present": 0.2}),
    Choice("brick", {"slides": 0.8, "rests": 0.2}),
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("green_speed", "m/s", {"brisk": Band(1.5, 1.6, held_out=(1.6, 1.65))}),
    Range("green_start", "s", {"usual": Band(0.05, 0.10, held_out=(0.10, 0.11))}),
    Range("box_speed", "m/s", {"brisk": Band(2.95, 3.03, held_out=(3.03, 3.05))}),
    Range("box_start", "s", {"usual": Band(1.00, 1.04, held_out=(1.04, 1.05))}),
    Range("ball_speed", "m/s", {"brisk": Band(1.80, 1.95, held_out=(1.95, 2.0))}),
    Range("ball_start", "s", {"usual": Band(1.58, 1.62, held_out=(1.62, 1.63))}),
    Range("white_start", "s", {"usual": Band(0.30, 0.50, held_out=(0.50, 0.55))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("purple", "orange", "pink")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("free_door", "wedge == 'absent'"),
    event("spill", "white_ball == 'rolls'"),
    event("knock", "green_ball == 'rolls'"),
    event("shut", "knock and free_door"),
    event("box_push", "brick == 'slides'"),
    event("cross", "box_push and not shut"),
    event("ball_push", "block == 'slides'"),
    event("box_hit", "ball_push and cross"),
    event("vase_hit", "ball_push and not cross"),
    event("shatter", "vase_hit"),
)

DETECTORS: dict[str, Detector] = {
    "free_door": Absent("wedge"),
    "spill": Touched("white_ball", ("can",)),
    "knock": Touched("door", ("green_ball",)),
    "shut": Turned("door", degrees=75.0),
    "box_push": Touched("box", ("brick",)),
    "cross": Slid("box", "floor", distance_m=0.36),
    "ball_push": Touched("ball", ("block",)),
    "box_hit": Touched("ball", ("box",)),
    "vase_hit": Touched("vase", ("ball",)),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "spill": 350,
    "knock": 135,
    "shut": 242,
    "box_push": 285,
    "cross": 455,
    "ball_push": 427,
    "box_hit": 522,
    "vase_hit": 709,
    "shatter": 724,
}


def handles(c: Context, speed_m_s: float, box_speed_m_s: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    No push shuts a door with a wedge before it. The box can be tossed over a door that is shut,
    and the ball over the box, but the ball cannot be made to hit a box that is not there.
    """
    across = (0.0, -box_speed_m_s, 0.0)
    shut = (ForceLaunch("shut", "door", 172, (0.0, 0.0, 0.0), (0.0, 0.0, -6.0)),)
    return (
        HoldNear("spill", "white_ball", "can", gap_m=0.02),
        HoldNear("knock", "green_ball", "door", gap_m=0.02),
        HoldTurned("shut", "door", degrees=10.0),
        HoldNear("box_push", "brick", "box", gap_m=0.03),
        HoldMoved("cross", "box", distance_m=0.31),
        HoldNear("ball_push", "block", "ball", gap_m=0.03),
        HoldNear("box_hit", "ball", "box", gap_m=0.03),
        HoldNear("vase_hit", "ball", "vase", gap_m=0.03),
        KeepWhole("shatter", "vase"),
        ForceLaunch("spill", "white_ball", 250, (1.0, 0.0, 0.0)),
        ForceLaunch("knock", "green_ball", 85, (1.8, 0.0, 0.0)),
        *(shut if c.level("wedge") == "absent" else ()),
        ForceLaunch("box_push", "brick", 265, across),
        ForceToss("cross", "box", 318, x_m=None, lift_m_s=2.6, rise_steps=16, y_m=0.0),
        ForceLaunch("ball_push", "block", 408, (speed_m_s, 0.0, 0.0)),
        ForceToss("vase_hit", "ball", 572, x_m=VASE_AT_M, lift_m_s=2.6, rise_steps=20),
        ForceBreak("shatter", "vase", 717),
    )


def doorway(wedge: bool) -> tuple[Body, ...]:
    """Return the wall with its open door, the post that the door shuts against, and a wedge."""
    walls = [
        Body(f"wall_{k}", Box((0.2, 0.01, WALL_Z_M)), (x, DOORWAY_M, WALL_Z_M), color="grey",
             restitution=0.1, thing="wall")
        for k, x in enumerate((HINGE_M - 0.22, HINGE_M + DOOR_M + 0.24))
    ]  # fmt: skip
    return (
        *walls,
        Body("post", Cylinder(0.015, 0.12), (HINGE_M + DOOR_M - 0.02, DOORWAY_M - 0.027, 0.06),
             color="black", restitution=0.0),
        Body("wedge", Box((0.012, 0.03, 0.03)), (HINGE_M + 0.03, 0.46, 0.03), color="yellow",
             restitution=0.0, present=wedge),
        Body("door", Box((0.01, DOOR_M / 2, WALL_Z_M)),
             (HINGE_M, DOORWAY_M + DOOR_M / 2, WALL_Z_M + 0.005), mass_kg=0.3, friction=0.1,
             restitution=0.6, color="blue",
             hinge=Hinge((HINGE_M, DOORWAY_M, WALL_Z_M), (0.0, 0.0, 1.0), friction_n_m=0.005)),
    )  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build the red ball's lane, the doorway behind it, and the can's lane in front."""
    speed, box_speed = c.number("ball_speed"), c.number("box_speed")
    block_at = BALL_AT_M - BALL_M - 0.05 - BLOCK_M[0]
    brick_at = BOX_FROM_M + BOX_M[1] + 0.08 + BRICK_M[1]
    bodies = (
        floor(c.word("floor_color")),
        *doorway(c.level("wedge") == "present"),
        Body("vase", VASE, (VASE_AT_M, 0.0, VASE.height_m / 2), friction=0.5, restitution=0.5,
             mass_kg=0.38, color=c.word("vase_color"),
             breakable=Breakable(peak_m_s=0.35, rings=3)),
        Body("box", Box(BOX_M), (0.0, BOX_FROM_M, BOX_M[2]), mass_kg=0.8, friction=0.6,
             restitution=0.6, color="yellow"),
        ball("ball", "red", (BALL_AT_M, 0.0, BALL_M), BALL_M, 0.165, 0.9),
        ball("green_ball", "green", (HINGE_M - 0.36, KNOCK_M, 0.05), 0.05, 0.08, 0.9),
        Body("block", Box(BLOCK_M), (block_at, 0.0, BLOCK_M[2]), mass_kg=0.2, friction=0.4,
             restitution=0.8, color="black"),
        Body("brick", Box(BRICK_M), (0.0, brick_at, BRICK_M[2]), mass_kg=0.8, friction=0.4,
             restitution=0.8, color="brick"),
        Body("can", Cylinder(0.06, 0.16), (0.25, -0.40, 0.08), color="steel"),
        ball("white_ball", "white", (-0.20, -0.40, 0.05)),
    )  # fmt: skip
    moves = {
        "green_ball": ("green_start", (c.number("green_speed"), 0.0, 0.0)),
        "brick": ("box_start", (0.0, -box_speed, 0.0)),
        "block": ("ball_start", (speed, 0.0, 0.0)),
        "white_ball": ("white_start", (1.0, 0.0, 0.0)),
    }
    actions = tuple(
        Launch(name, round(240 * c.number(start)), velocity)
        for name, (start, velocity) in moves.items()
        if c.level(name) != "rests"
    )
    return WorldSpec(
        bodies=bodies,
        actions=actions,
        camera=camera(c.amount("camera_turn")),
        duration_steps=760,
        detectors=DETECTORS,
        handles=handles(c, speed, box_speed),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the lane and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -1.35, 1.65), target_m=(-0.02, 0.20, 0.0))


THINGS = {
    "vase": "the vase", "ball": "the red ball", "box": "the yellow box", "door": "the door",
    "green_ball": "the green ball", "block": "the block", "brick": "the brick",
    "wedge": "the wedge", "wall": "the wall", "post": "the post",
    "white_ball": "the white ball", "can": "the can", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="door_knocked_shut",
    version=1,
    summary=__doc__,
    tags=("double_prevention", "preventer", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"free_door": {1: {"wedge": "absent"}, 0: {"wedge": "present"}}},
    staged=(
        Staged("green_ball_rests", "knock", 0, {"green_ball": "rests"},
               "The green ball is not rolled.", "the green ball had not been rolled"),
        Staged("wedge", "free_door", 0, {"wedge": "present"}, "A wedge keeps the door open.",
               "a wedge had kept the door open"),
        Staged("brick_rests", "box_push", 0, {"brick": "rests"}, "The brick is not slid.",
               "the brick had not been slid"),
        Staged("block_rests", "ball_push", 0, {"block": "rests"}, "The block is not slid.",
               "the block had not been slid"),
        Staged("white_ball_rests", "spill", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    phrases={
        "spill": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "knock": Phrase("the green ball hits the door", "the green ball hit the door",
                        "the green ball never touched the door", "the green ball hit the door",
                        ("green_ball", "door"), also=("the green ball ran into the door",)),
        "shut": Phrase("the door falls shut", "the door fell shut", "the door stayed open",
                       "the door fall shut", ("door",), also=("the door swung shut",)),
        "box_push": Phrase("the brick pushes the yellow box", "the brick pushed the yellow box",
                           "the brick never touched the yellow box",
                           "the brick hit the yellow box", ("brick", "box"),
                           also=("the brick hit the yellow box",)),
        "cross": Phrase("the yellow box slides through the doorway",
                        "the yellow box slid through the doorway", "the yellow box stayed back",
                        "the yellow box slide through the doorway", ("box",),
                        also=("the yellow box slid into the red ball's path",)),
        "ball_push": Phrase("the block pushes the red ball", "the block pushed the red ball",
                            "the red ball stayed at rest", "the red ball start to roll",
                            ("block", "ball"), also=("the block hit the red ball",)),
        "box_hit": Phrase("the red ball hits the yellow box", "the red ball hit the yellow box",
                          "the red ball missed the yellow box", "the red ball hit the yellow box",
                          ("ball", "box"), also=("the red ball ran into the yellow box",)),
        "vase_hit": Phrase("the red ball hits the vase", "the red ball hit the vase",
                           "the red ball missed the vase", "the red ball hit the vase",
                           ("ball", "vase"), also=("the red ball ran into the vase",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "free_door": Phrase("nothing keeps the door open", "nothing kept the door open",
                            "a wedge kept the door open", "", ("door",)),
    },
    things=THINGS,
    showcase={"green_ball": "rolls", "wedge": "absent", "brick": "slides", "block": "slides",
              "white_ball": "rolls"},
    key_events=("shut", "cross", "box_hit", "vase_hit"),
    opening=Opening(
        about="door",
        right={
            "holds(free_door)": "the door is open, and nothing keeps it so",
            "not(holds(free_door))": "the door is open, and a wedge keeps it so",
        },
    ),
    asked={"shut": ("shut",), "cross": ("cross",), "box_hit": ("box_hit",),
           "vase_hit": ("vase_hit", "shatter")},
    others={
        **hits(THINGS, ("block", "box"), ("brick", "ball"), ("box", "vase"), ("box", "door"),
               ("white_ball", "box"), ("white_ball", "vase"), ("white_ball", "ball"),
               ("white_ball", "door"), ("ball", "can"), ("ball", "door"), ("brick", "door"),
               ("block", "door"), ("green_ball", "box"), ("green_ball", "vase"),
               ("green_ball", "ball"), ("door", "post"), ("door", "wedge"), ("box", "wall"),
               ("ball", "brick"), ("green_ball", "wall")),
    },
    lacks="wedge",
)  # fmt: skip
