"""Cut off: the red ball shuts the gate before the blue one, and pushes the box itself.

Early preemption. The red ball rolls over a plate in the floor, upon which a gate slides across the
blue ball's lane; the red ball rolls on and pushes a box, which slides into a drum. The blue
ball would have pushed it as well, but finds the gate shut. Rolling over the plate is therefore no
but-for cause of the slide; it is an actual cause with the witness that the blue ball never hit the
box. From there on all is but-for: once the gate is shut nothing but the red ball is left. The
blue ball is a preempted backup. A brick may stand in the red ball's way, and then neither ball
pushes the box. A pink ball rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Absent, Detector, Moved, Slid, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldPast,
    KeepStill,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, WorldSpec

BALL_M = 0.05
LANE_M = 0.07
"""From the middle between the two balls' lanes to either; both lead along x to the box."""
LONG_M, WIDE_M, HIGH_M = 0.06, 0.30, 0.10
"""Size of the box, along, across and upwards."""
BOX_X_M = 0.40
MARK = Box((0.03, 0.05, 0.02))
PLATE_X_M, STRIP_X_M = -0.61, -1.05
"""Middle of the plate in the red ball's lane, and of the strip in the blue one's."""
MARK_Z_M = -0.0195
"""Both jut out of the floor by half a millimetre, so that a ball rolls on over them."""
GATE_X_M, GATE_SLIDES_M, GATE_M_S = -0.45, 0.26, 1.2

SETTINGS = (
    Choice("red_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("blue_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("brick", {"absent": 0.85, "present": 0.15}),
    Choice("pink_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(1.55, 1.65, held_out=(1.65, 1.67))}),
    Range("blue_speed", "m/s", {"brisk": Band(1.55, 1.65, held_out=(1.65, 1.67))}),
    Range("red_start", "s", {"early": Band(0.41, 0.44, held_out=(0.44, 0.445))}),
    Range("blue_start", "s", {"late": Band(0.63, 0.66, held_out=(0.66, 0.665))}),
    Range("pink_start", "s", {"usual": Band(0.10, 0.20, held_out=(0.20, 0.22))}),
)

NUISANCES = (
    Nuisance("box_color", words=("green", "purple", "orange")),
    Nuisance("drum_color", words=("beige", "brown")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("clear_way", "brick == 'absent'"),
    event("knock", "pink_ball == 'rolls'"),
    event("blue_roll", "blue_ball == 'rolls'"),
    event("trip", "red_ball == 'rolls'"),
    event("shutting", "trip"),
    event("red_hit", "trip and clear_way"),
    event("stop", "blue_roll and shutting"),
    event("blue_hit", "blue_roll and not shutting"),
    event("slide", "red_hit or blue_hit"),
    event("strike", "slide"),
)

DETECTORS: dict[str, Detector] = {
    "clear_way": Absent("brick"),
    "knock": Touched("pink_ball", ("can",)),
    "blue_roll": Touched("blue_ball", ("strip",)),
    "trip": Touched("red_ball", ("plate",)),
    "shutting": Moved("gate", distance_m=0.03),
    "red_hit": Touched("box", ("red_ball",)),
    "stop": Touched("blue_ball", ("gate",)),
    "blue_hit": Touched("box", ("blue_ball",)),
    "slide": Slid("box", "floor", distance_m=0.02),
    "strike": Touched("box", ("drum",)),
}

DEADLINES = {
    "knock": 200,
    "blue_roll": 210,
    "trip": 210,
    "shutting": 220,
    "red_hit": 455,
    "stop": 300,
    "blue_hit": 540,
    "slide": 595,
    "strike": 625,
}


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    Balls that are to hit the box all the same are thrown over plate and gate; the red one cannot
    be thrown over a brick, nor the blue one be stopped by a gate that is open.
    """
    red = ForceToss("red_hit", "red_ball", 345, x_m=BOX_X_M, lift_m_s=2.0, rise_steps=20)
    return (
        HoldNear("knock", "pink_ball", "can", gap_m=0.02),
        HoldPast("blue_roll", "blue_ball", (1.0, 0.0, 0.0), limit_m=STRIP_X_M - 0.07),
        HoldPast("trip", "red_ball", (1.0, 0.0, 0.0), limit_m=PLATE_X_M - 0.07),
        KeepStill("shutting", "gate"),
        HoldNear("red_hit", "red_ball", "box", gap_m=0.02),
        HoldNear("stop", "blue_ball", "gate", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "box", gap_m=0.02),
        HoldMoved("slide", "box", distance_m=0.004),
        HoldNear("strike", "box", "drum", gap_m=0.01),
        ForceLaunch("knock", "pink_ball", 145, (2.0, 0.0, 0.0)),
        ForceLaunch("blue_roll", "blue_ball", 182, (1.8, 0.0, 0.0)),
        ForceLaunch("trip", "red_ball", 162, (2.4, 0.0, 0.0)),
        ForceStart("shutting", "gate", 180),
        *((red,) if c.level("brick") == "absent" else ()),
        ForceToss("blue_hit", "blue_ball", 430, x_m=BOX_X_M, lift_m_s=2.0, rise_steps=20),
        ForceLaunch("slide", "box", 555, (1.0, 0.0, 0.0)),
    )


def build(c: Context) -> WorldSpec:
    """Build a floor with two lanes that lead to a box, a plate in one and a gate at the other."""
    bodies = [
        floor(c.word("floor_color")),
        Body("plate", MARK, (PLATE_X_M, LANE_M, MARK_Z_M), friction=0.6, color="yellow"),
        Body("strip", MARK, (STRIP_X_M, -LANE_M, MARK_Z_M), friction=0.6, color="white"),
        Body("gate", Box((0.015, 0.06, 0.04)), (GATE_X_M, -LANE_M - GATE_SLIDES_M, 0.04),
             restitution=0.0, color="black"),
        Body("drum", Cylinder(0.07, 0.12), (BOX_X_M + 0.18, 0.0, 0.06),
             color=c.word("drum_color")),
        Body("brick", Box((0.03, 0.05, 0.05)), (0.10, LANE_M + 0.03, 0.05), color="brick",
             present=c.level("brick") == "present"),
        Body("box", Box((LONG_M / 2, WIDE_M / 2, HIGH_M / 2)), (BOX_X_M, 0.0, HIGH_M / 2),
             mass_kg=0.3, friction=0.2, restitution=0.3, color=c.word("box_color")),
        ball("red_ball", "red", (-0.95, LANE_M, BALL_M), BALL_M),
        ball("blue_ball", "blue", (-1.20, -LANE_M, BALL_M), BALL_M),
        Body("can", Cylinder(0.06, 0.16), (-0.45, 0.55, 0.08), color="steel"),
        ball("pink_ball", "pink", (-0.85, 0.55, 0.05)),
    ]  # fmt: skip
    shut_steps = round(240 * GATE_SLIDES_M / GATE_M_S)
    actions: list[Launch | Mover] = [
        Mover("gate", Touched("red_ball", ("plate",)), shut_steps, (0.0, GATE_M_S, 0.0)),
    ]
    for name in ("red", "blue", "pink"):
        if c.level(f"{name}_ball") == "rolls":
            speed = 1.2 if name == "pink" else c.number(f"{name}_speed")
            start = round(240 * c.number(f"{name}_start"))
            actions.append(Launch(f"{name}_ball", start, (speed, 0.0, 0.0)))
    aside = 0.03 * c.amount("camera_turn")
    return WorldSpec(
        bodies=tuple(bodies),
        actions=tuple(actions),
        camera=Camera(eye_m=(0.0 + aside, -1.45, 1.42), target_m=(-0.24, 0.08, 0.0)),
        duration_steps=660,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


THINGS = {
    "box": "the box", "drum": "the drum", "red_ball": "the red ball",
    "blue_ball": "the blue ball", "plate": "the plate", "strip": "the strip",
    "gate": "the gate", "brick": "the brick", "pink_ball": "the pink ball", "can": "the can",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="cut_off",
    version=1,
    summary=__doc__,
    tags=("early_preemption", "preemption", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"clear_way": {1: {"brick": "absent"}, 0: {"brick": "present"}}},
    staged=(
        Staged("red_ball_rests", "trip", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("blue_ball_rests", "blue_roll", 0, {"blue_ball": "rests"},
               "The blue ball is not rolled.", "the blue ball had not been rolled"),
        Staged("brick", "clear_way", 0, {"brick": "present"},
               "A brick stands in the red ball's way.",
               "a brick had stood in the red ball's way"),
        Staged("pink_ball_rests", "knock", 0, {"pink_ball": "rests"},
               "The pink ball is not rolled.", "the pink ball had not been rolled"),
    ),
    variations=(
        Variation("blue_instead", "swap_cause", {"red_ball": "rests"},
                  "The red ball is not rolled, and the blue ball does it.",
                  keeps=("slide", "strike")),
    ),
    phrases={
        "clear_way": Phrase("the red ball has a clear path to the box",
                            "the red ball had a clear path to the box",
                            "a brick stood in the red ball's way", "", ("red_ball", "box")),
        "knock": Phrase("the pink ball rolls into the can", "the pink ball rolled into the can",
                        "the pink ball missed the can", "the pink ball hit the can",
                        ("pink_ball", "can"), also=("the pink ball ran into the can",)),
        "blue_roll": Phrase("the blue ball rolls over the strip",
                            "the blue ball rolled over the strip",
                            "the blue ball never reached the strip",
                            "the blue ball roll over the strip", ("blue_ball", "strip"),
                            also=("the blue ball ran over the strip",)),
        "trip": Phrase("the red ball rolls over the plate", "the red ball rolled over the plate",
                       "the red ball never reached the plate",
                       "the red ball roll over the plate", ("red_ball", "plate"),
                       also=("the red ball ran over the plate",)),
        "shutting": Phrase("the gate slides shut", "the gate slid shut", "the gate stayed open",
                           "the gate slide shut", ("gate", "plate"), also=("the gate shut",)),
        "red_hit": Phrase("the red ball hits the box", "the red ball hit the box",
                          "the red ball missed the box", "the red ball hit the box",
                          ("red_ball", "box"), also=("the red ball rolled into the box",)),
        "stop": Phrase("the blue ball runs into the gate", "the blue ball ran into the gate",
                       "the blue ball missed the gate", "the blue ball run into the gate",
                       ("blue_ball", "gate"), also=("the blue ball hit the gate",)),
        "blue_hit": Phrase("the blue ball hits the box", "the blue ball hit the box",
                           "the blue ball missed the box", "the blue ball hit the box",
                           ("blue_ball", "box"), also=("the blue ball rolled into the box",)),
        "slide": Phrase("the box slides", "the box slid", "the box stayed where it was",
                       "the box slide", ("box",), also=("the box started to slide",)),
        "strike": Phrase("the box strikes the drum", "the box struck the drum",
                         "the box missed the drum", "the drum sound", ("box", "drum"),
                         also=("the box hit the drum",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rolls", "brick": "absent", "pink_ball": "rolls"},
    key_events=("trip", "stop", "red_hit", "blue_hit"),
    opening=Opening(
        about="red_ball",
        right={
            "holds(clear_way)": "the red ball lies with a clear path to the box",
            "not(holds(clear_way))": "the red ball lies with a brick in its way",
        },
    ),
    asked={"trip": ("shutting", "trip"), "stop": ("stop",), "red_hit": ("slide", "strike"),
           "blue_hit": ("slide", "strike")},
    others={
        **hits(THINGS, ("pink_ball", "box"), ("pink_ball", "gate"), ("pink_ball", "plate"),
               ("red_ball", "gate"), ("red_ball", "brick"), ("red_ball", "blue_ball"),
               ("red_ball", "can"), ("blue_ball", "can"), ("blue_ball", "plate"),
               ("red_ball", "drum"), ("blue_ball", "drum"), ("pink_ball", "strip"),
               ("red_ball", "strip"), ("pink_ball", "drum"),
               ("blue_ball", "brick"), ("box", "gate"), ("box", "can")),
    },
    lacks="brick",
)  # fmt: skip
