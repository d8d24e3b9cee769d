"""Seesaw: a hatch lets a brick fall on one end of a plank, and a box slides down from the other.

A chain with a hidden enabling condition: the white ball hits the button, the hatch slides away,
the brick falls on the left end of the plank, the plank tips, and the box, until then level at the
right end, slides down. Whether the brick outweighs the box cannot be seen: with a heavy box of the
same looks the brick falls all the same and the plank stays as it is. So a light box enables the
tipping, and is no cause of the brick's fall. The brick may lie on the floor, then the hatch lets
nothing fall. A yellow ball rolls into a can meanwhile, which is no cause of anything.
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
from simworld.world.detectors import Detector, LighterThan, Slid, StartsBeyond, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceStart,
    Handle,
    HoldMoved,
    HoldNear,
    HoldTurned,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Hinge, Launch, WorldSpec

PLANK = Box((0.5, 0.09, 0.012))
PIVOT_Z_M = 0.16
BOX_M, BRICK_M = 0.045, (0.05, 0.06, 0.03)
BOX_AT_M, BRICK_AT_M = 0.38, -0.40
BRICK_ASIDE_M = (-0.66, 0.0, BRICK_M[2])
DROP_M = 0.08
"""How far the brick falls before it is on the plank."""
SIDE_LANE_M = -0.42

SETTINGS = (
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("brick_place", {"hatch": 0.85, "floor": 0.15}),
    Choice("yellow_ball", {"rolls": 0.7, "rests": 0.3}),
    Range("box_mass", "kg", {"light": Band(0.10, 0.14, held_out=(0.14, 0.15), weight=0.7),
                             "heavy": Band(2.20, 2.40, held_out=(2.40, 2.45), weight=0.3)}),
    Range("white_speed", "m/s", {"brisk": Band(1.4, 1.6, held_out=(1.6, 1.65))}),
    Range("white_start", "s", {"early": Band(0.05, 0.08, held_out=(0.08, 0.09)),
                               "late": Band(0.25, 0.29, held_out=(0.29, 0.30))}),
    Range("yellow_start", "s", {"usual": Band(0.16, 0.18, held_out=(0.18, 0.185))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("box_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("loaded", "brick_place == 'hatch'"),
    condition("light_box", "box_mass == 'light'"),
    event("knock", "yellow_ball == 'rolls'"),
    event("press", "white_ball == 'rolls'"),
    event("drop", "press and loaded"),
    event("tip", "drop and light_box"),
    event("slide", "tip"),
)

DETECTORS: dict[str, Detector] = {
    "loaded": StartsBeyond("brick", x_m=BRICK_AT_M - 0.1),
    "light_box": LighterThan("box", mass_kg=1.0),
    "knock": Touched("yellow_ball", ("can",)),
    "press": Touched("white_ball", ("button",)),
    "drop": Touched("plank", ("brick",)),
    "tip": Turned("plank", degrees=10.0),
    "slide": Slid("box", "plank", distance_m=0.12),
}

DEADLINES = {"knock": 270, "press": 165, "drop": 290, "tip": 350, "slide": 590}


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    No push keeps the plank tipped, and no hatch lets a brick fall that does not lie on it.
    """
    drop = (ForceStart("drop", "hatch", 225),)
    return (
        HoldNear("knock", "yellow_ball", "can", gap_m=0.02),
        HoldNear("press", "white_ball", "button", gap_m=0.02),
        HoldNear("drop", "brick", "plank", gap_m=0.02),
        HoldTurned("tip", "plank", degrees=8.0),
        HoldMoved("slide", "box", distance_m=0.08),
        ForceLaunch("knock", "yellow_ball", 170, (1.4, 0.0, 0.0)),
        ForceLaunch("press", "white_ball", 122, (2.0, 0.0, 0.0)),
        *(drop if c.level("brick_place") == "hatch" else ()),
        ForceLaunch("slide", "box", 510, (-0.78, 0.0, 0.0)),
    )


def seesaw() -> tuple[Body, ...]:
    """Return the plank on its pivot and its rest, and the hatch on its stand."""
    under = PIVOT_Z_M - PLANK.half_extents_m[2]
    hatch_z = PIVOT_Z_M + PLANK.half_extents_m[2] + DROP_M - 0.006
    return (
        Body("pivot", Box((0.01, 0.07, (under - 0.01) / 2)), (0.0, 0.0, (under - 0.01) / 2),
             color="steel"),
        Body("rest", Box((0.015, 0.07, under / 2)), (0.43, 0.0, under / 2), restitution=0.0,
             color="steel", thing="rest"),
        Body("plank", PLANK, (0.0, 0.0, PIVOT_Z_M), mass_kg=1.0, friction=0.5, restitution=0.1,
             color="brown",
             hinge=Hinge((0.0, 0.0, PIVOT_Z_M), (0.0, 1.0, 0.0), friction_n_m=0.01)),
        Body("hatch", Box((0.08, 0.08, 0.006)), (BRICK_AT_M, 0.0, hatch_z), friction=0.02,
             restitution=0.0, color="blue"),
        Body("stand", Box((0.02, 0.02, hatch_z / 2 - 0.005)),
             (BRICK_AT_M, 0.13, hatch_z / 2 - 0.005), color="black"),
    )  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build the seesaw with brick and box, and in front a lane with the button and the can."""
    on_hatch = c.level("brick_place") == "hatch"
    top = PIVOT_Z_M + PLANK.half_extents_m[2]
    bodies = (
        floor(c.word("floor_color"), restitution=0.1),
        *seesaw(),
        Body("button", Box((0.02, 0.06, 0.07)), (-0.10, SIDE_LANE_M, 0.07),
             restitution=0.1, color="blue"),
        Body("can", Cylinder(0.06, 0.16), (0.62, SIDE_LANE_M, 0.08), color="steel"),
        Body("box", Box((BOX_M,) * 3), (BOX_AT_M, 0.0, top + BOX_M),
             mass_kg=c.number("box_mass"), friction=0.4, restitution=0.1,
             color=c.word("box_color")),
        Body("brick", Box(BRICK_M),
             (BRICK_AT_M, 0.0, top + DROP_M + BRICK_M[2]) if on_hatch else BRICK_ASIDE_M,
             mass_kg=0.5, friction=0.9, restitution=0.1, color="brick"),
        ball("white_ball", "white", (-0.42, SIDE_LANE_M, 0.05)),
        ball("yellow_ball", "yellow", (0.20, SIDE_LANE_M, 0.05)),
    )  # fmt: skip
    away = Mover("hatch", Touched("white_ball", ("button",)), 30, (0.0, 2.0, 0.0))
    rolls = {"white_ball": ("white_start", c.number("white_speed")),
             "yellow_ball": ("yellow_start", 1.6)}  # fmt: skip
    launches = tuple(
        Launch(name, round(240 * c.number(start)), (speed, 0.0, 0.0))
        for name, (start, speed) in rolls.items()
        if c.level(name) == "rolls"
    )
    return WorldSpec(
        bodies=bodies,
        actions=(away, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=620,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the plank and above it, moved sideways for a turn."""
    eye = (0.05 + 0.03 * turn_deg, -1.68, 0.87)
    return Camera(eye_m=eye, target_m=(0.04, 0.0, 0.12))


THINGS = {
    "plank": "the plank", "brick": "the brick", "box": "the box", "hatch": "the hatch",
    "rest": "the rest", "pivot": "the pivot", "button": "the button",
    "white_ball": "the white ball", "yellow_ball": "the yellow ball", "can": "the can",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="seesaw",
    version=2,
    summary=__doc__,
    tags=("chain", "seesaw", "hidden_property", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={
        "loaded": {1: {"brick_place": "hatch"}, 0: {"brick_place": "floor"}},
        "light_box": {1: {"box_mass": "light"}, 0: {"box_mass": "heavy"}},
    },
    staged=(
        Staged("white_ball_rests", "press", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
        Staged("on_the_floor", "loaded", 0, {"brick_place": "floor"},
               "The brick lies on the floor.", "the brick had lain on the floor"),
        Staged("heavy_box", "light_box", 0, {"box_mass": "heavy"}, "The box is heavy.",
               "the box had been heavy"),
        Staged("yellow_ball_rests", "knock", 0, {"yellow_ball": "rests"},
               "The yellow ball is not rolled.", "the yellow ball had not been rolled"),
    ),
    variations=(
        Variation("heavier_box", "parameter", {"box_mass": "heavy"},
                  "The box weighs much more than the brick.", hidden=True),
        Variation("lighter_box", "parameter", {"box_mass": "light"},
                  "The box weighs much less than the brick.", hidden=True),
        Variation("white_late", "retime", {"white_start": "late"},
                  "The white ball is rolled after the yellow one."),
        Variation("white_early", "retime", {"white_start": "early"},
                  "The white ball is rolled before the yellow one."),
    ),
    phrases={
        "knock": Phrase("the yellow ball rolls into the can",
                        "the yellow ball rolled into the can",
                        "the yellow ball never touched the can",
                        "the yellow ball hit the can", ("yellow_ball", "can"),
                        also=("the yellow ball ran into the can",)),
        "press": Phrase("the white ball hits the button", "the white ball hit the button",
                        "the white ball never touched the button",
                        "the white ball hit the button", ("white_ball", "button"),
                        also=("the white ball rolled into the button",)),
        "drop": Phrase("the brick drops onto the plank", "the brick dropped onto the plank",
                       "the brick never dropped", "the brick drop onto the plank",
                       ("brick", "plank"), also=("the brick fell onto the plank",)),
        "tip": Phrase("the plank tips over", "the plank tipped over", "the plank stayed level",
                      "the plank tip over", ("plank",), also=("the plank swung over",)),
        "slide": Phrase("the box slides down the plank", "the box slid down the plank",
                        "the box stayed where it was",
                        "the box slide down the plank", ("box", "plank"),
                        also=("the box slipped down the plank",)),
        "loaded": Phrase("the brick lies on the hatch", "the brick lay on the hatch",
                         "the brick lay on the floor", "", ("brick", "hatch")),
        "light_box": Phrase("the box is lighter than the brick", "the box was lighter",
                            "the box was heavier", "", ("box", "brick")),
    },
    things=THINGS,
    showcase={"white_ball": "rolls", "brick_place": "hatch", "yellow_ball": "rolls",
              "box_mass": "light"},
    key_events=("drop", "slide"),
    opening=Opening(
        about="brick",
        right={
            "holds(loaded)": "the brick lies on the hatch, above one end of the plank",
            "not(holds(loaded))": "the brick lies on the floor, beside the plank",
        },
    ),
    asked={"drop": ("drop", "tip"), "slide": ("slide",)},
    others={
        **hits(THINGS, ("white_ball", "can"), ("yellow_ball", "button"), ("white_ball", "plank"),
               ("yellow_ball", "plank"), ("white_ball", "brick"), ("yellow_ball", "brick"),
               ("white_ball", "box"), ("yellow_ball", "box"), ("box", "brick"),
               ("box", "floor"), ("brick", "floor"), ("plank", "floor"), ("box", "plank"),
               ("plank", "rest"), ("brick", "can"), ("box", "can")),
    },
)  # fmt: skip
