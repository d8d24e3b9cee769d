"""Broken transitivity: a ball on its way to a mug rolls over a plate that shuts a gate before it.

The literature's boulder (Hitchcock 2001): it comes down at a hiker, who sees it, ducks, and lives.
The boulder made the hiker duck, and ducking saved the hiker, but the boulder did not save the
hiker. Here the ball's rolling over the plate is a cause of the gate's shutting, and the shutting
prevents the hit: undo it, and the ball breaks the glass mug. Yet that the ball rolled over the
plate is no cause of the mug's staying whole: had it not, nothing would have come near the mug. So
causation is not transitive. Without the cord from plate to gate the ball gets through. A white
ball rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Broke, CanBreak, Detector, Moved, Present, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldNear,
    KeepStill,
    KeepWhole,
)
from simworld.world.movers import Mover
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Mug,
    WorldSpec,
)

BALL_M = 0.06
MUG = Mug(radius_m=0.06, height_m=0.13)
GLASS = Breakable(peak_m_s=0.35, rings=3)
STEEL = Breakable(peak_m_s=None)
BLOCK_M = (0.03, 0.03, 0.06)
GATE_M = (0.02, 0.13, 0.08)
GATE_FROM_M, GATE_M_S, GATE_STEPS = 0.32, 1.6, 48
"""How far the gate stands from the ball's way, and how it shuts."""
BALL_AT_M, PLATE_AT_M, GATE_AT_M, MUG_AT_M = -0.70, -0.45, 0.22, 0.62
DURATION_STEPS = 570

SETTINGS = (
    Choice("block", {"slides": 0.85, "rests": 0.15}),
    Choice("cord", {"laid": 0.75, "missing": 0.25}),
    Choice("mug_material", {"glass": 0.8, "steel": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("ball_speed", "m/s", {"brisk": Band(1.75, 1.9, held_out=(1.9, 1.95))}),
    Range("ball_start", "s", {"usual": Band(0.36, 0.40, held_out=(0.40, 0.41))}),
    Range("white_start", "s", {"usual": Band(0.10, 0.30, held_out=(0.30, 0.33))}),
    Range("mug_mass", "kg", {"usual": Band(0.33, 0.37, held_out=(0.37, 0.38))}),
)

NUISANCES = (
    Nuisance("mug_color", words=("blue", "green", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("wired", "cord == 'laid'"),
    condition("brittle_mug", "mug_material == 'glass'"),
    event("knock", "white_ball == 'rolls'"),
    event("push", "block == 'slides'"),
    event("press", "push"),
    event("shut", "press and wired"),
    event("stop", "press and shut"),
    event("hit", "press and not shut"),
    event("shatter", "hit and brittle_mug"),
)

PRESSED = Touched("ball", ("plate",))

DETECTORS: dict[str, Detector] = {
    "wired": Present("cord"),
    "brittle_mug": CanBreak("mug"),
    "knock": Touched("white_ball", ("can",)),
    "push": Touched("ball", ("block",)),
    "press": PRESSED,
    "shut": Moved("gate", distance_m=0.15),
    "stop": Touched("ball", ("gate",)),
    "hit": Touched("mug", ("ball",)),
    "shatter": Broke("mug"),
}

DEADLINES = {
    "knock": 300,
    "push": 145,
    "press": 185,
    "shut": 215,
    "stop": 285,
    "hit": 505,
    "shatter": 515,
}


def handles(sign: float, speed_m_s: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The ball can be tossed over the gate, but not made to hit it where it is not.
    """
    along = (sign * speed_m_s, 0.0, 0.0)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("push", "block", "ball", gap_m=0.03),
        HoldNear("press", "ball", "plate", gap_m=0.03),
        KeepStill("shut", "gate"),
        HoldNear("stop", "ball", "gate", gap_m=0.03),
        HoldNear("hit", "ball", "mug", gap_m=0.03),
        KeepWhole("shatter", "mug"),
        ForceLaunch("knock", "white_ball", 200, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("push", "block", 120, along),
        ForceLaunch("press", "ball", 158, along),
        ForceStart("shut", "gate", 170),
        ForceToss("hit", "ball", 355, x_m=sign * MUG_AT_M, lift_m_s=2.8, rise_steps=20),
        ForceBreak("shatter", "mug", 510),
    )


def build(c: Context) -> WorldSpec:
    """Build a floor with the ball's way: a plate, a gate beside it and a mug at its end."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    speed = c.number("ball_speed")
    glass = c.level("mug_material") == "glass"
    laid = c.level("cord") == "laid"
    block_at = BALL_AT_M - BALL_M - 0.05 - BLOCK_M[0]
    cord_x, cord_half = (PLATE_AT_M + GATE_AT_M) / 2, (GATE_AT_M - PLATE_AT_M) / 2
    bodies = (
        floor(c.word("floor_color")),
        Body("plate", Box((0.07, 0.1, 0.02)), (sign * PLATE_AT_M, 0.0, -0.018), friction=0.6,
             restitution=0.1, color="purple"),
        Body("cord", Box((cord_half, 0.01, 0.01)), (sign * cord_x, 0.14, 0.01), color="black",
             present=laid),
        Body("cord_end", Box((0.01, 0.02, 0.01)), (sign * PLATE_AT_M, 0.115, 0.01),
             color="black", thing="cord", present=laid),
        Body("gate", Box(GATE_M), (sign * GATE_AT_M, GATE_FROM_M, GATE_M[2]), restitution=0.3,
             friction=0.2, color="steel"),
        Body("mug", MUG, (sign * MUG_AT_M, 0.0, MUG.height_m / 2), friction=0.5,
             restitution=0.5, mass_kg=c.number("mug_mass"),
             breakable=GLASS if glass else STEEL,
             color=c.word("mug_color") if glass else "steel"),
        ball("ball", "red", (sign * BALL_AT_M, 0.0, BALL_M), BALL_M, 0.165, 0.9),
        Body("block", Box(BLOCK_M), (sign * block_at, 0.0, BLOCK_M[2]), mass_kg=0.2,
             friction=0.4, restitution=0.8, color="black"),
        Body("can", Cylinder(0.06, 0.16), (sign * 0.15, -0.42, 0.08), color="pink",
             restitution=0.8),
        Body("book", Box((0.02, 0.08, 0.07)), (sign * -0.60, -0.42, 0.07), color="yellow"),
        ball("white_ball", "white", (sign * -0.3, -0.42, 0.05), restitution=0.9),
    )  # fmt: skip
    moves = {
        "block": ("ball_start", (sign * speed, 0.0, 0.0)),
        "white_ball": ("white_start", (sign * 1.0, 0.0, 0.0)),
    }
    launches = (
        Launch(name, round(240 * c.number(start)), velocity)
        for name, (start, velocity) in moves.items()
        if c.level(name) != "rests"
    )
    start = PRESSED if laid else DURATION_STEPS
    return WorldSpec(
        bodies=bodies,
        actions=(*launches, Mover("gate", start, GATE_STEPS, (0.0, -GATE_M_S, 0.0))),
        camera=camera(c.amount("camera_turn")),
        duration_steps=DURATION_STEPS,
        detectors=DETECTORS,
        handles=handles(sign, speed),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the ball's way and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -1.55, 1.4), target_m=(0.0, 0.05, 0.0))


THINGS = {
    "mug": "the mug", "ball": "the red ball", "plate": "the plate", "gate": "the gate",
    "cord": "the cord", "block": "the block", "white_ball": "the white ball", "can": "the can",
    "book": "the book",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="broken_transitivity",
    version=1,
    summary=__doc__,
    tags=("broken_transitivity", "prevention", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "wired": {1: {"cord": "laid"}, 0: {"cord": "missing"}},
        "brittle_mug": {1: {"mug_material": "glass"}, 0: {"mug_material": "steel"}},
    },
    staged=(
        Staged("block_rests", "push", 0, {"block": "rests"}, "The block is not slid.",
               "the block had not been slid"),
        Staged("no_cord", "wired", 0, {"cord": "missing"},
               "No cord leads from the plate to the gate.",
               "no cord had led from the plate to the gate"),
        Staged("steel_mug", "brittle_mug", 0, {"mug_material": "steel"}, "The mug is of steel.",
               "the mug had been made of steel"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "push": Phrase("the block pushes the red ball", "the block pushed the red ball",
                       "the red ball stayed at rest", "the red ball start to roll",
                       ("block", "ball"), also=("the block hit the red ball",)),
        "press": Phrase("the red ball rolls over the plate", "the red ball rolled over the plate",
                        "the red ball never reached the plate",
                        "the red ball roll over the plate", ("ball", "plate"),
                        also=("the red ball crossed the plate",)),
        "shut": Phrase("the gate slides shut", "the gate slid shut", "the gate stayed open",
                       "the gate slide shut", ("gate",), also=("the gate closed",)),
        "stop": Phrase("the red ball hits the gate", "the red ball hit the gate",
                       "the red ball missed the gate", "the red ball hit the gate",
                       ("ball", "gate"), also=("the red ball ran into the gate",)),
        "hit": Phrase("the red ball hits the mug", "the red ball hit the mug",
                      "the red ball missed the mug", "the red ball hit the mug",
                      ("ball", "mug"), also=("the red ball ran into the mug",)),
        "shatter": Phrase("the mug breaks into pieces", "the mug broke into pieces",
                          "the mug stayed whole", "the mug break", ("mug",)),
        "wired": Phrase("a cord leads from the plate to the gate",
                        "a cord led from the plate to the gate",
                        "no cord led from the plate to the gate", "", ("cord", "gate")),
        "brittle_mug": Phrase("the mug is made of glass", "the mug was made of glass",
                              "the mug was made of steel", "", ("mug",)),
    },
    things=THINGS,
    showcase={"block": "slides", "cord": "laid", "mug_material": "glass", "white_ball": "rolls"},
    key_events=("shut", "stop", "hit"),
    opening=Opening(
        about="gate",
        right={
            "holds(wired)": "the gate stands open, a cord leading to it from the plate",
            "not(holds(wired))": "the gate stands open, no cord leading to it",
        },
    ),
    asked={"shut": ("shut",), "stop": ("stop",), "hit": ("hit", "shatter")},
    others={
        **hits(THINGS, ("block", "gate"), ("white_ball", "plate"), ("white_ball", "gate"),
               ("white_ball", "mug"), ("white_ball", "ball"), ("gate", "mug"), ("ball", "can"),
               ("block", "plate"), ("block", "mug"), ("can", "gate"), ("ball", "white_ball"),
               ("white_ball", "book")),
    },
)  # fmt: skip
