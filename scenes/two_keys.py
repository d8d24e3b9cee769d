"""Two keys: a board with a vase lies on three supports; it falls only if two are knocked away.

Conjunction. The red ball knocks the brick from under the board, the blue ball the block. While one
of them stands, the board stays where it is; once both are gone its end drops, and the glass vase
breaks. Each hit is a but-for cause of the fall, and neither would have done alone: that the other
support went too is what its success depends on. Where one ball rests, its not coming is an omission
that explains why the board stayed up. A crate may stand behind the block, so that it cannot be
knocked away. A white ball rolls into a can, which is no cause of anything.
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
from simworld.world.detectors import Broke, CanBreak, Detector, Slid, Tilted, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    Handle,
    HoldMoved,
    HoldNear,
    HoldTilted,
    KeepWhole,
)
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Vase,
    WorldSpec,
)

SUPPORT_M = (0.05, 0.055, 0.075)
BOARD_M = (0.45, 0.07, 0.012)
STAND_X_M, BRICK_X_M, BLOCK_X_M, VASE_X_M = -0.32, 0.19, 0.37, 0.34
BALL_M = 0.07
BALL_FROM_M = 0.75
VASE = Vase(radius_m=0.045, height_m=0.15)
GLASS = Breakable(peak_m_s=0.6, rings=3)
STEEL = Breakable(peak_m_s=None)

SETTINGS = (
    Choice("red_ball", {"rolls": 0.75, "rests": 0.25}),
    Choice("blue_ball", {"rolls": 0.75, "rests": 0.25}),
    Choice("crate", {"aside": 0.85, "behind": 0.15}),
    Choice("vase_material", {"glass": 0.8, "steel": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("red_speed", "m/s", {"brisk": Band(2.9, 3.1, held_out=(3.1, 3.15))}),
    Range("blue_speed", "m/s", {"brisk": Band(2.9, 3.1, held_out=(3.1, 3.15))}),
    Range("red_start", "s", {"usual": Band(0.20, 0.24, held_out=(0.24, 0.25))}),
    Range("blue_start", "s", {"usual": Band(0.70, 0.76, held_out=(0.76, 0.77))}),
    Range("white_start", "s", {"usual": Band(0.10, 0.50, held_out=(0.50, 0.55))}),
    Range("vase_mass", "kg", {"usual": Band(0.23, 0.27, held_out=(0.27, 0.28))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("side", words=("left", "right")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("brittle_vase", "vase_material == 'glass'"),
    event("knock", "white_ball == 'rolls'"),
    event("brick_hit", "red_ball == 'rolls'"),
    event("brick_out", "brick_hit"),
    event("block_hit", "blue_ball == 'rolls'"),
    event("block_out", "block_hit and crate == 'aside'"),
    event("drop", "brick_out and block_out"),
    event("shatter", "drop and brittle_vase"),
)

DETECTORS: dict[str, Detector] = {
    "brittle_vase": CanBreak("vase"),
    "knock": Touched("white_ball", ("can",)),
    "brick_hit": Touched("red_ball", ("brick",)),
    "brick_out": Slid("brick", "floor", distance_m=0.04),
    "block_hit": Touched("blue_ball", ("block",)),
    "block_out": Slid("block", "floor", distance_m=0.04),
    "drop": Tilted("board", degrees=9.0),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 270,
    "brick_hit": 180,
    "brick_out": 220,
    "block_hit": 300,
    "block_out": 340,
    "drop": 420,
    "shatter": 460,
}


def handles(c: Context) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    A board cannot be made to drop while its supports stand, nor a block to slide through a crate.
    """
    sign = 1.0 if c.word("side") == "left" else -1.0
    red, blue = ((0.0, -c.number(f"{name}_speed"), 0.0) for name in ("red", "blue"))
    out = (ForceLaunch("block_out", "block", 308, (0.0, -2.0, 0.0)),)
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("brick_hit", "red_ball", "brick", gap_m=0.03),
        HoldMoved("brick_out", "brick", distance_m=0.025),
        HoldNear("block_hit", "blue_ball", "block", gap_m=0.03),
        HoldMoved("block_out", "block", distance_m=0.025),
        HoldTilted("drop", "board", degrees=0.5),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "white_ball", 195, (sign * 1.0, 0.0, 0.0)),
        ForceLaunch("brick_hit", "red_ball", 120, red),
        ForceLaunch("brick_out", "brick", 190, (0.0, -2.0, 0.0)),
        ForceLaunch("block_hit", "blue_ball", 235, blue),
        *(out if c.level("crate") == "aside" else ()),
        ForceBreak("shatter", "vase", 455),
    )


def build(c: Context) -> WorldSpec:
    """Build a floor with the board on its supports, two balls behind it, a can beside it."""
    sign = 1.0 if c.word("side") == "left" else -1.0
    glass = c.level("vase_material") == "glass"
    board_z = 2 * SUPPORT_M[2] + BOARD_M[2]
    crate_y = -SUPPORT_M[1] - 0.054 if c.level("crate") == "behind" else 0.35
    crate_x = BLOCK_X_M if c.level("crate") == "behind" else -0.1

    def support(name: str, x: float, color: str, mass_kg: float) -> Body:
        return Body(name, Box(SUPPORT_M), (sign * x, 0.0, SUPPORT_M[2]), mass_kg=mass_kg,
                    friction=0.25 if mass_kg else 0.8, restitution=0.6, color=color)  # fmt: skip

    bodies = (
        floor(c.word("floor_color")),
        support("stand", STAND_X_M, "steel", 0.0),
        support("brick", BRICK_X_M, "brick", 0.5),
        support("block", BLOCK_X_M, "black", 0.5),
        Body("board", Box(BOARD_M), (0.0, 0.0, board_z), mass_kg=0.6, friction=0.5,
             restitution=0.1, color="brown"),
        Body("vase", VASE, (sign * VASE_X_M, 0.0, board_z + BOARD_M[2] + VASE.height_m / 2),
             friction=0.8, restitution=0.3, mass_kg=c.number("vase_mass"),
             breakable=GLASS if glass else STEEL,
             color=c.word("vase_color") if glass else "steel"),
        Body("crate", Box((0.05, 0.05, 0.045)), (sign * crate_x, crate_y, 0.045), color="pink",
             restitution=0.2),
        ball("red_ball", "red", (sign * BRICK_X_M, BALL_FROM_M, BALL_M), BALL_M, 0.25, 0.7),
        ball("blue_ball", "blue", (sign * BLOCK_X_M, BALL_FROM_M, BALL_M), BALL_M, 0.25, 0.7),
        Body("can", Cylinder(0.05, 0.14), (sign * -0.25, -0.35, 0.07), color="steel",
             restitution=0.8),
        Body("book", Box((0.02, 0.08, 0.07)), (sign * -0.7, -0.35, 0.07), color="yellow"),
        ball("white_ball", "white", (sign * -0.55, -0.35, 0.05), restitution=0.9),
    )  # fmt: skip
    moves = {
        "red_ball": ("red_start", (0.0, -c.number("red_speed"), 0.0)),
        "blue_ball": ("blue_start", (0.0, -c.number("blue_speed"), 0.0)),
        "white_ball": ("white_start", (sign * 1.0, 0.0, 0.0)),
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
        duration_steps=520,
        detectors=DETECTORS,
        handles=handles(c),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, high above the board and the balls behind it, moved for a turn."""
    return Camera(eye_m=(0.03 * turn_deg, -1.25, 1.8), target_m=(0.0, -0.08, 0.0))


THINGS = {
    "vase": "the vase", "board": "the board", "red_ball": "the red ball",
    "blue_ball": "the blue ball", "brick": "the brick", "block": "the block",
    "stand": "the stand", "crate": "the crate", "white_ball": "the white ball", "can": "the can",
    "book": "the book",
    "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="two_keys",
    version=2,
    summary=__doc__,
    tags=("conjunction", "omission", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"brittle_vase": {1: {"vase_material": "glass"}, 0: {"vase_material": "steel"}}},
    staged=(
        Staged("red_ball_rests", "brick_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("blue_ball_rests", "block_hit", 0, {"blue_ball": "rests"},
               "The blue ball is not rolled.", "the blue ball had not been rolled"),
        Staged("crate", "block_out", 0, {"crate": "behind"}, "A crate stands behind the block.",
               "a crate had stood behind the block"),
        Staged("steel_vase", "brittle_vase", 0, {"vase_material": "steel"},
               "The vase is of steel.", "the vase had been made of steel"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "brick_hit": Phrase("the red ball hits the brick", "the red ball hit the brick",
                            "the red ball missed the brick", "the red ball hit the brick",
                            ("red_ball", "brick"), also=("the red ball ran into the brick",)),
        "brick_out": Phrase("the brick slides out",
                            "the brick slid out",
                            "the brick stayed in place",
                            "the brick slide out", ("brick",)),
        "block_hit": Phrase("the blue ball hits the block", "the blue ball hit the block",
                            "the blue ball missed the block",
                            "the blue ball hit the block", ("blue_ball", "block"),
                            also=("the blue ball ran into the block",)),
        "block_out": Phrase("the block slides out",
                            "the block slid out",
                            "the block stayed in place",
                            "the block slide out", ("block",)),
        "drop": Phrase("the board tips down", "the board tipped down",
                       "the board stayed level", "the board tip down", ("board",),
                       also=("one end of the board dropped",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "brittle_vase": Phrase("the vase is made of glass", "the vase was made of glass",
                               "the vase was made of steel", "", ("vase",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rolls", "crate": "aside",
              "vase_material": "glass", "white_ball": "rolls"},
    key_events=("brick_out", "block_out", "drop"),
    opening=Opening(
        about="board",
        right={
            "touches(board, brick, 1)": "the board lies level on stand, brick and block",
        },
    ),
    asked={"brick_out": ("brick_out",), "block_out": ("block_out",), "drop": ("drop", "shatter")},
    others={
        **hits(THINGS, ("red_ball", "block"), ("blue_ball", "brick"), ("white_ball", "brick"),
               ("white_ball", "block"), ("white_ball", "stand"), ("red_ball", "stand"),
               ("blue_ball", "stand"), ("block", "crate"), ("brick", "crate"), ("brick", "can"),
               ("white_ball", "board"), ("can", "board"), ("red_ball", "vase"),
               ("blue_ball", "vase"), ("board", "floor"), ("board", "crate"),
               ("white_ball", "book")),
    },
)  # fmt: skip
