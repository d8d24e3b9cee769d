"""The falling cup: a rolling ball sends a glass mug over a table's edge onto a hard floor.

A chain, bump, slide, fall, impact, shatter, with three standing conditions: the mug stands near
the edge, the floor is hard, the mug is of glass. Every link is a but-for cause of the last one;
only the impact is its direct trigger. Meanwhile a green ball rolls into a yellow box on the
floor, which is no cause of anything, and a book may lie about.
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
    Variant,
    Variation,
)
from simworld.world.detectors import (
    Absent,
    Broke,
    CanBreak,
    DroppedBelow,
    Slid,
    StartsBeyond,
    Touched,
)
from simworld.world.furniture import table
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldPast,
    KeepWhole,
)
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Launch,
    Mug,
    Soft,
    Sphere,
    WorldSpec,
)

TABLE_TOP_M = 0.75
MUG = Mug(radius_m=0.05, height_m=0.12)
MUG_ON_TABLE_M = TABLE_TOP_M + MUG.height_m / 2
GLASS = Breakable(peak_m_s=2.0)
STEEL = Breakable(peak_m_s=None)
PADDED = Soft(stiffness_n_m=900.0, damping_n_s_m=30.0)
BALL_RADIUS_M = 0.045
BRICK = Box((0.02, 0.10, 0.05))

SETTINGS = (
    Choice("ball", {"rolls": 0.85, "rests": 0.15}),
    Choice("brick", {"aside": 0.85, "in_the_way": 0.15}),
    Choice("rail", {"absent": 0.85, "present": 0.15}),
    Choice("crate", {"absent": 0.85, "present": 0.15}),
    Choice("floor", {"bare": 0.8, "rug": 0.2}),
    Choice("mug_material", {"glass": 0.8, "steel": 0.2}),
    Choice("green_ball", {"rolls": 0.8, "rests": 0.2}),
    Range(
        "edge_gap",
        "m",
        {
            "near": Band(0.055, 0.068, held_out=(0.068, 0.072), weight=0.85),
            "far": Band(0.36, 0.40, held_out=(0.40, 0.42), weight=0.15),
        },
    ),
    Range("ball_speed", "m/s", {"brisk": Band(2.1, 2.35, held_out=(2.35, 2.45))}),
    Range("ball_start", "s", {"usual": Band(0.75, 0.90, held_out=(0.90, 0.92))}),
    Range(
        "green_start",
        "s",
        {
            "early": Band(0.15, 0.30, held_out=(0.30, 0.33), weight=0.8),
            "late": Band(1.55, 1.65, held_out=(1.65, 1.68), weight=0.2),
        },
    ),
    Range("mug_mass", "kg", {"usual": Band(0.18, 0.22, held_out=(0.22, 0.23))}),
)

NUISANCES = (
    Nuisance("mug_color", words=("white", "blue", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("book", words=("absent", "present")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("near_edge", "edge_gap == 'near'"),
    condition("hard_floor", "floor == 'bare'"),
    condition("brittle_mug", "mug_material == 'glass'"),
    event("knock", "green_ball == 'rolls'"),
    event("bump", "ball == 'rolls'"),
    event("slide", "bump and brick == 'aside'"),
    event("fall", "slide and near_edge and rail == 'absent'"),
    event("impact", "fall and crate == 'absent'"),
    event("shatter", "impact and hard_floor and brittle_mug"),
)

DETECTORS = {
    "near_edge": StartsBeyond("mug", x_m=-0.2),
    "hard_floor": Absent("rug"),
    "brittle_mug": CanBreak("mug"),
    "knock": Touched("green_ball", ("yellow_box",)),
    "bump": Touched("mug", ("ball",)),
    "slide": Slid("mug", "table", distance_m=0.025),
    "fall": DroppedBelow("mug", height_m=MUG_ON_TABLE_M - 0.01),
    "impact": Touched("mug", ("floor", "rug"), below_m=TABLE_TOP_M),
    "shatter": Broke("mug"),
}

DEADLINES = {
    "knock": 600,
    "bump": 400,
    "slide": 420,
    "fall": 630,
    "impact": 740,
    "shatter": 750,
}


def handles(c: Context, mug_x_m: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The mug cannot hit the floor without falling, nor slide through a brick, which shakes it a bit.
    In the crate it lies lower than where a fall to the floor is stopped.
    """
    can_slide, in_crate = c.level("brick") == "aside", c.level("crate") == "present"
    slide: tuple[Handle, ...] = (HoldPast("slide", "mug", (1.0, 0.0, 0.0), mug_x_m + 0.012),)
    if can_slide:
        push = ForceLaunch("slide", "mug", 405, (1.0, 0.0, 0.0))
        slide = HoldMoved("slide", "mug", distance_m=0.0005), push
    return (
        HoldNear("knock", "green_ball", "yellow_box", gap_m=0.02),
        HoldNear("bump", "ball", "mug", gap_m=0.02),
        slide[0],
        HoldPast("fall", "mug", (1.0, 0.0, 0.0), limit_m=-0.012),
        HoldPast("impact", "mug", (0.0, 0.0, -1.0), limit_m=-0.1 if in_crate else -0.25),
        KeepWhole("shatter", "mug"),
        ForceLaunch("knock", "green_ball", 530, (2.0, 0.0, 0.0)),
        ForceLaunch("bump", "ball", 310, (c.number("ball_speed"), 0.0, 0.0)),
        *slide[1:],
        ForceToss("fall", "mug", 490, x_m=0.12, lift_m_s=2.0, rise_steps=20),
        ForceBreak("shatter", "mug", 745),
    )


def build(c: Context) -> WorldSpec:
    """Build the room: a table with a mug and a ball, a box and a green ball on the floor."""
    mug_x = -c.number("edge_gap") - MUG.radius_m
    speed = c.number("ball_speed")
    glass, aside = c.level("mug_material") == "glass", c.level("brick") == "aside"
    bodies = [
        Body("floor", Box((6.0, 6.0, 0.1)), (0.0, 0.0, -0.1), friction=0.6,
             color=c.word("floor_color")),
        Body("rug", Box((0.7, 0.5, 0.02)), (0.6, 0.0, 0.02), friction=0.8, restitution=0.0,
             soft=PADDED, color="red", present=c.level("floor") == "rug"),
        *table((-0.95, -0.4), (0.0, 0.4), TABLE_TOP_M, friction=1.0),
        Body("rail", Box((0.01, 0.4, 0.025)), (-0.01, 0.0, TABLE_TOP_M + 0.025),
             color="black", present=c.level("rail") == "present"),
        Body("brick", BRICK, (-0.5 if aside else mug_x + MUG.radius_m + 0.022,
                              0.28 if aside else 0.0, TABLE_TOP_M + 0.05),
             friction=0.9, restitution=0.0, color="brick"),
        *crate(present=c.level("crate") == "present"),
        Body("mug", MUG, (mug_x, 0.0, MUG_ON_TABLE_M), friction=0.25, restitution=0.7,
             mass_kg=c.number("mug_mass"),
             breakable=GLASS if glass else STEEL,
             color=c.word("mug_color") if glass else "steel"),
        Body("ball", Sphere(BALL_RADIUS_M), (-0.75, 0.0, TABLE_TOP_M + BALL_RADIUS_M),
             mass_kg=0.08, friction=0.05, restitution=0.95, color="red"),
        Body("yellow_box", Box((0.06, 0.06, 0.06)), (-0.30, -0.50, 0.06),
             friction=0.8, color="yellow"),
        Body("green_ball", Sphere(0.05), (-0.85, -0.50, 0.05), mass_kg=0.2, friction=0.05,
             restitution=0.5, color="green"),
        Body("book", Box((0.09, 0.06, 0.02)), (-0.8, 0.28, TABLE_TOP_M + 0.02), mass_kg=0.5,
             color="purple", present=c.word("book") == "present", nuisance=True),
    ]  # fmt: skip
    actions = []
    if c.level("ball") == "rolls":
        actions.append(Launch("ball", round(240 * c.number("ball_start")), (speed, 0.0, 0.0)))
    if c.level("green_ball") == "rolls":
        start = round(240 * c.number("green_start"))
        actions.append(Launch("green_ball", start, (1.0, 0.0, 0.0)))
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=camera(c.amount("camera_turn")),
        duration_steps=840,
        detectors=DETECTORS,
        handles=handles(c, mug_x),
        deadlines=DEADLINES,
    )


def crate(present: bool) -> list[Body]:
    """Return an open crate with a padded bottom, beside the table."""
    parts = {
        "crate": (Box((0.4, 0.35, 0.05)), (0.45, 0.0, 0.05)),
        "crate_left": (Box((0.02, 0.35, 0.15)), (0.03, 0.0, 0.15)),
        "crate_right": (Box((0.02, 0.35, 0.15)), (0.87, 0.0, 0.15)),
        "crate_front": (Box((0.4, 0.02, 0.15)), (0.45, -0.37, 0.15)),
        "crate_back": (Box((0.4, 0.02, 0.15)), (0.45, 0.37, 0.15)),
    }
    return [
        Body(name, shape, place, friction=0.8, restitution=0.0, thing="crate", color="pink",
             present=present, soft=PADDED if name == "crate" else None)
        for name, (shape, place) in parts.items()
    ]  # fmt: skip


def camera(turn_deg: float) -> Camera:
    """Return the camera, moved sideways for a turn about the scene's middle."""
    return Camera(eye_m=(0.1 + 0.035 * turn_deg, -2.1, 1.15), target_m=(-0.13, 0.0, 0.40))


SCENE = Scene(
    name="falling_cup",
    version=3,
    summary=__doc__,
    tags=("chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "near_edge": {1: {"edge_gap": "near"}, 0: {"edge_gap": "far"}},
        "hard_floor": {1: {"floor": "bare"}, 0: {"floor": "rug"}},
        "brittle_mug": {1: {"mug_material": "glass"}, 0: {"mug_material": "steel"}},
    },
    staged=(
        Staged("ball_rests", "bump", 0, {"ball": "rests"}, "The red ball is not rolled.",
               "the red ball had not been rolled"),
        Staged("brick", "slide", 0, {"brick": "in_the_way"},
               "A brick stands between the mug and the edge.",
               "the brick had stood between the mug and the edge"),
        Staged("rail", "fall", 0, {"rail": "present"}, "A rail runs along the table's edge.",
               "a rail had run along the table's edge"),
        Staged("crate", "impact", 0, {"crate": "present"}, "A padded crate stands below.",
               "a padded crate had stood below the table's edge"),
        Staged("rug", "hard_floor", 0, {"floor": "rug"}, "A thick rug lies on the floor.",
               "a thick rug had lain on the floor"),
        Staged("steel_mug", "brittle_mug", 0, {"mug_material": "steel"}, "The mug is of steel.",
               "the mug had been made of steel"),
        Staged("far_mug", "near_edge", 0, {"edge_gap": "far"},
               "The mug stands far from the edge.",
               "the mug had stood far from the table's edge"),
        Staged("green_ball_rests", "knock", 0, {"green_ball": "rests"},
               "The green ball is not rolled.", "the green ball had not been rolled"),
    ),
    variations=(
        Variation("green_ball_late", "retime", {"green_start": "late"},
                  "The green ball is rolled only later."),
        Variation("of_steel", "parameter", {"mug_material": "steel"}, "The mug is of steel."),
    ),
    phrases={
        "knock": Phrase("the green ball rolls into the yellow box",
                        "the green ball rolled into the yellow box",
                        "the green ball never touched the yellow box",
                        "the green ball hit the yellow box", ("green_ball", "yellow_box"),
                        also=("the green ball ran into the yellow box",)),
        "bump": Phrase("the red ball bumps the mug", "the red ball bumped the mug",
                       "the red ball never touched the mug", "the red ball bump the mug",
                       ("ball", "mug"),
                       also=("the red ball rolled into the mug", "the red ball ran into the mug")),
        "slide": Phrase("the mug slides along the table", "the mug slid along the table",
                        "the mug never moved", "the mug start to move", ("mug",)),
        "fall": Phrase("the mug falls off the table", "the mug fell off the table",
                       "the mug stayed on the table", "the mug go down", ("mug",),
                       also=("the mug dropped off the table",)),
        "impact": Phrase("the mug hits the hard floor", "the mug hit the hard floor",
                         "the mug never reached the floor", "the mug hit the floor",
                         ("mug", "floor"), also=("the mug crashed onto the hard floor",)),
        "shatter": Phrase("the mug breaks into pieces", "the mug broke into pieces",
                          "the mug stayed whole", "the mug break", ("mug",)),
        "near_edge": Phrase("the mug stands near the table's edge",
                            "the mug stood near the table's edge",
                            "the mug stood far from the table's edge", "", ("mug", "table")),
        "hard_floor": Phrase("the floor is bare and hard", "the floor was bare and hard",
                             "a thick rug lay on the floor", "", ("floor",)),
        "brittle_mug": Phrase("the mug is made of glass", "the mug was made of glass",
                              "the mug was made of steel", "", ("mug",)),
    },
    variants=(
        Variant("impact", {"hard_floor": 0},
                Phrase("the mug lands on the rug", "the mug landed on the rug",
                       "the mug never reached the rug", "the mug land on the rug",
                       ("mug", "rug"), also=("the mug came down on the rug",))),
    ),
    things={
        "mug": "the mug", "ball": "the red ball", "green_ball": "the green ball",
        "yellow_box": "the yellow box", "table": "the table", "floor": "the floor",
        "book": "the purple book", "rug": "the rug", "rail": "the rail", "brick": "the brick",
        "crate": "the crate",
    },
    showcase={"ball": "rolls", "brick": "aside", "rail": "absent", "crate": "absent",
              "floor": "bare", "mug_material": "glass", "green_ball": "rolls",
              "green_start": "early", "edge_gap": "near"},
    key_events=("bump", "fall", "impact"),
    opening=Opening(
        about="mug",
        right={
            "holds(near_edge)": "the mug stands near the table's edge",
            "not(holds(near_edge))": "the mug stands far from the table's edge",
        },
    ),
    asked={"bump": ("slide",), "fall": ("fall",), "impact": ("shatter", "impact")},
    because={("slide", "fall"): "the mug lost its support at the edge"},
    others={
        "hit(green_ball, mug)": Phrase("the green ball pushes the mug",
                                       "the green ball pushed the mug",
                                       participants=("green_ball", "mug")),
        "hit(yellow_box, mug)": Phrase("the yellow box slides into the mug",
                                       "the yellow box slid into the mug",
                                       participants=("yellow_box", "mug")),
        "hit(mug, yellow_box)": Phrase("the mug hits the yellow box", "the mug hit the yellow box",
                                       participants=("mug", "yellow_box")),
        "hit(mug, green_ball)": Phrase("the mug hits the green ball", "the mug hit the green ball",
                                       participants=("mug", "green_ball")),
        "hit(book, mug)": Phrase("the purple book slides into the mug",
                                 "the purple book slid into the mug",
                                 participants=("book", "mug")),
        "hit(book, floor)": Phrase("the purple book falls to the floor",
                                   "the purple book fell to the floor",
                                   participants=("book", "floor")),
        "hit(brick, floor)": Phrase("the brick falls to the floor", "the brick fell to the floor",
                                    participants=("brick", "floor")),
        "hit(brick, mug)": Phrase("the mug hits the brick", "the mug hit the brick",
                                  participants=("mug", "brick")),
        "hit(green_ball, table)": Phrase("the green ball hits the table",
                                         "the green ball hit the table",
                                         participants=("green_ball", "table")),
        "hit(ball, brick)": Phrase("the red ball rolls into the brick",
                                   "the red ball rolled into the brick",
                                   participants=("ball", "brick")),
        "hit(ball, book)": Phrase("the red ball rolls into the purple book",
                                  "the red ball rolled into the purple book",
                                  participants=("ball", "book")),
        "hit(ball, green_ball)": Phrase("the red ball hits the green ball",
                                        "the red ball hit the green ball",
                                        participants=("ball", "green_ball")),
        "hit(mug, rail)": Phrase("the mug hits the rail", "the mug hit the rail",
                                 participants=("mug", "rail")),
        "hit(mug, crate)": Phrase("the mug lands in the crate", "the mug landed in the crate",
                                  participants=("mug", "crate")),
    },
)  # fmt: skip
