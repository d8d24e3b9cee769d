"""Hidden friction: a bumped mug falls off a table, over the far edge or over the front one.

Whether the mug's underside is slippery or rough cannot be seen. A slippery mug glides on over the
far edge; a rough one stops half-way, in the path of a blue ball, which knocks it over the front
edge. The failure is the same, its mechanism another, and so is its repair: a rail at the far edge
helps a slippery mug only, one at the front edge a rough one only. In either world the red ball's
bump is a but-for cause of the fall. The blue ball's hit is the direct trigger with the rough mug,
and never happens with the slippery one. Meanwhile a green ball rolls into a can, which is no cause
of anything.
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
    Broke,
    Detector,
    DroppedBelow,
    Present,
    Slid,
    SmootherThan,
    Touched,
)
from simworld.world.furniture import ball, floor, table
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
    Mug,
    Soft,
    WorldSpec,
)

TABLE_TOP_M = 0.5
LOW_M, HIGH_M = (-0.5, -0.2), (0.48, 0.5)
"""Corners of the table; the front edge is the one of least y, the far edge that of greatest x."""
BALL_M = 0.045
MUG = Mug(radius_m=0.045, height_m=0.1)
RED_AT_M, BLUE_AT_M = (-0.36, 0.0), (0.165, 0.4)
PADDED = Soft(stiffness_n_m=1200.0, damping_n_s_m=40.0)

SETTINGS = (
    Choice("red_ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("blue_ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("far_edge", {"open": 0.8, "railed": 0.2}),
    Choice("front_edge", {"open": 0.8, "railed": 0.2}),
    Choice("green_ball", {"rolls": 0.8, "rests": 0.2}),
    Range(
        "underside",
        "",
        {
            "rough": Band(0.50, 0.53, held_out=(0.53, 0.54)),
            "slippery": Band(0.02, 0.03, held_out=(0.03, 0.035)),
        },
    ),
    Range("red_speed", "m/s", {"brisk": Band(1.20, 1.25, held_out=(1.25, 1.26))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.95, 2.1, held_out=(2.1, 2.15))}),
    Range("red_start", "s", {"usual": Band(0.26, 0.31, held_out=(0.31, 0.32))}),
    Range("blue_start", "s", {"usual": Band(1.04, 1.10, held_out=(1.10, 1.12))}),
    Range("green_start", "s", {"usual": Band(0.10, 0.40, held_out=(0.40, 0.44))}),
)

NUISANCES = (
    Nuisance("mug_color", words=("white", "orange", "purple")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("smooth_mug", "underside == 'slippery'"),
    condition("far_rail", "far_edge == 'railed'"),
    condition("front_rail", "front_edge == 'railed'"),
    event("knock", "green_ball == 'rolls'"),
    event("bump", "red_ball == 'rolls'"),
    event("glide", "bump and smooth_mug"),
    event("hit", "bump and not smooth_mug and blue_ball == 'rolls'"),
    event("fall", "(glide and not far_rail) or (hit and not front_rail)"),
    event("impact", "fall"),
    event("shatter", "impact"),
)

DETECTORS: dict[str, Detector] = {
    "smooth_mug": SmootherThan("mug", friction=0.2),
    "far_rail": Present("far_rail"),
    "front_rail": Present("front_rail"),
    "knock": Touched("green_ball", ("can",)),
    "bump": Touched("mug", ("red_ball",)),
    "glide": Slid("mug", "table", distance_m=0.38),
    "hit": Touched("mug", ("blue_ball",)),
    "fall": DroppedBelow("mug", height_m=TABLE_TOP_M),
    "impact": Touched("mug", ("floor",), below_m=TABLE_TOP_M),
    "shatter": Broke("mug"),
}

DEADLINES = {
    "knock": 320,
    "bump": 205,
    "glide": 400,
    "hit": 330,
    "fall": 515,
    "impact": 585,
    "shatter": 595,
}


def handles(c: Context, sign: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    A mug that the blue ball has hit cannot be made to glide on, nor the ball to hit a mug that is
    gone.
    """
    drop = (0.0, 0.0, -1.0)
    shove = (sign * (1.9 if c.level("underside") == "rough" else 1.3), 0.0, 0.0)
    return (
        HoldNear("knock", "green_ball", "can", gap_m=0.02),
        HoldNear("bump", "red_ball", "mug", gap_m=0.02),
        HoldPast("glide", "mug", (sign, 0.0, 0.0), limit_m=0.3),
        HoldNear("hit", "blue_ball", "mug", gap_m=0.02),
        HoldPast("fall", "mug", drop, limit_m=-(TABLE_TOP_M + 0.3 * MUG.height_m)),
        HoldPast("impact", "mug", drop, limit_m=-0.2),
        KeepWhole("shatter", "mug"),
        ForceLaunch("knock", "green_ball", 210, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("bump", "red_ball", 140, (sign * c.number("red_speed"), 0.0, 0.0)),
        ForceLaunch("glide", "mug", 320, shove, unless="hit"),
        ForceToss("fall", "mug", 405, x_m=sign * -0.75, lift_m_s=2.0, rise_steps=20),
        ForceBreak("shatter", "mug", 590),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with a mug and two balls, and a can and a green ball on the floor."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    ends = sorted((sign * LOW_M[0], sign * HIGH_M[0]))
    middle_y, half_y = (LOW_M[1] + HIGH_M[1]) / 2, (HIGH_M[1] - LOW_M[1]) / 2
    rail_z = TABLE_TOP_M + 0.03
    bodies = (
        floor(c.word("floor_color"), restitution=0.5),
        *table((ends[0], LOW_M[1]), (ends[1], HIGH_M[1]), TABLE_TOP_M),
        Body("far_rail", Box((0.0125, half_y, 0.03)),
             (sign * (HIGH_M[0] - 0.0125), middle_y, rail_z), restitution=0.0, soft=PADDED,
             color="black", present=c.level("far_edge") == "railed"),
        Body("front_rail", Box((0.45, 0.0125, 0.03)), (0.0, LOW_M[1] + 0.0125, rail_z),
             restitution=0.0, soft=PADDED, color="black",
             present=c.level("front_edge") == "railed"),
        Body("mug", MUG, (0.0, 0.0, TABLE_TOP_M + MUG.height_m / 2), mass_kg=0.25,
             friction=c.number("underside"), restitution=0.7,
             breakable=Breakable(peak_m_s=2.1), color=c.word("mug_color")),
        ball("red_ball", "red", (sign * RED_AT_M[0], RED_AT_M[1], TABLE_TOP_M + BALL_M), BALL_M,
             0.2, 0.9),
        ball("blue_ball", "blue", (sign * BLUE_AT_M[0], BLUE_AT_M[1], TABLE_TOP_M + BALL_M),
             BALL_M, 0.2, 0.9),
        Body("can", Cylinder(0.06, 0.16), (sign * -0.28, -0.5, 0.08), color="steel",
             restitution=0.8),
        Body("book", Box((0.02, 0.08, 0.07)), (sign * -0.86, -0.5, 0.07), color="pink"),
        ball("green_ball", "green", (sign * -0.72, -0.5, 0.05), restitution=0.9),
    )  # fmt: skip
    moves = {
        "red_ball": ("red_start", (sign * c.number("red_speed"), 0.0, 0.0)),
        "blue_ball": ("blue_start", (0.0, -c.number("blue_speed"), 0.0)),
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
        camera=camera(c.amount("camera_turn")),
        duration_steps=640,
        detectors=DETECTORS,
        handles=handles(c, sign),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the table and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -2.25, 1.6), target_m=(0.0, -0.12, 0.2))


THINGS = {
    "mug": "the mug", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "far_rail": "the rail at the far edge", "front_rail": "the rail at the front edge",
    "green_ball": "the green ball", "can": "the can", "book": "the book",
    "table": "the table", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="hidden_friction",
    version=1,
    summary=__doc__,
    tags=("hidden_regime", "decision", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "smooth_mug": {1: {"underside": "slippery"}, 0: {"underside": "rough"}},
        "far_rail": {1: {"far_edge": "railed"}, 0: {"far_edge": "open"}},
        "front_rail": {1: {"front_edge": "railed"}, 0: {"front_edge": "open"}},
    },
    staged=(
        Staged("red_ball_rests", "bump", 0, {"red_ball": "rests"}, "The red ball is not rolled.",
               "the red ball had not been rolled"),
        Staged("far_rail", "far_rail", 1, {"far_edge": "railed"},
               "A padded rail runs along the table's far edge.",
               "a padded rail had run along the table's far edge"),
        Staged("front_rail", "front_rail", 1, {"front_edge": "railed"},
               "A padded rail runs along the table's front edge.",
               "a padded rail had run along the table's front edge"),
        Staged("blue_ball_rests", "hit", 0, {"blue_ball": "rests"}, "The blue ball is not rolled.",
               "the blue ball had not been rolled"),
        Staged("green_ball_rests", "knock", 0, {"green_ball": "rests"},
               "The green ball is not rolled.", "the green ball had not been rolled"),
    ),
    variations=(
        Variation("slippery_mug", "parameter", {"underside": "slippery"},
                  "The mug's underside is slippery, which cannot be seen.", hidden=True),
        Variation("rough_mug", "parameter", {"underside": "rough"},
                  "The mug's underside is rough, which cannot be seen.", hidden=True),
    ),
    phrases={
        "knock": Phrase("the green ball rolls into the can", "the green ball rolled into the can",
                        "the green ball never touched the can", "the green ball hit the can",
                        ("green_ball", "can"), also=("the green ball ran into the can",)),
        "bump": Phrase("the red ball bumps the mug", "the red ball bumped the mug",
                       "the red ball missed the mug", "the red ball bump the mug",
                       ("red_ball", "mug"), also=("the red ball rolled into the mug",)),
        "glide": Phrase("the mug glides on", "the mug glided on",
                        "the mug stopped half-way", "the mug glide on",
                        ("mug",), also=("the mug slid on to the far edge",)),
        "hit": Phrase("the blue ball hits the mug", "the blue ball hit the mug",
                      "the blue ball missed the mug", "the blue ball hit the mug",
                      ("blue_ball", "mug"), also=("the blue ball rolled into the mug",)),
        "fall": Phrase("the mug falls off the table", "the mug fell off the table",
                       "the mug stayed on the table", "the mug go over the edge", ("mug",),
                       also=("the mug dropped off the table",)),
        "impact": Phrase("the mug hits the floor", "the mug hit the floor",
                         "the mug never reached the floor", "the mug hit the floor",
                         ("mug", "floor"), also=("the mug crashed onto the floor",)),
        "shatter": Phrase("the mug breaks into pieces", "the mug broke into pieces",
                          "the mug stayed whole", "the mug break", ("mug",)),
        "smooth_mug": Phrase("the mug's underside is slippery", "the mug's underside was slippery",
                             "the mug's underside was rough", "", ("mug",)),
        "far_rail": Phrase("a rail runs along the far edge", "a rail ran along the far edge",
                           "no rail ran along the far edge", "", ("far_rail", "table")),
        "front_rail": Phrase("a rail runs along the front edge", "a rail ran along the front edge",
                             "no rail ran along the front edge", "", ("front_rail", "table")),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rolls", "far_edge": "open",
              "front_edge": "open", "green_ball": "rolls", "underside": "rough"},
    key_events=("glide", "hit", "fall", "impact"),
    opening=Opening(
        about="mug",
        right={
            "and(not(holds(far_rail)), not(holds(front_rail)))":
                "the mug stands on a table without rails",
            "and(holds(far_rail), not(holds(front_rail)))":
                "the mug stands on a table with a rail at the far edge",
            "and(not(holds(far_rail)), holds(front_rail))":
                "the mug stands on a table with a rail at the front edge",
            "and(holds(far_rail), holds(front_rail))":
                "the mug stands on a table with rails at two edges",
        },
    ),
    asked={"glide": ("glide",), "hit": ("hit",), "fall": ("fall",),
           "impact": ("shatter", "impact")},
    others={
        **hits(THINGS, ("green_ball", "mug"), ("can", "mug"), ("mug", "can"),
               ("mug", "green_ball"), ("mug", "far_rail"), ("mug", "front_rail"),
               ("red_ball", "blue_ball"), ("blue_ball", "red_ball"), ("red_ball", "can"),
               ("blue_ball", "can"), ("red_ball", "floor"), ("blue_ball", "front_rail"),
               ("green_ball", "table"), ("green_ball", "book")),
        "hit(blue_ball, floor)": Phrase("the blue ball drops to the floor",
                                        "the blue ball dropped to the floor",
                                        participants=("blue_ball", "floor")),
    },
)  # fmt: skip
