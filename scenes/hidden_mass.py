"""Hidden mass: a ball rolls into a box on a table and falls off, at one edge or at the other.

Whether the box is empty or full cannot be seen. An empty box flies ahead over the far edge, and the
ball follows it down; a full one stands, and the ball bounces back and falls off the near edge. The
failure is the same, its mechanism another, and so is its repair: a rail at the far edge helps with
an empty box only, one at the near edge with a full one only. In either world the bump is a but-for
cause of the ball's fall. The mass is a switch: with both edges open it decides where the ball falls
and not whether, and so it is no cause alone, only together with the other edge's being open. The
box's own fall is no cause of the ball's: the two have a common cause. Meanwhile a green ball rolls
into a can, which is no cause of anything.
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
from simworld.world.detectors import (
    Detector,
    DroppedBelow,
    LighterThan,
    Present,
    Slid,
    Touched,
)
from simworld.world.furniture import ball, floor, table
from simworld.world.handles import (
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldPast,
)
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, Soft, WorldSpec

TABLE_TOP_M = 0.4
BALL_M, BOX_M = 0.05, 0.05
NEAR_EDGE_M, FAR_EDGE_M = -0.50, 0.42
BALL_AT_M, BOX_AT_M = -0.28, 0.12

PADDED = Soft(stiffness_n_m=1200.0, damping_n_s_m=40.0)

SETTINGS = (
    Choice("ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("far_edge", {"open": 0.8, "railed": 0.2}),
    Choice("near_edge", {"open": 0.8, "railed": 0.2}),
    Choice("green_ball", {"rolls": 0.8, "rests": 0.2}),
    Range(
        "box_mass",
        "kg",
        {
            "empty": Band(0.09, 0.11, held_out=(0.11, 0.115)),
            "full": Band(5.5, 6.5, held_out=(6.5, 6.7)),
        },
    ),
    Range("ball_speed", "m/s", {"brisk": Band(1.45, 1.6, held_out=(1.6, 1.65))}),
    Range("ball_start", "s", {"usual": Band(0.30, 0.36, held_out=(0.36, 0.38))}),
    Range("green_start", "s", {"usual": Band(0.10, 0.40, held_out=(0.40, 0.44))}),
)

NUISANCES = (
    Nuisance("box_color", words=("yellow", "blue", "purple")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("light_box", "box_mass == 'empty'"),
    condition("far_rail", "far_edge == 'railed'"),
    condition("near_rail", "near_edge == 'railed'"),
    event("knock", "green_ball == 'rolls'"),
    event("bump", "ball == 'rolls'"),
    event("slide", "bump and light_box"),
    event("box_fall", "slide and not far_rail"),
    event("fall", "(slide and not far_rail) or (bump and not slide and not near_rail)"),
    event("impact", "fall"),
)

DETECTORS: dict[str, Detector] = {
    "light_box": LighterThan("box", mass_kg=1.0),
    "far_rail": Present("far_rail"),
    "near_rail": Present("near_rail"),
    "knock": Touched("green_ball", ("can",)),
    "bump": Touched("ball", ("box",)),
    "slide": Slid("box", "table", distance_m=0.05),
    "box_fall": DroppedBelow("box", height_m=0.12),
    "fall": DroppedBelow("ball", height_m=TABLE_TOP_M),
    "impact": Touched("ball", ("floor",), below_m=TABLE_TOP_M),
}

DEADLINES = {
    "knock": 320,
    "bump": 210,
    "slide": 225,
    "box_fall": 350,
    "fall": 505,
    "impact": 565,
}


def handles(c: Context, sign: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    Once the ball has been stopped, no push of the box could still decide which way it goes.
    """
    return (
        HoldNear("knock", "green_ball", "can", gap_m=0.02),
        HoldNear("bump", "ball", "box", gap_m=0.02),
        HoldMoved("slide", "box", distance_m=0.03),
        HoldPast("box_fall", "box", (0.0, 0.0, -1.0), limit_m=-0.2),
        HoldPast("fall", "ball", (0.0, 0.0, -1.0), limit_m=-(TABLE_TOP_M + 0.6 * BALL_M)),
        HoldPast("impact", "ball", (0.0, 0.0, -1.0), limit_m=-0.2),
        ForceLaunch("knock", "green_ball", 210, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("bump", "ball", 150, (sign * c.number("ball_speed"), 0.0, 0.0)),
        ForceToss("fall", "ball", 390, x_m=sign * -0.85, lift_m_s=2.0, rise_steps=20),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with a ball and a box, and a can and a green ball on the floor before it."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    ends = sorted((sign * NEAR_EDGE_M, sign * FAR_EDGE_M))
    rail = Box((0.0125, 0.2, 0.035))
    rail_z = TABLE_TOP_M + 0.035
    bodies = (
        floor(c.word("floor_color"), restitution=0.3),
        *table((ends[0], -0.2), (ends[1], 0.2), TABLE_TOP_M),
        Body("far_rail", rail, (sign * (FAR_EDGE_M - 0.0125), 0.0, rail_z), restitution=0.0,
             soft=PADDED, color="black", present=c.level("far_edge") == "railed"),
        Body("near_rail", rail, (sign * (NEAR_EDGE_M + 0.0125), 0.0, rail_z), restitution=0.0,
             soft=PADDED, color="black", present=c.level("near_edge") == "railed"),
        Body("box", Box((BOX_M, BOX_M, BOX_M)), (sign * BOX_AT_M, 0.0, TABLE_TOP_M + BOX_M),
             mass_kg=c.number("box_mass"), friction=0.4, restitution=0.85,
             color=c.word("box_color")),
        ball("ball", "red", (sign * BALL_AT_M, 0.0, TABLE_TOP_M + BALL_M), BALL_M, 0.5, 0.9),
        Body("can", Cylinder(0.06, 0.16), (sign * 0.15, -0.5, 0.08), color="steel",
             restitution=0.8),
        Body("book", Box((0.02, 0.08, 0.07)), (sign * -0.47, -0.5, 0.07), color="orange"),
        ball("green_ball", "green", (sign * -0.3, -0.5, 0.05), restitution=0.9),
    )  # fmt: skip
    moves = {
        "ball": ("ball_start", (sign * c.number("ball_speed"), 0.0, 0.0)),
        "green_ball": ("green_start", (sign * 1.0, 0.0, 0.0)),
    }
    actions = tuple(
        Launch(name, round(240 * c.number(start)), velocity)
        for name, (start, velocity) in moves.items()
        if c.level(name) == "rolls"
    )
    return WorldSpec(
        bodies=bodies,
        actions=actions,
        camera=camera(c.amount("camera_turn"), sign * 0.25),
        duration_steps=600,
        detectors=DETECTORS,
        handles=handles(c, sign),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float, far_m: float) -> Camera:
    """Return the camera, in front of the table, towards the far edge, moved sideways for a turn."""
    return Camera(eye_m=(far_m + 0.03 * turn_deg, -2.6, 1.3), target_m=(far_m, 0.0, 0.18))


THINGS = {
    "box": "the box", "ball": "the red ball", "far_rail": "the rail at the far edge",
    "near_rail": "the rail at the near edge", "green_ball": "the green ball", "can": "the can",
    "book": "the book",
    "table": "the table", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="hidden_mass",
    version=2,
    summary=__doc__,
    tags=("hidden_regime", "decision", "switching", "common_cause", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "light_box": {1: {"box_mass": "empty"}, 0: {"box_mass": "full"}},
        "far_rail": {1: {"far_edge": "railed"}, 0: {"far_edge": "open"}},
        "near_rail": {1: {"near_edge": "railed"}, 0: {"near_edge": "open"}},
    },
    staged=(
        Staged("ball_rests", "bump", 0, {"ball": "rests"}, "The red ball is not rolled.",
               "the red ball had not been rolled"),
        Staged("far_rail", "far_rail", 1, {"far_edge": "railed"},
               "A padded rail runs along the table's edge behind the box.",
               "a padded rail had run along the table's edge behind the box"),
        Staged("near_rail", "near_rail", 1, {"near_edge": "railed"},
               "A padded rail runs along the table's edge on the red ball's side.",
               "a padded rail had run along the table's edge on the red ball's side"),
        Staged("green_ball_rests", "knock", 0, {"green_ball": "rests"},
               "The green ball is not rolled.", "the green ball had not been rolled"),
    ),
    variations=(
        Variation("full_box", "parameter", {"box_mass": "full"},
                  "The box is full and heavy, which cannot be seen.", hidden=True),
        Variation("empty_box", "parameter", {"box_mass": "empty"},
                  "The box is empty and light, which cannot be seen.", hidden=True),
    ),
    phrases={
        "knock": Phrase("the green ball rolls into the can", "the green ball rolled into the can",
                        "the green ball never touched the can", "the green ball hit the can",
                        ("green_ball", "can"), also=("the green ball ran into the can",)),
        "bump": Phrase("the red ball hits the box", "the red ball hit the box",
                       "the red ball missed the box", "the red ball hit the box",
                       ("ball", "box"), also=("the red ball ran into the box",)),
        "slide": Phrase("the box slides away", "the box slid away",
                        "the box stayed in place", "the box slide away", ("box",)),
        "box_fall": Phrase("the box falls off the table", "the box fell off the table",
                           "the box stayed on the table", "the box go over the edge", ("box",),
                           also=("the box dropped off the table",)),
        "fall": Phrase("the red ball falls off the table", "the red ball fell off the table",
                       "the red ball stayed on the table", "the red ball fall off the table",
                       ("ball",), also=("the red ball fell down",)),
        "impact": Phrase("the red ball hits the floor", "the red ball hit the floor",
                         "the red ball never reached the floor", "the red ball hit the floor",
                         ("ball", "floor"), also=("the red ball landed on the floor",)),
        "light_box": Phrase("the box is empty and light", "the box was empty and light",
                            "the box was full and heavy", "", ("box",)),
        "far_rail": Phrase("a rail runs along the edge behind the box",
                           "a rail ran along the edge behind the box",
                           "no rail ran along the edge behind the box", "", ("far_rail", "table")),
        "near_rail": Phrase("a rail runs along the edge on the red ball's side",
                            "a rail ran along the edge on the red ball's side",
                            "no rail ran along the edge on the red ball's side", "",
                            ("near_rail", "table")),
    },
    things=THINGS,
    showcase={"ball": "rolls", "far_edge": "open", "near_edge": "open", "green_ball": "rolls",
              "box_mass": "empty"},
    key_events=("slide", "fall"),
    opening=Opening(
        about="ball",
        right={
            "and(not(holds(far_rail)), not(holds(near_rail)))":
                "the red ball lies on a table without rails, across from the box",
            "and(holds(far_rail), not(holds(near_rail)))":
                "the red ball lies on a table, across from the box and the only rail",
            "and(not(holds(far_rail)), holds(near_rail))":
                "the red ball lies on a table, with the only rail behind it",
            "and(holds(far_rail), holds(near_rail))":
                "the red ball lies on a table with rails at both ends",
        },
    ),
    asked={"slide": ("slide",), "fall": ("fall", "impact")},
    others={
        **hits(THINGS, ("green_ball", "box"), ("green_ball", "ball"), ("ball", "can"),
               ("ball", "green_ball"), ("box", "can"), ("box", "green_ball"), ("box", "floor"),
               ("box", "far_rail"), ("ball", "far_rail"), ("ball", "near_rail"), ("can", "box"),
               ("green_ball", "table"), ("green_ball", "book")),
    },
)  # fmt: skip
