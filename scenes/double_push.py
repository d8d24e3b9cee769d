"""Double push: two balls hit the mug together, and either would have been enough.

Symmetric overdetermination. A red and a blue ball roll side by side against a mug near the edge of
a table; it slides off and breaks on the floor. Neither hit is a but-for cause, and neither is an
actual cause alone: only the two together are, each being part of it with responsibility 1/2. It is
so as long as both arrive within 30 ms of each other; one that comes much later finds the mug gone.
A mug of steel falls as well, but does not break. A pink ball rolls into a can, which is no cause of
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
from simworld.world.detectors import (
    Broke,
    CanBreak,
    Detector,
    DroppedBelow,
    Slid,
    Touched,
)
from simworld.world.furniture import ball, floor, table
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
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Mug,
    WorldSpec,
)

TABLE_TOP_M = 0.75
MUG = Mug(0.06, 0.12)
TO_EDGE_M = 0.26
"""From the middle of the mug to the edge of the table, which is at x = 0."""
BALL_M = 0.05
BESIDE_M = 0.055
"""From the way of either ball to the line on which the mug stands."""
RUN_M = 0.50
GLASS, STEEL = Breakable(peak_m_s=1.8), Breakable(peak_m_s=None)

SETTINGS = (
    Choice("red_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("blue_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("mug_material", {"glass": 0.8, "steel": 0.2}),
    Choice("pink_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.86, 1.94, held_out=(1.94, 1.96))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.86, 1.94, held_out=(1.94, 1.96))}),
    Range("red_start", "s", {"usual": Band(0.42, 0.432, held_out=(0.432, 0.435))}),
    Range("blue_start", "s", {"usual": Band(0.42, 0.432, held_out=(0.432, 0.435))}),
    Range("mug_mass", "kg", {"usual": Band(0.33, 0.37, held_out=(0.37, 0.38))}),
    Range("pink_start", "s", {
        "early": Band(0.10, 0.20, held_out=(0.20, 0.22), weight=0.7),
        "late": Band(0.85, 0.92, held_out=(0.92, 0.93), weight=0.3),
    }),
)  # fmt: skip

NUISANCES = (
    Nuisance("mug_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("brittle_mug", "mug_material == 'glass'"),
    event("knock", "pink_ball == 'rolls'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_ball == 'rolls'"),
    event("slide", "red_hit or blue_hit"),
    event("fall", "slide"),
    event("impact", "fall"),
    event("shatter", "impact and brittle_mug"),
)

DETECTORS: dict[str, Detector] = {
    "brittle_mug": CanBreak("mug"),
    "knock": Touched("pink_ball", ("can",)),
    "red_hit": Touched("mug", ("red_ball",)),
    "blue_hit": Touched("mug", ("blue_ball",)),
    "slide": Slid("mug", "table", distance_m=0.03),
    "fall": DroppedBelow("mug", height_m=TABLE_TOP_M),
    "impact": Touched("mug", ("floor",), below_m=TABLE_TOP_M),
    "shatter": Broke("mug"),
}

DEADLINES = {
    "knock": 335,
    "red_hit": 225,
    "blue_hit": 225,
    "slide": 245,
    "fall": 425,
    "impact": 540,
    "shatter": 550,
}


def handles() -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    No ball can be made to hit a mug that the other one has already sent on its way, nor the mug to
    hit the floor without falling.
    """
    return (
        HoldNear("knock", "pink_ball", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "mug", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "mug", gap_m=0.02),
        HoldMoved("slide", "mug", distance_m=0.004),
        HoldPast("fall", "mug", (1.0, 0.0, 0.0), limit_m=-0.03),
        HoldPast("impact", "mug", (0.0, 0.0, -1.0), limit_m=-0.25),
        KeepWhole("shatter", "mug"),
        ForceLaunch("knock", "pink_ball", 300, (3.0, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 185, (3.0, 0.0, 0.0), unless="blue_hit"),
        ForceLaunch("blue_hit", "blue_ball", 185, (3.0, 0.0, 0.0), unless="red_hit"),
        ForceLaunch("slide", "mug", 232, (1.3, 0.0, 0.0)),
        ForceToss("fall", "mug", 330, x_m=0.15, lift_m_s=1.5, rise_steps=15),
        ForceBreak("shatter", "mug", 545),
    )


def build(c: Context) -> WorldSpec:
    """Build a table with a mug near its edge and two balls side by side, and a can below."""
    glass = c.level("mug_material") == "glass"
    beside = BESIDE_M if c.word("side") == "left" else -BESIDE_M
    ball_x, ball_z = -TO_EDGE_M - 0.10 - RUN_M, TABLE_TOP_M + BALL_M
    bodies = [
        floor(c.word("floor_color")),
        *table((-1.05, -0.45), (0.0, 0.45), TABLE_TOP_M),
        Body("mug", MUG, (-TO_EDGE_M, 0.0, TABLE_TOP_M + MUG.height_m / 2), friction=0.15,
             restitution=0.4, mass_kg=c.number("mug_mass"), breakable=GLASS if glass else STEEL,
             color=c.word("mug_color") if glass else "steel"),
        ball("red_ball", "red", (ball_x, beside, ball_z), BALL_M, mass_kg=0.4),
        ball("blue_ball", "blue", (ball_x, -beside, ball_z), BALL_M, mass_kg=0.4),
        Body("can", Cylinder(0.06, 0.16), (0.10, -0.80, 0.08), color="black"),
        ball("pink_ball", "pink", (-0.30, -0.80, 0.05)),
    ]  # fmt: skip
    actions = []
    for name in ("red", "blue"):
        if c.level(f"{name}_ball") == "rolls":
            start = round(240 * c.number(f"{name}_start"))
            actions.append(Launch(f"{name}_ball", start, (c.number(f"{name}_speed"), 0.0, 0.0)))
    if c.level("pink_ball") == "rolls":
        actions.append(Launch("pink_ball", round(240 * c.number("pink_start")), (1.2, 0.0, 0.0)))
    aside = 0.03 * c.amount("camera_turn")
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=Camera(eye_m=(1.17, -0.81 + aside, 2.22), target_m=(-0.06, -0.06, 0.44)),
        duration_steps=640,
        detectors=DETECTORS,
        handles=handles(),
        deadlines=DEADLINES,
    )


THINGS = {
    "mug": "the mug", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "pink_ball": "the pink ball", "can": "the can", "table": "the table", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="double_push",
    version=2,
    summary=__doc__,
    tags=("overdetermination", "symmetric_overdetermination", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "brittle_mug": {1: {"mug_material": "glass"}, 0: {"mug_material": "steel"}},
    },
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("blue_ball_rests", "blue_hit", 0, {"blue_ball": "rests"},
               "The blue ball is not rolled.", "the blue ball had not been rolled"),
        Staged("steel_mug", "brittle_mug", 0, {"mug_material": "steel"},
               "The mug is of steel.", "the mug had been made of steel"),
        Staged("pink_ball_rests", "knock", 0, {"pink_ball": "rests"},
               "The pink ball is not rolled.", "the pink ball had not been rolled"),
    ),
    variations=(
        Variation("blue_alone", "swap_cause", {"red_ball": "rests", "blue_ball": "rolls"},
                  "Only the blue ball is rolled.", keeps=("slide", "fall", "impact", "shatter")),
        Variation("red_alone", "swap_cause", {"red_ball": "rolls", "blue_ball": "rests"},
                  "Only the red ball is rolled.", keeps=("slide", "fall", "impact", "shatter")),
        Variation("pink_late", "retime", {"pink_start": "late"},
                  "The pink ball is rolled only later."),
    ),
    phrases={
        "brittle_mug": Phrase("the mug is made of glass", "the mug was made of glass",
                              "the mug was made of steel", "", ("mug",)),
        "knock": Phrase("the pink ball rolls into the can", "the pink ball rolled into the can",
                        "the pink ball missed the can", "the pink ball hit the can",
                        ("pink_ball", "can"), also=("the pink ball ran into the can",)),
        "red_hit": Phrase("the red ball hits the mug", "the red ball hit the mug",
                          "the red ball never touched the mug", "the red ball hit the mug",
                          ("red_ball", "mug"), also=("the red ball rolled into the mug",)),
        "blue_hit": Phrase("the blue ball hits the mug", "the blue ball hit the mug",
                           "the blue ball never touched the mug", "the blue ball hit the mug",
                           ("blue_ball", "mug"), also=("the blue ball rolled into the mug",)),
        "slide": Phrase("the mug slides along the table", "the mug slid along the table",
                        "the mug stayed where it was", "the mug slide", ("mug",),
                        also=("the mug started to slide",)),
        "fall": Phrase("the mug falls off the table", "the mug fell off the table",
                       "the mug stayed on the table", "the mug fall off the table", ("mug",),
                       also=("the mug went over the edge",)),
        "impact": Phrase("the mug hits the floor", "the mug hit the floor",
                         "the mug never reached the floor", "the mug hit the floor",
                         ("mug", "floor"), also=("the mug crashed onto the floor",)),
        "shatter": Phrase("the mug breaks into pieces", "the mug broke into pieces",
                          "the mug stayed whole", "the mug break", ("mug",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rolls", "mug_material": "glass",
              "pink_ball": "rolls", "pink_start": "early"},
    key_events=("fall", "impact"),
    opening=Opening(
        about="mug",
        right={
            "holds(brittle_mug)": "a mug of glass stands on the table",
            "not(holds(brittle_mug))": "a mug of steel stands on the table",
        },
    ),
    asked={"fall": ("fall",), "impact": ("shatter", "impact")},
    others={
        **hits(THINGS, ("pink_ball", "mug"), ("mug", "can"), ("red_ball", "can"),
               ("blue_ball", "can"), ("red_ball", "blue_ball"), ("pink_ball", "red_ball"),
               ("pink_ball", "blue_ball"), ("mug", "pink_ball"), ("pink_ball", "table")),
        "hit(red_ball, floor)": Phrase("the red ball drops to the floor",
                                       "the red ball dropped to the floor",
                                       participants=("red_ball", "floor")),
        "hit(blue_ball, floor)": Phrase("the blue ball drops to the floor",
                                        "the blue ball dropped to the floor",
                                        participants=("blue_ball", "floor")),
    },
)  # fmt: skip
